//! Maps counts to sites: a stencil for each function.
//!
//! A site runs if one of its counts is positive. Most sites belong to one function only. They are
//! set one word of the cover at a time, without branches: a word has a hole for each count that
//! makes some of its sites run. The few sites that several functions share, such as the lines of a macro, have a
//! reference count: how many positive counts make them run.

use std::ops::Range;

use metacov_core::{Cover, SiteId, SiteTable};
use multiversion::multiversion;

use super::lanes::{Counts, LANES};
use super::tape::{Slot, ZERO, above_zero};

/// The stencils of all functions, and the sites that they have set.
pub(super) struct Stencils {
    executed: Cover,
    /// The cover of no sites.
    empty: Cover,
    /// Where the words and links of each function start; one more at the end.
    starts: Vec<(u32, u32)>,
    words: Vec<Word>,
    holes: Vec<Hole>,
    links: Vec<Link>,
    /// The shared sites, and how many links make them run.
    shared: Vec<(SiteId, u32)>,
}

/// How many rows are moved to covers at once.
const ROWS_AT_ONCE: usize = 64;

/// A word of the cover of each lane.
pub(super) type Row = [u64; LANES];

/// Adds bits to the words of the lanes whose count is positive.
#[inline]
fn add(row: &mut Row, bits: u64, counts: &Counts) {
    for (word, count) in row.iter_mut().zip(counts.0) {
        *word |= bits & above_zero(i64::from(count));
    }
}

/// The sites of one function in one word of a cover.
struct Word {
    mask: u64,
    at: u32,
    /// Where its holes end. They start at the end of those of the word before.
    end: u32,
}

/// A count, and the bits that it sets if it is positive. Lines of one block have the same count, so
/// there are far fewer holes than sites.
#[derive(Clone, Copy)]
struct Hole {
    bits: u64,
    slot: Slot,
}

impl Hole {
    #[inline]
    fn bits(&self, counts: &[i64]) -> u64 {
        self.bits & above_zero(counts[self.slot as usize])
    }
}

/// A count of a function that makes a shared site run.
struct Link {
    slot: Slot,
    shared: u32,
    /// Whether it did the last time.
    holds: bool,
}

impl Stencils {
    /// Compiles stencils, given which counts make which sites run, and where those of each function are.
    pub(super) fn of(
        table: &SiteTable,
        sites: &mut [(SiteId, Slot)],
        functions: &[Range<usize>],
    ) -> Self {
        let (words, holes, links) = (Vec::new(), Vec::new(), Vec::new());
        let mut owners = Owners::of(table, sites, functions);
        let mut stencils = Stencils {
            executed: Cover::of(table),
            empty: Cover::of(table),
            starts: vec![(0, 0)],
            words,
            holes,
            links,
            shared: Vec::new(),
        };
        for function in functions {
            let sites = &mut sites[function.clone()];
            sites.sort_unstable();
            let once = sites.chunk_by(|left, right| left == right).map(|same| same[0]);
            stencils.add(once.filter(|(_, slot)| *slot != ZERO), &mut owners);
        }
        stencils
    }

    fn add(&mut self, sites: impl Iterator<Item = (SiteId, Slot)>, owners: &mut Owners) {
        let mut own: Vec<(usize, Slot, u64)> = Vec::new();
        for (site, slot) in sites {
            if let Some(shared) = owners.shared(site, &mut self.shared) {
                self.links.push(Link { slot, shared, holds: false });
            } else {
                let (at, bit) = site.place();
                own.push((at, slot, bit));
            }
        }
        own.sort_unstable();
        for word in own.chunk_by(|left, right| left.0 == right.0) {
            let mask = word.iter().fold(0, |mask, (.., bit)| mask | bit);
            let holes = word.chunk_by(|left, right| left.1 == right.1);
            self.holes.extend(holes.map(|hole| Hole {
                bits: hole.iter().fold(0, |bits, (.., bit)| bits | bit),
                slot: hole[0].1,
            }));
            self.words.push(Word { mask, at: number(word[0].0), end: number(self.holes.len()) });
        }
        self.starts.push((number(self.words.len()), number(self.links.len())));
    }

    /// Sets the sites of a function by its counts (negated), and clears those that no longer run.
    #[inline(never)] // A separate function, so that the loop has enough registers.
    pub(super) fn set(&mut self, function: usize, counts: &[i64]) {
        let (words, links, mut start) = self.parts(function);
        for word in &self.words[words] {
            let holes = &self.holes[start..word.end as usize];
            let bits = holes.iter().fold(0, |bits, hole| bits | hole.bits(counts));
            self.executed.replace(word.at as usize, word.mask, bits);
            start = word.end as usize;
        }
        for link in &mut self.links[links] {
            let holds = above_zero(counts[link.slot as usize]) != 0;
            if holds != link.holds {
                link.holds = holds;
                let (site, holders) = &mut self.shared[link.shared as usize];
                *holders = if holds { *holders + 1 } else { *holders - 1 };
                let (at, bit) = site.place();
                self.executed.replace(at, bit, if *holders > 0 { bit } else { 0 });
            }
        }
    }

    /// The words of a function, its links, and the first hole of its words.
    fn parts(&self, function: usize) -> (Range<usize>, Range<usize>, usize) {
        let (start, end) = (self.starts[function], self.starts[function + 1]);
        let words = start.0 as usize..end.0 as usize;
        let first_hole = words.start.checked_sub(1).map_or(0, |before| self.words[before].end);
        (words, start.1 as usize..end.1 as usize, first_hole as usize)
    }

    /// A row for each word of a cover, with the word of each lane.
    pub(super) fn rows(&self) -> Vec<Row> {
        let of_shared = self.shared.iter().map(|(site, _)| site.place().0);
        let last = self.words.iter().map(|word| word.at as usize).chain(of_shared).max();
        vec![Row::default(); last.map_or(0, |last| last + 1)]
    }

    /// Adds the sites of a function to the rows, by its counts in each lane.
    pub(super) fn add_to_rows(&self, function: usize, counts: &[Counts], rows: &mut [Row]) {
        let (words, links, start) = self.parts(function);
        add_words(&self.words[words], &self.holes, start, counts, rows);
        for link in &self.links[links] {
            let (at, bit) = self.shared[link.shared as usize].0.place();
            add(&mut rows[at], bit, &counts[link.slot as usize]);
        }
    }

    /// The covers of the first `count` lanes.
    pub(super) fn covers(&self, rows: &[Row], count: usize) -> Vec<Cover> {
        let mut covers = vec![self.empty.clone(); count];
        // Few rows at a time, which stay in the cache.
        for rows in rows.chunks(ROWS_AT_ONCE) {
            for (lane, cover) in covers.iter_mut().enumerate() {
                cover.append(rows.iter().map(|row| row[lane]));
            }
        }
        covers
    }

    /// The sites that ran.
    pub(super) fn executed(&self) -> &Cover {
        &self.executed
    }
}

/// Adds the sites of words, whose first hole is at `start`, to the rows.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn add_words(words: &[Word], holes: &[Hole], start: usize, counts: &[Counts], rows: &mut [Row]) {
    let mut start = start;
    for word in words {
        let mut row = rows[word.at as usize];
        for hole in &holes[start..word.end as usize] {
            add(&mut row, hole.bits, &counts[hole.slot as usize]);
        }
        rows[word.at as usize] = row;
        start = word.end as usize;
    }
}

/// A program has fewer than 2^32 of anything that is counted here.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The function that each site belongs to, or that it belongs to several.
struct Owners(Vec<Owner>);

#[derive(Clone, Copy, PartialEq)]
enum Owner {
    None,
    One(u32),
    /// Several, and it has no number among the shared sites yet.
    Several,
    Shared(u32),
}

impl Owners {
    fn of(table: &SiteTable, sites: &[(SiteId, Slot)], functions: &[Range<usize>]) -> Self {
        let mut owners = vec![Owner::None; table.len()];
        for (function, range) in (0..).zip(functions) {
            for (site, _) in &sites[range.clone()] {
                let owner = &mut owners[site.index()];
                *owner = match *owner {
                    Owner::None => Owner::One(function),
                    Owner::One(known) if known == function => Owner::One(function),
                    _ => Owner::Several,
                };
            }
        }
        Owners(owners)
    }

    /// The number of a site among the shared ones, if it is one.
    fn shared(&mut self, site: SiteId, shared: &mut Vec<(SiteId, u32)>) -> Option<u32> {
        let owner = &mut self.0[site.index()];
        match *owner {
            Owner::None | Owner::One(_) => None,
            Owner::Shared(number) => Some(number),
            Owner::Several => {
                shared.push((site, 0));
                let place = number(shared.len() - 1);
                *owner = Owner::Shared(place);
                Some(place)
            }
        }
    }
}
