//! One file for each subcommand, and what they share.

pub mod completions;
pub mod diff;
pub mod man;
pub mod measure;
mod output_args;
mod present;
mod scope_args;
mod target_args;

use std::num::NonZero;

use metacov_core::Criterion;
use metacov_formats::{Options, Plan, Side, fold};

use crate::exit_code::ExitCode;
use crate::talk::Talk;
use output_args::Presentation;

/// What is meant: a suite to fold, and what to show of it.
pub struct Config<S> {
    plan: Plan<S>,
    options: Options,
    presentation: Presentation,
    leave_out_flaky: bool,
}

/// Folds a suite and shows it.
pub fn run<S: Side>(mut config: Config<S>, talk: &Talk) -> anyhow::Result<ExitCode> {
    // There are as many blocks as all other sites together: they are read only for those who ask.
    config.options.scope.blocks = config.presentation.asks_for(Criterion::Block);
    let planned = config.plan.groups;
    let bar = talk.progress(planned);
    let suite = fold(config.plan, &config.options, &|| bar.inc(1));
    bar.finish_and_clear();
    let mut suite = suite?;
    if config.leave_out_flaky {
        for site in suite.total().flaky.iter() {
            suite.table.exclude(site);
        }
    }
    let measured = suite.total().all_groups();
    if measured < planned {
        talk.warning(&format!("interrupted: the numbers are of {measured} of {planned} pairs"));
    }
    let code = if measured > 0 {
        present::present(&suite, &config.presentation, &config.options.scope.root, talk)?
    } else {
        ExitCode::Success
    };
    Ok(if measured < planned { ExitCode::Interrupted } else { code })
}

/// How many workers: as many as asked for, or as there are processors.
fn workers(jobs: Option<NonZero<usize>>) -> NonZero<usize> {
    let processors = || std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    jobs.unwrap_or_else(processors)
}
