//! Runs findings again: on the target of each, on another one, or on all versions.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use metacov_core::{Verdict, command_line};
use metacov_exec::{Flavour, Target};
use metacov_formats::{Fault, Scope};
use metacov_run::RunError;

use super::bisect::{Bisected, bisect};
use super::case_run::one;
use super::file::{FindingFile, NAME};
use crate::target_list::TargetList;
use crate::worker::cases::CaseRunner;
use crate::worker::host::WorkerOptions;
use crate::worker::protocol::{TargetOptions, WorkerConfig};

/// Which targets to replay findings on, and how.
#[derive(Clone, Debug)]
pub struct ReplayConfig {
    /// The name of a target, instead of the one of each finding.
    pub target: Option<String>,
    /// A library of the user to use instead.
    pub library: Option<PathBuf>,
    /// What the user has chosen for that library.
    pub options: TargetOptions,
    /// Whether to replay on all installed versions.
    pub bisect: bool,
    /// How long a target may take before it answers.
    pub timeout: Duration,
    /// The command that the user typed, to show how it goes on.
    pub command: String,
}

/// The result of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// On one target.
    Once {
        /// Its name, or the path of the user's library.
        engine: String,
        /// The verdict.
        verdict: Verdict,
    },
    /// On all versions.
    Bisected(Bisected),
}

impl FindingFile {
    /// Runs the finding again and judges it.
    pub fn replay(&self, runner: &mut CaseRunner<'_>) -> Result<Verdict, RunError> {
        Ok(one(runner, &self.suspect().case)?.verdict)
    }
}

/// Reads a finding, or all findings of a folder, sorted by name.
pub fn read_findings(folder: &Path) -> Result<Vec<(String, FindingFile)>, RunError> {
    let fault = |path: &Path, error| Fault::Io(error).of(path.display().to_string());
    let is_finding = |folder: &Path| folder.join(NAME).is_file();
    let mut folders = Vec::new();
    if is_finding(folder) {
        folders.push(folder.to_owned());
    } else {
        for entry in std::fs::read_dir(folder).map_err(|error| fault(folder, error))? {
            folders.push(entry.map_err(|error| fault(folder, error))?.path());
        }
        folders.retain(|folder| is_finding(folder));
        folders.sort();
    }
    if folders.is_empty() {
        let folder = folder.display();
        let what = format!("{folder} has no finding in it (a folder with a finding.toml)");
        return Err(RunError::Invalid(what));
    }
    let read = |folder: PathBuf| {
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
        let finding = FindingFile::read(&folder);
        let finding = finding.map_err(|error| fault(&folder.join(NAME), error))?;
        Ok((name, finding))
    };
    folders.into_iter().map(read).collect()
}

/// Returns the names of the releases that a replay needs and that are not there yet.
pub fn missing_releases(
    findings: &[(String, FindingFile)],
    config: &ReplayConfig,
    targets: &TargetList,
) -> Result<BTreeSet<String>, RunError> {
    let mut missing = BTreeSet::new();
    for (name, finding) in findings {
        let needed = if config.bisect {
            targets.later(&finding.target)?
        } else {
            match Engine::of(name, finding, config)? {
                Engine::Named(name) => vec![name.to_owned()],
                Engine::Library(_) => Vec::new(),
            }
        };
        for name in needed {
            let (target, version) = targets.parse(&name)?;
            if target.is_released() && target.find(version, &targets.cache)?.is_none() {
                missing.insert(name);
            }
        }
    }
    Ok(missing)
}

/// Returns the first statement of each finding that its target never runs, and why.
pub fn refused(findings: &[(String, FindingFile)], targets: &TargetList) -> Vec<String> {
    let mut refused = Vec::new();
    for (name, finding) in findings {
        // Replaying it reports an unknown target.
        let Ok((target, _)) = targets.parse(&finding.target) else { continue };
        let case = finding.suspect().case;
        let inputs = case.sides.a.iter().chain(&case.sides.b);
        let mut statements = case.setup.iter().chain(inputs.flat_map(|input| &input.statements));
        let found = statements.find_map(|text| target.refusal(text).map(|why| (text, why)));
        refused.extend(found.map(|(text, why)| format!("{name}: {why}: {text:?}")));
    }
    refused
}

/// Replays findings. All targets are started first.
pub fn replay_findings(
    findings: &[(String, FindingFile)],
    config: &ReplayConfig,
    targets: &TargetList,
    interrupted: &AtomicBool,
) -> Result<Vec<Replayed>, RunError> {
    let libraries = libraries(findings, config, targets)?;
    let options = |(target, library)| WorkerOptions {
        timeout: config.timeout,
        ..WorkerOptions::new(target, library, interrupted)
    };
    let options: BTreeMap<&str, WorkerOptions<'_>> = libraries
        .iter()
        .map(|(name, (target, library))| (name.as_str(), options((*target, library))))
        .collect();
    let mut runners = BTreeMap::new();
    for (name, options) in &options {
        let runner = CaseRunner::new(options).map_err(|error| error.of(name))?;
        runners.insert(*name, runner);
    }
    let mut replay = |finding: &FindingFile, engine: &str| {
        let unknown = || RunError::Failed("target was not started".to_owned());
        let runner = runners.get_mut(engine).ok_or_else(unknown);
        let verdict = runner.and_then(|runner| finding.replay(runner));
        verdict.map_err(|error| error.of(engine))
    };
    let mut replayed = Vec::new();
    for (name, finding) in findings {
        replayed.push(if config.bisect {
            Replayed::Bisected(bisect(finding, targets, &mut replay)?)
        } else {
            let engine = Engine::of(name, finding, config)?.to_string();
            let verdict = replay(finding, &engine)?;
            Replayed::Once { engine, verdict }
        });
    }
    Ok(replayed)
}

/// What to replay a finding on.
enum Engine<'e> {
    Named(&'e str),
    /// The user's library.
    Library(&'e Path),
}

impl<'e> Engine<'e> {
    /// The target of the finding, unless the user wants another.
    fn of(
        name: &str,
        finding: &'e FindingFile,
        config: &'e ReplayConfig,
    ) -> Result<Self, RunError> {
        match (&config.library, &config.target) {
            (Some(library), _) => Ok(Engine::Library(library)),
            (None, Some(target)) => Ok(Engine::Named(target)),
            (None, None) => {
                if let (Some(program), Some(arguments)) = (&finding.library, &finding.arguments) {
                    let given = format!("{} {}", program.display(), arguments.join(" "));
                    return Err(RunError::Invalid(format!(
                        "{name}: made by the command {given}, and metacov runs no command that a file names; if you \
                         trust it: {} {}",
                        config.command,
                        command_line([OsStr::new("--command"), OsStr::new(&given)])
                    )));
                }
                check_trust(name, finding.library.as_deref(), None, &config.command)?;
                Ok(Engine::Named(&finding.target))
            }
        }
    }
}

/// Refuses to load a library that only the file `name` names: files come from anywhere, and loading runs code. `given`
/// is the library of the user, `command` what the user typed.
pub fn check_trust(
    name: &str,
    named: Option<&Path>,
    given: Option<&Path>,
    command: &str,
) -> Result<(), RunError> {
    let (Some(library), None) = (named, given) else { return Ok(()) };
    Err(RunError::Invalid(format!(
        "{name}: made on the library {}, and metacov loads no code that a file names; if you trust it: {command} {}",
        library.display(),
        command_line([OsStr::new("--library"), library.as_os_str()])
    )))
}

impl fmt::Display for Engine<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Engine::Named(name) => out.write_str(name),
            Engine::Library(path) => path.display().fmt(out),
        }
    }
}

/// The required libraries, by name.
fn libraries(
    findings: &[(String, FindingFile)],
    config: &ReplayConfig,
    targets: &TargetList,
) -> Result<BTreeMap<String, (&'static dyn Target, WorkerConfig)>, RunError> {
    let of = |name: &str, library| targets.config(name, library, Flavour::Plain, &Scope::default());
    let mut libraries = BTreeMap::new();
    for (name, finding) in findings {
        if config.bisect {
            for name in targets.installed_from(&finding.target)? {
                let library = of(&name, None)?;
                libraries.insert(name, library);
            }
        } else {
            let engine = Engine::of(name, finding, config)?;
            let library = match engine {
                Engine::Named(name) => of(name, None)?,
                Engine::Library(path) => {
                    let (target, library) = of(&finding.target, Some(path))?;
                    (target, WorkerConfig { options: config.options.clone(), ..library })
                }
            };
            libraries.insert(engine.to_string(), library);
        }
    }
    Ok(libraries)
}
