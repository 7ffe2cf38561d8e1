//! Shows a suite, and writes it.

use std::collections::BTreeMap;
use std::path::Path;

use metacov_core::{PairResult, Suite, Violation};
use metacov_formats::Export;
use metacov_report::{
    By, Layout, Output, View, checked, chosen_criteria, nothing_measured, suite_messages,
    suite_size, table, write_whole,
};
use metacov_store::Run;

use crate::args::output::Presentation;
use crate::console::Console;
use crate::exit_code::{ExitCode, Outcome};

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
) -> Outcome {
    let Origin { root, run, since, provenance, violations, pairs } = *origin;
    let total = suite.total();
    if total.groups == 0 {
        return Err(nothing_measured(&total).into());
    }
    let (criteria, messages) = chosen_criteria(suite, presentation.criteria)?;
    for message in messages.into_iter().chain(suite_messages(suite, &total)) {
        console.message(message);
    }
    console.detail(|| suite_size(suite));
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
        write_whole(output, |out| writer.write(&export, out))?;
        console.detail(|| format!("wrote {}", output.name()));
    }
    let failed = presentation.gates.failed(suite, &total)?;
    for what in &failed {
        console.failure(what);
    }
    Ok(if failed.is_empty() { ExitCode::Success } else { ExitCode::UnderThreshold })
}
