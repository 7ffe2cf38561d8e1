//! The plan of a study, as tables.

use metacov_study::conduct::PlannedTrial;
use metacov_study::{StudyPlan, SuiteSpec, Task, Trial};

use crate::{Column, Table};

/// The trials of a study as a table.
pub fn trials_table(planned: &[PlannedTrial]) -> Table {
    let columns = vec![
        Column::number("number"),
        Column::word("trial"),
        Column::word("engine"),
        Column::word("relations"),
        Column::word("guidance"),
        Column::number("seed"),
        Column::word("budget"),
    ];
    let row = |of: &PlannedTrial| {
        let Trial { engine, relations, guidance, seed, budget, .. } = &of.trial;
        let (number, seed, budget) = (of.number.to_string(), seed.to_string(), budget.to_string());
        let words = [engine, relations, guidance].map(Clone::clone);
        [number, of.id.clone()].into_iter().chain(words).chain([seed, budget]).collect()
    };
    Table { columns, rows: planned.iter().map(row).collect() }
}

/// The tasks of a study of suites as a table, in the order of its shards.
pub fn tasks_table(plan: &StudyPlan) -> Table {
    let columns = vec![Column::number("number"), Column::word("what")];
    let row = |(number, task): (usize, Task)| {
        let what = match task {
            Task::Suite(suite) => format!("suite {}", SuiteSpec::name(&suite)),
            Task::Bugs(bugs) => format!("known bugs of {}", bugs.corpus.display()),
            Task::Efficiency(_) => "the paper's pipeline".to_owned(),
        };
        vec![number.to_string(), what]
    };
    Table { columns, rows: (1..).zip(plan.tasks()).map(row).collect() }
}
