//! Reports of studies: sections with the paper's numbers, figures, numbers.

use metacov_core::Criterion;
use metacov_report::{Report, Section, study_report};
use metacov_study::overlap::{Hits, Overlap};
use metacov_study::{
    BugCorrelation, BugOverlap, BugsAgainst, Correlation, Efficiency, FileVersion, KnownBugs,
    LeftOut, Measurement, PairInPipeline, Program, Results, StudyPlan, StudyShard, SuiteNumbers,
    SuiteResult, SuiteSpec, Time,
};

use crate::comparison::record;

const PLAN: &str = "title = 'A small study'\ntargets = ['sqlite']\nrelations = ['norec']\n\
                    sizes = [100]\nsuites = 2\n";

fn outcome(target: &str, size: u64, number: u64, record: &SuiteNumbers) -> SuiteResult {
    let suite = SuiteSpec { target: target.to_owned(), size, number, seed: number, pairs: None };
    SuiteResult::new(&suite, record, Time { wall: 2.0, processor: 3.0 })
}

fn results(more: &str, outcomes: Vec<SuiteResult>) -> Results {
    let plan = StudyPlan::parse(&format!("{PLAN}{more}")).unwrap();
    Results::of(plan, StudyShard { outcomes, ..StudyShard::default() }).unwrap()
}

fn two_suites() -> Vec<SuiteResult> {
    let suite = |more: u64| {
        record(&[
            ("norec", 100, 400 + more, 80 + more),
            ("tlp-where", 100, 410, 20),
            ("all", 200, 420 + more, 90 + more),
        ])
    };
    vec![outcome("sqlite", 100, 1, &suite(0)), outcome("sqlite", 100, 2, &suite(10))]
}

fn section<'r>(report: &'r Report, title: &str) -> &'r Section {
    let found = report.sections.iter().find(|of| of.title.starts_with(title));
    found.unwrap_or_else(|| panic!("no section {title}"))
}

#[test]
fn a_study_has_a_section_for_each_question() {
    let report = study_report(&results("", two_suites())).unwrap();
    insta::assert_snapshot!(report.to_terminal(false), @"
    Q2: coverage and MC of relations, sqlite, 2 suites of 100 pairs each
    relation    suites       Cov       MC     sd   95 % interval    MC/Cov
    norec            2   40.50 %   8.50 %   0.71    8.00 to 9.00   20.99 %
    tlp-where        2   41.00 %   2.00 %   0.00    2.00 to 2.00    4.88 %
    all              2   42.50 %   9.50 %   0.71   9.00 to 10.00   22.35 %
    Means over suites, of lines, in percent of all lines; sd and interval of MC.

    Q2 and Q5: which measure tells relations apart, sqlite, 2 suites of 100 pairs each
    criterion   CV of Cov    95 % interval   CV of MC    95 % interval   ratio   95 % interval
    line            0.009   0.000 to 0.017      0.875   0.849 to 0.900       -               -
    Coefficients of variation (standard deviation by mean) of the relations' means: the larger, the better a measure tells relations apart. ratio: CV of MC divided by CV of Cov, with its interval; - if there is one suite, or if CV of Cov may be below 0.0005.

    Q3: time, sqlite
    pairs of a relation   pairs   seconds   processor seconds   ms a pair
                    100     200       2.0                 3.0       15.00
    Mean time of a suite, of all its relations: databases, pairs, both runs of each, and what they differ in; line coverage comes with it.
    ");
    assert_eq!(report.figures.keys().collect::<Vec<_>>(), ["sqlite-relations.svg"]);
    let boxes = &report.figures["sqlite-relations.svg"];
    assert!(boxes.contains("<title>norec: median") && !boxes.contains("<title>all:"), "{boxes}");
    assert_eq!(report.numbers.keys().collect::<Vec<_>>(), ["results.csv"]);
}

#[test]
fn numbers_are_those_of_each_suite() {
    let report = study_report(&results("", two_suites())).unwrap();
    let csv = &report.numbers["results.csv"];
    assert_eq!(csv.lines().count(), 7);
    assert_eq!(csv.lines().nth(4).unwrap(), "sqlite,b,100,2,2,norec,line,100,0,1000,410,90");
}

#[test]
fn the_papers_numbers_are_shown_with_the_measured_ones() {
    let report =
        study_report(&results("beside = 'SQLite'\ndiffers = ['the generator']\n", two_suites()))
            .unwrap();
    let relations = section(&report, "Q2: coverage and MC of relations");
    let table = relations.table.as_ref().unwrap();
    let paper = |at: usize| table.rows[at][table.rows[at].len() - 3..].to_vec();
    assert_eq!(paper(0), ["22.68 %", "2.94 %", "12.96 %"]);
    assert_eq!(paper(2), ["-", "-", "-"], "the paper has nothing of all relations together");
    assert!(
        relations.text.contains(" Over all relations, MC/Cov is 12.88 %; in the paper 9.58 %."),
        "{}",
        relations.text
    );
    let apart = section(&report, "Q2 and Q5");
    assert!(
        apart.text.ends_with(
            " MC tells them apart better than coverage by every criterion, as in the paper."
        ),
        "{}",
        apart.text
    );
    let markdown = report.to_markdown();
    assert!(markdown.starts_with("# A small study\n\nBeside the paper's numbers for SQLite. What differs:\n\n- the generator\n"), "{markdown}");
    assert!(report.to_sheet().to_html().contains("SQLite. What differs: the generator</p>"));
}

#[test]
fn each_target_is_compared_with_its_own_program_of_the_paper() {
    let suite = record(&[("yinyang-sat", 100, 300, 90), ("sae", 100, 280, 70)]);
    let outcomes = ["z3@4.8.6", "cvc4@1.8", "boolector"].map(|of| outcome(of, 100, 1, &suite));
    let results = results("beside = 'Z3'\n", outcomes.to_vec());
    let report = study_report(&results).unwrap();
    assert_eq!(report.beside.as_ref().unwrap().0, "Beside the paper's numbers for Z3 and CVC4.");
    let coverage = |target: &str| {
        let table = section(&report, &format!("Q2: coverage and MC of relations, {target}"));
        let row = &table.table.as_ref().unwrap().rows[1];
        row[row.len() - 3].clone()
    };
    // The paper does not have Boolector: the study names what it is compared with.
    assert_eq!(
        ["z3@4.8.6", "cvc4@1.8", "boolector"].map(coverage),
        ["14.89 %", "22.89 %", "14.89 %"]
    );
}

#[test]
fn contradictions_to_the_paper_are_reported() {
    let suite = record(&[("norec", 100, 400, 50), ("tlp-where", 100, 800, 51)]);
    let report =
        study_report(&results("beside = 'SQLite'\n", vec![outcome("sqlite", 100, 1, &suite)]))
            .unwrap();
    let text = &section(&report, "Q2 and Q5").text;
    assert!(text.ends_with(" By line, this contradicts the paper."), "{text}");
}

#[test]
fn no_differences_are_not_announced() {
    let report = study_report(&results("beside = 'SQLite'\n", two_suites())).unwrap();
    for text in [report.to_markdown(), report.to_sheet().to_html()] {
        assert!(text.contains("Beside the paper's numbers for SQLite."), "{text}");
        assert!(!text.contains("What differs"), "{text}");
    }
}

/// A study without MC sites has no infinite ratio.
#[test]
fn no_number_of_a_study_is_infinite() {
    for executed in [0, 400] {
        let suite = record(&[("norec", 100, executed, 0), ("tlp-where", 100, executed, 0)]);
        let outcomes = vec![outcome("sqlite", 100, 1, &suite), outcome("sqlite", 200, 1, &suite)];
        let mut results = results("beside = 'SQLite'\n", outcomes);
        results.efficiency = Some(efficiency(Vec::new()));
        let report = study_report(&results).unwrap();
        for text in [vec![report.to_markdown()], report.figures.into_values().collect()].concat() {
            let words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric()).collect();
            assert!(!words.contains(&"inf") && !words.contains(&"NaN"), "{text}");
        }
    }
}

#[test]
fn one_suite_and_one_pair_are_in_the_singular() {
    let suite = record(&[("norec", 1, 400, 80)]);
    let title = |size| {
        let report = study_report(&results("", vec![outcome("sqlite", size, 1, &suite)])).unwrap();
        report.sections[0].title.clone()
    };
    assert_eq!(title(1), "Q2: coverage and MC of relations, sqlite, 1 suite of 1 pair each");
    assert_eq!(title(50), "Q2: coverage and MC of relations, sqlite, 1 suite of 50 pairs each");
    assert_eq!(title(0), "Q2: coverage and MC of relations, sqlite, 1 suite");
}

#[test]
fn several_sizes_have_a_table_and_curves() {
    let suite = |size| record(&[("norec", size, 400, 80), ("tlp-where", size, 410, 20)]);
    let outcomes = [50, 100, 200].map(|size| outcome("sqlite", size, 1, &suite(size))).to_vec();
    let report = study_report(&results("beside = 'SQLite'\n", outcomes)).unwrap();
    let sizes = section(&report, "Q5: sizes of suites, sqlite").table.as_ref().unwrap();
    let firsts_and_lasts: Vec<_> =
        sizes.rows.iter().map(|row| (&*row[0], &**row.last().unwrap())).collect();
    assert_eq!(firsts_and_lasts, [("50", "0.36"), ("100", "0.25"), ("200", "0.37")]);
    let times = section(&report, "Q3: time, sqlite").table.as_ref().unwrap();
    assert_eq!(times.rows[0], ["50", "100", "2.0", "3.0", "30.00"]);
    let figures: Vec<&String> = report.figures.keys().collect();
    assert_eq!(figures, ["sqlite-growth.svg", "sqlite-relations.svg", "sqlite-sizes.svg"]);
    let markdown = report.to_markdown();
    assert_eq!(markdown.matches("\n## Figures\n").count(), 1, "{markdown}");
    for figure in figures {
        assert!(markdown.contains(&format!("\n![{figure}]({figure})\n")), "{markdown}");
    }
}

#[test]
fn targets_have_separate_sections_and_figures() {
    let suite = record(&[("norec", 100, 400, 80)]);
    let outcomes =
        vec![outcome("sqlite", 100, 1, &suite), outcome("sqlite@3.29.0", 100, 1, &suite)];
    let report = study_report(&results("", outcomes)).unwrap();
    assert_eq!(
        report.figures.keys().collect::<Vec<_>>(),
        ["sqlite-3-29-0-relations.svg", "sqlite-relations.svg"]
    );
    assert_eq!(report.sections.iter().filter(|of| of.title.starts_with("Q2: ")).count(), 2);
}

fn hits(executed: u32, differing: u32, chance: f64) -> Hits {
    let (chance_in_files, chance_shifted) = (Some(1.0), Some(chance / 2.0));
    Hits { executed, differing, chance, chance_in_files, chance_shifted }
}

fn bug(id: &str, differing: u32) -> BugOverlap {
    let overlap = Overlap {
        strict: hits(0, 0, 0.0),
        context: hits(4, differing, 0.25),
        function: hits(20, 2 * differing, 0.75),
    };
    BugOverlap {
        id: id.to_owned(),
        engine: "sqlite".to_owned(),
        build: "b".to_owned(),
        relation: if id == "a" { "rewrite" } else { "option" }.to_owned(),
        is_wide: id == "a",
        is_option_pair: id == "b",
        overlap,
    }
}

fn bugs(overlaps: Vec<BugOverlap>, correlation: Option<BugCorrelation>) -> KnownBugs {
    let left_out = vec![LeftOut { id: "c".to_owned(), why: "its fix is not known".to_owned() }];
    let corpus = "bugs.toml".to_owned();
    KnownBugs { version: FileVersion, corpus, overlaps, left_out, correlation }
}

fn with_bugs(more: &str, bugs: KnownBugs) -> Report {
    let mut results = results(more, two_suites());
    results.bugs = Some(bugs);
    study_report(&results).unwrap()
}

#[test]
fn overlaps_with_fixes_are_compared_with_chance() {
    let report = with_bugs("beside = 'SQLite'\n", bugs(vec![bug("a", 1), bug("b", 0)], None));
    let overlap = section(&report, "Q1: overlap of MC with bug fixes, 2 bugs of bugs.toml");
    insta::assert_snapshot!(overlap.table.as_ref().unwrap().to_terminal(false), @"
    fix                               strict      chance    in files     shifted        context      chance    in files     shifted   same function      chance    in files     shifted
    a                                      -       0.0 %     100.0 %       0.0 %         1 of 4      25.0 %     100.0 %      12.5 %         2 of 20      75.0 %     100.0 %      37.5 %
    b                                      -       0.0 %     100.0 %       0.0 %         0 of 4      25.0 %     100.0 %      12.5 %         0 of 20      75.0 %     100.0 %      37.5 %
    all                         0 of 2 fixes   0.0 fixes   2.0 fixes   0.0 fixes   1 of 2 fixes   0.5 fixes   2.0 fixes   0.2 fixes    1 of 2 fixes   1.5 fixes   2.0 fixes   0.8 fixes
    fixes of at most 40 lines   0 of 1 fixes   0.0 fixes   1.0 fixes   0.0 fixes   0 of 1 fixes   0.2 fixes   1.0 fixes   0.1 fixes    0 of 1 fixes   0.8 fixes   1.0 fixes   0.4 fixes
    without option pairs        0 of 1 fixes   0.0 fixes   1.0 fixes   0.0 fixes   1 of 1 fixes   0.2 fixes   1.0 fixes   0.1 fixes    1 of 1 fixes   0.8 fixes   1.0 fixes   0.4 fixes
    option                      0 of 1 fixes   0.0 fixes   1.0 fixes   0.0 fixes   0 of 1 fixes   0.2 fixes   1.0 fixes   0.1 fixes    0 of 1 fixes   0.8 fixes   1.0 fixes   0.4 fixes
    rewrite                     0 of 1 fixes   0.0 fixes   1.0 fixes   0.0 fixes   1 of 1 fixes   0.2 fixes   1.0 fixes   0.1 fixes    1 of 1 fixes   0.8 fixes   1.0 fixes   0.4 fixes
    ");
    assert!(overlap.text.contains(" MC overlaps with 1 of 2 fixes (50 %), 0 of them strictly. In the paper: 18 of 27 (67 %)"), "{}", overlap.text);
    assert!(overlap.text.ends_with(" c is left out: its fix is not known."), "{}", overlap.text);
    assert_eq!(
        report.numbers["overlap.csv"].lines().nth(1).unwrap(),
        "a,sqlite,b,rewrite,0,0,0.000000,1.000000,0.000000,4,1,0.250000,1.000000,0.125000,\
         20,2,0.750000,1.000000,0.375000"
    );
}

#[test]
fn few_bugs_have_no_correlation() {
    let text = |overlaps| {
        let report = with_bugs("", bugs(overlaps, None));
        section(&report, "Q1: coverage and the number of bugs").text.clone()
    };
    assert!(
        text(vec![])
            .starts_with("Not measured: 1 bug is too few for a correlation (3 are needed).")
    );
    assert!(
        text(vec![bug("a", 1)]).starts_with("Not measured: 2 bugs are too few for a correlation")
    );
    let none = with_bugs("", bugs(vec![], None));
    assert!(section(&none, "Q1: overlap").text.contains(" MC overlaps with 0 of 0 fixes (-), "));
}

fn correlated(coverage: Option<f64>, mc: Option<f64>) -> BugCorrelation {
    let against = |pearson, percent| BugsAgainst {
        points: vec![(1.0, percent), (2.0, 2.0 * percent)],
        pearson,
        spearman: None,
    };
    BugCorrelation {
        engine: "sqlite".to_owned(),
        build: "b".to_owned(),
        bugs: 3,
        repetitions: 2,
        found: Correlation { coverage: against(coverage, 20.0), mc: against(mc, 1.0) },
    }
}

#[test]
fn correlations_are_shown_with_the_papers() {
    let correlation = correlated(Some(0.5), Some(0.875));
    let report = with_bugs("beside = 'SQLite'\n", bugs(vec![bug("a", 1)], Some(correlation)));
    let section = section(&report, "Q1: coverage and the number of bugs");
    insta::assert_snapshot!(section.table.as_ref().unwrap().to_terminal(false), @"
    measure   Pearson   Spearman   Pearson, paper
    Cov          0.50          -             0.71
    MC           0.88          -             0.94
    ");
    assert!(section.text.starts_with("3 bugs on sqlite, 2 sets of each size from 1 to 3. MC goes with the number of bugs better than coverage does, as in the paper,"), "{}", section.text);
    let svg = &report.figures["bugs.svg"];
    assert_eq!(svg.matches("<circle").count(), 4, "{svg}");
    assert_eq!(
        report.numbers["bugs.csv"],
        "bugs,coverage,mc\n1,20.000000,1.000000\n2,40.000000,2.000000\n"
    );
}

#[test]
fn a_worse_or_missing_correlation_is_not_called_better() {
    let text = |coverage, mc| {
        let report = with_bugs("", bugs(vec![bug("a", 1)], Some(correlated(coverage, mc))));
        section(&report, "Q1: coverage and").text.clone()
    };
    assert!(text(Some(0.9), Some(0.8)).contains(" no better than coverage does. "));
    assert!(!text(None, Some(0.8)).contains("better"));
}

fn efficiency(pairs: Vec<PairInPipeline>) -> Efficiency {
    Efficiency {
        version: FileVersion,
        target: "sqlite".to_owned(),
        build: "b".to_owned(),
        gcovr: "gcovr 8.3".to_owned(),
        pairs,
        metacov: Time { wall: 0.5, processor: 0.5 },
    }
}

fn in_pipeline(lines: u64, lines_by_metacov: u64) -> PairInPipeline {
    PairInPipeline {
        relation: "norec".to_owned(),
        pair: "1".to_owned(),
        coverage: Time { wall: 4.0, processor: 8.0 },
        difference: Time { wall: 1.0, processor: 2.0 },
        lines,
        lines_by_metacov,
    }
}

#[test]
fn the_papers_pipeline_is_compared_with_metacov() {
    let mut results = results("beside = 'SQLite'\n", two_suites());
    results.efficiency = Some(efficiency(vec![in_pipeline(1234, 1234), in_pipeline(7, 7)]));
    let report = study_report(&results).unwrap();
    let section = section(&report, "Q3: the paper's pipeline and metacov, sqlite");
    insta::assert_snapshot!(section.table.as_ref().unwrap().to_terminal(false), @"
    way                                 pairs   processor seconds a pair   seconds a pair   beside Cov   faster than the pipeline   faster on the clock
    Cov: gcovr                              2                     8.0000           4.0000        1.00x                      1.25x                 1.25x
    MC: gcovr, and the difference           2                    10.0000           5.0000        1.25x                      1.00x                 1.00x
    MC: metacov, the same pairs             2                     0.2500           0.2500      0.0312x                      40.0x                 20.0x
    MC: metacov, a suite of 200 pairs     200                     0.0150           0.0100     0.00187x                       667x                  500x
    ");
    assert!(
        section.text.contains(" Both find the same number of lines that differ (1,234, 7)."),
        "{}",
        section.text
    );
    assert!(
        section
            .text
            .ends_with(" MC takes 1.25 times what line coverage takes; in the paper 1.08 times."),
        "{}",
        section.text
    );
    assert_eq!(
        report.numbers["efficiency.csv"].lines().nth(2).unwrap(),
        "norec,1,8.000,4.000,2.000,1.000,7,7"
    );
}

#[test]
fn pipelines_that_disagree_say_so() {
    let mut results = results("", two_suites());
    results.efficiency = Some(efficiency(vec![in_pipeline(10, 12)]));
    let report = study_report(&results).unwrap();
    let text = &section(&report, "Q3: the paper's pipeline").text;
    assert!(
        text.ends_with(" The lines that differ are not as many: 10 by gcovr, 12 by metacov."),
        "{text}"
    );
}

#[test]
fn a_planned_pipeline_without_a_result_is_reported() {
    let report = study_report(&results("efficiency = { pairs = 3 }\n", two_suites())).unwrap();
    let section = section(&report, "Q3: the paper's pipeline and metacov");
    assert!(section.table.is_none() && section.text.starts_with("Not measured:"));
}

#[test]
fn the_paper_is_known_by_name() {
    assert_eq!(Program::find("SQLite").map(|of| of.name), Some("SQLite"));
    let report = study_report(&results("beside = 'nothing'\n", two_suites())).unwrap();
    assert!(report.beside.is_none());
}

/// The tables of a study are about lines; other criteria have a separate row in the table of how
/// well relations are distinguished.
#[test]
fn each_criterion_has_a_separate_sensitivity() {
    let mut suite = record(&[("norec", 100, 400, 80), ("tlp-where", 100, 410, 20)]);
    let branches = suite.measurements.clone().into_iter();
    suite
        .measurements
        .extend(branches.map(|of| Measurement { criterion: Criterion::Branch, ..of }));
    let report = study_report(&results("", vec![outcome("sqlite", 100, 1, &suite)])).unwrap();
    let rows = |title: &str| {
        let rows = &section(&report, title).table.as_ref().unwrap().rows;
        rows.iter().map(|row| row[0].clone()).collect::<Vec<_>>()
    };
    assert_eq!(rows("Q2: coverage"), ["norec", "tlp-where"]);
    assert_eq!(rows("Q2 and Q5"), ["line", "branch"]);
}
