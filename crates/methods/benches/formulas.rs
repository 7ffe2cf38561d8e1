//! How many tests of solvers are derived in a second, by relation, to a sink that discards them.
//!
//! `cargo bench -p metacov-methods --bench formulas` prints the figures; it checks no limits.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use metacov_core::{Facts, Rng};
use metacov_methods::SMT;

/// Each figure is the best of this many runs.
const ROUNDS: usize = 5;
const TESTS: u32 = 2000;

fn main() {
    let subject = SMT.subject(&Facts::new());
    println!("{:16} {:>9} {:>11}", "relation", "tests/s", "bytes/test");
    for (at, relation) in SMT.relations().iter().enumerate() {
        let (mut best, mut bytes) = (Duration::MAX, 0);
        for _ in 0..ROUNDS {
            let start = Instant::now();
            bytes = 0;
            for number in 0..TESTS {
                let test = subject.derive(at, &mut Rng::new(number.into()));
                for input in test.sides.a.iter().chain(&test.sides.b) {
                    bytes += black_box(SMT.language().script(&input.statements)).len();
                }
            }
            best = best.min(start.elapsed());
        }
        let rate = f64::from(TESTS) / best.as_secs_f64();
        println!("{:16} {rate:>9.0} {:>11}", relation.name, bytes / TESTS as usize);
    }
}
