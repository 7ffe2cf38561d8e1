//! Q.1: known bugs, their fixes and their number.

use std::fmt::Write as _;

use metacov_core::counted;
use metacov_study::overlap::{Hits, Overlap};
use metacov_study::{BUGS_MIN, KnownBugs, Program};

use super::Section;
use crate::comparison::unknown;
use crate::csv::line;
use crate::{correlations, overlaps};

/// Bug fix overlap.
pub fn overlap(bugs: &KnownBugs, paper: Option<&Program>) -> Section {
    let rows: Vec<(String, Overlap)> =
        bugs.overlaps.iter().map(|of| (of.id.clone(), of.overlap)).collect();
    let mut text = "Lines of the fix that differ, of those that run: those that it changed (strict), with the two \
                    around each place where it only inserts (context), and all of the functions that it changed. \
                    "
        .to_owned();
    text.push_str(overlaps::CHANCES);
    let count = |of: fn(&Overlap) -> Hits| {
        rows.iter().filter(|(_, overlap)| of(overlap).differing > 0).count()
    };
    let (strict, context) = (count(|of| of.strict), count(|of| of.context));
    let all = rows.len();
    let _ = write!(
        text,
        " MC overlaps with {context} of {all} fixes ({}), {strict} of them strictly.",
        share(context, all)
    );
    if let Some(Program { name, overlaps: (overlapping, all), .. }) = paper {
        let share = share(*overlapping as usize, *all as usize);
        let _ = write!(
            text,
            " In the paper: {overlapping} of {all} ({share}), of other bugs of {name}."
        );
    }
    for lost in &bugs.left_out {
        let _ = write!(text, " {} is left out: {}.", lost.id, lost.why);
    }
    let number = counted(rows.len() as u64, "bug", "bugs");
    let title = format!("Q1: overlap of MC with bug fixes, {number} of {}", bugs.corpus);
    Section { title, table: Some(overlaps::table_of_bugs(&bugs.overlaps)), text }
}

#[expect(clippy::cast_precision_loss, reason = "bugs are few")]
fn share(part: usize, whole: usize) -> String {
    if whole == 0 { unknown() } else { format!("{:.0} %", 100.0 * part as f64 / whole as f64) }
}

/// Bug correlation.
pub fn correlation(bugs: &KnownBugs, paper: Option<&Program>) -> Section {
    let title = "Q1: coverage and the number of bugs".to_owned();
    let Some(of) = &bugs.correlation else {
        let text = format!(
            "Not measured: {} too few for a correlation ({BUGS_MIN} are needed). `metacov study run STUDY.toml \
             --corpus FILE` takes more; docs/corpus.md draws the file.",
            counted((bugs.overlaps.len() + bugs.left_out.len()) as u64, "bug is", "bugs are")
        );
        return Section { title, table: None, text };
    };
    let mut text = format!("{}.", correlations::sets(of));
    if let (Some(coverage), Some(mc)) = (of.found.coverage.pearson, of.found.mc.pearson) {
        // As the table shows them: a difference beyond that is chance.
        let shown = |correlation: f64| (100.0 * correlation).round();
        let (less, is_as) =
            if shown(mc) > shown(coverage) { ("better", "as") } else { ("no better", "unlike") };
        let _ = write!(text, " MC goes with the number of bugs {less} than coverage does");
        let _ = match paper {
            Some(_) => write!(text, ", {is_as} in the paper, which has other bugs."),
            None => write!(text, "."),
        };
    }
    text.push_str(" That both grow is no finding, as unions do; how evenly they grow is one.");
    Section { title, table: Some(correlations::table(&of.found, paper)), text }
}

/// The overlaps as plain numbers.
pub fn overlaps_csv(bugs: &KnownBugs) -> String {
    let mut headings = ["bug", "engine", "build", "relation"].map(str::to_owned).to_vec();
    for count in ["strict", "context", "function"] {
        let of = ["executed", "differing", "chance", "chance_in_files", "chance_shifted"];
        headings.extend(of.map(|of| format!("{count}_{of}")));
    }
    let mut text = line(&headings);
    for of in &bugs.overlaps {
        let (id, relation) = (of.id.clone(), of.relation.clone());
        let mut cells = vec![id, of.engine.clone(), of.build.clone(), relation];
        for hits in [of.overlap.strict, of.overlap.context, of.overlap.function] {
            cells.extend([hits.executed.to_string(), hits.differing.to_string()]);
            let chances = [Some(hits.chance), hits.chance_in_files, hits.chance_shifted];
            let text = |chance: Option<f64>| chance.map(|chance| format!("{chance:.6}"));
            cells.extend(chances.map(|chance| text(chance).unwrap_or_default()));
        }
        text.push_str(&line(&cells));
    }
    text
}

/// All sets of bugs as plain numbers.
pub fn correlation_csv(bugs: &KnownBugs) -> Option<String> {
    let found = &bugs.correlation.as_ref()?.found;
    let mut text = line(&["bugs", "coverage", "mc"].map(str::to_owned));
    for ((bugs, coverage), (_, mc)) in found.coverage.points.iter().zip(&found.mc.points) {
        let percents = [coverage, mc].map(|percent| format!("{percent:.6}"));
        let [coverage, mc] = percents;
        text.push_str(&line(&[format!("{bugs:.0}"), coverage, mc]));
    }
    Some(text)
}
