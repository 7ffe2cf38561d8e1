//! `metacov check`

use std::path::{Path, PathBuf};

use metacov_core::counted;
use metacov_report::run_contents;
use metacov_store::{RunCheck, check_run, repair_run};

use crate::console::Console;
use crate::exit_code::{ExitCode, Outcome};

/// How many problems are listed.
const PROBLEMS_MAX: usize = 20;

const EXAMPLES: &str = "\
Examples:
  metacov check run.metacov                          is the file as it was written?
  metacov check run.metacov --repair saved.metacov   save what can be saved";

const MORE: &str = "\
A file in which something is wrong ends in exit code 3. Pairs that are lost can be measured again: --resume continues a repaired run like one that was interrupted.";

/// Verify a run file, and save what can be saved of a damaged one.
///
/// All pages, references and checksums are read, the coverage of each side is decoded, and numbers
/// that follow from it are derived again.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// Run file.
    #[arg(value_name = "RUN.metacov")]
    run: PathBuf,
    /// Write all that is intact to a new run file.
    #[arg(long, value_name = "FILE")]
    repair: Option<PathBuf>,
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    if let Some(output) = &args.repair {
        return repair(&args.run, output, console);
    }
    let RunCheck { pairs, rounds, is_sealed, problems } = check_run(&args.run)?;
    let name = args.run.display();
    let end = if is_sealed { "" } else { "; the run was killed or goes on" };
    if problems.is_empty() {
        console.note(&format!("{name} is intact: {}{end}", run_contents(pairs, rounds)));
        return Ok(ExitCode::Success);
    }
    for problem in problems.iter().take(PROBLEMS_MAX) {
        console.failure(&format!("{name}: {problem}"));
    }
    list_rest(&problems, console);
    let intact = run_contents(pairs, rounds);
    console.note(&format!("{intact} can be saved: metacov check {name} --repair FILE{end}"));
    Ok(ExitCode::BadInput)
}

fn repair(run: &Path, output: &Path, console: &Console) -> Outcome {
    let repaired = repair_run(run, output)?;
    for lost in repaired.lost.iter().take(PROBLEMS_MAX) {
        console.warning(&format!("{}: {lost}", run.display()));
    }
    list_rest(&repaired.lost, console);
    let saved = run_contents(repaired.pairs, repaired.rounds);
    console.note(&format!("{saved} in {}", output.display()));
    Ok(ExitCode::Success)
}

fn list_rest(problems: &[String], console: &Console) {
    let rest = problems.len().saturating_sub(PROBLEMS_MAX) as u64;
    if rest > 0 {
        console.warning(&counted(rest, "more problem", "more problems"));
    }
}
