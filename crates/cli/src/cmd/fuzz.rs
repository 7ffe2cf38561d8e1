//! `metacov fuzz`

mod status;

use std::io::{self, stdin};
use std::num::NonZero;
use std::path::PathBuf;
use std::slice;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use metacov_campaign::{
    CampaignConfig, CampaignLimits, ROUND_LAG, Schedule, parse_duration, run_campaign,
};
use metacov_core::command_line;
use metacov_report::{Conclusion, show_ended_campaign};
use metacov_run::RunError;
use metacov_study::conduct::read_trial;
use rustix::process::{Signal, set_parent_process_death_signal};

use super::target;
use super::workers;
use crate::args::count::positive;
use crate::args::solver::{SolverArgs, check_seeds};
use crate::args::target::{Memory, bytes, seconds};
use crate::cmd::measure::engine::RelationArgs;
use crate::console::Console;
use crate::exit_code::{ExitCode, Outcome, bail_usage};
use crate::signals::{Interrupts, interrupts};
use status::Status;

const EXAMPLES: &str = "\
Examples:
  metacov fuzz sqlite --duration 10m -o c.metacov           look for bugs for ten minutes
  metacov fuzz sqlite --duration 10m -o c.metacov --resume  ten minutes more
  metacov report c.metacov                                  how is it going? (from another terminal)
  metacov replay c.findings --bisect                        which version fixed the findings?";

const ALL_EXAMPLES: &str = "\
Examples:
  Look for bugs in the SQLite in this binary for a minute:
    metacov fuzz sqlite --duration 60s
  Look for bugs in an old SQLite, and list what was found, a folder for each bug:
    metacov target build sqlite@3.29.0
    metacov fuzz sqlite@3.29.0 --duration 10m -o old.metacov && ls old.findings
  Continue after an interrupt or a crash of the machine, or to search longer:
    metacov fuzz sqlite@3.29.0 --duration 10m -o old.metacov --resume
  Look at the results at any time, from another terminal:
    metacov report old.metacov
  Run the findings again, and find the version that fixed them:
    metacov replay old.findings --bisect
  Stop at the first bug, with NoREC alone, guided by query plans:
    metacov fuzz sqlite --guidance qpg --relation norec --stop-after-findings 1";

const MORE: &str = "\
Guidances (docs/fuzzing.md compares them):
  mix    new metamorphic coverage; tests that found some are varied, new query plans reward changes
  mcg    new metamorphic coverage: code in the difference of a pair that was in none before
  ccg    new code coverage
  qpg    new query plans
  none   no guidance: the database is changed again and again";

/// Look for bugs continuously, guided by new coverage.
///
/// Databases and pairs of queries are generated and checked until a limit is reached. The campaign continues if the target
/// crashes, hangs or uses up its memory. A pair that violates its relation, crashes or hangs is confirmed, reduced, compared
/// with earlier findings, and written to a folder beside the run file, with a script that reproduces it. The same seed
/// gives the same campaign, whatever the number of workers and however often it is interrupted.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, before_long_help = ALL_EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// Target to test (see `metacov target list`).
    ///
    /// Several solvers run each test, and their answers are compared; the first is the one whose crashes are findings.
    /// Other targets get the same tests in one campaign after the other, each with its own run file (`campaign-sqlite.metacov`)
    /// and all of the limits.
    #[arg(value_name = "TARGET", default_value = "sqlite")]
    engines: Vec<String>,

    /// Run file; findings are in a folder beside it.
    #[arg(short, long, value_name = "FILE", default_value = "campaign.metacov")]
    #[arg(help_heading = "Output")]
    output: PathBuf,
    /// Continue the campaign in the run file.
    #[arg(long, help_heading = "Output")]
    resume: bool,

    /// Stop after this time, such as 90s, 10m, 8h or 2d.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "When to stop")]
    duration: Option<Duration>,
    /// Stop after this number of pairs.
    #[arg(long, value_name = "N", value_parser = positive::<NonZero<u64>>, help_heading = "When to stop")]
    count: Option<NonZero<u64>>,
    /// Stop after this number of different bugs.
    #[arg(long, value_name = "N", help_heading = "When to stop")]
    stop_after_findings: Option<u64>,
    /// Stop after this processor time of all processes together.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "When to stop")]
    cpu_time: Option<Duration>,

    /// What counts as new: mix, mcg, ccg, qpg or none [default: mix, or qpg with --no-coverage].
    #[arg(long, value_name = "NAME", help_heading = "Search")]
    guidance: Option<String>,
    /// Do not measure coverage: test a release that was not built with counters.
    #[arg(long, help_heading = "Search")]
    no_coverage: bool,
    #[command(flatten, next_help_heading = "Search")]
    relations: RelationArgs,
    /// Random seed: the same seed gives the same campaign.
    #[arg(long, value_name = "SEED", default_value = "1", help_heading = "Search")]
    seed: u64,
    /// Known bugs, not to be reported again: a TOML file.
    ///
    /// docs/fuzzing.md describes the file.
    #[arg(long, value_name = "FILE", conflicts_with = "no_findings", help_heading = "Search")]
    known: Option<PathBuf>,
    /// Change the database after this number of pairs without anything new.
    #[arg(long, value_name = "PAIRS", default_value_t = Schedule::default().patience)]
    #[arg(help_heading = "Search", hide_short_help = true)]
    patience: u64,
    /// Start a new database after this number of pairs.
    #[arg(long, value_name = "PAIRS", default_value_t = Schedule::default().pairs)]
    #[arg(help_heading = "Search", hide_short_help = true)]
    database_pairs: u64,
    /// Record coverage and query plans even if the guidance does not use them.
    #[arg(long, help_heading = "Search", hide_short_help = true)]
    observe: bool,
    /// Only count failing pairs: do not confirm, reduce and store them.
    #[arg(long, conflicts_with = "stop_after_findings", help_heading = "Search")]
    #[arg(hide_short_help = true)]
    no_findings: bool,
    /// Use this build of the target: a library compiled with `metacov cc -shared`.
    #[arg(long, value_name = "FILE", help_heading = "Search", hide_short_help = true)]
    library: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Search")]
    solver: SolverArgs,

    /// Worker processes, at most 8 [default: the number of processors].
    #[arg(short, long, value_name = "N", value_parser = positive::<NonZero<usize>>, help_heading = "Limits")]
    jobs: Option<NonZero<usize>>,
    /// Time limit for a worker to report progress, or of an input for solvers.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    #[arg(help_heading = "Limits")]
    timeout: Duration,
    /// Memory limit of a worker, such as 512M or 4G, or `none`.
    #[arg(long, value_name = "BYTES", default_value = "4G", value_parser = bytes)]
    #[arg(help_heading = "Limits")]
    memory: Memory,
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    if let Some(jobs) = args.jobs.filter(|jobs| jobs.get() as u64 > ROUND_LAG) {
        console.note(&format!("-j {jobs}: a campaign has {ROUND_LAG} workers at most"));
    }
    let mut conclusion = Conclusion::Passed;
    for config in args.configs()? {
        check_seeds(&config.engine, config.target.seeds.as_deref(), console)?;
        let interrupted = campaign(&config, console)?;
        conclusion = conclusion.max(show_ended_campaign(&config.output, console)?);
        if let Some(interrupted) = interrupted {
            return Ok(interrupted);
        }
    }
    Ok(conclusion.into())
}

/// `metacov trial`: runs a campaign of a study, which has written the configuration to standard
/// input. It ends with the study.
pub fn trial(console: &Console) -> Outcome {
    set_parent_process_death_signal(Some(Signal::TERM)).map_err(io::Error::from)?;
    let config = read_trial(stdin().lock())?;
    Ok(campaign(&config, console)?.unwrap_or(ExitCode::Success))
}

/// Runs a campaign. Returns the exit code if it was interrupted.
fn campaign(config: &CampaignConfig, console: &Console) -> Result<Option<ExitCode>, RunError> {
    let Interrupts { interrupted, signal } = interrupts()?;
    let title = format!("metacov fuzz {} ({})", config.engine, config.guidance);
    run_campaign(config, &target::list(), &interrupted, &Status::new(console, title))?;
    Ok(interrupted.load(Relaxed).then(|| ExitCode::of_signal(&signal)))
}

impl Args {
    /// The campaigns, one for each target.
    pub fn configs(&self) -> Result<Vec<CampaignConfig>, RunError> {
        if self.engines.len() > 1 && (self.library.is_some() || self.solver.has_command()) {
            bail_usage!("--library and --command go with one target");
        }
        let compared = self.engines.join("+");
        let are_compared = target::list().parse(&compared)?.0.compares();
        let engines = if are_compared { slice::from_ref(&compared) } else { &self.engines };
        let [engine] = engines else {
            let config = |engine: &String| {
                let stem = self.output.file_stem().unwrap_or_default().display();
                let output = self.output.with_file_name(format!("{stem}-{engine}.metacov"));
                self.config(engine, output)
            };
            return self.engines.iter().map(config).collect();
        };
        Ok(vec![self.config(engine, self.output.clone())?])
    }

    fn config(&self, engine: &str, output: PathBuf) -> Result<CampaignConfig, RunError> {
        let (program, target) = self.solver.options()?;
        let default_guidance = if self.no_coverage { "qpg" } else { "mix" };
        Ok(CampaignConfig {
            engine: engine.to_owned(),
            library: program.or_else(|| self.library.clone()),
            target,
            guidance: self.guidance.clone().unwrap_or_else(|| default_guidance.to_owned()),
            relations: self.relations.names(),
            seed: self.seed,
            schedule: Schedule { patience: self.patience, pairs: self.database_pairs },
            observes: self.observe,
            examines: !self.no_findings,
            is_measured: !self.no_coverage,
            known: self.known.clone(),
            limits: CampaignLimits {
                duration: self.duration,
                processor_time: self.cpu_time,
                findings: self.stop_after_findings,
            },
            pairs: self.count.map(NonZero::get),
            workers: workers(self.jobs),
            timeout: self.timeout,
            memory_bytes: self.memory.0,
            output,
            resume: self.resume,
            progress: None,
            command: command_line(std::env::args_os()),
        })
    }
}
