//! Bad input: a message with the file and the position, the exit code, and no incomplete output.

use std::fs;
use std::io::Write as _;
use std::process::Command;

use crate::run::{data, metacov, metacov_in, of};

const A: &str = "gcovr_json/8.7/a.json";
const B: &str = "gcovr_json/8.7/b.json";

#[test]
fn a_side_that_cannot_be_read_is_an_error_and_never_an_empty_set() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let whole = fs::read(data(A)).unwrap();
    for (name, content) in [
        ("empty", &b""[..]),
        ("truncated", &whole[..whole.len() / 2]),
        ("version", br#"{"gcovr/format_version": "0.99", "files": []}"#),
        ("no-files", br#"{"gcovr/format_version": "0.15", "files": []}"#),
        ("negative", b"SF:x.c\nDA:1,-5\nend_of_record\n"),
        ("huge", b"SF:x.c\nDA:99999999999,5\nend_of_record\n"),
        ("unended", b"SF:x.c\nDA:1,5\n"),
        ("binary", b"\x00\x01\x02\x03"),
        ("letters", b"TN:\nSF:x.c\nDA:1,\xff\xfe\nend_of_record\n"),
        ("control", b"SF:x\x1b[2Jy.c\nDA:1,5\nend_of_record\n"),
    ] {
        fs::write(path(name), content).unwrap();
    }
    let mut said = String::new();
    for name in [
        "empty",
        "truncated",
        "version",
        "no-files",
        "negative",
        "huge",
        "unended",
        "binary",
        "letters",
        "control",
        "missing",
        ".",
    ] {
        let run = metacov(&["diff", A, &path(name), "-o", &path("out.json")]);
        said += &run.failed(3).replace(folder.path().to_str().unwrap(), "");
    }
    insta::assert_snapshot!(said, @r#"
    error: /empty: the file is empty, so the side was not measured
    error: /truncated: byte 9476: the file ends within a string
    error: /version: gcovr JSON version 0.99 is not known (metacov reads 0.1 to 0.15)
    error: /no-files: the file lists no code, so the side was not measured
    error: /negative: line 2: `DA:1,-5`: a negative count (were counters updated by several threads?)
    error: /huge: line 2: `DA:99999999999,5`: not of the form that DA has
    error: /unended: line 3: the file ends without `end_of_record`
    error: /binary: not a recognised coverage format (metacov reads gcovr JSON, gcov JSON, gcov data (.gcda), gcov notes (.gcno), LLVM JSON, coverage.py JSON, coverage.py data, Istanbul JSON, lcov, Cobertura, JaCoCo XML, Go coverage profile)
    error: /letters: line 3: text that is not UTF-8
    error: /control: line 3: the file name "x\u{1b}[2Jy.c" is empty or has control characters
    error: /missing: no such file or directory
    error: /.: a folder without counters (.gcda); name other files one by one
    "#);
    assert!(!fs::exists(path("out.json")).unwrap(), "nothing is written");
}

/// The report with different hashes of all source lines.
fn of_other_source(report: &str) -> String {
    let key = "\"gcovr/md5\": \"";
    let mut parts = report.split(key);
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |report, rest| {
        let (digit, rest) = rest.split_at(1);
        report + key + if digit == "0" { "1" } else { "0" } + rest
    })
}

#[test]
fn other_builds_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let report = fs::read_to_string(data(A)).unwrap();
    fs::write(folder.path().join("a"), &report).unwrap();
    fs::write(folder.path().join("md5"), of_other_source(&report)).unwrap();
    let said = metacov_in(folder.path(), &["diff", "a", "md5"]).failed(4);
    insta::assert_snapshot!(said, @"error: md5: made from another build than a: main.cpp:7 is not the same code");

    let info = |line| format!("SF:x.c\nFN:{line},f\nFNDA:1,f\nDA:{line},1\nend_of_record\n");
    fs::write(folder.path().join("first.info"), info(3)).unwrap();
    fs::write(folder.path().join("moved.info"), info(4)).unwrap();
    let said = metacov_in(folder.path(), &["diff", "first.info", "moved.info"]).failed(4);
    insta::assert_snapshot!(said, @"error: moved.info: made from another build than first.info: f, which starts at x.c:3 and :4, is not the same code");
}

/// In suites, other builds are detected across pairs and across workers too.
#[test]
fn other_builds_are_refused_across_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let report = fs::read_to_string(data(A)).unwrap();
    fs::write(folder.path().join("a"), &report).unwrap();
    fs::write(folder.path().join("z"), of_other_source(&report)).unwrap();
    let manifest = "{\"relation\":\"r\",\"pair\":1,\"a\":\"a\",\"b\":\"a\"}\n{\"relation\":\"r\",\"pair\":2,\"a\":\"z\",\"b\":\"z\"}\n";
    fs::write(folder.path().join("pairs"), manifest).unwrap();
    for jobs in ["1", "2"] {
        let said = metacov_in(folder.path(), &["diff", "--pairs", "pairs", "-j", jobs]).failed(4);
        assert!(said.contains("made from another build than"), "{said}");
    }
}

#[test]
fn a_bomb_is_an_error_in_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.gz");
    let mut encoder = flate2::write::GzEncoder::new(
        fs::File::create(&path).unwrap(),
        flate2::Compression::best(),
    );
    encoder.write_all(b"{\"gcovr/format_version\": \"0.15\", \"files\": [").unwrap();
    let spaces = vec![b' '; 1 << 20];
    (0..100).for_each(|_| encoder.write_all(&spaces).unwrap());
    encoder.finish().unwrap();
    let shell = format!(
        "ulimit -v 100000; exec {} diff {} {}",
        env!("CARGO_BIN_EXE_metacov"),
        data(A).display(),
        path.display()
    );
    let run = of(Command::new("sh").arg("-c").arg(shell));
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(
        run.stderr.ends_with("it decompresses to more than 300 times its size\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn invalid_arguments_are_usage_errors() {
    for args in [
        &["diff"][..],
        &["diff", A],
        &["diff", A, B, "-o", "out.xyz"],
        &["diff", A, B, "-o", "-"],
        &["diff", A, B, "--fail-under", "line=200"],
        &["diff", A, B, "--fail-under", "word=2"],
        &["diff", A, B, "--criterion", "word"],
        &["diff", A, B, "--filter", "("],
        &["diff", A, B, "--pairs", "x"],
        &["diff", A, B, "-j", "0"],
        &["diff", "-a", A],
        &["nonsense"],
    ] {
        let run = metacov(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}: {}", run.stderr);
        assert!(run.stderr.starts_with("error: "), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn a_closed_output_is_not_an_error() {
    let shell =
        format!("{} diff {A} {B} -o - --format json | head -c 10", env!("CARGO_BIN_EXE_metacov"));
    let run = of(Command::new("bash")
        .args(["-c", &format!("set -o pipefail; {shell}")])
        .current_dir(data("")));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}
