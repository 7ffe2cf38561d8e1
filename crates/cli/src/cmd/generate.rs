//! `metacov gen`

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use metacov_campaign::{CampaignError, WorkerOptions, write_pairs};
use metacov_core::counted;
use metacov_exec::Flavour;
use metacov_formats::{Fault, Scope};

use super::target;
use crate::args::count::OldCount;
use crate::args::target::interrupted;
use crate::cmd::measure::DEFAULT_COUNT;
use crate::cmd::measure::engine::EngineArgs;
use crate::console::Console;
use crate::exit_code::{ExitCode, Unwritten, bail_usage};

/// The timeout of a database.
const TIMEOUT: Duration = Duration::from_secs(60);

const EXAMPLES: &str = "\
Examples:
  Write a hundred NoREC pairs as folders, and run your own program on them:
    metacov gen sqlite --relation norec --count 100 --out pairs/
    metacov measure --pairs pairs/ -- ./shell @@";

const MORE: &str = "\
Each file starts with the statements that make its database; some of these fail, which is intended. The pairs are those of `metacov measure` with the same target, \
seed and counts.";

/// Write generated pairs to files: those that `metacov measure TARGET` runs.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// Library to generate pairs for, such as `sqlite` (see `metacov target list`).
    #[arg(value_name = "TARGET")]
    target: String,
    /// Folder to write to: RELATION/PAIR/a.sql and b.sql.
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

pub fn run(args: &Args, console: &Console) -> anyhow::Result<ExitCode> {
    let library = args.on_engine.library.as_deref();
    args.old_count.warn(console);
    let count = args.old_count.get().or(args.on_engine.count).unwrap_or(DEFAULT_COUNT);
    let (target, config) =
        target::list().config(args.target(console), library, Flavour::Plain, &Scope::default())?;
    let plan = args.on_engine.plan(target, count.get())?;
    if fs::read_dir(&args.out).is_ok_and(|mut entries| entries.next().is_some()) {
        bail_usage!("{}: the folder is not empty; choose another --out", args.out.display());
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
    let pairs = counted(plan.groups(), "pair", "pairs");
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
