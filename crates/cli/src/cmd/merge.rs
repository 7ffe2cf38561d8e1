//! `metacov merge`

use std::path::PathBuf;

use metacov_core::counted;
use metacov_study::conduct::{StudyFolder, TrialFolder, read_shards, read_trials};
use metacov_study::{Study, United, unite, unite_trials};

use super::study::tell_disputed;
use crate::args::run_file::refused;
use crate::console::Console;
use crate::exit_code::{ExitCode, bail_usage};

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

pub fn run(args: &Args, console: &Console) -> anyhow::Result<ExitCode> {
    match args.runs.iter().filter(|run| run.is_dir()).count() {
        0 => runs(args, console),
        folders if folders == args.runs.len() => study(args, console),
        _ => bail_usage!("cannot merge run files with folders of a study: give one kind"),
    }
}

fn study(args: &Args, console: &Console) -> anyhow::Result<ExitCode> {
    let output = &args.output;
    let is_input = std::fs::canonicalize(output).is_ok_and(|output| {
        args.runs.iter().any(|run| std::fs::canonicalize(run).is_ok_and(|run| run == output))
    });
    if !is_input && output.exists() {
        bail_usage!(
            "{} exists and is not among the folders to merge: choose another name",
            output.display()
        );
    }
    let first = StudyFolder(&args.runs[0]);
    let study = first.study()?;
    match Study::parse(&study).map_err(|fault| fault.of(first.plan()))? {
        Study::Suites(_) => suites(args, console),
        Study::Campaigns(_) => campaigns(args, &study, console),
    }
}

fn suites(args: &Args, console: &Console) -> anyhow::Result<ExitCode> {
    let United { part, disputed } = unite(&read_shards(&args.runs)?)?;
    StudyFolder(&args.output).keep(&part)?;
    tell_disputed(disputed, "suite", console);
    let suites = counted(part.outcomes.len() as u64, "suite", "suites");
    console.note(&format!("{suites} in {}", args.output.display()));
    Ok(ExitCode::Success)
}

fn campaigns(args: &Args, study: &str, console: &Console) -> anyhow::Result<ExitCode> {
    let (outcomes, repeated, disputed) = unite_trials(&read_trials(study, &args.runs)?)?;
    StudyFolder(&args.output).keep_study(study)?;
    let folder = TrialFolder(&args.output);
    folder.create()?;
    outcomes.iter().try_for_each(|outcome| folder.keep(outcome))?;
    tell_disputed(disputed, "trial", console);
    tell_repeated(repeated as u64, console);
    let trials = counted(outcomes.len() as u64, "trial", "trials");
    console.note(&format!("{trials} in {}", args.output.display()));
    Ok(ExitCode::Success)
}

fn tell_repeated(repeated: u64, console: &Console) {
    if repeated > 0 {
        let repeated = counted(repeated, "trial is", "trials are");
        console.note(&format!("{repeated} there more than once, counted once"));
    }
}

fn runs(args: &Args, console: &Console) -> anyhow::Result<ExitCode> {
    let merged = metacov_store::merge(&args.runs, &args.output).map_err(|error| {
        let written = error.name == args.output.display().to_string();
        if written { refused(error) } else { error.into() }
    })?;
    if merged.disputed > 0 {
        console.warning(&format!(
            "{} with different results in the runs: one result is kept, a measured one if there is one",
            counted(merged.disputed, "pair", "pairs")
        ));
    }
    tell_repeated(merged.repeated, console);
    let rounds = match merged.rounds {
        0 => String::new(),
        rounds => format!(" and {}", counted(rounds, "round", "rounds")),
    };
    let pairs = counted(merged.groups, "pair", "pairs");
    console.note(&format!("{pairs}{rounds} in {}", args.output.display()));
    Ok(ExitCode::Success)
}
