//! The text of statements.

use super::{Print, clause, list, names, tuple, word};
use crate::sql::ast::{
    Assignment, Change, Conflict, Delete, Insert, ResultColumn, Rows, Statement, Update, Upsert,
};

impl Print for Statement {
    fn print(&self, out: &mut String) {
        match self {
            Self::CreateTable(create) => create.print(out),
            Self::CreateTableAs { temporary, name, query } => {
                out.push_str("CREATE ");
                word(out, *temporary, "TEMP");
                out.push_str("TABLE ");
                out.push_str(name);
                clause(out, " AS ", Some(query));
            }
            Self::CreateVirtualTable { name, module, arguments } => {
                out.push_str("CREATE VIRTUAL TABLE ");
                out.push_str(name);
                out.push_str(" USING ");
                out.push_str(module);
                out.push('(');
                names(out, arguments);
                out.push(')');
            }
            Self::CreateIndex(create) => create.print(out),
            Self::CreateView { temporary, if_not_exists, name, columns, query } => {
                out.push_str("CREATE ");
                word(out, *temporary, "TEMP");
                out.push_str("VIEW ");
                word(out, *if_not_exists, "IF NOT EXISTS");
                out.push_str(name);
                out.push('(');
                names(out, columns);
                out.push(')');
                clause(out, " AS ", Some(query));
            }
            Self::CreateTrigger(create) => create.print(out),
            Self::Insert(insert) => insert.print(out),
            Self::Update(update) => update.print(out),
            Self::Delete(delete) => delete.print(out),
            Self::Alter { table, change } => {
                out.push_str("ALTER TABLE ");
                out.push_str(table);
                change.print(out);
            }
            Self::Select(query) => query.print(out),
            Self::Explain { plan, query } => {
                out.push_str(if *plan { "EXPLAIN QUERY PLAN " } else { "EXPLAIN " });
                query.print(out);
            }
            Self::Pragma { schema, name, value } => {
                out.push_str("PRAGMA ");
                out.push_str(schema);
                out.push_str(name);
                if let Some(value) = value {
                    out.push('(');
                    out.push_str(value);
                    out.push(')');
                }
            }
            Self::Drop { if_exists, what, name } => {
                out.push_str("DROP ");
                out.push_str(what);
                out.push_str(if *if_exists { " IF EXISTS " } else { " " });
                out.push_str(name);
            }
            _ => command(out, self),
        }
    }
}

/// Statements that consist of a word or two and perhaps a name.
fn command(out: &mut String, statement: &Statement) {
    let (words, name) = match statement {
        Statement::Analyze(name) => (["ANALYZE", ""], name.as_ref()),
        Statement::Reindex(name) => (["REINDEX", ""], name.as_ref()),
        Statement::Begin(mode) => (["BEGIN", mode.text()], None),
        Statement::Commit => (["COMMIT", ""], None),
        Statement::Rollback => (["ROLLBACK", ""], None),
        Statement::Savepoint(name) => (["SAVEPOINT", ""], Some(name)),
        Statement::Release(name) => (["RELEASE", ""], Some(name)),
        Statement::RollbackTo(name) => (["ROLLBACK TO", ""], Some(name)),
        Statement::Checkpoint => (["CHECKPOINT", ""], None),
        Statement::Attach => (["ATTACH ':memory:' AS ", "other"], None),
        _ => (["VACUUM", ""], None),
    };
    out.push_str(words[0]);
    out.push_str(words[1]);
    if let Some(name) = name {
        out.push(' ');
        out.push_str(name);
    }
}

/// `verb [OR conflict] `
fn verb(out: &mut String, verb: &str, conflict: Conflict) {
    out.push_str(verb);
    if conflict != Conflict::None {
        out.push_str("OR ");
        out.push_str(conflict.text());
        out.push(' ');
    }
}

/// ` RETURNING ..`, if there are columns.
fn returning(out: &mut String, columns: &[ResultColumn]) {
    if !columns.is_empty() {
        out.push_str(" RETURNING ");
        list(out, columns, ", ", |out, column| column.print(out));
    }
}

/// ` SET ..`
fn assignments(out: &mut String, set: &[Assignment]) {
    out.push_str(" SET ");
    list(out, set, ", ", |out, assignment| {
        if let [column] = &assignment.columns[..] {
            out.push_str(column);
        } else {
            out.push('(');
            names(out, &assignment.columns);
            out.push(')');
        }
        clause(out, " = ", Some(&assignment.value));
    });
}

impl Print for Insert {
    fn print(&self, out: &mut String) {
        verb(out, "INSERT ", self.conflict);
        out.push_str("INTO ");
        out.push_str(&self.table);
        if !self.columns.is_empty() {
            out.push('(');
            names(out, &self.columns);
            out.push(')');
        }
        match &self.rows {
            Rows::Values(rows) => {
                out.push_str(" VALUES ");
                list(out, rows, ", ", |out, row| tuple(out, row));
            }
            Rows::Query(query) => clause(out, " ", Some(&**query)),
            Rows::DefaultValues => out.push_str(" DEFAULT VALUES"),
        }
        clause(out, " ", self.upsert.as_ref());
        returning(out, &self.returning);
    }
}

impl Print for Upsert {
    fn print(&self, out: &mut String) {
        out.push_str("ON CONFLICT ");
        if !self.columns.is_empty() {
            out.push('(');
            names(out, &self.columns);
            out.push_str(") ");
        }
        if self.set.is_empty() {
            return out.push_str("DO NOTHING");
        }
        out.push_str("DO UPDATE");
        assignments(out, &self.set);
        clause(out, " WHERE ", self.filter.as_ref());
    }
}

impl Print for Update {
    fn print(&self, out: &mut String) {
        verb(out, "UPDATE ", self.conflict);
        out.push_str(&self.table);
        assignments(out, &self.set);
        clause(out, " FROM ", self.from.as_ref());
        clause(out, " WHERE ", self.filter.as_ref());
        returning(out, &self.returning);
    }
}

impl Print for Delete {
    fn print(&self, out: &mut String) {
        out.push_str("DELETE FROM ");
        out.push_str(&self.table);
        clause(out, " WHERE ", self.filter.as_ref());
        returning(out, &self.returning);
    }
}

impl Print for Change {
    fn print(&self, out: &mut String) {
        match self {
            Self::RenameTable(to) => {
                out.push_str(" RENAME TO ");
                out.push_str(to);
            }
            Self::RenameColumn { from, to } => {
                out.push_str(" RENAME COLUMN ");
                out.push_str(from);
                out.push_str(" TO ");
                out.push_str(to);
            }
            Self::AddColumn(column) => clause(out, " ADD COLUMN ", Some(column)),
            Self::ColumnType { column, type_name } => {
                out.push_str(" ALTER COLUMN ");
                out.push_str(column);
                out.push_str(" TYPE ");
                out.push_str(type_name);
            }
            Self::DropColumn(column) => {
                out.push_str(" DROP COLUMN ");
                out.push_str(column);
            }
        }
    }
}
