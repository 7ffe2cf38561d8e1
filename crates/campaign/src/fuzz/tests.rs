use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use metacov_core::{Facts, Method, Recipe, Rng, SiteId, SiteTable, seed};
use metacov_formats::Error;
use metacov_run::{GroupDone, Observer, RunError, SharedTable};

use super::explore::purpose;
use super::round_runner::RoundRunner;
use super::*;
use crate::finding::Finding;
use crate::scripted::{Effect, Reply, Scene, Scripted, ScriptedTarget, Unchanging};
use crate::worker::link::Link;
use crate::worker::protocol::{decode, encode};

/// Twelve rounds, the last of which is shorter, so that four of them know the results of others.
fn campaign(guidance: &str) -> Campaign {
    Campaign {
        seed: 3,
        relations: vec![0, 1],
        guidance: GUIDANCES.iter().position(|known| known.name() == guidance).unwrap(),
        observes: false,
        examines: false,
        schedule: Schedule { patience: 10, pairs: 100 },
        pairs: Some(1150),
        trial: "t".to_owned(),
    }
}

/// The results of a campaign.
#[derive(Default)]
struct Log {
    records: Mutex<Vec<Record>>,
    live: Mutex<History>,
    /// The pairs that were kept, by place.
    kept: Mutex<BTreeMap<u64, String>>,
    tested: AtomicU64,
    /// The campaign is interrupted after this many rounds.
    rounds_max: Option<usize>,
    interrupted: AtomicBool,
    /// The campaign reaches its time limit after this many pairs.
    pairs_max: Option<u64>,
}

impl CampaignObserver for Log {
    fn tested(&self, pairs: u64) {
        self.tested.fetch_add(pairs, Relaxed);
    }

    fn found(&self, _: &Finding) -> io::Result<()> {
        Ok(())
    }

    fn close(&self, done: &Done) -> Result<(), Error> {
        let mut records = self.records.lock().unwrap();
        records.push(Record::of(done));
        self.live.lock().unwrap().close(done);
        if Some(records.len()) == self.rounds_max {
            self.interrupted.store(true, Relaxed);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.pairs_max.is_some_and(|max| self.tested.load(Relaxed) >= max)
    }
}

impl Observer for Log {
    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        let group = done.outcome.unwrap();
        let covers: Vec<Vec<usize>> = group
            .sides()
            .iter()
            .map(|reading| reading.executed.iter().map(SiteId::index).collect())
            .collect();
        let context = done.context;
        let text = format!("{} {} {covers:?} {context:?}", done.relation, done.pair);
        let before = self.kept.lock().unwrap().insert(done.place, text);
        assert_eq!(before, None, "each pair is kept once");
        Ok(())
    }
}

impl Log {
    fn run(
        &self,
        target: &'static ScriptedTarget,
        campaign: &Campaign,
        workers: usize,
        closed: Vec<KnowledgeDelta>,
    ) {
        let config = ScriptedTarget::config(true);
        let options = target.options(&config, workers, &self.interrupted);
        let table = SharedTable::of(SiteTable::new(), None);
        let triage = || Err(RunError::Failed("not examined".to_owned()));
        fuzz(campaign, &options, closed, table, self, &triage).unwrap();
    }

    fn of(target: &'static ScriptedTarget, campaign: &Campaign, workers: usize) -> Self {
        let log = Log::default();
        log.run(target, campaign, workers, Vec::new());
        log
    }

    fn records(&self) -> Vec<(String, String, Vec<u8>)> {
        let part = |record: &Record| {
            (record.summary.clone(), record.findings.clone(), record.lesson.clone())
        };
        self.records.lock().unwrap().iter().map(part).collect()
    }

    fn lessons(&self) -> Vec<KnowledgeDelta> {
        self.records.lock().unwrap().iter().map(|record| record.lesson().unwrap()).collect()
    }

    fn summaries(&self) -> Vec<Summary> {
        let summary = |record: &Record| serde_json::from_str(&record.summary).unwrap();
        self.records.lock().unwrap().iter().map(summary).collect()
    }

    fn total(&self) -> Summary {
        let mut total = Summary::default();
        self.summaries().iter().for_each(|summary| total.add(summary));
        total
    }

    fn kept(&self) -> BTreeMap<u64, String> {
        self.kept.lock().unwrap().clone()
    }
}

/// Sides run more lines the more often the second mutator has changed the state, and side b of some
/// tests fails, disagrees or crashes.
fn eventful(scene: &Scene<'_>) -> Reply {
    let mut reply = growing(scene);
    reply.effect = match scene.statement.as_bytes() {
        [b'b', .., b'0', b'1'] => Effect::Rows(vec![-1]),
        [b'b', .., b'2'] => Effect::Error(7),
        [b'b', .., b'0', b'3'] => Effect::Crash(11),
        [b'a', .., b'0', b'4'] => Effect::Exit(9),
        [b'a', .., b'0', b'5'] => Effect::Hang,
        _ => return reply,
    };
    reply
}

fn growing(scene: &Scene<'_>) -> Reply {
    let mut reply = Reply::usual(scene);
    if scene.statement.starts_with("a ") {
        let changes = scene.state.iter().filter(|step| step.starts_with("make two")).count();
        reply.lines.push(40 + u32::try_from(changes.min(20)).unwrap());
    }
    reply
}

static USUAL: ScriptedTarget = ScriptedTarget { method: &Scripted, script: Reply::usual };
static GROWING: ScriptedTarget = ScriptedTarget { method: &Scripted, script: growing };
static EVENTFUL: ScriptedTarget = ScriptedTarget { method: &Scripted, script: eventful };

#[test]
fn the_same_seed_gives_the_same_campaign_whatever_the_number_of_workers() {
    for guidance in GUIDANCES {
        let campaign = Campaign { observes: true, ..campaign(guidance.name()) };
        let (one, three) = (Log::of(&EVENTFUL, &campaign, 1), Log::of(&EVENTFUL, &campaign, 3));
        assert_eq!(one.records().len(), 12);
        assert_eq!(one.records(), three.records(), "{}", guidance.name());
        assert_eq!(one.kept(), three.kept());
        assert!(!one.kept().is_empty());
        assert_eq!(one.total().pairs, 1150);
        assert_eq!(one.tested.load(Relaxed), 1150);
        assert_eq!(one.live.lock().unwrap().curve, three.live.lock().unwrap().curve);
    }
}

#[test]
fn an_interrupted_campaign_resumes_from_its_records() {
    let campaign = campaign("mix");
    let whole = Log::of(&EVENTFUL, &campaign, 3);
    for (rounds, workers) in [(1, 3), (5, 1), (9, 3)] {
        let cut = Log { rounds_max: Some(rounds), ..Log::default() };
        cut.run(&EVENTFUL, &campaign, workers, Vec::new());
        let begun = cut.records();
        // Complete rounds that waited for the last one are closed with it.
        assert!(begun.len() == rounds || workers > 1 && begun.len() > rounds);
        assert_eq!(begun, whole.records()[..begun.len()]);
        let rest = Log::default();
        rest.run(&EVENTFUL, &campaign, workers, cut.lessons());
        assert_eq!(rest.records(), whole.records()[begun.len()..]);
        let mut kept = cut.kept();
        kept.extend(rest.kept());
        assert_eq!(kept, whole.kept());
    }
}

#[test]
fn stored_rounds_add_up_to_the_live_history() {
    let log = Log::of(&EVENTFUL, &campaign("mix"), 2);
    let mut stored = History::default();
    for record in &*log.records.lock().unwrap() {
        stored.add(record).unwrap();
    }
    let live = log.live.lock().unwrap();
    assert_eq!(stored.curve, live.curve);
    assert_eq!(stored.curve.len(), 12);
    assert_eq!(stored.stand(), live.stand());
    assert!(stored.stand().differing > 0 && stored.stand().executed > 0);
    assert_eq!(stored.findings, live.findings);
    let json = |summary: &Summary| serde_json::to_string(summary).unwrap();
    assert_eq!(json(&stored.summary), json(&live.summary));
    let record = Record { summary: "{".to_owned(), findings: "[]".to_owned(), lesson: Vec::new() };
    assert!(stored.add(&record).is_err(), "a record that cannot be read is an error");
}

#[test]
fn knowledge_survives_encode_and_decode() {
    let lessons = Log::of(&GROWING, &campaign("mix"), 1).lessons();
    assert!(lessons.iter().any(|lesson| !lesson.rewards.is_empty()));
    assert!(lessons.iter().any(|lesson| !lesson.precedents.is_empty()));
    for lesson in lessons {
        let arrived: KnowledgeDelta = decode(&encode(&lesson)).unwrap();
        assert_eq!(format!("{arrived:?}"), format!("{lesson:?}"));
    }
}

/// Calls a function with a runner that knows nothing yet.
fn with_runner<R>(
    target: &'static ScriptedTarget,
    run: impl FnOnce(RoundRunner<'_, '_>) -> R,
) -> R {
    let (log, campaign, config) = (Log::default(), campaign("none"), ScriptedTarget::config(true));
    let options = target.options(&config, 1, &log.interrupted);
    let triage = || Err(RunError::Failed("not examined".to_owned()));
    run(RoundRunner {
        campaign: &campaign,
        options: &options,
        observer: &log,
        triage: &triage,
        started: None,
        worker: None,
        known: Knowledge::default(),
    })
}

#[test]
fn a_round_is_sent_what_is_new_and_not_all_that_is_known() {
    let mut much = KnowledgeDelta::default();
    for plan in 0..10_000 {
        much.looked.plans.insert(plan);
    }
    let (much, nothing) = (Arc::new(much), Arc::new(KnowledgeDelta::default()));
    with_runner(&USUAL, |mut runner| {
        let mut sent = Vec::new();
        for number in 0..12 {
            let news = match number {
                ..ROUND_LAG => Vec::new(),
                ROUND_LAG => vec![Arc::clone(&much)],
                _ => vec![Arc::clone(&nothing)],
            };
            runner.round(number, &news).unwrap();
            let Some(Link::Thread(worker)) = runner.worker.as_ref().map(|worker| &worker.link)
            else {
                panic!("no worker");
            };
            sent.push(worker.sent);
        }
        let bytes: Vec<usize> = sent.windows(2).map(|two| two[1] - two[0]).collect();
        let [before @ .., much, first, second, last] = &bytes[..] else { panic!("{bytes:?}") };
        assert!(before.iter().chain([first, second, last]).all(|bytes| *bytes < 100), "{bytes:?}");
        assert!([second, last].iter().all(|bytes| *bytes == first), "{bytes:?}");
        assert!(*much > 10_000, "{bytes:?}");
    });
}

/// By number of the round: how many rounds it knows.
#[test]
fn a_round_knows_the_rounds_up_to_the_lag_before_it_and_no_others() {
    for (number, rounds) in [(0, 0), (7, 0), (8, 1), (9, 2), (11, 4)] {
        for taught in 0..6 {
            let nothing = Arc::new(KnowledgeDelta::default());
            let news = vec![nothing; taught];
            let done = with_runner(&USUAL, |mut runner| runner.round(number, &news));
            match done {
                Ok(_) => assert_eq!(taught, rounds, "round {number}"),
                Err(error) => {
                    assert_ne!(taught, rounds, "round {number}: {error}");
                    let what = format!("the worker knows {taught} rounds instead of {rounds}");
                    assert_eq!(error.to_string(), what);
                }
            }
        }
    }
}

/// The expected counts of a campaign without variants, from the tests that the method makes.
fn expected_counts(campaign: &Campaign) -> BTreeMap<String, Counts> {
    let mut expected: BTreeMap<String, Counts> = BTreeMap::new();
    let subject = Scripted.subject(&Facts::default());
    for place in 0..campaign.pairs.unwrap() {
        let (round, number) = (place / campaign.schedule.pairs, place % campaign.schedule.pairs);
        let relation = usize::try_from(number).unwrap() % 2;
        let recipe = Recipe::new(seed(&[campaign.seed, round, number, purpose::TEST]));
        let test = subject.derive(relation, &mut Rng::following(&recipe));
        let counts = expected.entry(["same", "other"][relation].to_owned()).or_default();
        let statement = &test.sides.b[0].statements[0];
        match statement.as_bytes() {
            [.., b'0', b'1'] => counts.violated += 1,
            [.., b'2'] => {
                let reason = "only the second side failed (code 7)".to_owned();
                *counts.invalid.entry(reason).or_default() += 1;
            }
            [.., b'0', b'3' | b'4'] => *counts.lost.entry("crashed".to_owned()).or_default() += 1,
            [.., b'0', b'5'] => *counts.lost.entry("timed out".to_owned()).or_default() += 1,
            _ => counts.held += 1,
        }
    }
    expected
}

#[test]
fn pairs_are_counted_by_verdict_and_lost_pairs_once() {
    let campaign = campaign("none");
    let total = Log::of(&EVENTFUL, &campaign, 2).total();
    let expected = expected_counts(&campaign);
    assert_eq!(total.relations, expected);
    let lost: u64 = expected.values().flat_map(|counts| counts.lost.values()).sum();
    assert!(lost > 3);
    // A lost worker is followed by a cautious one, which is lost at the same pair.
    assert_eq!(total.restarts, 2 * lost);
    let counted = |counts: &Counts| {
        let others = counts.invalid.values().chain(counts.lost.values()).sum::<u64>();
        counts.held + counts.violated + others
    };
    assert_eq!(total.relations.values().map(counted).sum::<u64>(), 1150);
}

#[test]
fn a_mutator_that_leads_to_new_coverage_is_rewarded_more() {
    let log = Log::of(&GROWING, &campaign("mcg"), 2);
    let mut sums = [0.0; 2];
    for (mutator, reward) in log.lessons().into_iter().flat_map(|lesson| lesson.rewards) {
        sums[mutator] += reward;
    }
    assert!(sums[1] > sums[0], "{sums:?}");
    assert!(sums[1] > 0.0);
}

/// A mutator is rewarded before the next change, so a crash after that change does not undo it.
#[test]
fn every_change_except_the_last_of_a_round_is_rewarded() {
    for target in [&GROWING, &EVENTFUL] {
        let log = Log::of(target, &campaign("mcg"), 2);
        for (summary, lesson) in log.summaries().iter().zip(log.lessons()) {
            assert!(summary.changes > 2);
            assert_eq!(lesson.rewards.len() as u64, summary.changes - 1);
        }
    }
}

#[test]
fn a_method_without_mutators_does_not_change_states() {
    static TARGET: ScriptedTarget = ScriptedTarget { method: &Unchanging, script: eventful };
    for guidance in ["none", "mix"] {
        let log = Log::of(&TARGET, &campaign(guidance), 2);
        let total = log.total();
        assert_eq!((total.pairs, total.changes), (1150, 0));
        assert!(log.lessons().iter().all(|lesson| lesson.rewards.is_empty()));
    }
}

/// A state with a 3 cannot be created, nor changed to one.
fn unmakeable(scene: &Scene<'_>) -> Reply {
    match scene.statement.as_bytes() {
        [b'm', .., b'3'] => Reply::with(scene, Effect::Crash(6)),
        _ => Reply::usual(scene),
    }
}

#[test]
fn a_round_ends_if_its_state_cannot_be_created_or_changed() {
    static TARGET: ScriptedTarget = ScriptedTarget { method: &Scripted, script: unmakeable };
    let log = Log::of(&TARGET, &campaign("none"), 2);
    let summaries = log.summaries();
    assert_eq!(summaries.len(), 12);
    let crashed = BTreeMap::from([("crashed".to_owned(), 1)]);
    let (mut at_once, mut later) = (0, 0);
    for summary in &summaries {
        match summary.relations.get("setup") {
            Some(counts) => {
                assert_eq!(counts.lost, crashed);
                assert_eq!(summary.restarts, 2);
                // A change comes after ten pairs without anything new.
                assert_eq!(summary.pairs, 10 * (summary.changes + u64::from(summary.pairs > 0)));
                *(if summary.pairs == 0 { &mut at_once } else { &mut later }) += 1;
            }
            None => assert_eq!(summary.restarts, 0),
        }
    }
    assert!(at_once > 0 && later > 0, "{at_once} and {later}");
    assert_eq!(log.total().pairs, log.tested.load(Relaxed));
}

#[test]
fn a_campaign_at_its_time_limit_closes_its_round_early() {
    let log = Log { pairs_max: Some(1), ..Log::default() };
    let campaign =
        Campaign { schedule: Schedule { patience: 1000, pairs: 200 }, ..campaign("none") };
    log.run(&USUAL, &campaign, 1, Vec::new());
    let summaries = log.summaries();
    assert_eq!(summaries.len(), 1);
    assert_eq!(summaries[0].pairs, 64, "one report of the worker");
}

#[test]
fn pairs_with_new_coverage_are_kept_with_their_covers() {
    let log = Log::of(&USUAL, &campaign("mcg"), 2);
    let kept = log.kept();
    let first = &kept[&0];
    assert!(first.starts_with("same t-0-0 "), "{first}");
    // Setups have at most ten lines, sides have ten each.
    assert!(kept.len() < 400);
    let stand = log.live.lock().unwrap().stand();
    assert_eq!(stand.pairs, 1150);
    assert_eq!(
        stand.differing, 30,
        "both sides run ten lines that the other does not, and a ten more"
    );
}
