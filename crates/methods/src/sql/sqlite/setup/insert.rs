//! INSERT.

use super::Draft;
use super::table::cast;
use crate::sql::ast::{
    Assignment, Conflict, Expr, Insert, Literal, ResultColumn, Rows, Statement, Upsert,
};
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::generate::{Generator, Scope, class_of};
use crate::sql::sqlite::schema::{Column, Table, TableKind, has_word};
use crate::sql::sqlite::weights::change;

/// The approximate maximum of rows in one table: joins of three must stay fast.
const ROWS_MAX: usize = 40;

impl Draft<'_> {
    pub fn insert(&mut self) -> Option<Statement> {
        let tables: Vec<&Table> =
            self.schema.writable().filter(|table| table.rows < ROWS_MAX).collect();
        if tables.is_empty() {
            return None;
        }
        let empty: Vec<&Table> = tables.iter().copied().filter(|table| table.rows == 0).collect();
        let table = if empty.is_empty() || self.rng.chance(20) {
            (*self.rng.pick(&tables)).clone()
        } else {
            (*self.rng.pick(&empty)).clone()
        };
        if table.kind == TableKind::Rtree {
            return Some(self.insert_rectangles(&table));
        }
        let columns = self.target_columns(&table);
        let ordinary = table.kind == TableKind::Ordinary;
        let strict = columns.iter().any(|column| column.strict || column.not_null);
        let (rows, count) = if ordinary && !strict && self.rng.chance(change::INSERT_SELECT) {
            let shaped = Generator::new(&self.schema, self.rng).query(columns.len(), 1);
            if table.rows + shaped.rows > 2 * ROWS_MAX {
                self.value_rows(&table.name, &columns)
            } else {
                (Rows::Query(Box::new(shaped.query)), shaped.rows)
            }
        } else if ordinary
            && !table.columns.iter().any(|column| column.not_null)
            && self.rng.chance(change::DEFAULT_VALUES)
        {
            (Rows::DefaultValues, 1)
        } else {
            self.value_rows(&table.name, &columns)
        };
        let values = matches!(rows, Rows::Values(_));
        let upsert =
            if ordinary && values && self.schema.dialect.has(24) && self.rng.chance(change::UPSERT)
            {
                Some(self.upsert(&table))
            } else {
                None
            };
        let conflict = self.change_conflict(!table.keys.is_empty());
        let columns = if matches!(rows, Rows::DefaultValues) {
            Vec::new()
        } else {
            columns.into_iter().map(|column| column.name).collect()
        };
        let returning = if ordinary { self.returning(&table) } else { Vec::new() };
        self.grow(&table.name, count);
        Some(Statement::Insert(Insert {
            conflict,
            table: table.name,
            columns,
            rows,
            upsert,
            returning,
        }))
    }

    /// The columns that get values: all that require one, and some of the others.
    fn target_columns(&mut self, table: &Table) -> Vec<Column> {
        let storable: Vec<Column> =
            table.columns.iter().filter(|column| !column.generated).cloned().collect();
        if self.rng.chance(70) {
            return storable;
        }
        let chosen = self.rng.subset(&storable, 1);
        storable.into_iter().filter(|column| column.not_null || chosen.contains(column)).collect()
    }

    fn value_rows(&mut self, table: &str, columns: &[Column]) -> (Rows, usize) {
        let count = self.rng.between(1, 6);
        let rows = (0..count)
            .map(|_| columns.iter().map(|column| self.stored(table, column)).collect())
            .collect();
        (Rows::Values(rows), count)
    }

    /// A value that a column accepts.
    pub fn stored(&mut self, table: &str, column: &Column) -> Expr {
        if matches!(column.class, Class::Text | Class::Blob) && self.rng.chance(change::LONG) {
            return self.long(column.class);
        }
        let mut generator = Generator::new(&self.schema, self.rng);
        if generator.rng.chance(change::EXPRESSION) && !column.not_null {
            let value = generator.value(column.class, 2);
            return if column.strict { cast(value, column.class) } else { value };
        }
        let mut literal = generator.literal(column.class);
        if column.refers && generator.rng.chance(change::NO_REFERENCE) {
            literal = Literal::Null;
        }
        let unfit =
            (column.strict && literal != Literal::Null && class_of(&literal) != column.class)
                || (column.not_null && literal == Literal::Null);
        if unfit {
            literal = generator.fresh(column.class);
        }
        if literal != Literal::Null {
            self.schema.remember(table, &column.name, literal.clone());
        }
        Expr::Literal(literal)
    }

    /// A value that does not fit on a page of most sizes.
    fn long(&mut self, class: Class) -> Expr {
        let length = *self.rng.pick(&[600, 5000]);
        if class == Class::Blob && self.schema.blobs {
            return Expr::call("zeroblob", vec![Expr::integer(length)]);
        }
        Expr::call("printf", vec![Expr::text("%.*c"), Expr::integer(length), Expr::text("x")])
    }

    /// Inserts rectangles, with their lower ends first.
    fn insert_rectangles(&mut self, table: &Table) -> Statement {
        let count = self.rng.between(1, 5);
        let dimensions = table.columns.iter().filter(|column| column.exact).count() / 2;
        let rows = (0..count)
            .map(|_| {
                let mut row = vec![Expr::Literal(Literal::Null)];
                for _ in 0..dimensions {
                    let low = self.rng.number(-5, 14);
                    row.push(Expr::integer(low.into()));
                    row.push(Expr::integer((low + self.rng.number(0, 9)).into()));
                }
                if let Some(extra) = table.columns.get(1 + 2 * dimensions) {
                    row.push(self.stored(&table.name, extra));
                }
                row
            })
            .collect();
        self.grow(&table.name, count);
        Statement::Insert(Insert {
            conflict: Conflict::None,
            table: table.name.clone(),
            columns: table.columns.iter().map(|column| column.name.clone()).collect(),
            rows: Rows::Values(rows),
            upsert: None,
            returning: Vec::new(),
        })
    }

    fn upsert(&mut self, table: &Table) -> Upsert {
        let key =
            if table.keys.is_empty() { Vec::new() } else { self.rng.pick(&table.keys).clone() };
        if key.is_empty() || self.rng.chance(40) {
            return Upsert { columns: key, set: Vec::new(), filter: None };
        }
        let mut scope = Scope::of(&table.name, &table.columns, false);
        scope.add("excluded", &table.columns, false);
        let targets: Vec<&Column> =
            table.columns.iter().filter(|column| !column.generated).collect();
        let target = (*self.rng.pick(&targets)).clone();
        let mut generator = Generator::new(&self.schema, self.rng);
        generator.subqueries_left = 0;
        let (value, filter) = generator.within_scope(scope, |generator| {
            let value = if generator.rng.chance(60) {
                Expr::column("excluded", &target.name)
            } else {
                cast(generator.value(target.class, 1), target.class)
            };
            (value, generator.rng.chance(40).then(|| generator.truth(1)))
        });
        let set = vec![Assignment { columns: vec![target.name], value }];
        Upsert { columns: key, set, filter }
    }

    /// What happens to rows that violate a constraint. Without this, tables with keys would refuse
    /// most rows.
    pub fn change_conflict(&mut self, has_keys: bool) -> Conflict {
        if has_keys && self.rng.chance(change::LENIENT) {
            return *self.rng.pick(&[Conflict::Ignore, Conflict::Ignore, Conflict::Replace]);
        }
        if self.rng.chance(25) { *self.rng.pick(Conflict::ALL) } else { Conflict::None }
    }

    pub fn returning(&mut self, table: &Table) -> Vec<ResultColumn> {
        if !self.schema.dialect.has(35) || !self.rng.chance(change::RETURNING) {
            return Vec::new();
        }
        if self.rng.chance(50) {
            return vec![ResultColumn::Star];
        }
        let mut generator = Generator::bare(&self.schema, self.rng, &table.columns);
        vec![ResultColumn::of(generator.value(Class::Any, 2))]
    }

    /// Updates the estimate of rows of a table, and of those that its triggers write to.
    pub fn grow(&mut self, name: &str, count: usize) {
        let triggers: Vec<String> = self
            .schema
            .triggers
            .iter()
            .filter(|trigger| trigger.table == name)
            .map(|trigger| trigger.sql.clone())
            .collect();
        for table in &mut self.schema.tables {
            let fired = triggers.iter().any(|sql| has_word(sql, &table.name));
            if table.name == name || (fired && table.kind != TableKind::View) {
                table.rows += count;
            }
        }
    }
}
