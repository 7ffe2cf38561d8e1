//! One program, one build, two runs: gcov's JSON, all of gcovr's versions and lcov say the same,
//! and they say what gcov's own text report says.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::sets::{Sets, assert_same, data, read, scope};

/// The files of a side in gcov's JSON, one per translation unit.
fn gcov(producer: &str, side: &str, extension: &str) -> Sets {
    let file = |unit| data(&format!("gcov_json/{producer}/{side}-{unit}.gcov.{extension}"));
    read(&scope(), &[file("main"), file("shapes")]).unwrap()
}

/// The lines of gcov's text report, summed over the instances of templates.
fn gcov_text(producer: &str, side: &str) -> Sets {
    let mut sets = Sets { known: BTreeSet::new(), executed: BTreeSet::new() };
    for source in ["main.cpp", "shapes.cpp", "shapes.h"] {
        let path = data(&format!("gcov_json/{producer}/{side}-{source}.gcov"));
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let mut fields = line.splitn(3, ':').map(str::trim);
            let (Some(count), Some(number)) = (fields.next(), fields.next()) else { continue };
            let Ok(number) = number.parse::<u32>() else { continue };
            if number == 0 || count == "-" {
                continue;
            }
            let site = format!("line {source}:{number}");
            if !count.starts_with(['#', '=']) {
                sets.executed.insert(site.clone());
            }
            sets.known.insert(site);
        }
    }
    sets
}

#[test]
fn gcov_json_holds_the_lines_of_gcovs_text_report() {
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
fn one_file_many_files_and_compressed_files_are_the_same() {
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
            let path = data(&format!("gcovr_json/{version}/{side}.json"));
            let gcovr = read(&scope(), &[path]).unwrap();
            assert_same(&gcovr.only("line"), &gcov_text("gcc-12", side), version);
        }
    }
}

#[test]
fn gcovr_gives_gcovs_branches_and_functions() {
    for version in ["8.2", "8.3", "8.6", "8.7"] {
        for side in ["a", "b"] {
            let path: PathBuf = data(&format!("gcovr_json/{version}/{side}.json"));
            let gcovr = read(&scope(), &[path]).unwrap();
            let gcov = gcov("gcc-12", side, "json");
            for criterion in ["branch", "function"] {
                assert_same(&gcovr.only(criterion), &gcov.only(criterion), version);
            }
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
