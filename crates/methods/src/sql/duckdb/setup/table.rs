//! Definitions of tables, views and indexes.

use super::Draft;
use crate::sql::ast::{
    Binary, ColumnConstraint, ColumnDefinition, Conflict, CreateIndex, CreateTable, Direction,
    Expr, Order, Place, Postfix, Statement,
};
use crate::sql::duckdb::generate::Generator;
use crate::sql::duckdb::schema::{Column, Index, Table};
use crate::sql::duckdb::types::Type;
use crate::sql::print::Print as _;

/// The most columns of a table.
const COLUMNS_MAX: usize = 4;

impl Draft<'_> {
    pub(super) fn create_table(&mut self) -> Statement {
        let name = self.name('t');
        let weights = Type::weights(self.schema.dialect);
        let count = self.rng.between(1, COLUMNS_MAX);
        let mut columns: Vec<Column> =
            (0..count).map(|at| Column::new(format!("c{at}"), self.rng.weigh(&weights))).collect();
        let definitions = columns.iter_mut().map(|column| self.define(column)).collect();
        let create = Statement::CreateTable(CreateTable {
            place: Place::Main,
            if_not_exists: false,
            name: name.clone(),
            columns: definitions,
            constraints: Vec::new(),
            without_rowid: false,
            strict: false,
        });
        let sql = create.sql();
        self.schema.tables.push(Table { name, is_view: false, columns, rows: 0, sql });
        create
    }

    fn define(&mut self, column: &mut Column) -> ColumnDefinition {
        let mut constraints = Vec::new();
        let has_many_values = matches!(column.of, Type::Integer | Type::BigInt | Type::Varchar);
        column.unique = has_many_values && self.rng.chance(8);
        column.not_null = self.rng.chance(8);
        if column.unique {
            constraints.push(if column.not_null && column.name == "c0" {
                let (direction, conflict) = (Direction::None, Conflict::None);
                ColumnConstraint::PrimaryKey { direction, conflict, autoincrement: false }
            } else {
                ColumnConstraint::Unique(Conflict::None)
            });
        }
        if column.not_null {
            constraints.push(ColumnConstraint::NotNull(Conflict::None));
        }
        let mut generator = Generator::bare(&self.schema, self.rng, &[]);
        if !column.unique && generator.rng.chance(10) {
            constraints.push(ColumnConstraint::Default(generator.literal(column.of)));
        }
        if column.of == Type::Integer && generator.rng.chance(5) {
            let itself = || Expr::column("", &column.name);
            let differs = itself().binary(Binary::NotEqual, Expr::integer(77));
            let check = itself().postfix(Postfix::IsNull).binary(Binary::Or, differs);
            constraints.push(ColumnConstraint::Check(check));
        }
        ColumnDefinition { name: column.name.clone(), type_name: column.of.text(), constraints }
    }

    /// Types for the columns of a query.
    fn types(&mut self) -> Vec<Type> {
        let weights = Type::weights(self.schema.dialect);
        (0..self.rng.between(1, 3)).map(|_| self.rng.weigh(&weights)).collect()
    }

    pub(super) fn create_table_as(&mut self) -> Option<Statement> {
        self.schema.tables.first()?;
        let (name, types) = (self.name('t'), self.types());
        let (query, rows) = Generator::new(&self.schema, self.rng).query(&types, 1);
        let create = Statement::CreateTableAs { temporary: false, name: name.clone(), query };
        self.add(name, types, rows, create.sql(), false);
        Some(create)
    }

    pub(super) fn create_view(&mut self) -> Option<Statement> {
        self.schema.tables.first()?;
        let (name, types) = (self.name('v'), self.types());
        let (query, rows) = Generator::new(&self.schema, self.rng).query(&types, 1);
        let columns = (0..types.len()).map(|at| format!("c{at}")).collect();
        let create = Statement::CreateView {
            temporary: false,
            if_not_exists: false,
            name: name.clone(),
            columns,
            query,
        };
        self.add(name, types, rows, create.sql(), true);
        Some(create)
    }

    fn add(&mut self, name: String, types: Vec<Type>, rows: usize, sql: String, is_view: bool) {
        let column = |(at, of)| Column::new(format!("c{at}"), of);
        let columns = types.into_iter().enumerate().map(column).collect();
        self.schema.tables.push(Table { name, is_view, columns, rows, sql });
    }

    pub(super) fn create_index(&mut self) -> Option<Statement> {
        let has_keys = |table: &Table| table.columns.iter().any(|column| column.of.is_indexed());
        let at = self.table_where(|schema, at| has_keys(&schema.tables[at]))?;
        let table = &self.schema.tables[at];
        let keys = table.columns.iter().filter(|column| column.of.is_indexed());
        let keys: Vec<String> = keys.map(|column| column.name.clone()).collect();
        let table = table.name.clone();
        let terms = self.rng.subset(&keys, 1);
        let name = self.name('i');
        self.schema.indexes.push(Index { name: name.clone(), table: table.clone() });
        Some(Statement::CreateIndex(CreateIndex {
            place: Place::Main,
            unique: false,
            if_not_exists: false,
            name,
            table,
            terms: terms.iter().take(2).map(|key| Order::of(Expr::column("", key))).collect(),
            filter: None,
        }))
    }
}
