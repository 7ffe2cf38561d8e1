//! Differences as short lists of lines: `stat.c:11-14, 20`.

use std::collections::BTreeMap;

use metacov_core::{Cover, Criterion, SiteTable};
use serde::Serialize;

/// Lines of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinesOfFile {
    /// The path of the file.
    pub file: String,
    /// The first and last line of each stretch. Lines without code do not end a stretch.
    pub lines: Vec<(u32, u32)>,
}

impl LinesOfFile {
    /// The lines of a set of sites of one criterion, by path.
    pub(super) fn of(table: &SiteTable, sites: &Cover, criterion: Criterion) -> Vec<Self> {
        // Several sites may be on a line, such as those of the instances of a template.
        let mut lines: BTreeMap<(&str, u32), bool> = BTreeMap::new();
        for (id, site) in table.sites().filter(|(_, site)| site.criterion() == criterion) {
            *lines.entry((table.path(site.file), site.line)).or_default() |= sites.contains(id);
        }
        let mut files: Vec<LinesOfFile> = Vec::new();
        let mut goes_on = false;
        for ((file, line), is_in) in lines {
            let is_new = files.last().is_none_or(|last| last.file != file);
            if is_in && is_new {
                files.push(LinesOfFile { file: file.to_owned(), lines: vec![(line, line)] });
            } else if is_in && let Some(last) = files.last_mut() {
                match last.lines.last_mut() {
                    Some((_, end)) if goes_on => *end = line,
                    _ => last.lines.push((line, line)),
                }
            }
            goes_on = is_in;
        }
        files
    }
}

impl std::fmt::Display for LinesOfFile {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stretch = |(first, last): &(u32, u32)| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        };
        let stretches: Vec<String> = self.lines.iter().map(stretch).collect();
        write!(out, "{}:{}", self.file, stretches.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use metacov_core::{Element, Site, Symbol};

    use super::*;

    #[test]
    fn lines_without_code_do_not_end_a_stretch_and_lines_outside_do() {
        let mut table = SiteTable::new();
        let mut sites = Vec::new();
        for (path, lines) in [("b.c", &[1, 2][..]), ("a.c", &[11, 12, 14, 17, 18, 20])] {
            let file = table.file(path);
            for line in lines {
                let site =
                    Site { file, line: *line, element: Element::Line, instance: Symbol::NONE };
                sites.push((path, *line, table.site(site)));
            }
        }
        let mut cover = Cover::of(&table);
        for (path, line, id) in sites {
            if path == "b.c" || [11, 12, 14, 18].contains(&line) {
                cover.insert(id);
            }
        }
        let files = LinesOfFile::of(&table, &cover, Criterion::Line);
        let texts: Vec<String> = files.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["a.c:11-14, 18", "b.c:1-2"]);
        assert_eq!(LinesOfFile::of(&table, &Cover::of(&table), Criterion::Line), []);
    }
}
