//! The numbering of all sites of one build.

mod data;

use std::cmp::Ordering;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

pub use data::TableData;

use super::symbols::Symbols;
use crate::{
    BranchKey, BuildMismatch, Cover, Criteria, Criterion, Element, FileId, Fingerprint, Mark,
    Renumbering, Site, SiteId, Span, Symbol,
};

/// Identifies the table of a cover. The default is for examples and tests: no table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableId(u32);

/// A fingerprint of all sites of a build: the same for the same sites, in any order of insertion,
/// on any machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BuildId(u64);

impl BuildId {
    /// The fingerprint as a number.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// All sites of one build, each with a number.
///
/// The table grows as coverage files are read. It caches the last site that was looked up: a second
/// report of the build lists the same sites in the same order, so the next site is nearly always
/// the one with the next number, and is found without hashing.
pub struct SiteTable {
    id: TableId,
    files: Vec<Symbol>,
    file_index: HashMap<Symbol, FileId>,
    symbols: Symbols,
    shown_names: HashMap<Symbol, Symbol>,
    sites: Vec<Site>,
    /// The last lines of functions, if files report them.
    ends: HashMap<SiteId, u32>,
    index: HashTable<SiteId>,
    hasher: DefaultHashBuilder,
    expected: usize,
    /// What the producer reports about the build at each site, such as the hash of the source line.
    marks: Vec<Option<Mark>>,
    excluded: Cover,
    partial: Criteria,
    /// How often the table was changed.
    revision: u64,
}

impl SiteTable {
    /// Creates a table without sites.
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let mut table = SiteTable {
            id: TableId(NEXT.fetch_add(1, Relaxed)),
            files: Vec::new(),
            file_index: HashMap::new(),
            symbols: Symbols::default(),
            shown_names: HashMap::new(),
            sites: Vec::new(),
            ends: HashMap::new(),
            index: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            expected: 0,
            marks: Vec::new(),
            excluded: Cover::default(),
            partial: Criteria::default(),
            revision: 0,
        };
        table.excluded = Cover::of(&table);
        table
    }

    /// Returns the identity of this table.
    pub fn id(&self) -> TableId {
        self.id
    }

    /// The revision of the table: a different number after any addition (file, site, mark, ...).
    /// Two calls that return the same revision see the same table.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// How many sites there are, including excluded ones.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Whether there are no sites.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// The number of a site, new or known.
    pub fn site(&mut self, site: Site) -> SiteId {
        if self.sites.get(self.expected) == Some(&site) {
            self.expected += 1;
            return SiteId::new(self.expected - 1);
        }
        let hash = self.hasher.hash_one(site);
        let known = self.index.find(hash, |id| self.sites[id.index()] == site).copied();
        let id = known.unwrap_or_else(|| {
            let id = SiteId::new(self.sites.len());
            self.sites.push(site);
            self.revision += 1;
            let (sites, hasher) = (&self.sites, &self.hasher);
            self.index.insert_unique(hash, id, |id| hasher.hash_one(sites[id.index()]));
            id
        });
        self.expected = id.index() + 1;
        id
    }

    /// The number of a site, if it is known.
    pub fn find(&self, site: Site) -> Option<SiteId> {
        let hash = self.hasher.hash_one(site);
        self.index.find(hash, |id| self.sites[id.index()] == site).copied()
    }

    /// The site of a number.
    pub fn get(&self, id: SiteId) -> &Site {
        &self.sites[id.index()]
    }

    /// All sites, in the order in which they were added.
    pub fn all_sites(&self) -> impl Iterator<Item = (SiteId, &Site)> {
        self.sites.iter().enumerate().map(|(at, site)| (SiteId::new(at), site))
    }

    /// All sites that are not excluded, in the order in which they were added.
    pub fn sites(&self) -> impl Iterator<Item = (SiteId, &Site)> {
        self.all_sites().filter(|(id, _)| !self.is_excluded(*id))
    }

    /// All sites that are not excluded, by path, line, criterion and name: the order of all output.
    pub fn ordered(&self) -> Vec<SiteId> {
        let mut ids: Vec<SiteId> = self.sites().map(|(id, _)| id).collect();
        self.sort(&mut ids);
        ids
    }

    /// All sites, including excluded ones, in that same order.
    pub fn all_ordered(&self) -> Vec<SiteId> {
        let mut ids: Vec<SiteId> = self.all_sites().map(|(id, _)| id).collect();
        self.sort(&mut ids);
        ids
    }

    fn sort(&self, ids: &mut [SiteId]) {
        let mut by_path: Vec<usize> = (0..self.files.len()).collect();
        by_path.sort_by_key(|file| self.symbols.name(self.files[*file]));
        // First by file, without comparing: a large program has thousands of sites in each.
        let mut ends = vec![0; self.files.len()];
        for id in &*ids {
            ends[self.get(*id).file.index()] += 1;
        }
        let mut end = 0;
        for file in by_path {
            let start = end;
            end += ends[file];
            ends[file] = start;
        }
        let unordered = ids.to_vec();
        for id in unordered {
            let place = &mut ends[self.get(id).file.index()];
            ids[*place] = id;
            *place += 1;
        }
        for of_file in ids.chunk_by_mut(|left, right| self.get(*left).file == self.get(*right).file)
        {
            of_file.sort_by(|left, right| {
                let (left, right) = (self.get(*left), self.get(*right));
                left.line
                    .cmp(&right.line)
                    .then_with(|| self.compare_elements(left.element, right.element))
                    .then_with(|| self.name(left.instance).cmp(self.name(right.instance)))
            });
        }
    }

    /// The number of the file with this path, new or known.
    pub fn file(&mut self, path: &str) -> FileId {
        let symbol = self.symbols.intern(path);
        *self.file_index.entry(symbol).or_insert_with(|| {
            self.files.push(symbol);
            self.revision += 1;
            FileId::new(self.files.len() - 1)
        })
    }

    /// The path of a file.
    pub fn path(&self, file: FileId) -> &str {
        self.symbols.name(self.files[file.index()])
    }

    /// The paths of all files, by their numbers. A file may have no site.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &str> {
        self.files.iter().map(|path| self.symbols.name(*path))
    }

    /// How many files there are.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The symbol of a name, new or known.
    pub fn symbol(&mut self, name: &str) -> Symbol {
        self.symbols.intern(name)
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.symbols.name(symbol)
    }

    /// Sets the name to show for the linker's name `symbol`.
    pub fn set_shown_name(&mut self, symbol: Symbol, shown: Symbol) {
        if shown != symbol && self.shown_names.insert(symbol, shown) != Some(shown) {
            self.revision += 1;
        }
    }

    /// The name to show that was set for a symbol, if any.
    pub fn given_name(&self, symbol: Symbol) -> Option<Symbol> {
        self.shown_names.get(&symbol).copied()
    }

    /// The name to show for a symbol: the linker's, unless another was set.
    pub fn shown_name(&self, symbol: Symbol) -> &str {
        self.name(self.shown_names.get(&symbol).copied().unwrap_or(symbol))
    }

    /// Sets the last line of a function. Of several versions the largest counts.
    pub fn set_end(&mut self, function: SiteId, line: u32) {
        let known = self.ends.entry(function).or_insert(0);
        if *known < line {
            *known = line;
            self.revision += 1;
        }
    }

    /// The last line of a function, if it is known.
    pub fn end(&self, function: SiteId) -> Option<u32> {
        self.ends.get(&function).copied()
    }

    /// Sets the mark of a site, and refuses another build. Only marks of one kind are compared: the
    /// smallest kind that is set at a site.
    pub fn mark(&mut self, id: SiteId, mark: Mark) -> Result<(), BuildMismatch> {
        if self.marks.len() <= id.index() {
            self.marks.resize(self.sites.len(), None);
        }
        let known = self.marks[id.index()];
        let Some(united) = known.map_or(Some(mark), |known| known.unite(mark)) else {
            let site = self.get(id);
            let place = format!("{}:{}", self.path(site.file), site.line);
            return Err(BuildMismatch { place });
        };
        if known != Some(united) {
            self.marks[id.index()] = Some(united);
            self.revision += 1;
        }
        Ok(())
    }

    /// The mark of a site.
    pub fn mark_of(&self, id: SiteId) -> Option<Mark> {
        self.marks.get(id.index()).copied().flatten()
    }

    /// Excludes a site from every count, on all sides.
    pub fn exclude(&mut self, id: SiteId) {
        self.revision += u64::from(self.excluded.insert(id));
    }

    /// Whether a site is excluded from every count.
    pub fn is_excluded(&self, id: SiteId) -> bool {
        self.excluded.contains(id)
    }

    /// Marks a criterion as partial: only sites that ran are known, so that no percentage of all of
    /// them is known.
    pub fn set_partial(&mut self, criterion: Criterion) {
        self.revision += u64::from(!self.partial.contains(criterion));
        self.partial.insert(criterion);
    }

    /// The criteria of which only sites that ran are known.
    pub fn partial(&self) -> Criteria {
        self.partial
    }

    /// Adds all sites, marks and exclusions of another table. Returns the numbers that the other's
    /// sites have here.
    pub fn absorb(&mut self, other: &SiteTable) -> Result<Renumbering, BuildMismatch> {
        if self.is_new() {
            // The first worker's table: a copy takes much less time than adding a million sites.
            let revision = self.revision + other.revision + 1;
            *self = SiteTable { revision, ..other.copy(self.id) };
            return Ok(Renumbering::new(self.id, (0..self.len()).map(SiteId::new).collect()));
        }
        let files: Vec<FileId> =
            other.files.iter().map(|path| self.file(other.name(*path))).collect();
        let mut numbers = Vec::with_capacity(other.len());
        for (at, site) in other.sites.iter().enumerate() {
            let element = self.element_of(other, site.element);
            let instance = self.symbol(other.name(site.instance));
            let id = self.site(Site { file: files[site.file.index()], element, instance, ..*site });
            if let Some(mark) = other.mark_of(SiteId::new(at)) {
                self.mark(id, mark)?;
            }
            if let Some(end) = other.end(SiteId::new(at)) {
                self.set_end(id, end);
            }
            if other.excluded.contains(SiteId::new(at)) {
                self.exclude(id);
            }
            numbers.push(id);
        }
        for (symbol, shown) in &other.shown_names {
            let symbol = self.symbol(other.name(*symbol));
            let shown = self.symbol(other.name(*shown));
            self.set_shown_name(symbol, shown);
        }
        other.partial.iter().for_each(|criterion| self.set_partial(criterion));
        Ok(Renumbering::new(self.id, numbers))
    }

    /// Whether nothing was ever added.
    fn is_new(&self) -> bool {
        self.revision == 0 && self.symbols.names().next().is_none()
    }

    /// The same table under another identity.
    fn copy(&self, id: TableId) -> SiteTable {
        SiteTable {
            id,
            files: self.files.clone(),
            file_index: self.file_index.clone(),
            symbols: self.symbols.clone(),
            shown_names: self.shown_names.clone(),
            sites: self.sites.clone(),
            ends: self.ends.clone(),
            index: self.index.clone(),
            hasher: self.hasher.clone(),
            expected: 0,
            marks: self.marks.clone(),
            excluded: self.excluded.clone().retagged(id),
            partial: self.partial,
            revision: self.revision,
        }
    }

    /// The same table, with files, names and sites numbered in output order. The result does not
    /// depend on the order in which they were added.
    pub fn in_order(&self) -> Result<SiteTable, BuildMismatch> {
        let mut table = SiteTable::new();
        let mut paths: Vec<&str> = self.paths().collect();
        paths.sort_unstable();
        for path in paths {
            table.file(path);
        }
        for id in self.all_ordered() {
            let site = self.get(id);
            let file = table.file(self.path(site.file));
            let element = table.element_of(self, site.element);
            let instance = table.symbol(self.name(site.instance));
            table.site(Site { file, element, instance, ..*site });
        }
        table.absorb(self)?;
        Ok(table)
    }

    /// The element of another table, with its names in this one.
    fn element_of(&mut self, other: &SiteTable, element: Element) -> Element {
        match element {
            Element::Function(name) => Element::Function(self.symbol(other.name(name))),
            Element::Branch(BranchKey::Label { block, name }) => {
                let name = self.symbol(other.name(name));
                Element::Branch(BranchKey::Label { block, name })
            }
            Element::Block { function, number } => {
                Element::Block { function: self.symbol(other.name(function)), number }
            }
            element => element,
        }
    }

    /// The fingerprint of the build, as far as it is known.
    pub fn build_id(&self) -> BuildId {
        let mut fingerprint = Fingerprint::new();
        for id in self.ordered() {
            let site = self.get(id);
            fingerprint.text(self.path(site.file));
            fingerprint.numbers([site.line]);
            fingerprint.text(self.name(site.instance));
            self.fingerprint_element(&mut fingerprint, site.element);
        }
        BuildId(fingerprint.hash())
    }

    fn fingerprint_element(&self, fingerprint: &mut Fingerprint, element: Element) {
        fingerprint.text(element.criterion().name());
        match element {
            Element::Line => {}
            Element::Function(name) => fingerprint.text(self.name(name)),
            Element::Region(span) => {
                fingerprint.numbers([span.column, span.end_line, span.end_column]);
            }
            Element::Block { function, number } => {
                fingerprint.text(self.name(function));
                fingerprint.numbers([number]);
            }
            Element::Branch(BranchKey::Position(at) | BranchKey::Number(at)) => {
                fingerprint.numbers([at]);
            }
            Element::Branch(BranchKey::Arc { source, destination, occurrence }) => {
                fingerprint.numbers([source, destination, occurrence]);
            }
            Element::Branch(BranchKey::Label { block, name }) => {
                fingerprint.numbers([block]);
                fingerprint.text(self.name(name));
            }
            Element::Branch(BranchKey::Jump(to)) => fingerprint.numbers([to.cast_unsigned()]),
            Element::Branch(BranchKey::Outcome { span, taken }) => {
                let Span { column, end_line, end_column } = span;
                fingerprint.numbers([column, end_line, end_column, u32::from(taken)]);
            }
            Element::Branch(BranchKey::Alternative { decision, index }) => {
                fingerprint.numbers([decision, index]);
            }
        }
    }

    /// By criterion, then by key; names alphabetically.
    fn compare_elements(&self, left: Element, right: Element) -> Ordering {
        match (left, right) {
            (Element::Function(left), Element::Function(right)) => {
                self.name(left).cmp(self.name(right))
            }
            (
                Element::Branch(BranchKey::Label { block: left_block, name: left }),
                Element::Branch(BranchKey::Label { block: right_block, name: right }),
            ) => left_block
                .cmp(&right_block)
                .then_with(|| compare_numerically(self.name(left), self.name(right))),
            (
                Element::Block { function: left, number: left_number },
                Element::Block { function: right, number: right_number },
            ) => self.name(left).cmp(self.name(right)).then(left_number.cmp(&right_number)),
            _ => left.cmp(&right),
        }
    }
}

impl Default for SiteTable {
    fn default() -> Self {
        SiteTable::new()
    }
}

impl fmt::Display for BuildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for BuildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BuildId({self})")
    }
}

/// Numbers by value, so that branch 10 comes after branch 9; other text alphabetically.
fn compare_numerically(left: &str, right: &str) -> Ordering {
    match (left.parse::<u64>(), right.parse::<u64>()) {
        (Ok(left), Ok(right)) => left.cmp(&right),
        _ => left.cmp(right),
    }
}
