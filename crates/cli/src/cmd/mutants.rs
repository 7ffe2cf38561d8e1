//! `metacov mutants`

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use metacov_campaign::{MutantChoice, MutantRunOptions};
use metacov_mutants::Operator;
use metacov_report::{MutantFormat, MutantScores, Output, Screen, write_text};
use metacov_run::RunError;
use metacov_store::{Run, remove_mutants};
use metacov_study::conduct::{MutantsContext, MutantsEnd, MutantsRun, Shard};

use super::target::{list, with_progress};
use super::workers;
use crate::args::count::positive;
use crate::console::bar::PAIRS;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Outcome};
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
    let (operators, sample) = (args.operators.clone(), args.sample);
    let run = MutantsRun {
        path: &args.run,
        choice: MutantChoice { operators, sample, lines: None },
        changed_since: args.diff.as_deref(),
        shard: args.shard,
        command: &args.command,
        options: MutantRunOptions { workers: workers(args.jobs), compares: args.compare },
    };
    let MutantsEnd { is_interrupted, compared } = run_pairs(&run, console)?;
    if let Some(compared) = compared {
        console.note(&compared.to_string());
        if !compared.kills_the_same() {
            return Err(RunError::Failed("new processes kill other mutants".to_owned()));
        }
    }
    let run = Run::open(&args.run)?;
    let Some(mutants) = run.mutants()? else { return Ok(ExitCode::Interrupted) };
    let suite = run.suite()?.0;
    show(args, &MutantScores::new(&mutants, &suite), console)?;
    if is_interrupted {
        console.warning("interrupted: the same command continues");
        return Ok(ExitCode::Interrupted);
    }
    Ok(ExitCode::Success)
}

/// Runs pairs with mutants, and shows the progress.
pub fn run_pairs(run: &MutantsRun<'_>, console: &Console) -> Result<MutantsEnd, RunError> {
    let bar = console.bar(PAIRS);
    run.run(&MutantsContext {
        targets: &list(),
        interrupted: &interrupted,
        build: &|target, version| {
            Ok(with_progress(console, |options| target.build_mutants(version, options))??)
        },
        on_progress: &|done, all| bar.set(done, all),
        on_message: &|message| console.message(message),
    })
}

fn show(args: &Args, scores: &MutantScores<'_>, console: &Console) -> Result<(), RunError> {
    let color = console.has_colors();
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
