//! Shows a campaign from its run file.

use std::path::Path;

use metacov_campaign::{History, findings_folder};
use metacov_core::{Criterion, counted, total};
use metacov_run::RunError;
use metacov_store::Run;

use super::{findings, notes, pairs};
use crate::{Conclusion, Screen};

/// Shows the results of a campaign that has just ended.
pub fn show_ended_campaign(path: &Path, screen: &dyn Screen) -> Result<Conclusion, RunError> {
    let run = Run::open(path)?;
    let (history, kept) = (History::of(&run)?, run.groups()?);
    let conclusion = show_campaign(&history, path, screen)?;
    if kept > 0 {
        let (suite, _) = run.suite()?;
        let lines = total(&suite.table, &suite.total())[Criterion::Line].result;
        let (lines, kept) = (counted(lines, "line", "lines"), counted(kept, "pair", "pairs"));
        let path = path.display();
        screen.note(&format!(
            "{lines} in the MC of {kept} that the run file keeps: metacov report {path}"
        ));
    }
    Ok(conclusion)
}

/// Shows the results of the rounds of a campaign; nothing if there are none.
pub fn show_campaign(
    history: &History,
    path: &Path,
    screen: &dyn Screen,
) -> Result<Conclusion, RunError> {
    if history.curve.is_empty() {
        return Ok(Conclusion::Passed);
    }
    screen.print(&format!("{}\n", pairs(history).to_terminal(screen.has_colors())))?;
    for note in notes(history) {
        screen.note(&note);
    }
    let bugs = history.stand().bugs;
    if bugs == 0 {
        return Ok(Conclusion::Passed);
    }
    screen.print(&format!("{}\n", findings(history).to_terminal(screen.has_colors())))?;
    let bugs = counted(bugs, "bug", "bugs");
    screen.note(&format!("{bugs} in {}", findings_folder(path).display()));
    Ok(Conclusion::Violated)
}
