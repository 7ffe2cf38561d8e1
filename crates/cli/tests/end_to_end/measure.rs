//! `metacov measure`: a real program, run on pairs that end in every way.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::gcc::compile;
use crate::run::{Run, metacov_in, repository};

/// A folder with the program, and pairs of inputs: `relation/pair`, and the text of its sides.
pub fn folder(pairs: &[(&str, &[(&str, &str)])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = repository().join("tests/targets/outcomes/outcomes.c");
    fs::copy(source, folder.path().join("outcomes.c")).unwrap();
    compile(folder.path(), "cc", &["outcomes.c"]);
    for (pair, sides) in pairs {
        let path = folder.path().join("pairs").join(pair);
        fs::create_dir_all(&path).unwrap();
        for (side, input) in *sides {
            fs::write(path.join(side), input).unwrap();
        }
    }
    folder
}

fn measure(folder: &Path, args: &[&str]) -> Run {
    let all = ["measure", "--pairs", "pairs", "--timeout", "2", "--criterion", "line,function"];
    let mut run = metacov_in(folder, &[&all[..], args].concat());
    // The speed differs each time.
    let said = run.stderr.split_inclusive('\n').filter(|line| !line.ends_with(" pairs/s\n"));
    run.stderr = said.collect();
    run
}

#[test]
fn failed_sides_are_counted_and_never_taken_for_empty_sets() {
    let folder = folder(&[
        ("parity/differs", &[("a.txt", "4"), ("b.txt", "7")]),
        ("parity/fails", &[("a.txt", "4"), ("b.txt", "fail")]),
        ("parity/crashes", &[("a.txt", "crash"), ("b.txt", "7")]),
        ("parity/hangs", &[("a.txt", "4"), ("b.txt", "hang")]),
        ("parity/vanishes", &[("a.txt", "vanish"), ("b.txt", "7")]),
        ("same/same", &[("a.txt", "4"), ("b.txt", "6")]),
    ]);
    let run = measure(folder.path(), &["--", "./program", "@@"]).ok();
    insta::assert_snapshot!(run.stdout, @"
    relation   pairs   crashed   timed out   no counters   criterion   sites   executed        Cov   MC sites        MC    MC/Cov
    parity         2         1           1             1   line           15         12    80.00 %          5   33.33 %   41.67 %
    parity         2         1           1             1   function        2          2   100.00 %          1   50.00 %   50.00 %
    same           1         0           0             0   line           15         12    80.00 %          0    0.00 %    0.00 %
    same           1         0           0             0   function        2          2   100.00 %          0    0.00 %    0.00 %
    all            3         1           1             1   line           15         12    80.00 %          5   33.33 %   41.67 %
    all            3         1           1             1   function        2          2   100.00 %          1   50.00 %   50.00 %
    ");
    insta::assert_snapshot!(run.stderr, @"
    note: crashed, for example: pair crashes of parity, side a (signal 6)
    note: timed out, for example: pair hangs of parity, side b
    note: no counters, for example: pair vanishes of parity, side a
    note: 1 of 3 pairs have no difference
    note: not checked: the pairs have no judge (see --judge)
    ");
    // The same from standard input, and for any number of parallel executions.
    for jobs in ["1", "4"] {
        let again = measure(folder.path(), &["-j", jobs, "--", "./program"]).ok();
        assert_eq!(again.stdout, run.stdout);
    }
    assert!(!folder.path().join("outcomes.gcda").exists(), "no counters are left");
}

#[test]
fn relations_are_selected_by_name() {
    let pairs: [(&str, &[(&str, &str)]); 3] = [
        ("parity/differs", &[("a.txt", "4"), ("b.txt", "7")]),
        ("same/same", &[("a.txt", "4"), ("b.txt", "6")]),
        ("third/same", &[("a.txt", "4"), ("b.txt", "6")]),
    ];
    let folder = folder(&pairs);
    let relations = |names: &str| {
        let run = measure(folder.path(), &["--relation", names, "--", "./program", "@@"]).ok();
        let rows = run.stdout.lines().skip(1).filter(|row| row.contains(" line "));
        rows.map(|row| row.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(relations("same"), "same");
    assert_eq!(relations("parity,third"), "parity third all");
    assert_eq!(relations("all"), "parity same third all");
    let said = measure(folder.path(), &["--relation", "pairity", "--", "./program", "@@"]);
    assert_eq!(
        said.failed(2),
        "error: --relation pairity: pairs has pairs of parity, same, third\n"
    );
}

#[test]
fn a_program_that_cannot_be_executed_is_named() {
    let folder = folder(&[("parity/differs", &[("a.txt", "4"), ("b.txt", "7")])]);
    let said = measure(folder.path(), &["--", "./outcomes.c", "@@"]).failed(3);
    assert!(said.starts_with("error: ./outcomes.c: not a program that may be executed"), "{said}");
}

/// It was "crashed (signal 11)".
#[test]
fn a_shared_library_is_recognised_without_the_ending() {
    let folder = folder(&[("parity/differs", &[("a.txt", "4"), ("b.txt", "7")])]);
    let flags = ["-shared", "-fPIC", "outcomes.c", "-o", "plugin"];
    assert!(Command::new("gcc").current_dir(folder.path()).args(flags).status().unwrap().success());
    let said = measure(folder.path(), &["--mode", "exec", "--", "./plugin"]).failed(2);
    assert!(said.contains("--mode exec needs a program, and this is a shared library"), "{said}");
}

#[test]
fn a_side_may_have_several_inputs_and_a_group_several_sides() {
    let folder = folder(&[
        ("fusion/1", &[("a1.txt", "4"), ("a2.txt", "fail"), ("b.txt", "7")]),
        ("three/1", &[("a.txt", "4"), ("b.txt", "6"), ("c.txt", "fail")]),
    ]);
    let run = measure(folder.path(), &["--", "./program", "@@"]).ok();
    insta::assert_snapshot!(run.stdout, @"
    relation   pairs   criterion   sites   executed        Cov   MC sites        MC    MC/Cov
    fusion         1   line           15         12    80.00 %          0    0.00 %    0.00 %
    fusion         1   function        2          2   100.00 %          0    0.00 %    0.00 %
    three          3   line           15         12    80.00 %          5   33.33 %   41.67 %
    three          3   function        2          2   100.00 %          1   50.00 %   50.00 %
    all            4   line           15         12    80.00 %          5   33.33 %   41.67 %
    all            4   function        2          2   100.00 %          1   50.00 %   50.00 %
    ");
}

/// The noise floor: code that the same input does not run every time.
#[test]
fn code_that_does_not_run_every_time_is_flaky() {
    let folder = folder(&[("parity/1", &[("a.txt", "toggle"), ("b.txt", "4")])]);
    let line = |args: &[&str]| {
        let run = measure(folder.path(), &[args, &["-j", "1", "--", "./program", "@@"]].concat());
        run.ok().row(&["parity", "line"])
    };
    let (noisy, quiet) = (line(&["--repeat", "2"]), line(&["--repeat", "2", "--no-flaky"]));
    let number = |row: &[String], at: usize| row[at].parse::<u32>().unwrap();
    // Columns: relation, criterion, sites, executed, Cov, difference, MC, MC/Cov, flaky
    assert_eq!((number(&noisy, 5), number(&noisy, 8)), (1, 1), "all that differs is flaky");
    assert_eq!((number(&quiet, 5), number(&quiet, 8)), (0, 0));
    assert_eq!(number(&quiet, 2), number(&noisy, 2) - 1, "and is left out");
}

/// Code that runs at random on both sides is flaky too, although it does not differ.
#[test]
fn code_that_is_flaky_on_both_sides_is_shown() {
    let folder = folder(&[("parity/1", &[("a.txt", "toggle"), ("b.txt", "toggle")])]);
    let run = measure(folder.path(), &["--repeat", "2", "-j", "1", "--", "./program", "@@"]).ok();
    let row = run.row(&["parity", "line"]);
    assert_eq!((row[5].as_str(), row[8].as_str()), ("0", "1"), "{}", run.stdout);
}

#[test]
fn pairs_may_be_named_in_a_manifest() {
    let folder = folder(&[("parity/1", &[("a.txt", "4"), ("b.txt", "fail")])]);
    let manifest = r#"{"relation": "parity", "pair": 1, "a": "1/a.txt", "b": "1/b.txt"}"#;
    fs::write(folder.path().join("pairs/parity/pairs.jsonl"), manifest).unwrap();
    let by_manifest = ["measure", "--pairs", "pairs/parity/pairs.jsonl", "--", "./program", "@@"];
    let by_manifest = metacov_in(folder.path(), &by_manifest).ok();
    fs::remove_file(folder.path().join("pairs/parity/pairs.jsonl")).unwrap();
    let by_folder = ["measure", "--pairs", "pairs", "--", "./program", "@@"];
    assert_eq!(by_manifest.stdout, metacov_in(folder.path(), &by_folder).ok().stdout);
}

#[test]
fn a_suite_without_a_measurable_pair_is_an_error() {
    let folder = folder(&[("parity/1", &[("a.txt", "crash"), ("b.txt", "7")])]);
    let said = measure(folder.path(), &["--", "./program", "@@"]).failed(3);
    insta::assert_snapshot!(said, @"
    note: crashed, for example: pair 1 of parity, side a (signal 6)
    error: no pair could be measured: 1 crashed
    ");
    let said = measure(folder.path(), &["--", "true"]).failed(3);
    insta::assert_snapshot!(said, @"
    note: no counters, for example: pair 1 of parity, side a
    error: no pair could be measured: 1 left no counters (is it built with metacov cc or gcc --coverage?)
    ");
    let said = measure(folder.path(), &["--", "./nowhere", "@@"]).failed(3);
    insta::assert_snapshot!(said, @"error: ./nowhere: no such program (is it built, and is this its path from the current folder?)");
    let said = metacov_in(folder.path(), &["measure", "--pairs", "pairs/parity", "--", "x"]);
    insta::assert_snapshot!(said.failed(3), @"error: x: no such program in PATH (one in the current folder is ./x)");
}

/// Targets have separate process groups, so an interrupt reaches them only through metacov. What
/// was measured until then is shown.
#[test]
fn an_interrupt_ends_the_targets_too_and_keeps_what_was_measured() {
    let folder = folder(&[
        ("parity/1", &[("a.txt", "4"), ("b.txt", "fail")]),
        ("parity/2", &[("a.txt", "hang"), ("b.txt", "7")]),
    ]);
    let path = folder.path().canonicalize().unwrap();
    let mut metacov = Command::new(env!("CARGO_BIN_EXE_metacov"));
    metacov.args(["measure", "--pairs", "pairs", "--timeout", "600", "-j", "1"]);
    metacov.args(["--criterion", "line", "-o", "mc.info", "--", "./program", "@@"]);
    metacov.current_dir(&path).stdout(Stdio::piped()).stderr(Stdio::piped());
    let metacov = metacov.spawn().unwrap();
    let hangs = |entry: &fs::DirEntry| {
        let of_folder =
            fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe.starts_with(&path));
        let arguments = fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        of_folder && arguments.contains("parity/2/a.txt")
    };
    let hanging = || fs::read_dir("/proc").unwrap().flatten().filter(hangs).count();
    let wait_until = |what: &dyn Fn() -> bool| {
        assert!((0..1000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            what()
        }));
    };
    wait_until(&|| hanging() == 1);
    Command::new("kill").args(["-INT", &metacov.id().to_string()]).status().unwrap();
    let output = metacov.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    wait_until(&|| hanging() == 0);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("interrupted: the numbers are of 1 of 2 pairs"), "{said}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("parity     line"), "{shown}");
    assert!(path.join("mc.info").exists(), "outputs are written too");
}
