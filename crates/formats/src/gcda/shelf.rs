//! Where notes are found, and kept once they have been read.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::entries::Unit;
use super::notes::Notes;
use crate::{Fault, Place};

/// Notes beyond this size are not notes.
const NOTES_BYTES_MAX: u64 = 1 << 30;

/// How deep a folder of notes is searched.
const DEPTH_MAX: usize = 32;

/// The notes that have been read.
#[derive(Default)]
pub(crate) struct Shelf {
    units: BTreeMap<(PathBuf, u32), Rc<Unit>>,
    /// By file name: the notes below the folder that was asked for last.
    index: Option<(PathBuf, BTreeMap<String, Vec<PathBuf>>)>,
}

impl Shelf {
    /// The notes of these counters: beside them, or anywhere below `folder`.
    pub(super) fn unit(
        &mut self,
        counters: &Path,
        stamp: u32,
        folder: Option<&Path>,
    ) -> Result<Rc<Unit>, Fault> {
        let beside = counters.with_extension("gcno");
        let name = beside.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let elsewhere = folder.map(|folder| self.below(folder, &name)).unwrap_or_default();
        let mut other_stamp = None;
        for path in std::iter::once(beside.clone()).chain(elsewhere) {
            if let Some(unit) = self.units.get(&(path.clone(), stamp)) {
                return Ok(unit.clone());
            }
            if !path.is_file() {
                continue;
            }
            let notes = read(&path).map_err(|fault| {
                Fault::malformed(Place::Whole, format!("its notes {}: {fault}", path.display()))
            })?;
            if notes.stamp == stamp {
                let unit = Rc::new(Unit::of(notes));
                self.units.insert((path, stamp), unit.clone());
                return Ok(unit);
            }
            other_stamp = Some(path);
        }
        let what = match other_stamp {
            Some(path) => format!("{} is of another build (compiled again?)", path.display()),
            None => format!("no notes {} (name their folder with --notes)", beside.display()),
        };
        Err(Fault::malformed(Place::Whole, what))
    }

    /// The notes of this name below a folder.
    fn below(&mut self, folder: &Path, name: &str) -> Vec<PathBuf> {
        if self.index.as_ref().is_none_or(|(indexed, _)| indexed != folder) {
            let mut index = BTreeMap::new();
            walk(folder, 0, &mut index);
            self.index = Some((folder.to_owned(), index));
        }
        self.index.as_ref().and_then(|(_, index)| index.get(name)).cloned().unwrap_or_default()
    }
}

fn read(path: &Path) -> Result<Notes, Fault> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(NOTES_BYTES_MAX).read_to_end(&mut bytes)?;
    Notes::read(&bytes)
}

/// Collects the notes below a folder. Links are not followed: they may lead in circles.
fn walk(folder: &Path, depth: usize, index: &mut BTreeMap<String, Vec<PathBuf>>) {
    let mut paths: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
    paths.sort_by_key(std::fs::DirEntry::file_name);
    for entry in paths {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEPTH_MAX => walk(&path, depth + 1, index),
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|end| end == "gcno") => {
                let name = entry.file_name().to_string_lossy().into_owned();
                index.entry(name).or_default().push(path);
            }
            _ => {}
        }
    }
}
