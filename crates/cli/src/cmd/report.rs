//! `metacov report`

use std::path::PathBuf;

use metacov_report::{By, RunReport};

use super::target::list;
use crate::args::output::OutputArgs;
use crate::console::Console;
use crate::exit_code::{Outcome, bail_usage};

const EXAMPLES: &str = "\
Examples:
  metacov report run.metacov --by function --criterion line    show MC by function
  metacov report run.metacov --html pages                      write web pages
  metacov report run.metacov -o mc.info -o summary.md          write other formats
  metacov report run.metacov --diff origin/main                count only changed lines";

const ALL_EXAMPLES: &str = "\
Examples:
  Show the results of a run, and where they are:
    metacov report run.metacov
    metacov report run.metacov --by function --criterion line
  Read the source line by line in a browser:
    metacov report run.metacov --html pages && xdg-open pages/index.html
  Write files for other tools:
    metacov report run.metacov -o mc.info -o mc.json -o summary.md
  Plot how coverage grew, beside a summary, and draw a badge:
    metacov report run.metacov -o summary.md -o curve.svg -o badge.svg
  In a GitHub job, annotate changed lines that are executed and never checked:
    metacov report run.metacov --diff origin/main -o - --format github
    metacov report run.metacov --diff origin/main -o \"$GITHUB_STEP_SUMMARY\" --format markdown
  Query the file, which is an SQLite database, for the pairs that took longest:
    sqlite3 run.metacov 'SELECT name, verdict, microseconds FROM pair ORDER BY 3 DESC LIMIT 10'";

/// Show the results in a run file, or write them in other formats.
///
/// A run file is written by `metacov measure` and `metacov diff` with `-o RUN.metacov`, and by `metacov fuzz`. Its report
/// is the one that the run itself prints. A run that is still going on, or was interrupted, is reported as far as it is.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, before_long_help = ALL_EXAMPLES)]
pub struct Args {
    /// Run file.
    #[arg(value_name = "RUN.metacov")]
    run: PathBuf,
    /// Write web pages to this folder; earlier pages are replaced.
    ///
    /// The pages show numbers, plots, the source line by line, code that is executed and never checked, and pairs with
    /// their inputs.
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    html: Option<PathBuf>,
    /// Count only lines changed since this commit or branch.
    ///
    /// These are the lines of `git diff --merge-base BASE` in the current folder.
    #[arg(long, value_name = "BASE", help_heading = "Which code counts")]
    diff: Option<String>,
    /// Do not count flaky sites.
    #[arg(long, help_heading = "Which code counts")]
    no_flaky: bool,

    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: Args, console: &Console) -> Outcome {
    let report = RunReport {
        path: &args.run,
        pages: args.html.as_deref(),
        since: args.diff.as_deref(),
        leave_out_flaky: args.no_flaky,
        targets: &list(),
    };
    let run = report.open()?;
    let by = if run.header.by_relation { By::Relation } else { By::Total };
    let (mut presentation, run_file) = args.output.presentation(by)?;
    presentation.in_shares = run.header.made_by == "measure";
    if run_file.is_some() {
        bail_usage!(
            "report does not write run files: copy the file, or use metacov merge to unite several"
        );
    }
    Ok(report.show(run, presentation, console)?.into())
}
