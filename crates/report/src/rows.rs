//! What a suite has to say, as rows.

use metacov_core::{
    Criteria, Criterion, Failure, FunctionKey, Operation, Suite, Summaries, Summary, Symbol, Tally,
    by_file, by_function, total,
};

use crate::Table;
use crate::table::Column;

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The whole suite.
    Total,
    /// A relation; a last row for all of them if there are several.
    Relation,
    /// A file in which the result is not empty.
    File,
    /// A function in which the result is not empty.
    Function,
}

/// What a row tells of its sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Which side ran them: for two runs, and for places in the code.
    Sides,
    /// How many ran, and how many of those are in the difference: for relations.
    Shares,
}

/// What to show of a suite.
pub struct View<'s> {
    /// The suite.
    pub suite: &'s Suite,
    /// All its relations together.
    pub total: &'s Tally,
    /// The criteria to show.
    pub criteria: Criteria,
    /// What a row stands for.
    pub by: By,
    /// What a row tells.
    pub layout: Layout,
}

/// The table of a view. Rows of files and functions stand in the order of how much of the result
/// they hold.
pub fn table(view: &View<'_>) -> Table {
    let mut groups = groups(view);
    if matches!(view.by, By::File | By::Function) {
        groups.retain(|group| view.criteria.iter().any(|c| group.summaries[c].selected > 0));
        groups.sort_by_cached_key(|group| {
            let selected = |criterion| group.summaries[criterion].selected;
            std::cmp::Reverse(view.criteria.iter().map(selected).collect::<Vec<_>>())
        });
    }
    let has_either = view
        .criteria
        .iter()
        .any(|criterion| groups.iter().any(|group| group.summaries[criterion].either > 0));
    let has_flaky = !view.total.flaky.is_empty();
    let failures = failures(view);
    let of_pairs = matches!(view.by, By::Total | By::Relation);
    let has_pairs = of_pairs && (view.total.pairs > 1 || !failures.is_empty());
    let rows = groups.iter().flat_map(|group| {
        let told = |criterion: &Criterion| group.summaries[*criterion].sites > 0;
        let failures = &failures;
        view.criteria.iter().filter(told).map(move |criterion| {
            let partial = view.suite.table.partial().contains(criterion);
            let mut row = group.names.clone();
            row.extend(has_pairs.then(|| thousands(group.pairs)));
            row.extend(failures.iter().map(|failure| thousands(group.failed[*failure as usize])));
            row.push(criterion.name().to_owned());
            row.extend(match view.layout {
                Layout::Sides => sides(group.summaries[criterion], has_either, partial),
                Layout::Shares => shares(group.summaries[criterion], partial),
            });
            row.extend(has_flaky.then(|| thousands(group.summaries[criterion].flaky)));
            row
        })
    });
    let rows = rows.collect();
    let mut columns = columns(view, has_pairs, &failures, has_either);
    columns.extend(has_flaky.then(|| Column::number("flaky")));
    Table { columns, rows }
}

/// The sites that one row, or one row a criterion, stands for.
struct Group {
    names: Vec<String>,
    pairs: u64,
    failed: [u64; Failure::ALL.len()],
    summaries: Summaries,
}

/// The ways in which some pairs have failed, if rows are about pairs.
fn failures(view: &View<'_>) -> Vec<Failure> {
    let of_pairs = matches!(view.by, By::Total | By::Relation);
    let occurs = |failure: &Failure| of_pairs && view.total.failed(*failure) > 0;
    Failure::ALL.into_iter().filter(occurs).collect()
}

fn groups(view: &View<'_>) -> Vec<Group> {
    let (suite, table) = (view.suite, &view.suite.table);
    let whole = |names: Vec<String>, tally: &Tally| Group {
        names,
        pairs: tally.pairs,
        failed: Failure::ALL.map(|failure| tally.failed(failure)),
        summaries: total(table, tally),
    };
    match view.by {
        By::Total => vec![whole(Vec::new(), view.total)],
        By::Relation => {
            let relations = suite.relations.iter();
            let mut groups: Vec<Group> =
                relations.map(|(name, tally)| whole(vec![name.clone()], tally)).collect();
            if groups.len() > 1 {
                groups.push(whole(vec!["all".to_owned()], view.total));
            }
            groups
        }
        By::File => by_file(table, view.total)
            .into_iter()
            .map(|(file, summaries)| {
                let names = vec![table.path(file).to_owned()];
                Group { names, pairs: view.total.pairs, failed: Default::default(), summaries }
            })
            .collect(),
        By::Function => by_function(table, view.total)
            .into_iter()
            .map(|(FunctionKey { file, line, name }, summaries)| {
                let path = table.path(file);
                let names = match name {
                    Symbol::NONE => vec!["(outside of functions)".to_owned(), path.to_owned()],
                    name => vec![table.shown_name(name).to_owned(), format!("{path}:{line}")],
                };
                Group { names, pairs: view.total.pairs, failed: Default::default(), summaries }
            })
            .collect(),
    }
}

fn columns(
    view: &View<'_>,
    has_pairs: bool,
    failures: &[Failure],
    has_either: bool,
) -> Vec<Column> {
    let (word, number) = (Column::word, Column::number);
    let mut columns = match view.by {
        By::Total => Vec::new(),
        By::Relation => vec![word("relation")],
        By::File => vec![word("file")],
        By::Function => vec![word("function"), word("starts at")],
    };
    columns.extend(has_pairs.then(|| number("pairs")));
    columns.extend(failures.iter().map(|failure| number(failure.name())));
    columns.extend([word("criterion"), number("sites")]);
    match view.layout {
        Layout::Sides => {
            columns.extend([number("only a"), number("only b")]);
            columns.extend(has_either.then(|| number("either")));
            columns.extend([number("both"), number("neither")]);
        }
        Layout::Shares => columns.extend([number("executed"), number("Cov")]),
    }
    let result = match view.suite.operation {
        Operation::Xor => "difference",
        Operation::Sub => "a - b",
        Operation::And => "a & b",
        Operation::Or => "a | b",
    };
    columns.push(Column::number(result).emphasized());
    columns.extend(match view.layout {
        Layout::Sides => [number("of all"), number("of executed")],
        Layout::Shares => [number("MC"), number("MC/Cov")],
    });
    columns
}

/// The paper's numbers: `Cov` and `MC` in percent of all sites, and the checked share.
fn shares(summary: Summary, partial: bool) -> Vec<String> {
    let unless_partial = |text: String| if partial { "?".to_owned() } else { text };
    vec![
        unless_partial(thousands(summary.sites)),
        thousands(summary.executed()),
        unless_partial(percentage(summary.percent_executed())),
        thousands(summary.selected),
        unless_partial(percentage(summary.percent())),
        percentage(summary.percent_of_executed()),
    ]
}

fn sides(summary: Summary, has_either: bool, partial: bool) -> Vec<String> {
    let unless_partial = |text: String| if partial { "?".to_owned() } else { text };
    let mut numbers = vec![
        unless_partial(thousands(summary.sites)),
        thousands(summary.only_a),
        thousands(summary.only_b),
    ];
    numbers.extend(has_either.then(|| thousands(summary.either)));
    numbers.extend([
        thousands(summary.executed_alike),
        unless_partial(thousands(summary.not_executed())),
        thousands(summary.selected),
        unless_partial(percentage(summary.percent())),
        percentage(summary.percent_of_executed()),
    ]);
    numbers
}

pub(crate) fn percentage(percent: Option<f64>) -> String {
    percent.map_or("-".to_owned(), |percent| format!("{percent:.2} %"))
}

/// A number and what is counted: `1 line`, `2,000 lines`.
pub(crate) fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { several })
}

/// `12345` as `12,345`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
