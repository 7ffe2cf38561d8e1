//! CREATE INDEX.

use super::Draft;
use crate::sql::ast::{Collation, CreateIndex, Direction, Expr, Order, Place, Statement};
use crate::sql::print::Print as _;
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::generate::{Generator, is_constant};
use crate::sql::sqlite::schema::{Index, Table, TableKind};
use crate::sql::sqlite::weights::definition;

impl Draft<'_> {
    pub fn create_index(&mut self) -> Option<Statement> {
        let tables: Vec<&Table> =
            self.schema.tables.iter().filter(|table| table.kind == TableKind::Ordinary).collect();
        if tables.is_empty() {
            return None;
        }
        let table = (*self.rng.pick(&tables)).clone();
        let name = self.name('i');
        // With existing rows, UNIQUE usually fails.
        let unique = self.rng.chance(if table.rows < 3 { definition::UNIQUE_INDEX } else { 3 });
        let mut generator = Generator::bare(&self.schema, self.rng, &table.columns);
        let count = generator.rng.weigh(&[(5, 1), (3, 2), (1, 3)]);
        let terms = (0..count)
            .map(|_| {
                let mut expr = if generator.rng.chance(definition::EXPRESSION_TERM) {
                    generator.value(Class::Any, 2)
                } else {
                    generator.column(Class::Any)
                };
                if is_constant(&expr) {
                    expr = Expr::call("typeof", vec![expr]);
                }
                if generator.rng.chance(definition::COLLATED_TERM) {
                    expr = expr.collate(*generator.rng.pick(Collation::ALL));
                }
                Order { direction: *generator.rng.pick(Direction::ALL), ..Order::of(expr) }
            })
            .collect();
        let filter = generator.rng.chance(definition::PARTIAL_INDEX).then(|| generator.truth(2));
        let full = filter.is_none();
        let if_not_exists = self.rng.chance(definition::IF_NOT_EXISTS);
        let create = Statement::CreateIndex(CreateIndex {
            // Temporary tables are found without a prefix, and no other table has their names.
            place: if table.place == Place::Attached { Place::Attached } else { Place::Main },
            unique,
            if_not_exists,
            name: name.clone(),
            table: table.name.clone(),
            terms,
            filter,
        });
        self.schema.indexes.push(Index { name, table: table.name, full, sql: create.sql() });
        Some(create)
    }
}
