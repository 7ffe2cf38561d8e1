//! A real program, built here with the machine's compiler: whichever tool reports its two runs,
//! metacov finds the same difference, and it agrees with gcov.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::oracle;
use crate::run::{metacov_in, of, repository};

const SOURCES: [&str; 3] = ["main.cpp", "shapes.cpp", "shapes.h"];

/// Compiles sources of a folder to `program`, each separately, so that their notes and counters
/// have the sources' names with every version of gcc.
pub fn compile(folder: &Path, compiler: &str, sources: &[&str]) {
    let mut command = Command::new(compiler);
    of(command.args(["-O0", "--coverage", "-c"]).args(sources).current_dir(folder)).ok();
    let objects = sources.iter().map(|source| Path::new(source).with_extension("o"));
    let mut command = Command::new(compiler);
    command.args(["--coverage", "-o", "program"]).args(objects);
    of(command.current_dir(folder)).ok();
}

const ABSDIFF: [&str; 2] = ["absdiff.c", "main.c"];

/// Compiles the paper's first listing in a folder, and returns the folder without links in its
/// path.
fn absdiff(folder: &Path) -> PathBuf {
    let sources = repository().join("tests/targets/absdiff");
    for name in ABSDIFF {
        fs::copy(sources.join(name), folder.join(name)).unwrap();
    }
    let folder = folder.canonicalize().unwrap();
    compile(&folder, "cc", &ABSDIFF);
    folder
}

/// Compiles shapes in a folder, runs it twice and leaves each run's data in `a` and `b`.
fn build(folder: &Path) {
    let sources = repository().join("tests/targets/shapes");
    for name in SOURCES {
        fs::copy(sources.join(name), folder.join(name)).unwrap();
    }
    compile(folder, "g++", &["main.cpp", "shapes.cpp"]);
    for (side, words) in [("a", "loud n7 n-2 n9 d0"), ("b", "d2 t3 s40")] {
        of(Command::new("./program").args(words.split(' ')).current_dir(folder)).ok();
        fs::create_dir(folder.join(side)).unwrap();
        for unit in ["main", "shapes"] {
            let (data, notes) = (format!("{unit}.gcda"), format!("{unit}.gcno"));
            fs::rename(folder.join(&data), folder.join(side).join(data)).unwrap();
            fs::copy(folder.join(&notes), folder.join(side).join(notes)).unwrap();
        }
    }
}

/// The lines that ran in one side only, according to gcov's text reports.
fn gcov_difference(folder: &Path) -> BTreeSet<String> {
    let lines = |side: &str| {
        let text = folder.join(side).join("text");
        fs::create_dir_all(&text).unwrap();
        for name in SOURCES {
            fs::copy(folder.join(name), text.join(name)).unwrap();
        }
        let mut gcov = Command::new("gcov");
        gcov.arg("--branch-probabilities").arg("--object-directory").arg(folder.join(side));
        let data = ["main", "shapes"].map(|unit| format!("../{unit}.gcda"));
        of(gcov.args(data).current_dir(&text)).ok();
        let mut lines = BTreeSet::new();
        for name in SOURCES {
            for line in fs::read_to_string(text.join(format!("{name}.gcov"))).unwrap().lines() {
                let mut fields = line.splitn(3, ':').map(str::trim);
                let count = fields.next().unwrap();
                if count.starts_with(|digit: char| digit.is_ascii_digit()) {
                    lines.extend(fields.next().map(|number| format!("{name}:{number}")));
                }
            }
        }
        lines
    };
    lines("a").symmetric_difference(&lines("b")).cloned().collect()
}

/// The sites in metacov's difference, as `file:line`, `file:line#branch` and `file:line()`.
fn difference(folder: &Path, args: &[&str]) -> BTreeSet<String> {
    let all = ["diff", "--format", "json", "-o", "-", "--exclude", "/usr", "--exclude", r"\.\./"];
    let run = metacov_in(folder, &[&all[..], args].concat()).ok();
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let mut sites = BTreeSet::new();
    for file in document["files"].as_array().unwrap() {
        let path = file["path"].as_str().unwrap();
        for (kind, show) in [("lines", ""), ("branches", "#"), ("functions", "()")] {
            for entry in file[kind].as_array().unwrap() {
                if entry["pairs"].as_u64() == Some(1) {
                    let branch = entry.get("branch").map(ToString::to_string).unwrap_or_default();
                    sites.insert(format!("{path}:{}{show}{branch}", entry["line"]));
                }
            }
        }
    }
    sites
}

fn lines_only(sites: &BTreeSet<String>) -> BTreeSet<String> {
    sites.iter().filter(|site| !site.ends_with("()") && !site.contains('#')).cloned().collect()
}

#[test]
fn counters_and_reports_of_gcov_gcovr_and_lcov_give_the_difference_of_gcov() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    build(&folder);
    for side in ["a", "b"] {
        let data = ["main", "shapes"].map(|unit| format!("{side}/{unit}.gcda"));
        let mut gcov = Command::new("gcov");
        gcov.args(["--json-format", "--branch-probabilities", "--stdout"]).args(&data);
        let run = of(gcov.current_dir(&folder)).ok();
        fs::write(folder.join(format!("{side}.gcov.json")), run.stdout).unwrap();

        let mut gcovr = oracle::gcovr("8.7");
        gcovr.args(["--json", &format!("{side}.gcovr.json"), "--gcov-object-directory", side]);
        of(gcovr.arg(side).current_dir(&folder)).ok();

        let mut lcov = Command::new("lcov");
        lcov.args(["--quiet", "--rc", "lcov_branch_coverage=1", "--capture"]);
        lcov.args(["--directory", side, "--output-file", &format!("{side}.info")]);
        of(lcov.current_dir(&folder)).ok();
    }
    let gcov = difference(&folder, &["a.gcov.json", "b.gcov.json"]);
    let gcovr = difference(&folder, &["a.gcovr.json", "b.gcovr.json"]);
    let lcov = difference(&folder, &["a.info", "b.info"]);
    assert_eq!(lines_only(&gcov), gcov_difference(&folder));
    assert!(
        gcov.iter().any(|site| site.contains('#')) && gcov.iter().any(|site| site.contains("()"))
    );
    assert_eq!(gcov, gcovr, "gcov and gcovr");
    assert_eq!(gcov, lcov, "gcov and lcov");
    let counters = |side: &str| ["main", "shapes"].map(|unit| format!("{side}/{unit}.gcda"));
    let ([a_main, a_shapes], [b_main, b_shapes]) = (counters("a"), counters("b"));
    let args = ["-a", &a_main, &a_shapes, "-b", &b_main, &b_shapes];
    assert_eq!(gcov, difference(&folder, &args), "gcov and its counters");
    // One side in one format, the other in another: a run does not differ from itself.
    let mixed = ["-a", "a.gcov.json", "-b", &a_main, &a_shapes];
    assert_eq!(difference(&folder, &mixed), BTreeSet::new(), "gcov and its counters, mixed");
}

/// No gcov, no gcovr, no counters to delete between the runs: one folder for each run.
#[test]
fn two_runs_of_a_program_in_three_commands() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = absdiff(temporary.path());
    for (run, words) in [("run1", ["2", "3"]), ("run2", ["3", "2"])] {
        let mut program = Command::new("./program");
        program.args(words).env("GCOV_PREFIX", folder.join(run));
        of(program.current_dir(&folder)).ok();
    }
    let lines = lines_only(&difference(&folder, &["run1", "run2"]));
    let lines: Vec<_> = lines.iter().filter(|line| line.starts_with("absdiff.c")).collect();
    assert_eq!(lines, ["absdiff.c:3", "absdiff.c:5"]);
    // Blocks are reported only on request.
    let blocks = metacov_in(&folder, &["diff", "run1", "run2", "--criterion", "block"]).ok();
    let row = blocks.row(&["block"]);
    assert_eq!((row[2].as_str(), row[3].as_str()), ("1", "1"), "{}", blocks.stdout);
    assert!(!metacov_in(&folder, &["diff", "run1", "run2"]).ok().stdout.contains("block"));
    // A recompiled program is another build: its counters do not fit the old notes.
    fs::write(folder.join("main.c"), fs::read_to_string(folder.join("main.c")).unwrap() + "\n")
        .unwrap();
    compile(&folder, "cc", &ABSDIFF);
    let said = metacov_in(&folder, &["diff", "run1", "run2"]).failed(4);
    assert!(said.contains("made from another build than"), "{said}");
    let said = metacov_in(&folder, &["diff", ".git", "run2"]).failed(3);
    assert!(said.contains("no such file or directory"), "{said}");
    fs::create_dir(folder.join("empty")).unwrap();
    let said = metacov_in(&folder, &["diff", "empty", "run2"]).failed(3);
    assert!(said.contains("a folder without counters (.gcda)"), "{said}");
}

/// The paper's first listing, compiled and run: {3, 5} for R1, nothing for R2.
#[test]
fn the_faulty_absolute_difference() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = absdiff(temporary.path());
    let cover = |x: &str, y: &str| {
        of(Command::new("./program").args([x, y]).current_dir(&folder)).ok();
        let mut gcov = Command::new("gcov");
        gcov.args(["--json-format", "--stdout", "absdiff.gcda"]);
        let run = of(gcov.current_dir(&folder)).ok();
        let name = format!("{x}-{y}.json");
        fs::write(folder.join(&name), run.stdout).unwrap();
        for unit in ["absdiff.gcda", "main.gcda"] {
            fs::remove_file(folder.join(unit)).unwrap();
        }
        name
    };
    let lines = |a: &str, b: &str| lines_only(&difference(&folder, &[a, b]));
    let swapped = lines(&cover("2", "3"), &cover("3", "2"));
    assert_eq!(swapped, BTreeSet::from(["absdiff.c:3".to_owned(), "absdiff.c:5".to_owned()]));
    assert_eq!(lines(&cover("2", "3"), &cover("3", "4")), BTreeSet::new());
}

/// gcov counts code that markers exclude; gcovr excludes it, and so does metacov.
#[test]
fn markers_exclude_what_gcovr_excludes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    fs::copy(repository().join("tests/targets/markers/markers.c"), folder.join("markers.c"))
        .unwrap();
    compile(&folder, "cc", &["markers.c"]);
    of(Command::new("./program").current_dir(&folder)).ok();
    let mut gcov = Command::new("gcov");
    gcov.args(["--json-format", "--branch-probabilities", "--stdout", "markers.gcda"]);
    fs::write(folder.join("gcov.json"), of(gcov.current_dir(&folder)).ok().stdout).unwrap();
    of(oracle::gcovr("8.7").args(["--json", "gcovr.json"]).current_dir(&folder)).ok();
    let sites = |args: &[&str]| {
        let run = metacov_in(&folder, &[&["diff", "--op", "or"], args].concat()).ok();
        ["line", "branch"].map(|criterion| run.row(&[criterion])[1..].to_vec())
    };
    let ours = sites(&["gcov.json", "gcov.json"]);
    assert_eq!(ours, sites(&["gcovr.json", "gcovr.json", "--no-markers"]));
    assert_ne!(ours, sites(&["gcov.json", "gcov.json", "--no-markers"]));
}

/// Reported once for a run, whatever the number of files and pairs, and only if something was
/// excluded.
#[test]
fn exclusions_by_markers_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    fs::copy(repository().join("tests/targets/markers/markers.c"), folder.join("markers.c"))
        .unwrap();
    compile(&folder, "cc", &["markers.c"]);
    of(Command::new("./program").current_dir(&folder).env("GCOV_PREFIX", folder.join("run"))).ok();
    for pair in ["pairs/first", "pairs/second"] {
        fs::create_dir_all(folder.join(pair)).unwrap();
        fs::write(folder.join(pair).join("a"), "").unwrap();
        fs::write(folder.join(pair).join("b"), "").unwrap();
    }
    let notes = |args: &[&str]| {
        let run = metacov_in(&folder, args).ok();
        let notes = run.stderr.lines().filter(|line| line.contains("markers"));
        (notes.collect::<Vec<_>>().join("\n"), run.stdout)
    };
    let measure = ["measure", "--pairs", "pairs", "-j", "2", "--", "./program"];
    let (said, shown) = notes(&measure);
    insta::assert_snapshot!(said, @"note: 4 lines and the branches of 2 more in 1 file are left out by exclusion markers in the sources (measure and diff count them with --no-markers)");
    assert_eq!(notes(&["diff", "run", "run"]).0, said);
    assert_eq!(notes(&[&["-q"], &measure[..]].concat()), (String::new(), shown));
    assert_eq!(notes(&["diff", "run", "run", "--no-markers"]).0, "");
    // A run file keeps the counts.
    let stored = [&["measure", "-o", "run.metacov"], &measure[1..]].concat();
    assert_eq!(notes(&stored).0, said);
    assert_eq!(notes(&["report", "run.metacov"]).0, said);
    let resumed = [&["measure", "-o", "run.metacov", "--resume"], &measure[1..]].concat();
    assert_eq!(notes(&resumed).0, said, "also if nothing is left to measure");
    notes(&["merge", "-o", "merged.metacov", "run.metacov"]);
    assert_eq!(notes(&["report", "merged.metacov"]).0, said);
    metacov_in(&folder, &["check", "merged.metacov"]).ok();
}
