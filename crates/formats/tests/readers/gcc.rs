//! One program, one build, two runs: gcov's JSON, all versions of gcovr and lcov agree with each
//! other and with gcov's text report.

use std::collections::BTreeSet;

use crate::sets::{Sets, assert_same, data, read, scope};

/// The files of a side in gcov's JSON, one per translation unit.
fn gcov(producer: &str, side: &str, extension: &str) -> Sets {
    let file = |unit| data(&format!("gcov_json/{producer}/{side}-{unit}.gcov.{extension}"));
    read(&scope(), &[file("main"), file("shapes")]).unwrap()
}

fn gcovr(version: &str, side: &str) -> Sets {
    read(&scope(), &[data(&format!("gcovr_json/{version}/{side}.json"))]).unwrap()
}

/// The lines of gcov's text report, summed over the instances of templates.
fn gcov_text(producer: &str, side: &str) -> Sets {
    let mut sets = Sets { known: BTreeSet::new(), executed: BTreeSet::new() };
    for source in ["main.cpp", "shapes.cpp", "shapes.h"] {
        let path = data(&format!("gcov_json/{producer}/{side}-{source}.gcov"));
        for text in std::fs::read_to_string(path).unwrap().lines() {
            let mut fields = text.splitn(3, ':').map(str::trim);
            let (Some(count), Some(number)) = (fields.next(), fields.next()) else { continue };
            let Ok(number) = number.parse::<u32>() else { continue };
            if number == 0 || count == "-" {
                continue;
            }
            let line = format!("line {source}:{number}");
            if !count.starts_with(['#', '=']) {
                sets.executed.insert(line.clone());
            }
            sets.known.insert(line);
        }
    }
    sets
}

/// The text of the source line of a site such as `line main.cpp:7`.
fn source_line(site: &str) -> String {
    let (path, line) = site.strip_prefix("line ").unwrap().split_once(':').unwrap();
    let source = data("../../../../tests/targets/shapes").join(path);
    let source = std::fs::read_to_string(source).unwrap();
    source.lines().nth(line.parse::<usize>().unwrap() - 1).unwrap().trim().to_owned()
}

#[test]
fn gcov_json_has_the_lines_of_gcovs_text_report() {
    for producer in ["gcc-11", "gcc-12"] {
        for side in ["a", "b"] {
            let json = gcov(producer, side, "json");
            assert_same(&json.only("line"), &gcov_text(producer, side), producer);
            assert!(!json.only("branch").executed.is_empty());
            assert!(!json.only("function").executed.is_empty());
        }
    }
}

#[test]
fn one_file_many_files_and_compressed_files_agree() {
    for side in ["a", "b"] {
        let many = gcov("gcc-12", side, "json");
        assert_eq!(many, gcov("gcc-12", side, "json.gz"));
        let one = data(&format!("gcov_json/gcc-12/{side}.ndjson"));
        assert_eq!(many, read(&scope(), &[one]).unwrap());
    }
}

#[test]
fn every_version_of_gcovr_gives_gcovs_lines() {
    for version in ["4.2", "5.0", "5.2", "6.0", "7.2", "8.2", "8.3", "8.6", "8.7"] {
        for side in ["a", "b"] {
            let gcovr = gcovr(version, side).only("line");
            let mut gcov = gcov_text("gcc-12", side);
            if version < "6" {
                // These versions regard a lone brace as code only if it ran.
                let Sets { known, executed } = &mut gcov;
                known.retain(|site| executed.contains(site) || source_line(site) != "}");
            }
            assert_same(&gcovr, &gcov, version);
        }
    }
}

#[test]
fn gcovr_gives_gcovs_branches_and_functions() {
    for version in ["8.2", "8.3", "8.6", "8.7"] {
        for side in ["a", "b"] {
            let (gcovr, gcov) = (gcovr(version, side), gcov("gcc-12", side, "json"));
            assert_same(&gcovr.only("branch"), &gcov.only("branch"), version);
            // The text report that gcovr reads has demangled names.
            let (gcovr, gcov) = (gcovr.only("function"), gcov.only("function"));
            assert_same(&gcovr.without_names(), &gcov.without_names(), version);
        }
    }
}

#[test]
fn lcov_gives_gcovs_lines_branches_and_functions() {
    for side in ["a", "b"] {
        let lcov = read(&scope(), &[data(&format!("lcov/1.16/{side}.info"))]).unwrap();
        let gcov = gcov("gcc-12", side, "json");
        for criterion in ["line", "branch", "function"] {
            assert_same(&lcov.only(criterion), &gcov.only(criterion), side);
        }
    }
}
