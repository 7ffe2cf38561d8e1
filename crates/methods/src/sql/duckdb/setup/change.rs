//! Changes of rows and of definitions.

use super::Draft;
use crate::sql::ast::{
    Assignment, Change, ColumnDefinition, Conflict, Delete, ResultColumn, Statement, Update,
};
use crate::sql::duckdb::generate::Generator;
use crate::sql::duckdb::schema::Column;
use crate::sql::duckdb::types::Type;

impl Draft<'_> {
    pub(super) fn update(&mut self) -> Option<Statement> {
        // DuckDB checks unique columns too early when it updates them.
        let is_free = |column: &Column| !column.unique && !column.not_null && !column.generated;
        let at = self.table_where(|schema, at| schema.tables[at].columns.iter().any(is_free))?;
        let table = &self.schema.tables[at];
        let free: Vec<&Column> = table.columns.iter().filter(|column| is_free(column)).collect();
        let column = *self.rng.pick(&free);
        let mut generator = Generator::bare(&self.schema, self.rng, &table.columns);
        let depth = u32::from(!column.of.is_integer());
        let value = generator.value(column.of, depth).cast(column.of);
        let filter = Some(generator.truth(2));
        let set = vec![Assignment { columns: vec![column.name.clone()], value }];
        let (conflict, table) = (Conflict::None, table.name.clone());
        let returning = self.returning();
        Some(Statement::Update(Update { conflict, table, set, from: None, filter, returning }))
    }

    pub(super) fn delete(&mut self) -> Option<Statement> {
        let at = self.table_where(|_, _| true)?;
        let table = &self.schema.tables[at];
        let filter = Some(Generator::bare(&self.schema, self.rng, &table.columns).truth(2));
        let table = table.name.clone();
        Some(Statement::Delete(Delete { table, filter, returning: self.returning() }))
    }

    /// The changed rows as a result, sometimes.
    fn returning(&mut self) -> Vec<ResultColumn> {
        let has_result = self.schema.dialect.has((0, 5, 0)) && self.rng.chance(8);
        if has_result { vec![ResultColumn::Star] } else { Vec::new() }
    }

    pub(super) fn alter(&mut self) -> Option<Statement> {
        if !self.schema.dialect.has((0, 5, 0)) {
            return None;
        }
        let at = self.table_where(|schema, at| {
            let table = &schema.tables[at];
            let is_plain = table.columns.iter().all(|column| !column.unique && !column.generated);
            is_plain && !schema.is_indexed(&table.name) && !schema.is_used(&table.name)
        })?;
        let weights = Type::weights(self.schema.dialect);
        let (of, name) = (self.rng.weigh(&weights), self.name('d'));
        let is_modern = self.schema.dialect.has((1, 0, 0));
        let (way, other) = (self.rng.below(10), self.name('t'));
        let table = &mut self.schema.tables[at];
        let old = table.name.clone();
        let is_checked = table.sql.contains("CHECK");
        let column = &mut table.columns[0];
        let change = match way {
            0..=2 if !is_checked => {
                let from = std::mem::replace(&mut column.name, name.clone());
                Change::RenameColumn { from, to: name }
            }
            3 if is_modern && !is_checked && column.of.sources().contains(&Type::Integer) => {
                let text = Column::new(column.name.clone(), Type::Varchar);
                *column = Column { not_null: column.not_null, ..text };
                Change::ColumnType { column: column.name.clone(), type_name: column.of.text() }
            }
            4 if is_modern && !is_checked && table.columns.len() > 1 => {
                Change::DropColumn(table.columns.remove(0).name)
            }
            5 if is_modern => {
                table.name.clone_from(&other);
                Change::RenameTable(other)
            }
            _ => {
                table.columns.push(Column::new(name.clone(), of));
                let type_name = of.text();
                Change::AddColumn(ColumnDefinition { name, type_name, constraints: Vec::new() })
            }
        };
        Some(Statement::Alter { table: old, change })
    }

    pub(super) fn drop_something(&mut self) -> Option<Statement> {
        let drop = |what: &'static str, name: String| {
            Some(Statement::Drop { if_exists: false, what, name })
        };
        if !self.schema.indexes.is_empty() && self.rng.chance(50) {
            let at = self.rng.below(self.schema.indexes.len());
            return drop("INDEX", self.schema.indexes.remove(at).name);
        }
        let unused = |at: &usize| !self.schema.is_used(&self.schema.tables[*at].name);
        let unused: Vec<usize> = (0..self.schema.tables.len()).filter(unused).collect();
        if unused.len() < 2 {
            return None;
        }
        let table = self.schema.tables.remove(*self.rng.pick(&unused));
        self.schema.indexes.retain(|index| index.table != table.name);
        drop(if table.is_view { "VIEW" } else { "TABLE" }, table.name)
    }
}
