//! `metacov merge`

use std::path::PathBuf;

use metacov_core::counted;
use metacov_report::{Screen, run_contents};
use metacov_study::conduct::{merge_studies, repeated};

use crate::console::Console;
use crate::exit_code::{ExitCode, Outcome, bail_usage};

const EXAMPLES: &str = "\
Examples:
  Unite two halves of a suite, measured on two machines, and add another run later:
    metacov merge -o all.metacov first.metacov second.metacov
    metacov merge -o all.metacov all.metacov third.metacov
  Unite all campaigns of a study:
    metacov merge -o found.metacov guidance/*.metacov && metacov report found.metacov
  Unite the parts of a study (metacov study run STUDY.toml --shard 1/3 --out first, and so on):
    metacov merge -o whole first second third && metacov study report whole";

/// Unite run files of one build, or the parts of a study.
///
/// Pairs with the same relation and name are the same pair and count once; the same holds for suites of a study. The order
/// of the files does not matter, nor how often one of them is named. Runs of different builds or
/// programs are refused, and so are pairs of one name with different inputs.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct Args {
    /// Run files, or folders of `metacov study run`.
    #[arg(value_name = "RUN.metacov", required = true)]
    runs: Vec<PathBuf>,
    /// Run file or folder to write; if it exists, it must be one of those that are merged.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    match args.runs.iter().filter(|run| run.is_dir()).count() {
        0 => runs(args, console),
        folders if folders == args.runs.len() => {
            merge_studies(&args.runs, &args.output, &|message| console.message(message))?;
            Ok(ExitCode::Success)
        }
        _ => bail_usage!("cannot merge run files with folders of a study: give one kind"),
    }
}

fn runs(args: &Args, console: &Console) -> Outcome {
    let merged = metacov_store::merge(&args.runs, &args.output)?;
    if merged.disputed > 0 {
        console.warning(&format!(
            "{} with different results in the runs: one result is kept, a measured one if there is one",
            counted(merged.disputed, "pair", "pairs")
        ));
    }
    if let Some(message) = repeated(merged.repeated) {
        console.message(message);
    }
    let contents = run_contents(merged.groups, merged.rounds);
    console.note(&format!("{contents} in {}", args.output.display()));
    Ok(ExitCode::Success)
}
