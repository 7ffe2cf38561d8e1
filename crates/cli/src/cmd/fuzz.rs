//! `metacov fuzz`

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use metacov_campaign::{
    Campaign, GUIDANCES, History, KnowledgeDelta, KnownBugs, ROUND_LAG, Schedule, Triage,
    TriageTargets, WorkerOptions, fuzz,
};
use metacov_core::{Fingerprint, Operation};
use metacov_formats::{Fault, Location};
use metacov_run::StopReason;
use metacov_store::{BUILD, Header, RunWriter, Settings};
use rustix::process::{Signal, set_parent_process_death_signal};

use super::fuzz_clerk::{Desk, Ends, State};
use super::fuzz_progress::{Progress, TrialProgress};
use super::fuzz_report;
use super::fuzz_stage::Stage;
use super::fuzz_status::Status;
use super::interrupts::{Interrupts, interrupts};
use super::measure_sql::RelationArgs;
use super::run_file::{command, refused};
use super::target;
use super::target_args::{Memory, bytes, seconds};
use super::workers;
use crate::exit_code::{ExitCode, Unwritten};
use crate::talk::Console;

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
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "End")]
    duration: Option<Duration>,
    /// End after this much processor time, of all processes together: for fair comparisons.
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "End")]
    cpu_time: Option<Duration>,
    /// End after so many pairs.
    #[arg(long, value_name = "N", help_heading = "End")]
    pairs: Option<u64>,
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
    /// For studies: a file that says how far it is, also how much of its time was spent before. The campaign ends with
    /// the process that began it.
    #[arg(long, value_name = "FILE", hide = true)]
    progress: Option<PathBuf>,
}

#[expect(clippy::disallowed_methods, reason = "a campaign may be given a time")]
pub fn run(args: &Args, talk: &Console) -> anyhow::Result<ExitCode> {
    let guidance = args.guidance()?;
    let Interrupts { interrupted, signal } = interrupts()?;
    let keeper = args.progress.as_deref().map(TrialProgress::new).transpose()?;
    if keeper.is_some() {
        set_parent_process_death_signal(Some(Signal::TERM))?;
    }
    let looks = args.observe || GUIDANCES[guidance].looks().traces;
    let stage = Stage::new(&args.engine, args.library.as_deref(), looks)?;
    let workers = workers(args.jobs);
    let campaign = args.campaign(guidance, &stage)?;
    let known = args.known.as_deref().map(known).transpose()?.unwrap_or_default();
    let header = args.header(&stage);
    let mut recorder = RunWriter::open(&args.output, &header, args.resume).map_err(refused)?;
    let (lessons, history) = recall(&mut recorder, &args.output)?;
    let options = WorkerOptions {
        workers,
        timeout: args.timeout,
        memory_bytes: args.memory.0,
        ..WorkerOptions::new(stage.target, &stage.tested, &interrupted)
    };
    let (plain, counting) = (options.single(&stage.plain), options.single(&stage.counting));
    let reference = stage.reference.as_ref();
    let reference = reference.map(|(name, config)| (name.clone(), options.single(config)));
    let triage = || {
        let targets = TriageTargets {
            target: args.engine.clone(),
            library: args.library.as_ref().map(|_| stage.plain.library.clone()),
            plain: &plain,
            counting: &counting,
            reference: reference.as_ref().map(|(name, options)| (name.clone(), options)),
        };
        Triage::new(targets, known.clone())
    };
    let table = recorder.shared_table();
    let status = Status::new(talk, format!("metacov fuzz {} ({})", args.engine, args.guidance));
    let desk = Desk {
        recorder,
        trial: campaign.trial.clone(),
        folder: findings_folder(&args.output),
        method: stage.target.method(),
        ends: args.ends(keeper.as_ref().map(TrialProgress::before).unwrap_or_default()),
        keeper,
        interrupted: &interrupted,
        start: Instant::now(),
        state: Mutex::new(State::new(history)),
        status,
    };
    let ended = fuzz(&campaign, &options, lessons, table, &desk, &desk, &triage);
    desk.status.finish();
    let is_complete = ended.is_ok() && !interrupted.load(Relaxed);
    let Desk { recorder, keeper, state, .. } = desk;
    let finished = recorder.finish(is_complete, ended.as_ref().ok()).map_err(Unwritten);
    ended.map_err(|halt| match halt {
        StopReason::Input(error) => anyhow::Error::from(error),
        StopReason::Observer(error) => Unwritten(error).into(),
    })?;
    finished?;
    let stand = state.into_inner().unwrap_or_else(PoisonError::into_inner).history.stand();
    keeper.map_or(Ok(()), |keeper| keeper.keep(stand, is_complete)).map_err(Unwritten)?;
    let code = fuzz_report::run(&args.output, talk)?;
    Ok(if interrupted.load(Relaxed) { ExitCode::of_signal(&signal) } else { code })
}

/// What the rounds that are there have added, and come to.
fn recall(recorder: &mut RunWriter, path: &Path) -> anyhow::Result<(Vec<KnowledgeDelta>, History)> {
    let (mut lessons, mut history) = (Vec::new(), History::default());
    for round in recorder.take_rounds() {
        let (number, record) = fuzz_report::record(round);
        let mut take = || -> Result<(), String> {
            lessons.push(record.lesson()?);
            history.add(&record)
        };
        take().map_err(|what| fuzz_report::damaged(number, &what, &path.display().to_string()))?;
    }
    Ok((lessons, history))
}

impl Args {
    /// Whether the names that were given are known.
    pub fn check(&self) -> anyhow::Result<()> {
        let (target, _) = target::parse(&self.engine)?;
        self.guidance().and(self.relations.positions(target)).map(drop)
    }

    /// As it stands in the table of all.
    fn guidance(&self) -> anyhow::Result<usize> {
        let guidance = GUIDANCES.iter().position(|known| known.name() == self.guidance);
        guidance.ok_or_else(|| {
            let names: Vec<&str> = GUIDANCES.iter().map(|known| known.name()).collect();
            anyhow!("`{}` is not a guidance ({})", self.guidance, names.join(", "))
        })
    }

    fn campaign(&self, guidance: usize, stage: &Stage) -> anyhow::Result<Campaign> {
        if self.patience == 0 || self.database_pairs == 0 {
            bail!("--patience and --database-pairs are at least 1");
        }
        let mut fingerprint = Fingerprint::new();
        let relations = self.relations.positions(stage.target)?;
        let schedule = Schedule { patience: self.patience, pairs: self.database_pairs };
        let what = (&self.engine, &self.guidance, &relations, self.seed, schedule);
        fingerprint.text(&format!("{what:?} {}", stage.build));
        Ok(Campaign {
            seed: self.seed,
            relations,
            guidance,
            observes: self.observe,
            examines: !self.no_findings,
            schedule,
            pairs: self.pairs,
            trial: format!("{:08x}", fingerprint.hash() >> 32),
        })
    }

    fn ends(&self, before: Progress) -> Ends {
        let Progress { seconds, processor_seconds, .. } = before;
        Ends {
            duration: self.duration.map(|end| Progress::left(end, seconds)),
            processor_time: self.cpu_time.map(|end| Progress::left(end, processor_seconds)),
            findings: self.stop_after_findings,
        }
    }

    fn header(&self, stage: &Stage) -> Header {
        let settings = [
            ("the engine", self.engine.clone()),
            (BUILD, stage.build.clone()),
            ("--guidance", self.guidance.clone()),
            ("--relation", self.relations.names()),
            ("--seed", self.seed.to_string()),
            ("--patience", self.patience.to_string()),
            ("--database-pairs", self.database_pairs.to_string()),
            ("--observe", if self.observe { "yes" } else { "" }.to_owned()),
            ("--no-findings", if self.no_findings { "yes" } else { "" }.to_owned()),
            ("a distance of rounds of", ROUND_LAG.to_string()),
        ];
        let settings = settings.into_iter().map(|(key, value)| (key.to_owned(), value));
        let settings: Settings = settings.filter(|(_, value)| !value.is_empty()).collect();
        Header {
            made_by: "fuzz".to_owned(),
            command: command(std::env::args_os()),
            operation: Operation::Xor,
            per_instance: false,
            root: PathBuf::from("/"),
            planned: None,
            complete: false,
            by_relation: true,
            settings,
        }
    }
}

/// The folder of the findings of a campaign.
pub fn findings_folder(run: &Path) -> PathBuf {
    run.with_extension("findings")
}

fn known(path: &Path) -> anyhow::Result<KnownBugs> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| Fault::Io(error).of(&name))?;
    let malformed = |what| Fault::malformed(Location::Whole, what).of(&name);
    Ok(KnownBugs::parse(&text).map_err(malformed)?)
}

/// A time such as 90s, 10m, 8h or 2d.
pub fn duration(text: &str) -> Result<Duration, String> {
    let what = || format!("`{text}` is not a time such as 90s, 10m, 8h or 2d");
    let letters = text.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let number: f64 = text[..text.len() - letters.len()].parse().map_err(|_| what())?;
    let seconds = match letters {
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return Err(what()),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|_| what())
}
