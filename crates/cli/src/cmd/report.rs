//! `metacov report`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use metacov_campaign::History;
use metacov_core::{Operation, counted};
use metacov_formats::Fault;
use metacov_report::digest::Digest;
use metacov_report::{By, Gates, html, left_out_note};
use metacov_run::RunError;
use metacov_store::{MeasuredSources, Run};
use metacov_study::conduct::keep_changed;

use super::present::Origin;
use super::target::list;
use super::{fuzz, present};
use crate::args::output::OutputArgs;
use crate::console::Console;
use crate::console::violations::{self, PairOrigin};
use crate::exit_code::{ExitCode, Outcome, bail_usage};

const EXAMPLES: &str = "\
Examples:
  metacov report run.metacov --by function --criterion line    show MC by function
  metacov report run.metacov --html pages                      write web pages
  metacov report run.metacov -o mc.info -o summary.md          write other formats
  metacov report run.metacov --diff origin/main                count only changed lines";

const ALL_EXAMPLES: &str = "\
Examples:
  Show the results of a run, and where they are:
    metacov report run.metacov
    metacov report run.metacov --by function --criterion line
  Read the source line by line in a browser:
    metacov report run.metacov --html pages && xdg-open pages/index.html
  Write files for other tools:
    metacov report run.metacov -o mc.info -o mc.json -o summary.md
  Plot how coverage grew, beside a summary, and draw a badge:
    metacov report run.metacov -o summary.md -o curve.svg -o badge.svg
  In a GitHub job, annotate changed lines that are executed and never checked:
    metacov report run.metacov --diff origin/main -o - --format github
    metacov report run.metacov --diff origin/main -o \"$GITHUB_STEP_SUMMARY\" --format markdown
  Query the file, which is an SQLite database, for the pairs that took longest:
    sqlite3 run.metacov 'SELECT name, verdict, microseconds FROM pair ORDER BY 3 DESC LIMIT 10'";

/// Show the results in a run file, or write them in other formats.
///
/// A run file is written by `metacov measure` and `metacov diff` with `-o RUN.metacov`, and by `metacov fuzz`. Its report
/// is the one that the run itself prints. A run that is still going on, or was interrupted, is reported as far as it is.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, before_long_help = ALL_EXAMPLES)]
pub struct Args {
    /// Run file.
    #[arg(value_name = "RUN.metacov")]
    run: PathBuf,
    /// Write web pages to this folder; earlier pages are replaced.
    ///
    /// The pages show numbers, plots, the source line by line, code that is executed and never checked, and pairs with
    /// their inputs.
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    html: Option<PathBuf>,
    /// Count only lines changed since this commit or branch.
    ///
    /// These are the lines of `git diff --merge-base BASE` in the current folder.
    #[arg(long, value_name = "BASE", help_heading = "Which code counts")]
    diff: Option<String>,
    /// Do not count flaky sites.
    #[arg(long, help_heading = "Which code counts")]
    no_flaky: bool,

    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: Args, console: &Console) -> Outcome {
    let mut run = open(&args)?;
    let by = if run.header.by_relation { By::Relation } else { By::Total };
    let mut presentation = args.output.presentation(by)?;
    presentation.in_shares = run.header.made_by == "measure";
    if presentation.run_file.is_some() {
        bail_usage!(
            "report does not write run files: copy the file, or use metacov merge to unite several"
        );
    }
    let (groups, header) = (run.groups()?, run.header.clone());
    let history = History::of(&run)?;
    let is_campaign = !history.curve.is_empty();
    // The findings of a campaign say more than its pairs.
    let violations = if is_campaign { BTreeMap::new() } else { run.violations()? };
    let found = fuzz::report::show(&history, &args.run, console)?;
    if !header.complete {
        let (name, pairs) = (&run.name, |count| counted(count, "pair", "pairs"));
        let of = match header.planned {
            Some(planned) => format!("{groups} of {}", pairs(planned)),
            None => pairs(groups),
        };
        console.warning(&format!("{name} is not complete: the numbers are of {of}"));
    }
    let pair_origin =
        if header.target().is_some() { PairOrigin::Generated } else { PairOrigin::Files };
    if groups == 0 {
        let files = presentation.outputs.iter().map(|(output, _)| output.name());
        let files: Vec<String> =
            files.chain(args.html.iter().map(|at| at.display().to_string())).collect();
        if !files.is_empty() {
            let (files, name) = (files.join(", "), &run.name);
            return Err(RunError::Failed(format!(
                "cannot write {files}: {name} has no measured pairs (a campaign keeps those with new coverage)"
            )));
        }
        return Ok(found);
    }
    if let Some(note) = left_out_note(header.provenance.left_out.values().sum()) {
        console.note(&note);
    }
    let target = header.known_target().and_then(|name| list().find(name).ok());
    let folder = target.map(|(_, artifact)| artifact.folder);
    let sources = MeasuredSources::open(&args.run, folder, &header.root)?;
    sources.changes().iter().for_each(|note| console.note(note));
    let on_message = |message| console.message(message);
    if let Some(base) = &args.diff
        && !keep_changed(
            &mut run.table,
            base,
            &header.root,
            &|path| sources.changed_text(path),
            &on_message,
        )?
    {
        console.note(&format!("no code of this run was changed since {base}"));
        if presentation.outputs.is_empty() && args.html.is_none() {
            return Ok(violations::report(&violations, pair_origin, ExitCode::Success, console));
        }
        // Files are written without code; no number can be too low.
        presentation.gates = Gates::default();
    }
    let suite = match &args.html {
        Some(folder) => {
            let digest = Digest::of(run)?;
            pages(&digest, &sources, folder, console)?;
            digest.suite
        }
        None => run.suite()?.0,
    };
    sources.finish()?;
    let (root, since) = (&*header.root, args.diff.as_deref());
    let needs_pairs = presentation.needs_pairs();
    let pairs = if needs_pairs { Run::open(&args.run)?.results()? } else { Vec::new() };
    let run = Some(&*args.run);
    let provenance = &header.provenance.rows();
    let origin = Origin { root, run, since, provenance, violations: &violations, pairs: &pairs };
    let code = present::present(&suite, &presentation, &origin, console)?;
    let code = if code == ExitCode::Success { found } else { code };
    Ok(violations::report(&violations, pair_origin, code, console))
}

/// Writes the pages of a run to a folder.
fn pages(
    digest: &Digest,
    sources: &MeasuredSources,
    folder: &Path,
    console: &Console,
) -> Result<(), RunError> {
    if digest.header.operation != Operation::Xor {
        bail_usage!(
            "--html shows differences (--op xor), and this run was made with --op {}",
            digest.header.operation
        );
    }
    let written = html::write_folder(digest, &|path| sources.text(path), folder)
        .map_err(|error| RunError::Output(Fault::Io(error).of(folder.display().to_string())))?;
    written.warnings().for_each(|warning| console.warning(&warning));
    console.note(&format!("pages in {}", folder.join("index.html").display()));
    Ok(())
}

/// Opens the run, without flaky sites if requested. It may be longer when it is opened again.
fn open(args: &Args) -> Result<Run, RunError> {
    if !args.no_flaky {
        return Ok(Run::open(&args.run)?);
    }
    let flaky = Run::open(&args.run)?.suite()?.0.total().flaky;
    let mut run = Run::open(&args.run)?;
    flaky.iter().for_each(|site| run.table.exclude(site));
    Ok(run)
}
