//! Whether relations hold, as a table.

use metacov_campaign::{Checks, LostPair};
use metacov_core::{Failure, Method, counted, thousands};

use crate::{Column, Table, failed_side};

/// Returns how often each relation of a method held, and what failed.
pub fn checks_table(checks: &Checks, method: &dyn Method) -> Table {
    let headings = ["pairs", "held", "violated", "invalid", "crashed", "timed out"];
    let columns = [Column::word("relation")].into_iter();
    let columns = columns.chain(headings.map(Column::number)).collect();
    let mut rows = Vec::new();
    let mut sums = [0; 6];
    let known = method.relations().iter();
    let known = known.filter_map(|known| checks.relations.get_key_value(known.name));
    for (relation, counts) in known {
        let of = |wanted: Failure| {
            let those = counts.missing.iter().filter(|((failure, _), _)| *failure == wanted);
            those.map(|(_, pairs)| pairs).sum()
        };
        let (invalid, crashed, late) =
            (of(Failure::Invalid), of(Failure::Crashed), of(Failure::TimedOut));
        let numbers = [counts.total(), counts.held, counts.violated, invalid, crashed, late];
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

/// Returns the pairs that ended the target or took too long, in words: at most `LOST_MAX`. Of those with
/// the same words, such as the pairs of a database, it is the first.
pub fn lost_pairs(checks: &Checks) -> Vec<String> {
    let mut alike: Vec<(&LostPair, u64)> = Vec::new();
    for lost in checks.lost.values() {
        let words = &lost.missing.output_tail;
        let same = |first: &LostPair| !words.is_empty() && first.missing == lost.missing;
        match alike.iter_mut().find(|(first, _)| same(first)) {
            Some((_, pairs)) => *pairs += 1,
            None => alike.push((lost, 1)),
        }
    }
    let words = |(lost, pairs): &(&LostPair, u64)| {
        let LostPair { relation, pair, side, missing } = lost;
        let side = failed_side(relation, &pair.to_string(), *side, missing);
        let times =
            if *pairs == 1 { String::new() } else { format!(" ({pairs} pairs), for example") };
        format!("{}{times}: {side}", missing.failure.name())
    };
    let mut notes: Vec<String> = alike.iter().take(LOST_MAX).map(words).collect();
    if let Some(others @ 1..) = alike.len().checked_sub(LOST_MAX) {
        let others = counted(others as u64, "other pair", "other pairs");
        notes.push(format!("{others} ended the target"));
    }
    notes
}

/// How many pairs that ended the target are named.
const LOST_MAX: usize = 10;

/// Returns how many pairs of each relation have no verdict, and why.
pub fn missing_pairs(checks: &Checks) -> Vec<String> {
    let of_relation = checks.relations.iter().flat_map(|(relation, counts)| {
        counts.missing.iter().map(move |((failure, why), pairs)| {
            let why = if why.is_empty() { String::new() } else { format!(": {why}") };
            let pairs = counted(*pairs, "pair", "pairs");
            format!("{}, {pairs} of {relation}{why}", failure.name())
        })
    });
    of_relation.collect()
}

fn row(name: &str, numbers: [u64; 6]) -> Vec<String> {
    let numbers = numbers.iter().map(|number| thousands(*number));
    [name.to_owned()].into_iter().chain(numbers).collect()
}

#[cfg(test)]
mod tests {
    use metacov_core::{Exit, Missing};

    use super::*;

    #[test]
    fn pairs_that_ended_the_target_are_named_once_for_each_reason() {
        let lost = |pair: u64, tail: &str| {
            let (failure, output_tail) = (Failure::Crashed, tail.to_owned());
            let missing = Missing { failure, exit: Exit::Signalled(6), output_tail };
            (pair, LostPair { relation: "norec", pair, side: 1, missing })
        };
        let same = (0..9).map(|pair| lost(pair, "while its database was made"));
        let others = (9..20).map(|pair| lost(pair, ""));
        let checks = Checks { lost: same.chain(others).collect(), ..Checks::default() };
        let notes = lost_pairs(&checks);
        assert_eq!(notes.len(), LOST_MAX + 1);
        assert!(
            notes[0].starts_with("crashed (9 pairs), for example: pair 0 of norec"),
            "{notes:?}"
        );
        assert_eq!(notes[1], "crashed: pair 9 of norec, side b (signal 6)");
        assert_eq!(notes[LOST_MAX], "2 other pairs ended the target");
    }
}
