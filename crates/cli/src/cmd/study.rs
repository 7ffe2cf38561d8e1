//! `metacov study`

use std::fmt::Write as _;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{bail, ensure};
use clap::Subcommand;
use metacov_formats::{Fault, Output, write_whole};
use metacov_report::{
    Section, study_csv, study_figures, study_markdown, study_sections, study_sheet,
};
use metacov_study::{Plan, Results, United, unite};

use super::study_folder::Folder;
use super::{study_bugs, study_run};
use crate::exit_code::{ExitCode, Unwritten};
use crate::talk::{Talk, print};

const EXAMPLES: &str = "\
Examples:
  The paper's tables for SQLite, in a minute and in full:
    metacov study run studies/sqlite.toml --quick
    metacov study run studies/sqlite.toml --out results/
  The same with known bugs of your own (docs/corpus.md draws the file):
    metacov study run studies/sqlite.toml --corpus corpus.json
  On three machines, each with its third; then together:
    metacov study run studies/sqlite.toml --shard 1/3 --out first/     # 2/3, 3/3 on the others
    metacov merge -o whole/ first/ second/ third/
    metacov study report whole/ --out results/
  Only this: does coverage grow with the number of bugs?
    metacov study bugs corpus.json -o bugs.svg
A study that was interrupted goes on when it is run again.";

/// Measure many suites and answer the paper's questions.
///
/// A study is a TOML file: targets, relations, suites, sizes, seeds; or a program of your own and its
/// suites of pairs. docs/evaluating-your-method.md leads through one.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Measure the suites of a study that are not there yet, and report.
    Run {
        /// The study.
        #[arg(value_name = "STUDY.toml")]
        study: PathBuf,
        /// The folder for what comes of it [default: `study-` and the study's name].
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Only three suites of the two smallest sizes, and one pair with gcovr: to see that it works.
        #[arg(long)]
        quick: bool,
        /// Only this part of the suites: 1/3, 2/3 or 3/3.
        #[arg(long, value_name = "K/N", default_value = "1/1")]
        shard: Shard,
        /// How many executions run at once [default: the number of processors].
        #[arg(short, long, value_name = "N")]
        jobs: Option<NonZero<usize>>,
        /// Known bugs for Q1 instead of the study's own (docs/corpus.md draws the file).
        #[arg(long, value_name = "FILE")]
        corpus: Option<PathBuf>,
        /// The gcovr of the paper's pipeline, for Q3.
        #[arg(long, value_name = "PROGRAM", default_value = "gcovr")]
        gcovr: PathBuf,
    },
    Bugs(study_bugs::Args),
    /// Show what a study has come to.
    Report {
        /// The folders of the study, or of its parts.
        #[arg(value_name = "DIR", required = true)]
        folders: Vec<PathBuf>,
        /// Write the report (report.md, report.html), all numbers (CSV) and figures (SVG) into a folder.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

/// A part of the suites, from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub part: usize,
    pub parts: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a part, such as 2/3");
        let (part, parts) = text.split_once('/').ok_or_else(wrong)?;
        let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
        let (part, parts) = (number(part)?, number(parts)?);
        if (1..=parts).contains(&part) { Ok(Shard { part, parts }) } else { Err(wrong()) }
    }
}

pub fn run(args: &Args, talk: &Talk) -> anyhow::Result<ExitCode> {
    match &args.action {
        Action::Run { study, out, quick, shard, jobs, corpus, gcovr } => {
            let out = out.clone().unwrap_or_else(|| default_folder(study));
            let run = study_run::Study {
                file: study,
                folder: Folder(&out),
                corpus: corpus.as_deref(),
                gcovr,
                jobs: *jobs,
                shard: *shard,
            };
            let code = run.run(*quick, talk)?;
            if code == ExitCode::Success && *shard == (Shard { part: 1, parts: 1 }) {
                report(std::slice::from_ref(&out), Some(&out), talk)?;
            }
            Ok(code)
        }
        Action::Bugs(args) => study_bugs::run(args, talk),
        Action::Report { folders, out } => report(folders, out.as_deref(), talk),
    }
}

fn default_folder(study: &Path) -> PathBuf {
    let name = study.file_stem().unwrap_or_default().to_string_lossy();
    PathBuf::from(format!("study-{name}"))
}

fn report(folders: &[PathBuf], out: Option<&Path>, talk: &Talk) -> anyhow::Result<ExitCode> {
    let results = results(folders, talk)?;
    let missing = missing(&results);
    if missing > 0 {
        let plural = if missing == 1 { "suite" } else { "suites" };
        talk.note(&format!("{missing} {plural} of the study not measured yet"));
    }
    let mut text = String::new();
    for Section { title, table, text: explanation } in study_sections(&results) {
        let table = table.map(|table| table.to_terminal(talk.colors_output())).unwrap_or_default();
        let gap = if text.is_empty() { "" } else { "\n" };
        let _ = write!(text, "{gap}{title}\n{table}{explanation}\n");
    }
    print(&text)?;
    let Some(out) = out else { return Ok(ExitCode::Success) };
    let unwritten =
        |error: std::io::Error| Unwritten(Fault::Io(error).of(out.display().to_string()));
    std::fs::create_dir_all(out).map_err(unwritten)?;
    let numbers = study_csv(&results).map_err(|fault| fault.of("the results"))?;
    let texts = [
        ("report.md".to_owned(), study_markdown(&results)),
        ("report.html".to_owned(), study_sheet(&results).to_html()),
    ];
    for (name, text) in texts.into_iter().chain(numbers).chain(study_figures(&results)) {
        let output = Output::File(out.join(name));
        write_whole(&output, |out| out.write_all(text.as_bytes())).map_err(Unwritten)?;
    }
    talk.note(&format!(
        "report.md, report.html, all numbers (CSV) and figures are in {}",
        out.display()
    ));
    Ok(ExitCode::Success)
}

/// What these folders say together.
fn results(folders: &[PathBuf], talk: &Talk) -> anyhow::Result<Results> {
    let parts =
        folders.iter().map(|folder| Folder(folder).part()).collect::<Result<Vec<_>, _>>()?;
    let United { part, disputed } = unite(&parts)?;
    tell_disputed(disputed, talk);
    let [first, ..] = folders else { bail!("no folder is named") };
    ensure!(!part.is_empty(), "nothing of {} has been measured yet", first.display());
    let plan = Plan::parse(&part.study).map_err(|fault| fault.of(Folder(first).plan()))?;
    Ok(Results::of(plan, part).map_err(|fault| fault.of(first.display().to_string()))?)
}

/// Says that parts of a study contradict each other.
pub fn tell_disputed(disputed: usize, talk: &Talk) {
    if disputed > 0 {
        let plural = if disputed == 1 { "suite" } else { "suites" };
        talk.warning(&format!(
            "of {disputed} {plural} the parts say different things; one is kept, measured before failed"
        ));
    }
}

fn missing(results: &Results) -> usize {
    let is_there = |suite: &metacov_study::Suite| {
        let key = (suite.target.as_str(), suite.size, suite.number);
        results.outcomes.iter().any(|of| of.key() == key)
    };
    results.plan.all().iter().filter(|suite| !is_there(suite)).count()
}
