//! Options of what to show and what to write.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use metacov_core::{Criterion, Failure};
use metacov_formats::{GcovrFormat, Writer};
use metacov_report::{By, Gates, Output, Presentation, Threshold, writers};
use metacov_run::RunError;
use metacov_store::RUN_FILE;

use super::choice::{Choices, choice};
use crate::exit_code::bail_usage;

#[derive(Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write a file: .metacov (run file), .json, .info, .md, .csv, ...
    ///
    /// The ending of the name decides the format, and the option can be repeated.
    ///
    /// `.metacov` is a run file, which stores all pairs as they finish and is read by `metacov report`, `compare` and
    /// `merge`. `.json` is gcovr JSON, `.info` lcov, `.md` a summary in Markdown, `.csv` a table, `.junit.xml` the
    /// results of all pairs for CI systems, `.svg` a plot of how coverage grew, and `badge.svg` a badge. `.gz` or `.zst` after that compresses. `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Rows of the table.
    #[arg(long, value_name = "WHAT", value_parser = choice(ROWS))]
    by: Option<By>,
    /// What to count: line, branch, function, region, block.
    ///
    /// The default is everything that the coverage has, except for blocks, which are those of gcc's flow graphs.
    #[arg(long, value_name = "CRITERIA", value_delimiter = ',')]
    criterion: Vec<Criterion>,
    /// Format of the file, whatever its name.
    #[arg(long, value_name = "FORMAT", value_parser = writer_names(), requires = "output")]
    #[arg(hide_short_help = true)]
    format: Option<String>,
    /// Version of gcovr JSON to write [default: the newest].
    #[arg(long, value_name = "VERSION", value_parser = gcovr_formats(), hide_short_help = true)]
    gcovr_format: Option<String>,
    /// Exit with code 5 if MC is below N percent of all sites.
    ///
    /// `line=40` is MC of lines. `mc/cov=60` is MC/Cov of lines, and `branch:mc/cov=60` that of another criterion.
    #[arg(long, value_name = "WHAT=N", value_delimiter = ',', value_parser = Threshold::from_str)]
    fail_under: Vec<Threshold>,
    /// Exit with code 5 if MC is lower than in this run file.
    #[arg(long, value_name = "RUN.metacov", hide_short_help = true)]
    fail_drop: Option<PathBuf>,
    /// Exit with code 5 if there are such pairs.
    ///
    /// A violated relation always ends in exit code 6.
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = choice(FAILURES))]
    #[arg(hide_short_help = true)]
    fail_on: Vec<Option<Failure>>,
}

/// What the rows of a table stand for.
pub const ROWS: Choices<By> = &[
    ("file", "A row for each file", By::File),
    ("function", "A row for each function", By::Function),
    ("relation", "A row for each relation", By::Relation),
];

/// Pairs that end in a failing exit code. A violation always does.
const FAILURES: Choices<Option<Failure>> = &[
    ("crash", "A side crashed", Some(Failure::Crashed)),
    ("timeout", "A side reached its time limit", Some(Failure::TimedOut)),
    ("invalid", "A side was invalid, or its output could not be judged", Some(Failure::Invalid)),
    ("no-counters", "A side left no counters", Some(Failure::NoCounters)),
    ("not-run", "A side did not run", Some(Failure::NotRun)),
    ("violation", "The relation is violated", None),
];

/// Where to write, and how.
type Outputs = Vec<(Output, &'static dyn Writer)>;

impl OutputArgs {
    /// Validates the options; rows stand for `by` by default. Returns also the run file to write.
    pub fn presentation(self, by: By) -> Result<(Presentation, Option<PathBuf>), RunError> {
        let gcovr_format = self.gcovr_format.as_deref();
        let gcovr_format =
            GcovrFormat::ALL.into_iter().find(|known| Some(known.name()) == gcovr_format);
        let criteria = &self.criterion;
        let (run_file, outputs) = self.outputs()?;
        let has_gcovr = outputs.iter().any(|(_, writer)| writer.name() == "gcovr");
        if gcovr_format.is_some() && !has_gcovr {
            bail_usage!("--gcovr-format needs an output in gcovr JSON: add -o FILE.json");
        }
        let presentation = Presentation {
            outputs,
            gcovr_format: gcovr_format.unwrap_or_default(),
            by: self.by.unwrap_or(by),
            in_shares: false,
            criteria: (!criteria.is_empty()).then(|| criteria.iter().copied().collect()),
            gates: Gates {
                thresholds: self.fail_under,
                base: self.fail_drop,
                failures: self.fail_on.into_iter().flatten().collect(),
            },
        };
        Ok((presentation, run_file))
    }

    /// The run file, and all other outputs.
    fn outputs(&self) -> Result<(Option<PathBuf>, Outputs), RunError> {
        if self.format.is_some() && self.output.len() > 1 {
            bail_usage!(
                "--format applies to a single --output; with several, name the files by format \
                 (.json, .info, .md, ...)"
            );
        }
        let is_run = |path: &&PathBuf| {
            self.format.is_none() && path.extension().is_some_and(|ending| ending == RUN_FILE)
        };
        let (runs, others): (Vec<&PathBuf>, _) = self.output.iter().partition(is_run);
        if runs.len() > 1 {
            bail_usage!("more than one run file (.{RUN_FILE}) in --output: write one and copy it");
        }
        let outputs = others.into_iter().map(|path| self.output(path)).collect::<Result<_, _>>();
        Ok((runs.into_iter().next().cloned(), outputs?))
    }

    fn output(&self, path: &Path) -> Result<(Output, &'static dyn Writer), RunError> {
        let output = Output::of(path);
        let writer = match &self.format {
            Some(name) => writers().find(|writer| writer.name() == name),
            None => output.writer(),
        };
        let Some(writer) = writer else {
            let names: Vec<&str> = writers().map(Writer::name).collect();
            bail_usage!(
                "{}: the name has no known ending; add --format ({})",
                output.name(),
                names.join(", ")
            );
        };
        Ok((output, writer))
    }
}

fn writer_names() -> clap::builder::PossibleValuesParser {
    writers().map(Writer::name).collect::<Vec<_>>().into()
}

fn gcovr_formats() -> clap::builder::PossibleValuesParser {
    GcovrFormat::ALL.map(GcovrFormat::name).into()
}
