//! Which code counts, and under which path: decided once for each site, the same for all sides.

mod left_out;
mod markers;
mod path;

use std::path::PathBuf;

use regex::Regex;

pub use left_out::{LeftOut, LeftOutCounts};
pub(crate) use markers::Exclusions;
pub(crate) use path::normalize;

/// Which code counts, and under which path.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Paths below it are shown relative to it, and sources are read from it. Absolute.
    pub root: PathBuf,
    /// `(old, new)`: in a path that starts with the folder `old`, it is replaced by `new`. The
    /// first match applies.
    pub prefix_map: Vec<(String, String)>,
    /// If not empty, only files whose path matches one of them, from the start, count.
    pub filter: Vec<Regex>,
    /// Files whose path matches one of them, from the start, do not count.
    pub exclude: Vec<Regex>,
    /// Whether exclusion markers in the sources are honoured.
    pub markers: bool,
    /// What the markers have excluded.
    pub left_out: LeftOut,
    /// Whether the instances of a template are distinguished.
    pub per_instance: bool,
    /// Whether the blocks of flow graphs are sites, if files list them. There are many.
    pub blocks: bool,
    /// Where to look for the notes (`.gcno`) of counters (`.gcda`) that are not beside them.
    pub notes: Option<PathBuf>,
    /// Where else to look for them.
    pub notes_search: NotesSearch,
    /// The folder in which the notes of large programs are kept in compiled form. It is created if
    /// necessary; if it cannot be used, they are compiled each time.
    pub notes_cache: Option<PathBuf>,
}

/// Where notes are searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NotesSearch {
    /// Beside the counters and where they were compiled, then below the folder of notes.
    #[default]
    CountersFirst,
    /// In the folder of notes only: the folder in which the counters were compiled may be on
    /// another machine, or contain another build.
    FolderOnly,
}

impl Scope {
    /// The path under which a file is listed, given the producer's path and the folder in which it
    /// was compiled.
    pub(crate) fn path(&self, path: &str, folder: Option<&str>) -> String {
        let mut path = normalize(path);
        if let Some(folder) = folder.filter(|_| !path::is_absolute(&path)) {
            path = normalize(&format!("{folder}/{path}"));
        }
        let mapped = self.prefix_map.iter().find_map(|(old, new)| {
            let rest = path::below(&path, &normalize(old))?;
            Some(normalize(&format!("{new}/{rest}")))
        });
        let path = mapped.unwrap_or(path);
        let root = normalize(&self.root.to_string_lossy());
        path::below(&path, &root).map_or(path.clone(), str::to_owned)
    }

    /// Whether the file counts.
    pub(crate) fn includes(&self, path: &str) -> bool {
        let matches = |pattern: &Regex| pattern.find(path).is_some_and(|found| found.start() == 0);
        (self.filter.is_empty() || self.filter.iter().any(matches))
            && !self.exclude.iter().any(matches)
    }

    /// What the markers in the source of a file exclude. If the source cannot be read, nothing is:
    /// most producers have applied the markers already.
    pub(crate) fn exclusions(&self, path: &str) -> Exclusions {
        if self.markers {
            Exclusions::of_file(&self.root.join(path))
        } else {
            Exclusions::default()
        }
    }
}
