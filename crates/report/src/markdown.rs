//! A summary for pull requests and job pages.

use std::io::{self, Write};

use metacov_core::{Operation, counted};
use metacov_formats::{Export, Writer};

use crate::never_checked::{NO_DIFFERENCE, PLACES_MAX, Stretch, stretches, unchecked};
use crate::table::address;
use crate::{By, Layout, View, table};

/// How many files a summary lists. Job pages have limits, and so do readers.
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
        let identity =
            if suite.per_instance { "template instances apart" } else { "by source line" };
        writeln!(out, "{}, {identity}, build `{build}`.\n", counted(pairs, "pair", "pairs"))?;
        if let (Operation::Xor, Some(why)) = (suite.operation, unchecked(total)) {
            writeln!(out, "{why}\n")?;
        }
        if let Some(since) = export.since {
            writeln!(out, "Only code that was changed since `{since}` counts.\n")?;
        }
        let by = if suite.relations.len() > 1 { By::Relation } else { By::Total };
        out.write_all(view(by).to_markdown().as_bytes())?;
        for warning in suite.warnings() {
            writeln!(out, "\n> **Note:** {warning}")?;
        }
        if let Some(plot) = export.plot {
            writeln!(out, "\n![{title} against pairs]({})", address(plot))?;
        }
        if export.since.is_some() {
            never_checked(export, out)?;
        }
        let mut files = view(By::File);
        let count = files.rows.len();
        files.rows.truncate(FILES_MAX);
        if count > 0 {
            writeln!(out, "\n### Files\n")?;
            out.write_all(files.to_markdown().as_bytes())?;
        }
        if count > FILES_MAX {
            let more = (count - FILES_MAX) as u64;
            writeln!(out, "\n{} left out.", counted(more, "more row is", "more rows are"))?;
        }
        Ok(())
    }
}

/// Changed code that runs, but is in the difference of no pair.
fn never_checked(export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
    let stretches = stretches(export.suite, export.total);
    if stretches.is_empty() {
        let what = if export.total.is_checked() { "is checked" } else { "differs in some pair" };
        return writeln!(out, "\nEvery line that runs {what}.");
    }
    let lines: usize = stretches.iter().map(|stretch| stretch.lines).sum();
    let lines = counted(lines as u64, "line", "lines");
    let title = if export.total.is_checked() { "Executed, never checked" } else { NO_DIFFERENCE };
    writeln!(out, "\n### {title}: {lines}\n")?;
    for Stretch { path, first, last, .. } in stretches.iter().take(PLACES_MAX) {
        let place = if first == last { format!("{first}") } else { format!("{first}-{last}") };
        writeln!(out, "- `{}:{place}`", path.replace('`', "'"))?;
    }
    if stretches.len() > PLACES_MAX {
        let more = (stretches.len() - PLACES_MAX) as u64;
        writeln!(out, "- {}", counted(more, "more place", "more places"))?;
    }
    Ok(())
}
