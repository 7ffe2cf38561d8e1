//! Converts the numbers of one table to those of another.

use crate::{Cover, Reading, SiteId, TableId};

/// The numbers that the sites of one table have in another (see
/// [`SiteTable::absorb`](crate::SiteTable::absorb)).
///
/// Reports of one build list the same sites in the same order, so the numbers are nearly always
/// equal, and covers are kept as they are.
#[derive(Clone, Debug)]
pub struct Renumbering {
    to: TableId,
    numbers: Vec<SiteId>,
    is_identity: bool,
}

impl Renumbering {
    pub(crate) fn new(to: TableId, numbers: Vec<SiteId>) -> Self {
        let is_identity = numbers.iter().enumerate().all(|(at, number)| number.index() == at);
        Renumbering { to, numbers, is_identity }
    }

    /// The new number of a site that was in the table when it was absorbed.
    pub(crate) fn number(&self, site: SiteId) -> SiteId {
        self.numbers[site.index()]
    }

    /// The same sites under their new numbers.
    ///
    /// # Panics
    /// If the cover contains sites that were not in the table when it was absorbed.
    #[must_use]
    pub fn cover(&self, cover: Cover) -> Cover {
        if self.is_identity {
            return cover.retagged(self.to);
        }
        let mut renumbered = Cover::over(self.to);
        for site in cover.iter() {
            renumbered.insert(self.numbers[site.index()]);
        }
        renumbered
    }

    /// The same reading under the new numbers.
    #[must_use]
    pub fn reading(&self, reading: Reading) -> Reading {
        Reading {
            executed: self.cover(reading.executed),
            known: self.cover(reading.known),
            flaky: self.cover(reading.flaky),
            ..reading
        }
    }
}
