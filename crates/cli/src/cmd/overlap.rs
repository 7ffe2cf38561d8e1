//! `metacov overlap`

use std::num::NonZero;
use std::path::PathBuf;

use metacov_report::{Screen, overlaps};
use metacov_study::conduct::{overlap_of_run, read_corpus};

use super::with_context;
use crate::args::count::positive;
use crate::console::Console;
use crate::exit_code::{ExitCode, Outcome, bail_usage};

const EXAMPLES: &str = "\
Examples:
  Could the pairs of a run have noticed the bug that a commit fixed?
    git diff FIX^ FIX > fix.diff
    metacov overlap --fix fix.diff run.metacov
  The same for a list of lines, such as src/expr.c:5034 or src/expr.c:5034-5037 in each line:
    metacov overlap --fix lines.txt run.metacov
  The two bugs that the paper prints, or any other corpus (docs/corpus.md describes the file):
    metacov target build sqlite@3.29.0
    metacov overlap --corpus examples/bugs/paper.json";

const MORE: &str = "\
Lines are those of the version before the fix, which is the one that was measured. A fix that only inserts lines changes none of them: the two lines around the place stand for it, under `context`. \
`chance` is the overlap of a random set of executed lines of the same size as the difference. `in files` is the same for lines that are drawn only from the files of the fix. `shifted` moves the executed lines of the fix together to each place among all executed lines. A bug whose pair shows no violation on the build is left out.";

/// Compare the MC of pairs with the lines that a bug fix changed.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// Run file.
    #[arg(value_name = "RUN.metacov", required_unless_present = "corpus", requires = "fix")]
    run: Option<PathBuf>,
    /// Fix: a unified diff, or a list of lines.
    #[arg(long, value_name = "FILE", requires = "run")]
    fix: Option<PathBuf>,
    /// Only this pair of the run, as RELATION/NAME.
    #[arg(long, value_name = "PAIR", requires = "run")]
    pair: Option<String>,
    /// Known bugs, each with a pair, the lines of its fix, and the version that has it.
    #[arg(long, value_name = "FILE", conflicts_with = "run")]
    corpus: Option<PathBuf>,
    /// Worker processes for --corpus [default: the number of processors].
    #[arg(short, long, value_name = "N", value_parser = positive::<NonZero<usize>>, conflicts_with = "run")]
    jobs: Option<NonZero<usize>>,
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    let on_message = |message| console.message(message);
    let table = match (&args.corpus, &args.run, &args.fix) {
        (Some(corpus), ..) => {
            let bugs = read_corpus(corpus)?;
            let (rows, _) = with_context(args.jobs, console, |context| context.overlaps(&bugs))?;
            overlaps::table_of_bugs(&rows)
        }
        (None, Some(run), Some(fix)) => {
            overlaps::table(&overlap_of_run(run, args.pair.as_deref(), fix, &on_message)?)
        }
        _ => bail_usage!("missing input: give a run file and --fix FILE, or --corpus FILE"),
    };
    console.print_table(&table)?;
    Ok(ExitCode::Success)
}
