//! `metacov locate --corpus`: how well does it do on bugs whose fixes are known?

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::Path;

use metacov_formats::{Fault, Location};
use metacov_report::suspects;
use metacov_study::corpus::{self, Bug};
use metacov_study::locate::{Formula, Found, Frequency, found, rank, shares};

use super::scene::{LocateRun, Stage};
use super::target;
use crate::exit_code::ExitCode;
use crate::talk::{Console, print};

/// The file that fixes are told in, as the engine's notes name it.
pub const SOURCE: &str = "sqlite3.c";

/// How many pairs are made, and how.
pub struct Options {
    pub pairs: u64,
    pub seed: u64,
    pub variants: usize,
    pub jobs: Option<NonZero<usize>>,
}

/// The bugs of a corpus.
pub fn read(path: &Path) -> anyhow::Result<Vec<Bug>> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| Fault::Io(error).of(name.clone()))?;
    let malformed = |error: corpus::Error| {
        Fault::malformed(Location::Whole, error.to_string()).of(name.clone())
    };
    Ok(corpus::read(&bytes).map_err(malformed)?)
}

/// The bugs by version of the engine, all of which are there; each with its place in the corpus.
pub fn by_version(bugs: &[Bug]) -> anyhow::Result<BTreeMap<&str, Vec<(usize, &Bug)>>> {
    let mut versions: BTreeMap<&str, Vec<(usize, &Bug)>> = BTreeMap::new();
    for (at, bug) in bugs.iter().enumerate() {
        versions.entry(&bug.version).or_default().push((at, bug));
    }
    for version in versions.keys() {
        target::list().find(&format!("sqlite@{version}"))?;
    }
    Ok(versions)
}

pub fn run(path: &Path, options: &Options, talk: &Console) -> anyhow::Result<ExitCode> {
    let bugs = read(path)?;
    let mut results: BTreeMap<usize, (String, [Found; 3])> = BTreeMap::new();
    let progress = talk.progress(bugs.len() as u64);
    for (version, bugs) in by_version(&bugs)? {
        let stage = Stage::new(&format!("sqlite@{version}"), None, options.jobs)?;
        let options_of = stage.options();
        let mut scene = LocateRun::with_generated(&options_of, options.pairs, options.seed)?;
        for (at, bug) in bugs {
            progress.inc(1);
            if bug.fix_lines.is_empty() {
                talk.note(&format!(
                    "{}: left out, as its fix has no lines in this version",
                    bug.id
                ));
                continue;
            }
            let symptom = match scene.explore(&bug.case(), options.variants)? {
                Ok(symptom) => symptom,
                Err(unfit) => {
                    talk.warning(&format!("{}: left out: {unfit}", bug.id));
                    continue;
                }
            };
            let place = |formula, passing| {
                let symptoms = std::slice::from_ref(&symptom);
                let ranking = rank(&scene.table, &scene.functions, symptoms, passing, formula);
                found(&ranking, &scene.table, &scene.functions, (SOURCE, &bug.fix_lines))
            };
            let places = [
                place(Formula::Suspicion, &scene.passing),
                place(Formula::Ochiai, &scene.passing),
                place(Formula::Ochiai, &Frequency::default()),
            ];
            results.insert(at, (bug.id.clone(), places));
        }
    }
    progress.finish_and_clear();
    let results: Vec<(String, [Found; 3])> = results.into_values().collect();
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
    let texts = tables.map(|table| table.to_terminal(talk.colors_output()));
    print(&texts.join("\n"))?;
    Ok(ExitCode::Success)
}
