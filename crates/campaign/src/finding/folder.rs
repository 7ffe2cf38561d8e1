//! The folder of a finding.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use metacov_core::Method;

use super::file::{FindingFile, NAME};
use super::report;
use super::triage::Finding;

/// The prefix of the names of unfinished folders.
const UNFINISHED: &str = ".finding-";

/// Removes folders that a killed campaign left unfinished. Only the process that may write to
/// `findings` may call this.
pub(crate) fn remove_unfinished(findings: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(findings) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(UNFINISHED.as_bytes()) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

impl Finding {
    /// Writes the finding to a folder below `findings`, named by its signature. It appears complete
    /// or not at all; an existing one is kept as it is.
    pub fn write(&self, findings: &Path, method: &dyn Method) -> io::Result<PathBuf> {
        let folder = findings.join(self.signature.to_string());
        if folder.is_dir() {
            return Ok(folder);
        }
        fs::create_dir_all(findings)?;
        let unfinished = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(findings)?;
        for (name, text) in self.files(method)? {
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

    fn files(&self, method: &dyn Method) -> io::Result<Vec<(String, String)>> {
        let (language, relations) = (method.language(), method.relations());
        let text = |name: &str| name.to_owned();
        let mut files = vec![
            (text(NAME), FindingFile::of(self).text()?),
            (
                format!("reproduce.{}", language.extension()),
                report::script(self, language, relations),
            ),
            (text("report.md"), report::report(self, language, relations)),
        ];
        if let Some([a, b]) = &self.outputs {
            files.extend([(text("output-a.txt"), a.clone()), (text("output-b.txt"), b.clone())]);
        }
        if let Some(difference) = &self.difference {
            let lines = difference.lines.iter().map(|(file, line)| format!("{file}:{line}\n"));
            files.push((text("mc-lines.txt"), lines.collect()));
        }
        Ok(files)
    }
}

/// The permissions of the folder: a temporary folder is private by default.
fn permissions() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::Permissions::from_mode(0o755)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use metacov_core::{Case, Exit, Input, Judge, Pair, Size};

    use super::super::difference::Difference;
    use super::super::failing_case::{FailingCase, FailureKind};
    use super::super::signature::Signature;
    use super::*;
    use crate::scripted::Scripted;

    fn finding(what: FailureKind) -> Finding {
        let text = |text: &str| text.to_owned();
        let side = |switch: &str| vec![Input { statements: vec![text(switch), text("SELECT 1")] }];
        let case = Case {
            relation: text("optimizer"),
            setup: vec![text("CREATE TABLE t0(c0)"), text("INSERT INTO t0 VALUES ('\"''')")],
            sides: Pair { a: side(".off 0"), b: side(".off 1") },
            parts: Vec::new(),
            judge: Judge::RowsCounted,
        };
        let is_violation = matches!(what, FailureKind::Violated(_));
        let difference = Difference {
            lines: BTreeSet::from([("sqlite3.c".to_owned(), 7)]),
            ..Difference::default()
        };
        Finding {
            signature: Signature { exact: 1, group: 2 },
            shape: BTreeSet::from([text("violation")]),
            target: text("sqlite@3.29.0"),
            library: None,
            arguments: None,
            reference: None,
            suspect: FailingCase { case, what, seed: 1, database: 2, pair: 3 },
            before: Size { statements: 50, bytes: 5000 },
            candidates: 700,
            outputs: is_violation.then(|| [text("1\n"), String::new()]),
            difference: is_violation.then_some(difference),
        }
    }

    #[test]
    fn unfinished_folders_of_a_killed_campaign_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let findings = folder.path().join("findings");
        remove_unfinished(&findings).unwrap();
        for name in [".finding-a1", "0000000000000002-0000000000000001"] {
            fs::create_dir_all(findings.join(name)).unwrap();
        }
        remove_unfinished(&findings).unwrap();
        let left: Vec<_> =
            fs::read_dir(&findings).unwrap().map(|of| of.unwrap().file_name()).collect();
        assert_eq!(left, ["0000000000000002-0000000000000001"]);
    }

    #[test]
    fn a_finding_survives_write_and_read() {
        for what in [
            FailureKind::Violated("a returns 1, b returns 0".to_owned()),
            FailureKind::Crashed { side: Some(1), exit: Exit::Signalled(11) },
            FailureKind::Crashed { side: None, exit: Exit::Failure(3) },
            FailureKind::Hung { side: Some(0) },
        ] {
            let folder = tempfile::tempdir().unwrap();
            let finding = finding(what);
            let written = finding.write(folder.path(), &Scripted).unwrap();
            assert!(written.ends_with("0000000000000002-0000000000000001"));
            assert_eq!(
                finding.write(folder.path(), &Scripted).unwrap(),
                written,
                "it is there already"
            );
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left over");
            let read = FindingFile::read(&written).unwrap().suspect();
            assert_eq!(read, finding.suspect);
            assert_eq!(FindingFile::read(&written).unwrap().group(), finding.group());
            assert_eq!(written.join("mc-lines.txt").exists(), finding.difference.is_some());
        }
    }
}
