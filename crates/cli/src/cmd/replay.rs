//! `metacov replay`

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use metacov_campaign::{
    Bisected, FailureKind, ReplayConfig, Replayed, read_findings, replay_findings,
};
use metacov_core::Verdict;
use metacov_report::{Column, Table};

use super::target;
use crate::args::target::interrupted;
use crate::console::{Console, print};
use crate::exit_code::ExitCode;

const EXAMPLES: &str = "\
Examples:
  Does it still fail, on the engine that it was found on?
    metacov replay findings/5f0c7e3a91d2b846-0d41c2f7a6b3e958
  All findings of a campaign, on another version:
    metacov replay findings --target sqlite
  Which version has it fixed, of those that are there (metacov target list)?
    metacov replay findings --bisect

Exit codes: 6 if something fails on the target, 0 if nothing does. With --bisect, the target is the newest version.";

/// Run findings again: do they still fail?
///
/// A finding is a folder with a `finding.toml`, as campaigns leave them. The same folder has a
/// script for SQLite's own shell.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A finding, or a folder of findings.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The engine to run them on [default: the one that each was found on].
    #[arg(long, value_name = "ENGINE", conflicts_with = "bisect")]
    target: Option<String>,
    /// Another SQLite: a library that is built with `metacov cc -shared`.
    #[arg(long, value_name = "FILE", conflicts_with = "bisect")]
    library: Option<PathBuf>,
    /// Name the first version that has each fixed, among those that are there.
    #[arg(long)]
    bisect: bool,
    /// How long an engine may be silent, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    timeout: NonZero<u64>,
}

pub fn run(args: &Args, console: &Console) -> anyhow::Result<ExitCode> {
    let findings = read_findings(&args.folder)?;
    let config = ReplayConfig {
        target: args.target.clone(),
        library: args.library.clone(),
        bisect: args.bisect,
        timeout: Duration::from_secs(args.timeout.get()),
    };
    let replayed = replay_findings(&findings, &config, &target::list(), &*interrupted()?)?;
    let (mut rows, mut fails) = (Vec::new(), false);
    for ((name, finding), replayed) in findings.iter().zip(replayed) {
        let [first, second] = match replayed {
            Replayed::Bisected(Bisected { last_failing, fixed }) => {
                fails |= fixed.is_none();
                [last_failing, fixed.unwrap_or_else(|| "no version".to_owned())]
            }
            Replayed::Once { engine, verdict } => {
                fails |= FailureKind::of(&verdict).is_some();
                [engine, words(&verdict)]
            }
        };
        rows.push(vec![name.clone(), finding.relation.clone(), first, second]);
    }
    let headings = if args.bisect { ["fails up to", "fixed in"] } else { ["engine", "result"] };
    let columns = ["finding", "relation"].into_iter().chain(headings).map(Column::word).collect();
    print(&Table { columns, rows }.to_terminal(console.colors_output()))?;
    Ok(if fails { ExitCode::Violated } else { ExitCode::Success })
}

fn words(verdict: &Verdict) -> String {
    match (FailureKind::of(verdict), verdict) {
        (Some(what), _) => format!("fails: {what}"),
        (None, Verdict::Invalid(reason)) => format!("does not run: {reason}"),
        (None, Verdict::Lost { missing, .. }) => {
            format!("does not run: {}", missing.failure.name())
        }
        (None, Verdict::Holds | Verdict::Violated(_)) => "does not fail".to_owned(),
    }
}
