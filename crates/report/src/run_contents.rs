//! What a run file has, in words.

use metacov_core::counted;

/// Returns how many pairs there are, and how many rounds of campaigns, if there are any.
pub fn run_contents(pairs: u64, rounds: u64) -> String {
    let pairs = counted(pairs, "pair", "pairs");
    match rounds {
        0 => pairs,
        rounds => format!("{pairs} and {}", counted(rounds, "round", "rounds")),
    }
}
