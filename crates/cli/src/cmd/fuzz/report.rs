//! Shows the results of a campaign, from its run file.

use std::path::Path;

use metacov_campaign::{History, findings_folder};
use metacov_core::{Criterion, counted, total};
use metacov_report::{campaign_findings, campaign_notes, campaign_pairs};
use metacov_store::Run;

use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Outcome};

/// Shows the results of a campaign that has just ended.
pub fn run(path: &Path, console: &Console) -> Outcome {
    let run = Run::open(path)?;
    let (history, kept) = (History::of(&run)?, run.groups()?);
    let code = show(&history, path, console)?;
    if kept > 0 {
        let (suite, _) = run.suite()?;
        let lines = total(&suite.table, &suite.total())[Criterion::Line].result;
        let (lines, kept) = (counted(lines, "line", "lines"), counted(kept, "pair", "pairs"));
        let path = path.display();
        console.note(&format!(
            "{lines} in the MC of {kept} that the run file keeps: metacov report {path}"
        ));
    }
    Ok(code)
}

/// Shows the results of the rounds of a campaign; nothing if there are none.
pub fn show(history: &History, path: &Path, console: &Console) -> Outcome {
    if history.curve.is_empty() {
        return Ok(ExitCode::Success);
    }
    print(&format!("{}\n", campaign_pairs(history).to_terminal(console.colors_output())))?;
    for note in campaign_notes(history) {
        console.note(&note);
    }
    let bugs = history.stand().bugs;
    if bugs == 0 {
        return Ok(ExitCode::Success);
    }
    print(&format!("{}\n", campaign_findings(history).to_terminal(console.colors_output())))?;
    let bugs = counted(bugs, "bug", "bugs");
    console.note(&format!("{bugs} in {}", findings_folder(path).display()));
    Ok(ExitCode::Violated)
}
