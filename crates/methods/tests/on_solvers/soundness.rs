//! Many tests of each relation on two solvers: no relation is violated, and the solvers agree.
//!
//! `METACOV_SMT_TESTS=30000 METACOV_SMT_SEEDS=DIR cargo test --release -p metacov-methods --test
//! on_solvers soundness -- --ignored --nocapture` prints the counts. Without `METACOV_SMT_SEEDS`,
//! tests are derived from the embedded formulas.

#![expect(clippy::print_stderr, reason = "counts are printed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use metacov_core::{Facts, Input, Rng, Test, Verdict};
use metacov_methods::SMT;
use metacov_methods::smt::{SEED_FACT, Seed, texts};

use super::outcome;
use super::solver::{CVC5, Solver, Z3};

const SOLVERS: [Solver; 2] = [Z3, CVC5];

/// The longest time for an input. What needs more is not judged.
const TIME_MAX: Duration = Duration::from_millis(150);

/// How many tests are run at a time.
const BLOCK: u64 = 500;

/// Relations of which the options of one solver are no part.
const RELATIONS: [&str; 3] = ["yinyang-sat", "yinyang-unsat", "sae"];

#[test]
#[ignore = "runs for as long as METACOV_SMT_TESTS says"]
fn soundness() {
    let variable = |name: &str| std::env::var(name).ok();
    let count = variable("METACOV_SMT_TESTS").map_or(1000, |count| count.parse().unwrap());
    let first: u64 = variable("METACOV_SMT_FIRST").map_or(0, |first| first.parse().unwrap());
    let wanted = variable("METACOV_SMT_RELATIONS");
    let wanted = wanted.as_deref().map_or(RELATIONS.to_vec(), |names| names.split(',').collect());
    let mut runner = Runner::default();
    let facts = runner.seeds(variable("METACOV_SMT_SEEDS").map(PathBuf::from).as_deref());
    let subject = SMT.subject(&facts);
    let mut violations = 0;
    for name in wanted {
        let relation = SMT.relations().iter().position(|relation| relation.name == name).unwrap();
        let mut counts = Counts::default();
        for block in (first..first + count).step_by(BLOCK.try_into().unwrap()) {
            let numbers = block..(block + BLOCK).min(first + count);
            let tests: Vec<Test> =
                numbers.map(|number| subject.derive(relation, &mut Rng::new(number))).collect();
            runner.run(&tests, &mut counts);
            eprintln!("{name}: {counts:?}");
        }
        violations += counts.violated.iter().sum::<u64>() + counts.contradicted;
    }
    assert_eq!(violations, 0, "violations are printed above");
}

/// The results of the tests of one relation.
#[derive(Debug, Default)]
struct Counts {
    tests: u64,
    /// Tests whose second side no earlier one has.
    distinct: u64,
    /// Tests that hold by the answers of both solvers.
    held_on_both: u64,
    /// By solver.
    held: [u64; 2],
    violated: [u64; 2],
    /// Tests that each solver has no verdict on.
    undecided: [u64; 2],
    /// Second sides that both solvers decide, in the same way.
    agreed: u64,
    /// Inputs that both solvers decide, in different ways.
    contradicted: u64,
}

/// Runs scripts, each once.
#[derive(Default)]
struct Runner {
    answers: BTreeMap<String, [String; 2]>,
    /// The scripts of first sides.
    seeds: BTreeSet<String>,
    /// The scripts of second sides that were run, as hashes.
    seen: BTreeSet<u64>,
}

impl Runner {
    /// Returns the embedded seeds that a solver decides in time, and those below a folder that both
    /// do: another one would take all of its time in most of its tests. Without those that a solver
    /// contradicts.
    fn seeds(&mut self, folder: Option<&Path>) -> Facts {
        let mut seeds = texts();
        let embedded: BTreeSet<String> = seeds.iter().map(|(name, _)| name.clone()).collect();
        for path in folder.map(scripts).unwrap_or_default() {
            let Ok(text) = fs::read_to_string(&path) else { continue };
            seeds.push((path.display().to_string(), text));
        }
        seeds.retain(|(name, text)| Seed::read(name, text).is_ok());
        let all = seeds.len();
        // As tests have them: in the logic of all theories, without a status.
        let script = |name: &str, text: &str| {
            SMT.language().script(&Seed::read(name, text).unwrap().input().statements)
        };
        self.ask(seeds.iter().map(|(name, text)| script(name, text)).collect());
        let (mut contradicted, mut logics) = (0, BTreeMap::<String, u64>::new());
        seeds.retain(|(name, text)| {
            let seed = Seed::read(name, text).unwrap();
            let answers = self.answers[&script(name, text)].iter().map(String::as_str);
            let decisions: Vec<&str> =
                answers.filter(|answer| ["sat", "unsat"].contains(answer)).collect();
            let wanted = if embedded.contains(name) { 1 } else { SOLVERS.len() };
            let is_decided = decisions.len() >= wanted;
            let is_right = decisions
                .iter()
                .all(|answer| seed.label.is_none_or(|label| label.answer() == *answer));
            if !is_right {
                contradicted += 1;
                eprintln!("{name}: {decisions:?}, not {:?}", seed.label);
            }
            let is_used = is_decided && is_right;
            *logics.entry(seed.logic.unwrap_or_default()).or_default() += u64::from(is_used);
            is_used
        });
        logics.retain(|_, count| *count > 0);
        eprintln!(
            "{} of {all} seeds are decided, {contradicted} contradicted; {logics:?}",
            seeds.len()
        );
        self.answers.clear();
        seeds.into_iter().map(|(name, text)| (format!("{SEED_FACT}{name}"), text)).collect()
    }

    fn ask(&mut self, mut scripts: Vec<String>) {
        scripts.sort();
        scripts.dedup();
        scripts.retain(|script| !self.answers.contains_key(script));
        let texts: Vec<&str> = scripts.iter().map(String::as_str).collect();
        let [a, b] = SOLVERS.map(|solver| solver.answers(&texts, TIME_MAX));
        let both = a.into_iter().zip(b).map(|(a, b)| [a, b]);
        self.answers.extend(scripts.into_iter().zip(both));
    }

    fn run(&mut self, tests: &[Test], counts: &mut Counts) {
        let script = |statements: &[String]| SMT.language().script(statements);
        let inputs = |test: &Test| -> Vec<String> {
            test.sides
                .a
                .iter()
                .chain(&test.sides.b)
                .map(|input| script(&input.statements))
                .collect()
        };
        self.ask(tests.iter().flat_map(inputs).collect());
        for test in tests {
            counts.tests += 1;
            let second: Vec<String> =
                test.sides.b.iter().map(|input| script(&input.statements)).collect();
            counts.distinct += u64::from(self.seen.insert(hash(&second)));
            let mut holds = [false; 2];
            for (at, solver) in SOLVERS.iter().enumerate() {
                let answer = |input: &Input| outcome(&self.answers[&script(&input.statements)][at]);
                let outcomes =
                    test.sides.as_ref().map(|side| side.iter().map(answer).collect::<Vec<_>>());
                match test.judge.judge(&outcomes) {
                    Verdict::Holds => {
                        counts.held[at] += 1;
                        holds[at] = true;
                    }
                    Verdict::Violated(how) => {
                        counts.violated[at] += 1;
                        eprintln!("{}: {how}: {}", solver.name, shown(&inputs(test)));
                    }
                    Verdict::Invalid(_) | Verdict::Lost { .. } => counts.undecided[at] += 1,
                }
            }
            counts.held_on_both += u64::from(holds == [true, true]);
            for input in inputs(test) {
                match self.answers[&input].each_ref().map(String::as_str) {
                    ["sat", "sat"] | ["unsat", "unsat"] => {
                        counts.agreed += u64::from(second.contains(&input));
                    }
                    ["sat", "unsat"] | ["unsat", "sat"] => {
                        counts.contradicted += 1;
                        eprintln!("{:?}: {}", self.answers[&input], shown(&[input]));
                    }
                    _ => {}
                }
            }
        }
        // Seeds come again, other scripts do not.
        let seeds = tests.iter().flat_map(|test| &test.sides.a);
        self.seeds.extend(seeds.map(|input| script(&input.statements)));
        self.answers.retain(|script, _| self.seeds.contains(script));
    }
}

fn hash(scripts: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    scripts.hash(&mut hasher);
    hasher.finish()
}

fn shown(scripts: &[String]) -> String {
    scripts.join("\n;---\n")
}

/// The scripts below a folder, in the order of their paths.
fn scripts(folder: &Path) -> Vec<PathBuf> {
    let (mut scripts, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(&below).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "smt2") {
                scripts.push(path);
            }
        }
    }
    scripts.sort();
    scripts
}
