//! Files that list all code, whether it ran or not.

use std::collections::BTreeMap;

use metacov_core::{BranchKey, Cover, Criteria, Criterion, Element, FileId, SiteTable};

/// The statements of all files: the lines that they start on.
pub(crate) struct Universe {
    /// By file, ascending.
    lines: Vec<Vec<u32>>,
    sites: BTreeMap<Criterion, Cover>,
}

impl Universe {
    /// Collects the statements of a table.
    pub(crate) fn of(table: &SiteTable) -> Self {
        let mut lines = vec![Vec::new(); table.file_count()];
        let mut sites: BTreeMap<Criterion, Cover> = BTreeMap::new();
        for (id, site) in table.all_sites() {
            sites.entry(site.criterion()).or_insert_with(|| Cover::of(table)).insert(id);
            if site.element == Element::Line {
                lines[site.file.index()].push(site.line);
            }
        }
        for lines in &mut lines {
            lines.sort_unstable();
        }
        Universe { lines, sites }
    }

    /// Returns all sites of some criteria.
    pub(crate) fn sites(&self, criteria: Criteria) -> impl Iterator<Item = &Cover> {
        criteria.iter().filter_map(|criterion| self.sites.get(&criterion))
    }

    /// The first line of the statement on this line: the nearest at or above it. A statement that
    /// spans several lines is traced on several of them.
    pub(crate) fn statement(&self, file: FileId, line: u32) -> Option<u32> {
        let lines = self.lines.get(file.index())?;
        let after = lines.partition_point(|start| *start <= line);
        lines.get(after.checked_sub(1)?).copied()
    }

    /// The branches that a jump between lines may be: to that line itself, or to the statement that
    /// contains it. A negative end is the exit from the function that starts there.
    pub(crate) fn branches(&self, file: FileId, to: i32) -> impl Iterator<Item = BranchKey> {
        let statement = self.statement(file, to.unsigned_abs());
        let statement = statement.and_then(|line| i32::try_from(line).ok());
        let statement = statement.map(|line| if to < 0 { -line } else { line });
        [Some(to), statement].into_iter().flatten().map(BranchKey::Jump)
    }
}
