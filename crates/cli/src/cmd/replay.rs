//! `metacov replay`

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use metacov_campaign::{ReplayConfig, missing_releases, read_findings, refused, replay_findings};
use metacov_core::command_line;
use metacov_report::{Screen, replays};
use metacov_study::conduct::known_findings;

use super::target;
use crate::args::count::positive;
use crate::args::solver;
use crate::console::Console;
use crate::exit_code::{ExitCode, Outcome};
use crate::signals::interrupted;

const EXAMPLES: &str = "\
Examples:
  Does a finding still fail on the target that it was found on?
    metacov replay findings/5f0c7e3a91d2b846-0d41c2f7a6b3e958
  Run all findings of a campaign on another version:
    metacov replay findings --target sqlite
  Which version fixed them, of those that are built (metacov target list)?
    metacov replay findings --bisect
  Which releases have known bugs? (docs/corpus.md describes the file)
    metacov replay examples/bugs/found.json --bisect --fetch";

const MORE: &str = "\
The exit code is 6 if a finding fails on the target, and 0 if none does. With --bisect, the target is the newest version.";

/// Run findings again, to see whether they still fail.
///
/// A finding is a folder with a `finding.toml`, written by `metacov fuzz`. The same folder has a script that reproduces the
/// finding without metacov. Known bugs of a corpus are run like findings.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// A finding, a folder of findings, or a corpus of known bugs (docs/corpus.md describes the file).
    #[arg(value_name = "FOLDER|CORPUS.json")]
    findings: PathBuf,
    /// Target to run them on [default: the one that each was found on].
    #[arg(long, value_name = "TARGET", conflicts_with = "bisect")]
    target: Option<String>,
    /// Use this build of the target: a library compiled with `metacov cc -shared`.
    #[arg(long, value_name = "FILE", conflicts_with = "bisect")]
    library: Option<PathBuf>,
    /// Command of an installed solver, for findings of the target `smt`; `@@` is the script.
    #[arg(id = "solver_command", long = "command", value_name = "COMMAND")]
    #[arg(conflicts_with_all = ["bisect", "library", "target"])]
    command: Option<String>,
    /// Find the first version without each finding, among those that are built.
    #[arg(long)]
    bisect: bool,
    /// Fetch missing versions of targets that are released as libraries (duckdb) or programs (z3, cvc4).
    #[arg(long)]
    fetch: bool,
    /// Time limit of a finding.
    #[arg(long, value_name = "SECONDS", value_parser = positive::<NonZero<u64>>, default_value = "60")]
    timeout: NonZero<u64>,
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    let targets = target::list();
    let findings = match &args.findings {
        corpus if corpus.is_file() => known_findings(corpus, &targets)?,
        folder => read_findings(folder)?,
    };
    let (program, options) = solver::command_options(args.command.as_deref())?;
    let config = ReplayConfig {
        target: args.target.clone(),
        library: program.or_else(|| args.library.clone()),
        options,
        bisect: args.bisect,
        timeout: Duration::from_secs(args.timeout.get()),
        command: command_line(std::env::args_os()),
    };
    if args.fetch {
        for name in missing_releases(&findings, &config, &targets)? {
            target::build(&name, true, console)?;
        }
    }
    for what in refused(&findings, &targets) {
        console.warning(&what);
    }
    let replayed = replay_findings(&findings, &config, &targets, &*interrupted()?)?;
    let (table, fails) = replays(&findings, replayed, args.bisect);
    console.print_table(&table)?;
    Ok(if fails { ExitCode::Violated } else { ExitCode::Success })
}
