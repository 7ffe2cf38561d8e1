//! A summary for pull requests and job pages.

use std::io::{self, Write};

use metacov_core::{Operation, Tally, Violation, counted, thousands};
use metacov_formats::{Export, Writer};

use crate::address::address;
use crate::never_checked::{NO_DIFFERENCE, PLACES_MAX, Stretch, stretches, unchecked};
use crate::{By, Column, Layout, Table, View, table};

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
        violations(export, out)?;
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
        provenance(export, out)
    }
}

/// Where the numbers come from, folded.
fn provenance(export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
    if export.provenance.is_empty() {
        return Ok(());
    }
    let row = |(name, value): &(&str, String)| vec![(*name).to_owned(), value.clone()];
    let columns = vec![Column::word("what"), Column::word("which")];
    let table = Table { columns, rows: export.provenance.iter().map(row).collect() };
    writeln!(out, "\n<details><summary>Provenance</summary>\n")?;
    out.write_all(table.to_markdown().as_bytes())?;
    writeln!(out, "\n</details>")
}

/// The pairs that violate their relation.
fn violations(export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Tally { judged, violated, .. } = *export.total;
    if judged > 0 && violated == 0 {
        let pairs = counted(judged, "checked pair keeps", "checked pairs keep");
        return writeln!(out, "No violations: {pairs} to the relation.\n");
    }
    if violated > 0 {
        let of = thousands(judged);
        writeln!(out, "**{} of {of} checked.**\n", counted(violated, "violation", "violations"))?;
    }
    for Violation { relation, pair, how, .. } in export.violations.values().take(PLACES_MAX) {
        let code = |text: &str| format!("`{}`", text.replace('`', "'"));
        writeln!(out, "- {} of {}: {}", code(pair), code(relation), plain(how))?;
    }
    if let Some(more @ 1..) = export.violations.len().checked_sub(PLACES_MAX) {
        writeln!(out, "- {}", counted(more as u64, "more violation", "more violations"))?;
    }
    if export.violations.is_empty() { Ok(()) } else { writeln!(out) }
}

/// A text on one line, escaped for Markdown.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for letter in text.chars() {
        if "\\`*_{}[]<>#|~".contains(letter) {
            plain.push('\\');
        }
        plain.push(if letter.is_control() { ' ' } else { letter });
    }
    plain
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
