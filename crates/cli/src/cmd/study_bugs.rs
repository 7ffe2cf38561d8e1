//! `metacov study bugs`: whether coverage grows with the number of bugs.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use anyhow::bail;
use metacov_campaign::{Laboratory, Trial};
use metacov_core::{Cover, Criterion};
use metacov_formats::{Output, write_whole};
use metacov_report::svg::{Labels, Scatter, Series};
use metacov_report::{Column, Table};
use metacov_study::corpus::Bug;
use metacov_study::{BugCovers, Program, correlation};

use super::locate_corpus::{case, read};
use super::scene::Stage;
use super::target::engine_on_demand;
use crate::exit_code::{ExitCode, Unwritten};
use crate::talk::{Talk, print};

/// How often sets of each size are drawn, as in the paper.
const REPETITIONS: usize = 50;
/// The seed of the sets.
const SEED: u64 = 1;

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

pub fn run(args: &Args, talk: &Talk) -> anyhow::Result<ExitCode> {
    let corpus = read(&args.corpus)?;
    let (bugs, lines) = measured(&corpus, args, talk)?;
    if bugs.len() < 3 {
        bail!("{} bugs are too few for a correlation", bugs.len());
    }
    let found = correlation(&bugs, &lines, REPETITIONS, SEED);
    let paper = Program::find("SQLite").map(|paper| paper.correlations);
    let coefficient =
        |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    let row = |name: &str, of: &metacov_study::BugsAgainst, paper: Option<f64>| {
        vec![name.to_owned(), coefficient(of.pearson), coefficient(of.spearman), coefficient(paper)]
    };
    let number = Column::number;
    let columns = vec![
        Column::word("measure"),
        number("Pearson"),
        number("Spearman"),
        number("Pearson, paper"),
    ];
    let rows = vec![
        row("line coverage", &found.coverage, paper.map(|of| of.0)),
        row("MC", &found.mc, paper.map(|of| of.1)),
    ];
    print(&Table { columns, rows }.to_terminal(talk.colors_output()))?;
    talk.note(&format!(
        "{} bugs on {}, {REPETITIONS} sets of each size from 1 to {}; the paper has other bugs",
        bugs.len(),
        args.target,
        bugs.len()
    ));
    if let Some(path) = &args.output {
        let series = |name: &str, of: &metacov_study::BugsAgainst| Series {
            name: name.to_owned(),
            points: of.points.clone(),
        };
        let labels = Labels {
            title: format!("Coverage against the number of bugs, {}", args.target),
            x: "bugs".to_owned(),
            y: "in % of all lines".to_owned(),
        };
        let series = vec![series("line coverage", &found.coverage), series("MC", &found.mc)];
        write(path, &Scatter { labels, series }.to_svg())?;
    }
    Ok(ExitCode::Success)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let output = Output::File(path.to_owned());
    Ok(write_whole(&output, |out| out.write_all(text.as_bytes())).map_err(Unwritten)?)
}

/// What the pairs of the bugs run on one engine, and all lines of it.
fn measured(corpus: &[Bug], args: &Args, talk: &Talk) -> anyhow::Result<(Vec<BugCovers>, Cover)> {
    engine_on_demand(&args.target, talk)?;
    let stage = Stage::new(&args.target, None, args.jobs)?;
    let conditions = stage.conditions();
    let mut laboratory = Laboratory::new(&conditions)?;
    let trial = |bug: &Bug| {
        let case = case(bug);
        Trial { setup: case.setup, pairs: vec![case.sides] }
    };
    let trials: Vec<Trial> = corpus.iter().map(trial).collect();
    let results = laboratory.run(&trials)?;
    let mut bugs = Vec::new();
    for (bug, result) in corpus.iter().zip(results) {
        let ran = match &result {
            Ok(tried) => tried.pairs.first().and_then(|pair| Some((tried, pair.as_ref().ok()?))),
            Err(_) => None,
        };
        let Some((tried, ran)) = ran else {
            talk.warning(&format!(
                "{}: left out: its pair does not run on {}",
                bug.id, args.target
            ));
            continue;
        };
        let covers = ran.covers(tried.setup.as_ref())?;
        bugs.push(BugCovers { executed: covers.union(), difference: covers.difference() });
    }
    let table = laboratory.table();
    let mut lines = Cover::of(table);
    for (id, site) in table.sites() {
        if site.criterion() == Criterion::Line {
            lines.insert(id);
        }
    }
    Ok((bugs, lines))
}
