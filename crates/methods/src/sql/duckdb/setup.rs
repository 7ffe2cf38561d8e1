//! A random database, statement by statement.

mod change;
mod insert;
mod table;

use metacov_core::Rng;

use super::dialect::Dialect;
use super::schema::Schema;
use crate::sql::ast::{self, words};
use crate::sql::print::Print as _;

words! {
    /// Kinds of statements, for counting.
    Kind {
        CreateTable = "CREATE TABLE",
        CreateTableAs = "CREATE TABLE AS",
        CreateIndex = "CREATE INDEX",
        CreateView = "CREATE VIEW",
        Insert = "INSERT",
        InsertMany = "INSERT (many rows)",
        Update = "UPDATE",
        Delete = "DELETE",
        Alter = "ALTER TABLE",
        Drop = "DROP",
        Maintain = "ANALYZE, CHECKPOINT, VACUUM",
        Transaction = "TRANSACTION",
    }
}

/// How often each kind is chosen.
const KINDS: &[(u32, Kind)] = &[
    (3, Kind::CreateTable),
    (2, Kind::CreateTableAs),
    (6, Kind::CreateIndex),
    (4, Kind::CreateView),
    (8, Kind::Insert),
    (2, Kind::InsertMany),
    (4, Kind::Update),
    (3, Kind::Delete),
    (2, Kind::Alter),
    (1, Kind::Drop),
    (1, Kind::Maintain),
    (2, Kind::Transaction),
];

/// The numbers of statements of a database, apart from its first tables and rows.
const STATEMENTS_MIN: usize = 4;
const STATEMENTS_MAX: usize = 14;

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
/// The caller runs each statement and reports by [`Database::accept`] whether it worked, so that
/// the next statement fits the current state.
#[derive(Clone, Debug)]
pub struct Database {
    schema: Schema,
    /// The schema at the beginning of the open transaction.
    open: Option<Schema>,
    /// Whether a statement has failed in the open transaction, which is then aborted.
    is_aborted: bool,
    pending: Option<Pending>,
    /// How many names were generated.
    names: usize,
    /// Statements to come.
    plan: Option<Plan>,
}

/// What is still to be generated.
#[derive(Clone, Copy, Debug)]
struct Plan {
    tables: usize,
    inserts: usize,
    others: usize,
}

/// The effect of a statement if it succeeds.
#[derive(Clone, Debug)]
enum Pending {
    /// The schema becomes this one.
    Becomes(Box<Schema>),
    Begin,
    Commit,
    Rollback,
}

/// A statement under construction: `schema` is what it would lead to.
struct Draft<'d> {
    schema: Schema,
    rng: &'d mut Rng,
    names: &'d mut usize,
}

impl Database {
    /// Creates an empty database.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            schema: Schema::new(dialect),
            open: None,
            is_aborted: false,
            pending: None,
            names: 0,
            plan: None,
        }
    }

    /// Returns the schema, as far as it is known.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the next statement, or `None` if the database is complete. No transaction is open
    /// then.
    pub fn next_statement(&mut self, rng: &mut Rng) -> Option<Statement> {
        let plan = self.plan.get_or_insert_with(|| Plan {
            tables: rng.weigh(&[(3, 1), (4, 2), (3, 3)]),
            inserts: rng.between(2, 5),
            others: rng.between(STATEMENTS_MIN, STATEMENTS_MAX),
        });
        let kind = if plan.tables > 0 {
            plan.tables -= 1;
            Kind::CreateTable
        } else if plan.inserts > 0 {
            plan.inserts -= 1;
            Kind::Insert
        } else if plan.others > 0 {
            plan.others -= 1;
            rng.weigh(KINDS)
        } else if self.open.is_some() {
            let (statement, pending) = if self.is_aborted {
                (ast::Statement::Rollback, Pending::Rollback)
            } else {
                (ast::Statement::Commit, Pending::Commit)
            };
            return Some(self.made(Kind::Transaction, &statement, pending));
        } else {
            return None;
        };
        Some(self.statement_of(kind, rng))
    }

    /// Reports whether the last statement succeeded. One that failed has changed nothing.
    pub fn accept(&mut self, has_worked: bool) {
        match self.pending.take() {
            Some(Pending::Becomes(schema)) if has_worked => self.schema = *schema,
            Some(Pending::Begin) if has_worked => self.open = Some(self.schema.clone()),
            Some(Pending::Commit) if has_worked => self.open = None,
            // It fails only if there is no transaction.
            Some(Pending::Rollback) => self.roll_back(),
            _ => self.is_aborted |= !has_worked && self.open.is_some(),
        }
    }

    fn roll_back(&mut self) {
        self.is_aborted = false;
        if let Some(schema) = self.open.take() {
            self.schema = schema;
        }
    }

    fn made(&mut self, kind: Kind, statement: &ast::Statement, pending: Pending) -> Statement {
        self.pending = Some(pending);
        Statement { kind, sql: statement.sql() }
    }

    /// Returns a statement of a kind, whatever is planned; of another kind if there is nothing to
    /// apply it to.
    pub fn statement_of(&mut self, kind: Kind, rng: &mut Rng) -> Statement {
        use ast::Statement as Ast;
        if self.is_aborted {
            return self.made(Kind::Transaction, &Ast::Rollback, Pending::Rollback);
        }
        // In a transaction only rows change: DuckDB refuses to change the definition of a table
        // whose rows have changed.
        let kind = match (kind, self.open.is_some()) {
            (Kind::Transaction, false) => {
                let begin = Ast::Begin(ast::BeginMode::Plain);
                return self.made(kind, &begin, Pending::Begin);
            }
            (Kind::Transaction, true) if rng.chance(30) => {
                return self.made(kind, &Ast::Rollback, Pending::Rollback);
            }
            (Kind::Transaction, true) => return self.made(kind, &Ast::Commit, Pending::Commit),
            (Kind::Insert | Kind::InsertMany | Kind::Update | Kind::Delete, _) | (_, false) => kind,
            (_, true) => Kind::Insert,
        };
        let mut draft = Draft { schema: self.schema.clone(), rng, names: &mut self.names };
        let (kind, statement) = match draft.make(kind) {
            Some(statement) => (kind, statement),
            None if draft.schema.writable().next().is_none() => {
                (Kind::CreateTable, draft.create_table())
            }
            None => match draft.insert() {
                Some(insert) => (Kind::Insert, insert),
                None => (Kind::Maintain, Ast::Analyze(None)),
            },
        };
        let schema = Box::new(draft.schema);
        self.made(kind, &statement, Pending::Becomes(schema))
    }
}

impl Draft<'_> {
    /// A statement of a kind, if there is something to apply it to.
    fn make(&mut self, kind: Kind) -> Option<ast::Statement> {
        match kind {
            Kind::CreateTable => Some(self.create_table()),
            Kind::CreateTableAs => self.create_table_as(),
            Kind::CreateIndex => self.create_index(),
            Kind::CreateView => self.create_view(),
            Kind::Insert => self.insert(),
            Kind::InsertMany => self.insert_many(),
            Kind::Update => self.update(),
            Kind::Delete => self.delete(),
            Kind::Alter => self.alter(),
            Kind::Drop => self.drop_something(),
            Kind::Maintain if self.schema.dialect.has((0, 5, 0)) => Some(match self.rng.below(4) {
                0 | 1 => ast::Statement::Analyze(None),
                2 => ast::Statement::Checkpoint,
                _ => ast::Statement::Vacuum,
            }),
            Kind::Maintain | Kind::Transaction => None,
        }
    }

    /// A new name that begins with a letter.
    fn name(&mut self, letter: char) -> String {
        *self.names += 1;
        format!("{letter}{}", *self.names - 1)
    }

    /// The position of a random table for which something holds.
    fn table_where(&mut self, holds: impl Fn(&Schema, usize) -> bool) -> Option<usize> {
        let tables = 0..self.schema.tables.len();
        let fitting: Vec<usize> = tables
            .filter(|at| !self.schema.tables[*at].is_view && holds(&self.schema, *at))
            .collect();
        if fitting.is_empty() { None } else { Some(*self.rng.pick(&fitting)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_database_and_no_transaction_stays_open() {
        let build = |seed: u64| {
            let mut rng = Rng::new(seed);
            let mut database = Database::new(Dialect::NEWEST);
            let mut statements = Vec::new();
            while let Some(statement) = database.next_statement(&mut rng) {
                database.accept(statements.len() % 7 != 6);
                statements.push(statement);
            }
            assert!(database.open.is_none() && !database.is_aborted);
            statements
        };
        for seed in 0..200 {
            assert_eq!(build(seed), build(seed));
        }
        assert_ne!(build(1), build(2));
    }
}
