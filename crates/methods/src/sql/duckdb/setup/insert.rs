//! Insertions.

use super::Draft;
use crate::sql::ast::{
    Binary, Conflict, Expr, From, Insert, Literal, Query, ResultColumn, Rows, Select, Source,
    SourceKind, Statement,
};
use crate::sql::duckdb::Type;
use crate::sql::duckdb::dialect::MODERN;
use crate::sql::duckdb::generate::Generator;
use crate::sql::duckdb::schema::{Column, Table};

/// The most rows of an INSERT.
const ROWS_MAX: usize = 8;

/// Numbers of rows of a large INSERT: DuckDB processes 1,024 or 2,048 rows at once.
const MANY: &[usize] = &[30, 30, 60, 60, 200, 1100, 2100];

/// No table has more rows.
const TABLE_ROWS_MAX: usize = 2500;

impl Draft<'_> {
    pub(super) fn insert(&mut self) -> Option<Statement> {
        let at = self.table_where(|schema, at| schema.tables[at].rows < TABLE_ROWS_MAX)?;
        let columns = self.schema.tables[at].columns.clone();
        // One value that exists already makes the whole statement fail.
        let is_unique = columns.iter().any(|column| column.unique);
        let count = if is_unique { 2 } else { self.rng.between(1, ROWS_MAX) };
        let mut generator = Generator::bare(&self.schema, self.rng, &[]);
        let row = |generator: &mut Generator<'_>| {
            columns.iter().map(|column| stored(generator, column)).collect::<Vec<Expr>>()
        };
        let rows: Vec<Vec<Expr>> = (0..count).map(|_| row(&mut generator)).collect();
        let table = &mut self.schema.tables[at];
        table.rows += count;
        for values in &rows {
            for (column, value) in table.columns.iter_mut().zip(values) {
                column.remember(value.clone());
            }
        }
        let names = columns.into_iter().map(|column| column.name).collect();
        Some(insertion(table, names, Rows::Values(rows)))
    }

    /// Many rows that are computed from their number.
    pub(super) fn insert_many(&mut self) -> Option<Statement> {
        if !self.schema.dialect.has(MODERN) {
            return None;
        }
        let many = *self.rng.pick(MANY);
        let at = self.table_where(|schema, at| {
            let table = &schema.tables[at];
            table.rows + many <= TABLE_ROWS_MAX && !table.columns.iter().any(|column| column.unique)
        })?;
        let table = &mut self.schema.tables[at];
        table.rows += many;
        let mut values = Vec::new();
        for column in &table.columns {
            let period = self.rng.number(2, 40);
            let number = remainder(period);
            let value = computed(number, column.of);
            let has_null = !column.not_null && self.rng.chance(40);
            let null = Expr::Literal(Literal::Null);
            let is_third = remainder(self.rng.number(3, 9)).binary(Binary::Equal, Expr::integer(0));
            values.push(ResultColumn::of(if has_null {
                let otherwise = Some(Box::new(value));
                Expr::Case { operand: None, arms: vec![(is_third, null)], otherwise }
            } else {
                value
            }));
        }
        let count = Expr::integer(i64::try_from(many).unwrap_or_default());
        let kind = SourceKind::Function { name: "range".to_owned(), arguments: vec![count] };
        let from = From::of(Source { kind, alias: Some("r".to_owned()) });
        let query = Query::of(Select { columns: values, from: Some(from), ..Select::default() });
        Some(insertion(table, Vec::new(), Rows::Query(Box::new(query))))
    }
}

fn insertion(table: &Table, columns: Vec<String>, rows: Rows) -> Statement {
    Statement::Insert(Insert {
        conflict: Conflict::None,
        table: table.name.clone(),
        columns,
        rows,
        upsert: None,
        returning: Vec::new(),
    })
}

/// A constant for a column.
fn stored(generator: &mut Generator<'_>, column: &Column) -> Expr {
    match column.of {
        Type::Integer | Type::BigInt if column.unique => {
            Expr::integer(i64::from(generator.rng.number(-100_000, 100_000))).cast(column.of)
        }
        Type::Varchar if column.unique => {
            Expr::text(format!("u{}", generator.rng.number(0, 1_000_000)))
        }
        _ if !column.not_null && generator.rng.chance(15) => Expr::Literal(Literal::Null),
        _ => generator.literal(column.of),
    }
}

/// The number of the row, modulo something.
fn remainder(period: i32) -> Expr {
    let period = Expr::integer(i64::from(period));
    Expr::column("r", "range").binary(Binary::Remainder, period)
}

/// A value of a type that depends on a small number.
fn computed(number: Expr, of: Type) -> Expr {
    match of {
        Type::Boolean => number.binary(Binary::Less, Expr::integer(2)),
        Type::Date => {
            Expr::text("2000-01-01").cast(of).binary(Binary::Plus, number.cast(Type::Integer))
        }
        Type::Timestamp => computed(number, Type::Date).cast(of),
        Type::Time => Expr::text("12:34:56").cast(of),
        _ => number.cast(of),
    }
}
