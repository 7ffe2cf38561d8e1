//! What workers have done, in words.

use metacov_campaign::{Phase, RunLog};

/// Returns how many generated statements worked, and where the time went.
pub fn run_log_details(log: &RunLog) -> Vec<String> {
    let successes = log.successes.by_kind.iter();
    let successes = successes
        .map(|(kind, success)| format!("{kind}: {} of {} worked", success.worked, success.tried));
    let all: f64 = Phase::ALL.iter().map(|(phase, _)| log.times.on(*phase).as_secs_f64()).sum();
    let times = Phase::ALL.map(|(phase, name)| {
        let seconds = log.times.on(phase).as_secs_f64();
        format!("{name}: {seconds:.2} s, {:.1} %", 100.0 * seconds / all)
    });
    successes.chain(times).collect()
}
