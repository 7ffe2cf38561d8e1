//! A finding as a folder.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::file::{FindingFile, NAME};
use super::investigator::Finding;
use super::page;

impl Finding {
    /// Writes the finding to a folder of its own below `findings`, named by its signature. It appears whole or not at
    /// all; one that is there already is left as it is.
    pub fn write(&self, findings: &Path) -> io::Result<PathBuf> {
        let folder = findings.join(self.signature.to_string());
        if folder.is_dir() {
            return Ok(folder);
        }
        fs::create_dir_all(findings)?;
        let unfinished = tempfile::Builder::new().prefix(".finding-").tempdir_in(findings)?;
        for (name, text) in self.files()? {
            let mut file = File::create(unfinished.path().join(name))?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
        }
        fs::set_permissions(unfinished.path(), permissions())?;
        File::open(unfinished.path())?.sync_all()?;
        match fs::rename(unfinished.path(), &folder) {
            Ok(()) => drop(unfinished.keep()),
            Err(_) if folder.is_dir() => {}
            Err(error) => return Err(error),
        }
        File::open(findings)?.sync_all()?;
        Ok(folder)
    }

    fn files(&self) -> io::Result<Vec<(&'static str, String)>> {
        let mut files = vec![
            (NAME, FindingFile::of(self).text()?),
            ("reproduce.sql", page::script(self)),
            ("report.md", page::report(self)),
        ];
        if let Some([a, b]) = &self.outputs {
            files.extend([("output-a.txt", a.clone()), ("output-b.txt", b.clone())]);
        }
        if let Some(difference) = &self.difference {
            let lines = difference.lines.iter().map(|(file, line)| format!("{file}:{line}\n"));
            files.push(("mc-lines.txt", lines.collect()));
        }
        Ok(files)
    }
}

/// A folder that is made for a moment is its maker's alone; this one is for others too.
fn permissions() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::Permissions::from_mode(0o755)
}
