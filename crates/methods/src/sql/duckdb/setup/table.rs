//! Definitions of tables, views and indexes.

use super::Draft;
use crate::sql::ast::{
    Binary, ColumnConstraint, ColumnDefinition, Conflict, CreateIndex, CreateTable, Direction,
    Expr, Order, Place, Postfix, Statement, TableConstraint,
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
        let mut definitions: Vec<_> =
            columns.iter_mut().map(|column| self.define(column)).collect();
        let constraints = self.table_constraints(&mut columns);
        if self.schema.dialect.has((1, 0, 0)) && self.rng.chance(8) {
            let (column, definition) = self.generated(&columns);
            columns.push(column);
            definitions.push(definition);
        }
        let is_temporary = self.rng.chance(5);
        let create = Statement::CreateTable(CreateTable {
            place: if is_temporary { Place::Temporary } else { Place::Main },
            if_not_exists: self.rng.chance(5),
            name: name.clone(),
            columns: definitions,
            constraints,
            without_rowid: false,
            strict: false,
        });
        let sql = create.sql();
        self.schema.tables.push(Table { name, is_view: false, columns, rows: 0, sql });
        create
    }

    fn define(&mut self, column: &mut Column) -> ColumnDefinition {
        let mut constraints = Vec::new();
        column.unique = column.of.is_key() && self.rng.chance(8);
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

    /// A column that is computed from others.
    fn generated(&mut self, columns: &[Column]) -> (Column, ColumnDefinition) {
        let weights = Type::weights(self.schema.dialect);
        let of = self.rng.weigh(&weights);
        let mut column = Column::new(format!("c{}", columns.len()), of);
        column.generated = true;
        // Rule: an operation that fails would make every row fail, so there is none.
        let depth = u32::from(!of.is_integer());
        let expr = Generator::bare(&self.schema, self.rng, columns).value(of, depth).cast(of);
        let constraints = vec![ColumnConstraint::Generated { expr, stored: false }];
        let name = column.name.clone();
        (column, ColumnDefinition { name, type_name: of.text(), constraints })
    }

    /// A key of two columns, or a condition.
    fn table_constraints(&mut self, columns: &mut [Column]) -> Vec<TableConstraint> {
        let is_free = |column: &&mut Column| !column.unique && column.of.is_key();
        let mut free: Vec<&mut Column> = columns.iter_mut().filter(is_free).collect();
        let [first, second, ..] = &mut free[..] else { return Vec::new() };
        match self.rng.below(20) {
            0 => {
                let keys = [&*first, &*second].map(|key| Order::of(Expr::column("", &key.name)));
                // Unique values of one of them are enough.
                first.unique = true;
                vec![TableConstraint::Unique(keys.to_vec(), Conflict::None)]
            }
            1 => {
                let differ = Expr::column("", &first.name)
                    .postfix(Postfix::IsNull)
                    .binary(Binary::Or, Expr::column("", &second.name).postfix(Postfix::NotNull));
                let otherwise = Expr::column("", &second.name).postfix(Postfix::IsNull);
                vec![TableConstraint::Check(differ.binary(Binary::Or, otherwise))]
            }
            _ => Vec::new(),
        }
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
        let columns = Column::numbered(types);
        self.schema.tables.push(Table { name, is_view, columns, rows, sql });
    }

    pub(super) fn create_index(&mut self) -> Option<Statement> {
        let is_key = |column: &&Column| column.of.is_indexed() && !column.generated;
        let has_keys = |table: &Table| table.columns.iter().any(|column| is_key(&column));
        let at = self.table_where(|schema, at| has_keys(&schema.tables[at]))?;
        let table = &self.schema.tables[at];
        let keys: Vec<&Column> = table.columns.iter().filter(is_key).collect();
        let chosen = self.rng.subset(&keys, 1);
        let unique = chosen.iter().any(|key| key.unique) && self.rng.chance(50);
        let terms = chosen.iter().take(2).map(|key| {
            let key_itself = Expr::column("", &key.name);
            let is_computed = key.of == Type::Varchar && self.rng.chance(30);
            let term = if is_computed { Expr::call("lower", vec![key_itself]) } else { key_itself };
            Order::of(term)
        });
        let terms: Vec<Order> = terms.collect();
        let unique = unique && terms.len() == chosen.len() && !terms.iter().any(is_call);
        let table = table.name.clone();
        let name = self.name('i');
        self.schema.indexes.push(Index { name: name.clone(), table: table.clone() });
        Some(Statement::CreateIndex(CreateIndex {
            place: Place::Main,
            unique,
            if_not_exists: false,
            name,
            table,
            terms,
            filter: None,
        }))
    }
}

/// Whether a term of an index is computed.
fn is_call(term: &Order) -> bool {
    matches!(term.expr, Expr::Call(_))
}
