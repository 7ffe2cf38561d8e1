//! What the user typed, and what is meant by it.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use metacov_core::{Criteria, Criterion, Group, Operation, Pair};
use metacov_formats::{
    FileSpec, GcovrFormat, GroupSpec, Options, Output, Plan, Scope, WRITERS, Writer,
};
use metacov_report::{By, Markdown};
use regex::Regex;

const USAGE: &str = "\
metacov diff [OPTIONS] A B
       metacov diff [OPTIONS] -a FILE... -b FILE...
       metacov diff [OPTIONS] --pairs FILE";

const EXAMPLES: &str = "\
Examples:
  What does only one of two runs execute?
    metacov diff a.json b.json
  Which files and functions does it happen in?
    metacov diff a.info b.info --by function --criterion line
  Two runs of a program built with gcc --coverage, without gcov:
    GCOV_PREFIX=$PWD/run1 ./prog input1; GCOV_PREFIX=$PWD/run2 ./prog input2
    metacov diff run1 run2
  Several files on a side:
    metacov diff -a run1/*.json -b run2/*.json
  As gcovr shows it:
    metacov diff a.json b.json -o mc.json && gcovr -a mc.json --html-details mc.html
  A whole suite of pairs, two sides of many pairs in one coverage.py data file:
    metacov diff --pairs pairs.jsonl -o mc.info -o summary.md
    metacov diff --pairs .coverage --universe coverage.json

A line of pairs.jsonl, files relative to its folder:
  {\"relation\": \"norec\", \"pair\": \"1\", \"a\": [\"1a.json\"], \"b\": [\"1b.json\"]}
  {\"relation\": \"fusion\", \"pair\": \"7\", \"inputs\": [[\"seed1.json\", \"seed2.json\"], [\"fused.json\"]]}

The table:
  only a, only b   run by that side alone (either: by a in some pairs, by b in others)
  both             run by both sides alike: a fault here would go unnoticed
  neither          never run
  of all           the result in percent of all sites
  of executed      the result in percent of what ran at all";

/// Compare the coverage of two executions, or of many pairs.
///
/// Reads gcov's counters (.gcda), gcov JSON, gcovr JSON, lcov, llvm-cov JSON, coverage.py (JSON and data file), Cobertura,
/// JaCoCo, Go and Istanbul files, plain or compressed (gzip, zstd), and tells them by their
/// content. The result is what one side executed and the other did not, united over all pairs:
/// metamorphic coverage.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub struct Args {
    /// The coverage file of each side. `FILE::NAME` takes one context or test of a file; a folder
    /// stands for all counters (`.gcda`) below it.
    #[arg(value_name = "FILE", num_args = 0..=2)]
    files: Vec<PathBuf>,
    /// The coverage files of side a, united.
    #[arg(short, value_name = "FILE", num_args = 1.., requires = "b", conflicts_with = "files")]
    a: Vec<PathBuf>,
    /// The coverage files of side b, united.
    #[arg(short, value_name = "FILE", num_args = 1.., requires = "a", conflicts_with = "files")]
    b: Vec<PathBuf>,
    /// A suite: a manifest with one pair in a line, or a coverage.py data file whose contexts
    /// are named like `mr=swap|pair=7|side=a`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "a", "b"])]
    pairs: Option<PathBuf>,
    /// Files that list all code, for formats that list only what ran.
    #[arg(long, value_name = "FILE")]
    universe: Vec<PathBuf>,
    /// Where the notes (`.gcno`) of counters (`.gcda`) are, if neither beside them nor where the
    /// program was built.
    #[arg(long, value_name = "DIR")]
    notes: Option<PathBuf>,
    /// What to ask of a and b.
    #[arg(long, value_enum, default_value_t, value_name = "OP")]
    op: Op,
    /// How many pairs are read at once [default: the number of processors].
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZero<usize>>,

    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Which code counts")]
struct ScopeArgs {
    /// Show paths below this folder relative to it [default: the current folder].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Count only files whose path matches this regular expression from its start.
    #[arg(long, value_name = "REGEX")]
    filter: Vec<Regex>,
    /// Do not count files whose path matches this regular expression from its start.
    #[arg(long, value_name = "REGEX")]
    exclude: Vec<Regex>,
    /// Take paths that start with the folder OLD to start with NEW.
    #[arg(long, value_name = "OLD=NEW", value_parser = prefix)]
    prefix_map: Vec<(String, String)>,
    /// Count lines with exclusion markers (`LCOV_EXCL_LINE` and so on) in their source too.
    #[arg(long)]
    no_markers: bool,
    /// Keep the instances of a template apart instead of counting source lines.
    #[arg(long)]
    per_instance: bool,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
struct OutputArgs {
    /// Write the result to a file, in the format of its ending (`.json` means gcovr JSON);
    /// compressed if it ends in `.gz` or `.zst`; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Write in this format, whatever the ending.
    #[arg(long, value_name = "FORMAT", value_parser = writer_names(), requires = "output")]
    format: Option<String>,
    /// The version of gcovr JSON to write.
    #[arg(long, value_name = "VERSION", value_parser = gcovr_formats())]
    gcovr_format: Option<String>,
    /// What a row of the table stands for.
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<Rows>,
    /// What to count, of line, branch, function and region [default: all that the files tell].
    #[arg(long, value_name = "CRITERIA", value_delimiter = ',')]
    criterion: Vec<Criterion>,
    /// End with exit code 5 if the result is under this percentage of all sites.
    #[arg(long, value_name = "CRITERION=PERCENT", value_delimiter = ',', value_parser = threshold)]
    fail_under: Vec<Threshold>,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Op {
    /// What one of them ran and the other did not.
    #[default]
    Xor,
    /// What a ran and b did not.
    Sub,
    /// What both ran.
    And,
    /// What either ran.
    Or,
}

#[derive(Clone, Copy, ValueEnum)]
enum Rows {
    File,
    Function,
    Relation,
}

/// The least percentage of a criterion.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    pub criterion: Criterion,
    pub percent: f64,
}

/// What is meant.
pub struct Config {
    pub plan: Plan,
    pub options: Options,
    pub outputs: Vec<(Output, &'static dyn Writer)>,
    pub gcovr_format: GcovrFormat,
    pub by: By,
    /// The criteria that were asked for by name; all if none.
    pub criteria: Option<Criteria>,
    pub thresholds: Vec<Threshold>,
}

impl Args {
    pub fn config(self) -> anyhow::Result<Config> {
        let operation = match self.op {
            Op::Xor => Operation::Xor,
            Op::Sub => Operation::Sub,
            Op::And => Operation::And,
            Op::Or => Operation::Or,
        };
        let outputs = self.output.outputs()?;
        let by = match self.output.by {
            Some(Rows::File) => By::File,
            Some(Rows::Function) => By::Function,
            Some(Rows::Relation) => By::Relation,
            None if self.pairs.is_some() => By::Relation,
            None => By::Total,
        };
        let gcovr_format = self.output.gcovr_format.as_deref();
        let gcovr_format =
            GcovrFormat::ALL.into_iter().find(|known| Some(known.name()) == gcovr_format);
        let criteria = &self.output.criterion;
        let processors = || std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        Ok(Config {
            options: Options {
                scope: Scope { notes: self.notes, ..self.scope.scope()? },
                operation,
                universe: specs(&self.universe),
                workers: self.jobs.unwrap_or_else(processors),
            },
            outputs,
            gcovr_format: gcovr_format.unwrap_or_default(),
            by,
            criteria: (!criteria.is_empty()).then(|| criteria.iter().copied().collect()),
            thresholds: self.output.fail_under,
            plan: plan(self.files, &self.a, &self.b, self.pairs.as_deref())?,
        })
    }
}

fn plan(
    files: Vec<PathBuf>,
    a: &[PathBuf],
    b: &[PathBuf],
    pairs: Option<&Path>,
) -> anyhow::Result<Plan> {
    if let Some(path) = pairs {
        return Ok(Plan::open(path)?);
    }
    let sides = match <[PathBuf; 2]>::try_from(files) {
        Ok([a, b]) => Pair { a: specs(&[a]), b: specs(&[b]) },
        Err(files) if files.is_empty() && !a.is_empty() => Pair { a: specs(a), b: specs(b) },
        Err(_) => bail!("two coverage files are needed: metacov diff A B (see --help for more)"),
    };
    let (relation, pair) = ("pair".to_owned(), "1".to_owned());
    Ok(Plan::single(GroupSpec { relation, pair, sides: Group::from(sides) }))
}

fn specs(paths: &[PathBuf]) -> Vec<FileSpec> {
    let spec = |path: &PathBuf| match path.to_str() {
        Some(text) => FileSpec::parse(text, Path::new("")),
        None => FileSpec { path: path.clone(), context: None },
    };
    paths.iter().map(spec).collect()
}

impl ScopeArgs {
    fn scope(self) -> anyhow::Result<Scope> {
        let root = self.root.unwrap_or_else(|| PathBuf::from("."));
        let root = std::path::absolute(&root).context("the current folder cannot be told")?;
        Ok(Scope {
            root,
            prefix_map: self.prefix_map,
            filter: self.filter,
            exclude: self.exclude,
            markers: !self.no_markers,
            per_instance: self.per_instance,
            notes: None,
        })
    }
}

impl OutputArgs {
    fn outputs(&self) -> anyhow::Result<Vec<(Output, &'static dyn Writer)>> {
        if self.format.is_some() && self.output.len() > 1 {
            bail!("--format goes with one --output; with several, the endings tell the formats");
        }
        self.output.iter().map(|path| self.output(path)).collect()
    }

    fn output(&self, path: &Path) -> anyhow::Result<(Output, &'static dyn Writer)> {
        let output = match path.to_str() {
            Some("-") => Output::Stdout,
            _ => Output::File(path.to_owned()),
        };
        let writer = match &self.format {
            Some(name) => writers().find(|writer| writer.name() == name),
            None => writers().find(|writer| {
                output.extension().is_some_and(|ending| writer.extensions().contains(&ending))
            }),
        };
        let Some(writer) = writer else {
            let names: Vec<&str> = writers().map(Writer::name).collect();
            bail!(
                "the format of {} cannot be told; add --format ({})",
                output.name(),
                names.join(", ")
            );
        };
        Ok((output, writer))
    }
}

/// All formats that are written: coverage files, and the summary for people.
fn writers() -> impl Iterator<Item = &'static dyn Writer> {
    WRITERS.iter().copied().chain([&Markdown as &dyn Writer])
}

fn writer_names() -> clap::builder::PossibleValuesParser {
    writers().map(Writer::name).collect::<Vec<_>>().into()
}

fn gcovr_formats() -> clap::builder::PossibleValuesParser {
    GcovrFormat::ALL.map(GcovrFormat::name).into()
}

fn prefix(text: &str) -> Result<(String, String), String> {
    let (old, new) = text.split_once('=').ok_or("OLD=NEW is needed")?;
    if old.is_empty() { Err("OLD is empty".into()) } else { Ok((old.into(), new.into())) }
}

fn threshold(text: &str) -> Result<Threshold, String> {
    let (criterion, percent) = text.split_once('=').ok_or("CRITERION=PERCENT is needed")?;
    let percent: f64 = percent.parse().map_err(|_| format!("`{percent}` is not a number"))?;
    if !(0.0..=100.0).contains(&percent) {
        return Err(format!("{percent} is not a percentage"));
    }
    Ok(Threshold { criterion: criterion.parse()?, percent })
}
