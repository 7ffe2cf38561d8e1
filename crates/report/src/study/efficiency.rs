//! Q.3: the cost of metamorphic coverage.

use std::fmt::Write as _;

use metacov_core::{counted, thousands};
use metacov_study::{Efficiency, Program, SizeResult, Time};

use super::Section;
use crate::comparison::unknown;
use crate::csv::line;
use crate::table::{Column, Table};

/// The paper's pipeline and metacov, per pair.
pub fn pipeline(of: &Efficiency, cell: Option<&SizeResult>, paper: Option<&Program>) -> Section {
    let number = Column::number;
    let columns = vec![
        Column::word("way"),
        number("pairs"),
        number("processor seconds a pair"),
        number("seconds a pair"),
        number("beside Cov"),
        number("faster than the pipeline"),
        number("faster on the clock"),
    ];
    let pairs = of.pairs.len() as u64;
    let (coverage, mc) = (Cost::of(of.coverage(), pairs), Cost::of(of.mc(), pairs));
    let row = |way: &str, cost: Cost| {
        vec![
            way.to_owned(),
            thousands(cost.pairs),
            format!("{:.4}", cost.processor.a_pair()),
            format!("{:.4}", cost.wall.a_pair()),
            times(cost.processor, coverage.processor),
            times(mc.processor, cost.processor),
            times(mc.wall, cost.wall),
        ]
    };
    let mut rows = vec![
        row("Cov: gcovr", coverage),
        row("MC: gcovr, and the difference", mc),
        row("MC: metacov, the same pairs", Cost::of(of.metacov, pairs)),
    ];
    if let Some(cell) = cell {
        let way = format!("MC: metacov, a suite of {}", counted(cell.pairs(), "pair", "pairs"));
        rows.push(row(&way, Cost::of(cell.time, cell.pairs())));
    }
    let mut text = format!(
        "The pipeline of the paper on a sample of {pairs}: the program built with gcc --coverage, a process for each \
         side, {} on each, and a script that compares the reports. metacov's times include its start, which is \
         most of what a few pairs take. Each way was timed once, so factors have no interval; - if a time is below \
         {SECONDS_MIN} s.",
        of.gcovr
    );
    let lines = |of: &[u64]| of.iter().copied().map(thousands).collect::<Vec<_>>().join(", ");
    let [ours, theirs]: [Vec<u64>; 2] = [
        of.pairs.iter().map(|pair| pair.lines_by_metacov).collect(),
        of.pairs.iter().map(|pair| pair.lines).collect(),
    ];
    let _ = if ours == theirs {
        write!(text, " Both find the same number of lines that differ ({}).", lines(&ours))
    } else {
        write!(
            text,
            " The lines that differ are not as many: {} by gcovr, {} by metacov.",
            lines(&theirs),
            lines(&ours)
        )
    };
    if let Some(Program { seconds: (coverage_seconds, mc_seconds), .. }) = paper
        && let Some(ratio) = mc.processor.ratio(coverage.processor)
    {
        let _ = write!(
            text,
            " In the pipeline MC takes {ratio:.2} times what line coverage takes; in the paper {:.2} times.",
            mc_seconds / coverage_seconds
        );
    }
    let title = format!("Q3: the paper's pipeline and metacov, {}", of.target);
    Section { title, table: Some(Table { columns, rows }), text }
}

/// Nothing is compared with a shorter time: clocks of processor time count in steps of as much.
const SECONDS_MIN: f64 = 0.01;

/// What some pairs took.
#[derive(Clone, Copy)]
struct Cost {
    pairs: u64,
    processor: Seconds,
    wall: Seconds,
}

/// The time of some pairs, together.
#[derive(Clone, Copy)]
struct Seconds {
    all: f64,
    pairs: u64,
}

impl Cost {
    fn of(time: Time, pairs: u64) -> Self {
        let [processor, wall] = [time.processor, time.wall].map(|all| Seconds { all, pairs });
        Cost { pairs, processor, wall }
    }
}

impl Seconds {
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52 pairs")]
    fn a_pair(self) -> f64 {
        self.all / self.pairs.max(1) as f64
    }

    /// How many times the other, for each pair. None of times that the clock does not resolve.
    fn ratio(self, other: Self) -> Option<f64> {
        let is_resolved = self.all >= SECONDS_MIN && other.all >= SECONDS_MIN;
        is_resolved.then(|| self.a_pair() / other.a_pair())
    }
}

/// How many times the other: three digits, however small or large.
fn times(one: Seconds, other: Seconds) -> String {
    let Some(ratio) = one.ratio(other) else { return unknown() };
    let digits = (0..6).find(|digits| ratio * 10_f64.powi(*digits) >= 99.95).unwrap_or(6);
    format!("{ratio:.digits$}x", digits = usize::try_from(digits).unwrap_or_default())
}

/// The pairs as plain numbers.
pub fn pipeline_csv(of: &Efficiency) -> String {
    let headings = [
        "relation",
        "pair",
        "coverage_processor_seconds",
        "coverage_seconds",
        "difference_processor_seconds",
        "difference_seconds",
        "lines",
        "lines_by_metacov",
    ];
    let mut text = line(&headings.map(str::to_owned));
    for pair in &of.pairs {
        let mut cells = vec![pair.relation.clone(), pair.pair.clone()];
        for time in [pair.coverage, pair.difference] {
            cells.extend([time.processor, time.wall].map(|seconds| format!("{seconds:.3}")));
        }
        cells.extend([pair.lines, pair.lines_by_metacov].map(|lines| lines.to_string()));
        text.push_str(&line(&cells));
    }
    text
}
