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
        if script.problem.is_some() || script.bytes > SEED_BYTES_MAX as u64 {
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

/// A file of a folder, or a folder in it that cannot be read.
struct Script {
    /// Its path below the folder.
    name: String,
    path: PathBuf,
    bytes: u64,
    modified: SystemTime,
    /// Why it cannot be read.
    problem: Option<String>,
}

/// The scripts below a folder, by name. Links to folders are not followed.
fn scripts(folder: &Path) -> io::Result<Vec<Script>> {
    let (mut scripts, mut folders) = (Vec::new(), Vec::new());
    add_entries(folder, folder, &mut scripts, &mut folders)
        .map_err(|error| named(folder, &error))?;
    while let Some(below) = folders.pop() {
        if let Err(error) = add_entries(folder, &below, &mut scripts, &mut folders) {
            scripts.push(Script::unreadable(folder, below, error.to_string()));
        }
    }
    scripts.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(scripts)
}

/// Adds the scripts and the folders that are directly in a folder.
fn add_entries(
    folder: &Path,
    below: &Path,
    scripts: &mut Vec<Script>,
    folders: &mut Vec<PathBuf>,
) -> io::Result<()> {
    for entry in fs::read_dir(below)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            folders.push(path);
        } else if path.extension().is_some_and(|extension| extension == "smt2") {
            scripts.push(Script::of(folder, path));
        }
    }
    Ok(())
}

impl Script {
    fn of(folder: &Path, path: PathBuf) -> Self {
        let data = match fs::metadata(&path) {
            Ok(data) => data,
            Err(error) => return Self::unreadable(folder, path, error.to_string()),
        };
        // Reading a pipe waits until something writes to it.
        if !data.is_file() {
            return Self::unreadable(folder, path, "not a regular file".to_owned());
        }
        let modified = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        Script { name: name(folder, &path), path, bytes: data.len(), modified, problem: None }
    }

    fn unreadable(folder: &Path, path: PathBuf, problem: String) -> Self {
        let (name, modified) = (name(folder, &path), SystemTime::UNIX_EPOCH);
        Script { name, path, bytes: 0, modified, problem: Some(problem) }
    }
}

/// The path of a file below a folder.
fn name(folder: &Path, path: &Path) -> String {
    path.strip_prefix(base(folder)).unwrap_or(path).display().to_string()
}

/// What names of scripts are relative to: the folder, unless its name is a label.
fn base(folder: &Path) -> &Path {
    let is_label = folder.file_name().is_some_and(|name| name == "sat" || name == "unsat");
    folder.parent().filter(|_| is_label).unwrap_or(folder)
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

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
        let of_label = read(&folder.path().join("sat/")).unwrap();
        assert_eq!(of_label, facts);
        assert!(read(&folder.path().join("sat/deep")).unwrap().contains_key("seed:a.smt2"));
    }

    #[test]
    fn what_cannot_be_read_is_left_out_with_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.smt2"), "(check-sat)").unwrap();
        std::os::unix::fs::symlink("nothing", folder.path().join("link.smt2")).unwrap();
        std::os::unix::fs::symlink("..", folder.path().join("loop")).unwrap();
        std::os::unix::fs::symlink("..", folder.path().join("loop.smt2")).unwrap();
        let pipe = folder.path().join("pipe.smt2");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(read(folder.path()).unwrap().len(), 1);
        let cache = tempfile::tempdir().unwrap();
        for _ in ["new", "from the cache"] {
            let index = SeedIndex::of(folder.path(), cache.path()).unwrap();
            let reasons = index.scripts.iter().filter_map(|(name, script)| {
                Some((name.as_str(), script.content.as_ref().err()?.as_str()))
            });
            let reasons: Vec<_> = reasons.collect();
            assert_eq!(
                reasons,
                [
                    ("a.smt2", "no assertion"),
                    ("link.smt2", "No such file or directory (os error 2)"),
                    ("loop.smt2", "not a regular file"),
                    ("pipe.smt2", "not a regular file"),
                ]
            );
            index.store().unwrap();
        }
    }
}
