//! `metacov locate --corpus`: tests the ranking on bugs whose fixes are known.

use std::path::Path;

use metacov_report::{Screen, suspects};
use metacov_study::conduct::{CorpusOptions, locate_corpus, read_corpus};

use super::Args;
use crate::cmd::with_context;
use crate::console::bar::PAIRS;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Outcome};

pub fn run(path: &Path, args: &Args, console: &Console) -> Outcome {
    let bugs = read_corpus(path)?;
    let progress = console.progress(bugs.len() as u64, PAIRS);
    let results = with_context(args.jobs, console, |context| {
        let (pairs, seed, variants) = (args.count(), args.seed(), args.variants);
        let on_bug = &|| progress.inc(1);
        locate_corpus(&bugs, &CorpusOptions { context, pairs, seed, variants, on_bug })
    })?;
    progress.finish_and_clear();
    let tables = suspects::of_corpus(&results);
    let texts = tables.map(|table| table.to_terminal(console.has_colors()));
    print(&texts.join("\n"))?;
    Ok(ExitCode::Success)
}
