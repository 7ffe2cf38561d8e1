//! DROP.

use super::Draft;
use crate::sql::ast::Statement;
use crate::sql::sqlite::schema::TableKind;
use crate::sql::sqlite::weights::definition;

impl Draft<'_> {
    /// Drops something that nothing else mentions. A view on a dropped table would fail in every
    /// query and every ALTER.
    pub fn drop(&mut self) -> Option<Statement> {
        let schema = &self.schema;
        let mut droppable: Vec<(&'static str, String)> = Vec::new();
        droppable.extend(schema.indexes.iter().map(|index| ("INDEX", index.name.clone())));
        droppable.extend(schema.triggers.iter().map(|trigger| ("TRIGGER", trigger.name.clone())));
        let tables_count =
            schema.tables.iter().filter(|table| table.kind != TableKind::View).count();
        for table in &schema.tables {
            let view = table.kind == TableKind::View;
            if (view || tables_count > 2) && !schema.speaks_of(&table.name, &table.name) {
                droppable.push((if view { "VIEW" } else { "TABLE" }, table.name.clone()));
            }
        }
        if droppable.is_empty() {
            return None;
        }
        let (what, name) = self.rng.pick(&droppable).clone();
        self.schema.indexes.retain(|index| index.name != name && index.table != name);
        self.schema.triggers.retain(|trigger| trigger.name != name && trigger.table != name);
        self.schema.tables.retain(|table| table.name != name);
        let if_exists = self.rng.chance(definition::IF_NOT_EXISTS);
        Some(Statement::Drop { if_exists, what, name })
    }
}
