//! Maintenance statements: ANALYZE, REINDEX, VACUUM, checks.

use super::Draft;
use crate::sql::ast::{
    Assignment, Binary, Collation, Conflict, Delete, Expr, Insert, Literal, Query, ResultColumn,
    Rows, Select, Statement, Update,
};
use crate::sql::sqlite::schema::TableKind;

/// Commands of fts4.
const FTS4_COMMANDS: &[&str] =
    &["optimize", "rebuild", "integrity-check", "merge=10,4", "automerge=2"];

/// What a command of fts5 takes.
#[derive(Clone, Copy)]
enum Takes {
    Nothing,
    Number(i64),
    Text(&'static str),
}

/// Commands of fts5. The first came with 3.42.
const FTS5_COMMANDS: &[(&str, Takes)] = &[
    ("secure-delete", Takes::Number(1)),
    ("optimize", Takes::Nothing),
    ("merge", Takes::Number(16)),
    ("automerge", Takes::Number(8)),
    ("crisismerge", Takes::Number(16)),
    ("usermerge", Takes::Number(4)),
    ("pgsz", Takes::Number(64)),
    ("hashsize", Takes::Number(4096)),
    ("rank", Takes::Text("bm25(10.0, 5.0)")),
    ("integrity-check", Takes::Nothing),
    ("rebuild", Takes::Nothing),
];
/// How many commands at the end of the list require stored rows.
const FTS5_STORED: usize = 2;

impl Draft<'_> {
    pub fn analyze(&mut self) -> Statement {
        let names: Vec<String> = self.tables_and_indexes();
        match self.rng.below(4) {
            0 if !names.is_empty() => Statement::Analyze(Some(self.rng.pick(&names).clone())),
            2 if self.rng.chance(30) => {
                Statement::Analyze(Some((*self.rng.pick(&["main", "temp"])).to_owned()))
            }
            // Reloads the statistics, which may have been edited.
            1 if self.schema.analyzed => Statement::Analyze(Some("sqlite_master".to_owned())),
            _ => {
                self.schema.analyzed = true;
                Statement::Analyze(None)
            }
        }
    }

    fn tables_and_indexes(&self) -> Vec<String> {
        let tables = self.schema.tables.iter().filter(|table| table.kind == TableKind::Ordinary);
        let indexes = self.schema.indexes.iter().map(|index| index.name.clone());
        tables.map(|table| table.name.clone()).chain(indexes).collect()
    }

    /// Writes false statistics. They may change any plan, but no result.
    pub fn statistics(&mut self) -> Option<Statement> {
        if !self.schema.analyzed {
            return None;
        }
        let table = "sqlite_stat1".to_owned();
        let stat = *self.rng.pick(&[
            "1 1",
            "1000 100 10 1",
            "5 5 5",
            "1000000 1",
            "0 0",
            "100 unordered",
            "10 2 noskipscan",
            "40 3 1 sz=4000",
        ]);
        Some(match self.rng.below(3) {
            0 => {
                let index = self.schema.indexes.is_empty();
                if index {
                    return None;
                }
                let index = self.rng.pick(&self.schema.indexes).clone();
                let row = [index.table, index.name, stat.to_owned()]
                    .map(|text| Expr::Literal(Literal::Text(text)));
                Statement::Insert(Insert {
                    conflict: Conflict::None,
                    table,
                    columns: ["tbl", "idx", "stat"].map(ToOwned::to_owned).to_vec(),
                    rows: Rows::Values(vec![row.to_vec()]),
                    upsert: None,
                    returning: Vec::new(),
                })
            }
            1 => Statement::Delete(Delete {
                table,
                filter: Some(
                    Expr::column("", "rowid")
                        .binary(Binary::Equal, Expr::ordinal(self.rng.between(1, 5))),
                ),
                returning: Vec::new(),
            }),
            _ => Statement::Update(Update {
                conflict: Conflict::None,
                table,
                set: vec![Assignment { columns: vec!["stat".to_owned()], value: Expr::text(stat) }],
                from: None,
                filter: Some(
                    Expr::column("", "rowid")
                        .binary(Binary::Equal, Expr::ordinal(self.rng.between(1, 5))),
                ),
                returning: Vec::new(),
            }),
        })
    }

    pub fn reindex(&mut self) -> Statement {
        let names = self.tables_and_indexes();
        match self.rng.below(3) {
            0 if !names.is_empty() => Statement::Reindex(Some(self.rng.pick(&names).clone())),
            1 => Statement::Reindex(Some(self.rng.pick(Collation::ALL).text().to_owned())),
            _ => Statement::Reindex(None),
        }
    }

    /// Not allowed in a transaction.
    pub fn vacuum(&mut self) -> Option<Statement> {
        (!self.in_transaction).then_some(Statement::Vacuum)
    }

    /// Commands of virtual tables.
    pub fn check(&mut self) -> Option<Statement> {
        let special = |kind: TableKind| {
            matches!(kind, TableKind::Rtree | TableKind::Fts4 | TableKind::Fts5 { .. })
        };
        let tables: Vec<_> =
            self.schema.tables.iter().filter(|table| special(table.kind)).collect();
        if tables.is_empty() {
            return None;
        }
        let table = *self.rng.pick(&tables);
        let (command, value) = match table.kind {
            TableKind::Rtree => {
                let check = Expr::call("rtreecheck", vec![Expr::text(&table.name)]);
                return Some(Statement::Select(Query::of(Select {
                    columns: vec![ResultColumn::of(check)],
                    ..Select::default()
                })));
            }
            TableKind::Fts4 => (*self.rng.pick(FTS4_COMMANDS), Takes::Nothing),
            kind => {
                let contentless = matches!(kind, TableKind::Fts5 { contentless: true, .. });
                let first = usize::from(!self.schema.dialect.has(42));
                let end = FTS5_COMMANDS.len() - if contentless { FTS5_STORED } else { 0 };
                *self.rng.pick(&FTS5_COMMANDS[first..end])
            }
        };
        let mut columns = vec![table.name.clone()];
        let mut row = vec![Expr::text(command)];
        let value = match value {
            Takes::Nothing => None,
            Takes::Number(number) => Some(Expr::integer(number)),
            Takes::Text(text) => Some(Expr::text(text)),
        };
        if let Some(value) = value {
            columns.push("rank".to_owned());
            row.push(value);
        }
        Some(Statement::Insert(Insert {
            conflict: Conflict::None,
            table: table.name.clone(),
            columns,
            rows: Rows::Values(vec![row]),
            upsert: None,
            returning: Vec::new(),
        }))
    }

    pub fn explain(&mut self) -> Statement {
        let plan = self.rng.chance(50);
        let query = self.generator().query(2, 2).query;
        Statement::Explain { plan, query }
    }
}
