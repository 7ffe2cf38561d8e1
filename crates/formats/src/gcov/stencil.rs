//! Maps counts to sites: a stencil for each function.
//!
//! A site runs if one of its counts is positive. Most sites belong to one function only. They are
//! set one word of the cover at a time, without branches: a word has a hole for each count of a
//! site, which becomes a bit. The few sites that several functions share, such as the lines of a macro, have a
//! reference count: how many positive counts make them run.

use metacov_core::{Cover, SiteId, SiteTable};

use super::tape::{Slot, ZERO, above_zero};

/// The stencils of all functions, and the sites that they have set.
pub(super) struct Stencils {
    executed: Cover,
    /// Where the words and links of each function start; one more at the end.
    starts: Vec<(usize, usize)>,
    words: Vec<Word>,
    holes: Vec<Hole>,
    links: Vec<Link>,
    /// The shared sites, and how many links make them run.
    shared: Vec<(SiteId, u32)>,
}

/// The sites of one function in one word of a cover.
struct Word {
    at: usize,
    mask: u64,
    /// Where its holes end. They start at the end of those of the word before.
    end: usize,
}

/// A count, and the bit that it sets: the slot, and six bits. Small, because reading all holes of
/// the functions that ran takes longer than the rest of setting their sites.
#[derive(Clone, Copy)]
struct Hole(u32);

impl Hole {
    /// The bit must be below 64; slots have at most 26 bits (see `VARIABLES_MAX` of a flow).
    fn of(slot: Slot, bit: u32) -> Self {
        Hole(slot << 6 | bit)
    }

    /// The bit, set if the count is positive.
    #[inline]
    fn bits(self, counts: &[i64]) -> u64 {
        let is_positive = counts[(self.0 >> 6) as usize].cast_unsigned() >> 63;
        is_positive << (self.0 & 63)
    }
}

/// A count of a function that makes a shared site run.
struct Link {
    slot: Slot,
    shared: usize,
    /// Whether it did the last time.
    holds: bool,
}

impl Stencils {
    /// Compiles stencils for functions, given which of their counts make which sites run.
    pub(super) fn of(table: &SiteTable, functions: Vec<Vec<(SiteId, Slot)>>) -> Self {
        let (words, holes, links) = (Vec::new(), Vec::new(), Vec::new());
        let mut owners = Owners::of(table, &functions);
        let mut stencils = Stencils {
            executed: Cover::of(table),
            starts: vec![(0, 0)],
            words,
            holes,
            links,
            shared: Vec::new(),
        };
        for mut sites in functions {
            sites.retain(|(_, slot)| *slot != ZERO);
            sites.sort_unstable();
            sites.dedup();
            stencils.add(&sites, &mut owners);
        }
        stencils
    }

    fn add(&mut self, sites: &[(SiteId, Slot)], owners: &mut Owners) {
        let mut own: Vec<(usize, Slot, u64)> = Vec::new();
        for (site, slot) in sites {
            if let Some(shared) = owners.shared(*site, &mut self.shared) {
                self.links.push(Link { slot: *slot, shared, holds: false });
            } else {
                let (at, bit) = site.place();
                own.push((at, *slot, bit));
            }
        }
        own.sort_unstable();
        for word in own.chunk_by(|left, right| left.0 == right.0) {
            let mask = word.iter().fold(0, |mask, (.., bit)| mask | bit);
            self.holes
                .extend(word.iter().map(|(_, slot, bit)| Hole::of(*slot, bit.trailing_zeros())));
            self.words.push(Word { at: word[0].0, mask, end: self.holes.len() });
        }
        self.starts.push((self.words.len(), self.links.len()));
    }

    /// Sets the sites of a function by its counts (negated), and clears those that no longer run.
    #[inline(never)] // A separate function, so that the loop has enough registers.
    pub(super) fn set(&mut self, function: usize, counts: &[i64]) {
        let ((first_word, first_link), (last_word, last_link)) =
            (self.starts[function], self.starts[function + 1]);
        let mut start = first_word.checked_sub(1).map_or(0, |before| self.words[before].end);
        for word in &self.words[first_word..last_word] {
            let holes = &self.holes[start..word.end];
            let bits = holes.iter().fold(0, |bits, hole| bits | hole.bits(counts));
            self.executed.replace(word.at, word.mask, bits);
            start = word.end;
        }
        for link in &mut self.links[first_link..last_link] {
            let holds = above_zero(counts[link.slot as usize]) != 0;
            if holds != link.holds {
                link.holds = holds;
                let (site, holders) = &mut self.shared[link.shared];
                *holders = if holds { *holders + 1 } else { *holders - 1 };
                let (at, bit) = site.place();
                self.executed.replace(at, bit, if *holders > 0 { bit } else { 0 });
            }
        }
    }

    /// The sites that ran.
    pub(super) fn executed(&self) -> &Cover {
        &self.executed
    }
}

/// The function that each site belongs to, or that it belongs to several.
struct Owners(Vec<Owner>);

#[derive(Clone, Copy, PartialEq)]
enum Owner {
    None,
    One(usize),
    /// Several, and it has no number among the shared sites yet.
    Several,
    Shared(usize),
}

impl Owners {
    fn of(table: &SiteTable, functions: &[Vec<(SiteId, Slot)>]) -> Self {
        let mut owners = vec![Owner::None; table.len()];
        for (function, sites) in functions.iter().enumerate() {
            for (site, _) in sites {
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
    fn shared(&mut self, site: SiteId, shared: &mut Vec<(SiteId, u32)>) -> Option<usize> {
        let owner = &mut self.0[site.index()];
        match *owner {
            Owner::None | Owner::One(_) => None,
            Owner::Shared(number) => Some(number),
            Owner::Several => {
                shared.push((site, 0));
                *owner = Owner::Shared(shared.len() - 1);
                Some(shared.len() - 1)
            }
        }
    }
}
