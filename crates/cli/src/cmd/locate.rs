//! `metacov locate`

mod corpus;

use std::num::NonZero;
use std::path::{Path, PathBuf};

use metacov_core::{Judge, command_line};
use metacov_report::{Located, Output, Screen, write_text};
use metacov_run::RunError;
use metacov_store::RUN_FILE;
use metacov_study::conduct::{LocateConfig, LocatedBugs, RunContext, ScriptPair};

use super::with_context;
use crate::args::choice::{Choices, choice};
use crate::args::count::positive;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Outcome, bail_usage};

const EXAMPLES: &str = "\
Examples:
  metacov locate sqlite@3.29.0 --setup schema.sql --a query.sql --b rewritten.sql
  metacov locate run.metacov                       the violations of a run, by bug
  metacov locate run.metacov --pair norec/17       one of them
  metacov locate campaign.findings                 the findings of a campaign, by bug";

const ALL_EXAMPLES: &str = "\
Examples:
  Two queries that should give the same rows, on a database, and do not:
    metacov locate sqlite@3.29.0 --setup schema.sql --a query.sql --b rewritten.sql
  The number of rows of the first side should be the number that the second side returns (NoREC):
    metacov locate sqlite@3.29.0 --setup schema.sql --a rows.sql --b sum.sql --compare rowcount
  The violations of a run, by bug, or one of them:
    metacov measure sqlite@3.29.0 --relation norec -o run.metacov
    metacov locate run.metacov
    metacov locate run.metacov --pair norec/17
  The findings of a campaign, by bug, or one of them:
    metacov locate campaign.metacov
    metacov locate campaign.findings/5f0c7e3a91d2b846-0d41c2f7a6b3e958
  Test the ranking on bugs with known fixes:
    metacov locate --corpus bugs.json";

const MORE: &str = "\
The more violating variants run a line, and the fewer passing pairs run it, the more suspicious it is; docs/locate.md has the formula. Code that the pair did not run is not ranked.";

/// Rank the functions and lines that may have caused a violation.
///
/// The queries and the database of the pair are changed in hundreds of small ways. Variants that still violate the relation
/// show which code is needed for the violation; variants that pass, and other passing pairs, show which code is not. Each bug
/// has a ranking: as in a campaign, violations that depend on the same parts of their queries are one bug.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, before_long_help = ALL_EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// Run file with violations (`*.metacov`), findings, or a target, such as `sqlite@3.29.0`, for --a and --b.
    #[arg(value_name = "RUN.metacov|FINDINGS|TARGET", required_unless_present = "corpus")]
    subject: Option<String>,
    /// Violating pairs of the run file, as RELATION/NAME [default: the first ten].
    #[arg(long, value_name = "PAIR", conflicts_with_all = ["a", "corpus"])]
    pair: Vec<String>,
    /// Script of the first side.
    #[arg(long, value_name = "FILE", requires = "b", help_heading = "Two scripts (TARGET)")]
    a: Option<PathBuf>,
    /// Script of the second side.
    #[arg(long, value_name = "FILE", requires = "a", help_heading = "Two scripts (TARGET)")]
    b: Option<PathBuf>,
    /// Script that makes the database; statements of it may fail.
    #[arg(long, value_name = "FILE", requires = "a", help_heading = "Two scripts (TARGET)")]
    setup: Option<PathBuf>,
    /// How the results must agree.
    #[arg(long, value_name = "HOW", requires = "a", default_value = "multiset")]
    #[arg(value_parser = choice(JUDGES), help_heading = "Two scripts (TARGET)")]
    compare: Judge,
    /// Use this build of the target: a library compiled with `metacov cc -shared`.
    #[arg(long, value_name = "FILE", conflicts_with = "corpus", hide_short_help = true)]
    #[arg(help_heading = "Two scripts (TARGET)")]
    library: Option<PathBuf>,
    /// Test the ranking on known bugs instead (docs/corpus.md describes the file).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["subject", "a"])]
    corpus: Option<PathBuf>,
    /// Maximum number of variants of each violating pair.
    #[arg(long, value_name = "N", default_value = "1500")]
    variants: usize,
    /// Number of passing pairs of each relation to generate [default: 300].
    ///
    /// A run file has its own.
    #[arg(long, value_name = "N", value_parser = positive::<NonZero<u64>>)]
    count: Option<NonZero<u64>>,
    /// Random seed of the passing pairs [default: 1].
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Number of functions and lines to show.
    #[arg(long, value_name = "N", default_value = "10")]
    top: usize,
    /// Write the whole ranking as JSON, or the tables as a web page (.html).
    ///
    /// `-` is standard output.
    #[arg(short, long, value_name = "FILE", conflicts_with = "corpus")]
    output: Option<PathBuf>,
    /// Worker processes [default: the number of processors].
    #[arg(short, long, value_name = "N", value_parser = positive::<NonZero<usize>>)]
    jobs: Option<NonZero<usize>>,
}

/// How the results of two scripts must agree.
const JUDGES: Choices<Judge> = &[
    ("multiset", "The same rows, the same number of times, in any order", Judge::Bag),
    ("value", "The same number; no row and NULL are zero", Judge::Number),
    (
        "rowcount",
        "The first side has as many rows as the number that the second side returns",
        Judge::RowsCounted,
    ),
];

pub fn run(args: &Args, console: &Console) -> Outcome {
    if let Some(corpus) = &args.corpus {
        return corpus::run(corpus, args, console);
    }
    let subject = args.subject.as_deref().unwrap_or_default();
    let located = with_context(args.jobs, console, |context| args.locate(subject, context))?;
    show(&Located(&located), args, console)
}

impl Args {
    /// Locates the bugs of what was named.
    fn locate(&self, subject: &str, context: &RunContext<'_>) -> Result<LocatedBugs, RunError> {
        let path = Path::new(subject);
        let is_run = path.extension().is_some_and(|ending| ending == RUN_FILE);
        let config = LocateConfig {
            context,
            library: self.library.as_deref(),
            variants: self.variants,
            pairs: self.count(),
            seed: self.seed(),
            command: &command_line(std::env::args_os()),
        };
        match (&self.a, &self.b) {
            (Some(_), Some(_)) if is_run || path.is_dir() => {
                bail_usage!(
                    "--a and --b go with a target; a run file has its own pairs: choose with --pair"
                )
            }
            (Some(a), Some(b)) => {
                let (setup, judge) = (self.setup.as_deref(), self.compare);
                config.scripts(subject, &ScriptPair { setup, sides: [a, b], judge })
            }
            _ if is_run => match self.only_for_generated() {
                Some(option) => {
                    bail_usage!("{option} goes with a target; a run file has its own passing pairs")
                }
                None => config.run_file(path, &self.pair),
            },
            _ if path.is_dir() && !self.pair.is_empty() => {
                bail_usage!("--pair goes with a run file; of findings, name the folder of one")
            }
            _ if path.is_dir() => config.findings(path, None),
            _ => bail_usage!(
                "missing pair: give --a FILE and --b FILE (and --setup FILE), a run file, or findings"
            ),
        }
    }

    /// Returns how many passing pairs of each relation are generated.
    fn count(&self) -> u64 {
        self.count.map_or(300, NonZero::get)
    }

    /// The seed of the passing pairs.
    fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// An option of generated pairs that was given.
    fn only_for_generated(&self) -> Option<&'static str> {
        let given = [(self.count.is_some(), "--count"), (self.seed.is_some(), "--seed")];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }
}

fn show(located: &Located<'_>, args: &Args, console: &Console) -> Outcome {
    for note in located.notes() {
        console.note(&note);
    }
    let output = args.output.as_deref().map(Output::of);
    let tables = located.tables(args.top);
    if output != Some(Output::Stdout) {
        print(&Located::to_terminal(&tables, console.has_colors()))?;
    }
    if let Some(output) = output {
        let is_page = output.extension() == Some("html");
        let text = if is_page { located.to_html(tables) } else { located.to_json() };
        write_text(&output, &text)?;
    }
    Ok(ExitCode::Success)
}
