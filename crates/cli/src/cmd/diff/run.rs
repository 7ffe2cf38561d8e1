//! What is meant, done.

use metacov_core::{Criteria, Suite, Tally, Warning, total};
use metacov_formats::{Export, Output, fold, write_whole};
use metacov_report::{View, table};

use super::args::{Config, Threshold};
use crate::exit_code::{ExitCode, Unwritten};
use crate::talk::Talk;

pub fn run(config: Config, talk: &Talk) -> anyhow::Result<ExitCode> {
    let bar = talk.progress(config.plan.groups);
    let suite = fold(config.plan, &config.options, &|| bar.inc(1));
    bar.finish_and_clear();
    let suite = suite?;
    let total = suite.total();
    let criteria = criteria(&suite, config.criteria, talk)?;
    speak(&suite, &total, talk);

    let export = Export {
        suite: &suite,
        total: &total,
        criteria,
        root: &config.options.scope.root,
        gcovr_format: config.gcovr_format,
    };
    if !config.outputs.iter().any(|(output, _)| *output == Output::Stdout) {
        let table = table(&View { suite: &suite, total: &total, criteria, by: config.by });
        if table.rows.is_empty() {
            talk.note("the result is empty");
        }
        crate::talk::print(&table.to_terminal(talk.colors_output()))?;
    }
    for (output, writer) in &config.outputs {
        write_whole(output, |out| writer.write(&export, out)).map_err(Unwritten)?;
        talk.detail(|| format!("wrote {}", output.name()));
    }
    Ok(check(&suite, &total, criteria, &config.thresholds, talk))
}

/// The criteria to show: those that were asked for, or all that the files tell.
fn criteria(suite: &Suite, asked: Option<Criteria>, talk: &Talk) -> anyhow::Result<Criteria> {
    let told = suite.criteria();
    let Some(asked) = asked else { return Ok(told) };
    let untold = asked.without(told);
    if asked == untold {
        return Err(crate::talk::missing(&asked.to_string(), "the files do not tell it").into());
    }
    if !untold.is_empty() {
        talk.warning(&format!("left out: {untold} (the files do not tell it)"));
    }
    Ok(asked.intersection(told))
}

fn speak(suite: &Suite, total: &Tally, talk: &Talk) {
    for warning in suite.warnings() {
        match warning {
            // No number is in danger: it only tells why a row is missing.
            Warning::ToldByNone(_) => talk.note(&warning.to_string()),
            _ => talk.warning(&warning.to_string()),
        }
    }
    let Tally { groups, vacuous, .. } = total;
    if *groups > 1 && *vacuous > 0 {
        let what = if *groups == total.pairs { "pairs" } else { "groups" };
        talk.note(&format!("{vacuous} of {groups} {what} have no difference"));
    }
    talk.detail(|| {
        let (sites, files) = (suite.table.len(), suite.table.file_count());
        format!("{sites} sites in {files} files, build {}", suite.table.build_id())
    });
}

fn check(
    suite: &Suite,
    tally: &Tally,
    criteria: Criteria,
    thresholds: &[Threshold],
    talk: &Talk,
) -> ExitCode {
    let summaries = total(&suite.table, tally);
    let mut code = ExitCode::Success;
    for Threshold { criterion, percent: least } in thresholds {
        let known = criteria.without(suite.table.partial()).contains(*criterion);
        match summaries[*criterion].percent().filter(|_| known) {
            Some(percent) if percent >= *least => continue,
            Some(percent) => {
                talk.failure(&format!("{criterion}: {percent:.2} % is under {least} %"));
            }
            None => talk.failure(&format!("{criterion}: the files do not tell a percentage")),
        }
        code = ExitCode::UnderThreshold;
    }
    code
}
