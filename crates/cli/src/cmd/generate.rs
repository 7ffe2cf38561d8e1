//! `metacov gen sql`

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use metacov_campaign::{Plan, WorkerOptions, script, write};
use metacov_formats::{Fault, Scope};

use super::measure_sql::{EngineArgs, Flavour, setting};
use super::target_args::interrupted;
use super::workers;
use crate::exit_code::{ExitCode, Unwritten};
use crate::talk::Console;

/// How long a database may take.
const TIMEOUT: Duration = Duration::from_secs(60);

const EXAMPLES: &str = "\
Examples:
  A hundred NoREC pairs, as folders that `metacov measure --pairs` runs:
    metacov gen sql --relation norec --pairs 100 --out pairs/
    metacov measure --pairs pairs/ -- ./shell @@

Each side is a file of its own, with the statements that make its database in front. Some of those fail,
and are part of it. They are the pairs of `metacov measure sqlite` with the same seed.";

/// Write the pairs down that `metacov measure sqlite` runs.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What to write.
    #[arg(value_name = "LANGUAGE", value_parser = ["sql"])]
    language: String,
    /// The engine that databases are made on, as for `metacov measure`: `sqlite@VERSION`.
    #[arg(long, value_name = "ENGINE", default_value = "sqlite")]
    engine: String,
    /// How many pairs of each relation.
    #[arg(long, value_name = "NUMBER", default_value = "100")]
    pairs: u64,
    /// The folder to write to: RELATION/PAIR/a.sql and b.sql.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,

    #[command(flatten)]
    on_engine: EngineArgs,
}

pub fn run(args: &Args, talk: &Console) -> anyhow::Result<ExitCode> {
    let plan: Plan = args.on_engine.plan(args.pairs)?;
    if fs::read_dir(&args.out).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is not empty", args.out.display());
    }
    let (setting, interrupted) = (
        setting(
            &args.engine,
            args.on_engine.library.as_deref(),
            Flavour::Outcomes,
            &Scope::default(),
        )?,
        interrupted()?,
    );
    let conditions = WorkerOptions {
        setting: &setting,
        workers: workers(None),
        timeout: TIMEOUT,
        memory_bytes: None,
        interrupted: &interrupted,
    };
    let written = write(&plan, &conditions, |setup, (relation, number), sides| {
        let folder = args.out.join(relation).join(number.to_string());
        fs::create_dir_all(&folder)?;
        for (name, side) in ["a.sql", "b.sql"].iter().zip(sides) {
            fs::write(folder.join(name), script(setup) + &script(side))?;
        }
        Ok(())
    });
    written.map_err(|error| Unwritten(Fault::Io(error).of(args.out.display().to_string())))?;
    talk.note(&format!("{} pairs in {}", plan.groups(), args.out.display()));
    Ok(ExitCode::Success)
}
