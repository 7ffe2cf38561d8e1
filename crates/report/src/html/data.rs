//! Data, as scripts that hand it over.

use std::io;

use metacov_core::{Failure, Verdict};
use serde::Serialize;

use super::chunks::LINES;
use super::page::StateWords;
use super::source::Source;
use super::{Shelf, cases};
use crate::digest::{Case, Digest, Ended, Gap, Gaps, Outline, Shape};

/// Writes one of the scripts: all that it does is to hand over data under its name.
pub(crate) fn put(shelf: Shelf<'_>, name: &str, data: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_string(data).map_err(io::Error::other)?;
    // Names are ours, and all else is within strings of JSON, which are strings of scripts too.
    shelf(&format!("data/{name}.js"), format!("metacov.take({name:?}, {json})\n").as_bytes())
}

#[derive(Serialize)]
struct RunData<'d> {
    relations: Vec<&'d str>,
    criteria: Vec<&'d str>,
    /// The plurals of the criteria.
    plurals: Vec<&'d str>,
    /// The primary criterion, and its plural.
    primary: &'d str,
    primaries: &'d str,
    /// What MC sites are called, and executed sites that are not.
    words: [&'d str; 2],
    /// Path, number of lines, and whether there is text.
    files: Vec<(&'d str, usize, bool)>,
    chunk: u32,
    pairs: u32,
    setups: Vec<String>,
    cases: usize,
}

/// Writes what is not of a single file or pair.
pub(crate) fn write(
    digest: &Digest,
    outline: &Outline,
    gaps: &Gaps,
    sources: &[Source],
    shelf: Shelf<'_>,
) -> io::Result<()> {
    let files = outline.files.iter().zip(sources);
    let words = StateWords::of(digest);
    let run = RunData {
        relations: digest.relations.iter().map(|relation| relation.name.as_str()).collect(),
        criteria: digest.criteria.iter().map(metacov_core::Criterion::name).collect(),
        plurals: digest.criteria.iter().map(metacov_core::Criterion::plural).collect(),
        primary: digest.primary.name(),
        primaries: digest.primary.plural(),
        words: [words.mc, words.never],
        files: files.map(|(file, of)| (&*file.path, of.lines, of.text.is_some())).collect(),
        chunk: LINES,
        pairs: digest.counts.pairs,
        setups: digest.setups.keys().map(|hash| format!("{hash:016x}")).collect(),
        cases: cases::IN_FILE,
    };
    put(shelf, "run", &run)?;
    let functions: Vec<_> =
        outline.functions.iter().map(|of| (of.file, of.line, of.name.as_str())).collect();
    put(shelf, "functions", &functions)?;
    for (at, criterion) in digest.criteria.iter().enumerate() {
        let mut numbers: Vec<u64> = Vec::new();
        for function in &outline.functions {
            let columns = &function.numbers[at];
            numbers.push(columns.first().map_or(0, |all| all.sites));
            numbers.extend(columns.iter().flat_map(|of| [of.executed, of.mc_sites]));
        }
        put(shelf, &format!("numbers-{criterion}"), &numbers)?;
    }
    put(shelf, "pairs", &pairs(digest))?;
    put(shelf, "gaps", &[rows(&gaps.functions), rows(&gaps.blocks)])
}

/// Relation, name, verdict, sites of either side alone, microseconds, setup, shape.
type PairData<'d> = (usize, &'d str, &'static str, u64, u64, u64, Option<usize>, &'static str);

fn pairs(digest: &Digest) -> Vec<PairData<'_>> {
    let mut rows = Vec::new();
    for case in &digest.cases {
        let Case { relation, name, a_only, b_only, .. } = case;
        let setup = case.setup.and_then(|hash| digest.setups.keys().position(|of| *of == hash));
        let micros = u64::try_from(case.took.as_micros()).unwrap_or(u64::MAX);
        let verdict = verdict(&case.ended);
        rows.push((*relation, &**name, verdict, *a_only, *b_only, micros, setup, shape(case)));
    }
    rows
}

fn shape(case: &Case) -> &'static str {
    match (&case.ended, case.shape) {
        (Ended::Failed(..), _) => "",
        (_, Shape::Empty) => "empty",
        (_, Shape::OneSided) => "one-sided",
        (_, Shape::TwoSided) => "two-sided",
    }
}

/// How a pair ended, in a word.
pub(crate) fn verdict(ended: &Ended) -> &'static str {
    match ended {
        Ended::Measured(None) => "measured",
        Ended::Measured(Some(Verdict::Holds)) => "holds",
        Ended::Measured(Some(Verdict::Violated(_))) => "violated",
        Ended::Measured(Some(Verdict::Invalid(_))) => Failure::Invalid.name(),
        Ended::Measured(Some(Verdict::Lost { missing, .. })) => missing.failure.name(),
        Ended::Failed(_, failure, _) => Failure::name(*failure),
    }
}

/// Function, first and last line, sites, pairs, executions, neighbour, and relations with lines.
type GapData<'d> = (usize, u32, u32, u64, u32, u64, Option<u32>, &'d [(usize, u32)]);

fn rows(gaps: &[Gap]) -> Vec<GapData<'_>> {
    let mut rows = Vec::new();
    for gap in gaps {
        let Gap { function, lines: (first, last), sites, pairs, executions, .. } = *gap;
        let (neighbour, closest) = (gap.neighbour, &gap.closest[..]);
        rows.push((function, first, last, sites, pairs, executions, neighbour, closest));
    }
    rows
}
