//! Options of what to show and what to write.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use metacov_core::{Criteria, Criterion, Failure, Summary};
use metacov_formats::{GcovrFormat, WRITERS, Writer};
use metacov_report::{Annotations, Badge, By, Csv, CurvePlot, Junit, Markdown};
use metacov_store::RUN_FILE;

use crate::exit_code::bail_usage;
use crate::output::Output;

#[derive(clap::Args)]
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
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<Rows>,
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
    #[arg(long, value_name = "WHAT=N", value_delimiter = ',', value_parser = threshold)]
    fail_under: Vec<Threshold>,
    /// Exit with code 5 if MC is lower than in this run file.
    #[arg(long, value_name = "RUN.metacov", hide_short_help = true)]
    fail_drop: Option<PathBuf>,
    /// Exit with code 5 if there are such pairs.
    ///
    /// A violated relation always ends in exit code 6.
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',', hide_short_help = true)]
    fail_on: Vec<FailOn>,
}

/// Pairs that end in a failing exit code.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A side crashed.
    Crash,
    /// A side reached its time limit.
    Timeout,
    /// A side was invalid, or its output could not be judged.
    Invalid,
    /// A side left no counters.
    NoCounters,
    /// A side did not run.
    NotRun,
    /// The relation is violated.
    Violation,
}

impl FailOn {
    /// The failure of a side, unless it is about the verdict.
    pub fn failure(self) -> Option<Failure> {
        match self {
            FailOn::Crash => Some(Failure::Crashed),
            FailOn::Timeout => Some(Failure::TimedOut),
            FailOn::Invalid => Some(Failure::Invalid),
            FailOn::NoCounters => Some(Failure::NoCounters),
            FailOn::NotRun => Some(Failure::NotRun),
            FailOn::Violation => None,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Rows {
    /// A row for each file.
    File,
    /// A row for each function.
    Function,
    /// A row for each relation.
    Relation,
}

/// The smallest percentage of a criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    pub criterion: Criterion,
    pub metric: Metric,
    pub percent: f64,
}

/// A percentage that can have a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    Cov,
    Mc,
    McCov,
}

impl Metric {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Cov => "Cov",
            Metric::Mc => "MC",
            Metric::McCov => "MC/Cov",
        }
    }

    /// The percentage, if it is known: `lists_all` is whether all sites are known.
    pub fn percent(self, summary: &Summary, lists_all: bool) -> Option<f64> {
        match self {
            Metric::Cov => summary.cov().filter(|_| lists_all),
            Metric::Mc => summary.result_of_sites().filter(|_| lists_all),
            Metric::McCov => summary.result_of_executed(),
        }
    }
}

/// The conditions that a run must meet.
#[derive(Default)]
pub struct Gates {
    pub thresholds: Vec<Threshold>,
    /// The run file whose MC is the minimum.
    pub base: Option<PathBuf>,
    pub fail_on: Vec<FailOn>,
}

/// Where to write, and how.
type Outputs = Vec<(Output, &'static dyn Writer)>;

/// What to show and what to write.
pub struct Presentation {
    /// The run file to write while pairs are folded.
    pub run_file: Option<PathBuf>,
    pub outputs: Outputs,
    pub gcovr_format: GcovrFormat,
    pub by: By,
    /// Whether rows of relations show shares (`Cov`, `MC`) instead of sides.
    pub in_shares: bool,
    /// The requested criteria; all if none is named.
    pub criteria: Option<Criteria>,
    pub gates: Gates,
}

impl Presentation {
    /// The file name of a plot of the growth of the suite, if there is one.
    pub fn plot(&self) -> Option<&str> {
        let is_plot = |(_, writer): &&(Output, &dyn Writer)| writer.name() == CurvePlot.name();
        self.outputs.iter().find(is_plot).map(|(output, _)| match output {
            Output::File(path) => {
                path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
            }
            Output::Stdout => "",
        })
    }

    /// Whether a criterion was requested by name.
    pub fn asks_for(&self, criterion: Criterion) -> bool {
        self.criteria.is_some_and(|criteria| criteria.contains(criterion))
            || self.gates.thresholds.iter().any(|threshold| threshold.criterion == criterion)
    }

    /// Whether an output shows all pairs.
    pub fn needs_pairs(&self) -> bool {
        self.outputs.iter().any(|(_, writer)| writer.needs_pairs())
    }
}

impl OutputArgs {
    /// Validates the options; rows stand for `by` by default.
    pub fn presentation(self, by: By) -> anyhow::Result<Presentation> {
        let gcovr_format = self.gcovr_format.as_deref();
        let gcovr_format =
            GcovrFormat::ALL.into_iter().find(|known| Some(known.name()) == gcovr_format);
        let criteria = &self.criterion;
        let (run_file, outputs) = self.outputs()?;
        let has_gcovr = outputs.iter().any(|(_, writer)| writer.name() == "gcovr");
        if gcovr_format.is_some() && !has_gcovr {
            bail_usage!("--gcovr-format needs an output in gcovr JSON: add -o FILE.json");
        }
        Ok(Presentation {
            run_file,
            outputs,
            gcovr_format: gcovr_format.unwrap_or_default(),
            by: match self.by {
                Some(Rows::File) => By::File,
                Some(Rows::Function) => By::Function,
                Some(Rows::Relation) => By::Relation,
                None => by,
            },
            in_shares: false,
            criteria: (!criteria.is_empty()).then(|| criteria.iter().copied().collect()),
            gates: Gates {
                thresholds: self.fail_under,
                base: self.fail_drop,
                fail_on: self.fail_on,
            },
        })
    }

    /// The run file, and all other outputs.
    fn outputs(&self) -> anyhow::Result<(Option<PathBuf>, Outputs)> {
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

    fn output(&self, path: &Path) -> anyhow::Result<(Output, &'static dyn Writer)> {
        let output = match path.to_str() {
            Some("-") => Output::Stdout,
            _ => Output::File(path.to_owned()),
        };
        let writer = match &self.format {
            Some(name) => writers().find(|writer| writer.name() == name),
            None => writers()
                .filter_map(|writer| {
                    let endings = writer.extensions().iter().filter(|of| output.ends_in(of));
                    Some((endings.map(|ending| ending.len()).max()?, writer))
                })
                .max_by_key(|(length, _)| *length)
                .map(|(_, writer)| writer),
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

/// All formats that can be written: coverage files and reports.
fn writers() -> impl Iterator<Item = &'static dyn Writer> {
    let for_people: [&dyn Writer; 6] = [&Markdown, &Csv, &CurvePlot, &Badge, &Annotations, &Junit];
    WRITERS.iter().copied().chain(for_people)
}

fn writer_names() -> clap::builder::PossibleValuesParser {
    writers().map(Writer::name).collect::<Vec<_>>().into()
}

fn gcovr_formats() -> clap::builder::PossibleValuesParser {
    GcovrFormat::ALL.map(GcovrFormat::name).into()
}

fn threshold(text: &str) -> Result<Threshold, String> {
    let expected = "expected a threshold such as line=40, mc/cov=60 or branch:mc/cov=60";
    let (what, percent) = text.split_once('=').ok_or(expected)?;
    let metric = |name: &str| {
        let all = [Metric::Cov, Metric::Mc, Metric::McCov];
        all.into_iter().find(|metric| metric.name().eq_ignore_ascii_case(name))
    };
    let (criterion, metric) = match (what.split_once(':'), metric(what)) {
        (Some((criterion, name)), _) => (criterion.parse()?, metric(name).ok_or(expected)?),
        (None, Some(metric)) => (Criterion::Line, metric),
        (None, None) => (what.parse()?, Metric::Mc),
    };
    let percent: f64 = percent.parse().map_err(|_| format!("`{percent}` is not a number"))?;
    if !(0.0..=100.0).contains(&percent) {
        return Err(format!("{percent} is not between 0 and 100"));
    }
    Ok(Threshold { criterion, metric, percent })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_name_a_criterion_or_a_metric() {
        let threshold = |text| threshold(text).ok();
        let of = |criterion, metric, percent| Some(Threshold { criterion, metric, percent });
        assert_eq!(threshold("line=80"), of(Criterion::Line, Metric::Mc, 80.0));
        assert_eq!(threshold("mc/cov=60"), of(Criterion::Line, Metric::McCov, 60.0));
        assert_eq!(threshold("branch:cov=6.5"), of(Criterion::Branch, Metric::Cov, 6.5));
        for wrong in ["line", "lines=3", "line=x", "line=101", "line:x=3", "branch:=3"] {
            assert_eq!(threshold(wrong), None, "{wrong}");
        }
    }
}
