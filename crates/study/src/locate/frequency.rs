//! How often sites run.

use metacov_core::{Cover, SiteId};

/// In how many executions each site ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frequency {
    executions: u32,
    counts: Vec<u32>,
}

impl Frequency {
    /// Counts an execution.
    pub fn add(&mut self, executed: &Cover) {
        self.executions += 1;
        for site in executed.iter() {
            let at = site.index();
            if at >= self.counts.len() {
                self.counts.resize(at + 1, 0);
            }
            self.counts[at] += 1;
        }
    }

    /// How many executions there were.
    pub fn executions(&self) -> u32 {
        self.executions
    }

    /// In how many of them a site ran.
    pub fn count(&self, site: SiteId) -> u32 {
        self.counts.get(site.index()).copied().unwrap_or(0)
    }

    /// In which share of them a site ran; none if there were no executions.
    pub fn share(&self, site: SiteId) -> Option<f64> {
        (self.executions > 0).then(|| f64::from(self.count(site)) / f64::from(self.executions))
    }
}
