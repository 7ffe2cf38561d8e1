//! The input of writers: a folded suite, file by file and line by line.

use std::collections::BTreeMap;
use std::path::Path;

use metacov_core::{
    Criteria, Criterion, Element, Growth, PairResult, Site, SiteId, SiteTable, Suite, Tally,
    Violation,
};

use crate::gcovr_json::GcovrFormat;

/// A suite to write.
pub struct Export<'s> {
    /// The suite.
    pub suite: &'s Suite,
    /// All its relations together.
    pub total: &'s Tally,
    /// The criteria to write.
    pub criteria: Criteria,
    /// The folder that paths are relative to.
    pub root: &'s Path,
    /// The version of gcovr JSON to write.
    pub gcovr_format: GcovrFormat,
    /// The growth curve, if it is requested and known: a run file has it.
    pub growth: Option<&'s Growth>,
    /// The name of the file with a plot of the growth, written beside the report.
    pub plot: Option<&'s str>,
    /// If only changed code counts: since which revision.
    pub since: Option<&'s str>,
    /// Where the numbers come from: names and values.
    pub provenance: &'s [(&'static str, String)],
    /// The pairs that violate their relation, by place in the plan.
    pub violations: &'s BTreeMap<u64, Violation>,
    /// All pairs, if the writer needs them ([`Writer::needs_pairs`](crate::Writer::needs_pairs)).
    pub pairs: &'s [PairResult],
}

/// The sites of one source file.
pub(crate) struct FileSites<'s> {
    pub(crate) path: &'s str,
    /// By number, then by instance.
    pub(crate) lines: Vec<LineSites>,
    pub(crate) functions: Vec<SiteId>,
    pub(crate) regions: Vec<SiteId>,
    pub(crate) blocks: Vec<SiteId>,
}

/// The sites of one line, or of one function instance on it.
pub(crate) struct LineSites {
    pub(crate) number: u32,
    /// The line itself. A few producers list branches on lines that they do not list.
    pub(crate) line: Option<SiteId>,
    pub(crate) branches: Vec<SiteId>,
}

impl LineSites {
    /// In how many pairs the result contains the line, or any of its branches if the line itself is
    /// not listed.
    pub(crate) fn count(&self, tally: &Tally) -> u32 {
        match self.line {
            Some(line) => tally.count_of(line),
            None => self.branches.iter().map(|id| tally.count_of(*id)).max().unwrap_or(0),
        }
    }
}

impl<'s> Export<'s> {
    pub(crate) fn table(&self) -> &'s SiteTable {
        &self.suite.table
    }

    /// The sites of all files, in order.
    pub(crate) fn files(&self) -> Vec<FileSites<'s>> {
        let table = self.table();
        let mut ids = table.ordered();
        ids.retain(|id| self.criteria.contains(table.get(*id).criterion()));
        let mut files = Vec::new();
        for sites in ids.chunk_by_mut(|left, right| table.get(*left).file == table.get(*right).file)
        {
            if self.suite.per_instance {
                // Groups the sites of each instance. Otherwise there is only one instance.
                sites.sort_by_key(|id| (table.get(*id).line, table.name(table.get(*id).instance)));
            }
            files.push(file_sites(table, sites));
        }
        files
    }
}

fn file_sites<'s>(table: &'s SiteTable, sites: &[SiteId]) -> FileSites<'s> {
    let of = |criterion: Criterion| {
        sites.iter().copied().filter(move |id| table.get(*id).criterion() == criterion)
    };
    let mut file = FileSites {
        path: table.path(table.get(sites[0]).file),
        lines: Vec::new(),
        functions: of(Criterion::Function).collect(),
        regions: of(Criterion::Region).collect(),
        blocks: of(Criterion::Block).collect(),
    };
    let same_line =
        |left: &Site, right: &Site| left.line == right.line && left.instance == right.instance;
    let mut last: Option<&Site> = None;
    for id in sites {
        let site = table.get(*id);
        if !matches!(site.element, Element::Line | Element::Branch(_)) {
            continue;
        }
        if !last.is_some_and(|last| same_line(last, site)) {
            file.lines.push(LineSites { number: site.line, line: None, branches: Vec::new() });
            last = Some(site);
        }
        if let Some(line) = file.lines.last_mut() {
            match site.element {
                Element::Line => line.line = Some(*id),
                _ => line.branches.push(*id),
            }
        }
    }
    file
}
