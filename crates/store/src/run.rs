//! A run file, read.

use std::path::Path;

use metacov_core::{Agreement, Operation, SiteTable, Suite, Tally};
use metacov_formats::{Error, Fault};
use rusqlite::Connection;

use crate::header::{damaged, get};
use crate::pairs::{Base, PairRow};
use crate::sites::{self, Written};
use crate::{Header, Stored, schema};

/// A run file, read: one state of it, even if somebody goes on writing it.
pub struct Run {
    /// The file as the user named it.
    pub name: String,
    /// What it says of the run as a whole.
    pub header: Header,
    /// All sites.
    pub table: SiteTable,
    pub(crate) base: Option<Base>,
    pub(crate) written: Written,
    connection: Connection,
}

impl Run {
    /// Opens a run file. What is not one, or is damaged, is an error.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let open = || Run::of(name.clone(), schema::open_to_read(path)?);
        open().map_err(|fault| fault.of(&name))
    }

    pub(crate) fn of(name: String, connection: Connection) -> Result<Self, Fault> {
        let header = Header::read(&connection)?;
        let (table, written) = sites::read(&connection)?;
        // A run that came to an end says which build it is of.
        if let Some(build) = get(&connection, "build")?
            && build != table.build_id().to_string()
        {
            return Err(damaged("its sites are not as they were written"));
        }
        let base = Base::read(&connection, &table)?;
        Ok(Run { name, header, table, base, written, connection })
    }

    /// How many groups there are.
    pub fn groups(&self) -> Result<u64, Error> {
        let count = "SELECT count(*) FROM pair";
        let count = self.connection.query_row(count, [], |row| row.get::<_, i64>(0));
        count.map(i64::cast_unsigned).map_err(|error| Fault::from(error).of(&self.name))
    }

    /// All groups, folded: what the run itself would have shown.
    pub fn suite(self) -> Result<(Suite, Header), Error> {
        let Header { operation, per_instance, .. } = self.header;
        let mut relations = std::collections::BTreeMap::new();
        let mut agreement = Agreement::default();
        for (id, _, _) in self.index()? {
            let Stored { relation, outcome, sides, .. } = self.stored(id)?;
            if !relations.contains_key(&relation) {
                relations.insert(relation.clone(), Tally::of(&self.table));
            }
            let Some(tally) = relations.get_mut(&relation) else { continue };
            match outcome {
                Ok(_) if operation != Operation::Xor && sides != 2 => {
                    return Err(damaged(&format!("{operation} of {sides} sides")).of(&self.name));
                }
                Ok(readings) => {
                    agreement = agreement.meet(Agreement::of(&readings));
                    tally.add(&readings, operation);
                }
                Err((_, missing)) => tally.add_failure(missing.failure),
            }
        }
        let mut suite = Suite::new(self.table, operation, per_instance);
        suite.merge(relations, agreement);
        Ok((suite, self.header))
    }

    /// By relation and name: the ids of all groups.
    pub(crate) fn index(&self) -> Result<Vec<(i64, String, String)>, Error> {
        let read = || -> rusqlite::Result<_> {
            let mut rows = self.connection.prepare(
                "SELECT pair.id, relation.name, pair.name
                 FROM pair LEFT JOIN relation ON relation.id = pair.relation
                 ORDER BY relation.name, pair.name",
            )?;
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        };
        read().map_err(|error| Fault::from(error).of(&self.name))
    }

    /// By place in the plan: the relations and names of all groups.
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

    /// The group with this id.
    pub(crate) fn stored(&self, id: i64) -> Result<Stored, Error> {
        let read = || {
            let row = PairRow::read(&self.connection, id)?;
            match &self.base {
                Some(base) => row.stored(&self.table, base),
                None => row.stored(&self.table, &Base::of(&self.table)),
            }
        };
        read().map_err(|fault| fault.of(&self.name))
    }

    /// The connection, once all that is needed is read.
    pub(crate) fn into_parts(self) -> (SiteTable, Option<Base>, Written, Connection) {
        (self.table, self.base, self.written, self.connection)
    }
}
