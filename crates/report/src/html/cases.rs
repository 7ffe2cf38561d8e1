//! Single pairs: inputs, setups, and where they differ.

use std::io;

use metacov_core::{Criterion, SideOutput, SiteId, StoredInput, Verdict};
use serde::Serialize;

use super::WritePage;
use super::data::put;
use super::vlq::Stretches;
use crate::digest::{Digest, Outline, PairDigest, PairEnd};

/// How many pairs share a file.
pub(crate) const IN_FILE: usize = 50;

#[derive(Serialize)]
struct CaseData {
    /// How it violates its relation, or the last output of the failed side.
    words: String,
    /// The side that failed.
    side: Option<usize>,
    /// By side and input.
    inputs: Vec<Vec<InputData>>,
    /// By side, if they are stored: how it ended instead of a name.
    outputs: Vec<InputData>,
    /// By file: the differing lines, as ranges with the side that ran them.
    differing: Vec<(usize, String)>,
}

/// The name of an input, its text, its length, and how many bytes are shown.
type InputData = (String, String, u64, usize);

/// Writes all pairs with details, and their setups.
pub(crate) fn write(
    digest: &Digest,
    outline: &Outline,
    write_page: WritePage<'_>,
) -> io::Result<()> {
    let mut lines: Vec<(usize, SiteId)> = Vec::new();
    for (at, file) in outline.files.iter().enumerate() {
        let is_line = |id: &&SiteId| digest.suite.table.get(**id).criterion() == Criterion::Line;
        lines.extend(file.sites.iter().filter(is_line).map(|id| (at, *id)));
    }
    let mut rank = vec![u32::MAX; digest.suite.table.len()];
    for ((_, id), at) in lines.iter().zip(0..) {
        rank[id.index()] = at;
    }
    for (number, cases) in digest.cases.chunks(IN_FILE).enumerate() {
        let data: Vec<CaseData> =
            cases.iter().map(|case| CaseData::of(digest, case, &lines, &rank)).collect();
        put(write_page, &format!("cases-{number}"), &data)?;
    }
    for (number, setup) in digest.setups.values().enumerate() {
        let text = String::from_utf8_lossy(setup.content());
        put(write_page, &format!("setup-{number}"), &text)?;
    }
    Ok(())
}

impl CaseData {
    fn of(digest: &Digest, case: &PairDigest, lines: &[(usize, SiteId)], rank: &[u32]) -> Self {
        let (words, side) = match &case.ended {
            PairEnd::Measured(Some(Verdict::Violated(how))) => (how.clone(), None),
            PairEnd::Measured(_) => (String::new(), None),
            PairEnd::Failed(side, _, words) => (words.clone(), Some(*side)),
        };
        let input = |input: &StoredInput| {
            let text = String::from_utf8_lossy(&input.content).into_owned();
            (input.name.clone(), text, input.bytes, input.content.len())
        };
        let inputs = case.inputs.iter().map(|inputs| inputs.iter().map(input).collect()).collect();
        let output = |output: &SideOutput| {
            let exits: Vec<String> = output.exits.iter().map(ToString::to_string).collect();
            let text = String::from_utf8_lossy(&output.content).into_owned();
            (exits.join(", "), text, output.bytes, output.content.len())
        };
        let outputs = case.outputs.iter().map(output).collect();
        let contrast = case.contrast(&digest.suite.table);
        let mut difference = contrast.a_only.clone();
        difference |= &contrast.b_only;
        let mut places: Vec<(u32, usize)> = Vec::new();
        for id in difference.iter().filter(|id| rank[id.index()] != u32::MAX) {
            let side = usize::from(contrast.a_only.contains(id))
                | usize::from(contrast.b_only.contains(id)) << 1;
            places.push((rank[id.index()], side));
        }
        places.sort_unstable();
        let mut differing: Vec<(usize, Stretches, usize)> = Vec::new();
        for (at, side) in places {
            let (file, id) = lines[at as usize];
            let line = digest.suite.table.get(id).line as usize;
            if differing.last().is_none_or(|(last, ..)| *last != file) {
                differing.push((file, Stretches::default(), 0));
            }
            // Of the instances on a line, the first that differs represents all.
            if let Some((_, stretches, last)) = differing.last_mut()
                && line > *last
            {
                stretches.add(line, side);
                *last = line;
            }
        }
        let differing = differing.into_iter();
        let differing = differing.map(|(file, stretches, _)| (file, stretches.finish())).collect();
        CaseData { words, side, inputs, outputs, differing }
    }
}
