//! The results of a study of suites.

use metacov_core::{Criteria, Criterion};
use metacov_formats::Fault;

use crate::Program;
use crate::stats::{mean, spearman};
use crate::suite_result::{SuiteResult, Time};
use crate::{
    ALL, Efficiency, KnownBugs, MutationResult, Row, RunComparison, Sensitivity, StudyPlan,
    StudyShard, SuiteGroup, SuiteSpec, compare, mutation,
};

/// The suite size of most tables in the paper (Q.2).
const SIZE_OF_PAPER: u64 = 100;

/// The results of a study of suites.
pub struct Results {
    /// The plan.
    pub plan: StudyPlan,
    /// By target and size.
    pub cells: Vec<SizeResult>,
    /// The paper's numbers, if the study is compared with a program of the paper.
    pub paper: Option<&'static Program>,
    /// All suites.
    pub outcomes: Vec<SuiteResult>,
    /// Known bugs, if there are any.
    pub bugs: Option<KnownBugs>,
    /// The cost, if the gcovr pipeline was run.
    pub efficiency: Option<Efficiency>,
}

/// All suites of one target and size.
pub struct SizeResult {
    /// The target.
    pub target: String,
    /// How many pairs of each relation; zero if the pairs are given.
    pub size: u64,
    /// How many suites there are.
    pub suites: usize,
    /// The suites as one group.
    pub comparison: RunComparison,
    /// How long a suite takes, on average.
    pub time: Time,
    /// The mutation scores, if all suites were run with mutants.
    pub mutation: Option<MutationResult>,
}

impl SizeResult {
    /// Returns how well coverage and MC distinguish the relations.
    pub fn sensitivity(&self, criterion: Criterion) -> Option<&Sensitivity> {
        self.comparison.sensitivities.iter().find(|of| of.criterion == criterion)
    }

    /// The relations, by one criterion.
    pub fn rows(&self, criterion: Criterion) -> impl Iterator<Item = &Row> {
        self.comparison.rows.iter().filter(move |row| row.criterion == criterion)
    }

    /// The mean of coverage and of MC over all relations, in percent.
    pub fn means(&self, criterion: Criterion) -> Option<(f64, f64)> {
        let rows =
            || self.rows(criterion).filter(|row| row.relation != ALL || self.is_one_relation());
        let coverage: Vec<f64> = rows().map(|row| row.coverage.mean).collect();
        let mc: Vec<f64> = rows().map(|row| row.mc.mean).collect();
        Some((mean(&coverage)?, mean(&mc)?))
    }

    fn is_one_relation(&self) -> bool {
        self.comparison.rows.iter().all(|row| row.relation == ALL)
    }

    /// How many pairs a suite has, of all relations.
    pub fn pairs(&self) -> u64 {
        let rows = self.comparison.rows.iter();
        rows.filter(|row| row.relation != ALL)
            .map(|row| (row.criterion, row.pairs.1))
            .fold((None, 0), |(first, sum), (criterion, pairs)| {
                let first = first.or(Some(criterion));
                (first, sum + if first == Some(criterion) { pairs } else { 0 })
            })
            .1
    }
}

impl Results {
    /// Evaluates the results of a study.
    pub fn of(plan: StudyPlan, part: StudyShard) -> Result<Self, Fault> {
        let StudyShard { outcomes, bugs, efficiency, .. } = part;
        let is_same = |left: &SuiteResult, right: &SuiteResult| {
            (&left.target, left.size) == (&right.target, right.size)
        };
        let cells: Vec<SizeResult> =
            outcomes.chunk_by(is_same).map(cell).collect::<Result<_, _>>()?;
        // The quick form of a study may measure another target.
        let is_measured = |paper: &&Program| {
            let is_paper = |cell: &SizeResult| Program::of_target(&cell.target) == Some(*paper);
            plan.quick_targets.is_empty() || cells.iter().any(is_paper)
        };
        let paper = plan.beside.as_deref().and_then(Program::find).filter(is_measured);
        Ok(Results { plan, cells, paper, outcomes, bugs, efficiency })
    }

    /// The program of the paper that a target is compared with: its own, if the paper has it, or else that of the study.
    pub fn paper_of(&self, target: &str) -> Option<&'static Program> {
        self.paper.map(|of_study| Program::of_target(target).unwrap_or(of_study))
    }

    /// All programs of the paper that targets are compared with.
    pub fn papers(&self) -> Vec<&'static Program> {
        let targets = self.targets();
        let mut papers: Vec<&'static Program> = Vec::new();
        for paper in targets.iter().filter_map(|of| self.paper_of(of)) {
            if !papers.contains(&paper) {
                papers.push(paper);
            }
        }
        papers
    }

    /// The cell that tables of one size show: that of the paper's size, or else the largest.
    pub fn main_cell(&self, target: &str) -> Option<&SizeResult> {
        let cells = || self.cells.iter().filter(|cell| cell.target == target);
        cells().find(|cell| cell.size == SIZE_OF_PAPER).or_else(|| cells().next_back())
    }

    /// How many suites of the plan have not been measured.
    pub fn missing(&self) -> usize {
        let is_there = |suite: &SuiteSpec| {
            let key = (suite.target.as_str(), suite.size, suite.number);
            self.outcomes.iter().any(|of| of.key() == key)
        };
        self.plan.all().iter().filter(|suite| !is_there(suite)).count()
    }

    /// All targets.
    pub fn targets(&self) -> Vec<&str> {
        let mut targets: Vec<&str> = self.cells.iter().map(|cell| cell.target.as_str()).collect();
        targets.dedup();
        targets
    }

    /// Returns whether the relations are in the same order as in the paper: Spearman's correlation
    /// of their mean MC.
    pub fn agreement_of_order(&self, cell: &SizeResult) -> Option<f64> {
        let paper = self.paper_of(&cell.target)?;
        let points: Vec<(f64, f64)> = cell
            .rows(Criterion::Line)
            .filter_map(|row| Some((paper.average(&row.relation)?.1, row.mc.mean)))
            .collect();
        spearman(&points)
    }
}

fn cell(outcomes: &[SuiteResult]) -> Result<SizeResult, Fault> {
    let records = outcomes.iter().map(SuiteResult::record).collect::<Result<Vec<_>, _>>()?;
    let times = |of: fn(&SuiteResult) -> f64| mean(&outcomes.iter().map(of).collect::<Vec<_>>());
    let group = SuiteGroup { name: outcomes[0].target.clone(), records };
    let comparison = compare(&[group], Criteria::all());
    let mutants: Vec<_> = outcomes.iter().map(|of| of.mutants.as_ref()).collect();
    Ok(SizeResult {
        target: outcomes[0].target.clone(),
        size: outcomes[0].size,
        suites: outcomes.len(),
        mutation: mutation(&mutants, &comparison.rows),
        comparison,
        time: Time {
            wall: times(|of| of.seconds).unwrap_or_default(),
            processor: times(|of| of.processor_seconds).unwrap_or_default(),
        },
    })
}
