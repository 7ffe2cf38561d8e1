//! The source that reports show: as it was when it was measured.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use metacov_formats::Error;
use metacov_store::{Header, SourceText, SourceTexts};

use super::target;
use crate::args::run_file::has_own_source;
use crate::console::Console;

/// How many files are named in a message.
const NAMED_MAX: usize = 3;

/// The texts of the source files of a run: those of the run file, and for files that it has no text of, those on the
/// disk.
pub struct ReportSources {
    stored: SourceTexts,
    /// Where the source may be: in the target's folder, where the run was begun, or anywhere.
    folders: Vec<PathBuf>,
    /// The first text that could not be read.
    error: RefCell<Option<Error>>,
}

impl ReportSources {
    pub fn open(run: &Path, header: &Header) -> Result<Self, Error> {
        let engine = header.settings.get("the engine").filter(|_| has_own_source(&header.settings));
        let engine = engine.and_then(|name| target::list().find(name).ok());
        let engine = engine.map(|(_, artifact)| artifact.folder);
        let folders = engine.into_iter().chain([header.root.clone(), PathBuf::from("/")]);
        Ok(ReportSources {
            stored: SourceTexts::open(run)?,
            folders: folders.collect(),
            error: RefCell::default(),
        })
    }

    /// The text of a file, if there is one that can be trusted to be what was measured.
    pub fn text(&self, path: &str) -> Option<Vec<u8>> {
        match self.stored(path) {
            None => self.on_disk(path),
            Some(SourceText { text: Some(text), .. }) => Some(text),
            Some(large) => self.on_disk(path).filter(|text| large.is(text)),
        }
    }

    /// The text of a file that is another one on the disk now, if it was kept.
    pub fn changed_text(&self, path: &str) -> Option<Vec<u8>> {
        let stored = self.stored(path).filter(|stored| self.has_changed(path, stored));
        stored.and_then(|stored| stored.text)
    }

    /// Says which files have changed since they were measured.
    pub fn tell_changed(&self, console: &Console) {
        let changed = self.stored.paths().filter_map(|path| {
            let stored = self.stored(path).filter(|stored| self.has_changed(path, stored))?;
            Some((path.to_owned(), stored.text.is_some()))
        });
        let (kept, left_out): (Vec<_>, Vec<_>) = changed.partition(|(_, is_kept)| *is_kept);
        let say = |files: Vec<(String, bool)>, what: &str| {
            let names: Vec<String> = files.into_iter().map(|(path, _)| path).collect();
            if !names.is_empty() {
                console.note(&format!("changed since measured: {}; {what}", some(&names)));
            }
        };
        say(kept, "lines are those of the source as it was measured");
        say(left_out, "too large to be kept, so the source is not shown");
    }

    /// An error, if the text of a file could not be read.
    pub fn finish(self) -> Result<(), Error> {
        self.error.into_inner().map_or(Ok(()), Err)
    }

    fn stored(&self, path: &str) -> Option<SourceText> {
        self.stored.get(path).unwrap_or_else(|error| {
            self.error.borrow_mut().get_or_insert(error);
            None
        })
    }

    fn has_changed(&self, path: &str, stored: &SourceText) -> bool {
        self.on_disk(path).is_some_and(|text| !stored.is(&text))
    }

    fn on_disk(&self, path: &str) -> Option<Vec<u8>> {
        let mut found = self.folders.iter().map(|folder| folder.join(path));
        found.find(|path| path.is_file()).and_then(|path| fs::read(path).ok())
    }
}

/// The first of these names, and how many more there are.
pub fn some(names: &[String]) -> String {
    let first = names.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED_MAX) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
