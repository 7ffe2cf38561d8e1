//! Overlaps of differences with fixes.

use std::collections::BTreeSet;

use metacov_study::BugOverlap;
use metacov_study::corpus::WIDE_LINES;
use metacov_study::overlap::{Hits, Overlap};

use crate::table::{Column, Table};

/// Explains the chances.
pub const CHANCES: &str = "Chance is that of as many lines as differ, drawn from all that run. In files: drawn from those of \
                           the fix's files. Shifted: the share of places among all lines that run to which the lines of the \
                           fix can be moved together such that they overlap.";

/// A row for each fix and, if there are several, one for all: how many of them overlap, and how
/// many would by chance.
pub fn table(rows: &[(String, Overlap)]) -> Table {
    let mut columns = vec![Column::word("fix")];
    for count in ["strict", "context", "same function"] {
        columns.push(Column::number(count).emphasized());
        columns.extend(["chance", "in files", "shifted"].map(Column::number));
    }
    let row = |(name, overlap): &(String, Overlap)| {
        let cells = counts(overlap).into_iter().flat_map(|hits| {
            let ran = match hits.executed {
                0 => "-".to_owned(),
                executed => format!("{} of {executed}", hits.differing),
            };
            std::iter::once(ran).chain(chances(&hits).map(percent))
        });
        std::iter::once(name.clone()).chain(cells).collect()
    };
    let mut table = Table { columns, rows: rows.iter().map(row).collect() };
    if rows.len() > 1 {
        let overlaps: Vec<&Overlap> = rows.iter().map(|(_, overlap)| overlap).collect();
        table.rows.push(sum("all", &overlaps));
    }
    table
}

/// The same for known bugs, with rows for parts of them: without fixes of many lines, without pairs
/// that differ in options, and by relation.
pub fn table_of_bugs(bugs: &[BugOverlap]) -> Table {
    let rows: Vec<_> = bugs.iter().map(|bug| (bug.id.clone(), bug.overlap)).collect();
    let mut table = table(&rows);
    let mut add = |name: &str, is_in: &dyn Fn(&BugOverlap) -> bool| {
        let part: Vec<&Overlap> =
            bugs.iter().filter(|bug| is_in(bug)).map(|bug| &bug.overlap).collect();
        if !part.is_empty() && part.len() < bugs.len() {
            table.rows.push(sum(name, &part));
        }
    };
    add(&format!("fixes of at most {WIDE_LINES} lines"), &|bug| !bug.is_wide);
    add("without option pairs", &|bug| !bug.is_option_pair);
    if bugs.iter().any(|bug| bug.is_wide) && bugs.iter().any(|bug| bug.is_option_pair) {
        add("both", &|bug| !bug.is_wide && !bug.is_option_pair);
    }
    let relations: BTreeSet<&str> = bugs.iter().map(|bug| &*bug.relation).collect();
    for relation in relations.into_iter().filter(|name| !name.is_empty()) {
        add(relation, &|bug| bug.relation == relation);
    }
    table
}

fn counts(overlap: &Overlap) -> [Hits; 3] {
    [overlap.strict, overlap.context, overlap.function]
}

fn chances(hits: &Hits) -> [Option<f64>; 3] {
    [Some(hits.chance), hits.chance_in_files, hits.chance_shifted]
}

/// How many fixes overlap, and how many would by chance.
fn sum(name: &str, overlaps: &[&Overlap]) -> Vec<String> {
    let mut cells = vec![name.to_owned()];
    for kind in 0..3 {
        let hits: Vec<Hits> = overlaps.iter().map(|overlap| counts(overlap)[kind]).collect();
        let overlapping = hits.iter().filter(|hits| hits.differing > 0).count();
        cells.push(format!("{overlapping} of {} fixes", hits.len()));
        for chance in 0..3 {
            let by_chance: Option<f64> = hits.iter().map(|hits| chances(hits)[chance]).sum();
            cells.push(by_chance.map_or_else(|| "-".to_owned(), |sum| format!("{sum:.1} fixes")));
        }
    }
    cells
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}
