//! Views and tables made of queries.

use super::Draft;
use crate::sql::ast::{Place, Statement};
use crate::sql::print::Print as _;
use crate::sql::sqlite::schema::{Column, Table, TableKind};
use crate::sql::sqlite::weights::definition;

impl Draft<'_> {
    pub fn create_view(&mut self) -> Statement {
        let count = self.rng.between(1, 4);
        let mut generator = self.generator();
        generator.direct = false;
        let shaped = generator.query(count, 2);
        let name = self.name('v');
        // A view in the main database cannot see tables of other databases.
        let temporary = self.rng.chance(definition::TEMPORARY)
            || self.schema.tables.iter().any(|table| table.place != Place::Main);
        let columns: Vec<String> = (0..count).map(|place| format!("c{place}")).collect();
        let statement = Statement::CreateView {
            temporary,
            if_not_exists: self.rng.chance(definition::IF_NOT_EXISTS),
            name: name.clone(),
            columns: columns.clone(),
            query: shaped.query,
        };
        let columns = columns
            .into_iter()
            .zip(shaped.columns)
            .map(|(name, column)| Column { name, ..column })
            .collect();
        self.add(name, TableKind::View, columns, shaped.rows, temporary, &statement);
        statement
    }

    pub fn create_table_as(&mut self) -> Statement {
        let count = self.rng.between(1, 4);
        let shaped = self.generator().query(count, 1);
        let name = self.name('t');
        let temporary = self.rng.chance(definition::TEMPORARY);
        let statement =
            Statement::CreateTableAs { temporary, name: name.clone(), query: shaped.query };
        // The types of the columns follow from the query in ways that are not modelled here, so
        // nothing is exact.
        let columns =
            shaped.columns.into_iter().map(|column| Column { exact: false, ..column }).collect();
        self.add(name, TableKind::Ordinary, columns, shaped.rows, temporary, &statement);
        statement
    }

    fn add(
        &mut self,
        name: String,
        kind: TableKind,
        columns: Vec<Column>,
        rows: usize,
        temporary: bool,
        statement: &Statement,
    ) {
        self.schema.tables.push(Table {
            name,
            kind,
            columns,
            rowid: kind == TableKind::Ordinary,
            strict: false,
            place: if temporary { Place::Temporary } else { Place::Main },
            keys: Vec::new(),
            primary_key: Vec::new(),
            rows,
            sql: statement.sql(),
        });
    }
}
