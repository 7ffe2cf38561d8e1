//! Shows a suite, and writes it in other formats.

use std::collections::BTreeMap;
use std::path::Path;

use metacov_core::{Criteria, Criterion, PairResult, Suite, Violation};
use metacov_formats::{Export, GcovrFormat, Writer};
use metacov_run::RunError;
use metacov_store::Run;
use metacov_study::conduct::Message;

use crate::{
    By, Conclusion, CurvePlot, Gates, Layout, Output, Screen, View, checked, chosen_criteria,
    nothing_measured, suite_messages, suite_size, table, write_whole,
};

/// What to show of a suite, and what to write.
pub struct Presentation {
    /// Where to write, and how.
    pub outputs: Vec<(Output, &'static dyn Writer)>,
    /// The version of gcovr JSON.
    pub gcovr_format: GcovrFormat,
    /// What the rows of the table stand for.
    pub by: By,
    /// Whether rows of relations show shares (`Cov`, `MC`) instead of sides.
    pub in_shares: bool,
    /// The requested criteria; all if none is named.
    pub criteria: Option<Criteria>,
    /// The conditions that the suite must meet.
    pub gates: Gates,
}

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

impl Presentation {
    /// The file name of a plot of the growth of the suite, if there is one.
    pub fn plot(&self) -> Option<&str> {
        let is_plot = |(_, writer): &&(Output, &dyn Writer)| writer.name() == CurvePlot.name();
        self.outputs.iter().find(is_plot).map(|(output, _)| match output {
            Output::File(path) => {
                path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
            }
            Output::Stdout => "",
        })
    }

    /// Whether a criterion was requested by name.
    pub fn asks_for(&self, criterion: Criterion) -> bool {
        self.criteria.is_some_and(|criteria| criteria.contains(criterion))
            || self.gates.thresholds.iter().any(|threshold| threshold.criterion == criterion)
    }

    /// Whether an output shows all pairs.
    pub fn needs_pairs(&self) -> bool {
        self.outputs.iter().any(|(_, writer)| writer.needs_pairs())
    }

    /// Shows the warnings and the table of a suite, writes its files and checks its conditions.
    pub fn show(
        &self,
        suite: &Suite,
        origin: &Origin<'_>,
        screen: &dyn Screen,
    ) -> Result<Conclusion, RunError> {
        let Origin { root, run, since, provenance, violations, pairs } = *origin;
        let (total, by) = (suite.total(), self.by);
        if total.groups == 0 {
            return Err(nothing_measured(&total).into());
        }
        let (criteria, messages) = chosen_criteria(suite, self.criteria)?;
        let messages = messages.into_iter().chain(suite_messages(suite, &total));
        messages.for_each(|message| screen.message(message));
        screen.message(Message::Detail(suite_size(suite)));
        if self.in_shares {
            screen.note(&checked(&total));
        }
        let plot = self.plot();
        let growth = plot.and(run).map(|run| Run::open(run)?.growth(&suite.table)).transpose()?;
        let export = Export {
            suite,
            total: &total,
            criteria,
            root,
            gcovr_format: self.gcovr_format,
            growth: growth.as_ref(),
            plot: plot.filter(|name| !name.is_empty()),
            since,
            provenance,
            violations,
            pairs,
        };
        let layout = match by {
            By::Relation if self.in_shares => Layout::Shares,
            _ => Layout::Sides,
        };
        if !self.outputs.iter().any(|(output, _)| *output == Output::Stdout) {
            let table = table(&View { suite, total: &total, criteria, by, layout });
            if table.rows.is_empty() {
                screen.note("the result is empty");
            }
            screen.print_table(&table)?;
        }
        for (output, writer) in &self.outputs {
            write_whole(output, |out| writer.write(&export, out))?;
            screen.message(Message::Detail(format!("wrote {}", output.name())));
        }
        let failed = self.gates.failed(suite, &total)?;
        let conclusion =
            if failed.is_empty() { Conclusion::Passed } else { Conclusion::UnderThreshold };
        for what in failed {
            screen.message(Message::Failure(what));
        }
        Ok(conclusion)
    }
}
