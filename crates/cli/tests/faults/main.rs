//! The fault suite: whatever happens to metacov, it continues or ends correctly. One test for each
//! fault of `docs/faults.md`, with its number in the name; `METACOV_FAULTS=full` runs them as often
//! as that page says.

#[path = "../end_to_end/run.rs"]
#[expect(dead_code, reason = "the other tests of the binary use the rest of it")]
mod run;
#[path = "../end_to_end/trial.rs"]
mod trial;

mod campaign;
mod disk;
mod ends;
mod engines;
mod foreign;
mod processes;
mod runs;
mod shortage;
mod solvers;
mod targets;

/// How often something is done: a few times, or as often as the page says.
fn times(few: usize, full: usize) -> usize {
    if std::env::var_os("METACOV_FAULTS").is_some_and(|how| how == "full") { full } else { few }
}
