//! In how many pairs each site runs.

use metacov_core::{Cover, SiteId, SiteTable};

use super::case::Contrast;

/// In how many of the measured pairs each site ran, and on which sides. A group of several sides is
/// one pair here.
pub struct Counts {
    /// How many pairs there are.
    pub pairs: u32,
    ran: Vec<u32>,
    a_only: Vec<u32>,
    b_only: Vec<u32>,
    differing: Vec<u32>,
}

impl Counts {
    pub(crate) fn of(table: &SiteTable) -> Self {
        let none = || vec![0; table.len() + 1];
        Counts { pairs: 0, ran: none(), a_only: none(), b_only: none(), differing: none() }
    }

    /// Adds a pair. Until they are finished, counts are stored as steps from site to site, because
    /// executed sites form long ranges.
    pub(crate) fn add(&mut self, contrast: &Contrast) {
        self.pairs += 1;
        let mut difference = contrast.a_only.clone();
        difference |= &contrast.b_only;
        step(&mut self.ran, &contrast.any);
        step(&mut self.a_only, &contrast.a_only);
        step(&mut self.b_only, &contrast.b_only);
        step(&mut self.differing, &difference);
    }

    pub(crate) fn finish(&mut self) {
        for steps in [&mut self.ran, &mut self.a_only, &mut self.b_only, &mut self.differing] {
            let mut count = 0u32;
            for step in steps {
                count = count.wrapping_add(*step);
                *step = count;
            }
        }
    }

    /// Returns in how many pairs any side ran it.
    pub fn ran(&self, site: SiteId) -> u32 {
        self.ran[site.index()]
    }

    /// Returns in how many pairs an earlier side ran it and a later one did not.
    pub fn a_only(&self, site: SiteId) -> u32 {
        self.a_only[site.index()]
    }

    /// Returns in how many pairs a later side ran it and an earlier one did not.
    pub fn b_only(&self, site: SiteId) -> u32 {
        self.b_only[site.index()]
    }

    /// Returns in the difference of how many pairs it is.
    pub fn differing(&self, site: SiteId) -> u32 {
        self.differing[site.index()]
    }
}

fn step(steps: &mut [u32], cover: &Cover) {
    for run in cover.runs() {
        let end = run.end.min(steps.len() - 1);
        steps[run.start] = steps[run.start].wrapping_add(1);
        steps[end] = steps[end].wrapping_sub(1);
    }
}
