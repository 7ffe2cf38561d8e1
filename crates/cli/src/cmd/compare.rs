//! `metacov compare`

mod groups;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use metacov_core::{Criteria, Criterion, Suite, Tally};
use metacov_report::{
    By, Layout, Table, View, comparison_csv, comparison_markdown, comparison_plot,
    comparison_reading, comparison_sheet, comparison_sizes, comparison_tables, html::Part, table,
};
use metacov_study::conduct::{RunGroups, name_groups, read_groups};
use metacov_study::{RunComparison, compare, side_by_side};

use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Unwritten, bail_usage};
use crate::output::{Output, write_whole};
use groups::Groups;

const EXAMPLES: &str = "\
Examples:
  metacov compare ours-*.metacov --criterion line                compare the relations of one method
  metacov compare ours-*.metacov --against theirs-*.metacov      compare two methods
  metacov compare before.metacov after.metacov --by function     what is new, what is lost?";

const ALL_EXAMPLES: &str = "\
Examples:
  Ten suites of one method: how good are its relations, and how much of that is chance?
    for seed in {1..10}; do metacov measure sqlite --seed $seed -o ours-$seed.metacov; done
    metacov compare ours-*.metacov --criterion line
  Two methods, or more:
    metacov compare ours-*.metacov --against theirs-*.metacov --against others/
  Which MC sites has only one of two runs, and where?
    metacov compare before.metacov after.metacov
    metacov compare before.metacov after.metacov --by function --criterion line
  Tables and figures for a paper:
    metacov compare ours-*.metacov -o table.md -o numbers.csv -o boxes.svg";

const MORE: &str = "\
The table:
  Cov, MC         coverage and metamorphic coverage in percent of all sites, mean over suites
  sd, CV          standard deviation of MC over suites, and its share of the mean
  95 % interval   of the mean of MC: percentile bootstrap, 10,000 draws from a fixed seed
  A12, effect     Vargha and Delaney's effect size: from 0.56 small, 0.64 medium, 0.71 large
  p               Mann and Whitney's U test, two-sided, exact up to 50 suites in all
  p (Holm)        the same, corrected for all comparisons of the table

With --against, all groups are compared with the first; without it, relations are compared with the one with the highest MC.";

/// Compare suites: means, spread, effect sizes, significance.
///
/// A suite is a run file, such as `metacov measure -o RUN.metacov` writes. The suites of a group differ in their seeds only.
/// Two files are two groups of one suite each. For two groups of one build, a second table shows the MC sites that
/// only one of them has.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, before_long_help = ALL_EXAMPLES, after_long_help = MORE)]
pub struct Args {
    #[command(flatten)]
    groups: Groups,
    /// Relations to compare [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    relation: Vec<String>,
    /// What to count: line, branch, function, region, block.
    #[arg(long, value_name = "CRITERIA", value_delimiter = ',')]
    criterion: Vec<Criterion>,
    /// Rows of the second table [default: relation].
    ///
    /// It shows, for two groups of one build, the MC sites that only one of them has.
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<Rows>,
    /// Write the comparison to a file: .md, .html, .csv or .svg; repeatable.
    ///
    /// `.csv` has all numbers, `.svg` is a box plot. `-` is standard output, as CSV.
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
}

/// The heading of the second table, for two groups of one build.
const ONLY_ONE: &str = "Which MC sites has only one of them?";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rows {
    /// A row for each file.
    File,
    /// A row for each function.
    Function,
    /// A row for each relation.
    Relation,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Markdown,
    Html,
    Csv,
    Svg,
}

pub fn run(args: Args, console: &Console) -> anyhow::Result<ExitCode> {
    let outputs =
        args.output.iter().map(|path| output(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let on_message = |message| console.message(message);
    let named = name_groups(args.groups.0)?;
    let RunGroups { groups, mc_sites } = read_groups(named, &args.relation, &on_message)?;
    let criteria: Criteria = match &*args.criterion {
        [] => Criteria::all(),
        asked => asked.iter().copied().collect(),
    };
    let comparison = compare(&groups, criteria);
    let Some(first) = comparison.rows.first() else {
        bail_usage!(
            "nothing to compare: the runs do not list all code for {criteria}; choose another \
             --criterion"
        );
    };
    let plotted = first.criterion;
    if let Some(warning) = comparison_sizes(&comparison) {
        console.warning(&warning);
    }
    let sets = match &*mc_sites {
        [first, second] => match side_by_side(first, second) {
            Ok(sets) => Some(sets),
            Err(mismatch) => {
                console.note(&format!("MC sites of only one group are not shown: {mismatch}"));
                None
            }
        },
        _ => None,
    };
    if args.by.is_some() && sets.is_none() {
        bail_usage!(
            "--by needs two groups of one build: it shows the MC sites that only one of them has"
        );
    }
    let by = args.by.unwrap_or(Rows::Relation);
    let sets = sets.as_ref().map(|(suite, total)| sets_table(suite, total, criteria, by));
    if !outputs.iter().any(|(output, _)| *output == Output::Stdout) {
        show(&comparison, sets.as_ref(), console)?;
    }
    let plot = args.output.iter().find(|path| path.extension().is_some_and(|of| of == "svg"));
    let plot = plot.and_then(|path| path.file_name()?.to_str());
    for (output, format) in &outputs {
        let mut text = match format {
            Format::Csv => comparison_csv(&comparison),
            Format::Svg => comparison_plot(&comparison, plotted),
            Format::Markdown => comparison_markdown(&comparison, plot),
            Format::Html => page(&comparison, plotted, sets.as_ref()),
        };
        if let (Format::Markdown, Some(sets)) = (format, &sets) {
            let _ = write!(text, "\n### {ONLY_ONE}\n\n{}", sets.to_markdown());
            let _ = writeln!(text, "\n{}", sides(&comparison));
        }
        write_whole(output, |out| out.write_all(text.as_bytes())).map_err(Unwritten)?;
        console.detail(|| format!("wrote {}", output.name()));
    }
    Ok(ExitCode::Success)
}

/// Formats everything as a page.
fn page(comparison: &RunComparison, plotted: Criterion, sets: Option<&Table>) -> String {
    let mut sheet = comparison_sheet(comparison, plotted);
    if let Some(sets) = sets {
        sheet.parts.push(Part::Heading(ONLY_ONE.to_owned()));
        sheet.parts.push(Part::Table(sets.clone()));
        sheet.parts.push(Part::Text(sides(comparison)));
    }
    sheet.to_html()
}

fn show(comparison: &RunComparison, sets: Option<&Table>, console: &Console) -> anyhow::Result<()> {
    let color = console.colors_output();
    let (suites, sensitivities) = comparison_tables(comparison);
    let mut text = suites.to_terminal(color);
    if let Some(sensitivities) = sensitivities {
        text.push_str("\nHow well does it tell relations apart?\n");
        text.push_str(&sensitivities.to_terminal(color));
    }
    if let Some(sets) = sets {
        let _ = write!(text, "\n{ONLY_ONE}\n{}", sets.to_terminal(color));
    }
    print(&text)?;
    console.note(&comparison_reading(comparison));
    if sets.is_some() {
        console.note(&sides(comparison));
    }
    Ok(())
}

fn sides(comparison: &RunComparison) -> String {
    let names = &comparison.groups;
    format!("a is {}, b is {}: MC sites of any of their suites", names[0], names[1])
}

fn sets_table(suite: &Suite, total: &Tally, criteria: Criteria, by: Rows) -> Table {
    let by = match by {
        Rows::File => By::File,
        Rows::Function => By::Function,
        Rows::Relation => By::Relation,
    };
    let criteria = criteria.intersection(suite.criteria());
    table(&View { suite, total, criteria, by, layout: Layout::Sets })
}

fn output(path: &Path) -> anyhow::Result<(Output, Format)> {
    if path.as_os_str() == "-" {
        return Ok((Output::Stdout, Format::Csv));
    }
    let output = Output::File(path.to_owned());
    let format = match output.extension() {
        Some("md" | "markdown") => Format::Markdown,
        Some("html") => Format::Html,
        Some("csv") => Format::Csv,
        Some("svg") => Format::Svg,
        _ => bail_usage!(
            "{}: unknown ending; a comparison is written as .md, .html, .csv or .svg",
            path.display()
        ),
    };
    Ok((output, format))
}
