//! A campaign as tables.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use metacov_campaign::{CampaignStats, FindingSummary, History, RoundCounts, Summary, families};
use metacov_core::{counted, thousands};

use crate::table::{Column, Table};

/// Returns the results of the pairs of each relation.
pub fn pairs(history: &History) -> Table {
    let headings = ["pairs", "held", "violated", "invalid", "crashed", "timed out"];
    let columns = [Column::word("relation")].into_iter();
    let columns = columns.chain(headings.map(Column::number)).collect();
    let (mut rows, mut sums) = (Vec::new(), [0; 6]);
    for (relation, counts) in &history.summary.relations {
        let numbers = numbers(counts);
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += number;
        }
        rows.push(row(relation, numbers));
    }
    if rows.len() > 1 {
        rows.push(row("all", sums));
    }
    Table { columns, rows }
}

/// Returns how far a campaign is, and what it did not report, in sentences.
pub fn notes(history: &History) -> Vec<String> {
    let CampaignStats { pairs, differing, executed, plans, .. } = history.stand();
    let times = |count: u64| counted(count, "time", "times");
    let mut words = format!(
        "{} on {}, changed {}; {} lost",
        counted(pairs, "pair", "pairs"),
        counted(history.curve.len() as u64, "database", "databases"),
        times(history.summary.changes),
        counted(history.summary.restarts, "worker", "workers"),
    );
    if plans > 0 {
        let _ = write!(words, "; {}", counted(plans, "query plan", "query plans"));
    }
    if executed > 0 {
        let executed = counted(executed, "executed edge", "executed edges");
        let _ = write!(words, "; {} of {executed} differ", thousands(differing));
    }
    let Summary { known, unconfirmed, alike, .. } = &history.summary;
    let known = known.iter().map(|(what, count)| format!("known: {what}, {}", times(*count)));
    let unconfirmed = unconfirmed.iter();
    let unconfirmed =
        unconfirmed.map(|(why, count)| format!("not confirmed, {}: {why}", times(*count)));
    let alike = (*alike > 0).then(|| {
        let alike = counted(*alike, "violation", "violations");
        format!("{alike} similar to others: not examined")
    });
    [words].into_iter().chain(known).chain(unconfirmed).chain(alike).collect()
}

/// Returns the findings: a row for each bug, with its smallest case.
pub fn findings(history: &History) -> Table {
    let columns = vec![
        Column::word("bug"),
        Column::word("relations"),
        Column::number("groups"),
        Column::number("cases"),
        Column::number("bytes"),
        Column::word("smallest"),
    ];
    let mut rows = Vec::new();
    for (bug, groups) in families(history.findings.keys().map(String::as_str)) {
        let cases: Vec<&FindingSummary> =
            groups.iter().filter_map(|group| history.findings.get(*group)).flatten().collect();
        let Some(smallest) = cases.iter().min_by_key(|case| (case.bytes, &case.name)) else {
            continue;
        };
        let relations: BTreeSet<&str> = cases.iter().map(|case| case.relation.as_str()).collect();
        rows.push(vec![
            bug.to_owned(),
            relations.into_iter().collect::<Vec<_>>().join(", "),
            thousands(groups.len() as u64),
            thousands(cases.len() as u64),
            thousands(smallest.bytes as u64),
            smallest.name.clone(),
        ]);
    }
    Table { columns, rows }
}

fn numbers(counts: &RoundCounts) -> [u64; 6] {
    let invalid = counts.invalid.values().sum();
    let lost = |how: &str| counts.lost.get(how).copied().unwrap_or(0);
    let (crashed, late) = (lost("crashed"), lost("timed out"));
    let all = counts.held + counts.violated + invalid + counts.lost.values().sum::<u64>();
    [all, counts.held, counts.violated, invalid, crashed, late]
}

fn row(name: &str, numbers: [u64; 6]) -> Vec<String> {
    let numbers = numbers.iter().map(|number| thousands(*number));
    [name.to_owned()].into_iter().chain(numbers).collect()
}

/// Returns a curve in one line of text, with a limited number of columns.
pub fn sparkline(values: &[u64], columns: usize) -> String {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let count = columns.min(values.len());
    let highest = values.iter().copied().max().unwrap_or(0).max(1);
    let level = |column: usize| {
        // The last value of each part.
        let value = values[(column + 1) * values.len() / count - 1];
        LEVELS[usize::try_from(value * 7 / highest).unwrap_or(7)]
    };
    (0..count).map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::sparkline;

    #[test]
    fn a_sparkline_has_the_last_value_of_each_part() {
        assert_eq!(sparkline(&[], 5), "");
        assert_eq!(sparkline(&[0, 7], 5), "▁█");
        assert_eq!(sparkline(&[0, 1, 2, 3, 4, 5, 6, 7], 4), "▂▄▆█");
    }
}
