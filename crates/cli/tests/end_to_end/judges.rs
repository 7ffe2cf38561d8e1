//! Judges: the outputs of programs are compared, and pairs that were not compared are not called
//! correct.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::oracle;
use crate::run::{Run, metacov_in, of, repository};

/// A folder with a program that adds numbers, as a library too, and pairs of inputs:
/// `relation/pair`, and both sides.
fn folder(pairs: &[(&str, [&str; 2])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = repository().join("tests/targets/totals/totals.c");
    fs::copy(source, folder.path().join("totals.c")).unwrap();
    let library = ["-shared", "-fPIC", "-DLIBRARY", "-o", "libtotals.so"];
    for arguments in [&["-o", "totals"][..], &library] {
        metacov_in(folder.path(), &[&["cc", "-O0", "totals.c"], arguments].concat()).ok();
    }
    for (pair, sides) in pairs {
        let path = folder.path().join("pairs").join(pair);
        fs::create_dir_all(&path).unwrap();
        for (side, input) in ["a", "b"].into_iter().zip(sides) {
            fs::write(path.join(side), input).unwrap();
        }
    }
    folder
}

fn measure(folder: &Path, args: &[&str]) -> Run {
    metacov_in(folder, &[&["measure", "--pairs", "pairs", "--criterion", "line"], args].concat())
}

/// The notes of a run, without its speed.
fn notes(run: &Run) -> String {
    run.stderr.split_inclusive('\n').filter(|line| !line.ends_with("pairs/s\n")).collect()
}

const SWAP: [(&str, [&str; 2]); 2] =
    [("swap/large", ["70\n50\n", "50\n70\n"]), ("swap/small", ["7\n5\n", "5\n7\n"])];
const SPLIT: (&str, [&str; 2]) = ("split/1", ["60\n60\n", "50\n70\n1\n"]);

#[test]
fn without_a_judge_nothing_is_called_checked() {
    let folder = folder(&SWAP);
    let run = measure(folder.path(), &["-o", "run.metacov", "--", "./totals", "@@"]).ok();
    assert!(notes(&run).contains("note: not checked: the pairs have no judge"), "{}", run.stderr);
    let report = |format: &str| {
        let args = ["report", "run.metacov", "-o", "-", "--format", format];
        metacov_in(folder.path(), &args).ok().stdout
    };
    assert!(report("markdown").contains("Nothing was checked"));
    assert!(
        report("junit")
            .matches("<skipped message=\"not checked: the pair has no judge\"/>")
            .count()
            == 2
    );
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    assert_eq!(json["total"]["groups_with_judge"], 0);
    assert!(report("csv").contains("\nswap,line,2,0,0,"), "{}", report("csv"));
}

/// Each judge finds the faults that it can find, and no others, in every mode.
#[test]
fn each_judge_checks_what_it_says_in_every_mode() {
    let folder = folder(&[SWAP[0], SWAP[1], SPLIT]);
    let verdict = |judge: &str, command: &[&str]| {
        let run = measure(folder.path(), &[&["--judge", judge, "--"], command].concat());
        let violated: Vec<String> = run
            .stderr
            .lines()
            .filter_map(|line| line.strip_prefix("error: violated: "))
            .map(str::to_owned)
            .collect();
        assert_eq!(run.code, if violated.is_empty() { 0 } else { 6 }, "{}", run.stderr);
        violated
    };
    let modes: [&[&str]; 3] = [&["./totals", "@@"], &["./libtotals.so"], &["./totals", "@@", "-l"]];
    let sum = ["pair 1 of split: a returns 121, b returns 122"];
    let line = ["pair 1 of split: line 1: a has `121`, b has `122`"];
    for command in &modes[..2] {
        assert_eq!(verdict("equal", command), line);
        assert_eq!(verdict("number", command), sum);
        assert!(verdict("number:1", command).is_empty());
        assert!(verdict("exit", command).is_empty());
        assert_eq!(verdict("bag", command), ["pair 1 of split: only a has the line `121`"]);
    }
    // Prints the numbers: in another order, and different ones for the second relation.
    let listed = modes[2];
    assert_eq!(verdict("swap=bag", listed), [""; 0]);
    assert_eq!(verdict("swap=equal", listed).len(), 2);
    assert_eq!(
        verdict("split=subset", listed),
        ["pair 1 of split: only a has the line `60`, 2 times"]
    );
    let compared = verdict("command:cmp {a} {b}", listed);
    assert_eq!(compared[0], "pair 1 of split: a b differ: byte 1, line 1");
    // A fork server writes to the same place.
    let fork = |judge: &str| {
        let args = ["--mode", "fork", "--judge", judge, "--", "./totals", "@@"];
        measure(folder.path(), &args)
    };
    let run = fork("equal");
    assert_eq!((run.code, run.stderr.contains(line[0])), (6, true), "{}", run.stderr);
    let library = ["--mode", "fork", "--judge", "equal", "--", "./libtotals.so"];
    let run = measure(folder.path(), &library);
    assert_eq!((run.code, run.stderr.contains(line[0])), (6, true), "{}", run.stderr);
}

#[test]
fn a_violation_is_in_every_output_and_stays_there() {
    let folder = folder(&[SWAP[0], SPLIT]);
    let args =
        ["--judge", "equal", "-o", "run.metacov", "-o", "live.junit.xml", "--", "./totals", "@@"];
    let live = measure(folder.path(), &args);
    assert_eq!(live.code, 6);
    assert!(notes(&live).contains("note: checked 2 pairs: 1 violation\n"), "{}", live.stderr);
    let report = |format: &str| {
        let args = ["report", "run.metacov", "-o", "-", "--format", format];
        let run = metacov_in(folder.path(), &args);
        assert_eq!(run.code, 6, "{}", run.stderr);
        run.stdout
    };
    let how = "line 1: a has `121`, b has `122`";
    let markdown = report("markdown");
    assert!(markdown.contains("**1 violation of 2 checked.**"), "{markdown}");
    assert!(
        markdown.contains("- `1` of `split`: line 1: a has \\`121\\`, b has \\`122\\`"),
        "{markdown}"
    );
    let github = report("github");
    let expected = format!("::error title=Violated%3A pair 1 of split::{how}\n");
    assert!(github.starts_with(&expected), "{github}");
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    assert_eq!(
        (&json["total"]["groups_violated"], &json["violations"][0]["how"]),
        (&1.into(), &how.into())
    );
    assert!(report("csv").contains("\nsplit,line,1,1,1,"), "{}", report("csv"));
    assert_eq!(report("junit"), fs::read_to_string(folder.path().join("live.junit.xml")).unwrap());
}

/// The parser of another program reads the file, and has the same counts.
#[test]
fn junit_results_are_those_of_the_pairs() {
    let more: [(&str, [&str; 2]); 2] =
        [("odd/empty", ["", "1\n"]), ("odd/\u{1}<\"&", ["1\n", "1\n"])];
    let folder = folder(&[SWAP[0], SPLIT, more[0], more[1]]);
    fs::remove_file(folder.path().join("pairs/odd/empty/a")).unwrap();
    fs::write(folder.path().join("pairs/odd/empty/a"), "-5\n").unwrap();
    let args = ["--judge", "number", "--valid-exit", "0", "-o", "r.xml", "--format", "junit", "--"];
    let run = measure(folder.path(), &[&args[..], &["./totals", "@@"]].concat());
    assert_eq!(run.code, 6, "{}", run.stderr);
    let script = "import sys, xml.etree.ElementTree as e
root = e.parse('r.xml').getroot()
print({k: v for k, v in root.attrib.items() if k != 'time'})
for case in root.iter('testcase'):
    print(case.get('classname'), repr(case.get('name')), [(c.tag, c.get('type')) for c in case])";
    let mut python = oracle::python();
    let read = of(python.args(["-c", script]).current_dir(folder.path())).ok();
    insta::assert_snapshot!(read.stdout, @r#"
    {'tests': '4', 'failures': '1', 'errors': '0', 'skipped': '1', 'name': 'metacov'}
    odd '�<"&' []
    odd 'empty' [('skipped', None)]
    split '1' [('failure', 'violated')]
    swap 'large' []
    "#);
}

#[test]
fn pairs_of_a_manifest_name_their_judges() {
    let folder = folder(&[SWAP[0], SPLIT]);
    let line = |relation: &str, pair: &str, judge: &str| {
        let path = format!("pairs/{relation}/{pair}");
        format!(
            r#"{{"relation": "{relation}", "pair": "{pair}", "a": "{path}/a", "b": "{path}/b"{judge}}}"#
        )
    };
    let write =
        |lines: &[String]| fs::write(folder.path().join("m.jsonl"), lines.join("\n")).unwrap();
    let run = |args: &[&str]| {
        let all = [&["measure", "--pairs", "m.jsonl"], args, &["--", "./totals", "@@"]].concat();
        metacov_in(folder.path(), &all)
    };
    write(&[line("swap", "large", ""), line("split", "1", r#", "judge": "number""#)]);
    let judged = run(&[]);
    assert_eq!(judged.code, 6);
    assert!(judged.stderr.contains("a returns 121, b returns 122"), "{}", judged.stderr);
    assert!(judged.stderr.contains("checked 1 of 2 pairs: 1 violation"), "{}", judged.stderr);
    // A judge for a relation on the command line comes first, then that of the pair, then the one
    // for all pairs.
    assert_eq!(run(&["--judge", "split=number:1"]).ok().code, 0);
    assert_eq!(run(&["--judge", "split=none"]).ok().code, 0);
    assert_eq!(run(&["--judge", "exit"]).code, 6);
    write(&[line("split", "1", r#", "judge": "same""#)]);
    let wrong = run(&[]).failed(3);
    assert!(wrong.contains("m.jsonl: line 1: `same` is no judge"), "{wrong}");
}

#[test]
fn a_judge_that_cannot_judge_is_no_verdict() {
    let folder = folder(&[SWAP[0]]);
    let run =
        |judge: &str| measure(folder.path(), &["--judge", judge, "--", "./totals", "@@", "-l"]);
    // Two numbers are not a number.
    let shape = run("number").failed(3);
    assert!(shape.contains("the output of side a is not a number"), "{shape}");
    let failed = run("command:cmp {a} {b} missing").failed(3);
    assert!(failed.contains("the judge failed (exit code 2)"), "{failed}");
    let missing = run("command:no-such-judge {a} {b}").failed(1);
    assert!(missing.contains("the judge does not start"), "{missing}");
    let twice =
        measure(folder.path(), &["--judge", "bag", "--judge", "exit", "--", "./totals", "@@"]);
    assert!(twice.failed(2).contains("--judge is given twice for all pairs"));
    let unknown = metacov_in(folder.path(), &["measure", "sqlite", "--judge", "bag"]).failed(2);
    assert!(unknown.contains("--judge goes with a command"), "{unknown}");
}

#[test]
fn gates_fail_a_run_for_what_they_name() {
    let folder = folder(&SWAP);
    fs::write(folder.path().join("pairs/swap/large/a"), "-1\n").unwrap();
    let code = |args: &[&str]| {
        let run = measure(folder.path(), &[args, &["--", "./totals", "@@"]].concat());
        (
            run.code,
            notes(&run).lines().filter(|line| line.starts_with("error: ")).collect::<String>(),
        )
    };
    assert_eq!(code(&["--valid-exit", "0"]).0, 0);
    let invalid = code(&["--valid-exit", "0", "--fail-on", "crash,invalid"]);
    assert_eq!(invalid, (5, "error: --fail-on: 1 pair: invalid".to_owned()));
    assert_eq!(code(&["--valid-exit", "0", "--fail-on", "crash,timeout"]).0, 0);
    assert_eq!(code(&["--fail-under", "mc/cov=1"]).0, 0);
    let under = code(&["--fail-under", "mc/cov=99,line=99"]);
    assert!(under.1.contains("--fail-under line: MC/Cov is "), "{under:?}");
    assert_eq!(under.0, 5);
    // Branches are not shown, but the coverage has them.
    let hidden = code(&["--fail-under", "branch=99"]);
    assert!(hidden.1.starts_with("error: --fail-under branch: MC is "), "{hidden:?}");
    let region = code(&["--fail-under", "region=1"]);
    assert_eq!(
        region.1,
        "error: --fail-under region: MC is not known, as the coverage has no regions"
    );
}

#[test]
fn a_drop_below_another_run_fails() {
    let folder = folder(&[SWAP[0], ("split/2", ["1\n", "99\n9\n"])]);
    let measure =
        |args: &[&str]| measure(folder.path(), &[args, &["--", "./totals", "@@"]].concat());
    measure(&["-o", "base.metacov"]).ok();
    measure(&["--fail-drop", "base.metacov"]).ok();
    fs::remove_dir_all(folder.path().join("pairs/split")).unwrap();
    let run = measure(&["--fail-drop", "base.metacov"]);
    assert_eq!(run.code, 5);
    assert!(run.stderr.contains("error: --fail-drop line: MC is 0.00 %, below "), "{}", run.stderr);
    assert!(run.stderr.contains(" % of base.metacov"), "{}", run.stderr);
}

/// Outputs that fill a pipe, and ones that are not text.
#[test]
fn outputs_of_any_size_and_bytes_are_judged_whole() {
    let folder = tempfile::tempdir().unwrap();
    let source = r#"#include <stdio.h>
int main(int argc, char **argv) {
    FILE *input = fopen(argv[1], "r");
    int last = 0, byte;
    while ((byte = getc(input)) != EOF) last = byte;
    for (int at = 0; at < 1000000; at++) putchar(at % 256);
    putchar(last);
    return 0;
}"#;
    fs::write(folder.path().join("bytes.c"), source).unwrap();
    metacov_in(folder.path(), &["cc", "-o", "bytes", "bytes.c"]).ok();
    for (pair, sides) in [("same", ["x", "x"]), ("other", ["x", "y"])] {
        let path = folder.path().join("pairs/last").join(pair);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("a"), sides[0]).unwrap();
        fs::write(path.join("b"), sides[1]).unwrap();
    }
    let run = measure(folder.path(), &["--judge", "equal", "--", "./bytes", "@@"]);
    assert_eq!(run.code, 6, "{}", run.stderr);
    assert!(run.stderr.contains("checked 2 pairs: 1 violation"), "{}", run.stderr);
}

/// From nothing to a failing exit code, a JUnit file, a page and the pair that shows the fault: what
/// `examples/judged` does in a script.
#[test]
fn a_script_finds_a_planted_fault_and_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, flags: &[&str]| {
        let mut command = Command::new(repository().join("examples/judged/check"));
        command.arg(folder.path().join(name)).args(flags);
        of(command.env("METACOV", env!("CARGO_BIN_EXE_metacov")))
    };
    let correct = check("correct", &[]).ok();
    assert!(correct.stderr.contains("checked 30 pairs: no violations"), "{}", correct.stderr);
    let faulty = check("faulty", &["-DFAULT"]);
    assert_eq!(faulty.code, 6, "{}", faulty.stderr);
    assert!(faulty.stderr.contains("violated: pair 07 of shuffle: a returns 8, b returns 15"));
    let file = |name: &str| fs::read_to_string(folder.path().join("faulty").join(name)).unwrap();
    assert!(
        file("results.junit.xml").contains(r#"<testsuites tests="30" failures="5" errors="0""#)
    );
    assert!(file("summary.md").contains("**5 violations of 30 checked.**"));
    assert!(file("pages/index.html").contains("<html"));
    let pair = |args: &[&str]| {
        let all = [&["pair", "run.metacov"], args].concat();
        metacov_in(&folder.path().join("faulty"), &all).ok().stdout
    };
    assert_eq!(pair(&["--verdict", "violated"]).matches("violated").count(), 5);
    let shown = pair(&["shuffle/07"]);
    assert!(shown.starts_with("pair shuffle/07: violated: a returns 8, b returns 15"), "{shown}");
    let output = |side: &str, text: &str| format!("{side}, output, exit code 0\n    {text}\n");
    assert!(shown.contains(&output("a", "8")) && shown.contains(&output("b", "15")), "{shown}");
}
