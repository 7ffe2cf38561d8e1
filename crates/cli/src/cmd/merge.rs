//! `metacov merge`

use std::path::PathBuf;

use super::run_file::refused;
use crate::exit_code::ExitCode;
use crate::talk::Talk;

const EXAMPLES: &str = "\
Examples:
  One suite, measured on two machines:
    metacov merge -o all.metacov first.metacov second.metacov
    metacov report all.metacov
  One more run, into what is there:
    metacov merge -o all.metacov all.metacov third.metacov";

/// Unite run files of one build.
///
/// Pairs with the same relation and name are the same pair, and count once. The order of the files
/// does not matter, nor how often one of them is named. Runs of different builds are refused.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The run files.
    #[arg(value_name = "RUN.metacov", required = true)]
    runs: Vec<PathBuf>,
    /// The run file to write. One that is there must be among those that are merged.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn run(args: &Args, talk: &Talk) -> anyhow::Result<ExitCode> {
    let merged = metacov_store::merge(&args.runs, &args.output).map_err(|error| {
        let written = error.name == args.output.display().to_string();
        if written { refused(error) } else { error.into() }
    })?;
    if merged.disputed > 0 {
        let plural = if merged.disputed == 1 { "" } else { "s" };
        talk.warning(&format!(
            "of {} pair{plural} the runs say different things; one is kept, measured before failed",
            merged.disputed
        ));
    }
    talk.note(&format!("{} pairs in {}", merged.groups, args.output.display()));
    Ok(ExitCode::Success)
}
