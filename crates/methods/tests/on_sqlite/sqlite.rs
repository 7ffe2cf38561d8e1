//! The real SQLite, on which statements and tests are run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use metacov_core::{Input, Outcome, Pair, Rng, Test, Value};
use metacov_methods::sql::sqlite::{Database, Dialect, Kind, mask};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// How many thousand virtual-machine instructions a statement may take.
const BUDGET_THOUSANDS: u64 = 2_000;

/// A database in memory.
pub struct Sqlite {
    connection: Connection,
    left: Arc<AtomicU64>,
}

impl Sqlite {
    pub fn new() -> Self {
        let mut connection = Connection::open_in_memory().expect("memory");
        let left = Arc::new(AtomicU64::new(0));
        let budget = left.clone();
        let exhausted = move || budget.fetch_sub(1, Ordering::Relaxed) <= 1;
        connection.progress_handler(1000, Some(exhausted)).expect("a handler");
        Self { connection, left }
    }

    /// Runs a statement to its end.
    pub fn run(&self, sql: &str) -> Outcome {
        self.left.store(BUDGET_THOUSANDS, Ordering::Relaxed);
        match self.rows(sql) {
            Ok(rows) => Outcome::Rows(rows),
            Err(error) => {
                let code = match &error {
                    rusqlite::Error::SqliteFailure(error, _)
                    | rusqlite::Error::SqlInputError { error, .. } => error.extended_code & 0xff,
                    _ => -1,
                };
                Outcome::Error { code, message: error.to_string() }
            }
        }
    }

    fn rows(&self, sql: &str) -> rusqlite::Result<Vec<Vec<Value>>> {
        let mut statement = self.connection.prepare(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(
                (0..columns)
                    .map(|place| row.get_ref(place).map(value))
                    .collect::<Result<_, _>>()?,
            );
        }
        Ok(all)
    }

    /// Runs the statements of both sides. The optimiser's switches cannot be set from safe code, so
    /// scans run backwards instead: another plan, and the same rows if the query is deterministic.
    pub fn outcomes(&self, test: &Test) -> Pair<Vec<Outcome>> {
        test.sides.as_ref().map(|side| side.iter().map(|input| self.outcome(input)).collect())
    }

    fn outcome(&self, input: &Input) -> Outcome {
        let is_switch = |sql: &&String| mask(sql).is_some();
        let has_switches = input.statements.iter().any(|sql| is_switch(&sql));
        if has_switches {
            self.run("PRAGMA reverse_unordered_selects(on)");
            self.run("PRAGMA automatic_index(off)");
        }
        let mut all = Vec::new();
        let mut failed = None;
        for sql in input.statements.iter().filter(|sql| !is_switch(sql)) {
            match self.run(sql) {
                Outcome::Rows(rows) => all.extend(rows),
                error @ Outcome::Error { .. } => {
                    failed = Some(error);
                    break;
                }
            }
        }
        if has_switches {
            self.run("PRAGMA reverse_unordered_selects(off)");
            self.run("PRAGMA automatic_index(on)");
        }
        failed.unwrap_or(Outcome::Rows(all))
    }
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(value) => Value::Integer(value),
        ValueRef::Real(value) => Value::Real(value),
        ValueRef::Text(bytes) => Value::Text(bytes.to_vec()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    }
}

/// A database, with every statement and its outcome.
pub struct Built {
    pub sqlite: Sqlite,
    pub database: Database,
    pub log: Vec<(Kind, String, Option<String>)>,
}

/// Builds the database of a random stream.
pub fn build(rng: &mut Rng) -> Built {
    let sqlite = Sqlite::new();
    let mut database = Database::new(Dialect::SQLITE);
    let mut log = Vec::new();
    while let Some(statement) = database.next_statement(rng) {
        let error = match sqlite.run(&statement.sql) {
            Outcome::Rows(_) => {
                database.accept();
                None
            }
            Outcome::Error { message, .. } => {
                database.reject();
                Some(message)
            }
        };
        log.push((statement.kind, statement.sql, error));
    }
    Built { sqlite, database, log }
}
