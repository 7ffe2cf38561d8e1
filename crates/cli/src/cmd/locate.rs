//! `metacov locate`

mod corpus;

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use metacov_campaign::{CampaignError, findings_folder, read_findings};
use metacov_core::{Case, Input, Judge, Language, Pair};
use metacov_formats::Fault;
use metacov_report::{Located, Table};
use metacov_store::RUN_FILE;
use metacov_study::conduct::{
    Bug, LocateRun, LocateTarget, RunOfTarget, explore_findings, target_of_findings,
};
use metacov_study::locate::{Formula, Symptom, rank};

use super::target::list;
use super::workers;
use crate::args::count::{OldCount, positive};
use crate::args::run_file::command;
use crate::args::target::interrupted;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Unwritten, UsageError, bail_usage};
use crate::output::{Output, write_whole};

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
/// has a ranking: as in a campaign, violations that need the same to show are one bug.
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
    #[arg(long, value_enum, value_name = "HOW", requires = "a", default_value_t)]
    #[arg(help_heading = "Two scripts (TARGET)")]
    compare: Compare,
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
    #[command(flatten)]
    old_count: OldCount,
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

#[derive(Clone, Copy, Default, ValueEnum)]
enum Compare {
    /// The same rows, the same number of times, in any order.
    #[default]
    Multiset,
    /// The same number; no row and NULL are zero.
    Value,
    /// The first side has as many rows as the number that the second side returns.
    Rowcount,
}

impl Compare {
    fn judge(self) -> Judge {
        match self {
            Compare::Multiset => Judge::Bag,
            Compare::Value => Judge::Number,
            Compare::Rowcount => Judge::RowsCounted,
        }
    }
}

pub fn run(args: &Args, console: &Console) -> anyhow::Result<ExitCode> {
    args.old_count.warn(console);
    if let Some(corpus) = &args.corpus {
        return corpus::run(corpus, args, console);
    }
    let subject = args.subject.as_deref().unwrap_or_default();
    let path = Path::new(subject);
    let is_run = path.extension().is_some_and(|ending| ending == RUN_FILE);
    match (&args.a, &args.b) {
        (Some(_), Some(_)) if is_run || path.is_dir() => {
            bail_usage!(
                "--a and --b go with a target; a run file has its own pairs: choose with --pair"
            )
        }
        (Some(a), Some(b)) => scripts(args, subject, [a, b], console),
        _ if is_run => run_file(args, path, console),
        _ if path.is_dir() && !args.pair.is_empty() => {
            bail_usage!("--pair goes with a run file; of findings, name the folder of one")
        }
        _ if path.is_dir() => findings(args, path, None, console),
        _ => bail_usage!(
            "missing pair: give --a FILE and --b FILE (and --setup FILE), a run file, or findings"
        ),
    }
}

/// Two scripts of the user.
fn scripts(
    args: &Args,
    subject: &str,
    [a, b]: [&PathBuf; 2],
    console: &Console,
) -> anyhow::Result<ExitCode> {
    let (interrupted, library) = (interrupted()?, args.library.as_deref());
    let workers = workers(args.jobs);
    let target = LocateTarget::new(&list(), subject, library, workers, &interrupted)?;
    let script = |path: &Path| script(path, target.language());
    let setup = args.setup.as_deref().map(script).transpose()?.unwrap_or_default();
    let side = |path| Ok::<_, anyhow::Error>(vec![Input { statements: script(path)? }]);
    let case = Case {
        relation: String::new(),
        setup,
        sides: Pair { a: side(a)?, b: side(b)? },
        parts: Vec::new(),
        judge: args.compare.judge(),
    };
    let options = target.options();
    let mut run = LocateRun::with_generated(&options, args.count(), args.seed())?;
    let name = format!("{} and {}", a.display(), b.display());
    let symptom = run
        .explore(&case, args.variants)?
        .map_err(|unfit| UsageError(format!("{name}: {unfit}")))?;
    show(args, subject, &run, vec![Bug::of(name, symptom)], console)
}

/// The violations of a run, or the findings beside it if it is a campaign.
fn run_file(args: &Args, path: &Path, console: &Console) -> anyhow::Result<ExitCode> {
    if let Some(option) = args.only_for_generated() {
        bail_usage!("{option} goes with a target; a run file has its own passing pairs");
    }
    let run = RunOfTarget::open(path)?;
    let folder = findings_folder(path);
    if run.is_campaign()? && args.pair.is_empty() && folder.is_dir() {
        return findings(args, &folder, Some(run), console);
    }
    let subject = path.display().to_string();
    trust(args, &subject, run.library.as_deref())?;
    let (interrupted, library) = (interrupted()?, args.library.as_deref());
    let workers = workers(args.jobs);
    let target = LocateTarget::new(&list(), &run.engine, library, workers, &interrupted)?;
    run.check_build(&target)?;
    let violations = run.violations(&args.pair, target.language())?;
    let options = target.options();
    let on_message = |message| console.message(message);
    let (run, bugs) = violations.explore(&target, &list(), &options, args.variants, &on_message)?;
    show(args, &subject, &run, bugs, console)
}

/// A finding, or a folder of findings, which may be those of a campaign.
fn findings(
    args: &Args,
    folder: &Path,
    campaign: Option<RunOfTarget>,
    console: &Console,
) -> anyhow::Result<ExitCode> {
    let findings = read_findings(folder)?;
    let (name, named) = target_of_findings(&findings)?;
    let subject = folder.display().to_string();
    trust(args, &subject, named)?;
    let (interrupted, library) = (interrupted()?, args.library.as_deref());
    let target = LocateTarget::new(&list(), name, library, workers(args.jobs), &interrupted)?;
    let options = target.options();
    let mut run = match campaign {
        Some(campaign) => {
            campaign.check_build(&target)?;
            campaign.passing(&options)?
        }
        None => LocateRun::with_generated(&options, args.count(), args.seed())?,
    };
    let on_message = |message| console.message(message);
    let bugs = explore_findings(findings, &mut run, args.variants, &on_message)?;
    show(args, &subject, &run, bugs, console)
}

/// Refuses to load a library that only a file names.
fn trust(args: &Args, subject: &str, named: Option<&Path>) -> anyhow::Result<()> {
    match (&args.library, named) {
        (None, Some(library)) => {
            let command = command(std::env::args_os());
            Err(CampaignError::untrusted_library(subject, library, &command).into())
        }
        _ => Ok(()),
    }
}

impl Args {
    /// Returns how many passing pairs of each relation are generated.
    fn count(&self) -> u64 {
        self.old_count.get().or(self.count).map_or(300, NonZero::get)
    }

    /// The seed of the passing pairs.
    fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// An option of generated pairs that was given.
    fn only_for_generated(&self) -> Option<&'static str> {
        let is_counted = self.old_count.get().or(self.count).is_some();
        let given = [(is_counted, "--count"), (self.seed.is_some(), "--seed")];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }
}

/// Reads the statements of a script.
fn script(path: &Path, language: &dyn Language) -> anyhow::Result<Vec<String>> {
    let text = fs::read_to_string(path)
        .map_err(|error| Fault::Io(error).of(path.display().to_string()))?;
    let statements = language.statements(&text);
    if statements.is_empty() {
        bail_usage!("{}: no statement in the script", path.display());
    }
    Ok(statements)
}

fn show(
    args: &Args,
    subject: &str,
    run: &LocateRun<'_>,
    bugs: Vec<Bug>,
    console: &Console,
) -> anyhow::Result<ExitCode> {
    let ranked = |bug: Bug| {
        let symptoms: Vec<Symptom> =
            bug.symptoms.iter().map(|(_, symptom)| symptom.clone()).collect();
        let ranking = rank(&run.table, &run.functions, &symptoms, &run.passing, Formula::Suspicion);
        (bug, ranking)
    };
    let bugs: Vec<_> = bugs.into_iter().map(ranked).collect();
    let passing_pairs = run.passing.executions();
    let located = Located { subject, passing_pairs, bugs: &bugs };
    for note in located.notes() {
        console.note(&note);
    }
    let output = args.output.as_ref().map(|path| match path.to_str() {
        Some("-") => Output::Stdout,
        _ => Output::File(path.clone()),
    });
    let is_page = output.as_ref().and_then(Output::extension) == Some("html");
    let tables = located.tables(args.top, &run.folder);
    if output != Some(Output::Stdout) {
        let text = |(heading, tables): &(Option<String>, [Table; 2])| {
            let texts = tables.each_ref().map(|table| table.to_terminal(console.colors_output()));
            let heading = heading.as_ref().map(|heading| format!("{heading}\n\n"));
            heading.unwrap_or_default() + &texts.join("\n")
        };
        print(&tables.iter().map(text).collect::<Vec<_>>().join("\n"))?;
    }
    if let Some(output) = output {
        let text = if is_page { located.to_html(tables) } else { located.to_json() };
        write_whole(&output, |out| out.write_all(text.as_bytes())).map_err(Unwritten)?;
    }
    Ok(ExitCode::Success)
}
