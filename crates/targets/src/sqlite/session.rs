//! A session of SQLite: one database in memory.

use std::io;
use std::path::Path;

use metacov_core::{Facts, Input, Outcome};
use metacov_exec::{Mark, MemoryMarks, OpenOptions, Session};
use metacov_methods::sql::sqlite::{Dialect, mask};

use super::connection::Connection;
use super::engine::Engine;

pub(super) struct SqliteSession {
    /// It stays loaded as long as the process lives.
    engine: &'static Engine,
    database: Option<Connection<'static>>,
    steps_max: u64,
    marks: MemoryMarks,
}

impl SqliteSession {
    pub(super) fn open(library: &Path, options: &OpenOptions<'_>) -> io::Result<Self> {
        let engine: &'static Engine = Box::leak(Box::new(Engine::load(library)?));
        if options.is_measured {
            engine.memory()?.isolate()?;
            // Not closed: closing runs code that would be counted.
            std::mem::forget(engine.open()?);
        }
        let (steps_max, marks) = (options.steps_max, MemoryMarks::new(engine.memory()?));
        Ok(SqliteSession { engine, database: None, steps_max, marks })
    }
}

impl Session for SqliteSession {
    fn facts(&self) -> Facts {
        let options = Dialect::OPTIONS.iter().filter(|option| self.engine.has_option(option));
        let options = options.map(|option| ((*option).to_owned(), "1".to_owned()));
        options.chain([("version".to_owned(), self.engine.version())]).collect()
    }

    fn begin(&mut self) -> io::Result<()> {
        self.database = Some(self.engine.open()?);
        Ok(())
    }

    fn run(&mut self, input: &Input) -> io::Result<Outcome> {
        let Some(database) = &mut self.database else {
            return Err(io::Error::other("no database is open"));
        };
        let switches = input.statements.iter().find_map(|statement| mask(statement));
        if let Some(mask) = switches {
            database.disable_optimizations(mask);
        }
        // Other commands of the shell are ignored.
        let statements = input.statements.iter().filter(|statement| !statement.starts_with('.'));
        let outcome = database.run(statements.map(String::as_str), self.steps_max);
        if switches.is_some() {
            database.disable_optimizations(0);
        }
        Ok(outcome)
    }

    fn keep(&mut self, mark: Mark) -> io::Result<()> {
        self.marks.keep(mark)
    }

    fn restore(&mut self, mark: Mark) -> io::Result<()> {
        self.marks.restore(mark);
        Ok(())
    }
}
