//! Whether relations hold, as a table.

use metacov_campaign::Checks;
use metacov_core::{Failure, Method, counted, thousands};

use crate::{Column, Table};

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
