//! Full text search.

use super::Generator;
use crate::sql::ast::{Binary, Expr, From, Members, Query, ResultColumn, Select, Source};
use crate::sql::sqlite::schema::{Table, TableKind};

const SEARCHES: &[&str] = &["a", "b", "word", "two", "a*", "a OR b", "abc NOT b"];
const PHRASES: &[&str] = &["\"two words\"", "\"a b\" OR word"];

/// Functions that show matches, with their arguments besides the table.
const FTS4_FUNCTIONS: &[(&str, &[&str])] = &[
    ("snippet", &[]),
    ("snippet", &["<", ">", "..."]),
    ("offsets", &[]),
    ("matchinfo", &[]),
    ("matchinfo", &["pcx"]),
];
/// As above, with the number of a column before the other arguments.
const FTS5_FUNCTIONS: &[(&str, &[&str])] =
    &[("highlight", &["<", ">"]), ("snippet", &["<", ">", "..."]), ("bm25", &[])];

impl Generator<'_> {
    /// A full text search.
    ///
    /// Rule: MATCH is in a separate subquery. Elsewhere it works or fails depending on the plan,
    /// and the second query of `NoREC`, whose predicate no index can serve, would always fail.
    pub fn search(&mut self) -> Option<Expr> {
        let source = self.scopes.last()?.rowids.clone();
        let tables: Vec<_> = self
            .schema
            .tables
            .iter()
            .filter(|table| matches!(table.kind, TableKind::Fts4 | TableKind::Fts5 { .. }))
            .collect();
        if source.is_empty() || tables.is_empty() || self.grouped.is_some() {
            return None;
        }
        let table = *self.rng.pick(&tables);
        let search = self.search_text(table);
        let matches = Select {
            columns: vec![ResultColumn::of(Expr::column("", "rowid"))],
            from: Some(From::of(Source::named(&table.name))),
            filter: Some(Expr::column("", &table.name).binary(Binary::Match, search)),
            ..Select::default()
        };
        let source = self.rng.pick(&source).clone();
        Some(Expr::In {
            negated: self.negation(),
            operand: Box::new(Expr::column(&source, "rowid")),
            members: Members::Query(Box::new(Query::of(matches))),
        })
    }

    /// A search expression for a table of full text.
    pub fn search_text(&mut self, table: &Table) -> Expr {
        let phrases = !matches!(table.kind, TableKind::Fts5 { phrases: false, .. });
        let texts = if phrases && self.rng.chance(30) { PHRASES } else { SEARCHES };
        Expr::text(self.rng.pick(texts))
    }

    /// The matches of a full text search, as one of the functions for them shows them, if there is
    /// a table to search.
    ///
    /// Rule: these functions need the cursor of the search, so they are in a subquery that does
    /// nothing else.
    pub fn shown(&mut self) -> Option<Expr> {
        let is_searched =
            |table: &&Table| matches!(table.kind, TableKind::Fts4 | TableKind::Fts5 { .. });
        let tables: Vec<&Table> = self.schema.tables.iter().filter(is_searched).collect();
        if tables.is_empty() {
            return None;
        }
        self.nested(|generator| {
            let table = *generator.rng.pick(&tables);
            let search = generator.search_text(table);
            let itself = || Expr::column("", &table.name);
            let mut arguments = vec![itself()];
            let (name, texts) = if table.kind == TableKind::Fts4 {
                *generator.rng.pick(FTS4_FUNCTIONS)
            } else {
                *generator.rng.pick(FTS5_FUNCTIONS)
            };
            if table.kind != TableKind::Fts4 && !texts.is_empty() {
                arguments.push(Expr::integer(0));
            }
            arguments.extend(texts.iter().map(Expr::text));
            if table.kind != TableKind::Fts4 && name == "snippet" {
                arguments.push(Expr::ordinal(generator.rng.between(1, 8)));
            }
            let shown = Expr::call(name, arguments);
            let shown = if name == "matchinfo" { Expr::call("hex", vec![shown]) } else { shown };
            let extreme = *generator.rng.pick(&["MIN", "MAX"]);
            Expr::Scalar(Box::new(Query::of(Select {
                columns: vec![ResultColumn::of(Expr::call(extreme, vec![shown]))],
                from: Some(From::of(Source::named(&table.name))),
                filter: Some(itself().binary(Binary::Match, search)),
                ..Select::default()
            })))
        })
    }
}
