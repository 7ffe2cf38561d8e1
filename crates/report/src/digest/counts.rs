//! In how many pairs sites run.

use metacov_core::{Cover, SiteId, SiteTable};

use super::case::Contrast;

/// By site: in how many of the measured pairs it ran, and how. A group of several sides is one pair
/// here.
pub struct Counts {
    /// How many pairs there are.
    pub pairs: u32,
    ran: Vec<u32>,
    only_a: Vec<u32>,
    only_b: Vec<u32>,
    validated: Vec<u32>,
}

impl Counts {
    pub(crate) fn of(table: &SiteTable) -> Self {
        let none = || vec![0; table.len() + 1];
        Counts { pairs: 0, ran: none(), only_a: none(), only_b: none(), validated: none() }
    }

    /// Until they are finished, counts are kept as steps from site to site: what runs, runs in long
    /// stretches.
    pub(crate) fn add(&mut self, contrast: &Contrast) {
        self.pairs += 1;
        let mut difference = contrast.only_a.clone();
        difference |= &contrast.only_b;
        step(&mut self.ran, &contrast.any);
        step(&mut self.only_a, &contrast.only_a);
        step(&mut self.only_b, &contrast.only_b);
        step(&mut self.validated, &difference);
    }

    pub(crate) fn finish(&mut self) {
        for steps in [&mut self.ran, &mut self.only_a, &mut self.only_b, &mut self.validated] {
            let mut count = 0u32;
            for step in steps {
                count = count.wrapping_add(*step);
                *step = count;
            }
        }
    }

    /// In how many pairs any side ran it.
    pub fn ran(&self, site: SiteId) -> u32 {
        self.ran[site.index()]
    }

    /// In how many pairs an earlier side ran it and a later one did not.
    pub fn only_a(&self, site: SiteId) -> u32 {
        self.only_a[site.index()]
    }

    /// In how many pairs a later side ran it and an earlier one did not.
    pub fn only_b(&self, site: SiteId) -> u32 {
        self.only_b[site.index()]
    }

    /// In the difference of how many pairs it is.
    pub fn validated(&self, site: SiteId) -> u32 {
        self.validated[site.index()]
    }
}

fn step(steps: &mut [u32], cover: &Cover) {
    for run in cover.runs() {
        let end = run.end.min(steps.len() - 1);
        steps[run.start] = steps[run.start].wrapping_add(1);
        steps[end] = steps[end].wrapping_sub(1);
    }
}
