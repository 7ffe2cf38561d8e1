//! `metacov check-rules`

use std::num::NonZero;

use metacov_core::{Input, counted};
use metacov_methods::smt::{Label, obligations, refutations};

use crate::args::count::positive;
use crate::args::solver::asked;
use crate::cmd::target;
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
    /// Command of the solver; `@@` is the script. Without `@@`, the script is the last argument.
    #[arg(long, value_name = "COMMAND")]
    solver: String,
    /// The most seconds of processor time for one rule.
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    #[arg(value_parser = positive::<NonZero<u64>>)]
    timeout: NonZero<u64>,
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    let expected = |label: Label| move |(name, script)| (name, label, Input::of(script));
    let valid = obligations().into_iter().map(expected(Label::Unsat));
    let rules: Vec<_> = valid.chain(refutations().into_iter().map(expected(Label::Sat))).collect();
    let solver = asked("--solver", &args.solver, args.timeout)?;
    let scripts = rules.iter().map(|(_, _, script)| script.clone()).collect();
    let answers = solver.ask(&target::list(), scripts)?;
    let [mut decided, mut undecided, mut wrong] = [0, 0, 0];
    for ((name, expected, _), answer) in rules.iter().zip(answers) {
        match answer.ok().and_then(|(outcome, _)| Label::decided(&outcome)) {
            Some(answer) if answer == *expected => decided += 1,
            None => {
                undecided += 1;
                console.detail(|| format!("not decided: {name}"));
            }
            Some(answer) => {
                wrong += 1;
                let (answer, expected) = (answer.answer(), expected.answer());
                console
                    .failure(&format!("{name}: the solver answers {answer}, expected {expected}"));
            }
        }
    }
    let rules = counted(decided, "rule is", "rules are");
    console.note(&format!("{rules} as expected, {undecided} not decided, {wrong} contradicted"));
    Ok(if wrong > 0 { ExitCode::Violated } else { ExitCode::Success })
}
