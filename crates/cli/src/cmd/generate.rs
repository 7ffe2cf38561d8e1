//! `metacov gen`

use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Duration;

use metacov_campaign::{GeneratedSuite, relation_positions, write_pairs};
use metacov_core::counted;
use metacov_exec::{Flavour, Limits};
use metacov_formats::{Fault, Scope};
use metacov_methods::smt::test_files;
use metacov_run::RunError;

use super::target;
use crate::args::solver::check_seeds;
use crate::cmd::measure::DEFAULT_COUNT;
use crate::cmd::measure::engine::EngineArgs;
use crate::console::Console;
use crate::exit_code::{ExitCode, Outcome, bail_usage};
use crate::signals::interrupted;

/// The timeout of a database.
const TIMEOUT: Duration = Duration::from_secs(60);

const EXAMPLES: &str = "\
Examples:
  Write a hundred NoREC pairs as folders, and run your own program on them:
    metacov gen sqlite --relation norec --count 100 --out pairs/
    metacov measure --pairs pairs/ -- ./shell @@
  Write a hundred tests of SMT solvers of each relation:
    metacov gen smt --count 100 --out tests/";

const MORE: &str = "\
Each file of SQL starts with the statements that make its database; some of these fail, which is intended. The pairs are those of `metacov measure` with the same \
target, seed and counts. `smt` stands for all SMT solvers: no solver is needed, and each file states the answer that is right for it as :status, if it is known.";

/// Write generated pairs to files: those that `metacov measure TARGET` runs.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// Target to generate pairs for, such as `sqlite` (see `metacov target list`), or `smt`.
    #[arg(value_name = "TARGET")]
    target: String,
    /// Folder to write to: RELATION/PAIR/a.sql and b.sql; a.smt2 and b.smt2 of solvers, where a side with two
    /// formulas is a1.smt2 and a2.smt2.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    on_engine: EngineArgs,
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    let engine = &args.on_engine;
    let pairs = engine.count.unwrap_or(DEFAULT_COUNT).get();
    if fs::read_dir(&args.out).is_ok_and(|mut entries| entries.next().is_some()) {
        bail_usage!("{}: the folder is not empty; choose another --out", args.out.display());
    }
    if args.target == "smt" {
        return write_formulas(args, pairs, console);
    }
    let (program, target) = engine.solver.options()?;
    check_seeds(&args.target, target.seeds.as_deref(), console)?;
    let suite = GeneratedSuite {
        engine: args.target.clone(),
        library: program.or_else(|| engine.library.clone()),
        target,
        relations: engine.relations.names(),
        pairs,
        databases: engine.databases(),
        seed: engine.seed(),
        limits: Limits { wall: TIMEOUT, grace: Duration::ZERO, cpu: None, memory_bytes: None },
        interrupted: interrupted()?,
    };
    let workers = NonZero::<usize>::MIN;
    let tests = suite.open(&target::list(), Flavour::Plain, &Scope::default(), workers)?;
    let extension = tests.target.method().language().extension();
    let written = write_pairs(&tests.plan, &tests.options(), |relation, number, scripts| {
        let files = scripts.map(|(side, text)| (format!("{side}.{extension}"), text));
        write_files(&args.out.join(relation).join(number.to_string()), files)
    });
    let lost = written.map_err(|error| match error {
        RunError::System(error) => output_error(&args.out, error),
        other => other,
    })?;
    for state in &lost {
        console.warning(&state.to_string());
    }
    let left_out: u64 = lost.iter().map(|state| state.tests).sum();
    let pairs = counted(tests.plan.groups() - left_out, "pair", "pairs");
    console.note(&format!("{pairs} in {}", args.out.display()));
    Ok(ExitCode::Success)
}

/// Writes tests of SMT solvers, which need no solver to be generated.
fn write_formulas(args: &Args, pairs: u64, console: &Console) -> Outcome {
    let engine = &args.on_engine;
    let (target, _) = target::list().parse(&args.target)?;
    let relations = relation_positions(&engine.relations.names(), target)?;
    let numbers = (engine.seed(), pairs, engine.databases());
    let mut written = 0;
    for test in test_files(&engine.solver.seeds(console)?, relations, numbers) {
        let folder = args.out.join(test.relation).join(test.number.to_string());
        write_files(&folder, test.files).map_err(|error| output_error(&folder, error))?;
        written += 1;
    }
    let written = counted(written, "pair", "pairs");
    console.note(&format!("{written} in {}", args.out.display()));
    Ok(ExitCode::Success)
}

fn write_files(folder: &Path, files: impl IntoIterator<Item = (String, String)>) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    files.into_iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))
}

fn output_error(path: &Path, error: io::Error) -> RunError {
    RunError::Output(Fault::Io(error).of(path.display().to_string()))
}
