//! The code: files, their functions, and how many MC sites each has.

use std::ops::Range;

use metacov_core::{
    Criterion, FunctionKey, Functions, SiteId, SiteState, SiteTable, Symbol, Tally,
};

use super::Digest;

/// The code of a run.
pub struct Outline {
    /// In the order of paths.
    pub files: Vec<FileOutline>,
    /// In the order of files and lines.
    pub functions: Vec<FunctionOutline>,
    of_sites: Functions,
}

/// A file.
pub struct FileOutline {
    /// Its path.
    pub path: String,
    /// Its functions.
    pub functions: Range<usize>,
    /// Its sites, in the order of lines and names.
    pub sites: Vec<SiteId>,
}

/// A function, or the code outside of all functions of a file.
pub struct FunctionOutline {
    /// The index of the file.
    pub file: usize,
    /// The line that it starts on; zero outside of functions.
    pub line: u32,
    /// Its name; empty outside of functions.
    pub name: String,
    /// By criterion, in the order of the digest: first for all relations together, then for each.
    pub numbers: Vec<Vec<Numbers>>,
}

/// How much code there is, and how much of it is in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// All sites.
    pub sites: u64,
    /// The executed sites.
    pub executed: u64,
    /// The sites in the difference of at least one pair.
    pub mc_sites: u64,
}

impl Outline {
    /// Outlines the code of a run.
    pub fn of(digest: &Digest) -> Self {
        let table = &digest.suite.table;
        let of_sites = Functions::of(table);
        let criteria: Vec<Criterion> = digest.criteria.iter().collect();
        let tallies: Vec<&Tally> =
            std::iter::once(&digest.total).chain(digest.suite.relations.values()).collect();
        let keys = of_sites.keys.clone();
        let mut outline = Outline { files: Vec::new(), functions: Vec::new(), of_sites };
        let mut file_of = vec![usize::MAX; table.file_count()];
        for key in &keys {
            outline.enter(table, key, &mut file_of, &criteria, tallies.len());
        }
        for id in table.ordered() {
            let site = table.get(id);
            outline.files[file_of[site.file.index()]].sites.push(id);
            let at = criteria.iter().position(|criterion| *criterion == site.criterion());
            let (Some(at), Some(row)) = (at, outline.of_sites.place(id)) else { continue };
            let numbers = &mut outline.functions[row].numbers[at];
            for (numbers, tally) in numbers.iter_mut().zip(&tallies) {
                numbers.add(tally.state(id));
            }
        }
        outline
    }

    /// Returns the index of a site's function; none if the site is excluded.
    pub fn function_of(&self, site: SiteId) -> Option<usize> {
        self.of_sites.place(site)
    }

    fn enter(
        &mut self,
        table: &SiteTable,
        key: &FunctionKey,
        file_of: &mut [usize],
        criteria: &[Criterion],
        columns: usize,
    ) {
        let file = &mut file_of[key.file.index()];
        if *file == usize::MAX {
            *file = self.files.len();
            let path = table.path(key.file).to_owned();
            let start = self.functions.len();
            self.files.push(FileOutline { path, functions: start..start, sites: Vec::new() });
        }
        self.files[*file].functions.end = self.functions.len() + 1;
        let name = if key.name == Symbol::NONE { "" } else { table.shown_name(key.name) };
        self.functions.push(FunctionOutline {
            file: *file,
            line: key.line,
            name: name.to_owned(),
            numbers: vec![vec![Numbers::default(); columns]; criteria.len()],
        });
    }
}

impl Numbers {
    fn add(&mut self, state: SiteState) {
        self.sites += 1;
        self.executed += u64::from(state != SiteState::NotExecuted);
        self.mc_sites += u64::from(state.is_mc());
    }
}
