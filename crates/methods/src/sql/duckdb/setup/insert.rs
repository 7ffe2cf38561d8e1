//! Insertions.

use super::Draft;
use crate::sql::ast::{
    Assignment, Binary, Conflict, Expr, From, Insert, Literal, Query, ResultColumn, Rows, Select,
    Source, SourceKind, Statement, Upsert,
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
        let mut columns = self.schema.tables[at].columns.clone();
        columns.retain(|column| !column.generated);
        // One value that exists already makes the whole statement fail.
        let is_unique = columns.iter().any(|column| column.unique);
        let count = if is_unique { 2 } else { self.rng.between(1, ROWS_MAX) };
        let mut generator = Generator::bare(&self.schema, self.rng, &[]);
        let row = |generator: &mut Generator<'_>| {
            columns.iter().map(|column| stored(generator, column)).collect::<Vec<Expr>>()
        };
        let rows: Vec<Vec<Expr>> = (0..count).map(|_| row(&mut generator)).collect();
        self.schema.grow(at, count);
        let table = &mut self.schema.tables[at];
        for values in &rows {
            let stored = table.columns.iter_mut().filter(|column| !column.generated);
            for (column, value) in stored.zip(values) {
                column.remember(value.clone());
            }
        }
        let table = table.clone();
        let upsert = if is_unique { self.upsert(&table) } else { None };
        let has_result = self.schema.dialect.has((0, 5, 0)) && self.rng.chance(8);
        let returning = if has_result { vec![ResultColumn::Star] } else { Vec::new() };
        let names = columns.into_iter().map(|column| column.name).collect();
        let insert = insertion(&table, names, Rows::Values(rows));
        Some(Statement::Insert(Insert { upsert, returning, ..insert }))
    }

    /// What happens to rows whose key exists, sometimes.
    fn upsert(&mut self, table: &Table) -> Option<Upsert> {
        if !self.schema.dialect.has((1, 0, 0)) || !self.rng.chance(40) {
            return None;
        }
        let nothing = Upsert { columns: Vec::new(), set: Vec::new(), filter: None };
        let mut unique = table.columns.iter().filter(|column| column.unique);
        let (Some(key), None) = (unique.next(), unique.next()) else { return Some(nothing) };
        // A key of two columns cannot be named by one.
        if table.sql.contains(", UNIQUE (") {
            return Some(nothing);
        }
        let columns = vec![key.name.clone()];
        // A key and a column with an index cannot be changed.
        let is_free = |column: &&Column| !column.unique && !column.generated;
        let set = table.columns.iter().find(is_free).map(|column| Assignment {
            columns: vec![column.name.clone()],
            value: Expr::column("excluded", &column.name),
        });
        let can_update = !self.schema.is_indexed(&table.name) && self.rng.chance(50);
        let set = set.filter(|_| can_update).into_iter().collect();
        Some(Upsert { columns, set, filter: None })
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
        self.schema.grow(at, many);
        let table = &mut self.schema.tables[at];
        let mut values = Vec::new();
        for column in table.columns.iter().filter(|column| !column.generated) {
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
        let stored = table.columns.iter().filter(|column| !column.generated);
        let names = stored.map(|column| column.name.clone()).collect();
        Some(Statement::Insert(insertion(table, names, Rows::Query(Box::new(query)))))
    }
}

fn insertion(table: &Table, columns: Vec<String>, rows: Rows) -> Insert {
    Insert {
        conflict: Conflict::None,
        table: table.name.clone(),
        columns,
        rows,
        upsert: None,
        returning: Vec::new(),
    }
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
        Type::Interval => Expr::call("to_days", vec![number.cast(Type::Integer)]),
        Type::Uuid => Expr::text("00000000-0000-0000-0000-000000000001").cast(of),
        Type::Blob => number.cast(Type::Varchar).cast(of),
        Type::Enum => {
            let is_small = number.binary(Binary::Less, Expr::integer(3));
            let otherwise = Some(Box::new(Expr::text("ab")));
            let arms = vec![(is_small, Expr::text("a"))];
            Expr::Case { operand: None, arms, otherwise }.cast(of)
        }
        Type::Integers | Type::Texts => Expr::List(vec![number]).cast(of),
        Type::Struct => Expr::call("row", vec![number, Expr::text("a")]).cast(of),
        _ => number.cast(of),
    }
}
