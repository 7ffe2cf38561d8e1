//! Studies of campaigns as tables: the paper's Q.4.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use metacov_core::thousands;
use metacov_study::stats::magnitude;
use metacov_study::{BUGS_BY_GUIDANCE, CampaignResults, GuidanceRow, TrialOutcome};

use crate::comparison::{probability, unknown};
use crate::csv::line;
use crate::study::{Report, Section};
use crate::svg::{Curves, Labels, Series};
use crate::{Column, Table};

/// Reports the results of a study of campaigns.
pub fn campaigns_report(results: &CampaignResults) -> Report {
    let beside = "Beside the paper's Q.4: the mean number of bugs in 24 hours, over 11 pairs of a relation and a \
                  program (SQLite and DuckDB), another generator."
        .to_owned();
    let plan = &results.plan;
    let groups: Vec<&[GuidanceRow]> =
        results.rows.chunk_by(GuidanceRow::is_of_same_table).collect();
    let sections = groups.iter().map(|rows| section(results, rows)).collect();
    let figures = groups.iter().map(|rows| figure(rows)).collect();
    let numbers = BTreeMap::from([
        ("campaigns.csv".to_owned(), trials_csv(results)),
        ("bugs.csv".to_owned(), bugs_csv(results)),
        ("times.csv".to_owned(), times_csv(results)),
    ]);
    Report {
        title: plan.title.clone(),
        beside: plan.beside_paper.then(|| (beside, plan.differs.clone())),
        sections,
        figures,
        numbers,
    }
}

/// A section for the guidances of one engine and set of relations.
fn section(results: &CampaignResults, rows: &[GuidanceRow]) -> Section {
    let number = Column::number;
    let mut columns = vec![Column::word("guidance"), number("trials")];
    columns.push(number("bugs").emphasized());
    columns.extend(["sd", "of all", "groups", "A12", "p", "p (Holm)"].map(number));
    if results.plan.beside_paper {
        columns.push(number("bugs, paper"));
    }
    columns.extend(["violations", "MC edges", "MC lines", "plans", "pairs"].map(number));
    columns.push(number("checks/CPU s"));
    let cells = rows.iter().map(|row| {
        let bugs = |trial: &TrialOutcome| real(trial.bugs().len() as u64);
        let mut cells = vec![row.guidance.clone(), row.trials.len().to_string()];
        cells.push(row.mean(bugs).map_or_else(unknown, |mean| format!("{mean:.1}")));
        cells.push(row.deviation(bugs).map_or_else(unknown, |of| format!("{of:.1}")));
        cells.push(thousands(row.bugs_of_all()));
        let groups = row.mean(|trial| real(trial.groups.len() as u64));
        cells.push(groups.map_or_else(unknown, |mean| format!("{mean:.1}")));
        cells.extend(match row.against {
            Some(rival) => {
                [format!("{:.2}", rival.a12), probability(rival.test.p), probability(rival.p_holm)]
            }
            None => [unknown(), unknown(), unknown()],
        });
        if results.plan.beside_paper {
            let paper = BUGS_BY_GUIDANCE.iter().find(|(name, _)| *name == row.guidance);
            cells.push(paper.map_or_else(unknown, |(_, bugs)| format!("{bugs:.1}")));
        }
        cells.push(whole(row.mean(|trial| real(trial.violations))));
        let observed = |of: fn(&metacov_study::Observed) -> u64| {
            whole(row.mean_if_known(|trial| trial.observed.as_ref().map(of)))
        };
        cells.push(observed(|of| of.differing));
        cells.push(observed(|of| of.lines));
        cells.push(observed(|of| of.plans));
        cells.push(whole(row.mean(|trial| real(trial.pairs))));
        cells.push(whole(row.checks_per_second()));
        cells
    });
    let table = Table { rows: cells.collect(), columns };
    let (engine, relations) = (&rows[0].engine, &rows[0].relations);
    let title =
        format!("Q4: guidances, {engine}, relations: {relations}, {} each", results.plan.budget());
    Section { title, table: Some(table), text: reading(results, rows) }
}

/// How to read the table, and what it shows.
fn reading(results: &CampaignResults, rows: &[GuidanceRow]) -> String {
    let mut text = "Means over trials: distinct bugs (families of groups of reduced findings: docs/fuzzing.md), their \
                    standard deviation, and those of all trials together; groups; A12 is how likely a trial finds more \
                    than a trial of `mix` does (0.5: no difference), p whether that is chance (Mann and Whitney), and p \
                    (Holm) the same, corrected for the comparisons of the table."
        .to_owned();
    for row in rows {
        let Some(rival) = row.against else { continue };
        let verdict = if rival.p_holm < 0.05 { "is hardly chance" } else { "may be chance" };
        let size = magnitude(rival.a12).name();
        let bugs = match rival.a12.total_cmp(&0.5) {
            Ordering::Less => "fewer bugs than",
            Ordering::Equal => "as many bugs as",
            Ordering::Greater => "more bugs than",
        };
        let _ = write!(
            text,
            " A trial of {} tends to find {bugs} one of mix: a {size} difference, which {verdict}.",
            row.guidance
        );
    }
    if results.plan.observe {
        text.push_str(
            " The pairs of all trials were run once more to look at MC and plans, which is not in their time. MC lines \
             are those of the pairs that were kept for new edges.",
        );
    }
    if results.plan.beside_paper {
        text.push_str(
            " The paper's numbers are of 24 hours, other versions and another generator.",
        );
    }
    text
}

/// Bugs over pairs.
fn figure(rows: &[GuidanceRow]) -> (String, String) {
    let (engine, relations) = (&rows[0].engine, &rows[0].relations);
    let name = format!("{engine}-{relations}-bugs");
    let name = name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let labels = Labels {
        title: format!("Bugs that campaigns find, {engine}, relations: {relations}"),
        x: "pairs".to_owned(),
        y: "distinct bugs, mean over trials".to_owned(),
    };
    let series = |row: &GuidanceRow| Series { name: row.guidance.clone(), points: steps(row) };
    let series = rows.iter().map(series).collect();
    (name + ".svg", Curves { labels, series, logarithmic: false }.to_svg())
}

/// The curve of a guidance, constant between the points at which something was found.
fn steps(row: &GuidanceRow) -> Vec<(f64, f64)> {
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for (pairs, bugs) in row.curve() {
        steps.extend(steps.last().map(|last| (pairs, last.1)));
        steps.push((pairs, bugs));
    }
    steps
}

const TRIAL: [&str; 6] = ["trial", "engine", "build", "relations", "guidance", "seed"];

fn trial_cells(of: &TrialOutcome) -> Vec<String> {
    let (trial, seed) = (&of.trial, of.trial.seed.to_string());
    let words = [&of.id, &trial.engine, &of.build, &trial.relations, &trial.guidance, &seed];
    words.map(Clone::clone).to_vec()
}

fn headings(more: &[&str]) -> String {
    line(&TRIAL.iter().chain(more).map(ToString::to_string).collect::<Vec<_>>())
}

/// A line for each trial. It contains no times, so that the same trials give the same file.
fn trials_csv(results: &CampaignResults) -> String {
    let more = [
        "pairs",
        "checks",
        "violations",
        "bugs",
        "groups",
        "mc_edges",
        "edges",
        "mc_lines",
        "plans",
    ];
    let mut text = headings(&more);
    for of in &results.trials {
        let mut cells = trial_cells(of);
        let numbers =
            [of.pairs, of.checks, of.violations, of.bugs().len() as u64, of.groups.len() as u64];
        cells.extend(numbers.map(|number| number.to_string()));
        cells.extend(match of.observed {
            Some(of) => {
                [of.differing, of.executed, of.lines, of.plans].map(|number| number.to_string())
            }
            None => [const { String::new() }; 4],
        });
        text.push_str(&line(&cells));
    }
    text
}

/// A line for each group of findings of each trial.
fn bugs_csv(results: &CampaignResults) -> String {
    let mut text = headings(&["group", "pairs"]);
    for of in &results.trials {
        for (group, pairs) in &of.groups {
            let mut cells = trial_cells(of);
            cells.extend([group.clone(), pairs.to_string()]);
            text.push_str(&line(&cells));
        }
    }
    text
}

/// A line for each trial.
fn times_csv(results: &CampaignResults) -> String {
    let mut text = headings(&["seconds", "processor_seconds"]);
    for of in &results.trials {
        let mut cells = trial_cells(of);
        cells.extend([of.time.wall, of.time.processor].map(|seconds| format!("{seconds:.2}")));
        text.push_str(&line(&cells));
    }
    text
}

fn whole(mean: Option<f64>) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "means of counts")]
    mean.map_or_else(unknown, |mean| thousands(mean.round() as u64))
}

#[expect(clippy::cast_precision_loss, reason = "counts are under 2^52")]
fn real(count: u64) -> f64 {
    count as f64
}
