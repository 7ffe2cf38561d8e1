//! Virtual tables: full text search, rectangles, pages.

use super::Draft;
use crate::sql::ast::{Place, Statement};
use crate::sql::print::Print as _;
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::generate::plain_column;
use crate::sql::sqlite::schema::{Column, Table, TableKind};
use crate::sql::sqlite::weights::DIMENSIONS;

impl Draft<'_> {
    pub fn create_fts(&mut self) -> Statement {
        let dialect = self.schema.dialect;
        if dialect.fts5 && (!dialect.fts4 || self.rng.chance(60)) {
            self.create_fts5()
        } else {
            self.create_fts4()
        }
    }

    fn create_fts5(&mut self) -> Statement {
        let columns = self.plain_columns(1, 3, Class::Text);
        let mut arguments: Vec<String> = columns
            .iter()
            .map(|column| {
                let unindexed = self.rng.chance(15);
                format!("{}{}", column.name, if unindexed { " UNINDEXED" } else { "" })
            })
            .collect();
        let tokenizers = [
            "ascii",
            "unicode61",
            "porter",
            "porter ascii",
            "unicode61 remove_diacritics 2",
            "unicode61 tokenchars ''-_''",
            "unicode61 separators ''ab''",
            "trigram",
        ];
        // The last one requires 3.34.
        let count = tokenizers.len() - usize::from(!self.schema.dialect.has(34));
        let tokenizer = self.rng.chance(40).then(|| *self.rng.pick(&tokenizers[..count]));
        arguments.extend(tokenizer.map(|tokenizer| format!("tokenize = '{tokenizer}'")));
        if self.rng.chance(25) {
            arguments.push(format!("prefix = '{}'", self.rng.pick(&["1", "2", "1 2", "2 3"])));
        }
        if self.rng.chance(20) {
            arguments.push(format!("columnsize = {}", self.rng.below(2)));
        }
        // With trigrams each search is for a phrase, which requires full detail.
        let detail = (tokenizer != Some("trigram") && self.rng.chance(30))
            .then(|| *self.rng.pick(&["full", "column", "none"]));
        arguments.extend(detail.map(|detail| format!("detail = {detail}")));
        let contentless = self.rng.chance(8);
        if contentless {
            arguments.push("content = ''".to_owned());
            if self.schema.dialect.has(43) && self.rng.chance(40) {
                arguments.push("contentless_delete = 1".to_owned());
            }
        }
        let phrases = matches!(detail, None | Some("full"));
        self.virtual_table("fts5", arguments, columns, TableKind::Fts5 { phrases, contentless })
    }

    fn create_fts4(&mut self) -> Statement {
        let mut columns = self.plain_columns(1, 3, Class::Text);
        let mut arguments: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        if self.rng.chance(40) {
            arguments
                .push(format!("tokenize={}", self.rng.pick(&["simple", "porter", "unicode61"])));
        }
        if self.rng.chance(25) {
            arguments.push(format!("prefix=\"{}\"", self.rng.pick(&["1", "2", "1,2"])));
        }
        if self.rng.chance(20) {
            arguments.push(format!("order={}", self.rng.pick(&["ASC", "DESC"])));
        }
        if self.rng.chance(15) {
            arguments.push("matchinfo=fts3".to_owned());
        }
        if self.rng.chance(15) {
            arguments.push(format!("notindexed={}", self.rng.pick(&columns).name));
        }
        if self.rng.chance(15) {
            // Any function and its inverse; these two return their argument.
            arguments.extend(["compress=likely", "uncompress=unlikely"].map(ToOwned::to_owned));
        }
        if self.rng.chance(20) {
            // A hidden column, which is only read: the index contains only the rows of the first
            // language.
            arguments.push("languageid=lid".to_owned());
            columns.push(Column { generated: true, ..plain_column("lid", Class::Integer) });
        }
        self.virtual_table("fts4", arguments, columns, TableKind::Fts4)
    }

    pub fn create_rtree(&mut self) -> Statement {
        let integers = self.rng.chance(50);
        let class = if integers { Class::Integer } else { Class::Real };
        let dimensions = self.rng.weigh(DIMENSIONS);
        let mut columns: Vec<Column> =
            vec![Column { exact: true, strict: true, ..plain_column("c0", Class::Integer) }];
        columns.extend(
            (1..=2 * dimensions)
                .map(|place| Column { exact: true, ..plain_column(&format!("c{place}"), class) }),
        );
        let mut arguments: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        if self.rng.chance(30) {
            let name = format!("c{}", columns.len());
            arguments.push(format!("+{name}"));
            columns.push(plain_column(&name, Class::Any));
        }
        self.virtual_table(
            if integers { "rtree_i32" } else { "rtree" },
            arguments,
            columns,
            TableKind::Rtree,
        )
    }

    pub fn create_dbstat(&mut self) -> Statement {
        let columns = vec![
            plain_column("name", Class::Text),
            plain_column("path", Class::Text),
            plain_column("pageno", Class::Integer),
            plain_column("pagetype", Class::Text),
            plain_column("ncell", Class::Integer),
            plain_column("payload", Class::Integer),
        ];
        let statement =
            self.virtual_table("dbstat", vec!["main".to_owned()], columns, TableKind::Dbstat);
        if let Some(table) = self.schema.tables.last_mut() {
            table.rows = 30;
            table.rowid = false;
        }
        statement
    }

    fn plain_columns(&mut self, least: usize, most: usize, class: Class) -> Vec<Column> {
        (0..self.rng.between(least, most))
            .map(|place| plain_column(&format!("c{place}"), class))
            .collect()
    }

    fn virtual_table(
        &mut self,
        module: &'static str,
        arguments: Vec<String>,
        columns: Vec<Column>,
        kind: TableKind,
    ) -> Statement {
        let name = self.name('t');
        let statement = Statement::CreateVirtualTable { name: name.clone(), module, arguments };
        self.schema.tables.push(Table {
            name,
            kind,
            columns,
            rowid: true,
            strict: false,
            place: Place::Main,
            keys: Vec::new(),
            primary_key: Vec::new(),
            rows: 0,
            sql: statement.sql(),
        });
        statement
    }
}
