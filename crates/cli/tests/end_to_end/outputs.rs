//! Written files can be read: by the tools that they are for, and by metacov.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::oracle;
use crate::run::{data, metacov, metacov_in, of, repository};

const A: &str = "gcovr_json/8.7/a.json";
const B: &str = "gcovr_json/8.7/b.json";

/// The counts of a criterion in metacov's own JSON: all sites, and those in the result.
fn counts(folder: &Path, args: &[&str]) -> impl Fn(&str) -> (u64, u64) + use<> {
    let run = metacov_in(folder, &[&["diff", "-o", "-", "--format", "json"], args].concat()).ok();
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    move |criterion| {
        let summary = &document["total"]["summary"][criterion];
        let result = summary.get("mc_sites").unwrap_or(&summary["result"]);
        (summary["sites"].as_u64().unwrap(), result.as_u64().unwrap())
    }
}

/// The counts of gcovr for a report that metacov wrote.
fn gcovr_counts(version: &str, args: &[&str]) -> impl Fn(&str) -> (u64, u64) + use<> {
    let mut command = oracle::gcovr(version);
    command.args(args).arg("--json-summary").current_dir(Path::new(args[1]).parent().unwrap());
    let run = of(&mut command).ok();
    let summary: Value = serde_json::from_str(&run.stdout).unwrap();
    move |criterion| {
        let number = |word: &str| summary[format!("{criterion}_{word}")].as_u64().unwrap();
        (number("total"), number("covered"))
    }
}

#[test]
fn every_gcovr_loads_its_json_and_counts_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for (version, format) in oracle::GCOVR {
        for op in ["xor", "sub", "and", "or"] {
            let out = folder.path().join(format!("{version}.json"));
            let out = out.to_str().unwrap();
            let args = ["diff", A, B, "--op", op, "--gcovr-format", format, "-o", out];
            metacov(&args).ok();
            let ours = counts(&data(""), &[A, B, "--op", op]);
            let theirs = gcovr_counts(version, &["-a", out]);
            for criterion in ["line", "branch", "function"] {
                assert_eq!(ours(criterion), theirs(criterion), "{version} {op} {criterion}");
            }
        }
    }
}

/// Not only the numbers agree: also each line, branch and function.
#[test]
fn gcovr_writes_the_same_sets() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, theirs) = (folder.path().join("ours.json"), folder.path().join("theirs.json"));
    metacov(&["diff", A, B, "-o", ours.to_str().unwrap()]).ok();
    let mut command = oracle::gcovr("8.7");
    command.current_dir(&folder).arg("-a").arg(&ours).arg("--json").arg(&theirs);
    of(&mut command).ok();
    let sets = |path: &Path| {
        let report: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let mut sets = Vec::new();
        for file in report["files"].as_array().unwrap() {
            let name = file["file"].as_str().unwrap().to_owned();
            for line in file["lines"].as_array().unwrap() {
                sets.push(format!("{name}:{} {}", line["line_number"], line["count"]));
                for branch in line["branches"].as_array().unwrap() {
                    let (number, count) = (&branch["branchno"], &branch["count"]);
                    sets.push(format!("{name}:{} #{number} {count}", line["line_number"]));
                }
            }
            for function in file["functions"].as_array().unwrap() {
                let (shown, count) = (&function["demangled_name"], &function["execution_count"]);
                let shown = if shown.is_null() { &function["name"] } else { shown };
                sets.push(format!("{name}:{} {shown} {count}", function["lineno"]));
            }
        }
        sets.sort();
        sets
    };
    assert_eq!(sets(&ours), sets(&theirs));
}

#[test]
fn gcovr_creates_pages_from_our_json() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["main.cpp", "shapes.cpp", "shapes.h"] {
        let source = repository().join("tests/targets/shapes").join(name);
        fs::copy(source, folder.path().join(name)).unwrap();
    }
    for (version, format) in oracle::GCOVR {
        let out = folder.path().join("mc.json");
        metacov(&["diff", A, B, "--gcovr-format", format, "-o", out.to_str().unwrap()]).ok();
        let mut command = oracle::gcovr(version);
        command.current_dir(&folder).args(["-a", "mc.json", "--html-details", "mc.html"]);
        of(&mut command).ok();
        let page = fs::read_to_string(folder.path().join("mc.html")).unwrap();
        assert!(page.contains("shapes.cpp"), "{version}");
    }
}

#[test]
fn gcovr_loads_our_cobertura_and_counts_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("mc.xml");
    let root = folder.path().to_str().unwrap();
    metacov(&["diff", A, B, "-o", out.to_str().unwrap(), "--root", root]).ok();
    let ours = counts(&data(""), &[A, B]);
    let theirs = gcovr_counts("8.7", &["--cobertura-add-tracefile", out.to_str().unwrap()]);
    assert_eq!(ours("line"), theirs("line"));
}

#[test]
fn lcov_loads_our_tracefile_and_counts_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("mc.info");
    metacov(&["diff", A, B, "-o", out.to_str().unwrap()]).ok();
    let ours = counts(&data(""), &[A, B]);
    let mut command = std::process::Command::new("lcov");
    command.args(["--rc", "lcov_branch_coverage=1", "--summary"]).arg(&out);
    let run = of(&mut command).ok();
    let said = run.stdout + &run.stderr;
    for (criterion, word) in [("line", "lines"), ("branch", "branches"), ("function", "functions")]
    {
        let (sites, result) = ours(criterion);
        let expected = format!("({result} of {sites} {word})");
        assert!(said.contains(&expected), "{expected} is not in\n{said}");
    }
}

/// Metacov reads what it writes: the result of a difference is a cover again.
#[test]
fn our_own_reports_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let line = metacov(&["diff", A, B]).ok().row(&["line"]);
    for name in ["mc.json", "mc.info", "mc.xml", "mc.json.gz", "mc.info.zst"] {
        let out = folder.path().join(name);
        let out = out.to_str().unwrap();
        metacov(&["diff", A, B, "-o", out]).ok();
        let again = metacov(&["diff", out, out, "--op", "or"]).ok().row(&["line"]);
        assert_eq!((&again[1], &again[6]), (&line[1], &line[6]), "{name}");
    }
}

#[test]
fn our_json_follows_its_schema() {
    let folder = tempfile::tempdir().unwrap();
    let validate = "import json, sys, jsonschema\n\
        schema = json.load(open(sys.argv[1]))\n\
        jsonschema.Draft202012Validator.check_schema(schema)\n\
        validator = jsonschema.Draft202012Validator(schema)\n\
        [validator.validate(json.load(open(path))) for path in sys.argv[2:]]";
    let schema = repository().join("docs/metacov.schema.json");
    let mut outs = Vec::new();
    let contexts = data("coverage_py/7.17.2/contexts.coverage");
    for (name, args) in [
        ("pair", &[A, B][..]),
        ("intersection", &[A, B, "--op", "and"]),
        ("instances", &[A, B, "--per-instance"]),
        ("llvm", &["llvm_json/22/a.json", "llvm_json/22/b.json"]),
        ("suite", &["--pairs", contexts.to_str().unwrap()]),
        ("blocks", &["gcda/gcc-12/a", "gcda/gcc-12/b", "--notes", "gcda", "--criterion", "block"]),
    ] {
        let out = folder.path().join(name);
        let args = [&["diff", "--format", "json", "-o", out.to_str().unwrap()], args].concat();
        metacov(&args).ok();
        outs.push(out);
    }
    of(oracle::python().args(["-c", validate]).arg(&schema).args(&outs)).ok();
    // The schema does not accept everything.
    let wrong = folder.path().join("wrong");
    let document = fs::read_to_string(&outs[0]).unwrap();
    fs::write(&wrong, document.replacen("a_only", "nonsense", 1)).unwrap();
    assert_ne!(of(oracle::python().args(["-c", validate]).arg(&schema).arg(&wrong)).code, 0);
}

#[test]
fn the_markdown_summary() {
    let run = metacov(&["diff", A, B, "-o", "-", "--format", "markdown"]).ok();
    insta::assert_snapshot!(run.stdout, @"
    ## Metamorphic coverage

    1 pair, by source line, build `f59ca6e61d714d20`.

    Nothing was checked: the pairs have no judge.

    | criterion | sites | a only | b only | both | not executed | MC sites | MC | MC/Cov |
    |---|---:|---:|---:|---:|---:|---:|---:|---:|
    | line | 56 | 10 | 20 | 25 | 1 | **30** | 53.57 % | 54.55 % |
    | branch | 67 | 14 | 25 | 10 | 18 | **39** | 58.21 % | 79.59 % |
    | function | 14 | 2 | 6 | 5 | 1 | **8** | 57.14 % | 61.54 % |

    ### Files

    | file | criterion | sites | a only | b only | both | not executed | MC sites | MC | MC/Cov |
    |---|---|---:|---:|---:|---:|---:|---:|---:|---:|
    | shapes.cpp | line | 25 | 3 | 16 | 6 | 0 | **19** | 76.00 % | 76.00 % |
    | shapes.cpp | branch | 23 | 3 | 15 | 0 | 5 | **18** | 78.26 % | 100.00 % |
    | shapes.cpp | function | 8 | 1 | 4 | 3 | 0 | **5** | 62.50 % | 62.50 % |
    | main.cpp | line | 23 | 6 | 4 | 12 | 1 | **10** | 43.48 % | 45.45 % |
    | main.cpp | branch | 40 | 10 | 10 | 7 | 13 | **20** | 50.00 % | 74.07 % |
    | main.cpp | function | 3 | 0 | 1 | 1 | 1 | **1** | 33.33 % | 50.00 % |
    | shapes.h | line | 8 | 1 | 0 | 7 | 0 | **1** | 12.50 % | 12.50 % |
    | shapes.h | branch | 4 | 1 | 0 | 3 | 0 | **1** | 25.00 % | 25.00 % |
    | shapes.h | function | 3 | 1 | 1 | 1 | 0 | **2** | 66.67 % | 66.67 % |
    ");
}

#[test]
fn an_output_is_replaced_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("mc.json");
    fs::write(&out, "earlier").unwrap();
    let run = metacov(&["diff", A, "missing", "-o", out.to_str().unwrap()]);
    assert_eq!(run.code, 3);
    assert_eq!(fs::read_to_string(&out).unwrap(), "earlier");
    metacov(&["diff", A, B, "-o", out.to_str().unwrap()]).ok();
    assert!(fs::read_to_string(&out).unwrap().starts_with("{\"gcovr/format_version\""));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no other file is left");
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let run = metacov(&["diff", A, B, "-o", "/nowhere/mc.json"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.starts_with("error: cannot write /nowhere/mc.json: "), "{}", run.stderr);
    let run = metacov(&["diff", A, B, "-o", "/dev/full", "--format", "json"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("no space left on device"), "{}", run.stderr);
}
