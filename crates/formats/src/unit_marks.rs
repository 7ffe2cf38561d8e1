//! What producers report about functions, by translation unit.
//!
//! A program may contain several versions of a function: an inline function is optimised
//! differently in different units, and a source may be compiled twice with different macros. So a
//! function of a unit is compared only with the same function of the same unit; and if even that
//! has several versions within one side (units of the same name in two folders), it is not
//! compared.

use std::cmp::Reverse;
use std::path::Path;

use metacov_core::{BuildMismatch, Fingerprint, Mark, SiteId, SiteTable};

/// The marks of one side, and the files that they come from.
#[derive(Default)]
pub(crate) struct UnitMarks {
    marks: Vec<(SiteId, Mark, usize)>,
    files: Vec<String>,
}

impl UnitMarks {
    /// Sets the file of the marks that follow.
    pub(crate) fn begin_file(&mut self, name: &str) {
        self.files.push(name.to_owned());
    }

    pub(crate) fn add(&mut self, site: SiteId, mark: Mark) {
        self.marks.push((site, mark, self.files.len().saturating_sub(1)));
    }

    /// Adds all marks of a side to the table. The error has the name of the file that is of another
    /// build, if it has one.
    pub(crate) fn settle(
        &mut self,
        table: &mut SiteTable,
    ) -> Result<(), (BuildMismatch, Option<String>)> {
        // The largest kind first: the table keeps the smallest, and compares with the one that it
        // has kept.
        self.marks.sort_unstable_by_key(|(site, mark, file)| (*site, Reverse(mark.kind()), *file));
        let mut settled = Ok(());
        for same in
            self.marks.chunk_by(|left, right| (left.0, left.1.kind()) == (right.0, right.1.kind()))
        {
            let (site, first, file) = same[0];
            let is_one = same.iter().all(|(_, mark, _)| *mark == first);
            let mark = if is_one { first } else { first.ambiguous() };
            settled = table.mark(site, mark).map_err(|mismatch| (mismatch, self.files.get(file)));
            if settled.is_err() {
                break;
            }
        }
        let settled = settled.map_err(|(mismatch, file)| (mismatch, file.cloned()));
        self.marks.clear();
        self.files.clear();
        settled
    }
}

/// A hash of a unit's name: that of the file of its counters. Below the folder of a side it is the
/// path relative to that folder, which distinguishes units of the same name.
pub(crate) fn unit_of(counters: &Path, folder: Option<&Path>) -> u32 {
    let below = folder.and_then(|folder| counters.strip_prefix(folder).ok());
    let name = below.or_else(|| counters.file_name().map(Path::new)).unwrap_or(counters);
    hash_of(name)
}

/// A hash of a unit's whole path.
pub(crate) fn hash_of(name: &Path) -> u32 {
    let mut fingerprint = Fingerprint::new();
    fingerprint.bytes(name.as_os_str().as_encoded_bytes());
    let [_, _, _, _, high @ ..] = fingerprint.hash().to_le_bytes();
    u32::from_le_bytes(high).max(1)
}

#[cfg(test)]
mod tests {
    use metacov_core::{Element, Site, Symbol};

    use super::*;

    /// A known unit is compared before a smaller unit of the side replaces it.
    #[test]
    fn known_units_are_compared_whatever_other_units_a_side_has() {
        for unit in [1, 3] {
            let mut table = SiteTable::new();
            let (file, element) = (table.file("h.h"), Element::Function(table.symbol("f")));
            let site = table.site(Site { file, line: 1, element, instance: Symbol::NONE });
            table.mark(site, Mark::new(1, 2, 20)).unwrap();
            let mut marks = UnitMarks::default();
            marks.begin_file("side");
            marks.add(site, Mark::new(1, unit, 10));
            marks.add(site, Mark::new(1, 2, 21));
            let (mismatch, file) = marks.settle(&mut table).unwrap_err();
            assert_eq!(mismatch.to_string(), "h.h:1 is not the same code");
            assert_eq!(file.as_deref(), Some("side"));
        }
    }
}
