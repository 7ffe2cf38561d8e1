//! Verifies run files: all that is stored is read, and what can be derived is derived again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use metacov_core::{Operation, SiteTable};
use metacov_formats::{Error, Fault};
use rusqlite::Connection;

use crate::base::Base;
use crate::header::damaged;
use crate::pairs::PairRow;
use crate::rounds::StoredRound;
use crate::sites::StoredSites;
use crate::{Header, MutantRun, SourceText, inputs, mutants, rounds, schema, seal, sites, sources};

/// How many problems SQLite lists.
const SQLITE_PROBLEMS_MAX: usize = 20;

/// What a verification found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCheck {
    /// How many pairs are intact.
    pub pairs: u64,
    /// How many rounds of campaigns are.
    pub rounds: u64,
    /// Whether the run has come to an end. Without one there is no checksum of its sites and
    /// settings.
    pub is_sealed: bool,
    /// What is wrong, in words.
    pub problems: Vec<String>,
}

/// Verifies a run file. What is no run file at all is an error.
pub fn check_run(path: &Path) -> Result<RunCheck, Error> {
    let name = path.display().to_string();
    let check = || -> Result<RunCheck, Fault> {
        let connection = schema::open_to_read(path)?;
        let mut found = Findings::of(&connection);
        found.problems.splice(..0, sqlite_problems(&connection));
        let pairs = found.pairs(|_| Ok::<_, Fault>(true))?;
        found.count_pairs(pairs);
        let rounds = found.rounds().len() as u64;
        found.mutants();
        found.check_setups();
        found.sources(|_, _| Ok::<_, Fault>(()))?;
        Ok(RunCheck { pairs, rounds, is_sealed: found.is_sealed, problems: found.problems })
    };
    check().map_err(|fault| fault.of(name))
}

/// What SQLite itself finds wrong: pages, indexes, and references to rows that are not there.
fn sqlite_problems(connection: &Connection) -> Vec<String> {
    let integrity = || -> rusqlite::Result<Vec<String>> {
        let sql = format!("PRAGMA integrity_check({SQLITE_PROBLEMS_MAX})");
        connection.prepare(&sql)?.query_map([], |row| row.get(0))?.collect()
    };
    let references = || -> rusqlite::Result<BTreeMap<(String, String), u64>> {
        let mut rows = connection.prepare("PRAGMA foreign_key_check")?;
        let mut rows = rows.query([])?;
        let mut missing = BTreeMap::new();
        while let Some(row) = rows.next()? {
            *missing.entry((row.get(0)?, row.get(2)?)).or_default() += 1;
        }
        Ok(missing)
    };
    let mut problems = match integrity() {
        Ok(lines) => lines.into_iter().filter(|line| line != "ok").collect(),
        Err(error) => vec![error.to_string()],
    };
    match references() {
        Ok(missing) => problems.extend(missing.into_iter().map(|((table, parent), rows)| {
            format!("{rows} in `{table}` refer to what is not in `{parent}`")
        })),
        Err(error) => problems.push(error.to_string()),
    }
    problems.dedup();
    problems.into_iter().map(|what| format!("SQLite: {what}")).collect()
}

/// A run file that is read as far as that is possible.
pub(crate) struct Findings<'c> {
    connection: &'c Connection,
    pub(crate) header: Option<Header>,
    /// The sites, if they are those that were stored, as far as that can be known.
    pub(crate) sites: Option<(SiteTable, StoredSites)>,
    /// The side that covers are stored as differences from, if there is a measured pair.
    pub(crate) base: Option<Base>,
    /// Whether it was there and cannot be read.
    is_base_lost: bool,
    pub(crate) is_sealed: bool,
    pub(crate) problems: Vec<String>,
}

impl<'c> Findings<'c> {
    /// Reads what pairs depend on.
    pub(crate) fn of(connection: &'c Connection) -> Self {
        let mut found = Findings {
            connection,
            header: None,
            sites: None,
            base: None,
            is_base_lost: false,
            is_sealed: false,
            problems: Vec::new(),
        };
        found.header = found.note(Header::read(connection));
        found.sites = found.note(sites::read(connection));
        let is_sealed = found.note(seal::is_sealed(connection).map_err(Fault::from));
        found.is_sealed = is_sealed.unwrap_or(false);
        if let (Some(header), Some((table, _))) = (&found.header, &found.sites)
            && let Err(fault) = seal::check(connection, header, table)
        {
            match seal::is_of_build(connection, table) {
                Ok(true) => found
                    .problems
                    .push("settings or number of pairs: checksum does not match".to_owned()),
                Ok(false) => {
                    found.problems.push("sites: checksum does not match".to_owned());
                    found.sites = None;
                }
                Err(_) => {
                    found.note::<()>(Err(fault));
                }
            }
        }
        if let Some((table, _)) = &found.sites {
            let base = Base::read(connection, table);
            found.is_base_lost = base.is_err();
            found.base = found.note(base).flatten();
        }
        found
    }

    /// Keeps what is wrong, if something is.
    fn note<T>(&mut self, read: Result<T, Fault>) -> Option<T> {
        read.map_err(|fault| self.problems.push(words(&fault))).ok()
    }

    /// The mutants that pairs were run with, if all of them can be read: they can be run again.
    pub(crate) fn mutants(&mut self) -> Option<MutantRun> {
        self.note(mutants::read(self.connection)).flatten()
    }

    /// Hands all intact pairs to `each`, in the order of their ids, and counts those that it takes.
    pub(crate) fn pairs<E>(
        &mut self,
        mut each: impl FnMut(PairRow) -> Result<bool, E>,
    ) -> Result<u64, E> {
        let mut intact = 0;
        for id in self.pair_ids() {
            match self.pair(id) {
                Ok(row) => {
                    let name = format!("pair {}/{}", row.relation, row.name);
                    if each(row)? {
                        intact += 1;
                    } else {
                        self.problems.push(format!("{name}: there twice"));
                    }
                }
                Err(fault) => {
                    let name = self.pair_name(id);
                    self.problems.push(format!("{name}: {}", words(&fault)));
                }
            }
        }
        Ok(intact)
    }

    /// The ids of all pairs that can be found: where a page is damaged, others lead to the rows
    /// after it.
    fn pair_ids(&mut self) -> BTreeSet<i64> {
        let mut ids = BTreeSet::new();
        let mut problem = None;
        for sql in [
            "SELECT id FROM pair NOT INDEXED ORDER BY id",
            "SELECT id FROM pair NOT INDEXED ORDER BY id DESC",
            "SELECT id FROM pair INDEXED BY sqlite_autoindex_pair_1 ORDER BY place",
            "SELECT id FROM pair INDEXED BY sqlite_autoindex_pair_2 ORDER BY relation, name",
        ] {
            let mut read = || -> rusqlite::Result<()> {
                let mut rows = self.connection.prepare(sql)?;
                let mut rows = rows.query([])?;
                while let Some(row) = rows.next()? {
                    ids.insert(row.get(0)?);
                }
                Ok(())
            };
            if let Err(error) = read() {
                problem.get_or_insert(format!("the list of pairs: {error}"));
            }
        }
        self.problems.extend(problem);
        ids
    }

    /// A pair whose checksum is right, whose covers can be read, and which says of itself what can
    /// be derived.
    fn pair(&self, id: i64) -> Result<PairRow, Fault> {
        let row = PairRow::read(self.connection, id)?;
        if let Some(setup) = row.setup {
            inputs::read_setup(self.connection, setup)?;
        }
        let Some((table, _)) = &self.sites else {
            return Err(damaged("without the sites, its coverage means nothing"));
        };
        if self.is_base_lost && row.is_measured() {
            return Err(damaged("without the base, its coverage cannot be read"));
        }
        let empty = Base::of(table);
        let base = self.base.as_ref().unwrap_or(&empty);
        let operation = self.header.as_ref().map_or(Operation::Xor, |header| header.operation);
        row.verify(table, base, operation)?;
        Ok(row)
    }

    fn pair_name(&self, id: i64) -> String {
        let sql = "SELECT relation.name, pair.name FROM pair
                   JOIN relation ON relation.id = pair.relation WHERE pair.id = ?1";
        let named = self.connection.query_row(sql, [id], |row| {
            Ok(format!("pair {}/{}", row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        });
        named.unwrap_or_else(|_| format!("pair number {id}"))
    }

    /// Whether there are as many pairs as a complete run must have.
    fn count_pairs(&mut self, pairs: u64) {
        let Some(Header { complete: true, planned: Some(planned), .. }) = self.header else {
            return;
        };
        if pairs != planned {
            self.problems.push(format!("{pairs} of {planned} pairs of a complete run are intact"));
        }
    }

    /// The rounds of each campaign up to the first that cannot be read: those after it depend on
    /// it.
    pub(crate) fn rounds(&mut self) -> Vec<StoredRound> {
        let Some(all) = self.note(rounds::read_each(self.connection)) else { return Vec::new() };
        let mut intact: Vec<StoredRound> = Vec::new();
        let mut broken: BTreeSet<String> = BTreeSet::new();
        for (trial, number, round) in all {
            let is_next = match intact.last() {
                Some(last) if last.trial == trial => last.number + 1 == number,
                _ => number == 0,
            };
            match round {
                Ok(round) if is_next && !broken.contains(&trial) => intact.push(round),
                Ok(_) => {
                    broken.insert(trial);
                    self.problems.push(format!("round {number}: a round before it is lost"));
                }
                Err(fault) => {
                    broken.insert(trial);
                    self.problems.push(words(&fault));
                }
            }
        }
        intact
    }

    /// The setups that can be read. What is wrong with others is noted with their pairs.
    pub(crate) fn setups(&mut self) -> Vec<metacov_core::Setup> {
        let hashes = inputs::setups(self.connection).map_err(Fault::from);
        let hashes = self.note(hashes).unwrap_or_default();
        let read = |hash| inputs::read_setup(self.connection, hash).ok();
        hashes.into_iter().filter_map(read).collect()
    }

    /// Hands all intact texts of source files to `each`, by path.
    pub(crate) fn sources<E>(
        &mut self,
        mut each: impl FnMut(&str, &SourceText) -> Result<(), E>,
    ) -> Result<(), E> {
        let files = sources::files(self.connection);
        for (path, id) in self.note(files).unwrap_or_default() {
            let source = sources::read(self.connection, id, &path);
            if let Some(source) = self.note(source) {
                each(&path, &source)?;
            }
        }
        Ok(())
    }

    fn check_setups(&mut self) {
        let hashes = inputs::setups(self.connection).map_err(Fault::from);
        for hash in self.note(hashes).unwrap_or_default() {
            let setup = inputs::read_setup(self.connection, hash);
            self.note(setup);
        }
    }
}

/// What is wrong, without saying again that the file is damaged.
fn words(fault: &Fault) -> String {
    let text = fault.to_string();
    text.strip_prefix("damaged run file: ").map_or(text.clone(), ToOwned::to_owned)
}
