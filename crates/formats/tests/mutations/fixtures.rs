//! Which files below `tests/data` are coverage files.

use std::path::{Path, PathBuf};

/// A folder of `tests/data`.
pub struct Format {
    /// Its name.
    pub folder: &'static str,
    /// The readers of its files.
    pub readers: &'static [&'static str],
    /// The endings of its coverage files. All other files are commands, sources, and reports of the
    /// same runs in other formats, which readers are compared with.
    endings: &'static [&'static str],
}

pub const FORMATS: [Format; 10] = [
    Format { folder: "cobertura", readers: &["Cobertura"], endings: &[".xml"] },
    Format {
        folder: "coverage_py",
        readers: &["coverage.py JSON", "coverage.py data"],
        endings: &[".json", ".coverage"],
    },
    Format {
        folder: "gcda",
        readers: &["gcov data (.gcda)", "gcov notes (.gcno)"],
        endings: &[".gcda", ".gcno"],
    },
    Format {
        folder: "gcov_json",
        readers: &["gcov JSON"],
        endings: &[".json", ".json.gz", ".ndjson"],
    },
    Format { folder: "gcovr_json", readers: &["gcovr JSON"], endings: &[".json", ".json.gz"] },
    Format { folder: "go", readers: &["Go coverage profile"], endings: &[".out"] },
    Format { folder: "istanbul", readers: &["Istanbul JSON"], endings: &[".json"] },
    Format { folder: "jacoco", readers: &["JaCoCo XML"], endings: &[".xml"] },
    Format { folder: "lcov", readers: &["lcov"], endings: &[".info"] },
    Format { folder: "llvm_json", readers: &["LLVM JSON"], endings: &[".json"] },
];

/// A coverage file of a real producer.
pub struct Fixture {
    pub path: PathBuf,
    pub format: &'static Format,
    pub bytes: Vec<u8>,
}

/// All coverage files below `tests/data`, ordered by name.
pub fn fixtures() -> Vec<Fixture> {
    let mut fixtures = Vec::new();
    let folders = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"));
    assert_eq!(folders.len(), FORMATS.len(), "one folder for each format");
    for folder in folders {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let format = FORMATS.iter().find(|format| format.folder == name);
        let format = format.unwrap_or_else(|| panic!("{name} is not among the formats"));
        let before = fixtures.len();
        for producer in entries(&folder) {
            if producer.ends_with("program") {
                continue;
            }
            for path in files(&producer).into_iter().filter(|path| format.is_coverage(path)) {
                let bytes = std::fs::read(&path).unwrap();
                fixtures.push(Fixture { path, format, bytes });
            }
        }
        assert!(fixtures.len() > before, "{name} has no fixture");
    }
    fixtures
}

impl Format {
    fn is_coverage(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap().to_str().unwrap();
        let ends = self.endings.iter().any(|ending| name.ends_with(ending));
        ends && !name.ends_with("summary.json")
    }
}

/// The files of a folder and of the folders in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let inner = |path: PathBuf| if path.is_dir() { entries(&path) } else { vec![path] };
    entries(folder).into_iter().flat_map(inner).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
