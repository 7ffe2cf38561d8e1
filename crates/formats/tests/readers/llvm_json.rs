//! LLVM's JSON, compared with llvm-cov's tracefile and report of the same run.

use std::collections::{BTreeMap, BTreeSet};

use metacov_formats::{CoverageFile, CoverageLoader, Scope};

use crate::sets::{Sets, assert_same, data, read, scope};

const VERSIONS: [&str; 3] = ["14", "19", "22"];

fn shapes(file: &str) -> Sets {
    read(&scope(), &[data(&format!("llvm_json/{file}"))]).unwrap()
}

fn macros(file: &str) -> Sets {
    let scope = Scope { root: "/tmp/fixtures/macros".into(), ..Scope::default() };
    read(&scope, &[data(&format!("llvm_json/macros/{file}"))]).unwrap()
}

/// The outcomes of conditions in LLVM's tracefile, numbered as in [`Sets`]: by position, false
/// before true.
fn outcomes(file: &str) -> Sets {
    let mut sets = Sets { known: BTreeSet::new(), executed: BTreeSet::new() };
    let mut source = String::new();
    for line in std::fs::read_to_string(data(&format!("llvm_json/{file}"))).unwrap().lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            path.rsplit('/').next().unwrap().clone_into(&mut source);
        } else if let Some(fields) = line.strip_prefix("BRDA:") {
            let fields: Vec<&str> = fields.split(',').collect();
            let number: u32 = fields[2].parse().unwrap();
            let site = format!("branch {source}:{} #{}", fields[0], number ^ 1);
            if !matches!(fields[3], "-" | "0") {
                sets.executed.insert(site.clone());
            }
            sets.known.insert(site);
        }
    }
    sets
}

/// By file: all regions, and those that did not run, of llvm-cov's report.
fn reported_regions(file: &str) -> BTreeMap<String, (usize, usize)> {
    let report = std::fs::read_to_string(data(&format!("llvm_json/{file}"))).unwrap();
    let rows = report.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.skip(2)
        .take(3)
        .map(|row| (row[0].to_owned(), (row[1].parse().unwrap(), row[2].parse().unwrap())))
        .collect()
}

fn regions_of(sets: &Sets) -> BTreeMap<String, (usize, usize)> {
    let mut counts = BTreeMap::new();
    for site in &sets.only("region").known {
        let file = site["region ".len()..].split(':').next().unwrap();
        let (all, missed): &mut (usize, usize) = counts.entry(file.to_owned()).or_default();
        *all += 1;
        *missed += usize::from(!sets.executed.contains(site));
    }
    counts
}

#[test]
fn lines_and_functions_are_those_of_llvms_tracefile() {
    for version in VERSIONS {
        for side in ["a", "b"] {
            let files = [
                (
                    shapes(&format!("{version}/{side}.json")),
                    shapes(&format!("{version}/{side}.info")),
                ),
                (
                    macros(&format!("{version}-{side}.json")),
                    macros(&format!("{version}-{side}.info")),
                ),
            ];
            for (json, lcov) in files {
                for criterion in ["line", "function"] {
                    assert_same(&json.only(criterion), &lcov.only(criterion), version);
                }
            }
        }
    }
}

#[test]
fn branches_are_those_of_llvms_tracefile() {
    for side in ["a", "b"] {
        let newest = outcomes(&format!("22/{side}.info"));
        for version in VERSIONS {
            // Before LLVM 22, tracefiles repeat the branches for each template instance.
            let json = shapes(&format!("{version}/{side}.json"));
            assert_same(&json.only("branch"), &newest, version);
        }
    }
}

#[test]
fn regions_are_those_of_llvms_report() {
    for version in VERSIONS {
        for side in ["a", "b"] {
            let json = shapes(&format!("{version}/{side}.json"));
            let report = reported_regions(&format!("{version}/{side}.report.txt"));
            assert_eq!(regions_of(&json), report, "{version} {side}");
        }
    }
}

#[test]
fn conditions_of_mcdc_are_the_same_branches() {
    for version in ["19", "22"] {
        assert_same(
            &shapes(&format!("{version}/mcdc.json")),
            &shapes(&format!("{version}/a.json")),
            version,
        );
    }
}

#[test]
fn code_of_a_macro_is_where_the_macro_is_defined() {
    for side in ["a", "b"] {
        let json = macros(&format!("22-{side}.json"));
        assert!(json.known.contains("region checks.h:6:13-6:25"));
        assert!(json.known.contains("branch checks.h:6 #0"));
        // The tracefile counts the branches of a macro at its uses as well.
        let is_use = |site: &String| {
            [35, 36, 37].iter().any(|line| site.contains(&format!("macros.cpp:{line} ")))
        };
        let Sets { mut known, mut executed } = outcomes(&format!("macros/22-{side}.info"));
        known.retain(|site| !is_use(site));
        executed.retain(|site| !is_use(site));
        assert_same(&json.only("branch"), &Sets { known, executed }, side);
    }
}

#[test]
fn folded_conditions_are_not_branches() {
    let constant = "branch macros.cpp:22 #1";
    for version in ["14", "19"] {
        assert!(!macros(&format!("{version}-a.json")).known.contains(constant));
    }
    let newest = macros("22-a.json");
    assert!(newest.executed.contains(constant));
    assert!(!newest.executed.contains("branch macros.cpp:22 #0"));
}

#[test]
fn template_instances_are_distinguished_on_request() {
    let scope = Scope { per_instance: true, ..scope() };
    let sets = read(&scope, &[data("llvm_json/22/a.json")]).unwrap();
    let place = "region shapes.h:13:71-21:2 in";
    assert!(sets.executed.contains(&format!("{place} _Z9clamp_sumIiET_PKS0_iS0_")));
    assert!(sets.known.contains(&format!("{place} _Z9clamp_sumIdET_PKS0_iS0_")));
    assert!(!sets.executed.contains(&format!("{place} _Z9clamp_sumIdET_PKS0_iS0_")));
}

#[test]
fn another_build_is_refused() {
    let text = std::fs::read_to_string(data("llvm_json/22/a.json")).unwrap();
    let other = text.replace("[15,31,15,48,1,0,0,0]", "[15,31,15,47,1,0,0,0]");
    let scope = scope();
    let mut loader = CoverageLoader::new(&scope);
    loader.read(CoverageFile::from_bytes(text.into()).unwrap(), None).unwrap();
    let fault = loader.read(CoverageFile::from_bytes(other.into()).unwrap(), None).unwrap_err();
    assert!(fault.to_string().contains("main.cpp:11"), "{fault}");
}

/// A report with one file and one function, possibly broken.
fn report(segments: &str, regions: &str) -> String {
    format!(
        "{{\"data\":[{{\"files\":[{{\"filename\":\"a.c\",\"segments\":[{segments}]}}],\
         \"functions\":[{{\"name\":\"f\",\"count\":1,\"regions\":[{regions}],\
         \"filenames\":[\"a.c\"]}}]}}],\"type\":\"llvm.coverage.json.export\",\"version\":\"3.0.1\"}}"
    )
}

fn read_text(text: &str) -> Result<Sets, String> {
    crate::sets::read_text(&Scope::default(), text)
}

#[test]
fn lines_follow_llvms_rule() {
    for (segments, executed, not_executed) in [
        // A region covers the lines between its segments.
        ("[2,1,1,true,true,false],[5,2,0,false,false,false]", &[2, 3, 4, 5][..], &[][..]),
        // Regions that start on a line count as much as the one that continues from above.
        (
            "[2,1,0,true,true],[3,1,7,true,true],[3,5,0,true,false],[4,1,0,false,false]",
            &[3],
            &[2, 4],
        ),
        // A gap does not make its line run.
        (
            "[2,1,0,true,true,false],[3,1,7,true,false,true],[4,1,0,false,false,false]",
            &[4],
            &[2, 3],
        ),
        // Code that the preprocessor skipped does not count.
        (
            "[2,1,1,true,true,false],[3,1,0,false,true,false],[5,1,1,true,false,false],[6,1,0,false,false,false]",
            &[2, 6],
            &[],
        ),
        // There is no code between functions.
        (
            "[2,1,1,true,true,false],[2,9,0,false,false,false],[5,1,0,true,true,false],[5,9,0,false,false,false]",
            &[2],
            &[5],
        ),
    ] {
        let sets = read_text(&report(segments, "")).unwrap().only("line");
        let site = |line: &u32| format!("line a.c:{line}");
        let executed: BTreeSet<String> = executed.iter().map(site).collect();
        let known = executed.iter().cloned().chain(not_executed.iter().map(site)).collect();
        assert_same(&sets, &Sets { known, executed }, segments);
    }
}

#[test]
fn code_after_a_comment_makes_a_line_of_code_since_llvm_18() {
    assert!(!macros("14-a.json").known.contains("line macros.cpp:42"));
    assert!(macros("19-a.json").executed.contains("line macros.cpp:42"));
}

#[test]
fn keys_come_in_any_order() {
    let text = "{\"version\": \"2.0.1\",\n\"type\": \"llvm.coverage.json.export\", \"data\": [{\
                \"functions\": [{\"filenames\": [\"a.c\", \"b.h\"], \"branches\": [[3,1,3,4,0,2,1,0,4]],\
                \"regions\": [[1,1,4,2,1,0,0,0],[3,1,3,4,2,1,0,0]], \"count\": 1, \"name\": \"f\"}],\
                \"files\": [{\"segments\": [], \"filename\": \"a.c\"}]}]}";
    let sets = read_text(text).unwrap();
    let known = [
        "branch b.h:3 #0",
        "branch b.h:3 #1",
        "function a.c:1 f",
        "region a.c:1:1-4:2",
        "region b.h:3:1-3:4",
    ];
    assert_eq!(sets.known, known.map(str::to_owned).into());
    assert!(!sets.executed.contains("branch b.h:3 #1"));
}

#[test]
fn broken_reports_are_refused_with_their_position() {
    let start = "[2,1,1,true,true,false],";
    for (segments, regions, read, message) in [
        ("[1,1,", "", "[1,1,", "expected a whole number"),
        ("[1,1,1,true]", "", "[1,1,1,true]", "the array is too short"),
        (&format!("{start}[1,1,1,true,true]"), "", "[1,1,1,true,true]", "segments out of order"),
        (
            &format!("{start}[4000000000,1,1,true,true]"),
            "",
            "[4000000000,1,1,true,true]",
            "far more lines than segments",
        ),
        ("", "[1,1,2,1,1,0,0]", "[1,1,2,1,1,0,0]", "the array is too short"),
        (
            "",
            "[1,1,2,1,1,7,0,0]",
            "\"filenames\":[\"a.c\"]}",
            "file 7 is not among the function's `filenames`",
        ),
    ] {
        let text = report(segments, regions);
        let at = text.find(read).unwrap() + read.len();
        assert_eq!(read_text(&text).unwrap_err(), format!("byte {at}: {message}"));
    }
    let negative = "a negative number (were counters updated by several threads?)";
    let text = report("[1,1,-1,true,true]", "");
    let message = format!("byte {}: {negative}", text.find('-').unwrap());
    assert_eq!(read_text(&text).unwrap_err(), message);
}

#[test]
fn other_versions_and_types_are_refused() {
    let text = report("", "");
    let message = "LLVM JSON version 4.0.0 is not known (metacov reads 2 and 3)";
    assert_eq!(read_text(&text.replace("3.0.1", "4.0.0")).unwrap_err(), message);
    let other = text.replace("llvm.coverage.json.export", "llvm.coverage.json.import");
    let message = format!("byte {}: the `type` is not `llvm.coverage.json.export`", other.len());
    assert_eq!(read_text(&other).unwrap_err(), message);
}
