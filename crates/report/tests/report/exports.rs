//! Suites as files: numbers, a summary, annotations, pictures.

use metacov_core::{Criterion, Failure, Growth, Operation, Suite};
use metacov_formats::{Export, Writer as _};
use metacov_report::{Annotations, Badge, Csv, CurvePlot, Markdown};
use proptest::prelude::*;

use crate::support::{
    Pair, Program, any_pairs, export, exported, lines, markdown_rows, suite, two_files, written,
};

fn small(pairs: &[Pair]) -> Suite {
    suite(Program::of_lines(1..=10), Operation::Xor, pairs)
}

#[test]
fn csv_has_a_row_for_each_relation_and_one_for_all() {
    let pairs = [
        Pair::ran("swap, \"quoted\"", &[1, 2, 3], &[1, 2, 4]),
        Pair::ran("shift", &[1, 4], &[1]),
        Pair::failed("shift", Failure::NoCounters, ""),
    ];
    insta::assert_snapshot!(exported(&Csv, &small(&pairs), None), @r#"
    relation,criterion,pairs,judged,violated,crashed,timed_out,invalid,no_counters,did_not_run,sites,executed,a_only,b_only,either,both,mc_sites,flaky
    shift,line,1,0,0,0,0,0,1,0,10,2,1,0,0,1,1,0
    "swap, ""quoted""",line,1,0,0,0,0,0,0,0,10,4,1,1,0,2,2,0
    all,line,2,0,0,0,0,0,1,0,10,4,1,0,1,2,2,0
    "#);
}

#[test]
fn csv_of_one_relation_has_no_row_for_all() {
    let csv = exported(&Csv, &small(&[Pair::ran("swap", &[1], &[2])]), None);
    assert_eq!(
        csv.lines().skip(1).collect::<Vec<_>>(),
        ["swap,line,1,0,0,0,0,0,0,0,10,2,1,1,0,0,2,0"]
    );
}

#[test]
fn a_summary_names_pairs_relations_and_files() {
    let pairs =
        [Pair::ran("swap", &[1, 2, 3], &[1, 2, 4]), Pair::ran("shift", &[1, 3], &[1, 5, 6])];
    insta::assert_snapshot!(exported(&Markdown, &small(&pairs), None), @"
    ## Metamorphic coverage

    2 pairs, by source line, build `f8b4ed292bab3322`.

    Nothing was checked: the pairs have no judge.

    | relation | pairs | criterion | sites | a only | b only | both | not executed | MC sites | MC | MC/Cov |
    |---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|
    | shift | 1 | line | 10 | 1 | 2 | 1 | 6 | **3** | 30.00 % | 75.00 % |
    | swap | 1 | line | 10 | 1 | 1 | 2 | 6 | **2** | 20.00 % | 50.00 % |
    | all | 2 | line | 10 | 1 | 3 | 2 | 4 | **4** | 40.00 % | 66.67 % |

    > **Note:** left out: branch, function (the files do not say which of them ran)

    ### Files

    | file | criterion | sites | a only | b only | both | not executed | MC sites | MC | MC/Cov |
    |---|---|---:|---:|---:|---:|---:|---:|---:|---:|
    | a.c | line | 10 | 1 | 3 | 2 | 4 | **4** | 40.00 % | 66.67 % |
    ");
}

#[test]
fn a_summary_of_one_pair_is_in_the_singular() {
    let pairs = [Pair::ran("swap", &[1, 2, 3, 5], &[1, 2, 4, 5])];
    let suite = suite(Program::of_lines(1..=6), Operation::Xor, &pairs[..1]);
    let text = exported(&Markdown, &suite, Some("main"));
    assert!(text.contains("\n1 pair, by source line, "), "{text}");
    assert!(text.contains("Only code that was changed since `main` counts.\n"), "{text}");
    assert!(
        text.contains("### Executed, no difference: 3 lines\n\n- `a.c:1-2`\n- `a.c:5`\n"),
        "{text}"
    );
}

#[test]
fn one_line_is_in_the_singular() {
    let suite = small(&[Pair::ran("swap", &[1, 2], &[1])]);
    let text = exported(&Markdown, &suite, Some("main"));
    assert!(text.contains("### Executed, no difference: 1 line\n\n- `a.c:1`\n"), "{text}");
}

#[test]
fn a_summary_says_that_all_lines_are_checked() {
    let text = exported(&Markdown, &small(&[Pair::ran("swap", &[1], &[2])]), Some("main"));
    assert!(text.contains("\nEvery line that runs differs in some pair.\n"), "{text}");
}

/// Without a judge, nothing is checked, and no output claims it.
#[test]
fn only_pairs_with_a_judge_are_reported_as_checked() {
    let pair = Pair::ran("swap", &[1, 2], &[1]);
    let checked = small(&[pair.clone().holds()]);
    let text = exported(&Markdown, &checked, Some("main"));
    assert!(text.contains("### Executed, never checked: 1 line\n"), "{text}");
    assert!(!text.contains("Nothing was checked"), "{text}");
    let text = exported(&Annotations, &checked, None);
    assert!(text.contains("title=Executed%2C never checked::This line runs"), "{text}");
    assert!(text.ends_with(" in it: a fault here is likely to go unnoticed.\n"), "{text}");
    let some = "Only 1 of 2 pairs were checked: the others have no judge.";
    let none = "Nothing was checked: the pairs have no judge.";
    for (pairs, why) in [(vec![pair.clone()], none), (vec![pair.clone(), pair.holds()], some)] {
        let suite = small(&pairs);
        let text = exported(&Markdown, &suite, Some("main"));
        assert!(text.contains(&format!("\n{why}\n")), "{text}");
        let text = text + &exported(&Annotations, &suite, None);
        assert!(!text.contains("never checked"), "{text}");
    }
}

#[test]
fn a_summary_of_no_pairs_says_zero() {
    let text = exported(&Markdown, &small(&[]), None);
    assert!(
        text.starts_with("## Metamorphic coverage\n\n0 pairs, by source line, build `"),
        "{text}"
    );
    assert!(!text.contains("### Files"), "{text}");
}

#[test]
fn the_plot_of_a_summary_is_linked_under_any_name() {
    let suite = small(&[Pair::ran("swap", &[1], &[2])]);
    let total = suite.total();
    let text = |plot| {
        let export = Export { plot: Some(plot), ..export(&suite, &total) };
        let text = written(&Markdown, &export);
        text.lines().find(|line| line.starts_with("![")).unwrap().to_owned()
    };
    assert_eq!(text("out.svg"), "![Metamorphic coverage against pairs](out.svg)");
    assert_eq!(
        text("my run (1).svg"),
        "![Metamorphic coverage against pairs](my%20run%20%281%29.svg)"
    );
}

#[test]
fn other_operations_have_another_title() {
    let suite = suite(Program::of_lines(1..=3), Operation::Sub, &[Pair::ran("x", &[1], &[2])]);
    assert!(exported(&Markdown, &suite, None).starts_with("## Coverage: a sub b\n"));
}

/// A suite with this many files, in each of which one line differs.
fn of_files(count: u32) -> Suite {
    let path = |at: u32| format!("{at:03}.c");
    let program = (0..count).fold(Program::default(), |of, at| of.file(&path(at), [1, 3]));
    let a = (0..count).map(|at| (path(at), 1)).chain((0..count).map(|at| (path(at), 3)));
    let b = (0..count).map(|at| (path(at), 3));
    suite(program, Operation::Xor, &[Pair::of("swap", vec![a.collect(), b.collect()])])
}

#[test]
fn a_summary_names_fifty_files_and_counts_the_rest() {
    let files = |count| {
        let text = exported(&Markdown, &of_files(count), Some("main"));
        let table = text.split("### Files\n\n").nth(1).unwrap().to_owned();
        (markdown_rows(&table).len(), table.lines().last().unwrap().to_owned(), text)
    };
    let (rows, last, text) = files(50);
    assert_eq!(rows, 50);
    assert!(last.starts_with("| 049.c |") && !text.contains(" more "), "{text}");
    let (rows, last, text) = files(51);
    assert_eq!((rows, last.as_str()), (50, "1 more row is left out."));
    assert!(text.contains("- `049.c:3`\n- 1 more place\n"), "{text}");
    let (rows, last, text) = files(52);
    assert_eq!((rows, last.as_str()), (50, "2 more rows are left out."));
    assert!(text.contains("\n- 2 more places\n"), "{text}");
}

#[test]
fn annotations_name_stretches_of_lines() {
    let program = Program::default().file("a,b:1%.c", [1, 2, 4, 5, 7, 9]);
    let side = |of: &[u32]| lines("a,b:1%.c", of);
    let pairs = [Pair::of("swap", vec![side(&[1, 2, 4, 5, 9]), side(&[1, 2, 4, 9])])];
    let suite = suite(program, Operation::Xor, &pairs);
    insta::assert_snapshot!(exported(&Annotations, &suite, None), @"
    ::warning file=a%2Cb%3A1%25.c,line=1,endLine=4,title=Executed%2C no difference::These 3 lines run, but no pair of tests differs in them. Nothing was checked: the pairs have no judge.
    ::warning file=a%2Cb%3A1%25.c,line=9,endLine=9,title=Executed%2C no difference::This line runs, but no pair of tests differs in it. Nothing was checked: the pairs have no judge.
    ");
}

#[test]
fn annotations_beyond_the_fiftieth_are_counted() {
    let notice = |count| {
        let text = exported(&Annotations, &of_files(count), None);
        (text.lines().count(), text.lines().last().unwrap().to_owned())
    };
    assert!(notice(50).1.starts_with("::warning file=049.c,line=3,endLine=3,"));
    assert_eq!(notice(51), (51, "::notice::Executed, no difference: 1 more place.".to_owned()));
    assert_eq!(notice(52), (51, "::notice::Executed, no difference: 2 more places.".to_owned()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The annotations list exactly the lines that are executed and never checked.
    #[test]
    fn annotated_lines_are_those_that_run_and_never_differ(pairs in any_pairs()) {
        let suite = suite(two_files(), Operation::Xor, &pairs);
        let total = suite.total();
        let expected: Vec<(String, u32)> = suite
            .table
            .ordered()
            .into_iter()
            .filter(|id| suite.table.get(*id).criterion() == Criterion::Line)
            .filter(|id| total.executed.contains(*id) && !total.mc_sites().contains(*id))
            .map(|id| (suite.table.path(suite.table.get(id).file).to_owned(), suite.table.get(id).line))
            .collect();
        let text = exported(&Annotations, &suite, None);
        let mut named = Vec::new();
        for line in text.lines() {
            let field = |name: &str| {
                let rest = line.split(&format!("{name}=")).nth(1).unwrap();
                rest.split(',').next().unwrap().to_owned()
            };
            let (first, last) = (field("line"), field("endLine"));
            let lines = first.parse::<u32>().unwrap()..=last.parse().unwrap();
            named.extend(lines.map(|line| (field("file"), line)));
        }
        prop_assert_eq!(named, expected);
    }
}

#[test]
fn a_badge_shows_the_mc_of_the_first_criterion() {
    let pairs = [Pair::ran("swap", &[1, 2, 3], &[1, 2, 4])];
    let badge = exported(&Badge, &small(&pairs), None);
    assert!(badge.contains("<title>MC: 20.0 % of lines</title>"), "{badge}");
    let mut program = Program::of_lines(1..=10);
    program.table.set_partial(Criterion::Line);
    let badge = exported(&Badge, &suite(program, Operation::Xor, &pairs), None);
    assert!(badge.contains("<title>MC: unknown</title>"), "{badge}");
}

#[test]
fn curves_need_a_run_file() {
    let suite = small(&[Pair::ran("swap", &[1], &[2])]);
    let total = suite.total();
    let export = |growth| Export { growth, ..export(&suite, &total) };
    let error = CurvePlot.write(&export(None), &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "a plot (.svg) needs a run file: add -o RUN.metacov");
    let svg = written(&CurvePlot, &export(Some(&Growth::default())));
    assert!(svg.contains(">MC, in % of all lines</text>"), "{svg}");
}
