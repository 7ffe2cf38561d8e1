//! The source that reports show: as it was when it was measured.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use metacov_core::first_names;
use metacov_formats::Error;

use crate::{SourceText, SourceTexts};

/// The texts of the source files of a run: those of the run file, and for files that it has no text of, those on the
/// disk.
pub struct MeasuredSources {
    stored: SourceTexts,
    /// Where the source may be.
    folders: Vec<PathBuf>,
    /// The first text that could not be read.
    error: RefCell<Option<Error>>,
}

impl MeasuredSources {
    /// Opens those of a run file. Files may also be in the folder of the target, if it has one, where the run was
    /// begun, or anywhere.
    pub fn open(run: &Path, target: Option<PathBuf>, root: &Path) -> Result<Self, Error> {
        let folders = target.into_iter().chain([root.to_owned(), PathBuf::from("/")]).collect();
        Ok(MeasuredSources { stored: SourceTexts::open(run)?, folders, error: RefCell::default() })
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
        self.changed(path).and_then(|stored| stored.text)
    }

    /// Which files have changed since they were measured, in sentences.
    pub fn changes(&self) -> Vec<String> {
        let changed = self
            .stored
            .paths()
            .filter_map(|path| Some((path.to_owned(), self.changed(path)?.text.is_some())));
        let (kept, left_out): (Vec<_>, Vec<_>) = changed.partition(|(_, is_kept)| *is_kept);
        let sentences = [
            (kept, "lines are those of the source as it was measured"),
            (left_out, "too large to be kept, so the source is not shown"),
        ];
        let sentence = |(files, what): (Vec<(String, bool)>, &str)| {
            let names: Vec<String> = files.into_iter().map(|(path, _)| path).collect();
            let first = first_names(&names);
            (!names.is_empty()).then(|| format!("changed since measured: {first}; {what}"))
        };
        sentences.into_iter().filter_map(sentence).collect()
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

    /// The stored text of a file that is another one on the disk now.
    fn changed(&self, path: &str) -> Option<SourceText> {
        let has_changed =
            |stored: &SourceText| self.on_disk(path).is_some_and(|text| !stored.is(&text));
        self.stored(path).filter(has_changed)
    }

    fn on_disk(&self, path: &str) -> Option<Vec<u8>> {
        let mut found = self.folders.iter().map(|folder| folder.join(path));
        found.find(|path| path.is_file()).and_then(|path| fs::read(path).ok())
    }
}
