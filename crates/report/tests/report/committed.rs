//! The reports in `studies/results` are those of the numbers beside them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use metacov_report::{Report, campaigns_report, study_report};
use metacov_study::{
    CampaignResults, FileVersion, Measurement, Observed, Results, Study, StudyPlan, StudyShard,
    SuiteNumbers, SuiteResult, SuiteSpec, Time, Trial, TrialOutcome,
};

fn studies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies")
}

fn read(name: &str) -> String {
    let path = studies().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of a table without its headings. No cell of these has a comma in it.
fn rows(name: &str) -> Vec<Vec<String>> {
    let text = read(name);
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

/// Holds sections of a report against the committed one.
fn assert_committed(name: &str, report: &Report, titles: &[&str]) {
    let (committed, mut missing) = (read(name), String::new());
    for title in titles {
        let section = report.sections.iter().find(|of| of.title.starts_with(title));
        let section = section.unwrap_or_else(|| panic!("no section {title}"));
        let table = section.table.as_ref().unwrap().to_markdown();
        let text = format!("\n## {}\n\n{table}\n{}\n", section.title, section.text);
        if !committed.contains(&text) {
            missing += &text;
        }
    }
    assert!(missing.is_empty(), "{name} does not have:\n{missing}");
}

#[test]
fn studies_of_suites_are_those_of_their_numbers() {
    for name in ["sqlite", "duckdb", "smt"] {
        assert_suites(name);
    }
}

fn assert_suites(name: &str) {
    let mut suites: BTreeMap<(String, u64, u64), (u64, SuiteNumbers)> = BTreeMap::new();
    for row in rows(&format!("results/{name}/results.csv")) {
        let key = (row[0].clone(), number(&row[2]), number(&row[3]));
        let numbers =
            SuiteNumbers { name: row[3].clone(), build: row[1].clone(), measurements: Vec::new() };
        let (_, numbers) = suites.entry(key).or_insert((number(&row[4]), numbers));
        numbers.measurements.push(Measurement {
            relation: row[5].clone(),
            criterion: row[6].parse().unwrap(),
            pairs: number(&row[7]),
            failed: number(&row[8]),
            sites: number(&row[9]),
            executed: number(&row[10]),
            mc_sites: number(&row[11]),
        });
    }
    let outcomes = suites.into_iter().map(|((target, size, number), (seed, numbers))| {
        let suite = SuiteSpec { target, size, number, seed, pairs: None };
        SuiteResult::new(&suite, &numbers, Time { wall: 0.0, processor: 0.0 })
    });
    let part = StudyShard { outcomes: outcomes.collect(), ..StudyShard::default() };
    let plan = StudyPlan::parse(&read(&format!("{name}.toml"))).unwrap();
    let report = study_report(&Results::of(plan, part).unwrap()).unwrap();
    let titles = ["Q2: coverage and MC of relations", "Q2 and Q5: ", "Q5: sizes of suites"];
    assert_committed(&format!("results/{name}/report.md"), &report, &titles);
}

#[test]
fn the_study_of_guidances_is_that_of_its_numbers() {
    let Study::Campaigns(plan) = Study::parse(&read("guidance.toml")).unwrap() else {
        panic!("a study of campaigns")
    };
    let mut groups: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for row in rows("results/guidance/bugs.csv") {
        // The name of a group may have commas.
        let group = row[6..row.len() - 1].join(",").trim_matches('"').to_owned();
        groups.entry(row[0].clone()).or_default().insert(group, number(row.last().unwrap()));
    }
    let times: BTreeMap<String, Time> = rows("results/guidance/times.csv")
        .into_iter()
        .map(|row| {
            let [wall, processor] = [6, 7].map(|at: usize| row[at].parse().unwrap());
            (row[0].clone(), Time { wall, processor })
        })
        .collect();
    let outcomes = rows("results/guidance/campaigns.csv").into_iter().map(|row| {
        let trials = plan.trials();
        let is_it = |trial: &&Trial| {
            (&trial.engine, &trial.relations, &trial.guidance, trial.seed)
                == (&row[1], &row[3], &row[4], number(&row[5]))
        };
        let observed = (!row[11].is_empty()).then(|| Observed {
            differing: number(&row[11]),
            executed: number(&row[12]),
            lines: number(&row[13]),
            plans: number(&row[14]),
        });
        TrialOutcome {
            version: FileVersion,
            id: row[0].clone(),
            build: row[2].clone(),
            pairs: number(&row[6]),
            checks: number(&row[7]),
            violations: number(&row[8]),
            groups: groups.get(&row[0]).cloned().unwrap_or_default(),
            observed,
            time: times[&row[0]],
            trial: trials.iter().find(is_it).unwrap().clone(),
        }
    });
    let outcomes: Vec<TrialOutcome> = outcomes.collect();
    let report = campaigns_report(&CampaignResults::of(*plan, &outcomes));
    assert_committed("results/guidance/report.md", &report, &["Q4: guidances"]);
}
