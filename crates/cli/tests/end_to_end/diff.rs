//! `metacov diff A B`: the table, its options, its checks.

use std::fmt::Write as _;

use crate::run::{data, metacov, metacov_in, of};

const A: &str = "gcovr_json/8.7/a.json";
const B: &str = "gcovr_json/8.7/b.json";
/// The folder in which the fixtures were generated.
const ROOT: &str = "/tmp/fixtures/shapes";
const ABSDIFF: &str = "gcov_json/gcc-12-absdiff";

#[test]
fn the_papers_first_listing() {
    let run = metacov(&["diff", &format!("{ABSDIFF}/a.json"), &format!("{ABSDIFF}/b.json")]).ok();
    insta::assert_snapshot!(run.stdout, @"
    criterion   sites   a only   b only   both   not executed   MC sites         MC     MC/Cov
    line            4        1        1      2              0          2    50.00 %    50.00 %
    branch          2        1        1      0              0          2   100.00 %   100.00 %
    function        1        0        0      1              0          0     0.00 %     0.00 %
    ");
    let run =
        metacov(&["diff", &format!("{ABSDIFF}/r2-a.json"), &format!("{ABSDIFF}/r2-b.json")]).ok();
    insta::assert_snapshot!(run.stdout, @"
    criterion   sites   a only   b only   both   not executed   MC sites       MC   MC/Cov
    line            4        0        0      3              1          0   0.00 %   0.00 %
    branch          2        0        0      1              1          0   0.00 %   0.00 %
    function        1        0        0      1              0          0   0.00 %   0.00 %
    ");
}

#[test]
fn the_table_of_two_gcovr_reports() {
    let run = metacov(&["diff", A, B]).ok();
    insta::assert_snapshot!(run.stdout, @"
    criterion   sites   a only   b only   both   not executed   MC sites        MC    MC/Cov
    line           56       10       20     25              1         30   53.57 %   54.55 %
    branch         67       14       25     10             18         39   58.21 %   79.59 %
    function       14        2        6      5              1          8   57.14 %   61.54 %
    ");
    insta::assert_snapshot!(run.stderr, @"");
}

#[test]
fn operations_select_their_sites() {
    let result = |op: &str| metacov(&["diff", A, B, "--op", op]).ok().row(&["line"])[6].clone();
    let row = metacov(&["diff", A, B]).ok().row(&["line"]);
    let number = |at: usize| row[at].parse::<u32>().unwrap();
    let (a_only, b_only, both) = (number(2), number(3), number(4));
    assert_eq!(result("xor"), (a_only + b_only).to_string());
    assert_eq!(result("sub"), a_only.to_string());
    assert_eq!(result("and"), both.to_string());
    assert_eq!(result("or"), (a_only + b_only + both).to_string());
}

#[test]
fn rows_by_file_and_by_function() {
    let run = metacov(&["diff", A, B, "--by", "file", "--criterion", "line"]).ok();
    insta::assert_snapshot!(run.stdout, @"
    file         criterion   sites   a only   b only   both   not executed   MC sites        MC    MC/Cov
    shapes.cpp   line           25        3       16      6              0         19   76.00 %   76.00 %
    main.cpp     line           23        6        4     12              1         10   43.48 %   45.45 %
    shapes.h     line            8        1        0      7              0          1   12.50 %   12.50 %
    ");
    let run = metacov(&["diff", A, B, "--by", "function", "--criterion", "line,branch"]).ok();
    insta::assert_snapshot!(run.stdout, @"
    function                                                                         starts at       criterion   sites   a only   b only   both   not executed   MC sites         MC     MC/Cov
    main                                                                             main.cpp:11     line           21        6        3     12              0          9    42.86 %    42.86 %
    main                                                                             main.cpp:11     branch         40       10       10      7             13         20    50.00 %    74.07 %
    corners(char const*)                                                             shapes.cpp:31   line            8        0        8      0              0          8   100.00 %   100.00 %
    corners(char const*)                                                             shapes.cpp:31   branch          3        0        3      0              0          3   100.00 %   100.00 %
    Ledger::add(char const*, double)::{lambda(double)#1}::operator()(double) const   shapes.cpp:19   line            5        0        5      0              0          5   100.00 %   100.00 %
    Ledger::add(char const*, double)::{lambda(double)#1}::operator()(double) const   shapes.cpp:19   branch         10        0        7      0              3          7    70.00 %   100.00 %
    area(char const*, double)                                                        shapes.cpp:25   line            4        1        1      2              0          2    50.00 %    50.00 %
    area(char const*, double)                                                        shapes.cpp:25   branch          6        2        3      0              1          5    83.33 %   100.00 %
    Ledger::~Ledger()                                                                shapes.cpp:12   line            4        1        0      3              0          1    25.00 %    25.00 %
    Ledger::~Ledger()                                                                shapes.cpp:12   branch          4        1        2      0              1          3    75.00 %   100.00 %
    double clamp_sum<double>(double const*, int, double)                             shapes.h:13     line            7        1        0      6              0          1    14.29 %    14.29 %
    double clamp_sum<double>(double const*, int, double)                             shapes.h:13     branch          4        1        0      3              0          1    25.00 %    25.00 %
    scale(double)                                                                    main.cpp:7      line            1        0        1      0              0          1   100.00 %   100.00 %
    scale(double)                                                                    shapes.cpp:6    line            1        0        1      0              0          1   100.00 %   100.00 %
    announce(int)                                                                    shapes.cpp:8    line            1        1        0      0              0          1   100.00 %   100.00 %
    Ledger::add(char const*, double)                                                 shapes.cpp:18   line            1        0        1      0              0          1   100.00 %   100.00 %
    ");
}

/// One run works in the `int` instance of a template, the other in the `double` instance: the
/// lines are the same, the instances are not.
#[test]
fn template_instances_are_distinguished_on_request() {
    let by_line = metacov(&["diff", A, B, "--filter", "shapes.h", "--criterion", "line"]).ok();
    let apart =
        metacov(&["diff", A, B, "--filter", "shapes.h", "--criterion", "line", "--per-instance"]);
    insta::assert_snapshot!(by_line.stdout, @"
    criterion   sites   a only   b only   both   not executed   MC sites        MC    MC/Cov
    line            8        1        0      7              0          1   12.50 %   12.50 %
    ");
    insta::assert_snapshot!(apart.ok().stdout, @"
    criterion   sites   a only   b only   both   not executed   MC sites        MC    MC/Cov
    line           15        7        6      1              1         13   86.67 %   92.86 %
    ");
}

#[test]
fn filters_and_folders_decide_which_code_counts() {
    let files = |args: &[&str]| {
        let run = metacov(&[&["diff", A, B, "--by", "file", "--criterion", "line"], args].concat());
        run.ok()
            .stdout
            .lines()
            .skip(1)
            .map(|row| row.split(' ').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(files(&["--filter", "shapes", "--exclude", r".*\.h$"]), ["shapes.cpp"]);
    assert_eq!(files(&["--filter", "main", "--prefix-map", "nowhere=elsewhere"]), ["main.cpp"]);
    let gcov = ["diff", "-a", "gcov_json/gcc-12/a.ndjson", "-b", "gcov_json/gcc-12/b.ndjson"];
    let run = metacov(
        &[
            &gcov[..],
            &["--by", "file", "--exclude", "/usr", "--prefix-map", "/tmp/fixtures/shapes=src"],
        ]
        .concat(),
    );
    assert!(run.ok().stdout.contains("\nsrc/main.cpp "));
}

#[test]
fn a_missed_threshold_has_a_distinct_exit_code() {
    let run = metacov(&["diff", A, B, "--fail-under", "line=1,branch=99.5"]);
    assert_eq!(run.code, 5);
    insta::assert_snapshot!(run.stderr, @"error: --fail-under branch: MC is 58.21 %, below 99.5 %");
    assert!(run.stdout.starts_with("criterion"), "the table is shown all the same");
    metacov(&["diff", A, B, "--fail-under", "line=1"]).ok();
    // A criterion that was not measured does not pass.
    let run = metacov(&["diff", A, B, "--fail-under", "region=0"]);
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (5, "error: --fail-under region: MC is not known, as the coverage has no regions\n")
    );
}

#[test]
fn a_side_within_the_other_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let info = |lines: &str| format!("TN:\nSF:x.c\n{lines}end_of_record\n");
    std::fs::write(folder.path().join("a"), info("DA:1,1\nDA:2,0\n")).unwrap();
    std::fs::write(folder.path().join("b"), info("DA:1,2\nDA:2,1\n")).unwrap();
    let run = metacov_in(folder.path(), &["diff", "a", "b"]).ok();
    insta::assert_snapshot!(run.stderr, @"
    warning: b runs all that a runs, and more; were the counters reset between the runs?
    note: left out: branch, function (the files do not say which of them ran)
    ");
    assert_eq!(metacov_in(folder.path(), &["diff", "a", "b", "-q"]).ok().stderr, "");
}

#[test]
fn a_side_that_ran_very_little_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut info = String::from("SF:x.c\nDA:99,1\n");
    (1..=30).for_each(|line| writeln!(info, "DA:{line},1").unwrap());
    std::fs::write(folder.path().join("a"), info.clone() + "end_of_record\n").unwrap();
    let info = info.replace(",1\n", ",0\n").replace("DA:99,0", "DA:99,1");
    std::fs::write(folder.path().join("b"), info + "end_of_record\n").unwrap();
    let run = metacov_in(folder.path(), &["diff", "a", "b"]).ok();
    insta::assert_snapshot!(run.stderr, @"
    warning: a runs all that b runs, and more; were the counters reset between the runs?
    warning: in 1 pair one side runs less than a tenth of what the other runs; did it end early?
    note: left out: branch, function (the files do not say which of them ran)
    ");
}

#[test]
fn sites_that_only_one_side_knows_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "SF:x.c\nDA:1,1\nDA:2,0\nDA:3,1\nend_of_record\n")
        .unwrap();
    std::fs::write(folder.path().join("b"), "SF:x.c\nDA:1,1\nDA:4,1\nend_of_record\n").unwrap();
    let run = metacov_in(folder.path(), &["diff", "a", "b"]).ok();
    insta::assert_snapshot!(run.stderr, @"
    warning: 3 line sites are known to one side only; the other side counts as not having run them
    note: left out: branch, function (the files do not say which of them ran)
    ");
    assert_eq!(run.row(&["line"])[1..6], ["4", "1", "1", "1", "1"]);
}

/// Formats without the identity of branches give lines and functions; branches are not treated as
/// "none ran".
#[test]
fn criteria_that_one_side_lacks_are_left_out() {
    let run = metacov(&["diff", A, "cobertura/gcovr-8.7/b.xml", "--root", ROOT]).ok();
    assert!(
        run.stderr.contains("left out: branch (some of the files do not have it)"),
        "{}",
        run.stderr
    );
    assert!(!run.stdout.contains("branch"));
    let same = metacov(&["diff", A, B]).ok();
    assert_eq!(run.row(&["line"]), same.row(&["line"]));
}

#[test]
fn branches_with_different_names_are_not_compared() {
    let run = metacov(&["diff", A, "lcov/1.16/b.info", "--root", ROOT, "--exclude", "/usr"]).ok();
    assert!(
        run.stderr.contains("left out: branch (the files name branches in different ways"),
        "{}",
        run.stderr
    );
    let same = metacov(&["diff", A, B]).ok();
    assert_eq!(run.row(&["line"]), same.row(&["line"]));
}

/// gcovr hashes source lines in hexadecimal, lcov in base 64: the same code in both.
#[test]
fn hashes_in_different_notations_are_not_compared() {
    let lcov = "lcov/1.16/a-checksum.info";
    let run = metacov(&["diff", A, lcov, "--root", ROOT, "--exclude", "/usr"]).ok();
    assert_eq!(run.row(&["line"])[6], "0", "a run does not differ from itself");
}

#[test]
fn a_criterion_that_no_side_reports_is_an_error() {
    let said = metacov(&["diff", A, B, "--criterion", "region"]).failed(3);
    assert_eq!(said, "error: region: the coverage has no such sites\n");
}

#[test]
fn a_line_that_its_source_excludes_counts_for_neither_side() {
    let folder = tempfile::tempdir().unwrap();
    let info = |count| format!("SF:x.c\nDA:1,1\nDA:2,{count}\nDA:3,1\nend_of_record\n");
    std::fs::write(folder.path().join("a"), info(1)).unwrap();
    std::fs::write(folder.path().join("b"), info(0)).unwrap();
    std::fs::write(folder.path().join("x.c"), "int a;\nint b; // LCOV_EXCL_LINE\nint c;\n")
        .unwrap();
    let run = metacov_in(folder.path(), &["diff", "a", "b"]).ok();
    assert_eq!(run.row(&["line"])[1..6], ["2", "0", "0", "2", "0"]);
    let run = metacov_in(folder.path(), &["diff", "a", "b", "--no-markers"]).ok();
    assert_eq!(run.row(&["line"])[1..6], ["3", "1", "0", "2", "0"]);
}

#[test]
fn colours_are_for_terminals_or_on_request() {
    assert!(!metacov(&["diff", A, B]).ok().stdout.contains('\x1b'));
    assert!(metacov(&["diff", A, B, "--color", "always"]).ok().stdout.contains('\x1b'));
}

#[test]
fn one_file_may_be_standard_input() {
    let folder = data("gcovr_json/8.7");
    let by_name = metacov_in(&folder, &["diff", "a.json", "b.json"]).ok();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_metacov"));
    let input = std::fs::File::open(folder.join("b.json")).unwrap();
    let run = of(command.current_dir(&folder).args(["diff", "a.json", "-"]).stdin(input)).ok();
    assert_eq!(run.stdout, by_name.stdout);
    let pipe = "cat a.json | \"$0\" diff - b.json";
    let mut shell = std::process::Command::new("sh");
    let run = of(shell.current_dir(&folder).args(["-c", pipe, env!("CARGO_BIN_EXE_metacov")])).ok();
    assert_eq!(run.stdout, by_name.stdout);
}
