//! `metacov study bugs`: whether coverage grows with the number of bugs.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use anyhow::bail;
use metacov_campaign::{CaseBatch, CaseRunner};
use metacov_report::correlations;
use metacov_study::corpus::Bug;
use metacov_study::{
    BUGS_MIN, BugCorrelation, BugCovers, FileVersion, KnownBugs, MeasuredBugs, Program,
};

use crate::cmd::locate_corpus::read;
use crate::cmd::overlap::of_corpus;
use crate::cmd::scene::Stage;
use crate::cmd::target::engine_on_demand;
use crate::exit_code::{ExitCode, Unwritten};
use crate::output::{Output, write_whole};
use crate::talk::{Console, print};

/// Whether coverage grows with the number of bugs: random sets of known bugs.
#[derive(clap::Args)]
pub struct Args {
    /// Known bugs, each with the pair that shows it (docs/corpus.md draws the file).
    #[arg(value_name = "CORPUS.json")]
    corpus: PathBuf,
    /// The engine that all pairs are run on, whatever versions have the bugs: coverage of different
    /// versions cannot be united.
    #[arg(long, value_name = "ENGINE", default_value = "sqlite@3.29.0")]
    target: String,
    /// Write a figure: all sets, by their number of bugs.
    #[arg(short, long, value_name = "FILE.svg")]
    output: Option<PathBuf>,
    /// How many workers [default: as many as processors].
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
}

pub fn run(args: &Args, talk: &Console) -> anyhow::Result<ExitCode> {
    let corpus = read(&args.corpus)?;
    let found = match correlated(&corpus, &args.target, args.jobs, talk)? {
        Ok(found) => found,
        Err(bugs) => bail!("{bugs} bugs are too few for a correlation"),
    };
    let paper = Program::find("SQLite");
    print(&correlations::table(&found.found, paper).to_terminal(talk.colors_output()))?;
    talk.note(&format!("{}; the paper has other bugs", correlations::sets(&found)));
    if let Some(path) = &args.output {
        let text = correlations::figure(&found);
        let output = Output::File(path.clone());
        write_whole(&output, |out| out.write_all(text.as_bytes())).map_err(Unwritten)?;
    }
    Ok(ExitCode::Success)
}

/// All that a study asks of known bugs. The versions that have them are built if need be.
pub fn known_bugs(
    path: &Path,
    engine: &str,
    jobs: Option<NonZero<usize>>,
    talk: &Console,
) -> anyhow::Result<KnownBugs> {
    let corpus = read(path)?;
    let versions: BTreeSet<&str> = corpus.iter().map(|bug| bug.version.as_str()).collect();
    for version in versions {
        engine_on_demand(&format!("sqlite@{version}"), talk)?;
    }
    let (overlaps, left_out) = of_corpus(&corpus, jobs, talk)?;
    let correlation =
        if corpus.len() < BUGS_MIN { None } else { correlated(&corpus, engine, jobs, talk)?.ok() };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(KnownBugs { version: FileVersion, corpus: name, overlaps, left_out, correlation })
}

/// How coverage goes with the number of bugs; or how many bugs there are, if these are too few.
fn correlated(
    corpus: &[Bug],
    engine: &str,
    jobs: Option<NonZero<usize>>,
    talk: &Console,
) -> anyhow::Result<Result<BugCorrelation, usize>> {
    let measured = measured(corpus, engine, jobs, talk)?;
    Ok(measured.correlation(engine).ok_or(measured.bugs.len()))
}

/// What the pairs of the bugs run on one engine.
fn measured(
    corpus: &[Bug],
    engine: &str,
    jobs: Option<NonZero<usize>>,
    talk: &Console,
) -> anyhow::Result<MeasuredBugs> {
    engine_on_demand(engine, talk)?;
    let stage = Stage::new(engine, None, jobs)?;
    let options = stage.options();
    let mut laboratory = CaseRunner::new(&options)?;
    let experiment = |bug: &Bug| {
        let case = bug.case();
        CaseBatch { setup: case.setup, tests: vec![case.sides] }
    };
    let experiments: Vec<CaseBatch> = corpus.iter().map(experiment).collect();
    let results = laboratory.run(&experiments)?;
    let mut bugs = Vec::new();
    for (bug, result) in corpus.iter().zip(results) {
        let ran = match &result {
            Ok(tried) => tried.pairs.first().and_then(|pair| Some((tried, pair.as_ref().ok()?))),
            Err(_) => None,
        };
        let Some((tried, ran)) = ran else {
            talk.warning(&format!(
                "{}: not in the correlation: its pair does not run on {engine}",
                bug.id
            ));
            continue;
        };
        let covers = ran.covers(tried.setup.as_ref())?;
        bugs.push(BugCovers { executed: covers.union(), difference: covers.difference() });
    }
    Ok(MeasuredBugs::new(bugs, laboratory.table()))
}
