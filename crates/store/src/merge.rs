//! Merges runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use metacov_core::{BuildMismatch, Renumbering, SiteTable, absorb_run, same_build};
use metacov_formats::{Error, Fault, Location};
use metacov_run::RunError;
use rusqlite::Connection;

use crate::base::Base;
use crate::lock::Lock;
use crate::pairs::{PairRow, StoredPair};
use crate::replace_file::Replacement;
use crate::run::Entry;
use crate::sites::{StoredSites, number};
use crate::{
    Header, MeasuredProgram, Provenance, Run, SourceText, inputs, mutants, schema, seal, sources,
};

/// The setting that identifies the build of a campaign.
pub const BUILD: &str = "the build";

/// The result of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merged {
    /// How many groups the result has.
    pub groups: u64,
    /// For how many of them the runs differ.
    pub disputed: u64,
    /// How many rounds of campaigns it has.
    pub rounds: u64,
    /// How many campaigns are in more than one of the runs. They count once.
    pub repeated: u64,
}

/// Unites runs of one build in a new file.
///
/// Groups with the same relation and name are the same group. If runs differ in it, measured groups
/// take precedence over failed ones, and after that the order of the bytes decides. Sites are
/// ordered by path and line, groups by relation and name, and the result does not record which runs
/// it came from. So it does not depend on the order of the runs, on the number of steps, or on
/// repetition.
pub fn merge(paths: &[PathBuf], output: &Path) -> Result<Merged, RunError> {
    let unwritten = |error| RunError::Output(Fault::Io(error).of(output.display().to_string()));
    // Taken before any run is opened, and held until all are closed.
    let _lock = lock_output(paths, output).map_err(unwritten)?;
    let runs: Vec<Run> = paths.iter().map(|path| Run::open(path)).collect::<Result<_, _>>()?;
    let header = common_header(&runs)?;
    check_programs(&runs)?;
    let (table, numbers) = common_table(&runs)?;
    let file = Replacement::of(output).map_err(unwritten)?;
    let merged =
        fill(file.path(), &runs, &header, &table, &numbers).map_err(|halt| match halt {
            StopReason::Read(error) => error.into(),
            StopReason::Write(error) => unwritten(std::io::Error::other(error.to_string())),
        })?;
    drop(runs);
    schema::settle(file.target()).map_err(|error| {
        let what =
            format!("it cannot be replaced while another process reads or writes it: {error}");
        unwritten(std::io::Error::new(std::io::ErrorKind::WouldBlock, what))
    })?;
    file.commit().map_err(unwritten)?;
    Ok(merged)
}

enum StopReason {
    Read(Error),
    Write(rusqlite::Error),
}

impl From<Error> for StopReason {
    fn from(error: Error) -> Self {
        StopReason::Read(error)
    }
}

impl From<rusqlite::Error> for StopReason {
    fn from(error: rusqlite::Error) -> Self {
        StopReason::Write(error)
    }
}

/// Refuses an existing file, unless it is one of the runs. Takes the lock for writing the result.
fn lock_output(paths: &[PathBuf], output: &Path) -> std::io::Result<Option<Lock>> {
    let Ok(there) = std::fs::canonicalize(output) else { return Ok(None) };
    let is_input =
        paths.iter().any(|path| std::fs::canonicalize(path).is_ok_and(|path| path == there));
    if !is_input {
        let what = "the file exists and is not among the runs to merge: choose another name";
        return Err(std::io::Error::new(std::io::ErrorKind::AlreadyExists, what));
    }
    match Lock::take(output)? {
        Some(lock) => Ok(Some(lock)),
        None => Err(std::io::Error::new(
            std::io::ErrorKind::WouldBlock,
            "the file is being written by another process",
        )),
    }
}

/// The header of the result: only what all runs have in common.
fn common_header(runs: &[Run]) -> Result<Header, Error> {
    let Some((first, others)) = runs.split_first() else {
        return Err(Fault::malformed(Location::Whole, "nothing to merge").of("merge"));
    };
    for other in others {
        let (left, right) = (&first.header, &other.header);
        let what = if left.operation != right.operation {
            format!("asks for {}, not for {} as {}", right.operation, left.operation, first.name)
        } else if let Some(fault) = other_build(left, &first.name, right) {
            return Err(fault.of(&other.name));
        } else if left.per_instance != right.per_instance {
            format!("does not treat template instances as {} does", first.name)
        } else {
            continue;
        };
        return Err(Fault::malformed(Location::Whole, what).of(&other.name));
    }
    for (at, run) in runs.iter().enumerate() {
        for earlier in &runs[..at] {
            let code = run.header.provenance.other_code(&earlier.header.provenance);
            if let Some(file) = code {
                let (earlier, place) = (earlier.name.clone(), file.name.clone());
                let mismatch = BuildMismatch { place };
                return Err(Fault::OtherBuild { earlier, mismatch }.of(&run.name));
            }
        }
    }
    let headers = || runs.iter().map(|run| &run.header);
    let mut made_by: Vec<&str> = headers().map(|header| header.made_by.as_str()).collect();
    made_by.sort_unstable();
    let Header { operation, per_instance, .. } = first.header;
    let settings: Option<&String> = headers().find_map(|header| header.settings.get(BUILD));
    let settings = settings.into_iter();
    Ok(Header {
        // Reports look like those of the run with the most information.
        made_by: made_by.last().copied().unwrap_or_default().to_owned(),
        command: String::new(),
        operation,
        per_instance,
        root: headers().map(|header| header.root.clone()).min().unwrap_or_default(),
        planned: None,
        complete: headers().all(|header| header.complete),
        by_relation: true,
        settings: settings.map(|build| (BUILD.to_owned(), build.clone())).collect(),
        provenance: Provenance::common(headers().map(|header| &header.provenance)),
    })
}

/// Refuses runs of unrelated programs: numbers over the code of both mean nothing.
fn check_programs(runs: &[Run]) -> Result<(), Error> {
    let program = |run: &Run| MeasuredProgram::new(&run.name, &run.header, &run.table);
    let programs: Vec<MeasuredProgram> = runs.iter().map(program).collect();
    let Some((first, others)) = programs.split_first() else { return Ok(()) };
    others.iter().try_for_each(|other| other.check_related(first))
}

/// The fault of two campaigns of different builds. Campaigns that measure nothing have no sites to
/// compare.
pub(crate) fn other_build(earlier: &Header, name: &str, later: &Header) -> Option<Fault> {
    let (left, right) = (earlier.settings.get(BUILD)?, later.settings.get(BUILD)?);
    (left != right).then(|| Fault::OtherBuild {
        earlier: name.to_owned(),
        mismatch: BuildMismatch {
            place: format!("the library (build {left} there, {right} here)"),
        },
    })
}

/// All sites in order, and for each run the numbers of its sites there.
fn common_table(runs: &[Run]) -> Result<(SiteTable, Vec<Renumbering>), Error> {
    let mut united = SiteTable::new();
    let other_build = |run: &Run, mismatch: BuildMismatch| {
        let earlier = runs[0].name.clone();
        Fault::OtherBuild { earlier, mismatch }.of(&run.name)
    };
    for run in runs {
        absorb_run(&mut united, &run.table).map_err(|mismatch| other_build(run, mismatch))?;
    }
    let table = united.in_order();
    let mut table = table.map_err(|mismatch| other_build(&runs[0], mismatch))?;
    let mut numbers = Vec::new();
    let mut first = None;
    for run in runs {
        let number = table.absorb(&run.table).map_err(|mismatch| other_build(run, mismatch))?;
        if let Some(base) = &run.base {
            let known = number.cover(base.known.clone());
            let first = first.get_or_insert_with(|| known.clone());
            same_build(&table, first, &known).map_err(|mismatch| other_build(run, mismatch))?;
        }
        numbers.push(number);
    }
    Ok((table, numbers))
}

fn fill(
    path: &Path,
    runs: &[Run],
    header: &Header,
    table: &SiteTable,
    numbers: &[Renumbering],
) -> Result<Merged, StopReason> {
    let mut groups: Vec<(Entry, usize)> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        groups.extend(run.index()?.into_iter().map(|entry| (entry, at)));
    }
    groups.sort_unstable_by(|left, right| {
        left.0.key().cmp(&right.0.key()).then(left.1.cmp(&right.1))
    });
    let connection = schema::open_to_write(path)?;
    // The file is not visible before it is complete.
    connection.query_row("PRAGMA journal_mode = OFF", [], |_| Ok(()))?;
    connection.execute_batch("PRAGMA synchronous = OFF; BEGIN EXCLUSIVE")?;
    schema::create(&connection)?;
    header.write(&connection)?;
    if let Some(news) = StoredSites::default().news(table) {
        news.write(&connection)?;
    }
    write_sources(&connection, runs, table)?;
    write_setups(&connection, runs)?;
    let rounds = write_rounds(&connection, runs)?;
    let empty = Base::of(table);
    let mut base: Option<Base> = None;
    let Rounds { written, disputed, repeated } = rounds;
    let mut merged = Merged { groups: 0, disputed, rounds: written, repeated };
    for same in groups.chunk_by(|left, right| left.0.key() == right.0.key()) {
        let mut rows: Vec<PairRow> = Vec::new();
        for (entry, run) in same {
            let stored = renumbered(runs[*run].stored(entry)?, &numbers[*run]);
            let row = PairRow::of(&StoredPair { place: merged.groups, ..stored }, &empty);
            if let Some(at) = rows.iter().position(|earlier| earlier.has_other_inputs(&row)) {
                let earlier = &runs[same[at].1].name;
                return Err(other_inputs(entry, earlier).of(&runs[*run].name).into());
            }
            rows.push(row);
        }
        rows.sort_unstable();
        merged.disputed += u64::from(rows.iter().any(|row| !row.agrees(&rows[0])));
        let stored =
            rows.swap_remove(0).stored(table, &empty).map_err(|fault| fault.of("merge"))?;
        if let (Ok(group), None) = (&stored.outcome, &base) {
            let first = Base::first(group);
            first.write(&connection)?;
            base = Some(first);
        }
        PairRow::of(&stored, base.as_ref().unwrap_or(&empty)).write(&connection)?;
        merged.groups += 1;
    }
    let mutants =
        runs.iter().filter_map(|run| Some((run.name.clone(), run.mutants().transpose()?)));
    let mutants: Vec<_> =
        mutants.map(|(name, mutants)| Ok((name, mutants?))).collect::<Result<_, Error>>()?;
    mutants::merge(&connection, mutants.into_iter())??;
    seal::write(&connection, header, table)?;
    close(connection)?;
    Ok(merged)
}

/// That a group has other inputs than the group of the same name in an earlier run.
fn other_inputs(entry: &Entry, earlier: &str) -> Fault {
    let Entry { relation, name, .. } = entry;
    let what = format!(
        "pair {name} of {relation} was measured on other inputs than in {earlier}; \
         pairs of one name are one pair: measure both runs on the same inputs, or give the pairs different names"
    );
    Fault::malformed(Location::Whole, what)
}

/// Writes the texts of all source files. A file with several texts is refused: what its lines say differs.
fn write_sources(
    connection: &Connection,
    runs: &[Run],
    table: &SiteTable,
) -> Result<(), StopReason> {
    let files = runs.iter().map(Run::source_files).collect::<Result<Vec<_>, _>>()?;
    for (file, path) in table.paths().enumerate() {
        let mut first: Option<(&Run, SourceText)> = None;
        for (run, files) in runs.iter().zip(&files) {
            let Some(source) = run.source(files, path)? else { continue };
            match &first {
                None => first = Some((run, source)),
                Some((_, earlier)) if *earlier == source => {}
                Some((earlier, _)) => {
                    let (earlier, mismatch) = (earlier.name.clone(), sources::changed(path));
                    return Err(Fault::OtherBuild { earlier, mismatch }.of(&run.name).into());
                }
            }
        }
        if let Some((_, source)) = first {
            sources::write(connection, number(file), &source)?;
        }
    }
    Ok(())
}

/// Writes the setups of all groups, in the order of hashes.
fn write_setups(connection: &Connection, runs: &[Run]) -> Result<(), StopReason> {
    let mut setups: BTreeMap<u64, &Run> = BTreeMap::new();
    for run in runs {
        setups.extend(run.setups()?.into_iter().map(|hash| (hash, run)));
    }
    for (hash, run) in setups {
        inputs::write_setup(connection, &run.setup(hash)?)?;
    }
    Ok(())
}

/// The rounds that were written.
struct Rounds {
    written: u64,
    /// How many rounds differ between runs.
    disputed: u64,
    /// How many campaigns have rounds in several runs.
    repeated: u64,
}

/// Writes the rounds of all campaigns. Each round of a trial is written once, however often it was
/// run; if runs differ in it, the order of the bytes decides.
fn write_rounds(connection: &Connection, runs: &[Run]) -> Result<Rounds, StopReason> {
    let mut all = Vec::new();
    let mut trials: BTreeMap<String, u64> = BTreeMap::new();
    for run in runs {
        let rounds = run.rounds()?;
        for of in rounds.chunk_by(|a, b| a.trial == b.trial) {
            *trials.entry(of[0].trial.clone()).or_default() += 1;
        }
        all.extend(rounds);
    }
    all.sort_unstable();
    all.dedup();
    let repeated = trials.values().filter(|runs| **runs > 1).count() as u64;
    let mut rounds = Rounds { written: 0, disputed: 0, repeated };
    for same in all.chunk_by(|a, b| (&a.trial, a.number) == (&b.trial, b.number)) {
        same[0].write(connection)?;
        rounds.written += 1;
        rounds.disputed += u64::from(same.len() > 1);
    }
    Ok(rounds)
}

fn close(connection: Connection) -> rusqlite::Result<()> {
    connection.execute_batch("COMMIT")?;
    connection.close().map_err(|(_, error)| error)
}

fn renumbered(stored: StoredPair, numbers: &Renumbering) -> StoredPair {
    let outcome = stored.outcome.map(|group| group.map(|reading| numbers.reading(reading)));
    StoredPair { outcome, ..stored }
}
