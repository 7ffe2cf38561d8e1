//! `metacov mutants`

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use metacov_campaign::{
    MutantCase, MutantSuite, PairMutants, WorkerConfig, WorkerOptions, run_mutants,
};
use metacov_core::{Case, Element, Fingerprint, Input, Judge, Language, Pair, SiteTable, Verdict};
use metacov_exec::Flavour;
use metacov_formats::Scope;
use metacov_mutants::{Mutant, MutantTable, Operator};
use metacov_report::{MutantFormat, MutantScores, Output, write_text};
use metacov_run::RunError;
use metacov_store::{
    MeasuredSources, MutantRun, MutantWriter, Run, StoredMutants, StoredPair, remove_mutants,
};
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
  A third of the pairs on each of three machines, with a copy of the run file each:
    metacov mutants run.metacov --shard 1/3";

const MORE: &str = "\
A mutant is a small change of the target, such as `<` to `<=`. There are 18 kinds, those that Mull applies by default. All mutants are compiled into one build, by clang 19. Each pair runs once; where it first reaches a mutant, a process continues with that mutant and judges both sides.

Verdicts: killed (the relation is violated), error (one side reports an error), crash, timeout (20 times the processor time of the pair), invalid (it cannot be judged) and survived. Only killed counts for the score. The state of a pair, such as its database, is built without mutants.

Results are added to the run file, pair by pair. The same command continues an interrupted run, and shows the results of a complete one.";

/// Run the pairs of a run file with mutants of the target, and show which of them each relation kills.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// Run file of generated pairs (`metacov measure TARGET -o RUN.metacov`).
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
    /// Set each mutant on from the start of a pair, in a process for each, to compare verdicts.
    #[arg(long, hide_short_help = true)]
    from_start: bool,
    /// Write the kill matrix as CSV: a row for each pair and mutant that it reached.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the kill matrix as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the mutants as Mutation Elements JSON, for viewers of mutation reports.
    #[arg(long, value_name = "FILE")]
    elements: Option<PathBuf>,
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
    let Some(name) = run.header.known_target().map(str::to_owned) else {
        // A merged file has results, and does not say of which target.
        if known.is_some() {
            return Ok(true);
        }
        bail_usage!(
            "{}: mutants need pairs that were generated for a target (metacov measure TARGET -o RUN.metacov)",
            run.name
        );
    };
    let (target, version) = list().parse(&name)?;
    let language = target.method().language();
    let is_done = |pair: &StoredPair| {
        let key = (pair.relation.clone(), pair.name.clone());
        known.is_some_and(|known| known.pairs.contains_key(&key))
    };
    let (mut cases, mut left_out) = (Vec::new(), 0);
    for pair in args.shard.of(run.pairs()?) {
        let pair = pair?;
        if is_done(&pair) {
            continue;
        }
        match case(&run, &pair, language)? {
            Some(case) => cases.push(case),
            None => left_out += 1,
        }
    }
    if left_out > 0 {
        console.detail(|| format!("{left_out} pairs are left out: they do not hold, or their inputs are not stored whole"));
    }
    if cases.is_empty() && known.is_some() {
        return Ok(true);
    }
    console.detail(|| format!("building {name} with mutants"));
    let library = with_progress(console, |options| target.build_mutants(version, options))?
        .map_err(|error| RunError::Failed(format!("{name}: {error}")))?;
    let table = MutantTable::of_file(&library)
        .map_err(|error| RunError::Failed(format!("{}: {error}", library.display())))?;
    let wanted = match known {
        Some(known) if args.chooses_nothing() => known.wanted.clone(),
        _ => wanted(args, &table.mutants, &mut run, console)?,
    };
    drop(run);
    let writer = MutantWriter::open(&args.run, &table.mutants, &wanted)?;
    let config = WorkerConfig::of_library(target, &library, Flavour::Plain, &Scope::default())?;
    let interrupted = interrupted()?;
    let options = WorkerOptions {
        workers: workers(args.jobs),
        ..WorkerOptions::new(target, &config, &interrupted)
    };
    let suite = MutantSuite {
        library: &library,
        table: &table,
        wanted: &wanted,
        from_start: args.from_start,
    };
    let bar = console.progress(cases.len() as u64);
    let each = |case: &MutantCase, done: PairMutants| {
        let PairMutants { unusable, verdicts, plain_micros, mutant_micros } = done;
        let stored = StoredMutants { unusable, verdicts, plain_micros, mutant_micros };
        writer.add(&case.case.relation, &case.name, &stored)?;
        bar.inc(1);
        Ok(())
    };
    let ran = run_mutants(&cases, &suite, &options, &each);
    bar.finish_and_clear();
    match ran {
        Err(RunError::Interrupted) => Ok(false),
        ran => ran.map(|()| !interrupted.load(std::sync::atomic::Ordering::Relaxed)),
    }
}

impl Args {
    fn chooses_nothing(&self) -> bool {
        self.sample.is_none() && self.operators.is_empty() && self.diff.is_none()
    }
}

/// A stored pair as a case; none if it does not hold, or if it is not stored whole.
fn case(
    run: &Run,
    pair: &StoredPair,
    language: &dyn Language,
) -> Result<Option<MutantCase>, RunError> {
    let judge = pair.judge.as_deref().and_then(Judge::named);
    let (Some(judge), Some(Verdict::Holds)) = (judge, &pair.verdict) else { return Ok(None) };
    let statements = |content: &[u8]| Some(language.statements(std::str::from_utf8(content).ok()?));
    let setup = match pair.setup {
        Some(hash) => statements(run.setup(hash)?.content()),
        None => Some(Vec::new()),
    };
    let side = |inputs: &[metacov_core::StoredInput]| -> Option<Vec<Input>> {
        let input = |input: &metacov_core::StoredInput| {
            let is_whole = input.content.len() as u64 == input.bytes;
            is_whole.then(|| statements(&input.content)).flatten().map(Input::from)
        };
        inputs.iter().map(input).collect()
    };
    let [a, b] = &*pair.inputs else { return Ok(None) };
    let (Some(setup), Some(a), Some(b)) = (setup, side(a), side(b)) else { return Ok(None) };
    let (relation, parts) = (pair.relation.clone(), Vec::new());
    let case = Case { relation, setup, sides: Pair { a, b }, parts, judge };
    Ok(Some(MutantCase { name: pair.name.clone(), case }))
}

/// Which mutants are run.
fn wanted(
    args: &Args,
    mutants: &[Mutant],
    run: &mut Run,
    console: &Console,
) -> Result<Vec<bool>, RunError> {
    let is_of_operator =
        |mutant: &Mutant| args.operators.is_empty() || args.operators.contains(&mutant.operator);
    let mut wanted: Vec<bool> = mutants.iter().map(is_of_operator).collect();
    if let Some(base) = &args.diff {
        let changed = changed_lines(base, &args.run, run, console)?;
        for (wanted, mutant) in wanted.iter_mut().zip(mutants) {
            *wanted &= changed.iter().any(|(path, line)| {
                *line == mutant.line
                    && path.trim_start_matches('/').ends_with(mutant.file.trim_start_matches('/'))
            });
        }
    }
    if let Some(size) = args.sample {
        // The same mutants each time, whatever the order of the build.
        let rank = |mutant: &Mutant| {
            let mut fingerprint = Fingerprint::new();
            fingerprint.text(&mutant.name());
            fingerprint.hash()
        };
        let mut ranked: Vec<(u64, usize)> = mutants
            .iter()
            .enumerate()
            .filter(|(at, _)| wanted[*at])
            .map(|(at, mutant)| (rank(mutant), at))
            .collect();
        ranked.sort_unstable();
        for (_, at) in ranked.iter().skip(size.get()) {
            wanted[*at] = false;
        }
    }
    if !wanted.contains(&true) {
        bail_usage!("no mutant of the target fits these options");
    }
    Ok(wanted)
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
