//! `metacov fuzz`

pub mod report;
mod status;

use std::io::stdin;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use metacov_campaign::{CampaignConfig, CampaignLimits, Schedule, parse_duration, run_campaign};
use metacov_study::conduct::read_trial;
use rustix::process::{Signal, set_parent_process_death_signal};

use super::interrupts::{Interrupts, interrupts};
use super::target;
use super::workers;
use crate::args::count::OldCount;
use crate::args::run_file::command;
use crate::args::target::{Memory, bytes, seconds};
use crate::cmd::measure::engine::RelationArgs;
use crate::console::Console;
use crate::exit_code::ExitCode;
use status::Status;

const EXAMPLES: &str = "\
Examples:
  A minute on the SQLite that is inside:
    metacov fuzz --duration 60s
  An old SQLite, with old faults; what was found, each in a folder of its own:
    metacov target build sqlite@3.29.0
    metacov fuzz sqlite@3.29.0 --duration 10m -o old.metacov && ls old.findings
  Go on with it after an interrupt, a crash of the machine, or because it was not enough:
    metacov fuzz sqlite@3.29.0 --duration 10m -o old.metacov --resume
  How is it doing? At any time, from another terminal:
    metacov report old.metacov
  Does a finding still show, and which version has it fixed?
    metacov replay old.findings --bisect
  Until something is found, by NoREC alone, guided by query plans:
    metacov fuzz --guidance qpg --relation norec --stop-after-findings 1

What guides it (docs/fuzzing.md says why):
  mix    new metamorphic coverage; tests that brought it are varied, query plans reward changes
  mcg    new metamorphic coverage: code in the difference of a pair that was in none before
  ccg    new code coverage
  qpg    new query plans
  none   nothing: the database is changed again and again";

/// Test an engine without end: databases and pairs of queries, guided by what is new of them.
///
/// Whatever the engine does (crash, hang, eat memory), the campaign goes on. What violates its
/// relation, crashes or hangs is run again twice, made as small as possible, told from what was
/// found before, and put into a folder beside the run file, with a script for SQLite's shell. The
/// same seed gives the same campaign, whatever the number of workers and however often it is cut.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What is tested: `sqlite`, which is inside, or `sqlite@VERSION` (see `metacov target list`).
    #[arg(value_name = "ENGINE", default_value = "sqlite")]
    engine: String,
    /// What guides it: `mix`, `mcg`, `ccg`, `qpg` or `none`.
    #[arg(long, value_name = "NAME", default_value = "mix")]
    guidance: String,
    #[command(flatten)]
    relations: RelationArgs,
    /// The seed of databases and pairs: the same seed gives the same.
    #[arg(long, value_name = "SEED", default_value = "1")]
    seed: u64,
    /// The database is changed after so many pairs without news.
    #[arg(long, value_name = "PAIRS", default_value_t = Schedule::default().patience)]
    patience: u64,
    /// There is a new database after so many pairs.
    #[arg(long, value_name = "PAIRS", default_value_t = Schedule::default().pairs)]
    database_pairs: u64,
    /// Look at coverage and query plans even if nothing is guided by them.
    #[arg(long)]
    observe: bool,
    /// Another SQLite: a library that is built with `metacov cc -shared`.
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Only count what violates its relation, and do not look into it.
    #[arg(long, conflicts_with = "stop_after_findings")]
    no_findings: bool,
    /// Bugs that are known and not to be told again: a TOML file (docs/fuzzing.md has its form).
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,

    /// End after this time, such as 90s, 10m, 8h or 2d.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "End")]
    duration: Option<Duration>,
    /// End after this much processor time, of all processes together: for fair comparisons.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "End")]
    cpu_time: Option<Duration>,
    /// End after this number of pairs.
    #[arg(long, value_name = "N", help_heading = "End")]
    count: Option<NonZero<u64>>,
    #[command(flatten)]
    old_count: OldCount,
    /// End when so many different bugs were found.
    #[arg(long, value_name = "N", help_heading = "End")]
    stop_after_findings: Option<u64>,

    /// How many workers, of which up to 8 are used [default: the number of processors].
    #[arg(short, long, value_name = "N", help_heading = "Limits")]
    jobs: Option<NonZero<usize>>,
    /// How long a worker may be silent, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, help_heading = "Limits")]
    timeout: Duration,
    /// How much memory a worker may have, such as 512M or 4G, or `none`.
    #[arg(long, value_name = "BYTES", default_value = "4G", value_parser = bytes, help_heading = "Limits")]
    memory: Memory,

    /// The run file. Findings are in a folder beside it.
    #[arg(
        short,
        long,
        value_name = "C.metacov",
        default_value = "campaign.metacov",
        help_heading = "Output"
    )]
    output: PathBuf,
    /// Go on with the campaign in the run file.
    #[arg(long, help_heading = "Output")]
    resume: bool,
}

pub fn run(args: &Args, console: &Console) -> anyhow::Result<ExitCode> {
    args.old_count.warn(console);
    let interrupted = campaign(&args.config(), console)?;
    let code = report::run(&args.output, console)?;
    Ok(interrupted.unwrap_or(code))
}

/// `metacov trial`: a campaign of a study, which has written its config to standard input. It ends with the study.
pub fn trial(console: &Console) -> anyhow::Result<ExitCode> {
    set_parent_process_death_signal(Some(Signal::TERM))?;
    let config = read_trial(stdin().lock())?;
    Ok(campaign(&config, console)?.unwrap_or(ExitCode::Success))
}

/// Runs a campaign. If it was interrupted: what the process ends with.
fn campaign(config: &CampaignConfig, console: &Console) -> anyhow::Result<Option<ExitCode>> {
    let Interrupts { interrupted, signal } = interrupts()?;
    let title = format!("metacov fuzz {} ({})", config.engine, config.guidance);
    run_campaign(config, &target::list(), &interrupted, &Status::new(console, title))?;
    Ok(interrupted.load(Relaxed).then(|| ExitCode::of_signal(&signal)))
}

impl Args {
    pub fn config(&self) -> CampaignConfig {
        CampaignConfig {
            engine: self.engine.clone(),
            library: self.library.clone(),
            guidance: self.guidance.clone(),
            relations: self.relations.relation.clone(),
            seed: self.seed,
            schedule: Schedule { patience: self.patience, pairs: self.database_pairs },
            observes: self.observe,
            examines: !self.no_findings,
            known: self.known.clone(),
            limits: CampaignLimits {
                duration: self.duration,
                processor_time: self.cpu_time,
                findings: self.stop_after_findings,
            },
            pairs: self.old_count.get().or(self.count).map(NonZero::get),
            workers: workers(self.jobs),
            timeout: self.timeout,
            memory_bytes: self.memory.0,
            output: self.output.clone(),
            resume: self.resume,
            progress: None,
            command: command(std::env::args_os()),
        }
    }
}
