//! Sizes of suites, and how long they take.

use std::fmt::Write as _;

use metacov_core::{Criterion, thousands};
use metacov_study::{Results, SizeResult};

use super::mutation::{self, mean_score};
use super::{RATIO_READING, Section};
use crate::comparison::{percent, ratio, unknown};
use crate::{Column, Table};

/// The second half of Q.5: sizes of suites.
pub fn sizes(results: &Results, cells: &[&SizeResult]) -> Section {
    let number = Column::number;
    let mut columns =
        ["pairs", "suites", "Cov", "MC", "CV of Cov", "CV of MC", "ratio", "95 % interval"]
            .map(number)
            .to_vec();
    columns[3].emphasis = true;
    let paper = results.paper_of(&cells[0].target);
    if paper.is_some() {
        columns.extend(["CV of Cov, paper", "CV of MC, paper"].map(number));
    }
    let has_mutants = cells.iter().any(|cell| cell.mutation.is_some());
    if has_mutants {
        columns.extend(["mutation score", "CV of score"].map(number));
    }
    let rows = cells.iter().map(|cell| {
        let mut row = vec![thousands(cell.size), cell.suites.to_string()];
        row.extend(match cell.means(Criterion::Line) {
            Some((coverage, mc)) => [percent(coverage), percent(mc)],
            None => [unknown(), unknown()],
        });
        let sensitivity = cell.sensitivity(Criterion::Line);
        row.extend(match sensitivity {
            Some(of) => [of.coverage, of.mc].map(|variation| format!("{:.3}", variation.value)),
            None => [unknown(), unknown()],
        });
        row.extend(ratio(sensitivity.and_then(|of| of.ratio)));
        if let Some(paper) = paper {
            row.extend(match paper.variation("line", cell.size) {
                Some((coverage, mc)) => [format!("{coverage:.2}"), format!("{mc:.2}")],
                None => [unknown(), unknown()],
            });
        }
        if has_mutants {
            let of = cell.mutation.as_ref();
            row.push(of.and_then(mean_score).map_or_else(unknown, percent));
            let variation = of.and_then(|of| of.variation);
            row.push(variation.map_or_else(unknown, |of| format!("{:.3}", of.value)));
        }
        row
    });
    let table = Table { rows: rows.collect(), columns };
    let text = "By pairs of each relation in a suite: means over relations, of lines.";
    let text = format!("{text}{RATIO_READING}");
    Section { title: format!("Q5: sizes of suites, {}", cells[0].target), table: Some(table), text }
}

/// Q.3: time.
pub fn times(results: &Results, cells: &[&SizeResult]) -> Section {
    let number = Column::number;
    let columns = ["pairs of a relation", "pairs", "seconds", "processor seconds", "ms a pair"];
    let mut columns = columns.map(number).to_vec();
    let has_mutants = cells.iter().any(|cell| cell.mutation.is_some());
    if has_mutants {
        columns.extend(["processor seconds of mutants", "mutants/MC"].map(number));
    }
    let rows = cells.iter().map(|cell| {
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52 pairs")]
        let pairs = cell.pairs().max(1) as f64;
        let mut row = vec![
            if cell.size == 0 { unknown() } else { thousands(cell.size) },
            thousands(cell.pairs()),
            format!("{:.1}", cell.time.wall),
            format!("{:.1}", cell.time.processor),
            format!("{:.2}", 1000.0 * cell.time.processor / pairs),
        ];
        if has_mutants {
            let seconds = cell.mutation.as_ref().map(|of| of.seconds);
            row.push(seconds.map_or_else(unknown, |seconds| format!("{seconds:.1}")));
            let times = seconds.filter(|_| cell.time.processor > 0.0);
            row.push(times.map_or_else(unknown, |of| format!("{:.1}x", of / cell.time.processor)));
        }
        row
    });
    let table = Table { rows: rows.collect(), columns };
    let mut text = "Mean time of a suite, of all its relations: databases, pairs, both runs of each, and what they \
                    differ in; line coverage comes with it."
        .to_owned();
    let paper = results.paper_of(&cells[0].target);
    if let Some(paper) = paper {
        let (coverage, mc) = paper.seconds;
        let _ = write!(
            text,
            " The paper needs {coverage:.0} s for the line coverage of 100 pairs of a relation and {mc:.0} s for \
             their MC, on another machine."
        );
    }
    if let Some(of) = cells.iter().find_map(|cell| cell.mutation.as_ref()) {
        let _ = write!(text, " Of mutants: {}.", mutation::which(of));
        if let Some(paper) = paper {
            let _ = write!(
                text,
                " In the paper, the mutation score of 100 pairs takes {:.0} times what their MC takes, with all mutants.",
                paper.seconds_of_score / paper.seconds.1
            );
        }
    }
    Section { title: format!("Q3: time, {}", cells[0].target), table: Some(table), text }
}
