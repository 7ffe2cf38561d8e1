//! A run whose groups are folded, collected and, if there is a run file, stored and read back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use metacov_core::{PairResult, StoredInput, Suite, Violation, command_line};
use metacov_formats::{Error, Scope};
use metacov_run::{Collected, Collector, FoldOptions, GroupDone, Observer, RunError, SharedTable};

use crate::{Header, Provenance, Run, RunWriter, Settings};

/// A run file to write while groups are folded.
pub struct RunFile {
    /// Its path.
    pub path: PathBuf,
    /// Whether a run that is there already is continued.
    pub resume: bool,
    /// The subcommand that writes it.
    pub made_by: &'static str,
    /// The whole command line.
    pub command: String,
    /// Whether it is shown by relation by default.
    pub by_relation: bool,
    /// The options that affect the numbers, except for those of the scope.
    pub settings: Settings,
    /// All groups by relation and name, if a run goes on: groups that it has may not be missing.
    pub listed: Option<BTreeSet<(String, String)>>,
    /// Set by an interrupt: no more groups are started.
    pub interrupted: Arc<AtomicBool>,
}

impl RunFile {
    /// Whether the file may have groups already.
    pub fn goes_on(&self) -> bool {
        self.resume && self.path.exists()
    }

    /// Opens the file for a suite of `planned` groups.
    fn open(
        &self,
        options: &FoldOptions,
        planned: u64,
        provenance: &Provenance,
    ) -> Result<RunWriter, RunError> {
        let mut settings = self.settings.clone();
        settings.extend(scope_settings(&options.scope));
        settings.retain(|_, value| !value.is_empty());
        let header = Header {
            made_by: self.made_by.to_owned(),
            command: self.command.clone(),
            operation: options.operation,
            per_instance: options.scope.per_instance,
            root: options.scope.root.clone(),
            planned: Some(planned),
            complete: false,
            by_relation: self.by_relation,
            settings,
            provenance: provenance.clone(),
        };
        let mut writer = RunWriter::open(&self.path, &header, self.resume)?;
        if let Some(listed) = &self.listed {
            writer = writer.check_listed(listed)?;
        }
        if header.known_target().is_none() {
            writer.keep_sources(&header.root);
        }
        Ok(writer)
    }
}

fn scope_settings(scope: &Scope) -> Settings {
    let flag = |is_set: bool| if is_set { "yes" } else { "" }.to_owned();
    let maps = scope.prefix_map.iter().map(|(old, new)| format!("{old}={new}"));
    let settings = [
        ("--filter", command_line(scope.filter.iter().map(ToString::to_string))),
        ("--exclude", command_line(scope.exclude.iter().map(ToString::to_string))),
        ("--prefix-map", command_line(maps)),
        ("--criterion block", flag(scope.blocks)),
        ("--no-markers", flag(!scope.markers)),
        ("--notes", command_line(&scope.notes)),
    ];
    settings.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A run that goes on.
pub struct Recording<'r> {
    options: &'r FoldOptions,
    file: Option<&'r RunFile>,
    writer: Option<RunWriter>,
    collector: Collector,
    keeps_results: bool,
    planned: u64,
    provenance: Provenance,
}

/// A run that has ended. If it has a file, the results are those of the file.
pub struct RecordedRun {
    /// The groups.
    pub suite: Suite,
    /// The pairs that violate their relation, by place.
    pub violations: BTreeMap<u64, Violation>,
    /// All pairs, if they are kept.
    pub pairs: Vec<PairResult>,
    /// Where the numbers come from.
    pub provenance: Provenance,
    /// How many groups were measured; fewer than planned if it was interrupted.
    pub measured: u64,
}

impl<'r> Recording<'r> {
    /// Starts a run of `planned` groups, or continues the one in the file. All results are kept only if `keeps_results`
    /// is set.
    pub fn start(
        file: Option<&'r RunFile>,
        options: &'r FoldOptions,
        planned: u64,
        provenance: Provenance,
        keeps_results: bool,
    ) -> Result<Self, RunError> {
        let writer = file.map(|file| file.open(options, planned, &provenance)).transpose()?;
        let collector = Collector::new(keeps_results);
        Ok(Recording { options, file, writer, collector, keeps_results, planned, provenance })
    }

    /// Returns how many groups the file had before.
    pub fn known(&self) -> u64 {
        self.writer.as_ref().map_or(0, RunWriter::known)
    }

    /// Folds the groups that the file lacks, and calls the observer for each of them.
    pub fn fold(
        &mut self,
        observer: &dyn Observer,
        fold: impl FnOnce(SharedTable, &dyn Observer) -> Result<Suite, RunError>,
    ) -> Result<Suite, RunError> {
        let table = self.writer.as_mut().map(RunWriter::shared_table).unwrap_or_default();
        let interrupted = self.file.map(|file| &*file.interrupted);
        let (writer, collector) = (self.writer.as_ref(), &self.collector);
        fold(table, &Observers { writer, collector, observer, interrupted })
    }

    /// Finishes the file, and reads the results from it. Failures are those of this process, and are returned even if
    /// the run ended with an error.
    pub fn finish(
        self,
        folded: Result<Suite, RunError>,
    ) -> (Collected, Result<RecordedRun, RunError>) {
        let known = self.known();
        let Recording { options, file, writer, collector, keeps_results, planned, .. } = self;
        let (mut provenance, left_out) = (self.provenance, &options.scope.left_out);
        let mut collected = collector.finish();
        let (violations, results) =
            (std::mem::take(&mut collected.violations), std::mem::take(&mut collected.results));
        let end = || {
            let measured = folded.as_ref().map_or(0, |suite| known + suite.total().all_groups());
            if let Some(writer) = writer {
                let table = folded.as_ref().ok().map(|suite| &suite.table);
                let kept = writer.keep_left_out(left_out).map_err(RunError::Output);
                let finished = writer.finish(measured == planned, table);
                // The error that ended the fold is the cause of later ones.
                folded.is_ok().then_some(kept.and(finished)).transpose()?;
            }
            let suite = folded?;
            let Some(file) = file else {
                let pairs = results.into_values().collect();
                provenance.left_out = left_out.by_file();
                return Ok(RecordedRun { suite, violations, pairs, provenance, measured });
            };
            let run = Run::open(&file.path)?;
            Ok(RecordedRun {
                violations: run.violations()?,
                pairs: if keeps_results { run.results()? } else { Vec::new() },
                provenance: run.header.provenance.clone(),
                suite: run.suite()?.0,
                measured,
            })
        };
        (collected, end())
    }
}

/// All observers of a run.
struct Observers<'r> {
    writer: Option<&'r RunWriter>,
    collector: &'r Collector,
    observer: &'r dyn Observer,
    interrupted: Option<&'r AtomicBool>,
}

impl Observer for Observers<'_> {
    fn is_done(&self, place: u64, relation: &str, pair: &str) -> Result<bool, Error> {
        self.writer.map_or(Ok(false), |writer| writer.is_done(place, relation, pair))
    }

    fn check_done(
        &self,
        relation: &str,
        pair: &str,
        inputs: &[Vec<StoredInput>],
    ) -> Result<(), Error> {
        self.writer.map_or(Ok(()), |writer| writer.check_done(relation, pair, inputs))
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.is_some_and(|interrupted| interrupted.load(Relaxed))
    }

    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        self.writer.map_or(Ok(()), |writer| writer.on_group(done))?;
        self.collector.on_group(done)?;
        self.observer.on_group(done)
    }
}
