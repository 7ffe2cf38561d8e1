//! metacov's own JSON: all states of all sites, and the summaries. Its schema is
//! `docs/metacov.schema.json`.

mod write;

use std::io::{self, Write};

use crate::{Export, Writer};

/// metacov's own JSON.
pub(crate) struct MetacovJson;

impl Writer for MetacovJson {
    fn name(&self) -> &'static str {
        "json"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &[] // `.json` means gcovr's JSON, which more tools read.
    }

    fn write(&self, export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
        write::document(export, out)
    }
}
