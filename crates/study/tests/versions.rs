//! Files of a study that an earlier version of metacov wrote.

use metacov_core::Criterion;
use metacov_study::{ResultFile as _, SuiteResult};

const VERSION_1: &str = include_str!("data/suite-version-1.json");

#[test]
fn a_suite_of_the_first_version_is_read_and_written_in_the_current_one() {
    let suite = SuiteResult::parse(VERSION_1).unwrap();
    let numbers = suite.record().unwrap();
    assert_eq!(numbers.get("norec", Criterion::Line).unwrap().mc_sites, 4481);
    let today = suite.to_json();
    assert_eq!(
        today,
        VERSION_1.replace("\"version\": 1", "\"version\": 3").replace("validated", "mc_sites")
    );
    assert_eq!(SuiteResult::parse(&today).unwrap(), suite);
}

#[test]
fn other_versions_are_refused() {
    for version in ["0", "4"] {
        let text = VERSION_1.replace("\"version\": 1", &format!("\"version\": {version}"));
        let fault = SuiteResult::parse(&text).unwrap_err().to_string();
        assert!(fault.contains(&format!("version {version} is not known")), "{fault}");
    }
}
