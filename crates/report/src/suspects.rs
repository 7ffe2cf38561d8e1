//! Code ranked by suspicion, and the results on known bugs.

use metacov_study::locate::{self, Found, Shares, SuspiciousLine};

use crate::Table;
use crate::table::Column;

/// The longest part of a source line that is shown.
const SOURCE_WIDTH: usize = 60;

/// The most suspicious lines, with the text of each if `source` knows it.
pub fn lines(
    suspects: &[SuspiciousLine],
    most: usize,
    source: impl Fn(&SuspiciousLine) -> String,
) -> Table {
    let columns = vec![
        Column::number("rank"),
        Column::word("line"),
        Column::word("function"),
        Column::number("suspicion"),
        Column::word("source").emphasized(),
    ];
    let row = |suspect: &SuspiciousLine| {
        let text = source(suspect);
        let printable =
            text.trim().chars().map(|letter| if letter.is_control() { ' ' } else { letter });
        vec![
            rank(suspect.rank),
            format!("{}:{}", suspect.file, suspect.line),
            suspect.function.clone(),
            format!("{:.3}", suspect.suspicion),
            printable.take(SOURCE_WIDTH).collect(),
        ]
    };
    Table { columns, rows: suspects.iter().take(most).map(row).collect() }
}

/// The most suspicious functions.
pub fn functions(suspects: &[SuspiciousLine], most: usize) -> Table {
    let columns = vec![
        Column::number("rank"),
        Column::word("function").emphasized(),
        Column::word("line"),
        Column::number("suspicion"),
        Column::number("violating"),
        Column::number("passing"),
        Column::number("near misses"),
        Column::word("MC"),
    ];
    let row = |suspect: &SuspiciousLine| {
        vec![
            rank(suspect.rank),
            suspect.function.clone(),
            format!("{}:{}", suspect.file, suspect.line),
            format!("{:.3}", suspect.suspicion),
            percent(Some(suspect.violating)),
            percent(suspect.passing),
            percent(suspect.near_misses),
            if suspect.is_mc { "yes" } else { "" }.to_owned(),
        ]
    };
    Table { columns, rows: suspects.iter().take(most).map(row).collect() }
}

/// The rank of the fix of each bug of a corpus, and how many of them are among the first: by suspicion, of all and of
/// every second bug, and by plain coverage.
pub fn of_corpus(bugs: &[(String, [Found; 3])]) -> [Table; 2] {
    let of = |formula: usize, from: usize, step: usize| {
        let places = bugs.iter().skip(from).step_by(step).map(|(_, places)| places[formula]);
        locate::shares(&places.collect::<Vec<Found>>())
    };
    let rows = [
        ("suspicion", of(0, 0, 1)),
        ("  1st, 3rd, 5th ... bug", of(0, 0, 2)),
        ("  2nd, 4th, 6th ... bug", of(0, 1, 2)),
        ("plain coverage (Ochiai)", of(1, 0, 1)),
        ("  without passing pairs", of(2, 0, 1)),
    ];
    [found(bugs), shares(&rows)]
}

/// The rank of each bug's fix, in metacov's ranking and in a plain one.
pub fn found(bugs: &[(String, [Found; 3])]) -> Table {
    let columns = vec![
        Column::word("bug"),
        Column::number("function").emphasized(),
        Column::number("line").emphasized(),
        Column::number("plain function"),
        Column::number("plain line"),
    ];
    let row = |(bug, [ours, plain, _]): &(String, [Found; 3])| {
        let ranks = [ours.function, ours.line, plain.function, plain.line];
        let ranks = ranks.into_iter().map(|place| place.map_or_else(|| "-".to_owned(), rank));
        std::iter::once(bug.clone()).chain(ranks).collect()
    };
    Table { columns, rows: bugs.iter().map(row).collect() }
}

/// How many fixes are among the first functions and lines.
pub fn shares(rows: &[(&str, Shares)]) -> Table {
    let mut columns = vec![Column::word("ranking"), Column::number("bugs")];
    let headings =
        ["top 1", "top 3", "top 5", "top 10 functions", "top 10", "top 20", "top 50 lines"];
    columns.extend(headings.map(Column::number));
    let row = |(name, shares): &(&str, Shares)| {
        let counts = shares.functions.iter().chain(&shares.lines);
        let counts = counts.map(|count| {
            match count.checked_mul(100).map(|hundred| hundred.checked_div(shares.bugs)) {
                Some(Some(percent)) => format!("{count} ({percent} %)"),
                _ => count.to_string(),
            }
        });
        [(*name).to_owned(), shares.bugs.to_string()].into_iter().chain(counts).collect()
    };
    Table { columns, rows: rows.iter().map(row).collect() }
}

/// A rank; it has a half if it is shared.
fn rank(rank: f64) -> String {
    let text = format!("{rank:.1}");
    text.strip_suffix(".0").map_or(text.clone(), ToOwned::to_owned)
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", 100.0 * share))
}
