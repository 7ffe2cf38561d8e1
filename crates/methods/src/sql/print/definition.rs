//! The text of statements that define tables, indexes and triggers.

use super::{Print, clause, list, names, tuple, word};
use crate::sql::ast::{
    Action, ColumnConstraint, ColumnDefinition, Conflict, CreateIndex, CreateTable, CreateTrigger,
    Place, Reference, TableConstraint,
};

impl Print for CreateTable {
    fn print(&self, out: &mut String) {
        out.push_str("CREATE ");
        word(out, self.place == Place::Temporary, "TEMP");
        out.push_str("TABLE ");
        word(out, self.if_not_exists, "IF NOT EXISTS");
        if self.place == Place::Attached {
            out.push_str(self.place.text());
        }
        out.push_str(&self.name);
        out.push_str(" (");
        list(out, &self.columns, ", ", |out, column| column.print(out));
        for constraint in &self.constraints {
            clause(out, ", ", Some(constraint));
        }
        out.push(')');
        out.push_str(match (self.without_rowid, self.strict) {
            (true, true) => " WITHOUT ROWID, STRICT",
            (true, false) => " WITHOUT ROWID",
            (false, true) => " STRICT",
            (false, false) => "",
        });
    }
}

impl Print for ColumnDefinition {
    fn print(&self, out: &mut String) {
        out.push_str(&self.name);
        if !self.type_name.is_empty() {
            out.push(' ');
            out.push_str(self.type_name);
        }
        for constraint in &self.constraints {
            clause(out, " ", Some(constraint));
        }
    }
}

/// ` ON CONFLICT word`, if there is one.
fn on_conflict(out: &mut String, conflict: Conflict) {
    if conflict != Conflict::None {
        out.push_str(" ON CONFLICT ");
        out.push_str(conflict.text());
    }
}

impl Print for ColumnConstraint {
    fn print(&self, out: &mut String) {
        match self {
            Self::PrimaryKey { direction, conflict, autoincrement } => {
                out.push_str("PRIMARY KEY");
                out.push_str(direction.text());
                on_conflict(out, *conflict);
                if *autoincrement {
                    out.push_str(" AUTOINCREMENT");
                }
            }
            Self::NotNull(conflict) => {
                out.push_str("NOT NULL");
                on_conflict(out, *conflict);
            }
            Self::Unique(conflict) => {
                out.push_str("UNIQUE");
                on_conflict(out, *conflict);
            }
            Self::Check(expr) => {
                out.push_str("CHECK ");
                tuple(out, std::slice::from_ref(expr));
            }
            Self::Default(expr) => {
                out.push_str("DEFAULT ");
                tuple(out, std::slice::from_ref(expr));
            }
            Self::Collate(collation) => {
                out.push_str("COLLATE ");
                out.push_str(collation.text());
            }
            Self::Generated { expr, stored } => {
                out.push_str("GENERATED ALWAYS AS ");
                tuple(out, std::slice::from_ref(expr));
                out.push_str(if *stored { " STORED" } else { " VIRTUAL" });
            }
            Self::References(reference) => reference.print(out),
        }
    }
}

impl Print for TableConstraint {
    fn print(&self, out: &mut String) {
        match self {
            Self::PrimaryKey(columns, conflict) => {
                out.push_str("PRIMARY KEY ");
                tuple(out, columns);
                on_conflict(out, *conflict);
            }
            Self::Unique(columns, conflict) => {
                out.push_str("UNIQUE ");
                tuple(out, columns);
                on_conflict(out, *conflict);
            }
            Self::Check(expr) => {
                out.push_str("CHECK ");
                tuple(out, std::slice::from_ref(expr));
            }
            Self::ForeignKey(columns, reference) => {
                out.push_str("FOREIGN KEY (");
                names(out, columns);
                out.push_str(") ");
                reference.print(out);
            }
        }
    }
}

impl Print for Reference {
    fn print(&self, out: &mut String) {
        out.push_str("REFERENCES ");
        out.push_str(&self.table);
        if !self.columns.is_empty() {
            out.push('(');
            names(out, &self.columns);
            out.push(')');
        }
        for (when, action) in [(" ON DELETE ", self.on_delete), (" ON UPDATE ", self.on_update)] {
            if action != Action::None {
                out.push_str(when);
                out.push_str(action.text());
            }
        }
        out.push_str(self.deferrable.text());
    }
}

impl Print for CreateIndex {
    fn print(&self, out: &mut String) {
        out.push_str("CREATE ");
        word(out, self.unique, "UNIQUE");
        out.push_str("INDEX ");
        word(out, self.if_not_exists, "IF NOT EXISTS");
        out.push_str(self.place.text());
        out.push_str(&self.name);
        out.push_str(" ON ");
        out.push_str(&self.table);
        tuple(out, &self.terms);
        clause(out, " WHERE ", self.filter.as_ref());
    }
}

impl Print for CreateTrigger {
    fn print(&self, out: &mut String) {
        out.push_str("CREATE ");
        word(out, self.temporary, "TEMP");
        out.push_str("TRIGGER ");
        out.push_str(&self.name);
        out.push(' ');
        out.push_str(self.time.text());
        out.push(' ');
        out.push_str(&self.event);
        out.push_str(" ON ");
        out.push_str(&self.table);
        out.push_str(" FOR EACH ROW");
        clause(out, " WHEN ", self.when.as_ref());
        out.push_str(" BEGIN ");
        for statement in &self.body {
            statement.print(out);
            out.push_str("; ");
        }
        out.push_str("END");
    }
}
