//! CREATE TRIGGER.

use std::rc::Rc;

use super::Draft;
use crate::sql::ast::{
    Assignment, Binary, Conflict, CreateTrigger, Delete, Expr, Insert, Place, Query, Raise,
    ResultColumn, Rows, Select, Statement, TriggerTime, Update,
};
use crate::sql::print::Print as _;
use crate::sql::sqlite::generate::{Generator, Scope};
use crate::sql::sqlite::schema::{Column, Table, TableKind, Trigger};

impl Draft<'_> {
    pub fn create_trigger(&mut self) -> Option<Statement> {
        let has_triggers =
            |table: &&Table| matches!(table.kind, TableKind::Ordinary | TableKind::View);
        let tables: Vec<&Table> = self.schema.tables.iter().filter(has_triggers).collect();
        if tables.is_empty() || self.schema.triggers.len() > 3 {
            return None;
        }
        let table = (*self.rng.pick(&tables)).clone();
        // A trigger in the main database may write only to tables of the main database.
        let beside = |other: &&Table| {
            other.kind == TableKind::Ordinary
                && other.place == table.place
                && other.name != table.name
        };
        let targets: Vec<Table> = self.schema.tables.iter().filter(beside).cloned().collect();
        if targets.is_empty() {
            return None;
        }
        let time = if table.kind == TableKind::View {
            TriggerTime::InsteadOf
        } else {
            *self.rng.pick(&[TriggerTime::Before, TriggerTime::After])
        };
        let (event, rows): (String, &[&str]) = match self.rng.below(4) {
            0 => ("DELETE".to_owned(), &["OLD"]),
            1 => ("UPDATE".to_owned(), &["OLD", "NEW"]),
            2 => (format!("UPDATE OF {}", self.rng.pick(&table.columns).name), &["OLD", "NEW"]),
            _ => ("INSERT".to_owned(), &["NEW"]),
        };
        let mut scope = Scope::default();
        for row in rows {
            scope.add(row, &table.columns, false);
        }
        let mut generator = Generator::new(&self.schema, self.rng);
        generator.subqueries_left = 0;
        generator.scopes.push(Rc::new(scope));
        let when = generator.rng.chance(40).then(|| generator.truth(1));
        let body =
            (0..generator.rng.between(1, 2)).map(|_| step(&mut generator, &targets)).collect();
        let name = self.name('r');
        let statement = Statement::CreateTrigger(CreateTrigger {
            temporary: table.place != Place::Main,
            name: name.clone(),
            time,
            event,
            table: table.name.clone(),
            when,
            body,
        });
        self.schema.triggers.push(Trigger { name, table: table.name, sql: statement.sql() });
        Some(statement)
    }
}

/// A statement of the body, which sees the row that the trigger fires for.
fn step(generator: &mut Generator<'_>, targets: &[Table]) -> Statement {
    let table = generator.rng.pick(targets).clone();
    let columns: Vec<Column> =
        table.columns.iter().filter(|column| !column.generated).cloned().collect();
    let value = |generator: &mut Generator<'_>, column: &Column| {
        let value = generator.value(column.class, 1);
        if column.strict { super::table::cast(value, column.class) } else { value }
    };
    let own = Expr::column("", &generator.rng.pick(&columns).name);
    match generator.rng.below(8) {
        0..=3 => {
            let row = columns.iter().map(|column| value(generator, column)).collect();
            Statement::Insert(Insert {
                conflict: Conflict::Ignore,
                table: table.name,
                columns: columns.into_iter().map(|column| column.name).collect(),
                rows: Rows::Values(vec![row]),
                upsert: None,
                returning: Vec::new(),
            })
        }
        4..=5 => {
            let column = generator.rng.pick(&columns).clone();
            let value = value(generator, &column);
            let filter = Some(own.binary(Binary::Is, generator.value(column.class, 0)));
            let set = vec![Assignment { columns: vec![column.name], value }];
            let conflict = Conflict::Ignore;
            Statement::Update(Update {
                conflict,
                table: table.name,
                set,
                from: None,
                filter,
                returning: Vec::new(),
            })
        }
        6 => {
            let filter = Some(own.binary(Binary::Equal, generator.value(columns[0].class, 0)));
            Statement::Delete(Delete { table: table.name, filter, returning: Vec::new() })
        }
        _ => {
            let raise = match generator.rng.below(4) {
                0 => Raise::Abort("stop".to_owned()),
                1 => Raise::Fail("stop".to_owned()),
                _ => Raise::Ignore,
            };
            let filter = generator.comparison(0).binary(Binary::And, generator.comparison(0));
            Statement::Select(Query::of(Select {
                columns: vec![ResultColumn::of(Expr::Raise(raise))],
                filter: Some(filter),
                ..Select::default()
            }))
        }
    }
}
