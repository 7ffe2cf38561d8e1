//! How far a fold is, in words.

use std::fmt::Write as _;
use std::time::Duration;

use metacov_core::{Cover, Criterion, Group, Operation, Reading, counted};
use metacov_run::SharedTable;

/// How far a fold is.
pub struct FoldProgress {
    planned: u64,
    /// How many groups were stored before.
    known: u64,
    operation: Operation,
    /// How many groups are complete since then.
    pub groups: u64,
    /// The sites in the difference of some group so far, and how many lines they are.
    mc_sites: Option<Cover>,
    lines: u64,
}

impl FoldProgress {
    /// The progress of a fold of `planned` groups, of which `known` were stored before.
    pub fn new(planned: u64, known: u64, operation: Operation) -> Self {
        FoldProgress { planned, known, operation, groups: 0, mc_sites: None, lines: 0 }
    }

    /// Adds the difference of a group, if that is what is counted.
    pub fn add(&mut self, group: &Group<Reading>, table: &SharedTable) {
        if self.operation != Operation::Xor {
            return;
        }
        let mut difference = group.difference();
        if let Some(mc_sites) = &self.mc_sites {
            difference -= mc_sites;
        }
        if difference.is_empty() {
            return;
        }
        let table = table.table();
        let is_line =
            |site| table.get(site).criterion() == Criterion::Line && !table.is_excluded(site);
        self.lines += difference.iter().filter(|site| is_line(*site)).count() as u64;
        match &mut self.mc_sites {
            Some(mc_sites) => *mc_sites |= &difference,
            None => self.mc_sites = Some(difference),
        }
    }

    /// How many lines are in the difference so far, to follow a speed. Groups that were stored before are not counted.
    pub fn mc_so_far(&self) -> String {
        if self.operation != Operation::Xor {
            return String::new();
        }
        let of = if self.known == 0 { "so far" } else { "of the new pairs so far" };
        format!(", {} {of}", counted(self.lines, "MC line", "MC lines"))
    }

    /// The progress in a line.
    #[expect(clippy::cast_precision_loss, reason = "a time that is left is no exact number")]
    pub fn line(&self, elapsed: Duration) -> String {
        let (done, rate) = (self.known + self.groups, self.rate(elapsed));
        let left = self.planned.saturating_sub(done) as f64 / rate;
        let mut line = format!("{done} of {} pairs, {rate:.0} pairs/s", self.planned);
        let _ = write!(line, "{}, {left:.0} s left", self.mc_so_far());
        line
    }

    /// The speed of a fold that has ended.
    pub fn speed(&self, elapsed: Duration) -> String {
        let (seconds, rate) = (elapsed.as_secs_f64(), self.rate(elapsed));
        let digits = usize::from(rate < 10.0);
        format!("{} pairs in {seconds:.1} s, {rate:.digits$} pairs/s", self.groups)
    }

    #[expect(clippy::cast_precision_loss, reason = "a speed is no exact number")]
    fn rate(&self, elapsed: Duration) -> f64 {
        self.groups as f64 / elapsed.as_secs_f64().max(0.001)
    }
}
