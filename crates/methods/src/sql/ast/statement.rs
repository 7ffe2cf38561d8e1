//! Statements that create and change a database.

use super::{Collation, Direction, Expr, Order, Query, ResultColumn, Source, TypeName, words};

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    CreateTable(CreateTable),
    CreateTableAs {
        temporary: bool,
        name: String,
        query: Query,
    },
    CreateVirtualTable {
        name: String,
        module: &'static str,
        arguments: Vec<String>,
    },
    CreateIndex(CreateIndex),
    CreateView {
        temporary: bool,
        if_not_exists: bool,
        name: String,
        columns: Vec<String>,
        query: Query,
    },
    CreateTrigger(CreateTrigger),
    Insert(Insert),
    Update(Update),
    Delete(Delete),
    Alter {
        table: String,
        change: Change,
    },
    Drop {
        if_exists: bool,
        what: &'static str,
        name: String,
    },
    Analyze(Option<String>),
    Reindex(Option<String>),
    Vacuum,
    Checkpoint,
    /// `ATTACH`: another database in memory.
    Attach,
    Pragma {
        schema: &'static str,
        name: &'static str,
        value: Option<String>,
    },
    Begin(BeginMode),
    Commit,
    Rollback,
    Savepoint(String),
    Release(String),
    RollbackTo(String),
    /// A query that is run for its side effects or checks, such as `rtreecheck`.
    Select(Query),
    /// `EXPLAIN [QUERY PLAN] query`
    Explain {
        plan: bool,
        query: Query,
    },
}

words! {
    /// The database that contains something.
    Place { Main = "", Temporary = "temp.", Attached = "other.", }
}

/// `CREATE TABLE`
#[derive(Clone, Debug, PartialEq)]
pub struct CreateTable {
    pub place: Place,
    pub if_not_exists: bool,
    pub name: String,
    pub columns: Vec<ColumnDefinition>,
    pub constraints: Vec<TableConstraint>,
    pub without_rowid: bool,
    pub strict: bool,
}

/// A column of a `CREATE TABLE` or an `ADD COLUMN`.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDefinition {
    pub name: String,
    pub type_name: &'static str,
    pub constraints: Vec<ColumnConstraint>,
}

/// A constraint of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnConstraint {
    PrimaryKey { direction: Direction, conflict: Conflict, autoincrement: bool },
    NotNull(Conflict),
    Unique(Conflict),
    Check(Expr),
    Default(Expr),
    Collate(Collation),
    Generated { expr: Expr, stored: bool },
    References(Reference),
}

/// A constraint of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum TableConstraint {
    PrimaryKey(Vec<Order>, Conflict),
    Unique(Vec<Order>, Conflict),
    Check(Expr),
    ForeignKey(Vec<String>, Reference),
}

/// `REFERENCES table(columns) ..`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub table: String,
    pub columns: Vec<String>,
    pub on_delete: Action,
    pub on_update: Action,
    pub deferrable: Deferrable,
}

words! {
    /// What happens to rows whose parent is deleted.
    Action {
        None = "",
        Cascade = "CASCADE",
        SetNull = "SET NULL",
        SetDefault = "SET DEFAULT",
        Restrict = "RESTRICT",
        Nothing = "NO ACTION",
    }
}
words! {
    /// When foreign keys are checked.
    Deferrable {
        None = "",
        Plain = " DEFERRABLE",
        Deferred = " DEFERRABLE INITIALLY DEFERRED",
        Immediate = " DEFERRABLE INITIALLY IMMEDIATE",
        Not = " NOT DEFERRABLE",
        NotDeferred = " NOT DEFERRABLE INITIALLY DEFERRED",
    }
}
words! {
    /// What happens to a statement that violates a constraint.
    Conflict {
        None = "",
        Rollback = "ROLLBACK",
        Abort = "ABORT",
        Fail = "FAIL",
        Ignore = "IGNORE",
        Replace = "REPLACE",
    }
}

/// `CREATE INDEX`
#[derive(Clone, Debug, PartialEq)]
pub struct CreateIndex {
    pub place: Place,
    pub unique: bool,
    pub if_not_exists: bool,
    pub name: String,
    pub table: String,
    pub terms: Vec<Order>,
    pub filter: Option<Expr>,
}

/// `CREATE TRIGGER`
#[derive(Clone, Debug, PartialEq)]
pub struct CreateTrigger {
    pub temporary: bool,
    pub name: String,
    pub time: TriggerTime,
    pub event: String,
    pub table: String,
    pub when: Option<Expr>,
    pub body: Vec<Statement>,
}

words! {
    /// When a trigger fires.
    TriggerTime { Before = "BEFORE", After = "AFTER", InsteadOf = "INSTEAD OF", }
}

/// `INSERT`
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    pub conflict: Conflict,
    pub table: String,
    pub columns: Vec<String>,
    pub rows: Rows,
    pub upsert: Option<Upsert>,
    pub returning: Vec<ResultColumn>,
}

/// The rows to insert.
#[derive(Clone, Debug, PartialEq)]
pub enum Rows {
    Values(Vec<Vec<Expr>>),
    Query(Box<Query>),
    DefaultValues,
}

/// `ON CONFLICT [(columns)] DO ..`
#[derive(Clone, Debug, PartialEq)]
pub struct Upsert {
    pub columns: Vec<String>,
    /// `DO UPDATE SET ..`, or `DO NOTHING` if empty.
    pub set: Vec<Assignment>,
    pub filter: Option<Expr>,
}

/// `a = expr` or `(a, b) = (x, y)`
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    pub columns: Vec<String>,
    pub value: Expr,
}

/// `UPDATE`
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    pub conflict: Conflict,
    pub table: String,
    pub set: Vec<Assignment>,
    pub from: Option<Source>,
    pub filter: Option<Expr>,
    pub returning: Vec<ResultColumn>,
}

/// `DELETE`
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    pub table: String,
    pub filter: Option<Expr>,
    pub returning: Vec<ResultColumn>,
}

/// What `ALTER TABLE` does.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    RenameTable(String),
    RenameColumn { from: String, to: String },
    AddColumn(ColumnDefinition),
    DropColumn(String),
    ColumnType { column: String, type_name: TypeName },
}

words! {
    /// How a transaction begins.
    BeginMode { Plain = "", Deferred = " DEFERRED", Immediate = " IMMEDIATE", Exclusive = " EXCLUSIVE", }
}
