//! How long deriving and judging a test takes, by relation, compared with running it on SQLite.
//!
//! `cargo bench -p metacov-methods` prints microseconds per test; it checks no limits.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::cast_precision_loss, reason = "counts are small")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "../tests/on_sqlite/sqlite.rs"]
mod sqlite;

use std::hint::black_box;
use std::time::{Duration, Instant};

use metacov_core::{Outcome, Pair, Rng, Test};
use metacov_methods::sql::sqlite::{Database, Dialect, RELATIONS, Relation};

const DATABASES: u64 = 60;
const TESTS_EACH: u32 = 40;
/// Each time is the shortest of this many runs.
const ROUNDS: usize = 5;

fn main() {
    let built: Vec<(u64, sqlite::Built)> =
        (0..DATABASES).map(|seed| (seed, sqlite::build(&mut Rng::new(seed)))).collect();
    let statements: usize = built.iter().map(|(_, built)| built.log.len()).sum();
    println!(
        "{DATABASES} databases of {statements} statements, {TESTS_EACH} tests of each relation on each"
    );
    let ((), made) = fastest(|| (0..DATABASES).for_each(|seed| drop(black_box(database(seed)))));
    let each = made.as_secs_f64() * 1e6 / statements as f64;
    println!("{each:.2} µs to make a statement of a database\n");
    println!(
        "{:16} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "µs per test", "derive", "bytes", "judge", "sqlite", "median"
    );
    for relation in RELATIONS {
        show(relation, &built);
    }
}

/// A database whose statements all work, without running them.
fn database(seed: u64) -> Database {
    let mut rng = Rng::new(seed);
    let mut database = Database::new(Dialect::SQLITE);
    while database.next_statement(&mut rng).is_some() {
        database.accept();
    }
    database
}

fn show(relation: &Relation, built: &[(u64, sqlite::Built)]) {
    let mut sums = [Duration::ZERO; 2];
    let mut runs = Vec::new();
    let mut bytes = 0;
    for (seed, database) in built {
        let schema = database.database.schema();
        let derive = || -> Vec<Test> {
            let mut rng = Rng::new(*seed);
            (0..TESTS_EACH).map(|_| relation.derive(schema, &mut rng)).collect()
        };
        let (tests, derived) = fastest(derive);
        let run = |test| {
            let (outcomes, time) = once(|| database.sqlite.outcomes(test));
            runs.push(time);
            outcomes
        };
        let outcomes: Vec<Pair<Vec<Outcome>>> = tests.iter().map(run).collect();
        let judge = || {
            for (test, outcomes) in tests.iter().zip(&outcomes) {
                black_box(test.judge.judge(outcomes));
            }
        };
        let ((), judged) = fastest(judge);
        sums[0] += derived;
        sums[1] += judged;
        bytes += tests.iter().map(size).sum::<usize>();
    }
    let count = runs.len() as f64;
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let [derived, judged] = sums.map(|sum| micros(sum) / count);
    let ran = micros(runs.iter().sum()) / count;
    runs.sort_unstable();
    let median = micros(runs[runs.len() / 2]);
    let (name, bytes) = (relation.info.name, bytes as f64 / count);
    println!("{name:16} {derived:8.2} {bytes:8.0} {judged:8.2} {ran:8.2} {median:8.2}");
}

/// The length of a test's text.
fn size(test: &Test) -> usize {
    let sides = [&test.sides.a, &test.sides.b];
    sides.into_iter().flatten().flat_map(|input| &input.statements).map(String::len).sum()
}

fn once<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = run();
    (result, start.elapsed())
}

/// The shortest of a few runs, which is least disturbed by other processes.
fn fastest<T>(run: impl Fn() -> T) -> (T, Duration) {
    let (mut result, mut least) = once(&run);
    for _ in 1..ROUNDS {
        let (again, time) = once(&run);
        result = again;
        least = least.min(time);
    }
    (result, least)
}
