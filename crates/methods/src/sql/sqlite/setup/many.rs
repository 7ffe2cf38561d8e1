//! INSERT of many rows, so that a table has several pages.

use super::Draft;
use super::table::cast;
use crate::sql::ast::{
    Binary, Conflict, Expr, From, Insert, Literal, Query, ResultColumn, Rows, Select, Source,
    Statement,
};
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::generate::counter;
use crate::sql::sqlite::schema::{Column, Table, TableKind};
use crate::sql::sqlite::weights::MANY_ROWS;

impl Draft<'_> {
    pub fn insert_many(&mut self) -> Option<Statement> {
        // Triggers would multiply the rows, and more than one large table would make joins too
        // slow.
        let is_free = |table: &&Table| {
            table.kind == TableKind::Ordinary
                && !self.schema.triggers.iter().any(|trigger| trigger.table == table.name)
        };
        let tables: Vec<&Table> = self.schema.tables.iter().filter(is_free).collect();
        let is_large =
            |table: &Table| table.kind == TableKind::Ordinary && table.rows >= MANY_ROWS[0].1;
        if tables.is_empty() || self.schema.tables.iter().any(is_large) {
            return None;
        }
        let table = (*self.rng.pick(&tables)).clone();
        let count = self.rng.weigh(MANY_ROWS);
        let columns: Vec<&Column> =
            table.columns.iter().filter(|column| !column.generated).collect();
        let is_key = |column: &Column| table.keys.iter().flatten().any(|key| *key == column.name);
        let values: Vec<ResultColumn> = columns
            .iter()
            .map(|column| ResultColumn::of(self.numbered(column, is_key(column))))
            .collect();
        let name = "n".to_owned();
        let mut query = Query::of(Select {
            columns: values,
            from: Some(From::of(Source::named(&name))),
            ..Select::default()
        });
        query.with = vec![counter(name, count)];
        self.grow(&table.name, count);
        Some(Statement::Insert(Insert {
            conflict: Conflict::Ignore,
            columns: columns.into_iter().map(|column| column.name.clone()).collect(),
            table: table.name,
            rows: Rows::Query(Box::new(query)),
            upsert: None,
            returning: Vec::new(),
        }))
    }

    /// A value of a column that depends on the number of the row.
    fn numbered(&mut self, column: &Column, key: bool) -> Expr {
        let x = Expr::column("", "x");
        let number = if key || self.rng.chance(30) {
            x
        } else {
            let divisor = *self.rng.pick(&[2, 3, 7, 10, 100]);
            x.binary(Binary::Times, Expr::integer(37))
                .binary(Binary::Remainder, Expr::integer(divisor))
        };
        let value = match column.class {
            Class::Real => number.binary(Binary::Divide, Expr::Literal(Literal::Real(8.0))),
            Class::Text | Class::Blob | Class::Any if self.rng.chance(70) => {
                Expr::text(self.rng.pick(&["a", "B", "", "word "]))
                    .binary(Binary::Concatenate, number)
            }
            _ => number,
        };
        let value = if column.strict { cast(value, column.class) } else { value };
        if key || column.not_null || self.rng.chance(70) {
            return value;
        }
        Expr::call("nullif", vec![value, Expr::integer(0)])
    }
}
