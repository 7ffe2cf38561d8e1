//! ALTER TABLE.

use std::sync::Arc;

use super::Draft;
use crate::sql::ast::{Change, Collation, ColumnConstraint, ColumnDefinition, Expr, Statement};
use crate::sql::print::Print as _;
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::generate::Generator;
use crate::sql::sqlite::schema::{Column, Table, TableKind, has_word};

impl Draft<'_> {
    pub fn alter(&mut self) -> Option<Statement> {
        let tables: Vec<&Table> =
            self.schema.tables.iter().filter(|table| table.kind == TableKind::Ordinary).collect();
        if tables.is_empty() {
            return None;
        }
        let table = (*self.rng.pick(&tables)).clone();
        let change = match self.rng.below(10) {
            0..=1 => Change::RenameTable(self.name('t')),
            2..=4 if self.schema.dialect.has(25) => self.rename_column(&table)?,
            5..=6 if self.schema.dialect.has(35) => self.drop_column(&table)?,
            _ => self.add_column(&table),
        };
        if let Change::RenameTable(to) = &change {
            self.rename(&table.name, to);
        }
        Some(Statement::Alter { table: table.name, change })
    }

    /// SQLite replaces the name in everything that mentions it.
    fn rename(&mut self, from: &str, to: &str) {
        for table in &mut self.schema.tables {
            if table.name == from {
                to.clone_into(&mut table.name);
            }
            table.sql = renamed(&table.sql, from, to);
        }
        for index in &mut self.schema.indexes {
            if index.table == from {
                to.clone_into(&mut index.table);
            }
        }
        for trigger in &mut self.schema.triggers {
            if trigger.table == from {
                to.clone_into(&mut trigger.table);
            }
            trigger.sql = renamed(&trigger.sql, from, to);
        }
    }

    /// Renames a column that no view or trigger mentions: NATURAL and USING would not survive the
    /// new name.
    fn rename_column(&mut self, table: &Table) -> Option<Change> {
        if self.schema.speaks_of(&table.name, &table.name) {
            return None;
        }
        let from = self.rng.pick(&table.columns).name.clone();
        let to = self.name('d');
        for index in self.schema.indexes.iter_mut().filter(|index| index.table == table.name) {
            index.sql = renamed(&index.sql, &from, &to);
        }
        if let Some(table) = self.schema.tables.iter_mut().find(|other| other.name == table.name) {
            table.sql = renamed(&table.sql, &from, &to);
            table
                .columns
                .iter_mut()
                .filter(|column| column.name == from)
                .for_each(|column| column.name.clone_from(&to));
            for name in table
                .keys
                .iter_mut()
                .flatten()
                .chain(&mut table.primary_key)
                .filter(|name| **name == from)
            {
                name.clone_from(&to);
            }
        }
        Some(Change::RenameColumn { from, to })
    }

    /// Drops a column that nothing else mentions.
    fn drop_column(&mut self, table: &Table) -> Option<Change> {
        if self.schema.speaks_of(&table.name, &table.name) {
            return None;
        }
        let indexes: Vec<_> =
            self.schema.indexes.iter().filter(|index| index.table == table.name).collect();
        let free = |column: &&Column| {
            let once = table
                .sql
                .split(|c: char| !c.is_ascii_alphanumeric())
                .filter(|word| *word == column.name)
                .count();
            let key = table.keys.iter().flatten().any(|name| *name == column.name);
            once == 1 && !key && !indexes.iter().any(|index| has_word(&index.sql, &column.name))
        };
        let columns: Vec<&Column> = table.columns.iter().filter(free).collect();
        if columns.is_empty() || table.columns.iter().filter(|column| !column.generated).count() < 2
        {
            return None;
        }
        let name = self.rng.pick(&columns).name.clone();
        if let Some(table) = self.schema.tables.iter_mut().find(|other| other.name == table.name) {
            table.columns.retain(|column| column.name != name);
        }
        Some(Change::DropColumn(name))
    }

    fn add_column(&mut self, table: &Table) -> Change {
        let name = self.name('d');
        let (type_name, class) = *self.rng.pick(&[
            ("INTEGER", Class::Integer),
            ("TEXT", Class::Text),
            ("REAL", Class::Real),
            ("BLOB", Class::Blob),
        ]);
        let (type_name, class) = if class == Class::Blob && !self.schema.blobs {
            ("TEXT", Class::Text)
        } else {
            (type_name, class)
        };
        let mut column = Column {
            name: name.clone(),
            class,
            exact: matches!(class, Class::Integer | Class::Real | Class::Text),
            generated: false,
            not_null: false,
            strict: table.strict,
            refers: false,
            samples: Arc::default(),
            collation: Collation::Binary,
        };
        let mut constraints = Vec::new();
        let sources: Vec<Column> =
            table.columns.iter().filter(|column| !column.generated).cloned().collect();
        match self.rng.below(4) {
            // A fault of SQLite, see `tests/on_sqlite/known_faults.rs`.
            0 if self.schema.dialect.has(31) && !(table.strict && class == Class::Real) => {
                let expr = Generator::bare(&self.schema, self.rng, &sources).value(class, 2);
                let expr = super::table::cast(expr, class);
                constraints.push(ColumnConstraint::Generated { expr, stored: false });
                column.generated = true;
            }
            // Blobs: another fault of SQLite, see there too.
            1 | 2 if class != Class::Blob => {
                let literal = Generator::new(&self.schema, self.rng).fresh(class);
                constraints.push(ColumnConstraint::Default(Expr::Literal(literal)));
            }
            _ => {}
        }
        if class == Class::Text && self.rng.chance(30) {
            column.collation = *self.rng.pick(Collation::ALL);
            column.exact = column.collation == Collation::Binary;
            constraints.push(ColumnConstraint::Collate(column.collation));
        }
        let definition = ColumnDefinition { name, type_name, constraints };
        if let Some(table) = self.schema.tables.iter_mut().find(|other| other.name == table.name) {
            table.sql.push_str(", ");
            definition.print(&mut table.sql);
            table.columns.push(column);
        }
        Change::AddColumn(definition)
    }
}

/// The text with a word replaced by another.
fn renamed(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|letter| is_part(letter) != is_part(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        out.push_str(if word == from { to } else { word });
        rest = after;
    }
    out
}
