//! Files in chunks, and the position of each site in its chunk.

use metacov_core::{Criterion, SiteId};

use crate::digest::{Digest, Outline};

/// How many lines a chunk has.
pub(crate) const LINES: u32 = 1000;

/// A thousand lines of a file.
pub(crate) struct Chunk {
    /// The index of the file.
    pub(crate) file: usize,
    /// Its number in the file.
    pub(crate) number: u32,
    /// Its lines, in order.
    pub(crate) lines: Vec<SiteId>,
    /// Its branches, in the order of lines.
    pub(crate) branches: Vec<SiteId>,
}

/// All chunks with code.
pub(crate) struct Chunks {
    /// In the order of files and lines.
    pub(crate) all: Vec<Chunk>,
    /// The chunk of each site and the position in it, lines first. Sites other than lines and
    /// branches have none, which is [`u32::MAX`].
    places: Vec<(u32, u32)>,
}

impl Chunks {
    pub(crate) fn of(digest: &Digest, outline: &Outline) -> Self {
        let table = &digest.suite.table;
        let mut all: Vec<Chunk> = Vec::new();
        for (at, file) in outline.files.iter().enumerate() {
            for id in &file.sites {
                let site = table.get(*id);
                let criterion = site.criterion();
                if !matches!(criterion, Criterion::Line | Criterion::Branch) {
                    continue;
                }
                let number = site.line.saturating_sub(1) / LINES;
                if all.last().is_none_or(|last| (last.file, last.number) != (at, number)) {
                    all.push(Chunk { file: at, number, lines: Vec::new(), branches: Vec::new() });
                }
                let Some(chunk) = all.last_mut() else { continue };
                match criterion {
                    Criterion::Line => chunk.lines.push(*id),
                    _ => chunk.branches.push(*id),
                }
            }
        }
        let mut places = vec![(u32::MAX, 0); table.len()];
        for (chunk, at) in all.iter().zip(0..) {
            for (id, place) in chunk.sites().zip(0..) {
                places[id.index()] = (at, place);
            }
        }
        Chunks { all, places }
    }

    /// Returns the chunk of a site and its position in it, if it has one.
    pub(crate) fn place(&self, site: SiteId) -> Option<(usize, usize)> {
        let (chunk, place) = *self.places.get(site.index())?;
        (chunk != u32::MAX).then_some((chunk as usize, place as usize))
    }
}

impl Chunk {
    /// Returns all its sites, by position.
    pub(crate) fn sites(&self) -> impl Iterator<Item = SiteId> {
        self.lines.iter().chain(&self.branches).copied()
    }

    /// Returns the name that its files contain.
    pub(crate) fn name(&self) -> String {
        format!("{}-{}", self.file, self.number)
    }
}
