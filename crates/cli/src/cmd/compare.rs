//! `metacov compare`

mod groups;

use std::path::{Path, PathBuf};

use metacov_core::{Criteria, Criterion};
use metacov_report::{By, Compared, ComparedFormat, Output, Screen, comparison_sizes, write_text};
use metacov_run::RunError;
use metacov_study::conduct::{RunGroups, name_groups, read_groups};
use metacov_study::{compare, side_by_side};

use crate::args::choice::choice;
use crate::args::output::ROWS;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Outcome, bail_usage};
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
    #[arg(long, value_name = "WHAT", value_parser = choice(ROWS))]
    by: Option<By>,
    /// Write the comparison to a file: .md, .html, .csv or .svg; repeatable.
    ///
    /// `.csv` has all numbers, `.svg` is a box plot. `-` is standard output, as CSV.
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
}

pub fn run(args: Args, console: &Console) -> Outcome {
    let outputs = args.output.iter().map(|path| output(path)).collect::<Result<Vec<_>, _>>()?;
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
    let by = args.by.unwrap_or(By::Relation);
    let sets = sets.map(|sets| Compared::sets(&sets, criteria, by));
    let compared = Compared { comparison: &comparison, plotted: first.criterion, sets };
    if !outputs.iter().any(|(output, _)| *output == Output::Stdout) {
        print(&compared.to_terminal(console.has_colors()))?;
        compared.notes().iter().for_each(|note| console.note(note));
    }
    let plot = args.output.iter().find(|path| path.extension().is_some_and(|of| of == "svg"));
    let plot = plot.and_then(|path| path.file_name()?.to_str());
    for (output, format) in &outputs {
        write_text(output, &compared.format(*format, plot))?;
        console.detail(|| format!("wrote {}", output.name()));
    }
    Ok(ExitCode::Success)
}

fn output(path: &Path) -> Result<(Output, ComparedFormat), RunError> {
    let output = Output::of(path);
    let format = match &output {
        Output::Stdout => Some(ComparedFormat::Csv),
        Output::File(_) => output.extension().and_then(ComparedFormat::of_extension),
    };
    let Some(format) = format else {
        bail_usage!(
            "{}: unknown ending; a comparison is written as .md, .html, .csv or .svg",
            path.display()
        );
    };
    Ok((output, format))
}
