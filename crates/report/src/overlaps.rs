//! Overlaps of differences with fixes.

use metacov_study::overlap::{Hits, Overlap};

use crate::table::{Column, Table};

/// A row for each fix and, if there are several, one for all: how many of them overlap, and how
/// many would by chance.
pub fn table(rows: &[(String, Overlap)]) -> Table {
    let columns = vec![
        Column::word("fix"),
        Column::number("strict").emphasized(),
        Column::number("chance"),
        Column::number("context").emphasized(),
        Column::number("chance"),
        Column::number("same function").emphasized(),
        Column::number("chance"),
    ];
    let cells = |hits: Hits| match hits.executed {
        0 => ["-".to_owned(), percent(0.0)],
        executed => [format!("{} of {executed}", hits.differing), percent(hits.chance)],
    };
    let row = |(name, overlap): &(String, Overlap)| {
        let cells = [overlap.strict, overlap.context, overlap.function].map(cells);
        std::iter::once(name.clone()).chain(cells.into_iter().flatten()).collect()
    };
    let mut table = Table { columns, rows: rows.iter().map(row).collect() };
    if rows.len() > 1 {
        let counts: [fn(&Overlap) -> Hits; 3] =
            [|overlap| overlap.strict, |overlap| overlap.context, |overlap| overlap.function];
        let total = |of: fn(&Overlap) -> Hits| {
            let overlapping = rows.iter().filter(|(_, overlap)| of(overlap).differing > 0).count();
            let by_chance: f64 = rows.iter().map(|(_, overlap)| of(overlap).chance).sum();
            [format!("{overlapping} of {} fixes", rows.len()), format!("{by_chance:.1} fixes")]
        };
        let cells = counts.map(total).into_iter().flatten();
        table.rows.push(std::iter::once("all".to_owned()).chain(cells).collect());
    }
    table
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
