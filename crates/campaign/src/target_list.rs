//! Finds targets by name, and the libraries that workers load.

use std::path::{Path, PathBuf};

use metacov_core::Fingerprint;
use metacov_exec::{Artifact, Flavour, Target};
use metacov_formats::{Fault, Scope};
use metacov_run::RunError;

use crate::worker::protocol::WorkerConfig;

/// All targets, and where their builds are.
#[derive(Clone)]
pub struct TargetList {
    /// All targets.
    pub all: &'static [&'static dyn Target],
    /// The folder of built targets.
    pub cache: PathBuf,
}

impl TargetList {
    /// Returns the target and version that a name stands for. Of several that are compared, such as
    /// `z3@4.8.6+cvc4`, it is the first.
    pub fn parse<'n>(&self, name: &'n str) -> Result<(&'static dyn Target, &'n str), RunError> {
        let (name, _) = name.split_once('+').unwrap_or((name, ""));
        let (target, version) =
            name.split_once('@').map_or((name, None), |(target, version)| (target, Some(version)));
        let Some(known) = self.all.iter().find(|known| known.name() == target) else {
            let names: Vec<&str> = self.all.iter().map(|known| known.name()).collect();
            return Err(RunError::Invalid(format!(
                "`{name}` is not a target (known: {}, also as NAME@VERSION; see metacov target list)",
                names.join(", ")
            )));
        };
        let version = version.unwrap_or_else(|| known.default_version());
        // It becomes part of a path, and may come from a file.
        if !version.chars().all(|letter| letter.is_ascii_alphanumeric() || ".-_".contains(letter)) {
            return Err(RunError::Invalid(format!("`{version}` is not a version of {target}")));
        }
        Ok((*known, version))
    }

    /// Returns the target of a name, and its build.
    pub fn find(&self, name: &str) -> Result<(&'static dyn Target, Artifact), RunError> {
        let (target, version) = self.parse(name)?;
        let found = target.find(version, &self.cache);
        let found = found.map_err(|error| Fault::Io(error).of(name))?;
        Ok((target, found.ok_or_else(|| not_built(name, target, version))?))
    }

    /// Returns the library to load: that of a named target, or a library of the user instead.
    pub fn config(
        &self,
        name: &str,
        library: Option<&Path>,
        flavour: Flavour,
        scope: &Scope,
    ) -> Result<(&'static dyn Target, WorkerConfig), RunError> {
        let (target, config) = self.config_of_first(name, library, flavour, scope)?;
        let compared = self.compared(name, &config.library)?;
        Ok((target, WorkerConfig { compared, ..config }))
    }

    /// Returns the targets of a name that has several, with the files to load.
    fn compared(&self, name: &str, first: &Path) -> Result<Vec<(String, PathBuf)>, RunError> {
        let Some((first_name, others)) = name.split_once('+') else { return Ok(Vec::new()) };
        let mut all = vec![(first_name.to_owned(), first.to_owned())];
        for name in others.split('+') {
            let (target, artifact) = self.find(name)?;
            if !target.compares() || !self.parse(first_name)?.0.compares() {
                let what = format!("{first_name} and {name} cannot run the same tests");
                return Err(RunError::Invalid(what));
            }
            all.push((name.to_owned(), artifact.plain));
        }
        Ok(all)
    }

    fn config_of_first(
        &self,
        name: &str,
        library: Option<&Path>,
        flavour: Flavour,
        scope: &Scope,
    ) -> Result<(&'static dyn Target, WorkerConfig), RunError> {
        if let Some(library) = library {
            let (target, _) = self.parse(name)?;
            return Ok((target, WorkerConfig::of_library(target, library, flavour, scope)?));
        }
        let (target, artifact) = self.find(name)?;
        let without_counters = || {
            let what = "has no counters: metacov target build builds it with them, and with \
                        --no-coverage they are not needed";
            RunError::Invalid(format!("{name} {what}"))
        };
        let config = WorkerConfig::of_artifact(target, &artifact, flavour, scope);
        Ok((target, config.ok_or_else(without_counters)?))
    }

    /// Identifies a build of a target by all its libraries, whichever of them a campaign loads, so
    /// that all campaigns on a target have the same build, whatever guides them.
    pub fn build_id(&self, name: &str, library: Option<&Path>) -> Result<String, RunError> {
        let mut fingerprint = Fingerprint::new();
        let has_counters = library.is_some() || self.find(name)?.1.counting.is_some();
        let counting = has_counters.then_some(Flavour::Counting);
        for flavour in [Flavour::Plain].into_iter().chain(counting) {
            let config = self.config(name, library, flavour, &Scope::default())?.1;
            let others = config.compared.iter().skip(1).map(|(_, file)| file);
            for path in std::iter::once(&config.library).chain(others) {
                let bytes = std::fs::read(path)
                    .map_err(|error| Fault::Io(error).of(path.display().to_string()))?;
                fingerprint.bytes(&bytes);
            }
        }
        Ok(format!("{:016x}", fingerprint.hash()))
    }

    /// Returns the names of all versions of a target from the named one on, oldest first.
    pub fn later(&self, name: &str) -> Result<Vec<String>, RunError> {
        let (target, version) = self.parse(name)?;
        let mut versions = target.versions();
        let from = versions.iter().position(|known| *known == version).unwrap_or(0);
        let later = versions.drain(from..);
        Ok(later.map(|version| format!("{}@{version}", target.name())).collect())
    }

    /// Returns the names of the installed versions of a target from the named one on, oldest first. It
    /// is an error if there are none.
    pub fn installed_from(&self, name: &str) -> Result<Vec<String>, RunError> {
        let others = name.find('+').map_or("", |at| &name[at..]);
        let mut installed = Vec::new();
        for name in self.later(name)? {
            let (target, version) = self.parse(&name)?;
            if target.find(version, &self.cache)?.is_some() {
                installed.push(format!("{name}{others}"));
            }
        }
        if installed.is_empty() {
            let what = format!("neither {name} nor a later version is built: metacov target list");
            return Err(RunError::Invalid(what));
        }
        Ok(installed)
    }
}

/// Why a version is not found, and how to get it.
fn not_built(name: &str, target: &dyn Target, version: &str) -> RunError {
    let versions = target.versions();
    if !versions.is_empty() && !versions.contains(&version) {
        let what = format!("{} has no version {version}: metacov target list", target.name());
        return RunError::Invalid(what);
    }
    let option =
        if target.is_released() { " (--no-coverage fetches it without counters)" } else { "" };
    RunError::Invalid(format!("{name} is not built: metacov target build {name}{option}"))
}

/// Returns the positions of relations in the table of a target's method. `all` stands for all of
/// them.
pub fn relation_positions(names: &[String], target: &dyn Target) -> Result<Vec<usize>, RunError> {
    let all = target.method().relations();
    if names.iter().any(|name| name == "all") {
        return Ok((0..all.len()).collect());
    }
    let known: Vec<&str> = all.iter().map(|relation| relation.name).collect();
    let at = |name: &String| {
        let unknown = || {
            let what = format!("`{name}` is not a relation (all, {})", known.join(", "));
            RunError::Invalid(what)
        };
        known.iter().position(|known| known == name).ok_or_else(unknown)
    };
    let mut positions = names.iter().map(at).collect::<Result<Vec<_>, _>>()?;
    positions.sort_unstable();
    positions.dedup();
    Ok(positions)
}
