//! `metacov mutants`

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use metacov_campaign::{
    GeneratedMutants, MutantCase, MutantChoice, MutantPairs, MutantRunOptions, ProgramCase,
    ProgramMutants, WorkerConfig, WorkerOptions, missing_mutants as missing, run_mutants,
};
use metacov_core::{Element, SiteTable};
use metacov_exec::Flavour;
use metacov_formats::Scope;
use metacov_mutants::{MutantTable, Operator};
use metacov_report::{MutantFormat, MutantScores, Output, write_text};
use metacov_run::{ProgramSuite, RunError};
use metacov_store::{MeasuredSources, MutantRun, MutantWriter, Run, StoredPair, remove_mutants};
use metacov_study::conduct::{Shard, keep_changed};

use super::target::{list, with_progress};
use super::workers;
use crate::args::count::positive;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Outcome, bail_usage};
use crate::signals::interrupted;

const EXAMPLES: &str = "\
Examples:
  Which relation kills more mutants of SQLite?
    metacov measure sqlite --relation norec,tlp-where --count 20 -o run.metacov
    metacov mutants run.metacov
  A sample of 2000 mutants, and the whole matrix as a file:
    metacov mutants run.metacov --sample 2000 --csv matrix.csv
  Pairs of your own, on your program, which is built a second time, with mutants:
    metacov measure --pairs pairs/ --judge equal -o run.metacov -- ./prog @@
    metacov cc --mutants prog.c -o prog-mutants
    metacov mutants run.metacov -- ./prog-mutants @@
  A third of the pairs on each of three machines, with a copy of the run file each:
    metacov mutants run.metacov --shard 1/3";

const MORE: &str = "\
A mutant is a small change of the target, such as `<` to `<=`. There are 18 kinds, those that Mull applies by default. All mutants are compiled into one build, by clang 19. Each pair runs once; where it first reaches a mutant, a process continues with that mutant and judges both sides.

Verdicts: killed (the relation is violated), error (one side reports an error), crash, timeout (20 times the steps of the pair), invalid (it cannot be judged) and survived. Only killed counts for the score. The state of a pair, such as its database, is built without mutants.

Results are added to the run file, pair by pair. The same command continues an interrupted run, and shows the results of a complete one.";

/// Run the pairs of a run file with mutants of the target, and show which of them each relation kills.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// Run file of generated pairs (`metacov measure TARGET -o RUN.metacov`), or of judged pairs of a program.
    #[arg(value_name = "RUN.metacov")]
    run: PathBuf,
    /// Run a sample of this many mutants [default: all].
    #[arg(long, value_name = "N", value_parser = positive::<NonZero<usize>>)]
    sample: Option<NonZero<usize>>,
    /// Run mutants of these operators [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = operator)]
    operators: Vec<Operator>,
    /// Run mutants on lines changed since this commit or branch.
    #[arg(long, value_name = "BASE")]
    diff: Option<String>,
    /// Run every N-th pair, starting at the K-th.
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    shard: Shard,
    /// Number of workers [default: number of processors].
    #[arg(short, long, value_name = "N", value_parser = positive::<NonZero<usize>>)]
    jobs: Option<NonZero<usize>>,
    /// Remove stored results first.
    #[arg(long)]
    again: bool,
    /// Also run each mutant in a new process, in which it is on from the start of the pair, and compare the verdicts.
    #[arg(long, hide_short_help = true)]
    compare: bool,
    /// Write the kill matrix as CSV: a row for each pair and mutant that it reached.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the kill matrix as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the mutants as Mutation Elements JSON, for viewers of mutation reports.
    #[arg(long, value_name = "FILE")]
    elements: Option<PathBuf>,
    /// Program under test, built with `metacov cc --mutants`, with arguments; `@@` is the input file.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn operator(name: &str) -> Result<Operator, String> {
    Operator::named(name).ok_or_else(|| {
        let names: Vec<&str> = Operator::all().map(Operator::name).collect();
        format!("not an operator (known: {})", names.join(", "))
    })
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    if args.again {
        remove_mutants(&args.run)?;
    }
    let run = Run::open(&args.run)?;
    let known = run.mutants()?;
    let is_complete = run_missing(args, run, known.as_ref(), console)?;
    let run = Run::open(&args.run)?;
    let Some(mutants) = run.mutants()? else { return Ok(ExitCode::Interrupted) };
    let suite = run.suite()?.0;
    let scores = MutantScores::new(&mutants, &suite);
    show(args, &scores, console)?;
    if !is_complete {
        console.warning("interrupted: the same command continues");
        return Ok(ExitCode::Interrupted);
    }
    Ok(ExitCode::Success)
}

/// Runs all pairs of a run file with a sample of mutants, or with all. Returns false if it was interrupted.
pub fn run_sample(
    run: &Path,
    sample: Option<NonZero<usize>>,
    jobs: Option<NonZero<usize>>,
    console: &Console,
) -> Result<bool, RunError> {
    let args = Args {
        run: run.to_owned(),
        sample,
        operators: Vec::new(),
        diff: None,
        shard: Shard { part: 1, parts: 1 },
        jobs,
        again: false,
        compare: false,
        csv: None,
        json: None,
        elements: None,
        command: Vec::new(),
    };
    let file = Run::open(&args.run)?;
    let known = file.mutants()?;
    run_missing(&args, file, known.as_ref(), console)
}

fn show(args: &Args, scores: &MutantScores<'_>, console: &Console) -> Result<(), RunError> {
    let color = console.colors_output();
    let tables = [scores.by_relation(), scores.by_operator(), scores.by_function()];
    let tables = tables.map(|table| table.to_terminal(color));
    print(&format!("{}\n{}", tables.join("\n"), scores.lines_note()))?;
    console.note(&scores.cost_note());
    let files = [
        (&args.csv, MutantFormat::Csv),
        (&args.json, MutantFormat::Json),
        (&args.elements, MutantFormat::Elements),
    ];
    for (path, format) in files {
        if let Some(path) = path {
            write_text(&Output::of(path), &scores.to_file(format))?;
        }
    }
    Ok(())
}

/// Runs all pairs that have no results yet. Returns whether all have some now.
fn run_missing(
    args: &Args,
    mut run: Run,
    known: Option<&MutantRun>,
    console: &Console,
) -> Result<bool, RunError> {
    if !args.command.is_empty() {
        return run_program(args, run, known, console);
    }
    let Some(name) = run.header.known_target().map(str::to_owned) else {
        // A merged file has results, and does not say of which target.
        if known.is_some() {
            return Ok(true);
        }
        bail_usage!(
            "{}: not pairs of a target: give the program, built with metacov cc --mutants (metacov mutants {} -- ./prog @@)",
            run.name,
            run.name
        );
    };
    let (target, version) = list().parse(&name)?;
    let language = target.method().language();
    let stored: Vec<StoredPair> = args.shard.of(run.pairs()?).collect::<Result<_, _>>()?;
    let cases = missing(&stored, known, |pair| MutantCase::of(&run, pair, language))?;
    if cases.is_empty() && known.is_some() {
        return Ok(true);
    }
    console.detail(|| format!("building {name} with mutants"));
    let library = with_progress(console, |options| target.build_mutants(version, options))?
        .map_err(|error| RunError::Failed(format!("{name}: {error}")))?;
    let (table, wanted) = args.mutants_of(&library, &mut run, known, console)?;
    drop(run);
    let writer = MutantWriter::open(&args.run, &table.mutants, &wanted)?;
    let config = WorkerConfig::of_library(target, &library, Flavour::Plain, &Scope::default())?;
    let interrupted = interrupted()?;
    let workers = &WorkerOptions::new(target, &config, &interrupted);
    let (cases, table, wanted, library) = (&*cases, &table, &*wanted, &*library);
    let pairs = GeneratedMutants { cases, library, table, wanted, workers };
    run_pairs(args, &pairs, &writer, &interrupted, console)
}

/// Runs pairs of the user on their program.
fn run_program(
    args: &Args,
    mut run: Run,
    known: Option<&MutantRun>,
    console: &Console,
) -> Result<bool, RunError> {
    let interrupted = interrupted()?;
    let stored: Vec<StoredPair> = args.shard.of(run.pairs()?).collect::<Result<_, _>>()?;
    let setup =
        stored.iter().find_map(|pair| pair.setup).map(|hash| run.setup(hash)).transpose()?;
    let settings = &run.header.settings;
    let suite =
        ProgramSuite::of_settings(settings, setup, args.command.clone(), Arc::clone(&interrupted));
    let Some(suite) = suite else {
        bail_usage!(
            "{}: not pairs of a program (metacov measure --pairs PAIRS --judge equal -o RUN.metacov -- ./prog @@)",
            run.name
        );
    };
    suite.check()?;
    let specs = suite.list()?.specs.collect::<Result<Vec<_>, _>>()?;
    let specs: BTreeMap<(&str, &str), _> =
        specs.iter().map(|spec| ((&*spec.relation, &*spec.pair), spec)).collect();
    let to_case = |pair: &StoredPair| {
        let spec = specs.get(&(&*pair.relation, &*pair.name));
        Ok(spec.and_then(|spec| ProgramCase::of(spec, pair)))
    };
    let cases = missing(&stored, known, to_case)?;
    if cases.is_empty() {
        if known.is_some() {
            return Ok(true);
        }
        bail_usage!("{}: no pair was judged and holds: measure with --judge", run.name);
    }
    let program = &suite.runs.target;
    let (table, wanted) = args.mutants_of(Path::new(&program.name()), &mut run, known, console)?;
    drop(run);
    let writer = MutantWriter::open(&args.run, &table.mutants, &wanted)?;
    let wanted: Vec<u8> = wanted.into_iter().map(u8::from).collect();
    let pairs = ProgramMutants { cases: &cases, program, table: &table, wanted: &wanted };
    run_pairs(args, &pairs, &writer, &interrupted, console)
}

fn run_pairs<P: MutantPairs>(
    args: &Args,
    pairs: &P,
    writer: &MutantWriter,
    interrupted: &AtomicBool,
    console: &Console,
) -> Result<bool, RunError> {
    let bar = console.progress(pairs.count() as u64);
    let options = MutantRunOptions { workers: workers(args.jobs), compares: args.compare };
    let ran = run_mutants(pairs, options, writer, &|| bar.inc(1));
    bar.finish_and_clear();
    let compared = match ran {
        Err(RunError::Interrupted) => return Ok(false),
        ran => ran?,
    };
    if args.compare {
        console.note(&compared.to_string());
        if !compared.kills_the_same() {
            return Err(RunError::Failed("new processes kill other mutants".to_owned()));
        }
    }
    Ok(!interrupted.load(Ordering::Relaxed))
}

impl Args {
    fn chooses_nothing(&self) -> bool {
        self.sample.is_none() && self.operators.is_empty() && self.diff.is_none()
    }

    /// The mutants of a program or library, and which of them are run.
    fn mutants_of(
        &self,
        built: &Path,
        run: &mut Run,
        known: Option<&MutantRun>,
        console: &Console,
    ) -> Result<(MutantTable, Vec<bool>), RunError> {
        let table = MutantTable::of_file(built)
            .map_err(|error| RunError::Failed(format!("{}: {error}", built.display())))?;
        if let Some(known) = known.filter(|_| self.chooses_nothing()) {
            return Ok((table, known.wanted.clone()));
        }
        let lines = self.diff.as_ref().map(|base| changed_lines(base, &self.run, run, console));
        let (operators, lines) = (self.operators.clone(), lines.transpose()?);
        let choice = MutantChoice { operators, lines, sample: self.sample };
        let wanted = choice.of(&table.mutants);
        if !wanted.contains(&true) {
            bail_usage!("no mutant of the target fits these options");
        }
        Ok((table, wanted))
    }
}

/// The lines of code that were changed, by path.
fn changed_lines(
    base: &str,
    path: &Path,
    run: &mut Run,
    console: &Console,
) -> Result<BTreeSet<(String, u32)>, RunError> {
    let sources = MeasuredSources::open(path, None, &run.header.root)?;
    let on_message = |message| console.message(message);
    let root = run.header.root.clone();
    keep_changed(&mut run.table, base, &root, &|path| sources.changed_text(path), &on_message)?;
    let table: &SiteTable = &run.table;
    let lines = table.sites().filter(|(_, site)| site.element == Element::Line);
    Ok(lines.map(|(_, site)| (table.path(site.file).to_owned(), site.line)).collect())
}
