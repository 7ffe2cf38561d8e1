//! `metacov diff`

use std::num::NonZero;
use std::path::{Path, PathBuf};

use metacov_core::{Criterion, Group, Operation, Pair, command_line};
use metacov_formats::{FileSpec, GroupSpec, PairList};
use metacov_report::{By, PairOrigin};
use metacov_run::{CoverageFiles, FoldOptions, RunError, fold};
use metacov_store::Provenance;

use super::{RunSettings, workers};
use crate::args::choice::{Choices, choice};
use crate::args::count::positive;
use crate::args::output::OutputArgs;
use crate::args::run_file::ResumeArgs;
use crate::args::scope::ScopeArgs;
use crate::console::Console;
use crate::exit_code::{Outcome, bail_usage};
use crate::signals::interrupted;

const USAGE: &str = "\
metacov diff [OPTIONS] A B
       metacov diff [OPTIONS] -a FILE... -b FILE...
       metacov diff [OPTIONS] --pairs FILE";

const EXAMPLES: &str = "\
Examples:
  metacov diff a.json b.json                        what did only one of two runs execute?
  metacov diff a.info b.info --by function          in which functions?
  metacov diff --pairs pairs.jsonl -o run.metacov   compare a suite of pairs, keep all of them";

const ALL_EXAMPLES: &str = "\
Examples:
  What did only one of two runs execute?
    metacov diff a.json b.json
  In which functions?
    metacov diff a.info b.info --by function --criterion line
  Two runs of a program built with gcc --coverage, without gcov:
    GCOV_PREFIX=$PWD/run1 ./prog input1; GCOV_PREFIX=$PWD/run2 ./prog input2
    metacov diff run1 run2
  Several files on a side:
    metacov diff -a run1/*.json -b run2/*.json
  The difference, as a page of gcovr:
    metacov diff a.json b.json -o mc.json && gcovr -a mc.json --html-details mc.html
  A suite of pairs, from a manifest, or from the contexts of a coverage.py data file:
    metacov diff --pairs pairs.jsonl -o mc.info -o summary.md
    metacov diff --pairs .coverage --universe coverage.json
  All pairs in a run file, to report on and to merge later:
    metacov diff --pairs pairs.jsonl -o run.metacov && metacov report run.metacov --by file";

const MORE: &str = "\
A manifest has a pair in each line; its files are relative to its folder:
  {\"relation\": \"norec\", \"pair\": \"1\", \"a\": [\"1a.json\"], \"b\": [\"1b.json\"]}
  {\"relation\": \"fusion\", \"pair\": \"7\", \"inputs\": [[\"seed1.json\", \"seed2.json\"], [\"fused.json\"]]}

The table:
  executed         sites that ran
  a only, b only   sites that only this side ran (either: a only in some pairs, b only in others)
  both             sites that both sides ran: a fault there is likely to go unnoticed
  not executed     sites that never ran
  MC sites, MC     sites that only one side of some pair ran, and their percentage of all sites
  MC/Cov           MC sites in percent of executed";

/// Compare the coverage of two executions, or of many pairs.
///
/// Reads gcov's counters (.gcda), gcov JSON, gcovr JSON, lcov, llvm-cov JSON, coverage.py (JSON and data file), Cobertura,
/// JaCoCo, Go and Istanbul files, plain or compressed (gzip, zstd), and recognises them by their content. The result is
/// what one side executed and the other did not, united over all pairs: metamorphic coverage.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, before_long_help = ALL_EXAMPLES, after_long_help = MORE, override_usage = USAGE)]
pub struct Args {
    /// Coverage file of each side, or a folder with counters (`.gcda`).
    ///
    /// `FILE::NAME` takes one context or test of a file. `-` is standard input, for one file.
    #[arg(value_name = "FILE", num_args = 0..=2)]
    files: Vec<PathBuf>,
    /// Coverage files of side a, united.
    #[arg(short, value_name = "FILE", num_args = 1.., requires = "b", conflicts_with = "files")]
    a: Vec<PathBuf>,
    /// Coverage files of side b, united.
    #[arg(short, value_name = "FILE", num_args = 1.., requires = "a", conflicts_with = "files")]
    b: Vec<PathBuf>,
    /// Suite of pairs: a manifest, or a coverage.py data file.
    ///
    /// The contexts of a coverage.py data file are named like `mr=swap|pair=7|side=a`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "a", "b"])]
    pairs: Option<PathBuf>,
    /// Files that list all code, for formats that list only executed code.
    #[arg(long, value_name = "FILE")]
    universe: Vec<PathBuf>,
    /// Which sites count.
    #[arg(long, default_value = "xor", value_name = "OP", value_parser = choice(OPERATIONS))]
    op: Operation,
    /// Pairs to read at the same time [default: the number of processors].
    #[arg(short, long, value_name = "N", value_parser = positive::<NonZero<usize>>)]
    jobs: Option<NonZero<usize>>,

    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    resume: ResumeArgs,
    #[command(flatten)]
    scope: ScopeArgs,
}

/// Which sites count.
const OPERATIONS: Choices<Operation> = &[
    ("xor", "Those that only one side ran", Operation::Xor),
    ("sub", "Those that a ran and b did not", Operation::Sub),
    ("and", "Those that both sides ran", Operation::And),
    ("or", "Those that any side ran", Operation::Or),
];

pub fn run(args: Args, console: &Console) -> Outcome {
    let is_suite = args.pairs.is_some();
    let by = if is_suite { By::Relation } else { By::Total };
    let (presentation, path) = args.output.presentation(by)?;
    let files = args.files.iter().chain(&args.a).chain(&args.b);
    let settings = [
        ("--universe", command_line(&args.universe)),
        ("--pairs", command_line(&args.pairs)),
        ("the files", command_line(files)),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value)).into();
    // A manifest is read twice, and each worker reads the universe.
    let read_twice = args.pairs.iter().map(|path| ("--pairs", path));
    let mut read_twice = read_twice.chain(args.universe.iter().map(|path| ("--universe", path)));
    if let Some((option, _)) = read_twice.find(|(_, path)| is_stdin(path)) {
        bail_usage!("{option} is read more than once, so it cannot be standard input: give a file");
    }
    let interrupted = path.as_ref().map(|_| interrupted()).transpose()?.unwrap_or_default();
    let mut run_file = args.resume.run_file(path, "diff", is_suite, settings, interrupted)?;
    let mut scope = args.scope.scope()?;
    // There are as many blocks as all other sites together, so they are read only on request.
    scope.blocks = presentation.asks_for(Criterion::Block);
    let (universe, workers) = (specs(&args.universe), workers(args.jobs));
    let options = FoldOptions { scope, operation: args.op, universe, workers };
    let pairs = || pairs(&args.files, &args.a, &args.b, args.pairs.as_deref());
    if let Some(file) = &mut run_file
        && file.goes_on()
    {
        file.listed = Some(pairs()?.names()?);
    }
    let (pairs, provenance) = (pairs()?, Provenance::here(Vec::new()));
    let (timed, origin, leave_out_flaky) = (false, PairOrigin::Files, false);
    let settings = RunSettings { presentation, run_file, leave_out_flaky, timed, origin };
    settings.run(&options, pairs.groups, provenance, console, |table, observer| {
        fold(&CoverageFiles, pairs, &options, table, observer)
    })
}

fn pairs(
    files: &[PathBuf],
    a: &[PathBuf],
    b: &[PathBuf],
    manifest: Option<&Path>,
) -> Result<PairList, RunError> {
    if let Some(path) = manifest {
        return Ok(PairList::open(path)?);
    }
    if files.iter().chain(a).chain(b).filter(|path| is_stdin(path)).count() > 1 {
        bail_usage!("standard input (`-`) can be one file only");
    }
    let sides = match files {
        [a, b] => Pair { a: specs([a]), b: specs([b]) },
        [] if !a.is_empty() => Pair { a: specs(a), b: specs(b) },
        _ => {
            bail_usage!("expected two coverage files: metacov diff A B (see --help for more)")
        }
    };
    let (relation, pair) = ("pair".to_owned(), "1".to_owned());
    let sides = Group::from(sides);
    Ok(PairList::single(GroupSpec { relation, pair, sides, judge: None, listed_at: None }))
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn specs<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Vec<FileSpec> {
    let spec = |path: &PathBuf| match path.to_str() {
        Some("-") => FileSpec { path: PathBuf::from("/dev/stdin"), context: None },
        Some(text) => FileSpec::parse(text, Path::new("")),
        None => FileSpec { path: path.clone(), context: None },
    };
    paths.into_iter().map(spec).collect()
}
