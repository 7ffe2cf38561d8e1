use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};

use metacov_core::{Case, Exit, Input, Judge, Pair, SiteTable};
use metacov_formats::Error;
use metacov_run::{GroupDone, Observer, SharedTable};

use super::*;
use crate::fuzz::{
    Campaign, CampaignObserver, Done, GUIDANCES, History, Record, Schedule, Summary, fuzz,
};
use crate::scripted::{Effect, Reply, Scene, Scripted, ScriptedTarget};
use crate::worker::host::WorkerOptions;

/// Whether a statement has all these words.
fn has(scene: &Scene<'_>, words: &[&str]) -> bool {
    words.iter().all(|word| scene.statement.split(' ').any(|known| known == *word))
}

/// Statements return nothing, so sides agree however many of their words are removed.
fn sound(scene: &Scene<'_>) -> Reply {
    Reply::with(scene, Effect::Rows(Vec::new()))
}

/// Side b of the first relation returns something else.
fn disagreeing(scene: &Scene<'_>) -> Reply {
    if has(scene, &["b", "0"]) {
        return Reply { lines: vec![33], effect: Effect::Rows(vec![-1]) };
    }
    sound(scene)
}

/// Side b of the first relation ends the target.
fn crashing(scene: &Scene<'_>) -> Reply {
    let is_fatal = has(scene, &["b", "0"]);
    if is_fatal { Reply::with(scene, Effect::Crash(11)) } else { sound(scene) }
}

static SOUND: ScriptedTarget = ScriptedTarget { method: &Scripted, script: sound };
static DISAGREEING: ScriptedTarget = ScriptedTarget { method: &Scripted, script: disagreeing };
static CRASHING: ScriptedTarget = ScriptedTarget { method: &Scripted, script: crashing };

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

/// A pair of the first relation.
fn suspect(what: FailureKind) -> FailingCase {
    let side = |text: &str| vec![Input::of(text.to_owned())];
    let case = Case {
        relation: "same".to_owned(),
        setup: texts(&["make 1", "make 2", "make one 3"]),
        sides: Pair { a: side("a 0 123"), b: side("b 0 123") },
        parts: Vec::new(),
        judge: Judge::Bag,
    };
    FailingCase { case, what, seed: 1, database: 2, pair: 3 }
}

fn violated() -> FailingCase {
    suspect(FailureKind::Violated("1 row".to_owned()))
}

/// Confirms and examines a failing case. Returns a reason if it is not confirmed.
fn look(
    target: &'static ScriptedTarget,
    reference: Option<&'static ScriptedTarget>,
    known: &str,
    suspect: FailingCase,
) -> Result<Examined, String> {
    let interrupted = AtomicBool::new(false);
    let (plain, counting) = (ScriptedTarget::config(false), ScriptedTarget::config(true));
    let options = |target: &'static ScriptedTarget, config| target.options(config, 1, &interrupted);
    let (plain_options, counting_options) = (options(target, &plain), options(target, &counting));
    let reference = reference.map(|reference| options(reference, &plain));
    let targets = TriageTargets {
        target: "scripted@1".to_owned(),
        library: None,
        plain: &plain_options,
        counting: Some(&counting_options),
        reference: reference.as_ref().map(|options| ("scripted@0".to_owned(), options)),
    };
    let mut triage = Triage::new(targets, KnownBugs::parse(known).unwrap()).unwrap();
    triage.sketch(suspect).unwrap().map(|sketch| triage.examine(sketch).unwrap())
}

fn found(
    target: &'static ScriptedTarget,
    reference: Option<&'static ScriptedTarget>,
    suspect: FailingCase,
) -> Finding {
    match look(target, reference, "", suspect) {
        Ok(Examined::Found(finding)) => *finding,
        other => panic!("{other:?}"),
    }
}

fn sides(case: &Case) -> [Vec<&str>; 2] {
    [&case.sides.a, &case.sides.b]
        .map(|side| side.iter().flat_map(|input| &input.statements).map(String::as_str).collect())
}

#[test]
fn a_violation_is_reduced_and_measured() {
    let finding = found(&DISAGREEING, None, violated());
    let case = &finding.suspect.case;
    assert_eq!(case.setup, texts(&[]));
    assert_eq!(sides(case), [vec![""], vec!["b 0"]]);
    assert_eq!(finding.before.statements, 5);
    assert!(finding.candidates > 0);
    assert_eq!(finding.outputs, Some([String::new(), "-1\n".to_owned()]));
    let difference = finding.difference.as_ref().unwrap();
    assert_eq!(difference.lines, BTreeSet::from([("script.c".to_owned(), 34)]));
    assert_eq!(difference.entered, BTreeSet::from(["f4".to_owned()]));
    assert_eq!(finding.group(), "violation: 0, b");
    assert_eq!((finding.suspect.seed, finding.suspect.database, finding.suspect.pair), (1, 2, 3));
}

#[test]
fn violations_with_the_same_reduced_case_have_the_same_signature() {
    let mut other = violated();
    other.case.sides.b = vec![Input::of("b 0 777".to_owned())];
    other.case.setup.clear();
    let finding = found(&DISAGREEING, None, violated());
    assert_eq!(found(&DISAGREEING, None, other.clone()).signature, finding.signature);
    other.case.relation = "other".to_owned();
    let other = found(&DISAGREEING, None, other).signature;
    assert_eq!(other.group, finding.signature.group);
    assert_ne!(other.exact, finding.signature.exact, "another relation is another case");
}

#[test]
fn a_violation_that_cannot_be_reproduced_is_not_confirmed() {
    static RESTLESS: ScriptedTarget = ScriptedTarget {
        method: &Scripted,
        script: |scene| {
            static CALLS: AtomicI64 = AtomicI64::new(-1);
            let rows = vec![CALLS.fetch_sub(1, Relaxed)];
            Reply::with(scene, Effect::Rows(rows))
        },
    };
    static FAILING: ScriptedTarget =
        ScriptedTarget { method: &Scripted, script: |scene| Reply::with(scene, Effect::Error(1)) };
    let reason = |target| look(target, None, "", violated()).unwrap_err();
    assert_eq!(reason(&SOUND), "the sides agree when it is run again");
    assert_eq!(reason(&RESTLESS), "its results change from run to run");
    assert_eq!(
        reason(&CRASHING),
        "it fails in another way: the engine ends by signal 11 on side b"
    );
    assert_eq!(reason(&FAILING), "it does not run again: both sides failed (codes 1 and 1)");
}

#[test]
fn a_reduced_violation_must_be_reproducible() {
    // The shorter side b disagrees too, but never twice in the same way.
    static RESTLESS_IF_SHORT: ScriptedTarget = ScriptedTarget {
        method: &Scripted,
        script: |scene| {
            static CALLS: AtomicI64 = AtomicI64::new(-2);
            if has(scene, &["b", "0"]) && !has(scene, &["123"]) {
                return Reply::with(scene, Effect::Rows(vec![CALLS.fetch_sub(1, Relaxed)]));
            }
            disagreeing(scene)
        },
    };
    let finding = found(&RESTLESS_IF_SHORT, None, violated());
    assert_eq!(finding.suspect.case, violated().case);
    assert_eq!(finding.outputs, Some([String::new(), "-1\n".to_owned()]));
}

#[test]
fn a_crash_is_reduced_on_its_own_side() {
    let what = FailureKind::Crashed { side: Some(1), exit: Exit::Signalled(11) };
    let finding = found(&CRASHING, None, suspect(what.clone()));
    assert_eq!(finding.suspect.what, what);
    assert_eq!(finding.suspect.case.setup, texts(&[]));
    assert_eq!(sides(&finding.suspect.case), [vec![], vec!["b 0"]]);
    assert_eq!((finding.outputs, finding.difference), (None, None));
    let what = FailureKind::Crashed { side: Some(0), exit: Exit::Signalled(11) };
    let reason = look(&CRASHING, None, "", suspect(what)).unwrap_err();
    assert!(reason.contains("on side b"), "{reason}");
}

#[test]
fn a_crash_during_the_setup_needs_no_sides() {
    static TARGET: ScriptedTarget = ScriptedTarget {
        method: &Scripted,
        script: |scene| {
            let is_fatal = has(scene, &["make", "2"]) && !scene.state.is_empty();
            if is_fatal { Reply::with(scene, Effect::Crash(6)) } else { sound(scene) }
        },
    };
    let what = FailureKind::Crashed { side: None, exit: Exit::Signalled(6) };
    let finding = found(&TARGET, None, suspect(what));
    assert_eq!(finding.suspect.case.setup, texts(&["make 1", "make 2"]));
    assert_eq!(sides(&finding.suspect.case), [Vec::<&str>::new(), Vec::new()]);
    assert_eq!(finding.group(), "crash: 1, 2, make");
}

#[test]
fn a_hang_is_confirmed_and_not_reduced() {
    static TARGET: ScriptedTarget = ScriptedTarget {
        method: &Scripted,
        script: |scene| {
            let is_late = has(scene, &["a", "0"]);
            if is_late { Reply::with(scene, Effect::Hang) } else { sound(scene) }
        },
    };
    let suspect = suspect(FailureKind::Hung { side: Some(0) });
    let finding = found(&TARGET, None, suspect.clone());
    assert_eq!(finding.suspect, suspect);
    assert_eq!((finding.candidates, finding.group().as_str()), (0, "hang"));
}

#[test]
fn a_reduced_case_still_holds_on_the_reference() {
    // If the state is empty, this one disagrees too.
    static REFERENCE: ScriptedTarget = ScriptedTarget {
        method: &Scripted,
        script: |scene| {
            if scene.state.is_empty() { disagreeing(scene) } else { sound(scene) }
        },
    };
    let finding = found(&DISAGREEING, Some(&REFERENCE), violated());
    assert_eq!(finding.reference.as_deref(), Some("scripted@0"));
    assert_eq!(finding.suspect.case.setup.len(), 1);
    let [a, b] = sides(&finding.suspect.case);
    assert_eq!(b, ["b 0"]);
    assert_eq!(a, [""]);
}

#[test]
fn a_case_that_does_not_hold_on_the_reference_is_a_finding_without_one() {
    let finding = found(&DISAGREEING, Some(&DISAGREEING), violated());
    assert_eq!(finding.reference, None);
    assert_eq!(sides(&finding.suspect.case), [vec![""], vec!["b 0"]]);
}

#[test]
fn a_known_bug_is_reported_by_its_name() {
    let known = "[[bug]]\nname = \"zero\"\nwords = [\"0\"]\n";
    match look(&DISAGREEING, None, known, violated()) {
        Ok(Examined::Known(name, finding)) => {
            assert_eq!(name, "zero");
            assert_eq!(sides(&finding.suspect.case)[1], ["b 0"]);
        }
        other => panic!("{other:?}"),
    }
}

/// The findings of a campaign.
#[derive(Default)]
struct Log {
    found: Mutex<Vec<Finding>>,
    records: Mutex<Vec<Record>>,
    closed: Mutex<Vec<Vec<Finding>>>,
}

impl CampaignObserver for Log {
    fn tested(&self, _: u64) {}

    fn found(&self, finding: &Finding) -> io::Result<()> {
        self.found.lock().unwrap().push(finding.clone());
        Ok(())
    }

    fn close(&self, done: &Done) -> Result<(), Error> {
        self.records.lock().unwrap().push(Record::of(done));
        self.closed.lock().unwrap().push(done.findings.clone());
        Ok(())
    }

    fn is_over(&self) -> bool {
        false
    }
}

impl Observer for Log {
    fn on_group(&self, _: &GroupDone<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// Runs ten rounds on a target. Triages use a library without counters, which is that of `plain`.
fn campaign(
    target: &'static ScriptedTarget,
    plain: &'static ScriptedTarget,
    workers: usize,
) -> (Vec<Summary>, Log) {
    let interrupted = AtomicBool::new(false);
    let (without, with) = (ScriptedTarget::config(false), ScriptedTarget::config(true));
    let options = target.options(&with, workers, &interrupted);
    let campaign = Campaign {
        seed: 11,
        relations: vec![0, 1],
        guidance: GUIDANCES.iter().position(|known| known.name() == "mcg").unwrap(),
        observes: false,
        examines: true,
        schedule: Schedule { patience: 8, pairs: 16 },
        pairs: Some(160),
        trial: String::new(),
    };
    let plain: WorkerOptions<'_> = plain.options(&without, 1, &interrupted);
    let counting = target.options(&with, 1, &interrupted);
    let triage = || {
        let targets = TriageTargets {
            target: "scripted@1".to_owned(),
            library: None,
            plain: &plain,
            counting: Some(&counting),
            reference: None,
        };
        Triage::new(targets, KnownBugs::parse("").unwrap())
    };
    let log = Log::default();
    let table = SharedTable::of(SiteTable::new(), None);
    fuzz(&campaign, &options, Vec::new(), table, &log, &triage).unwrap();
    let records = log.records.lock().unwrap();
    let summary = |record: &Record| serde_json::from_str(&record.summary).unwrap();
    let summaries = records.iter().map(summary).collect();
    drop(records);
    (summaries, log)
}

#[test]
fn similar_violations_are_examined_ever_less_often() {
    for workers in [1, 3] {
        let (summaries, log) = campaign(&DISAGREEING, &DISAGREEING, workers);
        // Four in a round are examined: the first, the second and the fourth are worth a reduction.
        // What a round has seen is known eight rounds later, where only the eighth is.
        let found: Vec<usize> = log.closed.lock().unwrap().iter().map(Vec::len).collect();
        assert_eq!(found, [3, 3, 3, 3, 3, 3, 3, 3, 1, 0]);
        let alike: Vec<u64> = summaries.iter().map(|summary| summary.alike).collect();
        assert_eq!(alike, [1, 1, 1, 1, 1, 1, 1, 1, 3, 4]);
        assert!(summaries.iter().all(|summary| summary.relations["same"].violated == 8));
        let mut history = History::default();
        for record in &*log.records.lock().unwrap() {
            history.add(record).unwrap();
        }
        assert_eq!(history.findings.len(), 1);
        assert_eq!(history.findings["violation: 0, b"].len(), 1, "all are the same case");
        assert_eq!(history.stand().bugs, 1);
        assert_eq!(log.found.lock().unwrap().len(), 25, "each is handed over at once");
    }
}

#[test]
fn unconfirmed_violations_are_counted_by_reason() {
    let (summaries, log) = campaign(&DISAGREEING, &SOUND, 2);
    assert!(log.found.lock().unwrap().is_empty());
    let reason = "the sides agree when it is run again".to_owned();
    for summary in summaries {
        assert_eq!(summary.unconfirmed, BTreeMap::from([(reason.clone(), 4)]));
        assert_eq!(summary.relations["same"].violated, 8);
    }
}

/// Every second pair belongs to the first relation, so the first to crash is pair 0, then 2, 4 and
/// 6.
#[test]
fn a_crash_is_found_with_the_number_of_its_pair() {
    let (summaries, log) = campaign(&CRASHING, &CRASHING, 2);
    for (summary, found) in summaries.iter().zip(&*log.closed.lock().unwrap()) {
        assert_eq!(summary.relations["same"].lost, BTreeMap::from([("crashed".to_owned(), 8)]));
        assert_eq!(summary.relations["other"].held, 8);
        let pairs: Vec<u64> = found.iter().map(|finding| finding.suspect.pair).collect();
        assert_eq!(pairs, [0, 2, 4, 6]);
        for finding in found {
            assert_eq!(finding.suspect.case.relation, "same");
            assert_eq!(sides(&finding.suspect.case), [vec![], vec!["b 0"]]);
        }
    }
}
