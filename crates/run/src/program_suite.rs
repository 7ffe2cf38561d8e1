//! Pairs of the user, and the program that they are run on.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use metacov_core::{Setup, command_line, split_command_line};
use metacov_exec::{Executions, Invocation, Limits, Mode, Program, pairs_below};
use metacov_formats::{Error, Fault, GroupSpec, PairList};

use crate::{Judges, ProgramRuns, RunError};

/// Stands for all relations.
pub const ALL: &str = "all";

/// Pairs of the user, and the program that they are run on.
pub struct ProgramSuite {
    /// How they are run and judged.
    pub runs: ProgramRuns,
    /// A folder of folders, or a manifest.
    pub pairs: PathBuf,
    /// Run only this pair, `RELATION/NAME`.
    pub pair: Option<String>,
    /// The relations to run; [`ALL`] of them.
    pub relations: Vec<String>,
}

impl ProgramSuite {
    /// Refuses a program that cannot be run, before anything is run.
    pub fn check(&self) -> Result<(), RunError> {
        let program = &self.runs.target;
        let name = program.name();
        let invalid = |what: &str| Err(RunError::Invalid(format!("{name}: {what}")));
        match program.mode {
            Mode::Exec if program.is_library() => {
                return invalid(
                    "--mode exec needs a program, and this is a shared library: use --mode inline \
                     or --mode fork, which call its LLVMFuzzerTestOneInput",
                );
            }
            Mode::Inline if !program.is_library() => {
                return invalid(
                    "--mode inline needs a shared library (.so): use --mode exec or --mode fork \
                     for a program",
                );
            }
            _ => {}
        }
        let unusable =
            |kind, what| Err(Fault::Io(io::Error::new(kind, what)).of(program.name()).into());
        if program.is_missing() {
            let what = if program.has_path() {
                "no such program (is it built, and is this its path from the current folder?)"
                    .to_owned()
            } else {
                format!("no such program in PATH (one in the current folder is ./{name})")
            };
            return unusable(io::ErrorKind::NotFound, what);
        }
        if !program.is_library() && !program.is_executable() {
            let what = "not a program that may be executed (is it the right file? chmod +x)";
            return unusable(io::ErrorKind::PermissionDenied, what.to_owned());
        }
        Ok(())
    }

    /// Returns the settings that a run must share with one that it resumes.
    pub fn settings(&self) -> BTreeMap<String, String> {
        let ProgramRuns { target, repeat, judges } = &self.runs;
        let Limits { wall, cpu, memory_bytes, .. } = target.limits;
        let optional = |number: Option<String>| number.unwrap_or_else(|| "none".to_owned());
        let setup = target.setup.as_ref().map(|setup| format!("{:016x}", setup.hash()));
        let codes: Vec<String> = target.valid_codes.iter().map(ToString::to_string).collect();
        let relations =
            if self.has_all_relations() { String::new() } else { self.relations.join(",") };
        let settings = [
            ("the command", command_line(&target.command)),
            ("--mode", format!("{:?}", target.mode).to_lowercase()),
            ("--setup", optional(setup)),
            ("--timeout", wall.as_secs_f64().to_string()),
            ("--cpu-timeout", optional(cpu.map(|cpu| cpu.as_secs_f64().to_string()))),
            ("--memory", optional(memory_bytes.map(|bytes| bytes.to_string()))),
            ("--valid-exit", codes.join(",")),
            ("--judge", judges.to_string()),
            ("--pairs", command_line([&self.pairs])),
            ("--repeat", repeat.to_string()),
            ("--pair", self.pair.clone().unwrap_or_default()),
            ("--relation", relations),
        ];
        settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Returns the pairs of a run with these settings, to run them on another build of the program. None if they are not
    /// settings of such a run.
    pub fn of_settings(
        settings: &BTreeMap<String, String>,
        setup: Option<Setup>,
        command: Vec<OsString>,
        interrupted: Arc<AtomicBool>,
    ) -> Option<Self> {
        let text = |name: &str| settings.get(name).map(String::as_str);
        let wall = Duration::try_from_secs_f64(text("--timeout")?.parse().ok()?).ok()?;
        let memory_bytes = text("--memory").and_then(|bytes| bytes.parse().ok());
        let limits = Limits { wall, grace: Duration::ZERO, cpu: None, memory_bytes };
        let mut target = Program::new(command, limits, interrupted);
        target.setup = setup.map(Arc::new);
        let codes = text("--valid-exit").unwrap_or_default().split(',');
        target.valid_codes = codes.filter_map(|code| code.parse().ok()).collect();
        let pairs = split_command_line(text("--pairs")?)?.pop()?;
        Some(ProgramSuite {
            runs: ProgramRuns { target, repeat: NonZero::<u32>::MIN, judges: Judges::default() },
            pairs: pairs.into(),
            pair: None,
            relations: vec![ALL.to_owned()],
        })
    }

    /// Reads the list of pairs.
    pub fn list(&self) -> Result<PairList<Vec<Invocation>>, RunError> {
        let list = self.of_relations()?;
        let Some(name) = &self.pair else { return Ok(list) };
        let unknown = || {
            RunError::Invalid(format!("{}: no pair `{name}` (RELATION/NAME)", self.pairs.display()))
        };
        list.only(name)?.ok_or_else(unknown)
    }

    /// The pairs of the relations.
    pub fn of_relations(&self) -> Result<PairList<Vec<Invocation>>, RunError> {
        let path = &self.pairs;
        if path.as_os_str() == "-" {
            let what =
                "--pairs: a manifest is read twice, so it cannot be standard input: give a file";
            return Err(RunError::Invalid(what.to_owned()));
        }
        let read =
            || if path.is_dir() { pairs_below(path) } else { PairList::read::<Executions>(path) };
        let (all, is_library) = (self.has_all_relations(), self.runs.target.is_library());
        if all && !is_library {
            return Ok(read()?);
        }
        let (mut groups, mut has_judges, mut known) = (0, false, BTreeSet::new());
        for spec in read()?.specs {
            let spec = spec?;
            if all || self.relations.contains(&spec.relation) {
                groups += 1;
                has_judges |= spec.judge.is_some();
                if is_library {
                    check_for_library(&spec)?;
                }
            }
            known.insert(spec.relation);
        }
        if let Some(name) = self.relations.iter().find(|name| !all && !known.contains(*name)) {
            let known: Vec<String> = known.into_iter().collect();
            let (path, known) = (path.display(), known.join(", "));
            return Err(RunError::Invalid(format!(
                "--relation {name}: {path} has pairs of {known}"
            )));
        }
        let relations = self.relations.clone();
        let is_wanted = move |spec: &Result<GroupSpec<_>, Error>| {
            spec.as_ref().map_or(true, |spec| all || relations.contains(&spec.relation))
        };
        Ok(PairList { groups, has_judges, specs: Box::new(read()?.specs.filter(is_wanted)) })
    }

    fn has_all_relations(&self) -> bool {
        self.relations.iter().any(|name| name == ALL)
    }
}

/// A library is called with an input: it has no arguments or environment.
fn check_for_library(spec: &GroupSpec<Vec<Invocation>>) -> Result<(), RunError> {
    if spec.sides.sides().iter().flatten().any(|invocation| invocation.only_input().is_none()) {
        return Err(RunError::Invalid(format!(
            "pair {} of {}: a shared library gets an `input` and nothing else: remove `args`, \
             `env` and `stdin`, or measure a program",
            spec.pair, spec.relation
        )));
    }
    Ok(())
}
