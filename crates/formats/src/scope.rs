//! Which code counts, and under which path: decided once for a site, the same for all sides.

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
    /// Paths below it are shown relative to it; sources are looked for in it. Absolute.
    pub root: PathBuf,
    /// `(old, new)`: a path that starts with the folder `old` starts with `new` instead. The
    /// first that fits is taken.
    pub prefix_map: Vec<(String, String)>,
    /// If there are any: only files whose path one of them matches from the start.
    pub filter: Vec<Regex>,
    /// No files whose path one of them matches from the start.
    pub exclude: Vec<Regex>,
    /// Whether exclusion markers in the sources are honoured.
    pub markers: bool,
    /// What they have left out.
    pub left_out: LeftOut,
    /// Whether the instances of a template are kept apart.
    pub per_instance: bool,
    /// Whether the blocks of flow graphs are sites, where files tell them. There are many.
    pub blocks: bool,
    /// Where to look for the notes (`.gcno`) of counters (`.gcda`) that do not lie beside them.
    pub notes: Option<PathBuf>,
    /// Where else to look for them.
    pub notes_search: NotesSearch,
}

/// Where notes are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NotesSearch {
    /// Beside the counters and where they were compiled, then below the folder of notes.
    #[default]
    CountersFirst,
    /// In the folder of notes only: where the counters were compiled may be on another machine, or have another build.
    FolderOnly,
}

impl Scope {
    /// The path under which a file is known, from the path that a producer gives it and the
    /// folder that it was compiled in.
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

    /// What the markers in the source of a file leave out. A source that cannot be read leaves
    /// out nothing: most producers have applied the markers already.
    pub(crate) fn exclusions(&self, path: &str) -> Exclusions {
        if self.markers {
            Exclusions::of_file(&self.root.join(path))
        } else {
            Exclusions::default()
        }
    }
}
