//! `metacov pair`

use std::num::NonZero;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use metacov_report::{FullPair, PAIR_VERDICTS, PairFilter, PairIndex, Screen};
use metacov_store::Run;
use regex::bytes::Regex;

use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Outcome, bail_usage};

const EXAMPLES: &str = "\
Examples:
  metacov pair run.metacov                               list pairs, violated and failed ones first
  metacov pair run.metacov --verdict violated,crashed    only these
  metacov pair run.metacov --text 'GROUP BY'             pairs whose inputs contain a text
  metacov pair run.metacov norec/17                      show one pair in full";

const MORE: &str = "\
A pair in full: its verdict and judge, the setup, the inputs of its sides, their outputs if it is violated or failed, the lines that only one of them runs, and a command that runs it again.";

/// List the pairs of a run file, or show one of them in full.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// Run file.
    #[arg(value_name = "RUN.metacov")]
    run: PathBuf,
    /// Pair to show [default: list the pairs].
    #[arg(value_name = "RELATION/NAME")]
    pair: Option<String>,
    /// List pairs of these relations.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "pair")]
    relation: Vec<String>,
    /// List pairs that ended like this.
    #[arg(long, value_name = "VERDICTS", value_delimiter = ',', conflicts_with = "pair")]
    #[arg(value_parser = PossibleValuesParser::new(PAIR_VERDICTS.map(|(name, _)| name)))]
    verdict: Vec<String>,
    /// List pairs with an input that matches this regular expression.
    #[arg(long, value_name = "REGEX", conflicts_with = "pair")]
    text: Option<Regex>,
    /// Number of pairs to list.
    #[arg(long, value_name = "N", default_value = "20", conflicts_with = "pair")]
    limit: NonZero<usize>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args, console: &Console) -> Outcome {
    let run = Run::open(&args.run)?;
    if let Some(name) = &args.pair {
        let Some(stored) = run.find(name)? else {
            bail_usage!(
                "{}: no pair `{name}` (metacov pair {} lists them)",
                run.name,
                args.run.display()
            );
        };
        let pair = FullPair::of(&run, &stored)?;
        print(&if args.json { pair.to_json() } else { pair.to_terminal() })?;
        return Ok(ExitCode::Success);
    }
    let limit = args.limit.get();
    let filter = PairFilter { relations: args.relation, verdicts: args.verdict, text: args.text };
    let index = PairIndex::of(&run, &filter)?;
    if args.json {
        print(&index.to_json(limit))?;
    } else {
        let table = index.table(limit);
        if !table.rows.is_empty() {
            console.print_table(&table)?;
        }
        if let Some(note) = index.note(limit) {
            console.note(&note);
        }
    }
    Ok(ExitCode::Success)
}
