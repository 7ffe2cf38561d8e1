//! Whether runs measure the same program.

use std::collections::BTreeSet;

use metacov_core::SiteTable;
use metacov_formats::{Error, Fault};

use crate::Header;

/// Headers of compilers and systems are part of unrelated programs.
const SYSTEM: &str = "/usr/";

/// What a run measures, to tell unrelated programs.
#[derive(Clone, Debug)]
pub struct MeasuredProgram {
    /// The run file as the user named it.
    name: String,
    /// The names of source files, without folders: versions of a program may be in different ones.
    files: BTreeSet<String>,
    /// Hashes of files with code.
    code: BTreeSet<u64>,
    /// Whether code that did not run may be missing.
    is_partial: bool,
}

impl MeasuredProgram {
    /// What the run of this name measures.
    pub fn new(name: &str, header: &Header, table: &SiteTable) -> Self {
        let with_sites: BTreeSet<&str> =
            table.all_sites().map(|(_, site)| table.path(site.file)).collect();
        let own = with_sites.into_iter().filter(|path| !path.starts_with(SYSTEM));
        let file_name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        MeasuredProgram {
            name: name.to_owned(),
            files: own.map(file_name).collect(),
            code: header.provenance.code.iter().map(|file| file.hash).collect(),
            is_partial: !table.partial().is_empty(),
        }
    }

    /// Refuses a run of an unrelated program: no source file of it has a name that a file of `earlier` has. Files that
    /// list only what ran say too little to decide that.
    pub fn check_related(&self, earlier: &MeasuredProgram) -> Result<(), Error> {
        let is_known = |run: &MeasuredProgram| !run.files.is_empty() && !run.is_partial;
        if !is_known(self)
            || !is_known(earlier)
            || !self.code.is_disjoint(&earlier.code)
            || !self.files.is_disjoint(&earlier.files)
        {
            return Ok(());
        }
        let (files, earlier_files) = (some(&self.files), some(&earlier.files));
        let earlier = earlier.name.clone();
        Err(Fault::OtherProgram { earlier, files, earlier_files }.of(&self.name))
    }
}

/// The first of these names.
fn some(files: &BTreeSet<String>) -> String {
    let first = files.first().map_or("", String::as_str);
    match files.len() {
        0 | 1 => first.to_owned(),
        more => format!("{first} and {} more", more - 1),
    }
}
