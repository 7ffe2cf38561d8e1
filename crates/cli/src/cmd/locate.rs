//! `metacov locate`

mod corpus;

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use metacov_core::{Case, Input, Judge, Language, Pair};
use metacov_formats::Fault;
use metacov_report::Located;
use metacov_study::conduct::{LocateRun, LocateTarget, RunOfTarget};
use metacov_study::locate::{Formula, Symptom, rank};

use super::target::list;
use super::workers;
use crate::args::count::OldCount;
use crate::args::target::interrupted;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Unwritten, UsageError, bail_usage};
use crate::output::{Output, write_whole};

const EXAMPLES: &str = "\
Examples:
  Two queries that should agree, on a database, and do not:
    metacov locate sqlite@3.29.0 --setup schema.sql --a query.sql --b rewritten.sql
  The first side's number of rows is the second side's number (NoREC):
    metacov locate sqlite@3.29.0 --setup schema.sql --a rows.sql --b sum.sql --compare rowcount
  The violations of a run, together or one of them:
    metacov measure sqlite@3.29.0 --relation norec -o run.metacov
    metacov locate run.metacov
    metacov locate run.metacov --pair norec/17
  How well does it do? On bugs whose fixes are known:
    metacov locate --corpus bugs.json

A line is the more suspicious the more of the violating variants of the pair run it and the fewer of the
passing pairs; docs/locate.md has the formula. Code that the pair did not run is not ranked.";

/// Rank functions and lines by how suspicious a violating pair makes them.
///
/// The pair is edited in hundreds of small ways, in its queries and in its database. What still
/// violates the relation tells which code is needed for it; what does not, and pairs that are made for
/// the engine or are in the same run, tell which code is innocent.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The engine, such as `sqlite@3.29.0` (`metacov target list`), or a run file.
    #[arg(value_name = "ENGINE|RUN.metacov", required_unless_present = "corpus")]
    subject: Option<String>,
    /// A script that makes the database; statements of it may fail.
    #[arg(long, value_name = "FILE", requires = "a")]
    setup: Option<PathBuf>,
    /// The script of the first side.
    #[arg(long, value_name = "FILE", requires = "b")]
    a: Option<PathBuf>,
    /// The script of the second side.
    #[arg(long, value_name = "FILE", requires = "a")]
    b: Option<PathBuf>,
    /// How the results must agree.
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    compare: Compare,
    /// Of a run file: the violating pairs to look into, as RELATION/NAME [default: the first
    /// ten].
    #[arg(long, value_name = "PAIR", conflicts_with_all = ["a", "corpus"])]
    pair: Vec<String>,
    /// Look for the fixes of known bugs instead (docs/corpus.md draws the file).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["subject", "a"])]
    corpus: Option<PathBuf>,
    /// How many variants of each violating pair are run, at most.
    #[arg(long, value_name = "N", default_value = "1500")]
    variants: usize,
    /// How many passing pairs of each relation are generated.
    #[arg(long, value_name = "N", default_value = "300")]
    count: NonZero<u64>,
    #[command(flatten)]
    old_count: OldCount,
    /// The seed of the passing pairs.
    #[arg(long, value_name = "SEED", default_value = "1")]
    seed: u64,
    /// Another SQLite: a library that is built with `metacov cc -shared`.
    #[arg(long, value_name = "FILE", conflicts_with = "corpus")]
    library: Option<PathBuf>,
    /// How many functions and lines to show.
    #[arg(long, value_name = "N", default_value = "10")]
    top: usize,
    /// Write all of the ranking as JSON, or what is shown as a page (`.html`); `-` is standard
    /// output.
    #[arg(short, long, value_name = "FILE", conflicts_with = "corpus")]
    output: Option<PathBuf>,
    /// How many workers [default: as many as processors].
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Compare {
    /// The same rows, each as often, in any order.
    #[default]
    Multiset,
    /// The same number; no value is zero.
    Value,
    /// The first side has as many rows as the second side's number says.
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
    let workers = workers(args.jobs);
    let is_run = Path::new(subject).extension().is_some_and(|ending| ending == "metacov");
    match (&args.a, &args.b) {
        (Some(_), Some(_)) if is_run => {
            bail_usage!(
                "a run file has its own pairs: --pair chooses; --a and --b go with an engine"
            )
        }
        (Some(a), Some(b)) => {
            let (interrupted, library) = (interrupted()?, args.library.as_deref());
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
            let mut run = LocateRun::with_generated(&options, args.count(), args.seed)?;
            let name = format!("{} and {}", a.display(), b.display());
            let symptom = run
                .explore(&case, args.variants)?
                .map_err(|unfit| UsageError(format!("{name}: {unfit}")))?;
            show(args, subject, &run, &[(name, symptom)], console)
        }
        _ if is_run => {
            let run = RunOfTarget::open(Path::new(subject))?;
            let library = args.library.as_ref().or(run.library.as_ref()).cloned();
            let (interrupted, library) = (interrupted()?, library.as_deref());
            let target = LocateTarget::new(&list(), &run.engine, library, workers, &interrupted)?;
            let violations = run.violations(&args.pair, target.language())?;
            let options = target.options();
            let on_message = |message| console.message(message);
            let (run, symptoms) = violations.explore(&options, args.variants, &on_message)?;
            show(args, subject, &run, &symptoms, console)
        }
        _ => bail_usage!("which pair? --a FILE and --b FILE (and --setup FILE), or a run file"),
    }
}

impl Args {
    /// How many passing pairs of each relation are generated.
    fn count(&self) -> u64 {
        self.old_count.get().unwrap_or(self.count).get()
    }
}

/// The statements of a script.
fn script(path: &Path, language: &dyn Language) -> anyhow::Result<Vec<String>> {
    let text = fs::read_to_string(path)
        .map_err(|error| Fault::Io(error).of(path.display().to_string()))?;
    let statements = language.statements(&text);
    if statements.is_empty() {
        bail_usage!("{} has no statement", path.display());
    }
    Ok(statements)
}

fn show(
    args: &Args,
    subject: &str,
    run: &LocateRun<'_>,
    symptoms: &[(String, Symptom)],
    console: &Console,
) -> anyhow::Result<ExitCode> {
    let only: Vec<Symptom> = symptoms.iter().map(|(_, symptom)| symptom.clone()).collect();
    let passing_pairs = run.passing.executions();
    let ranking = &rank(&run.table, &run.functions, &only, &run.passing, Formula::Suspicion);
    let located = Located { subject, passing_pairs, symptoms, ranking };
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
        let texts = tables.each_ref().map(|table| table.to_terminal(console.colors_output()));
        print(&texts.join("\n"))?;
    }
    if let Some(output) = output {
        let text = if is_page { located.to_html(tables) } else { located.to_json() };
        write_whole(&output, |out| out.write_all(text.as_bytes())).map_err(Unwritten)?;
    }
    Ok(ExitCode::Success)
}
