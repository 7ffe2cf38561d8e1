//! A system that cannot start more processes (`tests/targets/nofork`).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::run::{of, repository};
use crate::trial::{Measured, Trial, Way};

fn nofork() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nofork.so");
        let source = repository().join("tests/targets/nofork/nofork.c");
        of(Command::new("cc").args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source))
            .ok();
        library
    })
}

/// Both sides of each pair run the same code, so that the difference is empty; the processes of
/// some sides cannot be started.
fn measure(way: Way, from: u32, count: u32) -> Measured {
    let trial = Trial::new("endings", &[("4", "6"), ("2", "8"), ("10", "12")]);
    let mut command = trial.command(way, &["-j", "1"]);
    command.env("LD_PRELOAD", nofork());
    command.env("NOFORK_FROM", from.to_string()).env("NOFORK_COUNT", count.to_string());
    trial.outcome(&mut command)
}

const WAYS: [Way; 3] = [Way::Exec, Way::Fork, Way::ForkLibrary];

#[test]
fn fault_37_a_side_whose_process_cannot_be_started_did_not_run() {
    for way in WAYS {
        // The processes of the first pair start, and no others.
        let measured = measure(way, 3, 1_000_000);
        assert_eq!(measured.failed(), [("did not run", 2)], "{way:?}");
        assert_eq!((measured.pairs(), measured.lines().len()), (1, 0), "{way:?}");
        let said = &measured.run.stderr;
        let words = "did not run (2 pairs), for example: pair 1 of trial, side a: its process could not be started: \
                     Resource temporarily unavailable";
        assert!(said.contains(words), "{way:?}: {said}");
    }
}

#[test]
fn fault_37_a_process_that_can_be_started_a_moment_later_is() {
    for way in WAYS {
        let measured = measure(way, 2, 3);
        assert_eq!(measured.failed(), [], "{way:?}");
        assert_eq!((measured.pairs(), measured.lines().len()), (3, 0), "{way:?}");
    }
}
