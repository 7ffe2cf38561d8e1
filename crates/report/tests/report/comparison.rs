//! Comparisons of groups of suites.

use metacov_core::{Criteria, Criterion};
use metacov_report::{
    comparison_csv, comparison_markdown, comparison_plot, comparison_reading, comparison_sheet,
    comparison_tables,
};
use metacov_study::{Measurement, RunComparison, SuiteGroup, SuiteNumbers, compare};
use proptest::prelude::*;

use crate::support::{criteria, markdown_rows};

/// A suite of 1,000 lines: by relation, the number of pairs, of executed lines and of MC sites.
pub fn record(relations: &[(&str, u64, u64, u64)]) -> SuiteNumbers {
    let measurement = |(relation, pairs, executed, mc_sites): &(&str, u64, u64, u64)| Measurement {
        relation: (*relation).to_owned(),
        criterion: Criterion::Line,
        pairs: *pairs,
        failed: 0,
        sites: 1000,
        executed: *executed,
        mc_sites: *mc_sites,
    };
    let measurements = relations.iter().map(measurement).collect();
    SuiteNumbers { name: "suite".to_owned(), build: "b".to_owned(), measurements }
}

fn lines_only() -> Criteria {
    criteria(&[Criterion::Line])
}

fn comparison(groups: &[(&str, Vec<SuiteNumbers>)]) -> RunComparison {
    let group = |(name, records): &(&str, Vec<SuiteNumbers>)| SuiteGroup {
        name: (*name).to_owned(),
        records: records.clone(),
    };
    compare(&groups.iter().map(group).collect::<Vec<_>>(), lines_only())
}

fn three_suites() -> RunComparison {
    let suite = |less: u64| {
        record(&[
            ("norec", 100, 400 - less, 80 - less),
            ("tlp", 1100 + less, 410, 20 + less),
            ("all", 1200 + less, 420, 90),
        ])
    };
    comparison(&[("one", vec![suite(0), suite(10), suite(5)])])
}

#[test]
fn single_suites_have_no_spread_and_no_rival() {
    let comparison = comparison(&[("one", vec![record(&[("norec", 100, 400, 80)])])]);
    let (suites, sensitivities) = comparison_tables(&comparison);
    insta::assert_snapshot!(suites.to_terminal(false), @"
    criterion   relation   suites   pairs       Cov       MC
    line        norec           1     100   40.00 %   8.00 %
    ");
    assert_eq!(sensitivities, None, "one relation has no sensitivity");
    assert_eq!(
        comparison_reading(&comparison),
        "Cov and MC: mean over suites, in percent of all code."
    );
}

#[test]
fn several_suites_have_a_spread_and_relations_are_compared_with_the_best() {
    let comparison = three_suites();
    insta::assert_snapshot!(comparison_markdown(&comparison, Some("plot.svg")), @"
    ## Comparison of suites

    | criterion | relation | suites | pairs | Cov | MC | sd | CV | 95 % interval | A12 | effect | p | p (Holm) |
    |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|
    | line | norec | 3 | 100 | 39.50 % | **7.50 %** | 0.50 | 0.067 | 7.00 to 8.00 | - | - | - | - |
    | line | tlp | 3 | 1,100-1,110 | 41.00 % | **2.50 %** | 0.50 | 0.200 | 2.00 to 3.00 | 0.00 | large | 0.100 | 0.100 |
    | line | all | 3 | 1,200-1,210 | 42.00 % | **9.00 %** | 0.00 | 0.000 | 9.00 to 9.00 | - | - | - | - |

    Cov and MC: mean over suites, in percent of all code. sd, CV and interval (bootstrap of the mean) are those of MC. A12 (Vargha and Delaney) and p (Mann and Whitney, two-sided) are against the relation with most; p (Holm) is corrected for the 1 comparison of the table.

    ![MC of suites](plot.svg)

    ### How well does it tell relations apart?

    | criterion | relations | CV of Cov | 95 % interval | CV of MC | 95 % interval | ratio | 95 % interval |
    |---|---:|---:|---:|---:|---:|---:|---:|
    | line | 2 | 0.026 | 0.017 to 0.035 | **0.707** | 0.566 to 0.849 | 26.8 | 16.0 to 48.6 |

    CV: standard deviation of the relations' means, divided by their mean. The larger, the more a measure differs between relations. ratio: CV of MC divided by CV of Cov; - if there is one suite, or if CV of Cov may be below 0.0005.
    ");
}

#[test]
fn groups_are_compared_with_the_first() {
    let suites = |mc: u64| [0, 1, 2].map(|more| record(&[("norec", 100, 400, mc + more)])).to_vec();
    let comparison = comparison(&[("old", suites(20)), ("new", suites(60))]);
    let rows = comparison_tables(&comparison).0.rows;
    let ends: Vec<&[String]> = rows.iter().map(|row| &row[row.len() - 4..]).collect();
    assert_eq!(ends, [["-", "-", "-", "-"], ["1.00", "large", "0.100", "0.100"]]);
    assert_eq!(rows[1][..4], ["line", "norec", "new", "3"]);
    assert!(comparison_reading(&comparison).contains(" are against group old; p (Holm) "));
}

#[test]
fn a_page_has_the_tables_the_reading_and_the_plot() {
    let page = comparison_sheet(&three_suites(), Criterion::Line).to_html();
    for part in [
        "<h1>Comparison of suites</h1>",
        "data:image/svg+xml,",
        "A12 (Vargha and Delaney)",
        "<h2>How well does it tell relations apart?</h2>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches("<table>").count(), 2);
}

#[test]
fn single_suites_are_drawn_as_bars_and_several_as_boxes() {
    let single = comparison(&[("one", vec![record(&[("norec", 100, 400, 80)])])]);
    let bars = comparison_plot(&single, Criterion::Line);
    assert!(bars.contains("<title>norec: 8.00 of 40.00</title>"), "{bars}");
    let boxes = comparison_plot(&three_suites(), Criterion::Line);
    assert!(
        boxes.contains("<title>norec: median 7.500, quartiles 7.250 and 7.750, n = 3</title>"),
        "{boxes}"
    );
    assert!(!boxes.contains("all: median"), "all relations together are not a sample");
    let nothing = comparison_plot(&three_suites(), Criterion::Region);
    assert!(!nothing.contains("NaN"), "{nothing}");
}

#[test]
fn groups_are_named_in_plots() {
    let suites = |mc: u64| vec![record(&[("norec", 100, 400, mc)])];
    let plot =
        comparison_plot(&comparison(&[("old", suites(20)), ("new", suites(60))]), Criterion::Line);
    assert!(plot.contains(">norec (old)</text>") && plot.contains(">norec (new)</text>"), "{plot}");
}

#[test]
fn unknown_numbers_are_empty_in_csv() {
    let comparison = comparison(&[("a, b", vec![record(&[("norec", 100, 400, 80)])])]);
    let csv = comparison_csv(&comparison);
    assert_eq!(csv.lines().nth(1).unwrap(), "line,norec,\"a, b\",1,100,100,40,,,,,8,,,,,,,");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Table, Markdown and CSV have the same means over the suites.
    #[test]
    fn all_forms_have_the_means_of_the_suites(suites in prop::collection::vec((1..2000u64, 0..=1000u64, 0..=1000u64), 1..5)) {
        let suite = |(pairs, left, right): &(u64, u64, u64)| record(&[("norec", *pairs, *left.max(right), *left.min(right))]);
        let comparison = comparison(&[("one", suites.iter().map(suite).collect())]);
        let count = u32::try_from(suites.len()).unwrap();
        let mean = |of: &dyn Fn(&(u64, u64, u64)) -> u64| {
            let sum: u64 = suites.iter().map(of).sum();
            f64::from(u32::try_from(sum).unwrap()) / 10.0 / f64::from(count)
        };
        let (coverage, mc) = (mean(&|of| of.1.max(of.2)), mean(&|of| of.1.min(of.2)));
        let (table, _) = comparison_tables(&comparison);
        prop_assert_eq!(markdown_rows(&table.to_markdown()), table.rows.clone());
        let row = &table.rows[0];
        prop_assert_eq!(row[2].parse::<u32>().unwrap(), count);
        let shown = |cell: &str| cell.trim_end_matches(" %").parse::<f64>().unwrap();
        prop_assert!((shown(&row[4]) - coverage).abs() < 0.0051 && (shown(&row[5]) - mc).abs() < 0.0051);
        let csv = comparison_csv(&comparison);
        let cells: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
        prop_assert!((cells[6].parse::<f64>().unwrap() - coverage).abs() < 1e-9);
        prop_assert!((cells[11].parse::<f64>().unwrap() - mc).abs() < 1e-9);
        prop_assert_eq!(cells.len(), csv.lines().next().unwrap().split(',').count());
    }
}
