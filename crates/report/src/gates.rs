//! The conditions that a run must meet.

use std::path::PathBuf;
use std::str::FromStr;

use metacov_core::{Criterion, Failure, Suite, Summary, Tally, counted, total};
use metacov_formats::Error;
use metacov_store::Run;

/// The conditions that a run must meet.
#[derive(Default)]
pub struct Gates {
    /// The smallest percentages (`--fail-under`).
    pub thresholds: Vec<Threshold>,
    /// The run file whose MC is the minimum (`--fail-drop`).
    pub base: Option<PathBuf>,
    /// Sides that may not fail like this (`--fail-on`).
    pub failures: Vec<Failure>,
}

/// The smallest percentage of a criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// What is counted.
    pub criterion: Criterion,
    /// Which percentage.
    pub metric: Metric,
    /// The minimum.
    pub percent: f64,
}

/// A percentage that can have a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Executed, of all sites.
    Cov,
    /// MC sites, of all sites.
    Mc,
    /// MC sites, of executed ones.
    McCov,
}

impl Gates {
    /// Returns in which conditions a suite fails, in words.
    pub fn failed(&self, suite: &Suite, tally: &Tally) -> Result<Vec<String>, Error> {
        let mut failed = Vec::new();
        for Threshold { criterion, metric, percent: least } in &self.thresholds {
            let name = metric.name();
            let what = match percentage(suite, tally, *criterion, *metric) {
                Ok(percent) if percent >= *least => continue,
                Ok(percent) => format!("{name} is {percent:.2} %, below {least} %"),
                Err(why) => format!("{name} is not known, as {why}"),
            };
            failed.push(format!("--fail-under {criterion}: {what}"));
        }
        if let Some(path) = &self.base {
            let base = Run::open(path)?.suite()?.0;
            failed.extend(drops(suite, tally, &base, &path.display().to_string()));
        }
        for failure in &self.failures {
            let count = tally.failed(*failure);
            if count > 0 {
                let pairs = counted(count, "pair", "pairs");
                failed.push(format!("--fail-on: {pairs}: {}", failure.name()));
            }
        }
        Ok(failed)
    }
}

impl FromStr for Threshold {
    type Err = String;

    /// Reads `line=40`, `mc/cov=60` or `branch:mc/cov=60`.
    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected a threshold such as line=40, mc/cov=60 or branch:mc/cov=60";
        let (what, percent) = text.split_once('=').ok_or(expected)?;
        let metric = |name: &str| {
            let all = [Metric::Cov, Metric::Mc, Metric::McCov];
            all.into_iter().find(|metric| metric.name().eq_ignore_ascii_case(name))
        };
        let (criterion, metric) = match (what.split_once(':'), metric(what)) {
            (Some((criterion, name)), _) => (criterion.parse()?, metric(name).ok_or(expected)?),
            (None, Some(metric)) => (Criterion::Line, metric),
            (None, None) => (what.parse()?, Metric::Mc),
        };
        let percent: f64 = percent.parse().map_err(|_| format!("`{percent}` is not a number"))?;
        if !(0.0..=100.0).contains(&percent) {
            return Err(format!("{percent} is not between 0 and 100"));
        }
        Ok(Threshold { criterion, metric, percent })
    }
}

impl Metric {
    fn name(self) -> &'static str {
        match self {
            Metric::Cov => "Cov",
            Metric::Mc => "MC",
            Metric::McCov => "MC/Cov",
        }
    }

    /// The percentage, if it is known: `lists_all` is whether all sites are known.
    fn percent(self, summary: &Summary, lists_all: bool) -> Option<f64> {
        match self {
            Metric::Cov => summary.cov().filter(|_| lists_all),
            Metric::Mc => summary.result_of_sites().filter(|_| lists_all),
            Metric::McCov => summary.result_of_executed(),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_name_a_criterion_or_a_metric() {
        let threshold = |text: &str| text.parse::<Threshold>().ok();
        let of = |criterion, metric, percent| Some(Threshold { criterion, metric, percent });
        assert_eq!(threshold("line=80"), of(Criterion::Line, Metric::Mc, 80.0));
        assert_eq!(threshold("mc/cov=60"), of(Criterion::Line, Metric::McCov, 60.0));
        assert_eq!(threshold("branch:cov=6.5"), of(Criterion::Branch, Metric::Cov, 6.5));
        for wrong in ["line", "lines=3", "line=x", "line=101", "line:x=3", "branch:=3"] {
            assert_eq!(threshold(wrong), None, "{wrong}");
        }
    }
}
