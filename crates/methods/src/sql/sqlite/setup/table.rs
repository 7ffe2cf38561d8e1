//! CREATE TABLE.

use std::sync::Arc;

use super::Draft;
use crate::sql::ast::{
    Action, Binary, Collation, ColumnConstraint, ColumnDefinition, Conflict, CreateTable,
    Deferrable, Direction, Expr, Order, Place, Prefix, Reference, Statement, TableConstraint, Type,
};
use crate::sql::print::Print as _;
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::generate::Generator;
use crate::sql::sqlite::schema::{Column, Table, TableKind};
use crate::sql::sqlite::weights::{COLUMNS, definition};

/// Type names, with their effect on values.
const TYPES: &[(&str, Class)] = &[
    ("INT", Class::Integer),
    ("INTEGER", Class::Integer),
    ("BIGINT", Class::Integer),
    ("TEXT", Class::Text),
    ("TEXT", Class::Text),
    ("VARCHAR(10)", Class::Text),
    ("REAL", Class::Real),
    ("DOUBLE", Class::Real),
    ("BLOB", Class::Blob),
    ("NUMERIC", Class::Integer),
    ("BOOLEAN", Class::Integer),
    ("", Class::Any),
];

/// The types of a STRICT table.
const STRICT_TYPES: &[(&str, Class)] = &[
    ("INT", Class::Integer),
    ("INTEGER", Class::Integer),
    ("TEXT", Class::Text),
    ("REAL", Class::Real),
    ("BLOB", Class::Blob),
    ("ANY", Class::Any),
];

impl Draft<'_> {
    pub fn create_table(&mut self) -> Statement {
        let name = self.name('t');
        let strict = self.schema.dialect.has(37) && self.rng.chance(definition::STRICT);
        let count = self.rng.weigh(COLUMNS);
        let mut table = Table {
            name: name.clone(),
            kind: TableKind::Ordinary,
            columns: Vec::new(),
            rowid: true,
            strict,
            place: self.place(),
            keys: Vec::new(),
            primary_key: Vec::new(),
            rows: 0,
            sql: String::new(),
        };
        let mut has_key = false;
        let mut definitions = Vec::new();
        for place in 0..count {
            definitions.push(self.column(format!("c{place}"), &mut table, &mut has_key));
        }
        // SQLite requires at least one column that is not generated.
        if table.columns.iter().all(|column| column.generated) {
            definitions[0]
                .constraints
                .retain(|constraint| !matches!(constraint, ColumnConstraint::Generated { .. }));
            table.columns[0].generated = false;
        }
        let constraints = self.constraints(&mut table, &mut has_key);
        let autoincrement =
            definitions.iter().flat_map(|column| &column.constraints).any(|constraint| {
                matches!(constraint, ColumnConstraint::PrimaryKey { autoincrement: true, .. })
            });
        let without_rowid = has_key && !autoincrement && self.rng.chance(definition::WITHOUT_ROWID);
        table.rowid = !without_rowid;
        if without_rowid {
            // A primary key that replaces the rowid has no NULLs.
            let key = table.primary_key.clone();
            let columns = table.columns.iter_mut().filter(|column| key.contains(&column.name));
            columns.for_each(|column| column.not_null = true);
        }
        let create = Statement::CreateTable(CreateTable {
            place: table.place,
            if_not_exists: self.rng.chance(definition::IF_NOT_EXISTS),
            name,
            columns: definitions,
            constraints,
            without_rowid,
            strict,
        });
        table.sql = create.sql();
        self.schema.tables.push(table);
        create
    }

    fn place(&mut self) -> Place {
        if self.schema.attached && self.rng.chance(definition::ATTACHED) {
            return Place::Attached;
        }
        if self.rng.chance(definition::TEMPORARY) { Place::Temporary } else { Place::Main }
    }

    /// Generates a column and adds it to the table.
    pub fn column(
        &mut self,
        name: String,
        table: &mut Table,
        has_key: &mut bool,
    ) -> ColumnDefinition {
        let (mut type_name, mut class) =
            *self.rng.pick(if table.strict { STRICT_TYPES } else { TYPES });
        if class == Class::Blob && !self.schema.blobs {
            (type_name, class) = ("TEXT", Class::Text);
        }
        let mut column = Column {
            name: name.clone(),
            class,
            exact: false,
            generated: false,
            not_null: false,
            strict: table.strict && class != Class::Any,
            refers: false,
            samples: Arc::default(),
            collation: Collation::Binary,
        };
        let mut constraints = Vec::new();
        let sources: Vec<Column> =
            table.columns.iter().filter(|column| !column.generated).cloned().collect();
        if self.schema.dialect.has(31)
            && !sources.is_empty()
            && self.rng.chance(definition::GENERATED)
        {
            let mut expr = Generator::bare(&self.schema, self.rng, &sources).value(class, 2);
            if table.strict {
                expr = cast(expr, class);
            }
            // Two faults of SQLite, see `tests/on_sqlite/known_faults.rs`.
            let faulty = match class {
                Class::Real => table.strict,
                Class::Any | Class::Blob => is_column(&expr),
                _ => false,
            };
            let stored = faulty || self.rng.chance(50);
            constraints.push(ColumnConstraint::Generated { expr, stored });
            column.generated = true;
        } else {
            if !*has_key && self.rng.chance(definition::COLUMN_PRIMARY_KEY) {
                *has_key = true;
                let direction = *self.rng.pick(Direction::ALL);
                // With DESC it is an ordinary key, which SQLite keeps for compatibility with old
                // files.
                let rowid = type_name == "INTEGER" && direction != Direction::Descending;
                let autoincrement = rowid && self.rng.chance(definition::AUTOINCREMENT);
                constraints.push(ColumnConstraint::PrimaryKey {
                    direction,
                    conflict: self.conflict(),
                    autoincrement,
                });
                column.strict |= rowid;
                table.primary_key = vec![name.clone()];
                table.keys.push(vec![name.clone()]);
            }
            if self.rng.chance(definition::DEFAULT) {
                let default = Generator::bare(&self.schema, self.rng, &[]).value(class, 1);
                constraints.push(ColumnConstraint::Default(if column.strict {
                    cast(default, class)
                } else {
                    default
                }));
            }
            if self.rng.chance(definition::NOT_NULL) {
                constraints.push(ColumnConstraint::NotNull(self.conflict()));
                column.not_null = true;
            }
            if self.rng.chance(definition::COLUMN_REFERENCES)
                && let Some(reference) = self.reference(table, 1)
            {
                column.refers = true;
                constraints.push(ColumnConstraint::References(reference));
            }
        }
        if self.rng.chance(definition::UNIQUE) {
            constraints.push(ColumnConstraint::Unique(self.conflict()));
            table.keys.push(vec![name.clone()]);
        }
        if self.rng.chance(definition::COLLATE) {
            column.collation = *self.rng.pick(Collation::ALL);
            constraints.push(ColumnConstraint::Collate(column.collation));
        }
        // See `Column::exact`. REAL columns have only the two zeros, which no expression
        // distinguishes.
        column.exact = match class {
            Class::Integer | Class::Real => true,
            Class::Text => column.collation == Collation::Binary,
            _ => false,
        };
        // Texts that are not numbers stay texts in numeric columns.
        column.exact &= column.collation == Collation::Binary;
        table.columns.push(column);
        if self.rng.chance(definition::COLUMN_CHECK) {
            constraints.push(ColumnConstraint::Check(self.lenient(table)));
        }
        ColumnDefinition { name, type_name, constraints }
    }

    fn constraints(&mut self, table: &mut Table, has_key: &mut bool) -> Vec<TableConstraint> {
        let mut constraints = Vec::new();
        let names: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
        let stored: Vec<String> = table
            .columns
            .iter()
            .filter(|column| !column.generated)
            .map(|column| column.name.clone())
            .collect();
        if !*has_key && self.rng.chance(definition::TABLE_PRIMARY_KEY) {
            *has_key = true;
            let key = self.rng.subset(&stored, 1);
            table.primary_key.clone_from(&key);
            constraints.push(TableConstraint::PrimaryKey(self.terms(&key), self.conflict()));
            if let [only] = &key[..] {
                // `PRIMARY KEY (c)` makes an INTEGER column the rowid.
                table
                    .columns
                    .iter_mut()
                    .filter(|c| c.name == *only && c.class == Class::Integer)
                    .for_each(|column| {
                        column.strict = true;
                    });
            }
            table.keys.push(key);
        }
        if self.rng.chance(definition::TABLE_UNIQUE) {
            let key = self.rng.subset(&names, 1);
            constraints.push(TableConstraint::Unique(self.terms(&key), self.conflict()));
            table.keys.push(key);
        }
        if self.rng.chance(definition::TABLE_CHECK) {
            constraints.push(TableConstraint::Check(self.lenient(table)));
        }
        if self.rng.chance(definition::FOREIGN_KEY) {
            let columns = self.rng.subset(&stored, 1);
            if let Some(reference) = self.reference(table, columns.len()) {
                for column in &mut table.columns {
                    column.refers |= columns.contains(&column.name);
                }
                constraints.push(TableConstraint::ForeignKey(columns, reference));
            }
        }
        constraints
    }

    fn terms(&mut self, names: &[String]) -> Vec<Order> {
        names
            .iter()
            .map(|name| {
                let mut expr = Expr::column("", name);
                if self.rng.chance(10) {
                    expr = expr.collate(*self.rng.pick(Collation::ALL));
                }
                Order { direction: *self.rng.pick(Direction::ALL), ..Order::of(expr) }
            })
            .collect()
    }

    /// A key of the same number of columns, in this table or another.
    fn reference(&mut self, table: &Table, columns: usize) -> Option<Reference> {
        let others = self.schema.tables.iter().filter(|other| other.place == table.place);
        let keys: Vec<(String, Vec<String>)> = others
            .chain([table])
            .flat_map(|other| other.keys.iter().map(|key| (other.name.clone(), key.clone())))
            .filter(|(_, key)| key.len() == columns)
            .collect();
        if keys.is_empty() {
            return None;
        }
        let (name, columns) = self.rng.pick(&keys).clone();
        Some(Reference {
            table: name,
            columns,
            on_delete: *self.rng.pick(Action::ALL),
            on_update: *self.rng.pick(Action::ALL),
            deferrable: *self.rng.pick(Deferrable::ALL),
        })
    }

    /// A check that most rows pass.
    fn lenient(&mut self, table: &Table) -> Expr {
        let mut generator = Generator::bare(&self.schema, self.rng, &table.columns);
        let predicate = generator.truth(1);
        let column = generator.column(Class::Any);
        let literal = Expr::Literal(generator.literal(Class::Any));
        predicate.binary(Binary::Or, column.binary(Binary::IsNot, literal))
    }

    fn conflict(&mut self) -> Conflict {
        if self.rng.chance(definition::CONFLICT) {
            *self.rng.pick(Conflict::ALL)
        } else {
            Conflict::None
        }
    }
}

/// Whether the value of an expression is that of a stored column.
fn is_column(expr: &Expr) -> bool {
    match expr {
        Expr::Column { .. } => true,
        Expr::Prefix(Prefix::Plus, operand) | Expr::Collate(operand, _) => is_column(operand),
        Expr::Call(call) => {
            matches!(call.name, "likely" | "unlikely" | "likelihood")
                && call.arguments.first().is_some_and(is_column)
        }
        _ => false,
    }
}

/// Converts a value to the type that a STRICT table requires.
pub fn cast(expr: Expr, class: Class) -> Expr {
    match class {
        Class::Integer => expr.cast(Type::Integer),
        Class::Real => expr.cast(Type::Real),
        Class::Text => expr.cast(Type::Text),
        Class::Blob => expr.cast(Type::Blob),
        Class::Any | Class::Boolean => expr,
    }
}
