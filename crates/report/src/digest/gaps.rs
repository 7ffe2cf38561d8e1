//! Gaps for the next relation: code that is executed and never checked.

use std::cmp::Reverse;
use std::ops::Range;

use metacov_core::{SiteId, SiteState};

use super::{Digest, Outline};

/// How many gaps of each kind are shown.
const SHOWN_MAX: usize = 500;

/// How many of the nearest relations are shown for each gap.
const CLOSEST_MAX: usize = 3;

/// Code that is executed and never checked, the most often executed first.
pub struct Gaps {
    /// Functions without any checked site.
    pub functions: Vec<Gap>,
    /// The number of all such functions.
    pub all_functions: usize,
    /// Stretches of code in functions with a checked site.
    pub blocks: Vec<Gap>,
    /// The number of all such stretches.
    pub all_blocks: usize,
}

/// Code that is executed and never checked.
pub struct Gap {
    /// The index of its function.
    pub function: usize,
    /// Its first and its last line.
    pub lines: (u32, u32),
    /// How many of its sites are executed.
    pub sites: u64,
    /// In how many pairs its most often executed site runs.
    pub pairs: u32,
    /// The sum of that number over all its sites, by which gaps are ranked.
    pub executions: u64,
    /// The nearest MC line of the file.
    pub neighbour: Option<u32>,
    /// The relations with the nearest MC lines: their indices, and the lines.
    pub closest: Vec<(usize, u32)>,
}

impl Gaps {
    /// Finds the gaps, for sites of the primary criterion.
    pub fn of(digest: &Digest, outline: &Outline) -> Self {
        let (mut functions, mut blocks) = (Vec::new(), Vec::new());
        let table = &digest.suite.table;
        for file in &outline.files {
            let is_primary = |id: &&SiteId| table.get(**id).criterion() == digest.primary;
            let sites: Vec<SiteId> = file.sites.iter().filter(is_primary).copied().collect();
            let near = Near::of(digest, &sites);
            let mut by_function: Vec<(usize, Vec<SiteId>)> = Vec::new();
            for id in sites {
                let Some(function) = outline.function_of(id) else { continue };
                match by_function.last_mut() {
                    Some((last, ids)) if *last == function => ids.push(id),
                    _ => by_function.push((function, vec![id])),
                }
            }
            // A function that encloses another comes in several pieces.
            by_function.sort_by_key(|(function, _)| *function);
            for pieces in by_function.chunk_by(|left, right| left.0 == right.0) {
                let function = pieces[0].0;
                let ids: Vec<SiteId> = pieces.iter().flat_map(|(_, ids)| ids).copied().collect();
                let has_mc_sites = ids.iter().any(|id| digest.total.state(*id).is_mc());
                let stretches = stretches(digest, &ids);
                if has_mc_sites {
                    let gap = |stretch| gap(digest, function, &ids[stretch], &near);
                    blocks.extend(stretches.into_iter().map(gap));
                } else if let (Some(first), Some(last)) = (stretches.first(), stretches.last()) {
                    functions.push(gap(digest, function, &ids[first.start..last.end], &near));
                }
            }
        }
        let (all_functions, all_blocks) = (functions.len(), blocks.len());
        for gaps in [&mut functions, &mut blocks] {
            gaps.sort_by_key(|gap| (Reverse(gap.executions), gap.function, gap.lines));
            gaps.truncate(SHOWN_MAX);
        }
        Gaps { functions, all_functions, blocks, all_blocks }
    }
}

/// Stretches of sites that are executed and never checked.
fn stretches(digest: &Digest, ids: &[SiteId]) -> Vec<Range<usize>> {
    let mut stretches: Vec<Range<usize>> = Vec::new();
    for (at, id) in ids.iter().enumerate() {
        if digest.total.state(*id) != SiteState::Both {
            continue;
        }
        match stretches.last_mut() {
            Some(last) if last.end == at => last.end += 1,
            _ => stretches.push(at..at + 1),
        }
    }
    stretches
}

fn gap(digest: &Digest, function: usize, ids: &[SiteId], near: &Near) -> Gap {
    let executed = || ids.iter().filter(|id| digest.total.state(**id) == SiteState::Both);
    let line = |id: Option<&SiteId>| id.map_or(0, |id| digest.suite.table.get(*id).line);
    let lines = (line(ids.first()), line(ids.last()));
    let mut closest: Vec<(usize, u32)> = near
        .relations
        .iter()
        .enumerate()
        .filter_map(|(relation, mc_lines)| Some((relation, nearest(mc_lines, lines)?)))
        .collect();
    closest.sort_by_key(|(relation, line)| (distance(lines, *line), *relation));
    closest.truncate(CLOSEST_MAX);
    Gap {
        function,
        lines,
        sites: executed().count() as u64,
        pairs: executed().map(|id| digest.counts.ran(*id)).max().unwrap_or(0),
        executions: executed().map(|id| u64::from(digest.counts.ran(*id))).sum(),
        neighbour: closest.first().map(|(_, line)| *line),
        closest,
    }
}

/// The MC lines of each relation in a file, in order.
struct Near {
    relations: Vec<Vec<u32>>,
}

impl Near {
    fn of(digest: &Digest, sites: &[SiteId]) -> Self {
        let table = &digest.suite.table;
        let mc_lines = |relation: &super::Relation| {
            let ids = sites.iter().filter(|id| relation.mc_sites.contains(**id));
            ids.map(|id| table.get(*id).line).collect()
        };
        Near { relations: digest.relations.iter().map(mc_lines).collect() }
    }
}

/// The line that is nearest to a stretch, of lines in order.
fn nearest(mc_lines: &[u32], lines: (u32, u32)) -> Option<u32> {
    let after = mc_lines.partition_point(|line| *line < lines.0);
    let candidates = mc_lines[after.saturating_sub(1)..].iter().take(2);
    candidates.copied().min_by_key(|line| (distance(lines, *line), *line))
}

/// How many lines there are between a stretch and a line; zero if it is inside.
pub(crate) fn distance((first, last): (u32, u32), line: u32) -> u32 {
    first.saturating_sub(line).max(line.saturating_sub(last))
}
