//! The rows of a suite.

use metacov_core::{
    Criteria, Criterion, Failure, FunctionKey, Operation, Suite, Summaries, Summary, Symbol, Tally,
    by_file, by_function, thousands, total,
};

use crate::Table;
use crate::table::Column;

/// What a row represents.
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

/// What a row shows about its sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Which side ran them: for two runs, and for places in the code.
    Sides,
    /// How many ran, and how many of those are MC sites: for relations.
    Shares,
    /// Which of two sets they are in, for suites whose sides are the MC sites of other suites.
    Sets,
}

/// What to show of a suite.
pub struct View<'s> {
    /// The suite.
    pub suite: &'s Suite,
    /// All its relations together.
    pub total: &'s Tally,
    /// The criteria to show.
    pub criteria: Criteria,
    /// What a row represents.
    pub by: By,
    /// What a row shows.
    pub layout: Layout,
}

/// Returns the table of a view. Rows of files and functions are ordered by the size of their
/// result.
pub fn table(view: &View<'_>) -> Table {
    let mut groups = groups(view);
    if matches!(view.by, By::File | By::Function) {
        groups.retain(|group| view.criteria.iter().any(|c| group.summaries[c].result > 0));
        groups.sort_by_cached_key(|group| {
            let result = |criterion| group.summaries[criterion].result;
            std::cmp::Reverse(view.criteria.iter().map(result).collect::<Vec<_>>())
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
        let is_reported = |criterion: &Criterion| group.summaries[*criterion].sites > 0;
        let failures = &failures;
        view.criteria.iter().filter(is_reported).map(move |criterion| {
            let partial = view.suite.table.partial().contains(criterion);
            let mut row = group.names.clone();
            row.extend(has_pairs.then(|| thousands(group.pairs)));
            row.extend(failures.iter().map(|failure| thousands(group.failed[*failure as usize])));
            row.push(criterion.name().to_owned());
            row.extend(match view.layout {
                Layout::Sides => sides(group.summaries[criterion], has_either, partial),
                Layout::Shares => shares(group.summaries[criterion], partial),
                Layout::Sets => sets(group.summaries[criterion], partial),
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

/// The sites of one row, or of one row for each criterion.
struct Group {
    names: Vec<String>,
    pairs: u64,
    failed: [u64; Failure::ALL.len()],
    summaries: Summaries,
}

/// The kinds of failures that occurred, if rows are about pairs.
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
            columns.extend([number("a only"), number("b only")]);
            columns.extend(has_either.then(|| number("either")));
            columns.extend([number("both"), number("not executed")]);
        }
        Layout::Shares => columns.extend([number("executed"), number("Cov")]),
        Layout::Sets => {
            columns.extend([number("a only"), number("b only"), number("both")]);
            return columns;
        }
    }
    // Only the difference is metamorphic coverage.
    let [result, of_sites, of_executed] = match view.suite.operation {
        Operation::Xor => ["MC sites", "MC", "MC/Cov"],
        Operation::Sub => ["a - b", "of sites", "of executed"],
        Operation::And => ["a & b", "of sites", "of executed"],
        Operation::Or => ["a | b", "of sites", "of executed"],
    };
    columns.extend([number(result).emphasized(), number(of_sites), number(of_executed)]);
    columns
}

/// The paper's numbers: `Cov` and `MC` in percent of all sites, and `MC/Cov`.
fn shares(summary: Summary, partial: bool) -> Vec<String> {
    let unless_partial = |text: String| if partial { "?".to_owned() } else { text };
    vec![
        unless_partial(thousands(summary.sites)),
        thousands(summary.executed()),
        unless_partial(percentage(summary.cov())),
        thousands(summary.result),
        unless_partial(percentage(summary.result_of_sites())),
        percentage(summary.result_of_executed()),
    ]
}

fn sides(summary: Summary, has_either: bool, partial: bool) -> Vec<String> {
    let unless_partial = |text: String| if partial { "?".to_owned() } else { text };
    let mut numbers = vec![
        unless_partial(thousands(summary.sites)),
        thousands(summary.a_only),
        thousands(summary.b_only),
    ];
    numbers.extend(has_either.then(|| thousands(summary.either)));
    numbers.extend([
        thousands(summary.both),
        unless_partial(thousands(summary.not_executed())),
        thousands(summary.result),
        unless_partial(percentage(summary.result_of_sites())),
        percentage(summary.result_of_executed()),
    ]);
    numbers
}

fn sets(summary: Summary, partial: bool) -> Vec<String> {
    let sites = if partial { "?".to_owned() } else { thousands(summary.sites) };
    vec![sites, thousands(summary.a_only), thousands(summary.b_only), thousands(summary.both)]
}

pub(crate) fn percentage(percent: Option<f64>) -> String {
    percent.map_or("-".to_owned(), |percent| format!("{percent:.2} %"))
}
