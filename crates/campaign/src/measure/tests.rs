use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use metacov_core::{
    Element, Exit, Facts, Failure, Method as _, Missing, Outcome, Pair, Rng, SiteTable, seed,
};
use metacov_run::GroupDone;

use super::*;
use crate::scripted::{Effect, Reply, Scene, Scripted, ScriptedTarget};

fn plan() -> TestPlan {
    TestPlan { seed: 7, relations: vec![0, 1], pairs: 24, subjects: 5 }
}

/// A group as an observer hears of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Noted {
    relation: String,
    pair: String,
    /// The side that has no cover, and why.
    missing: Option<(usize, Missing)>,
    inputs: String,
}

/// What was measured.
struct Measured {
    suite: Suite,
    log: RunLog,
    groups: BTreeMap<u64, Noted>,
}

/// Notes groups by place, and does not want those that are known.
#[derive(Default)]
struct Notes {
    known: BTreeSet<u64>,
    groups: Mutex<BTreeMap<u64, Noted>>,
}

impl Observer for Notes {
    fn is_done(&self, place: u64, _: &str, _: &str) -> Result<bool, Error> {
        Ok(self.known.contains(&place))
    }

    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        let noted = Noted {
            relation: done.relation.to_owned(),
            pair: done.pair.to_owned(),
            missing: done.outcome.as_ref().err().map(|(side, missing)| (*side, (*missing).clone())),
            inputs: format!("{:?}", done.context.inputs),
        };
        let before = self.groups.lock().unwrap().insert(done.place, noted);
        assert_eq!(before, None, "each group is heard of once");
        Ok(())
    }
}

fn measured_but(target: &'static ScriptedTarget, workers: usize, known: &[u64]) -> Measured {
    let (config, interrupted) = (ScriptedTarget::config(true), AtomicBool::new(false));
    let options = target.options(&config, workers, &interrupted);
    let notes = Notes { known: known.iter().copied().collect(), ..Notes::default() };
    let table = SharedTable::of(SiteTable::new(), None);
    let (suite, log) = measure(&plan(), &options, table, &notes).unwrap();
    Measured { suite, log, groups: notes.groups.into_inner().unwrap() }
}

fn measured(target: &'static ScriptedTarget, workers: usize) -> Measured {
    measured_but(target, workers, &[])
}

/// A pair of the plan, as the method makes it.
struct Expected {
    place: u64,
    setup: Vec<String>,
    sides: Pair<String>,
}

impl Expected {
    /// The last digit of its number.
    fn digit(&self) -> u8 {
        self.sides.a.bytes().last().unwrap() - b'0'
    }
}

/// All pairs of the plan, by place.
fn expected() -> Vec<Expected> {
    let plan = plan();
    let mut all = Vec::new();
    for subject in 0..plan.subjects {
        let mut rng = Rng::new(seed(&[plan.seed, subject]));
        let mut state = Scripted.subject(&Facts::default());
        let mut setup = Vec::new();
        while let Some(step) = state.next_setup(&mut rng) {
            state.accept(&Outcome::Rows(Vec::new()));
            setup.push(step.statement);
        }
        for (relation, number) in plan.tests(subject) {
            let mut rng = Rng::new(seed(&[plan.seed, subject, relation as u64, number]));
            let sides = state.derive(relation, &mut rng).sides;
            let sides = sides.map(|inputs| inputs[0].statements[0].clone());
            let place = relation as u64 * plan.pairs + number;
            all.push(Expected { place, setup: setup.clone(), sides });
        }
    }
    all.sort_by_key(|pair| pair.place);
    all
}

/// The lines in the differences of pairs, both sides of which have run their setup.
fn mc<'p>(pairs: impl IntoIterator<Item = &'p Expected>) -> BTreeSet<u32> {
    let lines =
        |statement: &str| Reply::usual(&Scene { state: &[], statement, is_measured: true }).lines;
    let mut mc = BTreeSet::new();
    for Expected { setup, sides, .. } in pairs {
        let setup: BTreeSet<u32> = setup.iter().flat_map(|step| lines(step)).collect();
        let sides = sides.as_ref().map(|side| BTreeSet::from_iter(lines(side)));
        mc.extend(sides.a.symmetric_difference(&sides.b).filter(|line| !setup.contains(line)));
    }
    mc
}

fn measured_mc(suite: &Suite) -> BTreeSet<u32> {
    let mc_sites = suite.total().mc_sites();
    let sites = mc_sites.iter().map(|id| suite.table.get(id));
    sites.filter(|site| site.element == Element::Line).map(|site| site.line - 1).collect()
}

/// The places of the pairs that an observer heard to be missing, and how.
fn missing(groups: &BTreeMap<u64, Noted>) -> BTreeMap<u64, (usize, Failure, Exit)> {
    let missing = groups.iter().filter_map(|(place, noted)| {
        let (side, missing) = noted.missing.as_ref()?;
        Some((*place, (*side, missing.failure, missing.exit)))
    });
    missing.collect()
}

#[test]
fn the_suite_has_the_metamorphic_coverage_that_the_script_says() {
    static TARGET: ScriptedTarget = ScriptedTarget { method: &Scripted, script: Reply::usual };
    let expected = expected();
    for workers in [1, 3] {
        let Measured { suite, log, groups } = measured(&TARGET, workers);
        assert_eq!(measured_mc(&suite), mc(&expected));
        assert_eq!(suite.relations.keys().collect::<Vec<_>>(), ["other", "same"]);
        assert!(suite.relations.values().all(|tally| tally.pairs == 24));
        assert_eq!(groups.len(), 48);
        for pair in &expected {
            let noted = &groups[&pair.place];
            assert_eq!(noted.pair, (pair.place % 24).to_string());
            assert_eq!(noted.relation, ["same", "other"][usize::from(pair.place >= 24)]);
            assert!(
                noted.inputs.contains(&format!("{:?}", format!("{}\n", pair.sides.a).as_bytes()))
            );
        }
        assert_eq!(log.successes.by_kind["step"].tried, 15);
        assert_eq!(log.successes.by_kind["same b"].worked, 24);
    }
}

/// Side b of a test whose number ends in 3 ends the process of the tests, in 4 the worker.
fn crashing(scene: &Scene<'_>) -> Reply {
    let effect = match scene.statement.as_bytes() {
        [b'b', .., b'3'] => Effect::Crash(11),
        [b'b', .., b'4'] => Effect::Exit(9),
        _ => return Reply::usual(scene),
    };
    Reply::with(scene, effect)
}

#[test]
fn a_crash_costs_one_pair_and_the_next_worker_goes_on_after_it() {
    static TARGET: ScriptedTarget = ScriptedTarget { method: &Scripted, script: crashing };
    let expected = expected();
    let lost = expected.iter().filter_map(|pair| match pair.digit() {
        3 => Some((pair.place, (1, Failure::Crashed, Exit::Signalled(11)))),
        4 => Some((pair.place, (1, Failure::Crashed, Exit::Failure(9)))),
        _ => None,
    });
    let lost: BTreeMap<_, _> = lost.collect();
    let exits: BTreeSet<Exit> = lost.values().map(|(.., exit)| *exit).collect();
    assert_eq!(exits.len(), 2, "the plan has both kinds");
    for workers in [1, 3] {
        let Measured { suite, log, groups } = measured(&TARGET, workers);
        assert_eq!(missing(&groups), lost);
        assert_eq!(groups.len(), 48);
        let rest = expected.iter().filter(|pair| !lost.contains_key(&pair.place));
        assert_eq!(measured_mc(&suite), mc(rest));
        assert_eq!(suite.total().failed(Failure::Crashed), lost.len() as u64);
        let sides = ["same", "other"].map(|name| log.successes.by_kind[&format!("{name} a")]);
        assert_eq!(sides.iter().map(|side| side.worked).sum::<u64>(), 48, "side a came to its end");
        for place in lost.keys() {
            let pair = &expected[usize::try_from(*place).unwrap()];
            let input = format!("{:?}", format!("{}\n", pair.sides.b).as_bytes());
            assert!(groups[place].inputs.contains(&input), "which pair it was is known");
        }
    }
}

/// However often a state is made because workers are lost, its statements were generated once.
#[test]
fn the_statements_of_a_state_are_counted_once() {
    static TARGET: ScriptedTarget = ScriptedTarget { method: &Scripted, script: crashing };
    let log = measured(&TARGET, 1).log;
    assert_eq!(log.successes.by_kind["step"].tried, 3 * plan().subjects);
}

/// A state with a 3 cannot be made.
fn unmakeable(scene: &Scene<'_>) -> Reply {
    match scene.statement {
        "make 3" => Reply::with(scene, Effect::Crash(6)),
        _ => Reply::usual(scene),
    }
}

#[test]
fn a_crash_while_a_state_is_made_loses_the_pairs_on_it() {
    static TARGET: ScriptedTarget = ScriptedTarget { method: &Scripted, script: unmakeable };
    let expected = expected();
    let (lost, rest): (Vec<_>, Vec<_>) =
        expected.iter().partition(|pair| pair.setup.contains(&"make 3".to_owned()));
    assert!(!lost.is_empty() && !rest.is_empty());
    for workers in [1, 3] {
        let Measured { suite, groups, .. } = measured(&TARGET, workers);
        let how = (0, Failure::Crashed, Exit::Signalled(6));
        assert_eq!(missing(&groups), lost.iter().map(|pair| (pair.place, how)).collect());
        for pair in &lost {
            let (_, missing) = groups[&pair.place].missing.as_ref().unwrap();
            assert_eq!(missing.output_tail, "while its database was made");
        }
        assert_eq!(measured_mc(&suite), mc(rest.iter().copied()));
    }
}

/// Side a of a test whose number ends in 5 does not come back.
fn hanging(scene: &Scene<'_>) -> Reply {
    match scene.statement.as_bytes() {
        [b'a', .., b'5'] => Reply::with(scene, Effect::Hang),
        _ => Reply::usual(scene),
    }
}

#[test]
fn a_pair_that_does_not_come_back_has_timed_out() {
    static TARGET: ScriptedTarget = ScriptedTarget { method: &Scripted, script: hanging };
    let late = expected().into_iter().filter(|pair| pair.digit() == 5);
    let late: BTreeMap<_, _> =
        late.map(|pair| (pair.place, (0, Failure::TimedOut, Exit::Timeout))).collect();
    assert!(!late.is_empty());
    let Measured { suite, groups, .. } = measured(&TARGET, 2);
    assert_eq!(missing(&groups), late);
    assert_eq!(suite.total().groups, 48 - late.len() as u64);
}

/// A test whose number ends in 1 fails on side a, in 2 on side b, and in 3 on both.
fn failing(scene: &Scene<'_>) -> Reply {
    match scene.statement.as_bytes() {
        [b'a', .., b'1' | b'3'] => Reply::with(scene, Effect::Error(4)),
        [b'b', .., b'2' | b'3'] => Reply::with(scene, Effect::Error(5)),
        _ => Reply::usual(scene),
    }
}

#[test]
fn a_pair_that_says_nothing_has_the_side_that_failed_and_a_reason() {
    static TARGET: ScriptedTarget = ScriptedTarget { method: &Scripted, script: failing };
    let expected = expected();
    let Measured { suite, groups, .. } = measured(&TARGET, 2);
    let mut kinds = BTreeSet::new();
    for pair in &expected {
        let missing = groups[&pair.place].missing.as_ref();
        let noted = missing.map(|(side, missing)| (*side, missing.output_tail.as_str()));
        let reason = match pair.digit() {
            1 => Some((0, "only the first side failed (code 4)")),
            2 => Some((1, "only the second side failed (code 5)")),
            3 => Some((0, "both sides failed (codes 4 and 5)")),
            _ => None,
        };
        assert_eq!(noted, reason, "{}", pair.sides.a);
        assert!(missing.is_none_or(|(_, missing)| missing.failure == Failure::Invalid));
        kinds.insert(reason);
    }
    assert_eq!(kinds.len(), 4, "the plan has all kinds");
    assert_eq!(
        measured_mc(&suite),
        mc(expected.iter().filter(|pair| !(1..=3).contains(&pair.digit())))
    );
}

#[test]
fn pairs_that_are_known_are_not_run_again() {
    static TARGET: ScriptedTarget = ScriptedTarget { method: &Scripted, script: Reply::usual };
    let known: Vec<u64> = (0..48).filter(|place| place % 5 != 0).collect();
    let Measured { suite, groups, .. } = measured_but(&TARGET, 3, &known);
    assert!(groups.keys().copied().eq((0..48).filter(|place| place % 5 == 0)));
    let rest = expected().into_iter().filter(|pair| pair.place % 5 == 0).collect::<Vec<_>>();
    assert_eq!(measured_mc(&suite), mc(&rest));
}

#[test]
fn an_interrupt_ends_it_without_an_error() {
    static TARGET: ScriptedTarget = ScriptedTarget { method: &Scripted, script: Reply::usual };
    let (config, interrupted) = (ScriptedTarget::config(true), AtomicBool::new(true));
    let options = TARGET.options(&config, 2, &interrupted);
    let table = SharedTable::of(SiteTable::new(), None);
    let (suite, _) = measure(&plan(), &options, table, &()).unwrap();
    assert_eq!(suite.total().all_groups(), 0);
}
