//! Disks that are full, broken or without power, at one call after the other
//! (`tests/targets/faultfs`).

#![expect(clippy::print_stderr, reason = "measurements are printed")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::run::{Run, data, metacov_in, of, repository};
use crate::times;

const PAIRS: usize = 40;
const DIFF: [&str; 7] = ["diff", "-q", "--pairs", "pairs.jsonl", "-j", "1", "-o"];

fn faultfs() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faultfs.so");
        let source = repository().join("tests/targets/faultfs/faultfs.c");
        of(Command::new("cc").args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source))
            .ok();
        library
    })
}

/// A folder with a suite whose run takes no time except for its file.
fn suite() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let side = |side: &str| data(&format!("gcovr_json/8.7/{side}.json")).display().to_string();
    let (a, b) = (side("a"), side("b"));
    let mut lines = String::new();
    for pair in 0..PAIRS {
        let _ = writeln!(lines, r#"{{"relation":"r","pair":{pair},"a":{a:?},"b":{b:?}}}"#);
    }
    fs::write(folder.path().join("pairs.jsonl"), lines).unwrap();
    folder
}

/// A run whose n-th call on its file fails; none if it has fewer calls.
fn failing(folder: &Path, how: &str, at: usize) -> Option<Run> {
    let mark = folder.join("mark");
    let _ = fs::remove_file(&mark);
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    command.current_dir(folder).args(DIFF).arg("run.metacov").env("LD_PRELOAD", faultfs());
    command.env("FAULTFS_IN", "/run.metacov").env("FAULTFS_AT", at.to_string());
    let run = of(command.env("FAULTFS_HOW", how).env("FAULTFS_MARK", &mark));
    if mark.exists() {
        return Some(run);
    }
    run.ok();
    None
}

/// Fails each call, or some, until a run has no more calls to fail. After each, the file can be
/// read or is refused, and the run can be resumed to its end.
fn check(how: &str, codes: &[i32]) {
    let folder = suite();
    let folder = folder.path();
    let right = metacov_in(folder, &[&DIFF[..], &["whole.metacov"]].concat()).ok().stdout;
    let (mut at, mut failed, mut loaded) = (1, 0, 0);
    while let Some(run) = failing(folder, how, at) {
        failed += 1;
        let (code, said) = (run.code, run.stderr);
        assert!(codes.contains(&code) && !said.contains("panicked"), "{how} {at}: {code} {said}");
        assert!(code != 1 || said.contains("run.metacov"), "{how} {at}: {said}");
        let report = metacov_in(folder, &["report", "run.metacov"]);
        let is_refused = report.code == 3 && report.stderr.contains("run.metacov");
        assert!(report.code == 0 || is_refused, "{how} {at}: {report:?}");
        loaded += usize::from(report.code == 0);
        let resumed = metacov_in(folder, &[&DIFF[..], &["run.metacov", "--resume"]].concat()).ok();
        assert_eq!(resumed.stdout, right, "{how} {at}");
        for file in ["run.metacov", "run.metacov-wal", "run.metacov-shm", "run.metacov-journal"] {
            let _ = fs::remove_file(folder.join(file));
        }
        at += times(17, 1);
    }
    eprintln!(
        "{how}: {failed} calls failed, up to number {at}; {loaded} files could be shown at once"
    );
    assert!(failed > 3, "{failed}");
}

#[test]
fn fault_22_a_power_cut_at_any_write_leaves_a_file_that_can_be_resumed() {
    check("cut", &[99]);
}

#[test]
fn fault_22_any_prefix_of_a_file_is_read_or_refused() {
    let folder = suite();
    let folder = folder.path();
    metacov_in(folder, &[&DIFF[..], &["whole.metacov"]].concat()).ok();
    let bytes = fs::read(folder.join("whole.metacov")).unwrap();
    let prefixes = times(15, 500);
    let mut read = 0;
    for prefix in 0..prefixes {
        let length = bytes.len() * prefix / prefixes;
        fs::write(folder.join("part.metacov"), &bytes[..length]).unwrap();
        let report = metacov_in(folder, &["report", "part.metacov"]);
        let is_refused = report.code == 3 && report.stderr.contains("part.metacov");
        assert!(report.code == 0 || is_refused, "{length} bytes: {report:?}");
        read += usize::from(report.code == 0);
    }
    eprintln!("fault 22: {read} of {prefixes} beginnings can be shown");
}

#[test]
fn fault_23_a_full_disk_is_an_error_and_the_run_can_be_resumed() {
    check("enospc", &[0, 1]);
}

#[test]
fn fault_23_a_broken_disk_is_an_error_and_the_run_can_be_resumed() {
    check("eio", &[0, 1]);
}
