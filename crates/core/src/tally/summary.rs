//! Counts of sites by state, for a whole suite, a file or a function.

use std::ops::{Index, IndexMut};

use crate::{Criterion, Element, FileId, Site, SiteId, SiteState, SiteTable, Symbol, Tally};

/// How many sites of one criterion are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All sites.
    pub sites: u64,
    /// In the difference of at least one pair, always run by the first side.
    pub a_only: u64,
    /// In the difference of at least one pair, always run by the second side.
    pub b_only: u64,
    /// In the difference by the first side in some pairs and by the second in others.
    pub either: u64,
    /// Executed, but in the difference of no pair.
    pub both: u64,
    /// In the result of the operation in at least one pair. For the difference: the MC sites.
    pub result: u64,
    /// Sites that ran in some repetitions of an execution and not in others, whether they are in
    /// the result or not.
    pub flaky: u64,
}

impl Summary {
    /// Returns how many sites ran: `Cov(T)`.
    pub fn executed(&self) -> u64 {
        self.a_only + self.b_only + self.either + self.both
    }

    /// How many sites are in the difference of at least one pair, whatever the operation is.
    pub fn mc_sites(&self) -> u64 {
        self.a_only + self.b_only + self.either
    }

    /// Returns how many sites never ran.
    pub fn not_executed(&self) -> u64 {
        self.sites - self.executed()
    }

    /// Returns the executed sites in percent of all sites: `Cov`. None if there are no sites.
    pub fn cov(&self) -> Option<f64> {
        percent(self.executed(), self.sites)
    }

    /// Returns the result in percent of all sites: for a difference, `MC`. None if there are no
    /// sites.
    pub fn result_of_sites(&self) -> Option<f64> {
        percent(self.result, self.sites)
    }

    /// Returns the result in percent of the executed sites: for a difference, `MC/Cov`. None if
    /// nothing ran.
    pub fn result_of_executed(&self) -> Option<f64> {
        percent(self.result, self.executed())
    }

    fn add(&mut self, tally: &Tally, site: SiteId) {
        self.sites += 1;
        self.result += u64::from(tally.count_of(site) > 0);
        self.flaky += u64::from(tally.flaky.contains(site));
        match tally.state(site) {
            SiteState::AOnly => self.a_only += 1,
            SiteState::BOnly => self.b_only += 1,
            SiteState::Either => self.either += 1,
            SiteState::Both => self.both += 1,
            SiteState::NotExecuted => {}
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

/// Summarises the whole table.
pub fn total(table: &SiteTable, tally: &Tally) -> Summaries {
    let mut summaries = Summaries::default();
    for (id, site) in table.sites() {
        summaries[site.criterion()].add(tally, id);
    }
    summaries
}

/// Summarises each file.
pub fn by_file(table: &SiteTable, tally: &Tally) -> Vec<(FileId, Summaries)> {
    let mut files: Vec<Option<Summaries>> = vec![None; table.file_count()];
    let mut ids = vec![None; table.file_count()];
    for (id, site) in table.sites() {
        let summaries = files[site.file.index()].get_or_insert_default();
        summaries[site.criterion()].add(tally, id);
        ids[site.file.index()] = Some(site.file);
    }
    let mut rows: Vec<_> =
        ids.into_iter().zip(files).filter_map(|(id, summaries)| Some((id?, summaries?))).collect();
    rows.sort_by_key(|(file, _)| table.path(*file));
    rows
}

/// A function, or the code outside of all functions of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionKey {
    /// The file.
    pub file: FileId,
    /// The line that it starts on; zero outside of functions.
    pub line: u32,
    /// Its name; [`Symbol::NONE`] outside of functions.
    pub name: Symbol,
}

/// All functions of a table, and the function of each site.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    /// In the order of files and lines. The code outside of all functions of a file has an entry
    /// too.
    pub keys: Vec<FunctionKey>,
    /// The last line of each function, if it is reported.
    pub ends: Vec<Option<u32>>,
    /// The index of each site's function in the keys.
    places: Vec<Option<usize>>,
}

impl Functions {
    /// Finds the functions of a table. A site is in the innermost function whose start and end
    /// enclose it or, if files do not report ends, in the one that starts last before it. Functions
    /// that start on the same line (instances of a template) are one, under the first name.
    pub fn of(table: &SiteTable) -> Self {
        let mut functions = Functions::default();
        functions.places.resize(table.len(), None);
        let mut open = OpenFunctions::default();
        for id in starts_before_bodies(table) {
            let site = table.get(id);
            open.advance(site.file, site.line);
            let place = match (site.element, open.innermost()) {
                (Element::Function(_), Some(place)) if starts_on(&functions.keys[place], site) => {
                    place
                }
                (Element::Function(name), _) => {
                    let key = FunctionKey { file: site.file, line: site.line, name };
                    let place = functions.push(key, table.end(id));
                    open.enter(place, table.end(id));
                    place
                }
                (_, Some(place)) => place,
                (_, None) => *open.outside.get_or_insert_with(|| {
                    let key = FunctionKey { file: site.file, line: 0, name: Symbol::NONE };
                    functions.push(key, None)
                }),
            };
            functions.places[id.index()] = Some(place);
        }
        functions
    }

    /// Returns the index of a site's function in the keys; none if the site is excluded.
    pub fn place(&self, site: SiteId) -> Option<usize> {
        self.places.get(site.index()).copied().flatten()
    }

    fn push(&mut self, key: FunctionKey, end: Option<u32>) -> usize {
        self.keys.push(key);
        self.ends.push(end);
        self.keys.len() - 1
    }
}

/// Summarises each function, with the lines, branches, regions and blocks in it (see
/// [`Functions::of`]).
pub fn by_function(table: &SiteTable, tally: &Tally) -> Vec<(FunctionKey, Summaries)> {
    let functions = Functions::of(table);
    let mut rows: Vec<(FunctionKey, Summaries)> =
        functions.keys.iter().map(|key| (*key, Summaries::default())).collect();
    for (id, site) in table.sites() {
        if let Some(place) = functions.place(id) {
            rows[place].1[site.criterion()].add(tally, id);
        }
    }
    rows
}

fn starts_on(function: &FunctionKey, site: &Site) -> bool {
    function.name != Symbol::NONE && function.line == site.line && function.line != 0
}

/// The functions around the current line, by row, the innermost last.
#[derive(Default)]
struct OpenFunctions {
    file: Option<FileId>,
    stack: Vec<(usize, Option<u32>)>,
    /// The row of the code outside of functions.
    outside: Option<usize>,
}

impl OpenFunctions {
    fn advance(&mut self, file: FileId, line: u32) {
        if self.file != Some(file) {
            *self = OpenFunctions { file: Some(file), ..OpenFunctions::default() };
        }
        while self.stack.pop_if(|(_, end)| end.is_some_and(|end| end < line)).is_some() {}
    }

    /// A function whose end is not reported ends where the next one starts.
    fn enter(&mut self, row: usize, end: Option<u32>) {
        while self.stack.pop_if(|(_, end)| end.is_none()).is_some() {}
        self.stack.push((row, end));
    }

    fn innermost(&self) -> Option<usize> {
        self.stack.last().map(|(row, _)| *row)
    }
}

/// All sites in order, except that a function precedes the line that it starts on.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines 1 to 12 of one file, and functions as `(name, start, end)`.
    fn rows(functions: &[(&str, u32, Option<u32>)]) -> Vec<String> {
        let mut table = SiteTable::new();
        let file = table.file("a.c");
        let instance = Symbol::NONE;
        for (name, line, end) in functions {
            let element = Element::Function(table.symbol(name));
            let id = table.site(Site { file, line: *line, element, instance });
            if let Some(end) = end {
                table.set_end(id, *end);
            }
        }
        for line in 1..=12 {
            table.site(Site { file, line, element: Element::Line, instance });
        }
        let rows = by_function(&table, &Tally::of(&table)).into_iter();
        rows.map(|(key, summaries)| {
            format!("{} {}", table.name(key.name), summaries[Criterion::Line].sites)
        })
        .collect()
    }

    #[test]
    fn lines_belong_to_the_innermost_function_that_encloses_them() {
        let nested = [("outer", 2, Some(9)), ("lambda", 4, Some(5)), ("last", 11, Some(12))];
        assert_eq!(rows(&nested), [" 2", "outer 6", "lambda 2", "last 2"]);
    }

    #[test]
    fn without_ends_lines_belong_to_the_function_that_starts_last_before_them() {
        assert_eq!(rows(&[("first", 2, None), ("second", 4, None)]), [" 1", "first 2", "second 9"]);
    }

    #[test]
    fn functions_that_start_on_one_line_are_one_row() {
        let instances = [("f<double>", 3, Some(5)), ("f<int>", 3, Some(5))];
        assert_eq!(rows(&instances), [" 9", "f<double> 3"]);
    }
}
