//! Campaigns, one and many.

use std::collections::BTreeMap;

use metacov_campaign::{FindingSummary, History, RoundCounts};
use metacov_report::{Report, campaign_findings, campaign_pairs, campaigns_report, sparkline};
use metacov_study::{CampaignResults, FileVersion, Observed, Study, Time, Trial, TrialOutcome};
use proptest::prelude::*;

fn counts(held: u64, violated: u64, invalid: &[(&str, u64)], lost: &[(&str, u64)]) -> RoundCounts {
    let map =
        |of: &[(&str, u64)]| of.iter().map(|(why, count)| ((*why).to_owned(), *count)).collect();
    RoundCounts { held, violated, invalid: map(invalid), lost: map(lost) }
}

fn history(relations: &[(&str, RoundCounts)], findings: &[(&str, &str, &str, usize)]) -> History {
    let mut history = History::default();
    for (relation, counts) in relations {
        history.summary.relations.insert((*relation).to_owned(), counts.clone());
    }
    for (group, name, relation, bytes) in findings {
        history.findings.entry((*group).to_owned()).or_default().push(FindingSummary {
            name: (*name).to_owned(),
            group: (*group).to_owned(),
            relation: (*relation).to_owned(),
            what: "violation".to_owned(),
            bytes: *bytes,
        });
    }
    history
}

#[test]
fn pairs_are_counted_by_relation_and_in_all() {
    let history = history(
        &[
            ("norec", counts(12_345, 2, &[("error", 3), ("overflow", 4)], &[])),
            ("tlp-where", counts(10, 0, &[], &[("crashed", 1), ("timed out", 2), ("lost", 4)])),
        ],
        &[],
    );
    insta::assert_snapshot!(campaign_pairs(&history).to_terminal(false), @"
    relation     pairs     held   violated   invalid   crashed   timed out
    norec       12,354   12,345          2         7         0           0
    tlp-where       17       10          0         0         1           2
    all         12,371   12,355          2         7         1           2
    ");
}

#[test]
fn one_relation_has_no_sum() {
    let history = history(&[("norec", counts(1, 0, &[], &[]))], &[]);
    assert_eq!(campaign_pairs(&history).rows, [["norec", "1", "1", "0", "0", "0", "0"]]);
    assert!(campaign_pairs(&History::default()).rows.is_empty());
}

#[test]
fn a_bug_is_a_family_of_groups_with_its_smallest_case() {
    let history = history(
        &[],
        &[
            ("violation: LEFT, comparison", "c1", "norec", 90),
            ("violation: LEFT, comparison", "c0", "tlp-where", 40),
            ("violation: LEFT, comparison, index", "c2", "norec", 1_200),
            ("violation: LEFT, comparison, index", "c3", "norec", 40),
            ("crash: rtree", "c4", "norec", 7),
        ],
    );
    insta::assert_snapshot!(campaign_findings(&history).to_terminal(false), @"
    bug                           relations          groups   cases   bytes   smallest
    crash: rtree                  norec                   1       1       7   c4
    violation: LEFT, comparison   norec, tlp-where        2       4      40   c0
    ");
}

proptest! {
    /// The results of pairs add up, and the last row is the sum of the others.
    #[test]
    fn outcomes_add_up_to_the_pairs(relations in prop::collection::vec([0..900u64, 0..900, 0..900, 0..900, 0..900], 2..5)) {
        let named: Vec<String> = (0..relations.len()).map(|at| format!("r{at}")).collect();
        let of = |[held, violated, invalid, crashed, late]: &[u64; 5]| {
            counts(*held, *violated, &[("why", *invalid)], &[("crashed", *crashed), ("timed out", *late)])
        };
        let relations: Vec<(&str, RoundCounts)> = named.iter().map(String::as_str).zip(relations.iter().map(of)).collect();
        let rows = campaign_pairs(&history(&relations, &[])).rows;
        let numbers = |row: &Vec<String>| -> Vec<u64> {
            row[1..].iter().map(|cell| cell.replace(',', "").parse().unwrap()).collect()
        };
        let mut sums = vec![0; 6];
        for row in &rows[..rows.len() - 1] {
            let numbers = numbers(row);
            prop_assert_eq!(numbers[0], numbers[1..].iter().sum::<u64>());
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
        prop_assert_eq!(numbers(rows.last().unwrap()), sums);
    }

    /// As many letters as fit; the highest drawn value has the highest letter, and a rising curve
    /// rises.
    #[test]
    fn sparklines_rise_with_their_values(mut values in prop::collection::vec(0..1_000_000u64, 0..60), columns in 0..40usize) {
        values.sort_unstable();
        let line: Vec<char> = sparkline(&values, columns).chars().collect();
        prop_assert_eq!(line.len(), columns.min(values.len()));
        prop_assert!(line.is_sorted());
        let highest = values.last().copied().unwrap_or(0);
        prop_assert!(line.is_empty() || highest == 0 || line.last() == Some(&'█'));
    }
}

const PLAN: &str = "kind = 'campaign'\ntitle = 'Guidances'\nengines = ['sqlite']\n\
                    guidances = ['mix', 'mcg']\nrepetitions = 3\npairs = 1000\n";

fn results(more: &str, bugs: impl Fn(&Trial) -> u64) -> CampaignResults {
    results_of(&format!("{PLAN}{more}"), bugs)
}

fn results_of(plan: &str, bugs: impl Fn(&Trial) -> u64) -> CampaignResults {
    let Study::Campaigns(plan) = Study::parse(plan).unwrap() else {
        panic!("a study of campaigns");
    };
    let outcome = |trial: Trial| TrialOutcome {
        version: FileVersion,
        id: trial.to_string(),
        build: "b".to_owned(),
        pairs: 1000,
        checks: 900,
        violations: 5,
        groups: (0..bugs(&trial)).map(|at| (format!("bug{at}"), 100 * (at + 1))).collect(),
        observed: Some(Observed { differing: 2000, executed: 9000, lines: 400, plans: 30 }),
        time: Time { wall: 1.0, processor: 1.5 },
        trial,
    };
    let outcomes: Vec<TrialOutcome> = plan.trials().into_iter().map(outcome).collect();
    CampaignResults::of(*plan, &outcomes)
}

fn by_guidance(more: &str, mix: u64, mcg: u64) -> Report {
    campaigns_report(&results(more, |trial| if trial.guidance == "mix" { mix } else { mcg }))
}

#[test]
fn guidances_are_compared_in_one_table() {
    let report = by_guidance("", 1, 3);
    insta::assert_snapshot!(report.to_terminal(false), @"
    Q4: guidances, sqlite, relations: all, 1000 pairs each
    guidance   trials   bugs    sd   of all   groups    A12       p   p (Holm)   violations   MC edges   MC lines   plans   pairs   checks/CPU s
    mix             3    1.0   0.0        1      1.0      -       -          -            5      2,000        400      30   1,000            600
    mcg             3    3.0   0.0        3      3.0   1.00   0.100      0.100            5      2,000        400      30   1,000            600
    Means over trials: distinct bugs (families of groups of reduced findings: docs/fuzzing.md), their standard deviation, and those of all trials together; groups; A12 is how likely a trial finds more than a trial of `mix` does (0.5: no difference), p whether that is chance (Mann and Whitney), and p (Holm) the same, corrected for the comparisons of the table. A trial of mcg tends to find more bugs than one of mix: a large difference, which may be chance. The pairs of all trials were run once more to look at MC and plans, which is not in their time. MC lines are those of the pairs that were kept for new edges.
    ");
}

#[test]
fn a_guidance_finds_more_fewer_or_as_many() {
    let said = |mix, mcg| by_guidance("", mix, mcg).sections[0].text.clone();
    assert!(
        said(1, 3).contains(
            " A trial of mcg tends to find more bugs than one of mix: a large difference,"
        )
    );
    assert!(said(3, 1).contains(" tends to find fewer bugs than one of mix: a large difference,"));
    assert!(said(2, 2).contains(
        " tends to find as many bugs as one of mix: a negligible difference, which may be chance."
    ));
}

/// Four guidances are compared with the first, so one p below 0.05 may well be chance.
#[test]
fn what_is_hardly_chance_is_decided_by_the_corrected_p() {
    let more = "guidances = ['mix', 'mcg', 'ccg', 'qpg', 'none']\nrepetitions = 4\n";
    let plan = PLAN.replace("guidances = ['mix', 'mcg']\nrepetitions = 3\n", more);
    let results = results_of(&plan, |trial| if trial.guidance == "mcg" { 9 } else { 1 });
    let against: Vec<(f64, f64)> = results
        .rows
        .iter()
        .filter_map(|row| row.against)
        .map(|of| (of.test.p, of.p_holm))
        .collect();
    // Samples of 4 and 4 that do not overlap: p is 2 of 70.
    assert!((against[0].0 - 2.0 / 70.0).abs() < 1e-12, "{against:?}");
    assert!((against[0].1 - 8.0 / 70.0).abs() < 1e-12, "{against:?}");
    let text = &campaigns_report(&results).sections[0].text;
    assert!(text.contains(" A trial of mcg tends to find more bugs than one of mix: a large difference, which may be chance."), "{text}");
}

#[test]
fn the_papers_numbers_are_shown_if_the_study_is_compared_with_it() {
    let report = by_guidance("beside_paper = true\ndiffers = ['the time']\n", 1, 1);
    let table = report.sections[0].table.as_ref().unwrap();
    let at = table.columns.iter().position(|column| column.heading == "bugs, paper").unwrap();
    assert_eq!((&*table.rows[0][at], &*table.rows[1][at]), ("-", "6.2"));
    assert!(report.to_markdown().contains("\n- the time\n"));
    let without = by_guidance("", 1, 1);
    assert!(without.beside.is_none());
    let table = without.sections[0].table.as_ref().unwrap();
    assert!(table.columns.iter().all(|column| column.heading != "bugs, paper"));
}

#[test]
fn times_of_trials_are_in_a_separate_file() {
    let report = by_guidance("", 1, 2);
    let lines: BTreeMap<&str, usize> =
        report.numbers.iter().map(|(name, text)| (name.as_str(), text.lines().count())).collect();
    assert_eq!(
        lines,
        BTreeMap::from([("bugs.csv", 1 + 3 + 6), ("campaigns.csv", 7), ("times.csv", 7)])
    );
    let line = |name: &str| report.numbers[name].lines().nth(2).unwrap().to_owned();
    let trial = "sqlite all mcg seed 1,sqlite,b,all,mcg,1";
    assert_eq!(line("campaigns.csv"), format!("{trial},1000,900,5,2,2,2000,9000,400,30"));
    assert_eq!(line("times.csv"), format!("{trial},1.00,1.50"));
    assert_eq!(line("bugs.csv"), format!("{trial},bug0,100"));
}

#[test]
fn engines_and_relations_have_separate_sections_and_figures() {
    let more = "relations = ['norec', 'tlp-where,norec']\n";
    let report = campaigns_report(&results(more, |_| 1));
    assert_eq!(report.sections.len(), 2);
    assert_eq!(
        report.figures.keys().collect::<Vec<_>>(),
        ["sqlite-norec-bugs.svg", "sqlite-tlp-where-norec-bugs.svg"]
    );
    assert!(report.sections[1].title.contains("relations: tlp-where,norec, 1000 pairs each"));
}

#[test]
fn a_study_without_trials_has_no_section() {
    let Study::Campaigns(plan) = Study::parse(PLAN).unwrap() else { panic!("of campaigns") };
    let report = campaigns_report(&CampaignResults::of(*plan, &[]));
    assert!(report.sections.is_empty() && report.figures.is_empty());
    assert_eq!(report.numbers["campaigns.csv"].lines().count(), 1);
}
