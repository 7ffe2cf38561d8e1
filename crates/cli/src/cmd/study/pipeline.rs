//! The gcovr pipeline of the paper, on SQLite.

use std::num::NonZero;
use std::path::Path;

use metacov_run::RunError;
use metacov_runtime::COUNTING_LEVEL;
use metacov_study::conduct::{Gcovr, LocateTarget, PipelineEnd, PipelineProgram, run_pipeline};
use metacov_study::{EfficiencyPlan, StudyPlan};
use metacov_targets::cc::Language;
use metacov_targets::sqlite::{HEADER, OPTIONS, SOURCE, STATEMENTS};

use crate::cmd::target::list;
use crate::cmd::workers;
use crate::console::Console;
use crate::exit_code::bail_usage;
use crate::signals::interrupted;

/// Measures a sample with gcovr and with metacov; none if gcovr is not installed.
pub fn run(
    plan: &StudyPlan,
    sample: EfficiencyPlan,
    gcovr: &Path,
    jobs: Option<NonZero<usize>>,
    console: &Console,
) -> Result<Option<PipelineEnd>, RunError> {
    let Some(name) = plan.targets.first() else { bail_usage!("`[efficiency]` needs a target") };
    let Some(gcovr) = Gcovr::find(gcovr)? else { return Ok(None) };
    let interrupted = interrupted()?;
    let target = LocateTarget::new(&list(), name, None, workers(jobs), &interrupted)?;
    let program = program(&list().find(name)?.1.folder);
    let (options, on_message) = (target.options(), |message| console.message(message));
    Ok(Some(run_pipeline(plan, sample, gcovr, (name, &options), program, &on_message)?))
}

/// How SQLite is built with gcc's coverage.
fn program(source: &Path) -> PipelineProgram<'static> {
    let mut compiler = Language::C.compiler().command();
    // Compiled like metacov's SQLite, so that both count the same lines.
    compiler.arg("--coverage").args(COUNTING_LEVEL).arg("-w").args(OPTIONS);
    compiler.args(["-c", SOURCE, "statements.c"]);
    let mut linker = Language::C.compiler().command();
    linker.args(["--coverage", "sqlite3.o", "statements.o", "-o", "program", "-lm"]);
    PipelineProgram {
        name: "SQLite",
        copied: [SOURCE, HEADER].iter().map(|name| source.join(name)).collect(),
        written: vec![("statements.c", STATEMENTS)],
        commands: vec![compiler, linker],
        source: SOURCE,
        counters: &["sqlite3.gcda", "statements.gcda"],
    }
}
