//! `metacov study bugs`: whether coverage grows with the number of bugs.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use metacov_report::correlations;
use metacov_study::conduct::{BugRunner, read_corpus};
use metacov_study::corpus::Bug;
use metacov_study::{BUGS_MIN, BugCorrelation, FileVersion, KnownBugs, Program};

use crate::args::count::positive;
use crate::args::target::interrupted;
use crate::cmd::target::{engine_on_demand, list};
use crate::cmd::workers;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Unwritten, bail_usage};
use crate::output::{Output, write_whole};

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

pub fn run(args: &Args, console: &Console) -> anyhow::Result<ExitCode> {
    let corpus = read_corpus(&args.corpus)?;
    let found = with_runner(args.jobs, console, |runner| {
        correlated(&corpus, &args.target, runner, console)
    })?;
    let found = match found {
        Ok(found) => found,
        Err(bugs) => bail_usage!(
            "{}: {bugs} bugs are too few for a correlation, which needs {BUGS_MIN}",
            args.corpus.display()
        ),
    };
    let paper = Program::find("SQLite");
    print(&correlations::table(&found.found, paper).to_terminal(console.colors_output()))?;
    console.note(&format!("{}; the paper has other bugs", correlations::sets(&found)));
    if let Some(path) = &args.output {
        let text = correlations::figure(&found);
        let output = Output::File(path.clone());
        write_whole(&output, |out| out.write_all(text.as_bytes())).map_err(Unwritten)?;
    }
    Ok(ExitCode::Success)
}

/// Runs all known bugs of a study. The versions that have them are built on demand.
pub fn known_bugs(
    path: &Path,
    engine: &str,
    jobs: Option<NonZero<usize>>,
    console: &Console,
) -> anyhow::Result<KnownBugs> {
    let corpus = read_corpus(path)?;
    let versions: BTreeSet<&str> = corpus.iter().map(|bug| bug.version.as_str()).collect();
    for version in versions {
        engine_on_demand(&format!("sqlite@{version}"), console)?;
    }
    with_runner(jobs, console, |runner| {
        let (overlaps, left_out) = runner.overlaps(&corpus)?;
        let has_enough = corpus.len() >= BUGS_MIN;
        let correlated = has_enough.then(|| correlated(&corpus, engine, runner, console));
        let correlation = correlated.transpose()?.and_then(Result::ok);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(KnownBugs { version: FileVersion, corpus: name, overlaps, left_out, correlation })
    })
}

/// The correlation of coverage with the number of bugs; or the number of bugs, if there are too
/// few.
fn correlated(
    corpus: &[Bug],
    engine: &str,
    runner: &BugRunner<'_>,
    console: &Console,
) -> anyhow::Result<Result<BugCorrelation, usize>> {
    engine_on_demand(engine, console)?;
    let measured = runner.measure(corpus, engine)?;
    Ok(measured.correlation(engine).ok_or(measured.bugs.len()))
}

fn with_runner<T>(
    jobs: Option<NonZero<usize>>,
    console: &Console,
    run: impl FnOnce(&BugRunner<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let interrupted = interrupted()?;
    run(&BugRunner {
        targets: &list(),
        workers: workers(jobs),
        interrupted: &interrupted,
        on_message: &|message| console.message(message),
    })
}
