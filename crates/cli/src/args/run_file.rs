//! The options of run files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use metacov_core::command_line as command;
use metacov_formats::{Error, Fault, Scope};
use metacov_run::FoldOptions;
use metacov_store::{Header, Provenance, RUN_FILE, RunWriter, Settings};

use crate::exit_code::{Unwritten, bail_usage};

#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
pub struct ResumeArgs {
    /// Continue the run file of -o with the pairs that it lacks.
    ///
    /// These may be new pairs. Options, program, and inputs of pairs that are there already must be the same as before.
    /// Without this option, a run file that exists is an error.
    #[arg(long, requires = "output")]
    resume: bool,
}

/// A run file to write while pairs are folded.
pub struct RunFile {
    pub path: PathBuf,
    resume: bool,
    made_by: &'static str,
    by_relation: bool,
    /// The options that affect the numbers, except for those of the scope.
    settings: Settings,
    /// All pairs by relation and name, if a run goes on: pairs that it has may not be missing.
    pub listed: Option<BTreeSet<(String, String)>>,
    /// Set by an interrupt: no more groups are started.
    pub interrupted: Arc<AtomicBool>,
}

impl RunFile {
    /// Validates the options, if there is a file.
    pub fn of(
        path: Option<PathBuf>,
        args: &ResumeArgs,
        made_by: &'static str,
        by_relation: bool,
        settings: Settings,
    ) -> anyhow::Result<Option<Self>> {
        let Some(path) = path else {
            if args.resume {
                bail_usage!("--resume needs the run file to continue: add -o RUN.{RUN_FILE}");
            }
            return Ok(None);
        };
        let interrupted = Arc::new(AtomicBool::new(false));
        let resume = args.resume;
        let listed = None;
        Ok(Some(RunFile { path, resume, made_by, by_relation, settings, listed, interrupted }))
    }

    /// Whether the file may have pairs already.
    pub fn goes_on(&self) -> bool {
        self.resume && self.path.exists()
    }

    /// Opens the file for a suite of `planned` groups.
    pub fn open(
        &self,
        options: &FoldOptions,
        planned: u64,
        provenance: &Provenance,
    ) -> anyhow::Result<RunWriter> {
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register(signal, self.interrupted.clone())?;
        }
        // A limit on the size of files is an error like a full disk, not the end of the process.
        let signal = signal_hook::consts::SIGXFSZ;
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
        let mut settings = self.settings.clone();
        settings.extend(scope_settings(&options.scope));
        settings.retain(|_, value| !value.is_empty());
        let header = Header {
            made_by: self.made_by.to_owned(),
            command: command(std::env::args_os()),
            operation: options.operation,
            per_instance: options.scope.per_instance,
            root: options.scope.root.clone(),
            planned: Some(planned),
            complete: false,
            by_relation: self.by_relation,
            settings,
            provenance: provenance.clone(),
        };
        let mut writer = RunWriter::open(&self.path, &header, self.resume).map_err(refused)?;
        if let Some(listed) = &self.listed {
            writer = writer.check_listed(listed)?;
        }
        if !has_own_source(&header.settings) {
            writer.keep_sources(&header.root);
        }
        Ok(writer)
    }
}

/// Whether a target is measured that metacov itself has the source of.
pub fn has_own_source(settings: &Settings) -> bool {
    settings.contains_key("the engine") && !settings.contains_key("--library")
}

/// The error of a file that cannot be written, or that has other contents.
pub fn refused(error: Error) -> anyhow::Error {
    match error.fault {
        Fault::Io(_) => Unwritten(error).into(),
        _ => error.into(),
    }
}

/// Formats paths as one would type them.
pub fn paths(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> String {
    command(paths.into_iter().map(|path| path.as_ref().as_os_str().to_owned()))
}

fn scope_settings(scope: &Scope) -> Settings {
    let patterns = |patterns: &[regex::Regex]| command(patterns.iter().map(regex::Regex::as_str));
    let maps = scope.prefix_map.iter().map(|(old, new)| format!("{old}={new}"));
    let settings = [
        ("--filter", patterns(&scope.filter)),
        ("--exclude", patterns(&scope.exclude)),
        ("--prefix-map", command(maps)),
        ("--criterion block", if scope.blocks { "yes".to_owned() } else { String::new() }),
        ("--no-markers", if scope.markers { String::new() } else { "yes".to_owned() }),
        ("--notes", paths(&scope.notes)),
    ];
    settings.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
