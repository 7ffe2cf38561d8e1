//! Running the binary.

use std::path::{Path, PathBuf};
use std::process::Command;

/// How a run ended.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Returns the run, which must have succeeded.
    #[track_caller]
    pub fn ok(self) -> Run {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self
    }

    /// Returns standard error, if the run ended with `code`.
    #[track_caller]
    pub fn failed(self, code: i32) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (code, ""), "{}", self.stderr);
        self.stderr
    }

    /// Returns the cells of the row that starts with these words.
    #[track_caller]
    pub fn row(&self, start: &[&str]) -> Vec<String> {
        let rows = self.stdout.lines().map(|line| {
            // Columns are three spaces apart; percentages and names have single spaces in them.
            line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned)
        });
        let mut rows = rows.map(Iterator::collect::<Vec<String>>);
        rows.find(|row| {
            row.len() >= start.len() && row.iter().zip(start).all(|(cell, word)| cell == word)
        })
        .unwrap_or_else(|| panic!("no row {start:?} in\n{}", self.stdout))
    }
}

/// Runs metacov in a folder.
pub fn metacov_in(folder: &Path, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    of(command.current_dir(folder).args(args))
}

/// Runs metacov in the folder of the fixtures.
pub fn metacov(args: &[&str]) -> Run {
    metacov_in(&data(""), args)
}

/// Runs any command.
pub fn of(command: &mut Command) -> Run {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A fixture of the formats.
pub fn data(path: &str) -> PathBuf {
    repository().join("crates/formats/tests/data").join(path)
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
