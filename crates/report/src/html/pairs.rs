//! What single pairs ran, chunk by chunk.

use std::io;

use metacov_core::Cover;
use serde::Serialize;

use super::WritePage;
use super::chunks::Chunks;
use super::data::put;
use super::vlq::Stretches;
use crate::digest::{Digest, PairEnd};

#[derive(Default, Serialize)]
struct CoverData {
    /// For each position: whether most pairs run it.
    base: String,
    /// For each pair: the positions where it differs from that, as ranges with its state.
    pairs: Vec<(usize, String)>,
}

/// What a pair may do at a position: run it on no side, on all, or on some.
const NONE: usize = 0;
const ALL: usize = 1;
const A_ONLY: usize = 2;
const B_ONLY: usize = 3;
const EITHER: usize = 4;

/// Writes for each chunk which of its sites pairs ran. Pairs are similar, so each is written as its
/// difference from the majority.
pub(crate) fn write(digest: &Digest, chunks: &Chunks, write_page: WritePage<'_>) -> io::Result<()> {
    let table = &digest.suite.table;
    let mut base = Cover::of(table);
    let mut data: Vec<CoverData> = Vec::new();
    for chunk in &chunks.all {
        let mut letters = String::new();
        for id in chunk.sites() {
            let both = digest.counts.ran(id) - digest.counts.differing(id);
            let is_usual = both > digest.counts.pairs - digest.counts.ran(id);
            letters.push(if is_usual { '1' } else { '0' });
            if is_usual {
                base.insert(id);
            }
        }
        data.push(CoverData { base: letters, pairs: Vec::new() });
    }
    let mut places = Vec::new();
    for (at, case) in digest.cases.iter().enumerate() {
        if !matches!(case.ended, PairEnd::Measured(_)) {
            continue;
        }
        let contrast = case.contrast(table);
        let mut unusual = contrast.any.clone();
        unusual ^= &base;
        unusual |= &contrast.a_only;
        unusual |= &contrast.b_only;
        places.clear();
        for id in unusual.iter() {
            let Some((chunk, place)) = chunks.place(id) else { continue };
            let state = match (contrast.a_only.contains(id), contrast.b_only.contains(id)) {
                (true, true) => EITHER,
                (true, false) => A_ONLY,
                (false, true) => B_ONLY,
                (false, false) if contrast.any.contains(id) => ALL,
                (false, false) => NONE,
            };
            places.push((chunk, place, state));
        }
        places.sort_unstable();
        for places in places.chunk_by(|left, right| left.0 == right.0) {
            let mut stretches = Stretches::default();
            for (_, place, state) in places {
                stretches.add(*place, *state);
            }
            data[places[0].0].pairs.push((at, stretches.finish()));
        }
    }
    for (chunk, data) in chunks.all.iter().zip(data) {
        put(write_page, &format!("cover-{}", chunk.name()), &data)?;
    }
    Ok(())
}
