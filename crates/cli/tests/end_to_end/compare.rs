//! `metacov compare`: suites side by side.

use std::fs;
use std::path::Path;

use crate::run::{metacov_in, repository};
use crate::suites::report;

/// A run of two relations over ten lines, in which these are MC sites.
fn suite(folder: &Path, name: &str, swap: &[u32], shift: &[u32]) {
    let files = folder.join(format!("{name}.files"));
    fs::create_dir_all(&files).unwrap();
    report(&files, "a", &[10]);
    for (side, lines) in [("swap", swap), ("shift", shift)] {
        report(&files, side, &[lines, &[10]].concat());
    }
    let manifest = r#"{"relation": "swap", "pair": 1, "a": "a", "b": "swap"}
{"relation": "shift", "pair": 1, "a": "a", "b": "shift"}
"#;
    fs::write(files.join("pairs.jsonl"), manifest).unwrap();
    let (pairs, run) = (format!("{name}.files/pairs.jsonl"), format!("{name}.metacov"));
    metacov_in(folder, &["diff", "--pairs", &pairs, "-o", &run]).ok();
}

/// Four suites of the group "ours" and three of "theirs".
fn suites() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let ours: [&[u32]; 4] = [&[1, 2, 3], &[1, 2, 3, 4], &[2, 3, 4], &[1, 2, 3, 4, 5]];
    for (at, lines) in ours.into_iter().enumerate() {
        suite(folder.path(), &format!("ours-{at}"), lines, &[1]);
    }
    let theirs: [&[u32]; 3] = [&[1], &[6], &[1, 6]];
    for (at, lines) in theirs.into_iter().enumerate() {
        suite(folder.path(), &format!("theirs-{at}"), lines, &[1]);
    }
    folder
}

const OURS: [&str; 4] = ["ours-0.metacov", "ours-1.metacov", "ours-2.metacov", "ours-3.metacov"];
const THEIRS: [&str; 3] = ["theirs-0.metacov", "theirs-1.metacov", "theirs-2.metacov"];

fn compare<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["compare"][..], &OURS, more].concat()
}

#[test]
fn suites_of_one_method_distinguish_its_relations() {
    let folder = suites();
    let run = metacov_in(folder.path(), &compare(&[])).ok();
    insta::assert_snapshot!(run.stdout, @"
    criterion   relation   suites   pairs       Cov        MC     sd      CV    95 % interval    A12   effect       p   p (Holm)
    line        shift           4       1   20.00 %   10.00 %   0.00   0.000   10.00 to 10.00   0.00   large    0.029      0.029
    line        swap            4       1   47.50 %   37.50 %   9.57   0.255   30.00 to 45.00      -   -            -          -
    line        all             4       2   50.00 %   40.00 %   8.16   0.204   32.50 to 47.50      -   -            -          -

    How well does it tell relations apart?
    criterion   relations   CV of Cov    95 % interval   CV of MC    95 % interval   ratio   95 % interval
    line                2       0.576   0.471 to 0.660      0.819   0.707 to 0.900     1.4      1.4 to 1.5
    ");
    insta::assert_snapshot!(run.stderr, @"note: Cov and MC: mean over suites, in percent of all code. sd, CV and interval (bootstrap of the mean) are those of MC. A12 (Vargha and Delaney) and p (Mann and Whitney, two-sided) are against the relation with most; p (Holm) is corrected for the 1 comparison of the table.");
}

#[test]
fn groups_are_compared_with_the_first_and_their_sets_are_shown() {
    let folder = suites();
    let run = metacov_in(folder.path(), &compare(&[&["--against"][..], &THEIRS].concat())).ok();
    insta::assert_snapshot!(run.stdout, @"
    criterion   relation   group    suites   pairs       Cov        MC     sd      CV    95 % interval    A12   effect           p   p (Holm)
    line        shift      ours          4       1   20.00 %   10.00 %   0.00   0.000   10.00 to 10.00      -   -                -          -
    line        shift      theirs        3       1   20.00 %   10.00 %   0.00   0.000   10.00 to 10.00   0.50   negligible   1.000      1.000
    line        swap       ours          4       1   47.50 %   37.50 %   9.57   0.255   30.00 to 45.00      -   -                -          -
    line        swap       theirs        3       1   23.33 %   13.33 %   5.77   0.433   10.00 to 20.00   0.00   large        0.057      0.171
    line        all        ours          4       2   50.00 %   40.00 %   8.16   0.204   32.50 to 47.50      -   -                -          -
    line        all        theirs        3       2   26.67 %   16.67 %   5.77   0.346   10.00 to 20.00   0.00   large        0.057      0.171

    How well does it tell relations apart?
    criterion   group    relations   CV of Cov    95 % interval   CV of MC    95 % interval   ratio   95 % interval
    line        ours             2       0.576   0.471 to 0.660      0.819   0.707 to 0.900     1.4      1.4 to 1.5
    line        theirs           2       0.109   0.000 to 0.283      0.202   0.000 to 0.471       -               -

    Which MC sites has only one of them?
    relation   criterion   sites   a only   b only   both
    shift      line           10        0        0      1
    swap       line           10        4        1      1
    all        line           10        4        1      1
    ");
    insta::assert_snapshot!(run.stderr, @"
    note: Cov and MC: mean over suites, in percent of all code. sd, CV and interval (bootstrap of the mean) are those of MC. A12 (Vargha and Delaney) and p (Mann and Whitney, two-sided) are against group ours; p (Holm) is corrected for the 3 comparisons of the table.
    note: a is ours, b is theirs: MC sites of any of their suites
    ");
}

#[test]
fn mc_sites_that_only_one_of_two_runs_has_are_shown() {
    let folder = suites();
    let args = ["compare", "ours-0.metacov", "theirs-2.metacov", "--by", "file"];
    let run = metacov_in(folder.path(), &args).ok();
    insta::assert_snapshot!(run.stdout, @"
    criterion   relation   group      suites   pairs       Cov        MC
    line        shift      ours-0          1       1   20.00 %   10.00 %
    line        shift      theirs-2        1       1   20.00 %   10.00 %
    line        swap       ours-0          1       1   40.00 %   30.00 %
    line        swap       theirs-2        1       1   30.00 %   20.00 %
    line        all        ours-0          1       2   40.00 %   30.00 %
    line        all        theirs-2        1       2   30.00 %   20.00 %

    How well does it tell relations apart?
    criterion   group      relations   CV of Cov   95 % interval   CV of MC   95 % interval   ratio   95 % interval
    line        ours-0             2       0.471               -      0.707               -       -               -
    line        theirs-2           2       0.283               -      0.471               -       -               -

    Which MC sites has only one of them?
    file   criterion   sites   a only   b only   both
    x.c    line           10        2        1      1
    ");
    // The same in another notation: two groups of one run each have the same exit code and output.
    let args = ["compare", "ours-0.metacov", "--against", "theirs-2.metacov", "--by", "file"];
    assert_eq!(metacov_in(folder.path(), &args).ok().stdout, run.stdout);
}

#[test]
fn a_folder_is_a_group_and_there_may_be_many() {
    let folder = suites();
    let move_to = |name: &str, runs: &[&str]| {
        fs::create_dir(folder.path().join(name)).unwrap();
        for run in runs {
            fs::rename(folder.path().join(run), folder.path().join(name).join(run)).unwrap();
        }
    };
    move_to("first", &OURS[..2]);
    move_to("second", &OURS[2..]);
    move_to("third", &THEIRS);
    let args = ["compare", "first/", "--against", "second", "--against", "third", "-o", "-"];
    let run = metacov_in(folder.path(), &args).ok();
    let groups: Vec<&str> =
        run.stdout.lines().map(|line| line.split(',').nth(2).unwrap()).take(4).collect();
    assert_eq!(groups, ["group", "first", "second", "third"]);
}

#[test]
fn files_of_all_formats_are_written() {
    let folder = suites();
    let outputs = ["table.md", "page.html", "numbers.csv", "boxes.svg"];
    let outputs: Vec<&str> = outputs.iter().flat_map(|name| ["-o", *name]).collect();
    let options = [&["--relation", "swap"][..], &outputs].concat();
    metacov_in(folder.path(), &compare(&options)).ok();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("table.md").contains("| line | swap | 4 | 1 | 47.50 % | **37.50 %** |"));
    assert!(read("table.md").contains("![MC of suites](boxes.svg)"), "the plot stands beside it");
    let csv = read("numbers.csv");
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let headings = rows.next().unwrap();
    let row = rows.next().unwrap();
    let cell = |name: &str| row[headings.iter().position(|of| *of == name).unwrap()];
    assert_eq!((cell("relation"), cell("group"), cell("mc_mean")), ("swap", "ours", "37.5"));
    // Sample standard deviation of 30, 40, 30 and 50 percent.
    assert!((cell("mc_sd").parse::<f64>().unwrap() - 9.574_271).abs() < 1e-6);
    assert!(read("boxes.svg").starts_with("<svg "));
    let page = read("page.html");
    assert!(page.contains("<td class=\"strong\">37.50 %</td>"), "{page}");
    assert!(page.contains("<img src=\"data:image/svg+xml,%3Csvg "), "the plot is in it: {page}");
}

#[test]
fn runs_that_cannot_be_compared_are_reported() {
    let folder = suites();
    let run = |args: &[&str]| metacov_in(folder.path(), &[&["compare"], args].concat());
    let says = |args: &[&str], code: i32, words: &str| {
        let said = run(args).failed(code);
        assert!(said.contains(words), "{args:?}: {said}");
    };
    says(&["none.metacov"], 3, "none.metacov");
    says(&["ours-0.files"], 3, "there are no run files (.metacov) in it");
    says(
        &["ours-0.metacov", "--relation", "fusion"],
        2,
        "no run has pairs of the relation `fusion`",
    );
    says(
        &["ours-0.metacov", "-o", "x.pdf"],
        2,
        "x.pdf: unknown ending; a comparison is written as .md, .html, .csv or .svg",
    );
    says(&["ours-0.metacov", "--criterion", "region"], 2, "nothing to compare");
    let absdiff = repository().join("examples/absdiff");
    let (a, b) = (absdiff.join("2-3.json"), absdiff.join("3-2.json"));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    metacov_in(folder.path(), &["diff", a, b, "--op", "sub", "-o", "sub.metacov"]).ok();
    says(&["sub.metacov"], 3, "not differences");
    metacov_in(folder.path(), &["diff", a, b, "-o", "other.metacov"]).ok();
    let twice = run(&["ours-0.metacov", "ours-1.metacov", "ours-0.metacov"]).ok();
    assert!(twice.stderr.contains("measured with the same settings"), "{}", twice.stderr);
}
