//! UPDATE and DELETE.

use super::Draft;
use super::table::cast;
use crate::sql::ast::{Assignment, Binary, Conflict, Delete, Expr, Statement, Update};
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::generate::{Generator, Scope};
use crate::sql::sqlite::schema::{Column, Table, TableKind};
use crate::sql::sqlite::weights::change;

impl Draft<'_> {
    pub fn update(&mut self) -> Option<Statement> {
        let updatable =
            |table: &&Table| !matches!(table.kind, TableKind::Fts5 { contentless: true, .. });
        let tables: Vec<&Table> = self.schema.writable().filter(updatable).collect();
        if tables.is_empty() {
            return None;
        }
        let table = (*self.rng.pick(&tables)).clone();
        if table.kind == TableKind::Rtree {
            return Some(self.grow_rectangles(&table));
        }
        let ordinary = table.kind == TableKind::Ordinary;
        let is_key = |column: &Column| table.keys.iter().flatten().any(|name| *name == column.name);
        let free: Vec<Column> = table
            .columns
            .iter()
            .filter(|column| !column.generated && !is_key(column))
            .cloned()
            .collect();
        let keys_too = free.is_empty() || self.rng.chance(15);
        let targets: Vec<Column> = if keys_too {
            table.columns.iter().filter(|column| !column.generated).cloned().collect()
        } else {
            free
        };
        let mut generator = Generator::new(&self.schema, self.rng);
        let from = (ordinary
            && generator.schema.dialect.has(33)
            && generator.rng.chance(change::UPDATE_FROM))
        .then(|| generator.open_apart(&table.name, 20));
        let mut scope = Scope::of(&table.name, &table.columns, table.rowid);
        if let Some(opened) = &from {
            scope.add(&opened.name, &opened.columns, opened.rowid);
        }
        let (set, filter) = generator.within_scope(scope, |generator| {
            let targets = generator.rng.subset(&targets, 1);
            let values: Vec<Expr> =
                targets.iter().map(|column| new_value(generator, column)).collect();
            let set = if targets.len() > 1 && generator.rng.chance(30) {
                let columns = targets.into_iter().map(|column| column.name).collect();
                vec![Assignment { columns, value: Expr::Row(values) }]
            } else {
                let pairs = targets.into_iter().zip(values);
                pairs
                    .map(|(column, value)| Assignment { columns: vec![column.name], value })
                    .collect()
            };
            (set, generator.rng.chance(change::WHERE).then(|| generator.truth(2)))
        });
        let conflict = if ordinary { self.change_conflict(keys_too) } else { Conflict::None };
        let returning =
            if ordinary && from.is_none() { self.returning(&table) } else { Vec::new() };
        let from = from.map(|opened| opened.source);
        self.grow_by_triggers(&table.name);
        Some(Statement::Update(Update {
            conflict,
            table: table.name,
            set,
            from,
            filter,
            returning,
        }))
    }

    /// Rectangles grow or move, so their lower ends stay below the upper ones.
    fn grow_rectangles(&mut self, table: &Table) -> Statement {
        let dimensions = table.columns.iter().filter(|column| column.exact).count() / 2;
        let dimension = self.rng.below(dimensions);
        let [low, high] = [1, 2].map(|end| table.columns[2 * dimension + end].name.clone());
        let step = self.rng.number(-2, 3);
        let set = [(low, step), (high, step + self.rng.number(0, 4))]
            .map(|(name, step)| {
                let value =
                    Expr::column("", &name).binary(Binary::Plus, Expr::integer(step.into()));
                Assignment { columns: vec![name], value }
            })
            .to_vec();
        let scope = Scope::of(&table.name, &table.columns, table.rowid);
        let mut generator = Generator::new(&self.schema, self.rng);
        let filter = generator.within_scope(scope, |generator| {
            generator.rng.chance(change::WHERE).then(|| generator.truth(2))
        });
        Statement::Update(Update {
            conflict: Conflict::None,
            table: table.name.clone(),
            set,
            from: None,
            filter,
            returning: Vec::new(),
        })
    }

    pub fn delete(&mut self) -> Option<Statement> {
        let deletable =
            |table: &&Table| !matches!(table.kind, TableKind::Fts5 { contentless: true, .. });
        let tables: Vec<&Table> = self.schema.writable().filter(deletable).collect();
        if tables.is_empty() {
            return None;
        }
        let table = (*self.rng.pick(&tables)).clone();
        let scope = Scope::of(&table.name, &table.columns, table.rowid);
        let mut generator = Generator::new(&self.schema, self.rng);
        let filter = generator.within_scope(scope, |generator| {
            // Few rows are deleted at a time, so that something is left to query.
            let first = generator.comparison(0);
            let second = generator.truth(1);
            Some(first.binary(Binary::And, second))
        });
        let returning =
            if table.kind == TableKind::Ordinary { self.returning(&table) } else { Vec::new() };
        self.grow_by_triggers(&table.name);
        Some(Statement::Delete(Delete { table: table.name, filter, returning }))
    }

    /// The triggers of a table fire for some of its rows.
    fn grow_by_triggers(&mut self, name: &str) {
        let rows = self
            .schema
            .tables
            .iter()
            .find(|table| table.name == name)
            .map_or(0, |table| table.rows);
        if self.schema.triggers.iter().any(|trigger| trigger.table == name) {
            self.grow(name, rows / 2);
        }
    }
}

fn new_value(generator: &mut Generator<'_>, column: &Column) -> Expr {
    let class = if column.strict { column.class } else { Class::Any };
    let value = if generator.rng.chance(50) {
        Expr::Literal(if column.not_null {
            generator.fresh(column.class)
        } else {
            generator.literal(column.class)
        })
    } else {
        generator.value(column.class, 2)
    };
    let value = if column.strict { cast(value, class) } else { value };
    if column.not_null && !matches!(value, Expr::Literal(_)) {
        let otherwise = Expr::Literal(generator.fresh(column.class));
        return Expr::call("coalesce", vec![value, otherwise]);
    }
    value
}
