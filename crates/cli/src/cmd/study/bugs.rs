//! `metacov study bugs`: whether coverage grows with the number of bugs.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use metacov_report::{Output, Screen, correlations, write_text};
use metacov_run::RunError;
use metacov_study::conduct::read_corpus;
use metacov_study::{BUGS_MIN, BugsPlan, KnownBugs, Program};

use crate::args::count::positive;
use crate::cmd::target::engine_on_demand;
use crate::cmd::with_context;
use crate::console::Console;
use crate::exit_code::{ExitCode, Outcome, bail_usage};

const EXAMPLES: &str = "\
Examples:
  metacov study bugs corpus.json                  does coverage grow with the number of bugs?
  metacov study bugs corpus.json -o bugs.svg      write a plot";

/// Correlate coverage with the number of bugs, over random sets of known bugs.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct Args {
    /// Known bugs, each with the pair that shows it (docs/corpus.md describes the file).
    #[arg(value_name = "CORPUS.json")]
    corpus: PathBuf,
    /// Target to run all pairs on.
    ///
    /// All pairs run on one version, whichever version has the bug: coverage of different versions cannot be united.
    #[arg(long, value_name = "TARGET", default_value = "sqlite@3.29.0")]
    target: String,
    /// Write a plot of all sets by their number of bugs.
    #[arg(short, long, value_name = "FILE.svg")]
    output: Option<PathBuf>,
    /// Worker processes [default: the number of processors].
    #[arg(short, long, value_name = "N", value_parser = positive::<NonZero<usize>>)]
    jobs: Option<NonZero<usize>>,
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    let corpus = read_corpus(&args.corpus)?;
    engine_on_demand(&args.target, console)?;
    let measured =
        with_context(args.jobs, console, |context| context.measure(&corpus, &args.target))?;
    let Some(found) = measured.correlation(&args.target) else {
        bail_usage!(
            "{}: {} bugs are too few for a correlation, which needs {BUGS_MIN}",
            args.corpus.display(),
            measured.bugs.len()
        );
    };
    let paper = Program::of_target(&args.target);
    console.print_table(&correlations::table(&found.found, paper))?;
    console.note(&format!("{}; the paper has other bugs", correlations::sets(&found)));
    if let Some(path) = &args.output {
        write_text(&Output::File(path.clone()), &correlations::figure(&found))?;
    }
    Ok(ExitCode::Success)
}

/// Runs all known bugs of a study. The versions that have them are built on demand.
pub fn known_bugs(
    path: &Path,
    plan: &BugsPlan,
    jobs: Option<NonZero<usize>>,
    console: &Console,
) -> Result<KnownBugs, RunError> {
    let build = |name: &str| engine_on_demand(name, console).map(drop);
    with_context(jobs, console, |context| context.known_bugs(path, plan, &build))
}
