//! What producers say of functions, translation unit by translation unit.
//!
//! One program may have several versions of one function: an inline function is optimised in one way
//! here and in another there, and a source may be compiled twice with other macros. So a function of
//! one unit is compared with the same function of the same unit only; and where even that has several
//! versions within one side (units of one name in two folders), with none.

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
    /// The marks that follow come from this file.
    pub(crate) fn begin_file(&mut self, name: &str) {
        self.files.push(name.to_owned());
    }

    pub(crate) fn add(&mut self, site: SiteId, mark: Mark) {
        self.marks.push((site, mark, self.files.len().saturating_sub(1)));
    }

    /// Takes all marks of a side to the table. The error has the name of the file that is of another
    /// build, if it has one.
    pub(crate) fn settle(
        &mut self,
        table: &mut SiteTable,
    ) -> Result<(), (BuildMismatch, Option<String>)> {
        // The largest kind first: the table keeps the smallest, and compares with what it has kept.
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

/// The name of a unit, hashed: that of the file of its counters. Below the folder of a side it is the
/// path from there on, which tells units of one name apart.
pub(crate) fn unit_of(counters: &Path, folder: Option<&Path>) -> u32 {
    let below = folder.and_then(|folder| counters.strip_prefix(folder).ok());
    let name = below.or_else(|| counters.file_name().map(Path::new)).unwrap_or(counters);
    hash_of(name)
}

/// The whole path of a unit, hashed.
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

    /// What a side reports of a known unit is compared before a smaller unit takes its place.
    #[test]
    fn a_known_unit_is_compared_whichever_other_units_a_side_has() {
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
