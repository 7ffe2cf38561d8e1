//! A summary for pull requests and job pages.

use std::io::{self, Write};

use metacov_core::Operation;
use metacov_formats::{Export, Writer};

use crate::{By, Layout, View, table};

/// How many files a summary names. Job pages have limits, and readers too.
const FILES_MAX: usize = 50;

/// The summary of a suite in Markdown.
pub struct Markdown;

impl Writer for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["md", "markdown"]
    }

    fn write(&self, export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Export { suite, total, criteria, .. } = *export;
        let view = |by| table(&View { suite, total, criteria, by, layout: Layout::Sides });
        let title = match suite.operation {
            Operation::Xor => "Metamorphic coverage".to_owned(),
            operation => format!("Coverage: a {operation} b"),
        };
        writeln!(out, "## {title}\n")?;
        let (pairs, build) = (total.pairs, suite.table.build_id());
        let plural = if pairs == 1 { "" } else { "s" };
        let identity =
            if suite.per_instance { "template instances apart" } else { "by source line" };
        writeln!(out, "{pairs} pair{plural}, {identity}, build `{build}`.\n")?;
        let by = if suite.relations.len() > 1 { By::Relation } else { By::Total };
        out.write_all(view(by).to_markdown().as_bytes())?;
        for warning in suite.warnings() {
            writeln!(out, "\n> **Note:** {warning}")?;
        }
        let mut files = view(By::File);
        let count = files.rows.len();
        files.rows.truncate(FILES_MAX);
        if count > 0 {
            writeln!(out, "\n### Files\n")?;
            out.write_all(files.to_markdown().as_bytes())?;
        }
        if count > FILES_MAX {
            writeln!(out, "\n{} more rows are left out.", count - FILES_MAX)?;
        }
        Ok(())
    }
}
