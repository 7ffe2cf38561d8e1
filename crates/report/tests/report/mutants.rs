//! Mutants on the pages of a run, and in the report of a study.

use metacov_core::Criterion;
use metacov_mutants::{Mutant, MutantVerdict as V, Operator};
use metacov_report::digest::Digest;
use metacov_report::study_report;
use metacov_store::{MutantRun, StoredMutants};
use metacov_study::{
    Measurement, RelationMutants, ResultFile as _, Results, StudyPlan, StudyShard, SuiteMutants,
    SuiteNumbers, SuiteResult, SuiteSpec, Time,
};
use serde_json::json;

use crate::pages::{data, without_sources};
use crate::support::{Pair, digest, two_files};

const HOSTILE: &str = "<b>&\"'</script>";

fn mutant(file: &str, line: u32, operator: Operator, function: &str) -> Mutant {
    Mutant { file: file.into(), line, column: 7, operator, function: function.into() }
}

/// Of `a.c`, lines 3 and 4 are in a difference, and line 1 runs on both sides. One mutant is of a file that was not
/// measured, and the last one is not in the sample.
fn run() -> Digest {
    let pairs =
        [Pair::ran("swap", &[1, 3], &[1, 4]).holds(), Pair::ran("shift", &[1, 2], &[1, 2]).holds()];
    let mutants = vec![
        mutant("a.c", 1, Operator::AddToSub, "first"),
        mutant("a.c", 3, Operator::LtToGe, "first"),
        mutant("a.c", 3, Operator::LtToLe, "first"),
        mutant("a.c", 7, Operator::EqToNe, "second"),
        mutant("elsewhere.c", 1, Operator::MinusToNoop, HOSTILE),
        mutant("a.c", 4, Operator::EqToNe, "first"),
    ];
    let stored = |verdicts: &[(u32, V)]| StoredMutants {
        verdicts: verdicts.to_vec(),
        ..StoredMutants::default()
    };
    let key = |relation: &str| (relation.to_owned(), "0".to_owned());
    let pairs_with = [
        (key("swap"), stored(&[(0, V::Killed), (1, V::Crash), (2, V::Survived), (4, V::Survived)])),
        (key("shift"), stored(&[(0, V::Killed)])),
    ];
    let wanted = vec![true, true, true, true, true, false];
    let mutants = Some(MutantRun { mutants, wanted, pairs: pairs_with.into() });
    Digest { mutants, ..digest(two_files(), &pairs) }
}

#[test]
fn lines_have_their_mutants() {
    let files = without_sources(&run());
    let words = &data(&files, "run")["mutants"];
    assert_eq!(words["operators"][2], json!(["cxx_add_to_sub", "+", "-"]));
    let verdict = |name: &str| {
        let names = words["verdicts"].as_array().unwrap();
        names.iter().position(|of| of == name).unwrap()
    };
    let operator = |operator: Operator| Operator::all().position(|of| of == operator).unwrap();
    assert_eq!(
        data(&files, "mutants-0"),
        json!([
            [1, 7, operator(Operator::AddToSub), verdict("killed"), [0, 1]],
            [3, 7, operator(Operator::LtToGe), verdict("crash"), []],
            [3, 7, operator(Operator::LtToLe), verdict("survived"), []],
            [7, 7, operator(Operator::EqToNe), null, []],
        ])
    );
    assert_eq!(data(&files, "mutants-1"), json!([]), "b.c has none");
}

#[test]
fn lists_are_of_survivors_on_checked_lines_and_of_kills_outside_of_mc() {
    let files = without_sources(&run());
    let lists = data(&files, "mutants");
    let place = |list: &str| -> Vec<String> {
        let rows = lists[list].as_array().unwrap().iter();
        rows.map(|row| format!("{}:{} {}", row[0], row[2][0], row[1])).collect()
    };
    assert_eq!(place("survivors"), ["0:3 \"first\""]);
    assert_eq!(place("missed"), ["0:1 \"first\""]);
    // Mutants, reached, killed, survived. No pair reached a mutant of `second`.
    assert_eq!(
        lists["functions"],
        json!([[null, 1, HOSTILE, [1, 1, 0, 1]], [0, 1, "first", [3, 3, 1, 1]]])
    );
}

#[test]
fn the_first_page_has_scores_and_all_pages_link_to_the_lists() {
    let files = without_sources(&run());
    let index = &files["index.html"];
    let cell = |text: &str| format!("<td class=\"text\">{text}</td>");
    for text in ["swap", "shift", "all", "cxx_add_to_sub"] {
        assert!(index.contains(&cell(text)), "{text}: {index}");
    }
    let says = "On MC lines, 0 of 2 reached mutants (0.00 %) are killed; on other executed lines, 1 of 1 \
                reached mutant (100.00 %).";
    assert!(index.contains(says), "{index}");
    for page in
        ["index.html", "code.html", "gaps.html", "pairs.html", "mutants.html", "source.html"]
    {
        assert!(files[page].contains("href=\"mutants.html\""), "{page}");
    }
    assert!(files["mutants.html"].contains("src=\"assets/mutants.js\""));
    assert!(files.contains_key("assets/mutants.js"));
}

#[test]
fn pages_of_a_run_without_mutants_do_not_mention_them() {
    let files = without_sources(&Digest { mutants: None, ..run() });
    for (path, text) in files.iter().filter(|(path, _)| !path.starts_with("assets/")) {
        assert!(!path.contains("mutants") && !text.contains("utant"), "{path}");
    }
}

/// By relation: executed lines and MC lines of 1,000; and mutants that are killed and reached on MC lines and on
/// others, of 100.
fn suite(number: u64, relations: &[(&str, u64, u64, [u64; 4])]) -> SuiteResult {
    let measurement =
        |(relation, executed, mc_sites, _): &(&str, u64, u64, [u64; 4])| Measurement {
            relation: (*relation).to_owned(),
            criterion: Criterion::Line,
            pairs: 100,
            failed: 0,
            sites: 1000,
            executed: *executed,
            mc_sites: *mc_sites,
        };
    let record = SuiteNumbers {
        name: number.to_string(),
        build: "b".to_owned(),
        measurements: relations.iter().map(measurement).collect(),
    };
    let spec =
        SuiteSpec { target: "sqlite".to_owned(), size: 100, number, seed: number, pairs: None };
    let mut result = SuiteResult::new(&spec, &record, Time { wall: 2.0, processor: 3.0 });
    let mutants = |(relation, _, _, counts): &(&str, u64, u64, [u64; 4])| RelationMutants {
        relation: (*relation).to_owned(),
        pairs: 100,
        reached: counts[1] + counts[3],
        killed: counts[0] + counts[2],
        functions: ["f", "g"].map(|name| (name.to_owned(), counts.map(|count| count / 2))).into(),
    };
    result.mutants = Some(SuiteMutants {
        built: 400,
        run: 100,
        processor_seconds: 60.0,
        relations: relations.iter().map(mutants).collect(),
    });
    result
}

#[test]
fn a_study_has_the_mutation_score_beside_the_others() {
    let suites = vec![
        suite(
            1,
            &[
                ("norec", 400, 80, [4, 20, 2, 40]),
                ("tlp-where", 420, 40, [2, 20, 0, 40]),
                ("all", 450, 100, [6, 30, 2, 40]),
            ],
        ),
        suite(
            2,
            &[
                ("norec", 410, 90, [6, 20, 2, 40]),
                ("tlp-where", 420, 50, [2, 20, 2, 40]),
                ("all", 450, 110, [8, 30, 2, 40]),
            ],
        ),
    ];
    let plan = "title = 't'\ntargets = ['sqlite']\nsizes = [100]\nsuites = 2\nbeside = 'SQLite'\n[mutants]\nsample = 100\n";
    let plan = StudyPlan::parse(plan).unwrap();
    let stored: Vec<SuiteResult> =
        suites.iter().map(|of| SuiteResult::parse(&of.to_json()).unwrap()).collect();
    assert_eq!(stored, suites, "the files of a study hold it all");
    let shard = StudyShard { outcomes: stored, ..StudyShard::default() };
    let report = study_report(&Results::of(plan, shard).unwrap()).unwrap();
    insta::assert_snapshot!(report.to_terminal(false), @"
    Q2: coverage and MC of relations, sqlite, 2 suites of 100 pairs each
    relation    suites       Cov        MC     sd    95 % interval    MC/Cov   Cov, paper   MC, paper   MC/Cov, paper   mutation score   sd of score   mutation score, paper
    norec            2   40.50 %    8.50 %   0.71     8.00 to 9.00   20.99 %      22.68 %      2.94 %         12.96 %           7.00 %          1.41                  1.59 %
    tlp-where        2   42.00 %    4.50 %   0.71     4.00 to 5.00   10.71 %      21.84 %      1.96 %          8.97 %           3.00 %          1.41                  1.91 %
    all              2   45.00 %   10.50 %   0.71   10.00 to 11.00   23.33 %            -           -               -           9.00 %          1.41                       -
    Means over suites, of lines, in percent of all lines; sd and interval of MC. Over all relations, MC/Cov is 15.76 %; in the paper 9.58 %. By MC, the relations stand in orders that are much alike (Spearman's correlation 1.00).

    Q2 and Q5: which measure tells relations apart, sqlite, 2 suites of 100 pairs each
    criterion   CV of Cov    95 % interval   CV of MC    95 % interval   ratio   95 % interval   CV of Cov, paper   CV of MC, paper
    line            0.026   0.017 to 0.034      0.435   0.404 to 0.471    16.9    13.7 to 23.7               0.02              0.25
    Coefficients of variation (standard deviation by mean) of the relations' means: the larger, the better a measure tells relations apart. ratio: CV of MC divided by CV of Cov, with its interval; - if there is one suite, or if CV of Cov may be below 0.0005. MC tells them apart better than coverage by every criterion, as in the paper.

    Q2: does the mutation score tell relations apart, sqlite, 2 suites of 100 pairs each
    measure             CV    95 % interval   CV, paper
    Cov, of lines    0.026   0.017 to 0.034        0.02
    mutation score   0.566   0.471 to 0.707        0.17
    MC, of lines     0.435   0.404 to 0.471        0.25
    Killed mutants in percent of a sample of 100 of the 400 of the build. A mutant is killed if a pair violates its relation while it is on; errors, crashes and time-outs are not kills.

    Mutants: which measure predicts the mutation score, sqlite, 2 suites of 100 pairs each
    measure   points   Pearson    95 % interval   Kendall    95 % interval
    Cov            4     -0.67   -1.00 to -0.67     -0.55   -1.00 to -0.55
    MC             4      0.98     0.98 to 1.00      1.00     1.00 to 1.00
    How coverage and MC of lines go with the mutation score; a point is a relation in a suite, and intervals come from drawing suites. By Kendall's tau, MC predicts the mutation score better than coverage does.

    Mutants: killed on MC lines and on other lines, sqlite, 2 suites of 100 pairs each
    relation    killed on MC lines     share    95 % interval   killed on other lines    share   95 % interval   difference    95 % interval
    norec                 10 of 40   25.00 %   25.00 to 25.00                 4 of 80   5.00 %    5.00 to 5.00       +20.00   20.00 to 20.00
    tlp-where              4 of 40   10.00 %   10.00 to 10.00                 2 of 80   2.50 %    2.50 to 2.50        +7.50     7.50 to 7.50
    all                   14 of 60   23.33 %   23.33 to 23.33                 4 of 80   5.00 %    5.00 to 5.00       +18.33   18.33 to 18.33
    Mutants that a pair reached, of all suites together, by the line that they are on: in the MC of the relation, or executed and not in it. Intervals come from drawing functions, since mutants of one function are alike. The difference is in percentage points. A mutant on an MC line is 4.7 times as likely to be killed as one on another executed line.

    Q3: time, sqlite
    pairs of a relation   pairs   seconds   processor seconds   ms a pair   processor seconds of mutants   mutants/MC
                    100     200       2.0                 3.0       15.00                           60.0        20.0x
    Mean time of a suite, of all its relations: databases, pairs, both runs of each, and what they differ in; line coverage comes with it. The paper needs 2004 s for the line coverage of 100 pairs of a relation and 2161 s for their MC, on another machine. Of mutants: a sample of 100 of the 400 of the build. In the paper, the mutation score of 100 pairs takes 99 times what their MC takes, with all mutants.
    ");
    let csv: Vec<&str> = report.numbers["mutants.csv"].lines().collect();
    assert_eq!(csv.len(), 7);
    assert_eq!(csv[1], "sqlite,100,1,1,400,100,norec,100,60,6,4,20,2,40");
}

#[test]
fn a_plan_says_which_mutants() {
    let plan = |text: &str| {
        let head = "title = 't'\nsizes = [1]\nsuites = 1\n";
        StudyPlan::parse(&format!("{head}{text}"))
            .map(|plan| plan.mutants.unwrap().sample.map(Into::into))
    };
    assert_eq!(plan("targets = ['sqlite']\n[mutants]\nsample = 7\n").unwrap(), Some(7_usize));
    assert_eq!(plan("targets = ['sqlite']\n[mutants]\n").unwrap(), None);
    let fault = plan("command = ['x']\npairs = ['p']\n[mutants]\n").unwrap_err().to_string();
    assert!(fault.contains("`[mutants]` needs `targets`"), "{fault}");
}
