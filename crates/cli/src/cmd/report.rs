//! `metacov report`

use std::collections::BTreeMap;
use std::path::PathBuf;

use metacov_campaign::History;
use metacov_report::By;
use metacov_report::digest::Digest;
use metacov_store::Run;
use metacov_study::conduct::keep_changed;

use super::present::Origin;
use super::{fuzz, pages, present};
use crate::args::output::OutputArgs;
use crate::console::Console;
use crate::console::violations;
use crate::exit_code::{ExitCode, bail_usage};

const EXAMPLES: &str = "\
Examples:
  What did the run find?
    metacov report run.metacov
  Where?
    metacov report run.metacov --by function --criterion line
  Line by line, in a browser:
    metacov report run.metacov --html pages && xdg-open pages/index.html
  For other tools:
    metacov report run.metacov -o mc.info -o mc.json -o summary.md
  How did it grow? As a picture, beside a summary; and as a badge:
    metacov report run.metacov -o summary.md -o curve.svg -o badge.svg
  What do my changes run that no pair of tests could catch lying? In a GitHub job:
    metacov report run.metacov --diff origin/main -o - --format github
    metacov report run.metacov --diff origin/main -o \"$GITHUB_STEP_SUMMARY\" --format markdown
  The file is an SQLite data base. Which pairs took longest?
    sqlite3 run.metacov 'SELECT name, verdict, microseconds FROM pair ORDER BY 3 DESC LIMIT 10'";

/// Show a run file, or write it in any format.
///
/// A run file is what `metacov measure` and `metacov diff` leave behind with `-o RUN.metacov`. Its
/// report is the one that the run itself shows. It may still be written meanwhile, or may have
/// been cut: what is there is shown.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The run file.
    #[arg(value_name = "RUN.metacov")]
    run: PathBuf,
    /// Write pages for a browser to this folder: numbers, curves, the source line by line, gaps,
    /// and pairs with their inputs. Pages that are there are replaced.
    #[arg(long, value_name = "FOLDER")]
    html: Option<PathBuf>,
    /// Count only lines that were changed since this commit or branch: those that `git diff
    /// --merge-base BASE` shows, here and now.
    #[arg(long, value_name = "BASE")]
    diff: Option<String>,
    /// Leave out what is flaky.
    #[arg(long)]
    no_flaky: bool,

    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: Args, console: &Console) -> anyhow::Result<ExitCode> {
    let mut run = open(&args)?;
    let by = if run.header.by_relation { By::Relation } else { By::Total };
    let mut presentation = args.output.presentation(by)?;
    presentation.in_shares = run.header.made_by == "measure";
    if presentation.run_file.is_some() {
        bail_usage!("a run file is copied like any file; to unite several: metacov merge");
    }
    let (groups, header) = (run.groups()?, run.header.clone());
    let history = History::of(&run)?;
    let is_campaign = !history.curve.is_empty();
    // A campaign has looked into what it met: its findings say more than its pairs.
    let violations = if is_campaign { BTreeMap::new() } else { run.violations()? };
    let found = fuzz::report::show(&history, &args.run, console)?;
    if !header.complete {
        let of = header.planned.map_or(String::new(), |planned| format!(" of {planned}"));
        let name = &run.name;
        console.warning(&format!("{name} is not complete: the numbers are of {groups}{of} pairs"));
    }
    if groups == 0 {
        return Ok(found);
    }
    if let Some(base) = &args.diff
        && !keep_changed(&mut run.table, base, &header.root, &|message| console.message(message))?
    {
        console.note(&format!("no code of this run was changed since {base}"));
        return Ok(violations::tell(&violations, ExitCode::Success, console));
    }
    let suite = match &args.html {
        Some(folder) => {
            let digest = Digest::of(run)?;
            pages::write(&digest, folder, console)?;
            digest.suite
        }
        None => run.suite()?.0,
    };
    let (root, since) = (&*header.root, args.diff.as_deref());
    let origin = Origin { root, run: Some(&args.run), since };
    let code = present::present(&suite, &presentation, &origin, console)?;
    let code = if code == ExitCode::Success { found } else { code };
    Ok(violations::tell(&violations, code, console))
}

/// The run, without what is flaky if that was asked for. It may be longer when it is opened again.
fn open(args: &Args) -> anyhow::Result<Run> {
    if !args.no_flaky {
        return Ok(Run::open(&args.run)?);
    }
    let flaky = Run::open(&args.run)?.suite()?.0.total().flaky;
    let mut run = Run::open(&args.run)?;
    flaky.iter().for_each(|site| run.table.exclude(site));
    Ok(run)
}
