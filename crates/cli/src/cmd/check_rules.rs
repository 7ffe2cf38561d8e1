//! `metacov check-rules`

use std::num::NonZero;
use std::time::Duration;

use metacov_core::counted;
use metacov_methods::smt::{obligations, refutations};

use super::solver_process::{SolverAnswer, SolverProcess};
use crate::args::count::positive;
use crate::console::Console;
use crate::exit_code::{ExitCode, Outcome};

const EXAMPLES: &str = "\
Examples:
  metacov check-rules --solver z3
  metacov check-rules --solver 'cvc5 --strings-exp --fp-exp'";

const MORE: &str = "\
A rule that says that A implies B is proven if `A and not B` is unsat. Five rules that are not valid, and that metacov does not use, must \
be sat. An answer that contradicts this ends in exit code 6. Rules that the solver does not decide in time are counted and listed with -v.";

/// Prove every rule by which metacov rewrites formulas, with an installed SMT solver.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// Command of the solver. The file of a script is its last argument.
    #[arg(long, value_name = "COMMAND")]
    solver: String,
    /// The most seconds for one rule.
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    #[arg(value_parser = positive::<NonZero<u64>>)]
    timeout: NonZero<u64>,
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    let folder = tempfile::tempdir()?;
    let timeout = Duration::from_secs(args.timeout.get());
    let solver = SolverProcess { command: &args.solver, timeout };
    let (valid, invalid) = (obligations(), refutations());
    let all = valid.iter().map(|rule| (rule, SolverAnswer::Unsat));
    let all = all.chain(invalid.iter().map(|rule| (rule, SolverAnswer::Sat)));
    let [mut decided, mut undecided, mut wrong] = [0, 0, 0];
    for ((name, script), expected) in all {
        match solver.answer(script, folder.path())? {
            answer if answer == expected => decided += 1,
            SolverAnswer::None => {
                undecided += 1;
                console.detail(|| format!("not decided: {name}"));
            }
            answer => {
                wrong += 1;
                console.failure(&format!(
                    "{name}: the solver answers {answer:?}, expected {expected:?}"
                ));
            }
        }
    }
    let rules = counted(decided, "rule is", "rules are");
    console.note(&format!("{rules} as expected, {undecided} not decided, {wrong} contradicted"));
    Ok(if wrong > 0 { ExitCode::Violated } else { ExitCode::Success })
}
