//! Showing a suite, and writing it.

use std::path::Path;

use metacov_core::{Criteria, Suite, Tally, Warning, total};
use metacov_formats::{Export, Fault, Location};
use metacov_report::{By, Layout, View, nothing_measured, table};
use metacov_store::Run;

use crate::args::output::{Presentation, Threshold};
use crate::console::Console;
use crate::exit_code::{ExitCode, Unwritten};
use crate::output::{Output, write_whole};

/// Where a suite comes from.
#[derive(Clone, Copy)]
pub struct Origin<'o> {
    /// The folder that paths are relative to.
    pub root: &'o Path,
    /// The run file, if there is one.
    pub run: Option<&'o Path>,
    /// If only code counts that was changed: since when.
    pub since: Option<&'o str>,
}

/// Says what is worth saying of a suite, shows its table, writes its files and checks its
/// thresholds.
pub fn present(
    suite: &Suite,
    presentation: &Presentation,
    origin: &Origin<'_>,
    console: &Console,
) -> anyhow::Result<ExitCode> {
    let Origin { root, run, since } = *origin;
    let total = suite.total();
    if total.groups == 0 {
        return Err(nothing_measured(&total).into());
    }
    let criteria = criteria(suite, presentation.criteria, console)?;
    speak(suite, &total, console);
    let plot = presentation.plot();
    let growth = plot.and(run).map(|run| Run::open(run)?.growth(&suite.table)).transpose()?;
    let export = Export {
        suite,
        total: &total,
        criteria,
        root,
        gcovr_format: presentation.gcovr_format,
        growth: growth.as_ref(),
        plot: plot.filter(|name| !name.is_empty()),
        since,
    };
    let by = presentation.by;
    let layout = match by {
        By::Relation if presentation.in_shares => Layout::Shares,
        _ => Layout::Sides,
    };
    if !presentation.outputs.iter().any(|(output, _)| *output == Output::Stdout) {
        let table = table(&View { suite, total: &total, criteria, by, layout });
        if table.rows.is_empty() {
            console.note("the result is empty");
        }
        crate::console::print(&table.to_terminal(console.colors_output()))?;
    }
    for (output, writer) in &presentation.outputs {
        write_whole(output, |out| writer.write(&export, out)).map_err(Unwritten)?;
        console.detail(|| format!("wrote {}", output.name()));
    }
    Ok(check(suite, &total, criteria, &presentation.thresholds, console))
}

/// The criteria to show: those that were asked for, or all that the files tell.
fn criteria(suite: &Suite, asked: Option<Criteria>, console: &Console) -> anyhow::Result<Criteria> {
    let told = suite.criteria();
    let Some(asked) = asked else { return Ok(told) };
    let untold = asked.without(told);
    if asked == untold {
        let fault = Fault::malformed(Location::Whole, "the coverage has no such sites");
        return Err(fault.of(asked.to_string()).into());
    }
    if !untold.is_empty() {
        console.warning(&format!("left out: {untold} (the coverage has no such sites)"));
    }
    Ok(asked.intersection(told))
}

fn speak(suite: &Suite, total: &Tally, console: &Console) {
    for warning in suite.warnings() {
        match warning {
            // No number is in danger: it only tells why a row is missing.
            Warning::ReportedByNone(_) => console.note(&warning.to_string()),
            _ => console.warning(&warning.to_string()),
        }
    }
    let Tally { groups, vacuous, .. } = total;
    if *groups > 1 && *vacuous > 0 {
        let what = if *groups == total.pairs { "pairs" } else { "groups" };
        console.note(&format!("{vacuous} of {groups} {what} have no difference"));
    }
    console.detail(|| {
        let (sites, files) = (suite.table.len(), suite.table.file_count());
        format!("{sites} sites in {files} files, build {}", suite.table.build_id())
    });
}

fn check(
    suite: &Suite,
    tally: &Tally,
    criteria: Criteria,
    thresholds: &[Threshold],
    console: &Console,
) -> ExitCode {
    let summaries = total(&suite.table, tally);
    let mut code = ExitCode::Success;
    for Threshold { criterion, percent: least } in thresholds {
        let known = criteria.without(suite.table.partial()).contains(*criterion);
        match summaries[*criterion].result_of_sites().filter(|_| known) {
            Some(percent) if percent >= *least => continue,
            Some(percent) => {
                console.failure(&format!(
                    "--fail-under {criterion}: MC is {percent:.2} %, below {least} %"
                ));
            }
            None => console.failure(&format!(
                "--fail-under {criterion}: no percentage, as the coverage does not list all code"
            )),
        }
        code = ExitCode::UnderThreshold;
    }
    code
}
