//! A session of SQLite: one database in memory.

use std::io;
use std::path::Path;

use metacov_core::{Facts, Input, Outcome};
use metacov_exec::{Mark, MemorySnapshot, OpenOptions, Session};
use metacov_methods::sql::sqlite::{Dialect, mask};

use super::connection::Connection;
use super::engine::Engine;

pub(super) struct SqliteSession {
    /// It stays loaded as long as the process lives.
    engine: &'static Engine,
    database: Option<Connection<'static>>,
    steps_max: u64,
    start: Option<MemorySnapshot>,
    interrupted: Option<MemorySnapshot>,
}

impl SqliteSession {
    pub(super) fn open(library: &Path, options: &OpenOptions) -> io::Result<Self> {
        let engine: &'static Engine = Box::leak(Box::new(Engine::load(library)?));
        if options.is_measured {
            engine.memory()?.isolate()?;
            // It stays open: closing it would count as well.
            std::mem::forget(engine.open()?);
        }
        let steps_max = options.steps_max;
        Ok(SqliteSession { engine, database: None, steps_max, start: None, interrupted: None })
    }

    fn kept(&mut self, mark: Mark) -> &mut Option<MemorySnapshot> {
        match mark {
            Mark::Start => &mut self.start,
            Mark::Interrupted => &mut self.interrupted,
        }
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
        // Other commands of the shell have no meaning here.
        let statements = input.statements.iter().filter(|statement| !statement.starts_with('.'));
        let outcome = database.run(statements.map(String::as_str), self.steps_max);
        if switches.is_some() {
            database.disable_optimizations(0);
        }
        Ok(outcome)
    }

    fn keep(&mut self, mark: Mark) -> io::Result<()> {
        *self.kept(mark) = Some(self.engine.memory()?.snapshot()?);
        Ok(())
    }

    fn restore(&mut self, mark: Mark) -> io::Result<()> {
        if let Some(snapshot) = self.kept(mark) {
            snapshot.restore();
        }
        Ok(())
    }
}
