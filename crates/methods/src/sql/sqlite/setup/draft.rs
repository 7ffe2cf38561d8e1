//! A statement under construction.

use super::Kind;
use crate::sql::ast;
use crate::sql::sqlite::generate::Generator;
use crate::sql::sqlite::schema::Schema;
use metacov_core::Rng;

/// A statement under construction.
pub struct Draft<'a> {
    /// The schema, to which the statement's effect is applied.
    pub schema: Schema,
    pub rng: &'a mut Rng,
    pub names: &'a mut usize,
    pub in_transaction: bool,
}

impl Draft<'_> {
    /// Generates a statement of a kind, if there is something to apply it to.
    pub fn make(&mut self, kind: Kind) -> Option<ast::Statement> {
        let dialect = self.schema.dialect;
        Some(match kind {
            Kind::CreateTable => self.create_table(),
            Kind::CreateTableAs => self.create_table_as(),
            Kind::CreateFts if dialect.fts4 || dialect.fts5 => self.create_fts(),
            Kind::CreateRtree if dialect.rtree => self.create_rtree(),
            Kind::CreateDbstat if dialect.dbstat => self.create_dbstat(),
            Kind::CreateView => self.create_view(),
            Kind::Analyze => self.analyze(),
            Kind::Reindex => self.reindex(),
            Kind::Pragma if self.schema.tables.is_empty() => self.first_pragma(),
            Kind::Pragma => self.pragma(),
            Kind::Explain => self.explain(),
            Kind::CreateIndex => return self.create_index(),
            Kind::CreateTrigger => return self.create_trigger(),
            Kind::Insert => return self.insert(),
            Kind::InsertMany => return self.insert_many(),
            Kind::Update => return self.update(),
            Kind::Delete => return self.delete(),
            Kind::Alter => return self.alter(),
            Kind::Drop => return self.drop(),
            Kind::Statistics => return self.statistics(),
            Kind::Vacuum => return self.vacuum(),
            Kind::Check => return self.check(),
            Kind::Attach => return self.attach(),
            Kind::CreateFts | Kind::CreateRtree | Kind::CreateDbstat | Kind::Transaction => {
                return None;
            }
        })
    }

    /// A new name.
    pub fn name(&mut self, prefix: char) -> String {
        *self.names += 1;
        format!("{prefix}{}", *self.names - 1)
    }

    /// A generator of expressions and queries.
    pub fn generator(&mut self) -> Generator<'_> {
        Generator::new(&self.schema, self.rng)
    }
}
