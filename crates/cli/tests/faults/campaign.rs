//! Campaigns on `tests/targets/faulty`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::run::{Run, of, repository};
use crate::trial::{cache, metacov_cc};

/// A folder with an engine in it.
pub struct Campaign {
    folder: tempfile::TempDir,
}

/// The results of the pairs of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub pairs: u64,
    pub held: u64,
    pub violated: u64,
    pub invalid: u64,
    pub crashed: u64,
    pub late: u64,
}

impl Campaign {
    /// One query in `nth` triggers the fault.
    pub fn new(fault: usize, nth: usize) -> Self {
        let campaign = Campaign { folder: tempfile::tempdir().unwrap() };
        campaign.build(fault, nth);
        campaign
    }

    /// Builds the engine, replacing an existing one.
    pub fn build(&self, fault: usize, nth: usize) {
        for source in ["faulty/faulty.c", "interface/sqlite.h"] {
            let source = repository().join("tests/targets").join(source);
            fs::copy(&source, self.path().join(source.file_name().unwrap())).unwrap();
        }
        let mut cc = metacov_cc();
        cc.args([&format!("-DFAULT={fault}"), &format!("-DNTH={nth}"), "-O0", "-w", "-fPIC"]);
        of(cc.args(["-shared", "faulty.c", "-o", "libfaulty.so"]).current_dir(self.path())).ok();
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The command that runs a campaign and writes this file.
    pub fn command(&self, file: &str, options: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        command.current_dir(self.path()).env("METACOV_CACHE", cache());
        let small = ["--database-pairs", "20", "--guidance", "none"];
        command.args(["fuzz", "--library", "libfaulty.so", "-o", file]).args(small);
        command.args(options);
        command
    }

    /// Runs a campaign, which must finish.
    #[track_caller]
    pub fn run(&self, file: &str, options: &[&str]) -> Run {
        let run = of(&mut self.command(file, options));
        assert!([0, 6].contains(&run.code), "{}: {}", run.code, run.stderr);
        run
    }

    /// Starts a campaign.
    pub fn start(&self, file: &str, options: &[&str]) -> Child {
        let mut command = self.command(file, options);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The report of the file of a campaign.
    pub fn report(&self, file: &str) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        let run = of(command.args(["report", file]).current_dir(self.path()));
        assert!([0, 6].contains(&run.code), "{}: {}", run.code, run.stderr);
        format!("{}{}", run.stdout, run.stderr).replace(file.trim_end_matches(".metacov"), "NAME")
    }

    /// The names of the findings.
    pub fn findings(&self, file: &str) -> Vec<PathBuf> {
        let folder = self.path().join(file).with_extension("findings");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<PathBuf> = entries.map(|entry| entry.file_name().into()).collect();
        names.sort();
        names
    }
}

impl Counts {
    #[track_caller]
    pub fn of(run: &Run) -> Self {
        let cells = run.row(&["all"]);
        let number = |cell: &String| cell.replace(',', "").parse().unwrap();
        let numbers: Vec<u64> = cells[1..].iter().map(number).collect();
        let [pairs, held, violated, invalid, crashed, late] = numbers[..] else {
            panic!("{}", run.stdout)
        };
        Counts { pairs, held, violated, invalid, crashed, late }
    }
}
