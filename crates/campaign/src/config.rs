//! The configuration of a campaign, and running it.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use metacov_core::{Fingerprint, Operation};
use metacov_exec::{Flavour, Target, code_files};
use metacov_formats::{Error, Scope};
use metacov_run::RunError;
use metacov_store::{BUILD, Header, Provenance, RunWriter, Settings};
use serde::{Deserialize, Serialize};

use crate::finding::{KnownBugs, Triage, TriageTargets, remove_unfinished};
use crate::fuzz::{
    Campaign, CampaignDisplay, CampaignLimits, CampaignRecorder, GUIDANCES, History,
    KnowledgeDelta, ProgressFile, ROUND_LAG, Record, RecorderState, Schedule, findings_folder,
    fuzz,
};
use crate::target_list::{TargetList, relation_positions};
use crate::worker::host::WorkerOptions;
use crate::worker::protocol::{TargetOptions, WorkerConfig};

/// The configuration of a campaign.
#[expect(clippy::struct_excessive_bools, reason = "each is a separate choice of the user")]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CampaignConfig {
    /// The name of the target, such as `sqlite@3.29.0`.
    pub engine: String,
    /// A library of the user to test instead.
    pub library: Option<PathBuf>,
    /// What else the user has chosen for the target.
    #[serde(default)]
    pub target: TargetOptions,
    /// The name of the guidance.
    pub guidance: String,
    /// The names of the relations, or `all`.
    pub relations: Vec<String>,
    /// The seed of databases and pairs.
    pub seed: u64,
    /// The lengths of rounds.
    pub schedule: Schedule,
    /// Whether coverage and query plans are observed even if nothing is guided by them.
    pub observes: bool,
    /// Whether violations are examined.
    pub examines: bool,
    /// Whether coverage may be measured: for the guidance, and of findings.
    pub is_measured: bool,
    /// A file of known bugs.
    pub known: Option<PathBuf>,
    /// When it ends.
    pub limits: CampaignLimits,
    /// How many pairs to test, if that ends the campaign.
    pub pairs: Option<u64>,
    /// How many workers.
    pub workers: NonZero<usize>,
    /// How long a worker may take before it answers.
    pub timeout: Duration,
    /// The memory limit of a worker.
    pub memory_bytes: Option<u64>,
    /// The run file. Findings are in a folder beside it.
    pub output: PathBuf,
    /// Whether the campaign in the run file is resumed.
    pub resume: bool,
    /// The progress file of a trial of a study.
    pub progress: Option<PathBuf>,
    /// The command line, for the run file.
    pub command: String,
}

/// The libraries that a campaign loads.
struct CampaignTargets {
    target: &'static dyn Target,
    /// The library under test.
    tested: WorkerConfig,
    /// The same without counters.
    plain: WorkerConfig,
    /// The same with counters, if coverage may be measured.
    counting: Option<WorkerConfig>,
    /// The default version, if another one is tested.
    reference: Option<(String, WorkerConfig)>,
    /// Identifies the build.
    build: String,
}

impl CampaignTargets {
    fn of(config: &CampaignConfig, traces: bool, targets: &TargetList) -> Result<Self, RunError> {
        let (engine, library) = (&config.engine, config.library.as_deref());
        let of = |flavour| {
            let (target, found) = targets.config(engine, library, flavour, &Scope::default())?;
            let options = config.target.clone();
            Ok::<_, RunError>((target, WorkerConfig { options, ..found }))
        };
        let (target, tested) = of(if traces { Flavour::Counting } else { Flavour::Plain })?;
        let (_, version) = targets.parse(engine)?;
        let is_default = library.is_none() && version == target.default_version();
        // A command of the user has no other version.
        let has_reference = !is_default && config.target.arguments.is_none();
        let reference = has_reference.then(|| {
            let name = format!("{}@{}", target.name(), target.default_version());
            let (_, config) = targets.config(&name, None, Flavour::Plain, &Scope::default())?;
            Ok::<_, RunError>((name, config))
        });
        Ok(CampaignTargets {
            target,
            tested,
            plain: of(Flavour::Plain)?.1,
            counting: config
                .is_measured
                .then(|| of(Flavour::Counting).map(|(_, config)| config))
                .transpose()?,
            reference: reference.transpose()?,
            build: targets.build_id(engine, library)?,
        })
    }
}

/// Runs a campaign, or resumes it, until it ends or is interrupted.
#[expect(clippy::disallowed_methods, reason = "a campaign may be given a time")]
pub fn run_campaign(
    config: &CampaignConfig,
    targets: &TargetList,
    interrupted: &AtomicBool,
    display: &dyn CampaignDisplay,
) -> Result<(), RunError> {
    let guidance = config.guidance()?;
    let progress = config.progress.as_deref().map(ProgressFile::open).transpose()?;
    let traces = config.observes || GUIDANCES[guidance].looks().traces;
    if traces && !config.is_measured {
        let what = "--no-coverage goes with --guidance qpg or none, and without --observe";
        return Err(RunError::Invalid(what.to_owned()));
    }
    let loaded = CampaignTargets::of(config, traces, targets)?;
    let campaign = config.campaign(guidance, loaded.target, &loaded.build)?;
    let known = config.known.as_deref().map(KnownBugs::read).transpose()?.unwrap_or_default();
    let mut writer = RunWriter::open(&config.output, &config.header(&loaded), config.resume)?;
    if config.library.is_some() {
        writer.keep_sources(Path::new("/"));
    }
    // The run file is locked, so no other campaign writes findings beside it.
    remove_unfinished(&findings_folder(&config.output))?;
    let (lessons, history) = stored_rounds(&mut writer, &config.output)?;
    let options = WorkerOptions {
        workers: config.workers,
        timeout: config.timeout,
        memory_bytes: config.memory_bytes,
        ..WorkerOptions::new(loaded.target, &loaded.tested, interrupted)
    };
    let plain = options.single(&loaded.plain);
    let counting = loaded.counting.as_ref().map(|config| options.single(config));
    let reference = loaded.reference.as_ref();
    let reference = reference.map(|(name, config)| (name.clone(), options.single(config)));
    let triage = || {
        let targets = TriageTargets {
            target: config.engine.clone(),
            library: config.library.as_ref().map(|_| loaded.plain.library.clone()),
            plain: &plain,
            counting: counting.as_ref(),
            reference: reference.as_ref().map(|(name, options)| (name.clone(), options)),
        };
        Triage::new(targets, known.clone())
    };
    let table = writer.shared_table();
    display.begin();
    let recorder = CampaignRecorder {
        writer,
        trial: campaign.trial.clone(),
        folder: findings_folder(&config.output),
        method: loaded.target.method(),
        limits: config.limits_left(progress.as_ref()),
        progress,
        interrupted,
        start: Instant::now(),
        state: Mutex::new(RecorderState::new(history)),
        display,
    };
    let ended = fuzz(&campaign, &options, lessons, table, &recorder, &triage);
    display.finish();
    let is_complete = ended.is_ok() && !interrupted.load(Relaxed);
    recorder.finish(is_complete, ended)
}

impl CampaignConfig {
    /// A campaign with the defaults of `metacov fuzz`, and one worker.
    pub fn new(engine: &str, output: &Path) -> Self {
        CampaignConfig {
            engine: engine.to_owned(),
            library: None,
            target: TargetOptions::default(),
            guidance: "mix".to_owned(),
            relations: vec!["all".to_owned()],
            seed: 1,
            schedule: Schedule::default(),
            observes: false,
            examines: true,
            is_measured: true,
            known: None,
            limits: CampaignLimits::default(),
            pairs: None,
            workers: NonZero::<usize>::MIN,
            timeout: Duration::from_secs(10),
            memory_bytes: Some(4 << 30),
            output: output.to_owned(),
            resume: false,
            progress: None,
            command: String::new(),
        }
    }

    /// Whether its target, guidance and relations exist.
    pub fn check(&self, targets: &TargetList) -> Result<(), RunError> {
        let (target, _) = targets.parse(&self.engine)?;
        self.guidance()?;
        relation_positions(&self.relations, target).map(drop)
    }

    /// The position of the guidance in the table of all.
    fn guidance(&self) -> Result<usize, RunError> {
        let guidance = GUIDANCES.iter().position(|known| known.name() == self.guidance);
        guidance.ok_or_else(|| {
            let names: Vec<&str> = GUIDANCES.iter().map(|known| known.name()).collect();
            let what = format!("`{}` is not a guidance ({})", self.guidance, names.join(", "));
            RunError::Invalid(what)
        })
    }

    fn campaign(
        &self,
        guidance: usize,
        target: &dyn Target,
        build: &str,
    ) -> Result<Campaign, RunError> {
        if self.schedule.patience == 0 || self.schedule.pairs == 0 {
            let what = "--patience and --database-pairs are at least 1".to_owned();
            return Err(RunError::Invalid(what));
        }
        let relations = relation_positions(&self.relations, target)?;
        Ok(Campaign {
            seed: self.seed,
            guidance,
            observes: self.observes,
            examines: self.examines,
            schedule: self.schedule,
            pairs: self.pairs,
            trial: self.tag(&relations, build),
            relations,
        })
    }

    /// The tag of the campaign. It is part of the names of its pairs and identifies it when it is
    /// resumed, so the hashed text must never change.
    fn tag(&self, relations: &[usize], build: &str) -> String {
        let CampaignConfig { engine, guidance, seed, .. } = self;
        let Schedule { patience, pairs } = self.schedule;
        let relations: Vec<String> = relations.iter().map(ToString::to_string).collect();
        let relations = relations.join(", ");
        let mut fingerprint = Fingerprint::new();
        fingerprint.text(&format!(
            "({engine:?}, {guidance:?}, [{relations}], {seed}, \
             Schedule {{ patience: {patience}, pairs: {pairs} }}) {build}"
        ));
        format!("{:08x}", fingerprint.hash() >> 32)
    }

    /// The limits, without what earlier processes of the campaign have spent.
    fn limits_left(&self, progress: Option<&ProgressFile>) -> CampaignLimits {
        let Some(progress) = progress else { return self.limits };
        let CampaignLimits { duration, processor_time, findings } = self.limits;
        CampaignLimits {
            duration: duration.map(|budget| progress.time_left(budget)),
            processor_time: processor_time.map(|budget| progress.processor_time_left(budget)),
            findings,
        }
    }

    fn header(&self, loaded: &CampaignTargets) -> Header {
        let flag = |is_set: bool| if is_set { "yes" } else { "" }.to_owned();
        let library = &loaded.counting.as_ref().unwrap_or(&loaded.plain).library;
        let settings = [
            ("the engine", self.engine.clone()),
            (BUILD, loaded.build.clone()),
            ("--guidance", self.guidance.clone()),
            ("--relation", self.relations.join(",")),
            ("--seed", self.seed.to_string()),
            ("--patience", self.schedule.patience.to_string()),
            ("--database-pairs", self.schedule.pairs.to_string()),
            ("--observe", flag(self.observes)),
            ("--no-findings", flag(!self.examines)),
            ("--no-coverage", flag(!self.is_measured)),
            ("a distance of rounds of", ROUND_LAG.to_string()),
        ];
        let settings = settings.into_iter().chain(self.target.settings());
        let settings = settings.map(|(key, value)| (key.to_owned(), value));
        let settings: Settings = settings.filter(|(_, value)| !value.is_empty()).collect();
        Header {
            made_by: "fuzz".to_owned(),
            command: self.command.clone(),
            operation: Operation::Xor,
            per_instance: false,
            root: PathBuf::from("/"),
            planned: None,
            complete: false,
            by_relation: true,
            settings,
            provenance: Provenance {
                seed: Some(self.seed.to_string()),
                ..Provenance::here(code_files(Some(library), &[]))
            },
        }
    }
}

/// Parses a time such as 90s, 10m, 8h or 2d.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
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

/// The knowledge that the rounds in the run file have added, and their history.
fn stored_rounds(
    writer: &mut RunWriter,
    path: &Path,
) -> Result<(Vec<KnowledgeDelta>, History), Error> {
    let (mut lessons, mut history) = (Vec::new(), History::default());
    let name = path.display().to_string();
    for round in writer.take_rounds() {
        let number = round.number;
        let record = Record::from(round);
        let lesson = record.lesson().map_err(|what| Record::damaged(number, &what, &name))?;
        lessons.push(lesson);
        history.add(&record).map_err(|what| Record::damaged(number, &what, &name))?;
    }
    Ok((lessons, history))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_of_a_campaign_never_changes() {
        let schedule = Schedule { patience: 50, pairs: 1000 };
        let defaults = CampaignConfig::new("sqlite@3.29.0", Path::new(""));
        let config = CampaignConfig { seed: 7, schedule, ..defaults };
        assert_eq!(config.tag(&[0, 1, 4], "00ff00ff00ff00ff"), "e170fc69");
        assert_eq!(config.tag(&[], "00ff00ff00ff00ff"), "b74ae635");
    }
}
