//! `metacov gen`

mod smt;

use std::fs;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use metacov_campaign::{GeneratedSuite, write_pairs};
use metacov_core::counted;
use metacov_exec::{Flavour, Limits};
use metacov_formats::{Fault, Scope};
use metacov_run::RunError;

use self::smt::SmtTests;
use super::target;
use crate::args::count::OldCount;
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
Each file starts with the statements that make its database; some of these fail, which is intended. The pairs are those of `metacov measure` with the same target, \
seed and counts. `smt` stands for all SMT solvers; its files state the expected answer as :status.";

/// Write generated pairs to files: those that `metacov measure TARGET` runs.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// Target to generate pairs for, such as `sqlite` (see `metacov target list`), or `smt`.
    #[arg(value_name = "TARGET")]
    target: String,
    /// Folder to write to: RELATION/PAIR/a.sql and b.sql (a1, a2 if a side has two inputs).
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Deprecated: name the target itself.
    #[arg(long, value_name = "TARGET", hide = true)]
    engine: Option<String>,
    #[command(flatten)]
    old_count: OldCount,

    #[command(flatten)]
    on_engine: EngineArgs,
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    args.old_count.warn(console);
    let engine = &args.on_engine;
    let pairs = args.old_count.get().or(engine.count).unwrap_or(DEFAULT_COUNT).get();
    if fs::read_dir(&args.out).is_ok_and(|mut entries| entries.next().is_some()) {
        bail_usage!("{}: the folder is not empty; choose another --out", args.out.display());
    }
    if args.target == "smt" {
        let tests = SmtTests {
            relations: &engine.relations.names(),
            count: pairs,
            databases: engine.databases(),
            seed: engine.seed(),
            facts: engine.solver.seeds()?,
        };
        let written = counted(tests.write(&args.out)?, "pair", "pairs");
        console.note(&format!("{written} in {}", args.out.display()));
        return Ok(ExitCode::Success);
    }
    let (program, target) = engine.solver.options()?;
    let suite = GeneratedSuite {
        engine: args.target(console).to_owned(),
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
    let language = tests.target.method().language();
    let written = write_pairs(&tests.plan, &tests.options(), |setup, (relation, number), sides| {
        let folder = args.out.join(relation).join(number.to_string());
        fs::create_dir_all(&folder)?;
        for (name, side) in [("a", &sides.a), ("b", &sides.b)] {
            let mut text = language.script(setup);
            text.extend(side.iter().map(|input| language.script(&input.statements)));
            fs::write(folder.join(format!("{name}.{}", language.extension())), text)?;
        }
        Ok(())
    });
    written.map_err(|error| match error {
        RunError::System(error) => {
            RunError::Output(Fault::Io(error).of(args.out.display().to_string()))
        }
        other => other,
    })?;
    let pairs = counted(tests.plan.groups(), "pair", "pairs");
    console.note(&format!("{pairs} in {}", args.out.display()));
    Ok(ExitCode::Success)
}

impl Args {
    /// Returns the target. Until version 0.2 it was given by `--engine`, after the language `sql`.
    fn target(&self, console: &Console) -> &str {
        if self.target != "sql" && self.engine.is_none() {
            return &self.target;
        }
        let target = self.engine.as_deref().unwrap_or("sqlite");
        console.warning(&format!("metacov gen sql is deprecated: use metacov gen {target}"));
        target
    }
}
