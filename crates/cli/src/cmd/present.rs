//! Shows a suite, and writes it.

use std::collections::BTreeMap;
use std::path::Path;

use metacov_core::{
    Criteria, Criterion, PairResult, Suite, Tally, Violation, Warning, counted, thousands, total,
};
use metacov_formats::{Export, Fault, Location};
use metacov_report::{By, Layout, View, nothing_measured, table};
use metacov_store::Run;

use crate::args::output::{Gates, Metric, Presentation, Threshold};
use crate::console::Console;
use crate::exit_code::{ExitCode, Unwritten};
use crate::output::{Output, write_whole};

/// The origin of a suite.
#[derive(Clone, Copy)]
pub struct Origin<'o> {
    /// The folder that paths are relative to.
    pub root: &'o Path,
    /// The run file, if there is one.
    pub run: Option<&'o Path>,
    /// If only changed code counts: since which revision.
    pub since: Option<&'o str>,
    /// Where the numbers come from: names and values.
    pub provenance: &'o [(&'static str, String)],
    /// The pairs that violate their relation.
    pub violations: &'o BTreeMap<u64, Violation>,
    /// All pairs, if an output needs them.
    pub pairs: &'o [PairResult],
}

/// Shows the warnings and the table of a suite, writes its files and checks its thresholds.
pub fn present(
    suite: &Suite,
    presentation: &Presentation,
    origin: &Origin<'_>,
    console: &Console,
) -> anyhow::Result<ExitCode> {
    let Origin { root, run, since, provenance, violations, pairs } = *origin;
    let total = suite.total();
    if total.groups == 0 {
        return Err(nothing_measured(&total).into());
    }
    let criteria = criteria(suite, presentation.criteria, console)?;
    speak(suite, &total, console);
    if presentation.in_shares {
        console.note(&checked(&total));
    }
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
        provenance,
        violations,
        pairs,
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
    check(suite, &total, &presentation.gates, console)
}

/// The criteria to show: the requested ones, or all that the files report.
fn criteria(suite: &Suite, asked: Option<Criteria>, console: &Console) -> anyhow::Result<Criteria> {
    let reported = suite.criteria();
    let Some(asked) = asked else { return Ok(reported) };
    let unreported = asked.without(reported);
    if asked == unreported {
        let fault = Fault::malformed(Location::Whole, "the coverage has no such sites");
        return Err(fault.of(asked.to_string()).into());
    }
    if !unreported.is_empty() {
        console.warning(&format!("left out: {unreported} (the coverage has no such sites)"));
    }
    Ok(asked.intersection(reported))
}

fn speak(suite: &Suite, total: &Tally, console: &Console) {
    for warning in suite.warnings() {
        match warning {
            // No number is affected: it only says why a row is missing.
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
        let sites = counted(sites as u64, "site", "sites");
        let files = counted(files as u64, "file", "files");
        format!("{sites} in {files}, build {}", suite.table.build_id())
    });
}

/// How many pairs were checked, and how many of those violate their relation.
fn checked(total: &Tally) -> String {
    let Tally { groups, judged, violated, .. } = *total;
    let pairs = |count| counted(count, "pair", "pairs");
    let violations = match violated {
        0 => "no violations".to_owned(),
        count => counted(count, "violation", "violations"),
    };
    match judged {
        0 => "not checked: the pairs have no judge (see --judge)".to_owned(),
        _ if judged == groups => format!("checked {}: {violations}", pairs(judged)),
        _ => format!(
            "checked {} of {}: {violations} (the others have no judge)",
            thousands(judged),
            pairs(groups)
        ),
    }
}

/// Checks the conditions that the run must meet.
fn check(
    suite: &Suite,
    tally: &Tally,
    gates: &Gates,
    console: &Console,
) -> anyhow::Result<ExitCode> {
    let mut failures = Vec::new();
    for Threshold { criterion, metric, percent: least } in &gates.thresholds {
        let name = metric.name();
        let failure = match percentage(suite, tally, *criterion, *metric) {
            Ok(percent) if percent >= *least => continue,
            Ok(percent) => format!("{name} is {percent:.2} %, below {least} %"),
            Err(why) => format!("{name} is not known, as {why}"),
        };
        failures.push(format!("--fail-under {criterion}: {failure}"));
    }
    if let Some(path) = &gates.base {
        let base = Run::open(path)?.suite()?.0;
        failures.extend(drops(suite, tally, &base, &path.display().to_string()));
    }
    for failure in gates.fail_on.iter().filter_map(|fail_on| fail_on.failure()) {
        let count = tally.failed(failure);
        if count > 0 {
            let pairs = counted(count, "pair", "pairs");
            failures.push(format!("--fail-on: {pairs}: {}", failure.name()));
        }
    }
    for failure in &failures {
        console.failure(failure);
    }
    Ok(if failures.is_empty() { ExitCode::Success } else { ExitCode::UnderThreshold })
}

/// The percentage of a criterion, or why it is not known. It need not be shown.
fn percentage(
    suite: &Suite,
    tally: &Tally,
    criterion: Criterion,
    metric: Metric,
) -> Result<f64, String> {
    if !suite.criteria().contains(criterion) {
        return Err(format!("the coverage has no {}", criterion.plural()));
    }
    let lists_all = !suite.table.partial().contains(criterion);
    let summary = &total(&suite.table, tally)[criterion];
    let percent = metric.percent(summary, lists_all);
    percent.ok_or_else(|| match (lists_all, summary.sites) {
        (true, 0) => format!("there are no {}", criterion.plural()),
        (true, _) => format!("no {} ran", criterion.plural()),
        (false, _) => "the coverage does not list all code".to_owned(),
    })
}

/// Where MC is lower than that of another suite.
fn drops(suite: &Suite, tally: &Tally, base: &Suite, name: &str) -> Vec<String> {
    let mc =
        |suite: &Suite, tally: &Tally, criterion| percentage(suite, tally, criterion, Metric::Mc);
    let base_total = base.total();
    let mut failures = Vec::new();
    for criterion in base.criteria().iter() {
        let Ok(before) = mc(base, &base_total, criterion) else { continue };
        match mc(suite, tally, criterion) {
            Ok(now) if now >= before => {}
            Ok(now) => failures.push(format!(
                "--fail-drop {criterion}: MC is {now:.2} %, below {before:.2} % of {name}"
            )),
            Err(why) => {
                failures.push(format!("--fail-drop {criterion}: MC is not known, as {why}"));
            }
        }
    }
    failures
}
