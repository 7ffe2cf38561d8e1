//! `metacov overlap`

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use metacov_campaign::{CaseBatch, CaseRunner};
use metacov_core::{Cover, FileId, Functions, SiteTable, Verdict};
use metacov_formats::Fault;
use metacov_report::overlaps;
use metacov_store::Run;
use metacov_study::corpus::{Bug, Change};
use metacov_study::overlap::{FileFix, Overlap, overlap, parse};
use metacov_study::{BugOverlap, LeftOut};

use super::locate_corpus::{SOURCE, by_version, read};
use super::scene::Stage;
use crate::exit_code::ExitCode;
use crate::talk::{Console, print};

const EXAMPLES: &str = "\
Examples:
  Could the pairs of a run have noticed what a commit fixed?
    git diff FIX^ FIX > fix.diff
    metacov overlap --fix fix.diff run.metacov
  The same of lines of your own, a line each, such as src/expr.c:5034 or src/expr.c:5034-5037:
    metacov overlap --fix lines.txt run.metacov
  The two bugs that the paper prints, and any other corpus (docs/corpus.md draws the file):
    metacov target build sqlite@3.29.0
    metacov overlap --corpus examples/bugs/paper.json

Lines are those of the version before the fix, which is the one that was measured. A fix that only inserts
lines changes none of them: the two lines around the place stand for it, under `context`. `chance` is
that of a set of as many lines as the difference has, drawn from all that ran.";

/// Compare what pairs validate with the lines that a fix changed.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A run file.
    #[arg(value_name = "RUN.metacov", required_unless_present = "corpus", requires = "fix")]
    run: Option<PathBuf>,
    /// The fix: a unified diff, or a list of lines.
    #[arg(long, value_name = "FILE", requires = "run")]
    fix: Option<PathBuf>,
    /// Only this pair of the run, as RELATION/NAME.
    #[arg(long, value_name = "PAIR", requires = "run")]
    pair: Option<String>,
    /// Known bugs, each a pair and the lines of its fix, on the versions that have them.
    #[arg(long, value_name = "FILE", conflicts_with = "run")]
    corpus: Option<PathBuf>,
    /// How many workers [default: as many as processors].
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
}

pub fn run(args: &Args, talk: &Console) -> anyhow::Result<ExitCode> {
    let rows = match (&args.corpus, &args.run, &args.fix) {
        (Some(corpus), ..) => {
            let (overlaps, _) = of_corpus(&read(corpus)?, args.jobs, talk)?;
            overlaps.into_iter().map(|of| (of.id, of.overlap)).collect()
        }
        (None, Some(run), Some(fix)) => of_run(run, args.pair.as_deref(), fix, talk)?,
        _ => bail!("a run file and --fix FILE are needed, or --corpus FILE"),
    };
    print(&overlaps::table(&rows).to_terminal(talk.colors_output()))?;
    Ok(ExitCode::Success)
}

fn of_run(
    path: &Path,
    pair: Option<&str>,
    fix: &Path,
    talk: &Console,
) -> anyhow::Result<Vec<(String, Overlap)>> {
    let name = fix.display().to_string();
    let text = std::fs::read_to_string(fix).map_err(|error| Fault::Io(error).of(name.clone()))?;
    let fixes = parse(&text).map_err(|fault| fault.of(name.clone()))?;
    let run = Run::open(path)?;
    let functions = Functions::of(&run.table);
    let (executed, difference) = covers(&run, pair)?;
    let mut rows = Vec::new();
    for FileFix { path, lines } in &fixes {
        let Some(file) = file(&run.table, path)? else {
            talk.warning(&format!("{path} is not among the measured files: left out"));
            continue;
        };
        if lines.iter().all(|fix| fix.kind == Change::InsertionContext) {
            talk.note(&format!("{path}: the fix only inserts lines: see `context`"));
        }
        let found = overlap(&run.table, &functions, (file, lines), &executed, &difference);
        rows.push((path.clone(), found));
    }
    if rows.is_empty() {
        bail!("{name} changes no file that {} measured", run.name);
    }
    Ok(rows)
}

/// What the pairs of a run ran and differ in: the union of the differences of each.
fn covers(run: &Run, pair: Option<&str>) -> anyhow::Result<(Cover, Cover)> {
    let (mut executed, mut difference) = (Cover::of(&run.table), Cover::of(&run.table));
    let mut is_found = false;
    for stored in run.pairs()? {
        let stored = stored?;
        let name = format!("{}/{}", stored.relation, stored.name);
        if pair.is_some_and(|pair| pair != name) {
            continue;
        }
        let Ok(group) = &stored.outcome else { continue };
        is_found = true;
        for side in group.sides() {
            executed |= &side.executed;
        }
        difference |= &group.difference();
    }
    match pair {
        _ if is_found => Ok((executed, difference)),
        Some(pair) => bail!("{} has no measured pair `{pair}`", run.name),
        None => bail!("{} has no measured pair", run.name),
    }
}

/// The measured file that a fix calls so: its path ends in the same names.
fn file(table: &SiteTable, path: &str) -> anyhow::Result<Option<FileId>> {
    let mut files: BTreeMap<&str, FileId> = BTreeMap::new();
    for (_, site) in table.sites() {
        files.insert(table.path(site.file), site.file);
    }
    if let Some(file) = files.get(path) {
        return Ok(Some(*file));
    }
    let ends = |known: &str| Path::new(known).ends_with(path) || Path::new(path).ends_with(known);
    let mut found = files.iter().filter(|(known, _)| ends(known));
    match (found.next(), found.next()) {
        (None, _) => Ok(None),
        (Some((_, file)), None) => Ok(Some(*file)),
        (Some((one, _)), Some((other, _))) => {
            Err(anyhow!("{path} may be {one} or {other}: which of them is meant?"))
        }
    }
}

/// The overlaps of the bugs of a corpus, each on the version that has it, and those that are left
/// out. The versions must be there.
pub fn of_corpus(
    bugs: &[Bug],
    jobs: Option<NonZero<usize>>,
    talk: &Console,
) -> anyhow::Result<(Vec<BugOverlap>, Vec<LeftOut>)> {
    let mut rows: BTreeMap<usize, Result<BugOverlap, LeftOut>> = BTreeMap::new();
    let left_out = |bug: &Bug, why: &str| Err(LeftOut { id: bug.id.clone(), why: why.to_owned() });
    for (version, bugs) in by_version(bugs)? {
        let engine = format!("sqlite@{version}");
        let stage = Stage::new(&engine, None, jobs)?;
        let options = stage.options();
        let mut runner = CaseRunner::new(&options)?;
        let (known, unknown): (Vec<_>, Vec<_>) =
            bugs.into_iter().partition(|(_, bug)| !bug.fix_lines.is_empty());
        for (at, bug) in unknown {
            let why = "its fix has no lines in this version";
            talk.note(&format!("{}: left out, as {why}", bug.id));
            rows.insert(at, left_out(bug, why));
        }
        let batch = |(_, bug): &(usize, &Bug)| {
            let case = bug.case();
            CaseBatch { setup: case.setup, tests: vec![case.sides] }
        };
        let batches: Vec<CaseBatch> = known.iter().map(batch).collect();
        let results = runner.run(&batches)?;
        let table = runner.table();
        let build = table.build_id().to_string();
        let functions = Functions::of(table);
        let file = file(table, SOURCE)?.ok_or_else(|| anyhow!("{SOURCE} was not measured"))?;
        for ((at, bug), result) in known.into_iter().zip(results) {
            let lost = match &result {
                Ok(tried) => match tried.pairs.first() {
                    Some(Ok(ran)) => {
                        if !matches!(bug.case().judge.judge(&ran.outcomes), Verdict::Violated(_)) {
                            talk.warning(&format!("{}: its sides agree here", bug.id));
                        }
                        let covers = ran.covers(tried.setup.as_ref())?;
                        let (executed, difference) = (covers.union(), covers.difference());
                        let fix = (file, bug.fix_lines.as_slice());
                        let overlap = overlap(table, &functions, fix, &executed, &difference);
                        let (id, engine, build) = (bug.id.clone(), engine.clone(), build.clone());
                        rows.insert(at, Ok(BugOverlap { id, engine, build, overlap }));
                        continue;
                    }
                    Some(Err((_, missing))) => missing.failure.name(),
                    None => "no result",
                },
                Err(missing) => missing.failure.name(),
            };
            talk.warning(&format!("{}: left out: {lost}", bug.id));
            rows.insert(at, left_out(bug, lost));
        }
    }
    let (mut overlaps, mut lost) = (Vec::new(), Vec::new());
    for row in rows.into_values() {
        match row {
            Ok(overlap) => overlaps.push(overlap),
            Err(bug) => lost.push(bug),
        }
    }
    Ok((overlaps, lost))
}
