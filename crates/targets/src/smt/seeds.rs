//! A folder of scripts, whose texts become facts of a session: its method reads them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use metacov_core::Facts;
use metacov_methods::smt::SEED_FACT;

/// Longer files are not read.
const FILE_BYTES_MAX: u64 = 100_000;

/// The most bytes that are read: each worker has all of them in memory.
const ALL_BYTES_MAX: u64 = 64 << 20;

/// Reads the scripts below a folder, by name, up to a limit. Fails if there is none.
pub fn read(folder: &Path) -> io::Result<Facts> {
    let mut paths = Vec::new();
    scripts(folder, &mut paths).map_err(|error| named(folder, &error))?;
    paths.sort();
    let (mut facts, mut bytes) = (Facts::new(), 0);
    for (path, length) in paths {
        bytes += length;
        if bytes > ALL_BYTES_MAX {
            break;
        }
        // Whatever is not text is not SMT-LIB either.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let name = path.strip_prefix(folder).unwrap_or(&path).display();
        facts.insert(format!("{SEED_FACT}{name}"), text);
    }
    if facts.is_empty() {
        let what = format!("{}: no file *.smt2 of up to 100 kB", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, what));
    }
    Ok(facts)
}

/// The scripts below a folder, with their lengths. Links to folders are not followed.
fn scripts(folder: &Path, paths: &mut Vec<(PathBuf, u64)>) -> io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "smt2") {
                let length = fs::metadata(&path)?.len();
                if length <= FILE_BYTES_MAX {
                    paths.push((path, length));
                }
            }
        }
    }
    Ok(())
}

fn named(folder: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
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
