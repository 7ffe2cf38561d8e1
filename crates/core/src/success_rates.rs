//! How many generated statements work, by kind.

use std::collections::BTreeMap;

/// How often statements of each kind were tried, and how often they worked.
///
/// A kind is that of a statement (`INSERT`) or a side of a relation (`norec a`), so that a part of
/// the generator that only produces errors is visible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuccessRates {
    /// By the name of the kind.
    pub by_kind: BTreeMap<String, Success>,
}

/// How often something was tried, and how often it worked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Success {
    /// How often it was tried.
    pub tried: u64,
    /// How often it worked.
    pub worked: u64,
}

impl SuccessRates {
    /// Counts a statement that builds or changes a database.
    pub fn statement(&mut self, kind: &str, worked: bool) {
        self.of(kind).count(worked);
    }

    /// Counts a side of a test: `a` or `b` of a relation's name.
    pub fn side(&mut self, relation: &str, side: char, worked: bool) {
        self.of(&format!("{relation} {side}")).count(worked);
    }

    /// Adds counts of a kind, by its name.
    pub fn add(&mut self, kind: &str, tried: u64, worked: u64) {
        let own = self.of(kind);
        own.tried += tried;
        own.worked += worked;
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Self) {
        for (kind, success) in &other.by_kind {
            self.add(kind, success.tried, success.worked);
        }
    }

    /// All kinds together.
    pub fn total(&self) -> Success {
        self.by_kind.values().fold(Success::default(), |all, success| Success {
            tried: all.tried + success.tried,
            worked: all.worked + success.worked,
        })
    }

    fn of(&mut self, kind: &str) -> &mut Success {
        self.by_kind.entry(kind.to_owned()).or_default()
    }
}

impl Success {
    /// Counts one.
    fn count(&mut self, worked: bool) {
        self.tried += 1;
        self.worked += u64::from(worked);
    }

    /// The share that worked, in whole percent, rounded down; `None` if nothing was tried.
    pub fn percent(self) -> Option<u64> {
        (self.worked * 100).checked_div(self.tried)
    }
}

#[cfg(test)]
mod tests {
    use super::{Success, SuccessRates};

    #[test]
    fn separate_counts_add_up() {
        let mut first = SuccessRates::default();
        first.statement("INSERT", true);
        first.statement("INSERT", false);
        first.side("norec", 'b', true);
        let mut second = SuccessRates::default();
        second.statement("INSERT", true);
        second.merge(&first);
        assert_eq!(second.by_kind["INSERT"], Success { tried: 3, worked: 2 });
        assert_eq!(second.by_kind["INSERT"].percent(), Some(66));
        assert_eq!(second.by_kind["norec b"], Success { tried: 1, worked: 1 });
        assert_eq!(second.total(), Success { tried: 4, worked: 3 });
        assert_eq!(Success::default().percent(), None);
    }
}
