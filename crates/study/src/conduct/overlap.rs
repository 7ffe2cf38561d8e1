//! Runs the targets for `metacov overlap`: whether the MC sites of pairs overlap with fixes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use metacov_campaign::{CaseBatch, CaseRunner};
use metacov_core::{Cover, FileId, Functions, Language, Outcome, Pair, SiteTable, Verdict};
use metacov_formats::Fault;
use metacov_run::RunError;
use metacov_store::Run;

use super::locate::{by_target, main_file, read_corpus, target_name};
use super::{Message, RunContext};
use crate::corpus::{Bug, Change, FixLines};
use crate::overlap::{FileFix, Overlap, overlap, parse};
use crate::{
    BUGS_MIN, BugCovers, BugOverlap, BugsPlan, FileVersion, KnownBugs, LeftOut, MeasuredBugs,
};

/// Compares a fix (a unified diff, or a list of lines) with the pairs of a run, or one of them, by
/// file.
pub fn overlap_of_run(
    path: &Path,
    pair: Option<&str>,
    fix: &Path,
    on_message: &dyn Fn(Message),
) -> Result<Vec<(String, Overlap)>, RunError> {
    let name = fix.display().to_string();
    let text = std::fs::read_to_string(fix).map_err(|error| Fault::Io(error).of(name.clone()))?;
    let fixes = parse(&text).map_err(|fault| fault.of(name.clone()))?;
    let run = Run::open(path)?;
    let functions = Functions::of(&run.table);
    let (executed, difference) = covers(&run, pair)?;
    let mut rows = Vec::new();
    for FileFix { path, lines } in &fixes {
        let Some(file) = file(&run.table, path)? else {
            let what = format!("{path} is not among the measured files: left out");
            on_message(Message::Warning(what));
            continue;
        };
        if lines.iter().all(|fix| fix.kind == Change::InsertionContext) {
            let what = format!("{path}: the fix only inserts lines: see `context`");
            on_message(Message::Note(what));
        }
        let found = overlap(&run.table, &functions, &[(file, lines)], &executed, &difference);
        rows.push((path.clone(), found));
    }
    if rows.is_empty() {
        let what = format!("{name} changes no file that {} measured", run.name);
        return Err(RunError::Invalid(what));
    }
    Ok(rows)
}

/// The sites that the pairs of a run executed, and the union of their differences.
fn covers(run: &Run, pair: Option<&str>) -> Result<(Cover, Cover), RunError> {
    let (mut executed, mut difference) = (Cover::of(&run.table), Cover::of(&run.table));
    let mut is_found = false;
    for stored in run.pairs()? {
        let stored = stored?;
        let name = format!("{}/{}", stored.relation, stored.name);
        if pair.is_some_and(|pair| pair != name) {
            continue;
        }
        let Ok(group) = &stored.outcome else { continue };
        is_found = true;
        for side in group.sides() {
            executed |= &side.executed;
        }
        difference |= &group.difference();
    }
    let missing = match pair {
        _ if is_found => return Ok((executed, difference)),
        Some(pair) => format!("{} has no measured pair `{pair}`", run.name),
        None => format!("{} has no measured pair", run.name),
    };
    Err(RunError::Invalid(missing))
}

/// The measured file that a fix refers to: its path ends with the same components.
fn file(table: &SiteTable, path: &str) -> Result<Option<FileId>, RunError> {
    let mut files: BTreeMap<&str, FileId> = BTreeMap::new();
    for (_, site) in table.sites() {
        files.insert(table.path(site.file), site.file);
    }
    if let Some(file) = files.get(path) {
        return Ok(Some(*file));
    }
    let ends = |known: &str| Path::new(known).ends_with(path) || Path::new(path).ends_with(known);
    let mut found = files.iter().filter(|(known, _)| ends(known));
    match (found.next(), found.next()) {
        (None, _) => Ok(None),
        (Some((_, file)), None) => Ok(Some(*file)),
        (Some((one, _)), Some((other, _))) => {
            let what = format!("{path} may be {one} or {other}: which of them is meant?");
            Err(RunError::Invalid(what))
        }
    }
}

impl RunContext<'_> {
    /// Compares the fix of each bug with the MC sites of its pair on the version that has the bug.
    /// Returns also the bugs that are left out, such as those of versions that are not built.
    pub fn overlaps(&self, bugs: &[Bug]) -> Result<(Vec<BugOverlap>, Vec<LeftOut>), RunError> {
        let mut rows: BTreeMap<usize, Result<BugOverlap, LeftOut>> = BTreeMap::new();
        let mut left_out = |at: usize, bug: &Bug, why: &str| {
            self.warn(format!("{}: left out: {why}", bug.id));
            rows.insert(at, Err(LeftOut { id: bug.id.clone(), why: why.to_owned() }));
        };
        for (engine, bugs) in by_target(bugs, self.targets, &mut left_out)? {
            self.overlaps_on(&engine, bugs, &mut rows)?;
        }
        let (mut overlaps, mut left_out) = (Vec::new(), Vec::new());
        for row in rows.into_values() {
            match row {
                Ok(overlap) => overlaps.push(overlap),
                Err(bug) => left_out.push(bug),
            }
        }
        Ok((overlaps, left_out))
    }

    /// The same for the bugs of one version, by their index in the corpus.
    fn overlaps_on(
        &self,
        engine: &str,
        bugs: Vec<(usize, &Bug)>,
        rows: &mut BTreeMap<usize, Result<BugOverlap, LeftOut>>,
    ) -> Result<(), RunError> {
        let left_out =
            |bug: &Bug, why: &str| Err(LeftOut { id: bug.id.clone(), why: why.to_owned() });
        let target = self.target(engine, None)?;
        let options = target.options();
        let mut runner = CaseRunner::new(&options)?;
        let (known, unknown): (Vec<_>, Vec<_>) =
            bugs.into_iter().partition(|(_, bug)| !bug.fix_lines.is_empty());
        for (at, bug) in unknown {
            let why = "its fix has no lines in this version";
            self.note(format!("{}: left out, as {why}", bug.id));
            rows.insert(at, left_out(bug, why));
        }
        let language = target.language();
        let results = runner.run(&batches(known.iter().map(|(_, bug)| *bug), language))?;
        let table = runner.table();
        let build = table.build_id().to_string();
        let functions = Functions::of(table);
        let main = main_file(table);
        for ((at, bug), result) in known.into_iter().zip(results) {
            let why = match &result {
                Ok(tried) => match tried.pairs.first() {
                    Some(Ok(ran)) if !shows(bug, &ran.outcomes) => {
                        "its pair shows no violation here"
                    }
                    Some(Ok(ran)) => {
                        let covers = ran.covers(tried.setup.as_ref())?;
                        let (executed, difference) = (covers.union(), covers.difference());
                        let fixes = bug.fixes(main);
                        let fix = self.in_files(bug, &fixes, table)?;
                        let overlap = overlap(table, &functions, &fix, &executed, &difference);
                        let row = BugOverlap {
                            id: bug.id.clone(),
                            engine: engine.to_owned(),
                            build: build.clone(),
                            relation: bug.relation.clone(),
                            is_wide: bug.is_wide(),
                            is_option_pair: bug.is_option_pair(),
                            overlap,
                        };
                        rows.insert(at, Ok(row));
                        continue;
                    }
                    Some(Err((_, missing))) => missing.failure.name(),
                    None => "no result",
                },
                Err(missing) => missing.failure.name(),
            };
            self.warn(format!("{}: left out: {why}", bug.id));
            rows.insert(at, left_out(bug, why));
        }
        Ok(())
    }

    /// The lines of a fix, by measured file.
    fn in_files<'f>(
        &self,
        bug: &Bug,
        fixes: &'f [FileFix],
        table: &SiteTable,
    ) -> Result<Vec<(FileId, &'f [FixLines])>, RunError> {
        let mut found = Vec::new();
        for FileFix { path, lines } in fixes {
            match file(table, path)? {
                Some(file) => found.push((file, lines.as_slice())),
                None => self.warn(format!("{}: {path} is not among the measured files", bug.id)),
            }
        }
        Ok(found)
    }

    /// Runs all known bugs of a study. `build` makes a target that may not be built yet.
    pub fn known_bugs(
        &self,
        path: &Path,
        plan: &BugsPlan,
        build: &dyn Fn(&str) -> Result<(), RunError>,
    ) -> Result<KnownBugs, RunError> {
        let corpus = read_corpus(path)?;
        let names: BTreeSet<String> =
            corpus.iter().map(|bug| target_name(bug, self.targets)).collect();
        for name in names.iter().filter(|name| plan.builds(name)) {
            // Its bugs are left out.
            if let Err(error) = build(name) {
                self.warn(error.to_string());
            }
        }
        let (overlaps, left_out) = self.overlaps(&corpus)?;
        let correlation = if corpus.len() >= BUGS_MIN {
            build(&plan.engine)?;
            self.measure(&corpus, &plan.engine)?.correlation(&plan.engine)
        } else {
            None
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(KnownBugs { version: FileVersion, corpus: name, overlaps, left_out, correlation })
    }

    /// Runs the pairs of all bugs of a target on one version, and returns their covers.
    pub fn measure(&self, bugs: &[Bug], engine: &str) -> Result<MeasuredBugs, RunError> {
        let name = self.targets.parse(engine)?.0.name();
        let known = || self.targets.all.iter().map(|target| target.name());
        let bugs: Vec<&Bug> = bugs.iter().filter(|bug| bug.target(known()) == name).collect();
        let target = self.target(engine, None)?;
        let options = target.options();
        let mut runner = CaseRunner::new(&options)?;
        let results = runner.run(&batches(bugs.iter().copied(), target.language()))?;
        let mut measured = Vec::new();
        for (bug, result) in bugs.into_iter().zip(results) {
            let ran = match &result {
                Ok(tried) => {
                    tried.pairs.first().and_then(|pair| Some((tried, pair.as_ref().ok()?)))
                }
                Err(_) => None,
            };
            let Some((tried, ran)) = ran else {
                self.warn(format!(
                    "{}: not in the correlation: its pair does not run on {engine}",
                    bug.id
                ));
                continue;
            };
            let covers = ran.covers(tried.setup.as_ref())?;
            measured.push(BugCovers { executed: covers.union(), difference: covers.difference() });
        }
        Ok(MeasuredBugs::new(measured, runner.table()))
    }
}

/// Whether the outcomes of a bug's pair violate its relation.
fn shows(bug: &Bug, outcomes: &Pair<Vec<Outcome>>) -> bool {
    matches!(bug.compare.judge().judge(outcomes), Verdict::Violated(_))
}

/// The pairs of bugs, each on a separate database.
fn batches<'b>(bugs: impl Iterator<Item = &'b Bug>, language: &dyn Language) -> Vec<CaseBatch> {
    let batch = |bug: &Bug| {
        let case = bug.case(language);
        CaseBatch { setup: case.setup, tests: vec![case.sides] }
    };
    bugs.map(batch).collect()
}
