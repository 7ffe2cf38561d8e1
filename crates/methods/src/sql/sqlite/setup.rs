//! A random database, statement by statement.

mod alter;
mod change;
mod draft;
mod drop;
mod index;
mod insert;
mod maintenance;
mod many;
mod pragma;
mod table;
mod transaction;
mod trigger;
mod view;
mod virtual_table;

use self::draft::Draft;
use super::ast;
use super::dialect::Dialect;
use super::print::Print as _;
use super::schema::Schema;
use super::weights::{KINDS, STATEMENTS_MAX, STATEMENTS_MIN, TABLE_KINDS, TABLES, definition};
use metacov_core::Rng;

ast::words! {
    /// Kinds of statements, for counting.
    Kind {
        CreateTable = "CREATE TABLE",
        CreateTableAs = "CREATE TABLE AS",
        CreateFts = "CREATE VIRTUAL TABLE (fts)",
        CreateRtree = "CREATE VIRTUAL TABLE (rtree)",
        CreateDbstat = "CREATE VIRTUAL TABLE (dbstat)",
        CreateIndex = "CREATE INDEX",
        CreateView = "CREATE VIEW",
        CreateTrigger = "CREATE TRIGGER",
        Insert = "INSERT",
        InsertMany = "INSERT (many rows)",
        Update = "UPDATE",
        Delete = "DELETE",
        Alter = "ALTER TABLE",
        Drop = "DROP",
        Analyze = "ANALYZE",
        Statistics = "STATISTICS",
        Reindex = "REINDEX",
        Vacuum = "VACUUM",
        Check = "COMMAND (fts, rtree)",
        Pragma = "PRAGMA",
        Transaction = "TRANSACTION",
        Explain = "EXPLAIN",
        Attach = "ATTACH",
    }
}

/// A statement that builds or changes a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The kind of the statement.
    pub kind: Kind,
    /// Its text.
    pub sql: String,
}

/// A random database under construction.
///
/// The caller runs each statement and reports whether it worked, by [`Database::accept`] or
/// [`Database::reject`], so that the next statement fits the current state.
#[derive(Clone, Debug)]
pub struct Database {
    schema: Schema,
    /// The schema at the beginning of each open transaction and savepoint (which has a name).
    open: Vec<(Option<String>, Schema)>,
    /// Whether a rejected statement may have ended the transaction.
    doubtful: bool,
    pending: Option<Pending>,
    /// How many names were generated.
    names: usize,
    /// Statements to come.
    plan: Plan,
}

/// What is still to be generated.
#[derive(Clone, Copy, Debug)]
struct Plan {
    pragmas: usize,
    attach: bool,
    tables: usize,
    inserts: usize,
    others: usize,
    begun: bool,
}

/// The effect of a statement if it succeeds.
#[derive(Clone, Debug)]
enum Pending {
    /// The schema becomes this one.
    Becomes(Box<Schema>),
    Begin,
    Savepoint(String),
    Commit,
    Rollback,
    RollbackTo(String),
    Release(String),
}

impl Database {
    /// Creates an empty database.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            schema: Schema::new(dialect),
            open: Vec::new(),
            doubtful: false,
            pending: None,
            names: 0,
            plan: Plan {
                pragmas: 0,
                attach: false,
                tables: 0,
                inserts: 0,
                others: 0,
                begun: false,
            },
        }
    }

    /// Returns the schema, as far as it is known.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the next statement, or `None` if the database is complete. No transaction is open
    /// then.
    pub fn next_statement(&mut self, rng: &mut Rng) -> Option<Statement> {
        if !self.plan.begun {
            self.plan = Plan {
                pragmas: rng.below(4),
                attach: rng.chance(definition::ATTACH),
                tables: rng.weigh(TABLES),
                inserts: rng.between(2, 5),
                others: rng.between(STATEMENTS_MIN, STATEMENTS_MAX),
                begun: true,
            };
        }
        let plan = &mut self.plan;
        let kind = if plan.pragmas > 0 {
            plan.pragmas -= 1;
            Kind::Pragma
        } else if std::mem::take(&mut plan.attach) {
            Kind::Attach
        } else if plan.tables > 0 {
            plan.tables -= 1;
            self.kind_of_table(rng)
        } else if plan.inserts > 0 {
            plan.inserts -= 1;
            Kind::Insert
        } else if plan.others > 0 {
            plan.others -= 1;
            match rng.weigh(KINDS) {
                Kind::CreateTable => self.kind_of_table(rng),
                kind => kind,
            }
        } else if self.doubtful {
            Kind::Transaction
        } else if self.open.is_empty() {
            return None;
        } else {
            return Some(self.made(Kind::Transaction, &ast::Statement::Commit, Pending::Commit));
        };
        Some(self.statement_of(kind, rng))
    }

    /// Plans more statements, which change the database.
    pub fn extend(&mut self, statements: usize) {
        self.plan.others += statements;
    }

    /// Reports that the last statement succeeded.
    pub fn accept(&mut self) {
        match self.pending.take() {
            None => {}
            Some(Pending::Becomes(schema)) => self.schema = *schema,
            Some(Pending::Begin) => self.open.push((None, self.schema.clone())),
            Some(Pending::Savepoint(name)) => self.open.push((Some(name), self.schema.clone())),
            Some(Pending::Commit) => self.open.clear(),
            Some(Pending::Rollback) => self.roll_back(),
            Some(Pending::RollbackTo(name)) => {
                self.open.truncate(self.place_of(&name) + 1);
                if let Some((_, schema)) = self.open.last() {
                    self.schema = schema.clone();
                }
            }
            Some(Pending::Release(name)) => self.open.truncate(self.place_of(&name)),
        }
    }

    /// Reports that the last statement failed and changed nothing.
    ///
    /// In a transaction it may have rolled back everything (`ON CONFLICT ROLLBACK`), or nothing. So
    /// the next statement is a ROLLBACK, after which the state is known, whether it fails or not.
    pub fn reject(&mut self) {
        if matches!(self.pending.take(), Some(Pending::Rollback)) {
            self.roll_back();
        } else if !self.open.is_empty() {
            self.doubtful = true;
        }
    }

    fn roll_back(&mut self) {
        self.doubtful = false;
        if let Some((_, schema)) = self.open.drain(..).next() {
            self.schema = schema;
        }
    }

    fn place_of(&self, savepoint: &str) -> usize {
        self.open
            .iter()
            .rposition(|(name, _)| name.as_deref() == Some(savepoint))
            .unwrap_or(self.open.len())
    }

    fn made(&mut self, kind: Kind, statement: &ast::Statement, pending: Pending) -> Statement {
        self.pending = Some(pending);
        Statement { kind, sql: statement.sql() }
    }

    /// Returns a statement of a kind, whatever is planned; of another kind if there is nothing to
    /// apply it to.
    pub fn statement_of(&mut self, kind: Kind, rng: &mut Rng) -> Statement {
        if self.doubtful {
            return self.made(Kind::Transaction, &ast::Statement::Rollback, Pending::Rollback);
        }
        if kind == Kind::Transaction {
            return self.transaction(rng);
        }
        let in_transaction = !self.open.is_empty();
        let schema = self.schema.clone();
        let mut draft = Draft { schema, rng, names: &mut self.names, in_transaction };
        let (kind, statement) = match draft.make(kind) {
            Some(statement) => (kind, statement),
            None if draft.schema.tables.is_empty() => (Kind::CreateTable, draft.create_table()),
            None => match draft.insert() {
                Some(insert) => (Kind::Insert, insert),
                None => (Kind::Analyze, draft.analyze()),
            },
        };
        let schema = Box::new(draft.schema);
        self.made(kind, &statement, Pending::Becomes(schema))
    }

    /// A kind of table that the dialect has.
    fn kind_of_table(&self, rng: &mut Rng) -> Kind {
        let dialect = self.schema.dialect;
        let kind = rng.weigh(TABLE_KINDS);
        let is_there = match kind {
            Kind::CreateTableAs => !self.schema.tables.is_empty(),
            Kind::CreateFts => dialect.fts4 || dialect.fts5,
            Kind::CreateRtree => dialect.rtree,
            Kind::CreateDbstat => dialect.dbstat,
            _ => true,
        };
        if is_there { kind } else { Kind::CreateTable }
    }
}
