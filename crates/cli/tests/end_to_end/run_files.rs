//! Run files: `-o RUN.metacov`, `--resume`, `metacov report`, `metacov merge`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::measure::folder;
use crate::run::{Run, data, metacov_in, of};

const FORMATS: [&str; 8] =
    ["gcovr", "lcov", "cobertura", "json", "markdown", "csv", "badge", "github"];

/// A folder with the program and this many pairs, of two relations, some of which fail.
fn pairs(count: usize) -> tempfile::TempDir {
    let words = ["4", "7", "fail", "crash", "toggle-not", "vanish", "12"];
    let names: Vec<String> =
        (0..count).map(|at| format!("{}/{at:03}", ["parity", "same"][at % 2])).collect();
    let sides: Vec<[(&str, &str); 2]> = (0..count)
        .map(|at| [("a.txt", words[at * 5 % 7]), ("b.txt", words[at * 3 % 4 * 2 % 7])])
        .collect();
    let pairs: Vec<(&str, &[(&str, &str)])> =
        names.iter().zip(&sides).map(|(name, sides)| (name.as_str(), &sides[..])).collect();
    folder(&pairs)
}

fn args<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let all = ["measure", "--pairs", "pairs", "--timeout", "60"];
    [&all[..], more, &["--", "./program", "@@"]].concat()
}

fn measure(folder: &Path, more: &[&str]) -> Run {
    metacov_in(folder, &args(more))
}

/// The same, without waiting for it.
fn start(folder: &Path, more: &[&str]) -> Child {
    let mut metacov = Command::new(env!("CARGO_BIN_EXE_metacov"));
    metacov.current_dir(folder).args(args(more)).stdout(Stdio::null()).stderr(Stdio::null());
    metacov.spawn().unwrap()
}

/// The files in the folder that were not there before.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.contains("metacov")).collect();
    names.sort();
    names
}

/// The report of the file, in every format.
fn report(folder: &Path, file: &str) -> Vec<String> {
    let plain = metacov_in(folder, &["report", file]).ok();
    let by = metacov_in(folder, &["report", file, "--by", "function"]).ok();
    let formats = FORMATS.map(|format| {
        metacov_in(folder, &["report", file, "-o", "-", "--format", format]).ok().stdout
    });
    [&[plain.stdout, plain.stderr, by.stdout][..], &formats].concat()
}

#[test]
fn a_report_of_the_file_is_the_report_of_the_run() {
    let folder = pairs(12);
    let folder = folder.path();
    let live = measure(folder, &[]).ok();
    let stored = measure(folder, &["-o", "run.metacov", "-o", "mc.info", "-j", "3"]).ok();
    assert_eq!(stored.stdout, live.stdout);
    assert_eq!(files(folder), ["run.metacov"], "no side files are left");
    assert_eq!(metacov_in(folder, &["report", "run.metacov"]).ok().stdout, live.stdout);
    for format in FORMATS {
        let live = measure(folder, &["-o", "-", "--format", format]).ok();
        let report = ["report", "run.metacov", "-o", "-", "--format", format];
        assert_eq!(metacov_in(folder, &report).ok().stdout, live.stdout, "{format}");
    }
    let lcov = metacov_in(folder, &["report", "run.metacov", "-o", "-", "--format", "lcov"]).ok();
    assert_eq!(fs::read_to_string(folder.join("mc.info")).unwrap(), lcov.stdout);
    let lines = ["--by", "file", "--criterion", "line", "--fail-under", "line=99"];
    let live = measure(folder, &lines);
    let report = metacov_in(folder, &[&["report", "run.metacov"][..], &lines].concat());
    assert_eq!((report.code, report.stdout), (5, live.stdout));
}

#[test]
fn flaky_sites_are_stored_and_can_be_left_out_later() {
    let folder = folder(&[("parity/1", &[("a.txt", "toggle"), ("b.txt", "4")])]);
    let more = ["--repeat", "2", "-j", "1", "-o", "run.metacov"];
    let live = measure(folder.path(), &more).ok();
    assert!(live.stdout.contains("flaky"));
    assert_eq!(metacov_in(folder.path(), &["report", "run.metacov"]).ok().stdout, live.stdout);
    let live = measure(folder.path(), &["--repeat", "2", "-j", "1", "--no-flaky"]).ok();
    let report = metacov_in(folder.path(), &["report", "run.metacov", "--no-flaky"]).ok();
    assert_eq!(report.stdout, live.stdout);
}

#[test]
fn a_diff_can_be_stored_too() {
    let folder = tempfile::tempdir().unwrap();
    let side = |side: &str| data(&format!("gcovr_json/8.7/{side}.json")).display().to_string();
    let (a, b) = (side("a"), side("b"));
    for op in ["xor", "sub", "and", "or"] {
        let file = format!("{op}.metacov");
        let live = metacov_in(folder.path(), &["diff", &a, &b, "--op", op, "-o", &file]).ok();
        let report = metacov_in(folder.path(), &["report", &file]).ok();
        assert_eq!((report.stdout, report.stderr), (live.stdout, live.stderr));
    }
    let data = data("coverage_py/7.17.2");
    let file = folder.path().join("contexts.metacov").display().to_string();
    for universe in [&["--universe", "universe.json", "--root", "/tmp/fixtures/parcel"][..], &[]] {
        let diff = ["diff", "--pairs", "contexts.coverage", "-o", &file];
        let live = metacov_in(&data, &[&diff[..], universe].concat()).ok();
        let report = metacov_in(&data, &["report", &file]).ok();
        assert_eq!((report.stdout, report.stderr), (live.stdout, live.stderr));
        fs::remove_file(&file).unwrap();
    }
}

/// Ten moments; `METACOV_KILLS=50` for more.
#[test]
fn a_run_that_is_killed_at_any_moment_resumes_to_the_same_result() {
    let folder = pairs(40);
    let folder = folder.path();
    measure(folder, &["-o", "whole.metacov"]).ok();
    let expected = report(folder, "whole.metacov");
    let mut took = whole_run(folder);
    let kills = std::env::var("METACOV_KILLS").map_or(10, |count| count.parse().unwrap());
    let mut seed = 0x2545_f491_u64;
    let (mut moment, mut cut) = (0, 0);
    // Continue until enough kills have hit a running process. How long that takes depends on the
    // load of the machine.
    while cut < kills {
        moment += 1;
        assert!(moment <= 10 * kills, "few kills hit a run in its course: {cut} of {moment}");
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let wait = took.mul_f64(f64::from(u32::try_from(seed >> 40).unwrap()) / f64::from(1 << 24));
        let file = format!("killed{moment}.metacov");
        let mut metacov = start(folder, &["-o", &file, "-j", "2"]);
        std::thread::sleep(wait);
        metacov.kill().unwrap();
        metacov.wait().unwrap();
        // The file can be reported at once, unless it is empty.
        let report_now = metacov_in(folder, &["report", &file]);
        assert!(report_now.code == 0 || report_now.code == 3, "{}", report_now.stderr);
        if report_now.stderr.contains("is not complete: the numbers are of") {
            cut += 1;
        } else if report_now.code == 0 {
            took = took.min(wait);
        } else {
            took = took.max(wait * 2);
        }
        let resumed = measure(folder, &["-o", &file, "-j", "2", "--resume"]).ok();
        assert_eq!(resumed.stdout, expected[0], "killed after {wait:?}");
        assert_eq!(report(folder, &file), expected, "killed after {wait:?}");
        assert!(!folder.join(format!("{file}-wal")).exists());
        fs::remove_file(folder.join(&file)).unwrap();
    }
}

/// How long a run takes.
#[expect(clippy::disallowed_methods, reason = "moments to kill at are by the clock")]
fn whole_run(folder: &Path) -> Duration {
    let start = std::time::Instant::now();
    measure(folder, &["-o", "timed.metacov", "-j", "2"]).ok();
    start.elapsed()
}

#[test]
fn an_interrupted_run_keeps_its_pairs_and_is_resumed() {
    let folder = folder(&[
        ("parity/1", &[("a.txt", "4"), ("b.txt", "fail")]),
        ("parity/2", &[("a.txt", "hang"), ("b.txt", "7")]),
    ]);
    let folder = folder.path();
    let metacov = start(folder, &["-o", "run.metacov", "-j", "1"]);
    let groups = || {
        let said = metacov_in(folder, &["report", "run.metacov"]).stderr;
        said.contains("run.metacov is not complete: the numbers are of 1 of 2 pairs")
    };
    assert!((0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        groups()
    }));
    // It is still being written, and the second process names the writer.
    let said = measure(folder, &["-o", "run.metacov", "--resume"]).failed(1);
    let owner = metacov.id();
    assert!(said.contains(&format!("being written by process {owner} on ")), "{said}");
    Command::new("kill").args(["-INT", &owner.to_string()]).status().unwrap();
    assert_eq!(metacov.wait_with_output().unwrap().status.code(), Some(130));
    assert_eq!(files(folder), ["run.metacov"]);
    assert!(groups());
    fs::write(folder.join("pairs/parity/2/a.txt"), "6").unwrap();
    let resumed = measure(folder, &["-o", "run.metacov", "--resume"]).ok();
    assert!(
        resumed.stderr.starts_with("note: continuing: 1 of 2 pairs done\n"),
        "{}",
        resumed.stderr
    );
    assert_eq!(resumed.stdout, measure(folder, &[]).ok().stdout);
}

/// Without targets, only the fold itself has to end.
#[test]
fn an_interrupted_diff_keeps_its_pairs_and_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let side = |side: &str| data(&format!("gcovr_json/8.7/{side}.json")).display().to_string();
    let (a, b) = (side("a"), side("b"));
    let mut lines = String::new();
    for pair in 0..200_000 {
        let _ = writeln!(lines, r#"{{"relation":"r","pair":{pair},"a":{a:?},"b":{b:?}}}"#);
    }
    fs::write(folder.join("pairs.jsonl"), lines).unwrap();
    let args = ["diff", "--pairs", "pairs.jsonl", "-o", "file:run.metacov", "-j", "2"];
    let mut metacov = Command::new(env!("CARGO_BIN_EXE_metacov"));
    metacov.current_dir(folder).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    let metacov = metacov.spawn().unwrap();
    assert!((0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !metacov_in(folder, &["report", "file:run.metacov"]).stdout.is_empty()
    }));
    Command::new("kill").args(["-INT", &metacov.id().to_string()]).status().unwrap();
    let output = metacov.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(files(folder), ["file:run.metacov"]);
    let report = metacov_in(folder, &["report", "file:run.metacov"]).ok();
    assert_eq!(report.stdout.as_bytes(), output.stdout);
}

#[test]
fn a_run_is_resumed_only_with_the_same_options() {
    let folder = pairs(4);
    let folder = folder.path();
    measure(folder, &["-o", "run.metacov"]).ok();
    let before = fs::read(folder.join("run.metacov")).unwrap();
    let said = measure(folder, &["-o", "run.metacov"]).failed(1);
    insta::assert_snapshot!(said, @"error: cannot write run.metacov: it exists; go on with it (--resume), or choose another name");
    let said = measure(folder, &["-o", "run.metacov", "--resume", "--repeat", "3"]).failed(3);
    insta::assert_snapshot!(said, @"error: run.metacov: the run was begun with --repeat 1, not 3; --resume goes on with the same options only");
    let said = measure(folder, &["-o", "run.metacov", "--resume", "--filter", "x"]).failed(3);
    insta::assert_snapshot!(said, @"error: run.metacov: the run was begun with --filter (none), not x; --resume goes on with the same options only");
    fs::rename(folder.join("pairs/parity/000"), folder.join("pairs/parity/001")).unwrap();
    let said = measure(folder, &["-o", "run.metacov", "--resume"]).failed(3);
    insta::assert_snapshot!(said, @"error: run.metacov: pair 000 of parity is not among the pairs any more; --resume adds pairs and removes none: measure into a new run file");
    measure(folder, &["--resume"]).failed(2);
    let said = measure(folder, &["-o", "mc.info", "--resume"]).failed(2);
    insta::assert_snapshot!(said, @"error: --resume needs the run file to continue: add -o RUN.metacov");
    let said = measure(folder, &["-o", "nowhere/run.metacov"]).failed(1);
    insta::assert_snapshot!(said, @"error: cannot write nowhere/run.metacov: no such file or directory");
    assert!(before.len() > 1000);
}

/// The program was rebuilt in between, and its code has moved.
#[test]
fn a_run_is_not_resumed_with_another_build() {
    let folder = pairs(4);
    let folder = folder.path();
    let hang = folder.join("pairs/same/999");
    fs::create_dir(&hang).unwrap();
    fs::write(hang.join("a.txt"), "hang").unwrap();
    fs::write(hang.join("b.txt"), "4").unwrap();
    let mut metacov = start(folder, &["-o", "run.metacov", "-j", "1"]);
    let stored = || {
        let report = metacov_in(folder, &["report", "run.metacov"]);
        report.stderr.contains("4 of 5 pairs")
    };
    assert!((0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        stored()
    }));
    metacov.kill().unwrap();
    metacov.wait().unwrap();
    fs::write(hang.join("a.txt"), "7").unwrap();
    let source = fs::read_to_string(folder.join("outcomes.c")).unwrap();
    fs::write(folder.join("outcomes.c"), source.replacen('\n', "\nint unused;\nint more;\n", 1))
        .unwrap();
    crate::gcc::compile(folder, "cc", &["outcomes.c"]);
    let said = measure(folder, &["-o", "run.metacov", "--resume"]).failed(4);
    assert!(said.contains("./program was built again with other code since"), "{said}");
}

#[test]
fn runs_are_merged() {
    let folder = pairs(10);
    let folder = folder.path();
    let whole = measure(folder, &["-o", "whole.metacov"]).ok();
    let move_away = |relation: &str| {
        fs::rename(folder.join("pairs").join(relation), folder.join(relation)).unwrap();
    };
    move_away("same");
    measure(folder, &["-o", "parity.metacov"]).ok();
    move_away("parity");
    fs::rename(folder.join("same"), folder.join("pairs/same")).unwrap();
    measure(folder, &["-o", "same.metacov"]).ok();
    let merge = |output: &str, runs: &[&str]| {
        metacov_in(folder, &[&["merge", "-o", output][..], runs].concat())
    };
    merge("all.metacov", &["parity.metacov", "same.metacov"]).ok();
    merge("lla.metacov", &["same.metacov", "parity.metacov", "same.metacov"]).ok();
    let bytes = |name: &str| fs::read(folder.join(name)).unwrap();
    assert!(bytes("all.metacov") == bytes("lla.metacov"));
    assert_eq!(metacov_in(folder, &["report", "all.metacov"]).ok().stdout, whole.stdout);
    merge("all.metacov", &["all.metacov", "lla.metacov"]).ok();
    assert!(bytes("all.metacov") == bytes("lla.metacov"));
    let said = merge("whole.metacov", &["parity.metacov"]).failed(1);
    insta::assert_snapshot!(said, @"error: cannot write whole.metacov: the file exists and is not among the runs to merge: choose another name");
    measure(folder, &["-o", "instances.metacov", "--per-instance"]).ok();
    let said = merge("x.metacov", &["all.metacov", "instances.metacov"]).failed(3);
    insta::assert_snapshot!(said, @"error: instances.metacov: does not treat template instances as all.metacov does");
    // Another build of the program: the same functions on other lines.
    let source = fs::read_to_string(folder.join("outcomes.c")).unwrap();
    fs::write(folder.join("outcomes.c"), source.replacen('\n', "\nint unused;\n", 1)).unwrap();
    crate::gcc::compile(folder, "cc", &["outcomes.c"]);
    measure(folder, &["-o", "other.metacov"]).ok();
    let said = merge("x.metacov", &["all.metacov", "other.metacov"]).failed(4);
    assert!(
        said.starts_with("error: other.metacov: made from another build than all.metacov"),
        "{said}"
    );
    assert!(!folder.join("x.metacov").exists());
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let folder = pairs(6);
    let folder = folder.path();
    measure(folder, &["-o", "run.metacov"]).ok();
    let whole = fs::read(folder.join("run.metacov")).unwrap();
    let write = |bytes: &[u8]| fs::write(folder.join("run.metacov"), bytes).unwrap();
    let report = || metacov_in(folder, &["report", "run.metacov"]).failed(3);
    write(b"");
    insta::assert_snapshot!(report(), @"error: run.metacov: the file is empty: no run was started in it");
    write(&whole[..whole.len() / 2]);
    assert!(report().starts_with("error: run.metacov: "));
    let said = measure(folder, &["-o", "run.metacov", "--resume"]).failed(3);
    assert!(said.starts_with("error: run.metacov: "), "{said}");
    write(
        b"no run file at all, and long enough to be taken for one if anybody were careless........",
    );
    insta::assert_snapshot!(report(), @"error: run.metacov: not a run file of metacov");
    let said = measure(folder, &["-o", "run.metacov", "--resume"]).failed(3);
    insta::assert_snapshot!(said, @"error: run.metacov: not a run file of metacov");
    let said = metacov_in(folder, &["report", "nowhere.metacov"]).failed(3);
    insta::assert_snapshot!(said, @"error: nowhere.metacov: no such file or directory");
}

/// A limit on the size of files simulates a full disk.
#[test]
fn a_full_disk_ends_the_run_and_keeps_stored_pairs() {
    let folder = pairs(60);
    let folder = folder.path();
    let script = r#"ulimit -f 40; exec "$0" "$@""#;
    let mut shell = Command::new("bash");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_metacov")]).args(args(&[
        "-o",
        "run.metacov",
        "-j",
        "1",
    ]));
    // Slow enough for more than one commit.
    let run = of(shell.current_dir(folder));
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    assert!(run.stderr.contains("error: cannot write run.metacov: "), "{}", run.stderr);
    let resumed = measure(folder, &["-o", "run.metacov", "--resume"]).ok();
    assert_eq!(resumed.stdout, measure(folder, &[]).ok().stdout);
}

/// The file can be queried with SQLite.
#[test]
fn the_file_is_a_database() {
    let folder = pairs(8);
    measure(folder.path(), &["-o", "run.metacov"]).ok();
    let script = r#"
import sqlite3
run = sqlite3.connect("run.metacov")
assert run.execute("PRAGMA integrity_check").fetchone() == ("ok",)
assert run.execute("PRAGMA foreign_key_check").fetchall() == []
print(run.execute("SELECT count(*), sum(verdict = 'measured'), sum(microseconds > 0) FROM pair").fetchone())
print(run.execute("""SELECT relation.name, pair.name, verdict, signal, failed_side FROM pair
    JOIN relation ON relation.id = relation WHERE verdict = 'crashed' ORDER BY 1, 2""").fetchone())
print(run.execute("""SELECT path, criterion, count(*) FROM site JOIN file ON file.id = site.file
    WHERE criterion != 'branch' GROUP BY 1, 2 ORDER BY 1, 2""").fetchall())
print(run.execute("SELECT name FROM symbol JOIN site ON symbol = symbol.id WHERE criterion = 'function' ORDER BY 1").fetchall())
print(dict(run.execute("SELECT key, value FROM meta WHERE key IN ('made_by', 'complete', 'operation', 'planned')")))
"#;
    let run = of(Command::new("python3").args(["-c", script]).current_dir(folder.path())).ok();
    insta::assert_snapshot!(run.stdout, @"
    (8, 6, 8)
    ('parity', '002', 'crashed', 6, 0)
    [('outcomes.c', 'function', 2), ('outcomes.c', 'line', 15)]
    [('even',), ('main',)]
    {'complete': '1', 'made_by': 'measure', 'operation': 'xor', 'planned': '8'}
    ");
}
