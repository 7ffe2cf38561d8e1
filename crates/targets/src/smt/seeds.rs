//! Folders of scripts that tests are derived from.

mod fetch;
mod index;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use metacov_core::Facts;
use metacov_methods::smt::{SEED_BYTES_MAX, SEED_FACT};

pub use fetch::{SOURCES, SeedSource};
pub use index::{IndexedSeed, SeedIndex, SolvedSeed};

/// The most bytes that are read: each worker has all of them in memory.
const ALL_BYTES_MAX: u64 = 64 << 20;

/// Reads the scripts below a folder, by name, up to a limit, as facts of a session: its method reads
/// them. Fails if there is none.
pub fn read(folder: &Path) -> io::Result<Facts> {
    let (mut facts, mut bytes) = (Facts::new(), 0);
    for script in scripts(folder)? {
        if script.bytes > SEED_BYTES_MAX as u64 {
            continue;
        }
        bytes += script.bytes;
        if bytes > ALL_BYTES_MAX {
            break;
        }
        // Whatever is not text is not SMT-LIB either.
        let Ok(text) = fs::read_to_string(&script.path) else { continue };
        facts.insert(format!("{SEED_FACT}{}", script.name), text);
    }
    if facts.is_empty() {
        let what = format!("{}: no file *.smt2 of up to 100 kB", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, what));
    }
    Ok(facts)
}

/// A file of a folder.
struct Script {
    /// Its path below the folder.
    name: String,
    path: PathBuf,
    bytes: u64,
    modified: SystemTime,
}

/// The scripts below a folder, by name. Links to folders are not followed.
fn scripts(folder: &Path) -> io::Result<Vec<Script>> {
    let (mut scripts, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(&below).map_err(|error| named(&below, &error))? {
            let entry = entry.map_err(|error| named(&below, &error))?;
            let path = entry.path();
            if entry.file_type().map_err(|error| named(&path, &error))?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "smt2") {
                let data = fs::metadata(&path).map_err(|error| named(&path, &error))?;
                let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
                let (bytes, modified) = (data.len(), data.modified()?);
                scripts.push(Script { name, path, bytes, modified });
            }
        }
    }
    scripts.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(scripts)
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_all_folders_are_read_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let missing = read(&folder.path().join("none")).unwrap_err();
        assert!(missing.to_string().contains("none: "), "{missing}");
        fs::write(folder.path().join("other.txt"), "").unwrap();
        assert!(read(folder.path()).unwrap_err().to_string().contains("no file *.smt2"));
        fs::create_dir_all(folder.path().join("sat/deep")).unwrap();
        fs::write(folder.path().join("sat/deep/a.smt2"), "(check-sat)").unwrap();
        fs::write(folder.path().join("b.smt2"), b"\xff").unwrap();
        fs::write(folder.path().join("c.smt2"), vec![b' '; 100_001]).unwrap();
        let facts = read(folder.path()).unwrap();
        let all: Vec<_> = facts.iter().collect();
        assert_eq!(all, [(&"seed:sat/deep/a.smt2".to_owned(), &"(check-sat)".to_owned())]);
    }
}
