//! `metacov locate --corpus`: tests the ranking on bugs whose fixes are known.

use std::path::Path;

use metacov_report::{Screen, suspects};
use metacov_study::conduct::{CorpusOptions, locate_corpus, read_corpus};
use metacov_study::locate::{Found, shares};

use super::Args;
use crate::cmd::{target, workers};
use crate::console::bar::PAIRS;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Outcome};
use crate::signals::interrupted;

pub fn run(path: &Path, args: &Args, console: &Console) -> Outcome {
    let bugs = read_corpus(path)?;
    let progress = console.progress(bugs.len() as u64, PAIRS);
    let results = locate_corpus(
        &bugs,
        &CorpusOptions {
            targets: &target::list(),
            pairs: args.count(),
            seed: args.seed(),
            variants: args.variants,
            workers: workers(args.jobs),
            interrupted: &*interrupted()?,
            on_bug: &|| progress.inc(1),
            on_message: &|message| console.message(message),
        },
    )?;
    progress.finish_and_clear();
    let of = |formula: usize, from: usize, step: usize| {
        let places: Vec<Found> =
            results.iter().skip(from).step_by(step).map(|(_, places)| places[formula]).collect();
        shares(&places)
    };
    let rows = [
        ("suspicion", of(0, 0, 1)),
        ("  1st, 3rd, 5th ... bug", of(0, 0, 2)),
        ("  2nd, 4th, 6th ... bug", of(0, 1, 2)),
        ("plain coverage (Ochiai)", of(1, 0, 1)),
        ("  without passing pairs", of(2, 0, 1)),
    ];
    let tables = [suspects::found(&results), suspects::shares(&rows)];
    let texts = tables.map(|table| table.to_terminal(console.has_colors()));
    print(&texts.join("\n"))?;
    Ok(ExitCode::Success)
}
