//! `metacov gen sql`

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use metacov_campaign::{CampaignError, WorkerOptions, write_pairs};
use metacov_exec::Flavour;
use metacov_formats::{Fault, Scope};

use super::target;
use crate::args::count::OldCount;
use crate::args::target::interrupted;
use crate::cmd::measure::DEFAULT_COUNT;
use crate::cmd::measure::engine::EngineArgs;
use crate::console::Console;
use crate::exit_code::{ExitCode, Unwritten, bail_usage};

/// How long a database may take.
const TIMEOUT: Duration = Duration::from_secs(60);

const EXAMPLES: &str = "\
Examples:
  A hundred NoREC pairs, as folders that `metacov measure --pairs` runs:
    metacov gen sql --relation norec --count 100 --out pairs/
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
    #[command(flatten)]
    old_count: OldCount,
    /// The folder to write to: RELATION/PAIR/a.sql and b.sql.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,

    #[command(flatten)]
    on_engine: EngineArgs,
}

pub fn run(args: &Args, console: &Console) -> anyhow::Result<ExitCode> {
    let library = args.on_engine.library.as_deref();
    args.old_count.warn(console);
    let count = args.old_count.get().or(args.on_engine.count).unwrap_or(DEFAULT_COUNT);
    let (target, config) =
        target::list().config(&args.engine, library, Flavour::Plain, &Scope::default())?;
    let plan = args.on_engine.plan(target, count.get())?;
    if fs::read_dir(&args.out).is_ok_and(|mut entries| entries.next().is_some()) {
        bail_usage!("{} is not empty", args.out.display());
    }
    let interrupted = interrupted()?;
    let options =
        WorkerOptions { timeout: TIMEOUT, ..WorkerOptions::new(target, &config, &interrupted) };
    let language = target.method().language();
    let written = write_pairs(&plan, &options, |setup, (relation, number), sides| {
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
        CampaignError::System(error) => {
            Unwritten(Fault::Io(error).of(args.out.display().to_string())).into()
        }
        other => anyhow::Error::from(other),
    })?;
    console.note(&format!("{} pairs in {}", plan.groups(), args.out.display()));
    Ok(ExitCode::Success)
}
