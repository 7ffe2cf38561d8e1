//! `metacov study`

mod bugs;
mod campaigns;
mod run;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use metacov_formats::Fault;
use metacov_report::{Report, Screen, tasks_table, trials_table};
use metacov_run::RunError;
use metacov_study::Study;
use metacov_study::conduct::{Selection, StudyFolder, read_text};

use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Outcome, bail_usage};

const EXAMPLES: &str = "\
Examples:
  metacov study run studies/sqlite.toml --quick          try a study in a minute
  metacov study run studies/sqlite.toml --out results/   run or continue it
  metacov study report results/                          show its results";

const ALL_EXAMPLES: &str = "\
Examples:
  Measure the paper's tables for SQLite, in a minute and in full:
    metacov study run studies/sqlite.toml --quick
    metacov study run studies/sqlite.toml --out results/
  The same with your own known bugs (docs/corpus.md describes the file):
    metacov study run studies/sqlite.toml --corpus corpus.json
  On three machines, a third on each, and together:
    metacov study run studies/sqlite.toml --shard 1/3 --out first/     # 2/3, 3/3 on the others
    metacov merge -o whole/ first/ second/ third/
    metacov study report whole/ --out results/
  Compare guidances in campaigns, two at the same time; list the trials, and run one of them:
    metacov study run studies/guidance.toml --out guidance/ -j 2
    metacov study plan studies/guidance.toml
    metacov study run studies/guidance.toml --out guidance/ --trial ID
  Run a trial in each task of a Slurm array or an indexed job of Kubernetes (docs/scaling-out.md):
    metacov study run studies/guidance.toml --out guidance/ --array-from-env
  Ask one question only: does coverage grow with the number of bugs?
    metacov study bugs corpus.json -o bugs.svg";

const PLAN_EXAMPLES: &str = "\
Examples:
  metacov study plan study.toml                 what would be run?
  metacov study plan study.toml --ids | wc -l   how many trials?";

const REPORT_EXAMPLES: &str = "\
Examples:
  metacov study report results/                      show the tables
  metacov study report first/ second/ --out whole/   write the report of two parts";

const MORE: &str = "\
A study that was interrupted continues when it is run again.";

/// Measure many suites and answer the paper's questions.
///
/// A study is a TOML file with targets, relations, suites, sizes and seeds; or with your own program and its suites of
/// pairs (docs/evaluating-your-method.md shows one). With `kind = "campaign"` it has campaigns: targets, guidances,
/// relations, seeds and a budget.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, before_long_help = ALL_EXAMPLES, after_long_help = MORE)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Run(run::Args),
    /// List the suites or trials of a study, with the number of each in an array of jobs.
    #[command(before_help = PLAN_EXAMPLES)]
    Plan {
        /// Study.
        #[arg(value_name = "STUDY.toml")]
        study: PathBuf,
        /// Print only the ids of trials, one on each line.
        #[arg(long)]
        ids: bool,
    },
    Bugs(bugs::Args),
    /// Show the results of a study.
    #[command(before_help = REPORT_EXAMPLES)]
    Report {
        /// Folders of the study, or of its parts.
        #[arg(value_name = "DIR", required = true)]
        folders: Vec<PathBuf>,
        /// Write the report (report.md, report.html), all numbers (CSV) and figures (SVG) to this folder.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    match &args.action {
        Action::Run(args) => run_study(args, console),
        Action::Plan { study, ids } => plan(study, *ids, console),
        Action::Bugs(args) => bugs::run(args, console),
        Action::Report { folders, out } => report(folders, out.as_deref(), console),
    }
}

fn run_study(args: &run::Args, console: &Console) -> Outcome {
    let out = args.out.clone().unwrap_or_else(|| default_folder(&args.study));
    let (folder, text) = (StudyFolder(&out), read_text(&args.study)?);
    let selection = args.selection()?;
    let code = match parse(&args.study, &text)? {
        Study::Suites(plan) => {
            let Selection::Shard(shard) = selection else {
                bail_usage!(
                    "--trial and --array-from-env are for studies of campaigns: use --shard K/N"
                );
            };
            run::suites(args, *plan, &text, folder, shard, console)?
        }
        Study::Campaigns(plan) => {
            if args.quick || args.corpus.is_some() || args.gcovr.is_some() {
                bail_usage!(
                    "--quick, --corpus and --gcovr are for studies of suites, and this is one of \
                     campaigns"
                );
            }
            let trials = campaigns::planned(&plan, &args.study, console)?;
            folder.keep_study(&text)?;
            campaigns::run(&trials, &out, plan.observe, args.jobs, &selection, console)?
        }
    };
    if code == ExitCode::Success && selection == Selection::ALL {
        report(std::slice::from_ref(&out), Some(&out), console)?;
    }
    Ok(code)
}

/// Shows the results of several folders together, and writes them to a folder.
fn report(folders: &[PathBuf], out: Option<&Path>, console: &Console) -> Outcome {
    let report = Report::read(folders, &|message| console.message(message))?;
    print(&report.to_terminal(console.has_colors()))?;
    if let Some(out) = out {
        report.write(out)?;
        console.note(&format!(
            "report.md, report.html, all numbers (CSV) and figures are in {}",
            out.display()
        ));
    }
    Ok(ExitCode::Success)
}

fn plan(study: &Path, ids: bool, console: &Console) -> Outcome {
    match parse(study, &read_text(study)?)? {
        Study::Suites(_) if ids => {
            bail_usage!(
                "{}: --ids is for studies of campaigns: suites have no ids",
                study.display()
            )
        }
        Study::Suites(plan) => console.print_table(&tasks_table(&plan))?,
        Study::Campaigns(plan) => {
            let trials = campaigns::planned(&plan, study, console)?;
            if ids {
                print(&trials.iter().map(|one| one.id.clone() + "\n").collect::<String>())?;
            } else {
                console.print_table(&trials_table(&trials))?;
            }
        }
    }
    Ok(ExitCode::Success)
}

fn parse(file: &Path, text: &str) -> Result<Study, RunError> {
    Ok(Study::parse(text).map_err(|fault: Fault| fault.of(file.display().to_string()))?)
}

fn default_folder(study: &Path) -> PathBuf {
    let name = study.file_stem().unwrap_or_default().to_string_lossy();
    PathBuf::from(format!("study-{name}"))
}
