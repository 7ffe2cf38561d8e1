//! The rows of a suite, in all formats.

use metacov_core::{
    Criteria, Criterion, Failure, Operation, Suite, SuiteFold, Tally, thousands, total,
};
use metacov_report::{By, Column, Csv, Layout, Table, View, table};
use proptest::prelude::*;

use crate::support::{
    Pair, Program, any_pairs, criteria, exported, lines, markdown_rows, suite, two_files,
};

fn view(suite: &Suite, by: By, layout: Layout) -> Table {
    let total = suite.total();
    table(&View { suite, total: &total, criteria: suite.criteria(), by, layout })
}

fn headings(table: &Table) -> Vec<&str> {
    table.columns.iter().map(|column| &*column.heading).collect()
}

/// The CSV cells under these headings, by relation and criterion.
fn csv_cells(csv: &str, wanted: &[&str]) -> Vec<Vec<String>> {
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let headings = rows.next().unwrap();
    let places: Vec<usize> = wanted
        .iter()
        .map(|name| headings.iter().position(|heading| heading == name).unwrap())
        .collect();
    rows.map(|row| places.iter().map(|at| row[*at].to_owned()).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The numbers of a suite are counted once, in the core; table, Markdown and CSV agree.
    #[test]
    fn all_forms_have_the_numbers_of_the_core(pairs in any_pairs()) {
        let suite = suite(two_files(), Operation::Xor, &pairs);
        let mut tallies: Vec<(&str, Tally)> =
            suite.relations.iter().map(|(name, tally)| (name.as_str(), tally.clone())).collect();
        if tallies.len() > 1 {
            tallies.push(("all", suite.total()));
        }
        let mut expected = Vec::new();
        for (name, tally) in &tallies {
            let summaries = total(&suite.table, tally);
            for criterion in suite.criteria().iter() {
                let of = summaries[criterion];
                let counts = [of.sites, of.executed(), of.result].map(|count| count.to_string());
                expected.push([vec![(*name).to_owned(), criterion.to_string()], counts.to_vec()].concat());
            }
        }
        let table = view(&suite, By::Relation, Layout::Shares);
        let wanted = ["relation", "criterion", "sites", "executed", "MC sites"];
        let places: Vec<usize> = wanted
            .iter()
            .map(|name| headings(&table).iter().position(|heading| heading == name).unwrap())
            .collect();
        let pick = |rows: &[Vec<String>]| -> Vec<Vec<String>> {
            rows.iter().map(|row| places.iter().map(|at| row[*at].clone()).collect()).collect()
        };
        prop_assert_eq!(pick(&table.rows), expected.clone());
        prop_assert_eq!(pick(&markdown_rows(&table.to_markdown())), expected.clone());
        let csv = exported(&Csv, &suite, None);
        let of_csv = csv_cells(&csv, &["relation", "criterion", "sites", "executed", "mc_sites"]);
        prop_assert_eq!(of_csv, expected);
    }

    /// Each site of a row is in exactly one of the states that the row counts.
    #[test]
    fn states_of_a_row_add_up_to_its_sites(pairs in any_pairs()) {
        let suite = suite(two_files(), Operation::Xor, &pairs);
        for by in [By::Total, By::Relation, By::File, By::Function] {
            let table = view(&suite, by, Layout::Sides);
            let headings = headings(&table);
            for row in &table.rows {
                let sum = |names: &[&str]| -> u64 {
                    let is_wanted = |(heading, _): &(&&str, &String)| names.contains(*heading);
                    let cells = headings.iter().zip(row).filter(is_wanted);
                    cells.map(|(_, cell)| cell.parse::<u64>().unwrap()).sum()
                };
                prop_assert_eq!(sum(&["a only", "b only", "either", "both", "not executed"]), sum(&["sites"]));
                prop_assert_eq!(sum(&["a only", "b only", "either"]), sum(&["MC sites"]));
            }
        }
    }

    /// Files and functions partition the code: their results add up to that of the whole.
    #[test]
    fn results_of_files_and_functions_add_up_to_the_total(pairs in any_pairs()) {
        let suite = suite(two_files(), Operation::Xor, &pairs);
        let result = |by| -> u64 {
            let table = view(&suite, by, Layout::Sides);
            let at = headings(&table).iter().position(|heading| *heading == "MC sites").unwrap();
            table.rows.iter().map(|row| row[at].parse::<u64>().unwrap()).sum()
        };
        prop_assert_eq!(result(By::File), result(By::Total));
        prop_assert_eq!(result(By::Function), result(By::Total));
    }

    #[test]
    fn thousands_are_groups_of_three_digits(number in any::<u64>()) {
        let text = thousands(number);
        prop_assert_eq!(text.replace(',', "").parse::<u64>().unwrap(), number);
        let groups: Vec<&str> = text.split(',').collect();
        prop_assert!((1..=3).contains(&groups[0].len()));
        prop_assert!(groups[1..].iter().all(|group| group.len() == 3));
    }

    /// Any text may be in a cell: a row is one line, and can be read back.
    #[test]
    fn markdown_rows_are_one_line_each_and_read_back(cells in prop::collection::vec("[ -~à數]{0,12}", 1..6)) {
        let columns = vec![Column::word("name"), Column::number("count").emphasized()];
        let rows = cells.iter().map(|cell| vec![cell.clone(), "1".to_owned()]).collect();
        let text = Table { columns, rows }.to_markdown();
        let lines: Vec<&str> = text.lines().collect();
        prop_assert_eq!(lines.len(), cells.len() + 2);
        for (line, cell) in lines[2..].iter().zip(&cells) {
            let mut read = String::new();
            let mut letters = line["| ".len()..].chars();
            while let Some(letter) = letters.next() {
                match letter {
                    '\\' => read.extend(letters.next()),
                    '|' => break,
                    letter => {
                        prop_assert!(!"`*_<>[]#~&".contains(letter), "{line} has markup");
                        read.push(letter);
                    }
                }
            }
            prop_assert_eq!(read, format!("{cell} "));
            prop_assert_eq!(letters.as_str(), " **1** |");
        }
    }
}

fn one_pair() -> Vec<Pair> {
    vec![Pair::ran("swap", &[1, 2, 3], &[1, 2, 4])]
}

#[test]
fn a_single_pair_has_no_column_of_pairs() {
    let suite = suite(Program::of_lines(1..=5), Operation::Xor, &one_pair());
    insta::assert_snapshot!(view(&suite, By::Total, Layout::Sides).to_terminal(false), @"
    criterion   sites   a only   b only   both   not executed   MC sites        MC    MC/Cov
    line            5        1        1      2              1          2   40.00 %   50.00 %
    ");
}

#[test]
fn relations_have_their_pairs_their_failures_and_a_row_for_all() {
    let pairs = [
        Pair::ran("swap", &[1, 2, 3], &[1, 2, 4]),
        Pair::ran("shift", &[1, 2, 4], &[1, 2, 3]),
        Pair::ran("shift", &[1, 5], &[1]),
        Pair::failed("shift", Failure::TimedOut, ""),
    ];
    let suite = suite(Program::of_lines(1..=1200), Operation::Xor, &pairs);
    insta::assert_snapshot!(view(&suite, By::Relation, Layout::Sides).to_terminal(false), @"
    relation   pairs   timed out   criterion   sites   a only   b only   either   both   not executed   MC sites       MC    MC/Cov
    shift          2           1   line        1,200        2        1        0      2          1,195          3   0.25 %   60.00 %
    swap           1           0   line        1,200        1        1        0      2          1,196          2   0.17 %   50.00 %
    all            3           1   line        1,200        1        0        2      2          1,195          3   0.25 %   60.00 %
    ");
    insta::assert_snapshot!(view(&suite, By::Relation, Layout::Shares).to_markdown(), @"
    | relation | pairs | timed out | criterion | sites | executed | Cov | MC sites | MC | MC/Cov |
    |---|---:|---:|---|---:|---:|---:|---:|---:|---:|
    | shift | 2 | 1 | line | 1,200 | 5 | 0.42 % | **3** | 0.25 % | 60.00 % |
    | swap | 1 | 0 | line | 1,200 | 4 | 0.33 % | **2** | 0.17 % | 50.00 % |
    | all | 3 | 1 | line | 1,200 | 5 | 0.42 % | **3** | 0.25 % | 60.00 % |
    ");
}

#[test]
fn a_relation_of_failures_only_has_a_row_of_zeros() {
    let pairs = [Pair::ran("swap", &[1], &[2]), Pair::failed("other", Failure::Crashed, "")];
    let suite = suite(Program::of_lines(1..=4), Operation::Xor, &pairs);
    let table = view(&suite, By::Relation, Layout::Shares);
    assert_eq!(headings(&table)[..3], ["relation", "pairs", "crashed"]);
    assert_eq!(
        table.rows[0],
        ["other", "0", "1", "line", "4", "0", "0.00 %", "0", "0.00 %", "-"],
        "what ran is nothing, so there is no share of it"
    );
}

#[test]
fn shares_of_unlisted_code_are_unknown() {
    let mut program = Program::of_lines(1..=5);
    program.table.set_partial(Criterion::Line);
    let suite = suite(program, Operation::Xor, &one_pair());
    let cells = |layout| view(&suite, By::Total, layout).rows.remove(0);
    assert_eq!(cells(Layout::Sides), ["line", "?", "1", "1", "2", "?", "2", "?", "50.00 %"]);
    assert_eq!(cells(Layout::Shares), ["line", "?", "4", "?", "2", "?", "50.00 %"]);
    let csv = csv_cells(&exported(&Csv, &suite, None), &["sites", "executed", "mc_sites"]);
    assert_eq!(csv, [["", "4", "2"]]);
}

#[test]
fn a_suite_without_pairs_has_headings_and_no_result() {
    let suite = suite(Program::of_lines(1..=5), Operation::Xor, &[]);
    for by in [By::Total, By::Relation, By::File, By::Function] {
        let table = view(&suite, by, Layout::Sides);
        assert!(table.rows.is_empty(), "no criterion is reported by all sides");
        assert_eq!(table.to_terminal(false).lines().count(), 1);
        assert_eq!(table.to_markdown().lines().count(), 2);
    }
    assert_eq!(exported(&Csv, &suite, None).lines().count(), 1);
}

#[test]
fn the_result_is_named_by_the_operation() {
    let headings_and_results = Operation::ALL.map(|operation| {
        let suite = suite(Program::of_lines(1..=5), operation, &one_pair());
        let table = view(&suite, By::Total, Layout::Shares);
        let at = table.columns.iter().position(|column| column.emphasis).unwrap();
        (table.columns[at].heading.to_string(), table.rows[0][at].clone())
    });
    let expected = [("MC sites", "2"), ("a - b", "1"), ("a & b", "2"), ("a | b", "4")];
    assert_eq!(
        headings_and_results,
        expected.map(|(name, count)| (name.to_owned(), count.to_owned()))
    );
}

#[test]
fn files_and_functions_are_ordered_by_their_results() {
    let program = two_files().file("c.c", [1]);
    let side = |a: &[u32], b: &[u32]| [lines("a.c", a), lines("b.c", b)].concat();
    let pairs = [Pair::of("swap", vec![side(&[1, 7], &[1, 2, 3]), side(&[1], &[])])];
    let suite = suite(program, Operation::Xor, &pairs);
    let names = |by| -> Vec<String> {
        let rows = view(&suite, by, Layout::Sides).rows;
        let lines = rows.into_iter().filter(|row| row.contains(&"line".to_owned()));
        lines.map(|row| row[..2].join(" ")).collect()
    };
    assert_eq!(names(By::File), ["b.c line", "a.c line"], "c.c has nothing of the result");
    assert_eq!(names(By::Function), ["(outside of functions) b.c", "second a.c:6"]);
}

#[test]
fn only_the_requested_criteria_are_shown() {
    let suite = suite(two_files(), Operation::Xor, &[Pair::ran("swap", &[1, 2, 3], &[1, 2, 4])]);
    let total = suite.total();
    let rows = |criteria: Criteria| -> Vec<String> {
        let view =
            View { suite: &suite, total: &total, criteria, by: By::Total, layout: Layout::Shares };
        table(&view).rows.into_iter().map(|row| row[0].clone()).collect()
    };
    assert_eq!(rows(suite.criteria()), ["line", "branch", "function"]);
    assert_eq!(rows(criteria(&[Criterion::Branch])), ["branch"]);
    assert!(rows(criteria(&[Criterion::Region])).is_empty(), "there are no regions");
}

#[test]
fn flaky_code_has_a_column_if_there_is_any() {
    let program = Program::of_lines(1..=5);
    let (a, mut b) = (program.reading(&lines("a.c", &[1])), program.reading(&lines("a.c", &[2])));
    b.repeat(&program.reading(&lines("a.c", &[2, 3])));
    let mut fold = SuiteFold::new(&program.table, Operation::Xor);
    fold.add("swap", Ok(&metacov_core::Group::new(vec![a, b]).unwrap()), None);
    let suite = fold.finish(program.table, false);
    let table = view(&suite, By::Total, Layout::Sides);
    assert_eq!(headings(&table).last(), Some(&"flaky"));
    assert_eq!(table.rows[0].last().unwrap(), "1");
}

#[test]
fn numbers_are_aligned_to_the_right() {
    let columns = vec![Column::word("名"), Column::number("n")];
    let row = |name: &str, number: &str| vec![name.to_owned(), number.to_owned()];
    let rows = vec![row("a", "1"), row("長い名前", "1,000"), row("", "20")];
    let text = Table { columns, rows }.to_terminal(false);
    let widths = text.lines().map(unicode_width::UnicodeWidthStr::width);
    assert_eq!(widths.collect::<Vec<_>>(), [16; 4], "{text}");
}

/// Names come from files of others, and terminals interpret what is printed.
#[test]
fn control_characters_of_names_reach_neither_terminal_nor_markdown() {
    let columns = vec![Column::word("file"), Column::number("n")];
    let rows = vec![vec!["a\x1b[31m\nb\t\u{9b}c".to_owned(), "7".to_owned()]];
    let table = Table { columns, rows };
    for text in [table.to_terminal(false), table.to_markdown()] {
        let controls: Vec<char> =
            text.chars().filter(|of| of.is_control() && *of != '\n').collect();
        assert_eq!(controls, [], "{text:?}");
    }
    assert_eq!(table.to_terminal(false).lines().count(), 2);
    assert_eq!(table.to_markdown().lines().count(), 3);
}
