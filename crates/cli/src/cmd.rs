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

use indicatif::ProgressBar;
use metacov_formats::{Audience, Done, Error, Halt, Numbering, Options, Plan, Side, fold};

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
pub fn run<S: Side>(config: Config<S>, talk: &Talk) -> anyhow::Result<ExitCode> {
    let planned = config.plan.groups;
    let bar = talk.progress(planned);
    let suite = fold(config.plan, &config.options, Numbering::default(), &Bar(&bar));
    bar.finish_and_clear();
    let mut suite = suite.map_err(|Halt::Input(error) | Halt::Audience(error)| error)?;
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

/// The bar that moves with each group.
struct Bar<'b>(&'b ProgressBar);

impl Audience for Bar<'_> {
    fn hear(&self, _done: &Done<'_>) -> Result<(), Error> {
        self.0.inc(1);
        Ok(())
    }
}
