//! Reads a run file.

use std::collections::BTreeMap;
use std::path::Path;

use metacov_core::{Growth, Operation, PairResult, Setup, SiteTable, Suite, SuiteFold, Violation};
use metacov_formats::{Error, Fault};
use rusqlite::Connection;

use crate::base::Base;
use crate::header::damaged;
use crate::inputs;
use crate::pairs::{PairRow, VIOLATED};
use crate::sites::{self, StoredSites};
use crate::{
    Header, MutantRun, SourceText, StoredPair, StoredRound, mutants, rounds, schema, seal, sources,
};

/// A run file, opened for reading. It shows one state, even if another process is writing it.
pub struct Run {
    /// The file as the user named it.
    pub name: String,
    /// Its header.
    pub header: Header,
    /// All sites.
    pub table: SiteTable,
    pub(crate) base: Option<Base>,
    pub(crate) written: StoredSites,
    connection: Connection,
}

/// A group in the index: its name, and the id of its row.
pub(crate) struct Entry {
    pub(crate) relation: String,
    pub(crate) name: String,
    place: u64,
    id: i64,
}

impl Entry {
    /// Its relation and name, which identify it.
    pub(crate) fn key(&self) -> (&str, &str) {
        (&self.relation, &self.name)
    }
}

impl Run {
    /// How the suite grew, pair by pair, without the sites that `table` excludes. Sites are
    /// numbered as in the file.
    pub fn growth(mut self, table: &SiteTable) -> Result<Growth, Error> {
        for (id, _) in table.all_sites().filter(|(id, _)| table.is_excluded(*id)) {
            self.table.exclude(id);
        }
        let mut growth = Growth::default();
        for stored in self.pairs()? {
            let StoredPair { relation, outcome, .. } = stored?;
            if let Ok(group) = outcome {
                growth.add(&self.table, &relation, &group);
            }
        }
        Ok(growth)
    }

    /// Opens a run file. Other and damaged files are errors.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let open = || Run::of(name.clone(), schema::open_to_read(path)?);
        open().map_err(|fault| fault.of(&name))
    }

    pub(crate) fn of(name: String, connection: Connection) -> Result<Self, Fault> {
        let header = Header::read(&connection)?;
        let (table, written) = sites::read(&connection)?;
        seal::check(&connection, &header, &table)?;
        let base = Base::read(&connection, &table)?;
        Ok(Run { name, header, table, base, written, connection })
    }

    /// How many groups there are.
    pub fn groups(&self) -> Result<u64, Error> {
        seal::count_pairs(&self.connection).map_err(|error| Fault::from(error).of(&self.name))
    }

    /// Returns all groups one by one, in the order of the plan.
    pub fn pairs(&self) -> Result<impl Iterator<Item = Result<StoredPair, Error>>, Error> {
        let mut entries = self.index()?;
        entries.sort_by_key(|entry| entry.place);
        Ok(entries.into_iter().map(|entry| self.stored(&entry)))
    }

    /// The group that is called `RELATION/NAME`, if there is one.
    pub fn find(&self, name: &str) -> Result<Option<StoredPair>, Error> {
        let is_it = |entry: &Entry| {
            let rest = name.strip_prefix(&entry.relation).and_then(|rest| rest.strip_prefix('/'));
            rest == Some(&entry.name)
        };
        let entry = self.index()?.into_iter().find(is_it);
        entry.map(|entry| self.stored(&entry)).transpose()
    }

    /// The names of all relations, in order.
    pub fn relations(&self) -> Result<Vec<String>, Error> {
        let mut names: Vec<String> =
            self.index()?.into_iter().map(|entry| entry.relation).collect();
        names.dedup();
        Ok(names)
    }

    /// Folds all groups. The result equals that of the run itself.
    pub fn suite(self) -> Result<(Suite, Header), Error> {
        self.fold(|_, _| ())
    }

    /// The same; `each` is called for each group, in the order of the plan.
    pub fn fold(
        self,
        mut each: impl FnMut(&SiteTable, &StoredPair),
    ) -> Result<(Suite, Header), Error> {
        let Header { operation, per_instance, .. } = self.header;
        let mut fold = SuiteFold::new(&self.table, operation);
        for stored in self.pairs()? {
            let stored = stored?;
            each(&self.table, &stored);
            let StoredPair { relation, outcome, sides, verdict, .. } = stored;
            if outcome.is_ok() && operation != Operation::Xor && sides != 2 {
                return Err(damaged(&format!("{operation} of {sides} sides")).of(&self.name));
            }
            let outcome = outcome.as_ref().map_err(|(_, missing)| missing.failure);
            fold.add(&relation, outcome, verdict.as_ref());
        }
        Ok((fold.finish(self.table, per_instance), self.header))
    }

    /// Returns the setup with this hash.
    pub fn setup(&self, hash: u64) -> Result<Setup, Error> {
        inputs::read_setup(&self.connection, hash).map_err(|fault| fault.of(&self.name))
    }

    /// Returns the mutants that its pairs were run with; none if they were not.
    pub fn mutants(&self) -> Result<Option<MutantRun>, Error> {
        mutants::read(&self.connection).map_err(|fault| fault.of(&self.name))
    }

    /// Returns the groups that violate their relation, by place in the plan.
    pub fn violations(&self) -> Result<BTreeMap<u64, Violation>, Error> {
        let read = || -> Result<BTreeMap<u64, Violation>, Fault> {
            let mut ids = self.connection.prepare("SELECT id FROM pair WHERE verdict = ?1")?;
            let ids = ids.query_map([VIOLATED], |row| row.get(0))?;
            let mut violations = BTreeMap::new();
            for id in ids {
                let row = PairRow::read(&self.connection, id?)?;
                violations.extend(row.violated());
            }
            Ok(violations)
        };
        read().map_err(|fault| fault.of(&self.name))
    }

    /// The results of all groups, by place in the plan.
    pub fn results(&self) -> Result<Vec<PairResult>, Error> {
        let read = || -> Result<Vec<PairResult>, Fault> {
            let mut ids = self.connection.prepare("SELECT id FROM pair ORDER BY place")?;
            let ids = ids.query_map([], |row| row.get(0))?;
            ids.map(|id| Ok(PairRow::read(&self.connection, id?)?.into_result())).collect()
        };
        read().map_err(|fault| fault.of(&self.name))
    }

    /// The rounds of campaigns, by trial and number.
    pub fn rounds(&self) -> Result<Vec<StoredRound>, Error> {
        rounds::read(&self.connection).map_err(|fault| fault.of(&self.name))
    }

    /// The hashes of the setups of all groups, in order.
    pub fn setups(&self) -> Result<Vec<u64>, Error> {
        inputs::setups(&self.connection).map_err(|error| Fault::from(error).of(&self.name))
    }

    /// All groups, by relation and name.
    pub(crate) fn index(&self) -> Result<Vec<Entry>, Error> {
        let read = || -> rusqlite::Result<Vec<Entry>> {
            let mut rows = self.connection.prepare(
                "SELECT pair.id, relation.name, pair.name, place
                 FROM pair LEFT JOIN relation ON relation.id = pair.relation
                 ORDER BY relation.name, pair.name",
            )?;
            let rows = rows.query_map([], |row| {
                let place = row.get::<_, i64>(3)?.cast_unsigned();
                Ok(Entry { id: row.get(0)?, relation: row.get(1)?, name: row.get(2)?, place })
            })?;
            rows.collect()
        };
        let entries = read().map_err(|error| Fault::from(error).of(&self.name))?;
        let in_order = |two: &[Entry]| two[0].key() < two[1].key();
        if !entries.windows(2).all(in_order) || entries.len() as u64 != self.groups()? {
            return Err(damaged("the number of pairs does not match").of(&self.name));
        }
        Ok(entries)
    }

    /// The places, relations and names of all groups.
    pub(crate) fn places(&self) -> Result<Vec<(u64, String, String)>, Fault> {
        let mut rows = self.connection.prepare(
            "SELECT place, relation.name, pair.name
             FROM pair JOIN relation ON relation.id = pair.relation",
        )?;
        let rows = rows.query_map([], |row| {
            Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?, row.get(2)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// By place in the plan: what identifies the inputs of groups, where that is known.
    pub(crate) fn input_identities(&self) -> Result<BTreeMap<u64, Vec<u64>>, Fault> {
        inputs::identities(&self.connection)
    }

    /// One of the groups.
    pub(crate) fn stored(&self, entry: &Entry) -> Result<StoredPair, Error> {
        let read = || {
            let row = PairRow::read(&self.connection, entry.id)?;
            if (row.relation.as_str(), row.name.as_str()) != entry.key() {
                return Err(damaged("duplicate pairs"));
            }
            match &self.base {
                Some(base) => row.stored(&self.table, base),
                None => row.stored(&self.table, &Base::of(&self.table)),
            }
        };
        read().map_err(|fault| fault.of(&self.name))
    }

    /// The text of a source file, if it is known.
    pub(crate) fn source(
        &self,
        files: &BTreeMap<String, i64>,
        path: &str,
    ) -> Result<Option<SourceText>, Error> {
        let read = |id: &i64| sources::read(&self.connection, *id, path);
        files.get(path).map(read).transpose().map_err(|fault| fault.of(&self.name))
    }

    /// By path: where the texts of source files are.
    pub(crate) fn source_files(&self) -> Result<BTreeMap<String, i64>, Error> {
        sources::files(&self.connection).map_err(|fault| fault.of(&self.name))
    }

    /// Returns the connection, after everything else was read.
    pub(crate) fn into_parts(self) -> (SiteTable, Option<Base>, StoredSites, Connection) {
        (self.table, self.base, self.written, self.connection)
    }
}
