//! Counts of sites by state, for a whole suite, a file or a function.

use std::ops::{Index, IndexMut};

use crate::{Criterion, Element, FileId, Kind, SiteId, SiteTable, State, Symbol, Tally};

/// How many sites of one criterion are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All sites: what can be executed.
    pub sites: u64,
    /// Validated, always by the first side alone.
    pub only_a: u64,
    /// Validated, always by the second side alone.
    pub only_b: u64,
    /// Validated, by the first side in some pairs and by the second in others.
    pub either: u64,
    /// Executed, but never validated.
    pub executed_alike: u64,
    /// In the result of the operation in at least one pair. For the difference, this is what is
    /// validated.
    pub selected: u64,
}

impl Summary {
    /// What ran: `Cov(T)`.
    pub fn executed(&self) -> u64 {
        self.only_a + self.only_b + self.either + self.executed_alike
    }

    /// What never ran.
    pub fn not_executed(&self) -> u64 {
        self.sites - self.executed()
    }

    /// The result in percent of all sites: the paper's base. None if there are no sites.
    pub fn percent(&self) -> Option<f64> {
        percent(self.selected, self.sites)
    }

    /// The result in percent of what ran (`MC/Cov`): the checked share. None if nothing ran.
    pub fn percent_of_executed(&self) -> Option<f64> {
        percent(self.selected, self.executed())
    }

    fn add(&mut self, state: State, selected: bool) {
        self.sites += 1;
        self.selected += u64::from(selected);
        match state {
            State::Validated(Kind::OnlyA) => self.only_a += 1,
            State::Validated(Kind::OnlyB) => self.only_b += 1,
            State::Validated(Kind::Either) => self.either += 1,
            State::Executed => self.executed_alike += 1,
            State::NotExecuted => {}
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "fewer than 2^32 sites: exact in an f64")]
fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole != 0).then(|| 100.0 * part as f64 / whole as f64)
}

/// A summary for each criterion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summaries([Summary; Criterion::ALL.len()]);

impl Index<Criterion> for Summaries {
    type Output = Summary;

    fn index(&self, criterion: Criterion) -> &Summary {
        &self.0[criterion as usize]
    }
}

impl IndexMut<Criterion> for Summaries {
    fn index_mut(&mut self, criterion: Criterion) -> &mut Summary {
        &mut self.0[criterion as usize]
    }
}

/// The whole table.
pub fn total(table: &SiteTable, tally: &Tally) -> Summaries {
    let mut summaries = Summaries::default();
    for (id, site) in table.sites() {
        summaries[site.criterion()].add(tally.state(id), tally.count_of(id) > 0);
    }
    summaries
}

/// Each file.
pub fn by_file(table: &SiteTable, tally: &Tally) -> Vec<(FileId, Summaries)> {
    let mut files: Vec<Option<Summaries>> = vec![None; table.file_count()];
    let mut ids = vec![None; table.file_count()];
    for (id, site) in table.sites() {
        let summaries = files[site.file.index()].get_or_insert_default();
        summaries[site.criterion()].add(tally.state(id), tally.count_of(id) > 0);
        ids[site.file.index()] = Some(site.file);
    }
    let mut rows: Vec<_> =
        ids.into_iter().zip(files).filter_map(|(id, summaries)| Some((id?, summaries?))).collect();
    rows.sort_by_key(|(file, _)| table.path(*file));
    rows
}

/// Each function, with the lines, branches and regions from its start to the start of the next.
/// What stands before the first function of a file goes under [`Symbol::NONE`]. Functions that
/// start on the same line (instances of a template) are one row, under the first name.
pub fn by_function(table: &SiteTable, tally: &Tally) -> Vec<((FileId, u32, Symbol), Summaries)> {
    let mut rows: Vec<((FileId, u32, Symbol), Summaries)> = Vec::new();
    for id in starts_before_bodies(table) {
        let site = table.get(id);
        let last = rows.last().map(|(key, _)| *key).filter(|(file, ..)| *file == site.file);
        match (site.element, last) {
            (Element::Function(_), Some((_, start, _))) if start == site.line && start != 0 => {}
            (Element::Function(name), _) => {
                rows.push(((site.file, site.line, name), Summaries::default()));
            }
            (_, None) => rows.push(((site.file, 0, Symbol::NONE), Summaries::default())),
            _ => {}
        }
        if let Some((_, summaries)) = rows.last_mut() {
            summaries[site.criterion()].add(tally.state(id), tally.count_of(id) > 0);
        }
    }
    rows
}

/// All sites in order, but the function that starts on a line before the line itself.
fn starts_before_bodies(table: &SiteTable) -> Vec<SiteId> {
    let mut ids = table.ordered();
    for line in ids.chunk_by_mut(|left, right| {
        let (left, right) = (table.get(*left), table.get(*right));
        (left.file, left.line) == (right.file, right.line)
    }) {
        line.sort_by_key(|id| !matches!(table.get(*id).element, Element::Function(_)));
    }
    ids
}
