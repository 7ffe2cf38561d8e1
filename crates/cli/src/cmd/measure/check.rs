//! `metacov measure sqlite --no-coverage`: checks relations without measuring coverage.

use std::time::Instant;

use metacov_campaign::{Counts, GeneratedTests, check};
use metacov_core::counted;
use metacov_report::{
    PairOrigin, Screen, checks_table, failure_notes, missing_pairs, run_log_details,
    show_violations,
};

use crate::console::Console;
use crate::console::bar::PAIRS;
use crate::exit_code::{ExitCode, Outcome};

#[expect(clippy::disallowed_methods, reason = "the speed is reported, and part of no result")]
pub fn run(tests: &GeneratedTests, console: &Console) -> Outcome {
    let plan = &tests.plan;
    let (start, bar) = (Instant::now(), console.progress(plan.groups(), PAIRS));
    let checked = check(plan, &tests.options(), &|| bar.inc(1));
    bar.finish_and_clear();
    let (checks, log) = checked?;
    let seconds = start.elapsed().as_secs_f64();
    let table = checks_table(&checks, tests.target.method());
    console.print_table(&table)?;
    let done: u64 = checks.relations.values().map(Counts::total).sum();
    #[expect(clippy::cast_precision_loss, reason = "a speed is no exact number")]
    let rate = done as f64 / seconds.max(0.001);
    let pairs = counted(done, "pair", "pairs");
    console.note(&format!("{pairs} in {seconds:.1} s, {rate:.0} pairs/s"));
    let details = missing_pairs(&checks);
    for lost in failure_notes(checks.lost) {
        console.note(&lost);
    }
    for detail in details.into_iter().chain(run_log_details(&log)) {
        console.detail(|| detail);
    }
    let conclusion = show_violations(&checks.violations, PairOrigin::Generated, console);
    if done < plan.groups() {
        let planned = counted(plan.groups(), "pair", "pairs");
        console.warning(&format!("interrupted: the numbers are of {done} of {planned}"));
        return Ok(ExitCode::Interrupted);
    }
    Ok(conclusion.into())
}
