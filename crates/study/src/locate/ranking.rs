//! Functions and lines by suspicion.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use metacov_core::{Criterion, Functions, Site, SiteId, SiteTable};
use serde::Serialize;

use super::{Frequency, Symptom};

/// The weight of the difference and of the near misses: enough to decide between lines that are
/// almost equally rare.
const NUDGE: f64 = 0.02;

/// The weight of further suspicious lines of a function: added for each doubling.
const COMPANY: f64 = 0.005;

/// Scores that differ by less are equal, because of rounding.
const SAME: f64 = 1e-9;

/// How to score lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formula {
    /// `v (1 - p) + 0.02 (d - n)`, where `v`, `p` and `n` are the shares of violating variants, of
    /// passing pairs and of near misses that run the line, and `d` is 1 if it is in the difference
    /// of the pair. A function has the score of its first line plus `0.005 log2(1 + s)`, where `s`
    /// is the sum of `(v (1 - p))^2` over its lines.
    Suspicion,
    /// The usual formula for coverage spectra (Ochiai): all pairs that violate against all that do
    /// not, each as one test. It is the baseline for the other formula.
    Ochiai,
}

/// Code by suspicion, the most suspicious first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Ranking {
    /// Functions, each by its most suspicious line, with a small contribution of the others.
    pub functions: Vec<SuspiciousLine>,
    /// Lines.
    pub lines: Vec<SuspiciousLine>,
}

/// Code that may be at fault.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SuspiciousLine {
    /// Its rank, from one; equally suspicious code shares the mean rank.
    pub rank: f64,
    /// The file.
    pub file: String,
    /// The function; empty outside of functions.
    pub function: String,
    /// The line; for a function, its most suspicious line.
    pub line: u32,
    /// The score.
    pub suspicion: f64,
    /// The share of violating variants that run it.
    pub violating: f64,
    /// The share of passing pairs that run it.
    pub passing: Option<f64>,
    /// The share of near misses that run it.
    pub near_misses: Option<f64>,
    /// Whether it is in the difference of a violating pair.
    pub is_mc: bool,
    /// The index of the function in the table.
    #[serde(skip)]
    pub(crate) place: usize,
}

/// Ranks the lines that violating pairs run, and their functions. Several symptoms are treated as
/// those of one fault: shares are means over them.
pub fn rank(
    table: &SiteTable,
    functions: &Functions,
    symptoms: &[Symptom],
    passing: &Frequency,
    formula: Formula,
) -> Ranking {
    let mut lines = Vec::new();
    for (id, site) in table.sites().filter(|(_, site)| site.criterion() == Criterion::Line) {
        if symptoms.iter().any(|symptom| symptom.executed.contains(id)) {
            let place = functions.place(id);
            lines.extend(place.map(|place| {
                suspect(table, functions, (id, site, place), symptoms, passing, formula)
            }));
        }
    }
    sort(&mut lines);
    let mut functions = functions_of(&lines, formula);
    sort(&mut functions);
    Ranking { functions, lines }
}

/// The functions of sorted lines.
fn functions_of(lines: &[SuspiciousLine], formula: Formula) -> Vec<SuspiciousLine> {
    // By function: the first line, and the sum of squares over all lines, which rare lines
    // dominate.
    let mut functions: BTreeMap<usize, (&SuspiciousLine, f64)> = BTreeMap::new();
    for line in lines.iter().filter(|line| !line.function.is_empty()) {
        let rarity = line.violating * (1.0 - line.passing.unwrap_or(0.0));
        functions.entry(line.place).or_insert((line, 0.0)).1 += rarity * rarity;
    }
    let function = |(first, company): (&SuspiciousLine, f64)| {
        let company = match formula {
            Formula::Suspicion => COMPANY * (1.0 + company).log2(),
            Formula::Ochiai => 0.0,
        };
        SuspiciousLine { suspicion: first.suspicion + company, ..first.clone() }
    };
    functions.into_values().map(function).collect()
}

fn suspect(
    table: &SiteTable,
    functions: &Functions,
    (id, site, place): (SiteId, &Site, usize),
    symptoms: &[Symptom],
    passing: &Frequency,
    formula: Formula,
) -> SuspiciousLine {
    let mean = |of: &dyn Fn(&Symptom) -> Option<f64>| {
        let shares: Vec<f64> = symptoms.iter().filter_map(of).collect();
        let count = u32::try_from(shares.len()).ok().filter(|count| *count > 0)?;
        Some(shares.iter().sum::<f64>() / f64::from(count))
    };
    let violating = mean(&|symptom| symptom.violating.share(id)).unwrap_or(0.0);
    let near_misses = mean(&|symptom| symptom.near_misses.share(id));
    let differing =
        mean(&|symptom| Some(f64::from(u8::from(symptom.difference.contains(id))))).unwrap_or(0.0);
    let share_passing = passing.share(id);
    let suspicion = match formula {
        Formula::Suspicion => {
            violating * (1.0 - share_passing.unwrap_or(0.0))
                + NUDGE * (differing - near_misses.unwrap_or(0.0))
        }
        Formula::Ochiai => ochiai(id, symptoms, passing),
    };
    SuspiciousLine {
        rank: 0.0,
        file: table.path(site.file).to_owned(),
        function: table.shown_name(functions.keys[place].name).to_owned(),
        line: site.line,
        suspicion,
        violating,
        passing: share_passing,
        near_misses,
        is_mc: differing > 0.0,
        place,
    }
}

/// `failed(s) / sqrt(all failed * all that run s)`.
fn ochiai(id: SiteId, symptoms: &[Symptom], passing: &Frequency) -> f64 {
    let sum =
        |count: &dyn Fn(&Symptom) -> u32| symptoms.iter().map(count).map(f64::from).sum::<f64>();
    let failed = sum(&|symptom| symptom.violating.count(id));
    let all_failed = sum(&|symptom| symptom.violating.executions());
    let passed = sum(&|symptom| symptom.near_misses.count(id)) + f64::from(passing.count(id));
    failed / (all_failed * (failed + passed)).sqrt()
}

/// Sorts by suspicion, and gives equally suspicious code the mean of its ranks.
fn sort(suspects: &mut [SuspiciousLine]) {
    let place =
        |suspect: &SuspiciousLine| (suspect.file.clone(), suspect.line, suspect.function.clone());
    suspects.sort_by(|left, right| {
        right.suspicion.total_cmp(&left.suspicion).then_with(|| place(left).cmp(&place(right)))
    });
    let mut first = 0;
    while first < suspects.len() {
        let of = suspects[first].suspicion;
        let equal = suspects[first..].partition_point(|suspect| of - suspect.suspicion < SAME);
        let end = first + equal.max(1);
        let mean = f64::midpoint(number(first + 1), number(end));
        suspects[first..end].iter_mut().for_each(|suspect| suspect.rank = mean);
        // Equals are in the order of the source.
        suspects[first..end].sort_by(|left, right| match place(left).cmp(&place(right)) {
            Ordering::Equal => left.place.cmp(&right.place),
            other => other,
        });
        first = end;
    }
}

/// A rank as a real number.
fn number(at: usize) -> f64 {
    u32::try_from(at).map_or(f64::INFINITY, f64::from)
}
