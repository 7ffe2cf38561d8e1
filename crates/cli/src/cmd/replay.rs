//! `metacov replay`

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::bail;
use metacov_campaign::{CaseRunner, FailureKind, FindingFile, WorkerConfig, WorkerOptions};
use metacov_core::Verdict;
use metacov_exec::{Flavour, Target};
use metacov_formats::{Error, Fault, Scope};
use metacov_report::{Column, Table};

use super::cc::cache;
use super::target;
use super::target_args::interrupted;
use crate::exit_code::ExitCode;
use crate::talk::{Console, print};

const EXAMPLES: &str = "\
Examples:
  Does it still fail, on the engine that it was found on?
    metacov replay findings/5f0c7e3a91d2b846-0d41c2f7a6b3e958
  All findings of a campaign, on another version:
    metacov replay findings --target sqlite
  Which version has it fixed, of those that are there (metacov target list)?
    metacov replay findings --bisect

Exit codes: 6 if something fails on the target, 0 if nothing does. With --bisect, the target is the newest version.";

/// Run findings again: do they still fail?
///
/// A finding is a folder with a `finding.toml`, as campaigns leave them. The same folder has a
/// script for SQLite's own shell.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A finding, or a folder of findings.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The engine to run them on [default: the one that each was found on].
    #[arg(long, value_name = "ENGINE", conflicts_with = "bisect")]
    target: Option<String>,
    /// Another SQLite: a library that is built with `metacov cc -shared`.
    #[arg(long, value_name = "FILE", conflicts_with = "bisect")]
    library: Option<PathBuf>,
    /// Name the first version that has each fixed, among those that are there.
    #[arg(long)]
    bisect: bool,
    /// How long an engine may be silent, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    timeout: NonZero<u64>,
}

pub fn run(args: &Args, talk: &Console) -> anyhow::Result<ExitCode> {
    let findings = findings(&args.folder)?;
    let settings = settings(args, &findings)?;
    let interrupted = interrupted()?;
    let options = options(&settings, args, &interrupted);
    let mut engines = BTreeMap::new();
    for (name, options) in &options {
        let engine =
            CaseRunner::new(options).map_err(|error| Fault::Io(error).of(name.as_str()))?;
        engines.insert(name.as_str(), engine);
    }
    let mut replay = |record: &FindingFile, engine: &str| {
        let unknown = || std::io::Error::other("an engine that was not started");
        let runner = engines.get_mut(engine).ok_or_else(unknown);
        let replayed = runner.and_then(|runner| record.replay(runner));
        replayed.map_err(|error| Fault::Io(error).of(engine))
    };
    let (mut rows, mut fails) = (Vec::new(), false);
    for (name, record) in &findings {
        let row = if args.bisect {
            let bisected = bisect(record, &mut replay)?;
            fails |= bisected.fixed.is_none();
            [bisected.last_failing, bisected.fixed.unwrap_or_else(|| "no version".to_owned())]
        } else {
            let engine = args.engine(record).to_string();
            let replayed = replay(record, &engine)?;
            fails |= FailureKind::of(&replayed).is_some();
            [engine, words(&replayed)]
        };
        let [first, second] = row;
        rows.push(vec![name.clone(), record.relation.clone(), first, second]);
    }
    let headings = if args.bisect { ["fails up to", "fixed in"] } else { ["engine", "result"] };
    let columns = ["finding", "relation"].into_iter().chain(headings).map(Column::word).collect();
    print(&Table { columns, rows }.to_terminal(talk.colors_output()))?;
    Ok(if fails { ExitCode::Violated } else { ExitCode::Success })
}

fn words(verdict: &Verdict) -> String {
    match (FailureKind::of(verdict), verdict) {
        (Some(what), _) => format!("fails: {what}"),
        (None, Verdict::Invalid(reason)) => format!("does not run: {reason}"),
        (None, Verdict::Lost { missing, .. }) => {
            format!("does not run: {}", missing.failure.name())
        }
        (None, Verdict::Holds | Verdict::Violated(_)) => "does not fail".to_owned(),
    }
}

/// The findings of a folder, by name.
fn findings(folder: &Path) -> anyhow::Result<Vec<(String, FindingFile)>> {
    let fault = |path: &Path, error| Fault::Io(error).of(path.display().to_string());
    let is_finding = |folder: &Path| folder.join("finding.toml").is_file();
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
        bail!("{} has no finding in it (a folder with a finding.toml)", folder.display());
    }
    let read = |folder: PathBuf| {
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
        let record = FindingFile::read(&folder);
        let record = record.map_err(|error| fault(&folder.join("finding.toml"), error))?;
        Ok((name, record))
    };
    folders.into_iter().map(read).collect()
}

/// What a finding is replayed on.
enum Engine<'e> {
    Named(&'e str),
    /// The user's own library.
    Library(&'e Path),
}

impl std::fmt::Display for Engine<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Engine::Named(name) => out.write_str(name),
            Engine::Library(path) => path.display().fmt(out),
        }
    }
}

impl Args {
    /// The engine that a finding was made on, unless the user wants another.
    fn engine<'e>(&'e self, record: &'e FindingFile) -> Engine<'e> {
        match (&self.library, &self.target, &record.library) {
            (Some(library), _, _) | (None, None, Some(library)) => Engine::Library(library),
            (None, Some(target), _) => Engine::Named(target),
            (None, None, None) => Engine::Named(&record.target),
        }
    }
}

/// An engine, and the library of it that is run.
type Chosen = (&'static dyn Target, WorkerConfig);

/// The engines that are needed, by name.
fn settings(
    args: &Args,
    findings: &[(String, FindingFile)],
) -> anyhow::Result<BTreeMap<String, Chosen>> {
    let of = |name: &str, engine: &Engine<'_>| {
        let library = match engine {
            Engine::Named(_) => None,
            Engine::Library(path) => Some(*path),
        };
        let chosen = target::list().config(name, library, Flavour::Plain, &Scope::default())?;
        Ok::<_, anyhow::Error>((engine.to_string(), chosen))
    };
    let mut settings = BTreeMap::new();
    for (_, record) in findings {
        if args.bisect {
            for name in installed(&record.target)? {
                settings.extend([of(&name, &Engine::Named(&name))?]);
            }
        } else {
            let engine = args.engine(record);
            let name = match engine {
                Engine::Named(name) => name,
                Engine::Library(_) => &record.target,
            };
            settings.extend([of(name, &engine)?]);
        }
    }
    Ok(settings)
}

fn options<'s>(
    settings: &'s BTreeMap<String, Chosen>,
    args: &Args,
    interrupted: &'s AtomicBool,
) -> BTreeMap<&'s String, WorkerOptions<'s>> {
    let timeout = Duration::from_secs(args.timeout.get());
    let options = |(target, config): &'s Chosen| WorkerOptions {
        timeout,
        ..WorkerOptions::new(*target, config, interrupted)
    };
    settings.iter().map(|(name, chosen)| (name, options(chosen))).collect()
}

/// The versions of an engine that are there, the oldest first.
fn installed(engine: &str) -> anyhow::Result<Vec<String>> {
    let (target, _) = target::list().parse(engine)?;
    let mut installed = Vec::new();
    for version in target.versions() {
        if target.find(version, &cache())?.is_some() {
            installed.push(format!("{}@{version}", target.name()));
        }
    }
    Ok(installed)
}

/// What versions say of a finding.
struct Bisected {
    last_failing: String,
    /// The first one after it that does not fail.
    fixed: Option<String>,
}

/// Looks at all versions from the one on that a finding was made on. There are few, and a bug may come back, so none is
/// left out.
fn bisect(
    record: &FindingFile,
    replay: &mut impl FnMut(&FindingFile, &str) -> Result<Verdict, Error>,
) -> anyhow::Result<Bisected> {
    let all = installed(&record.target)?;
    let (known, version) = target::list().parse(&record.target)?;
    let target = format!("{}@{version}", known.name());
    let from = all.iter().position(|name| *name == target).unwrap_or(0);
    let mut bisected = Bisected { last_failing: "none".to_owned(), fixed: None };
    for name in &all[from..] {
        let verdict = replay(record, name)?;
        if FailureKind::of(&verdict).is_some() {
            bisected = Bisected { last_failing: name.clone(), fixed: None };
        } else if verdict == Verdict::Holds && bisected.fixed.is_none() {
            bisected.fixed = Some(name.clone());
        }
    }
    Ok(bisected)
}
