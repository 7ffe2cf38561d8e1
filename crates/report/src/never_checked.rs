//! Lines that are executed and never checked.

use std::fmt::Write as _;
use std::io::{self, Write};

use metacov_core::{Element, SiteState, Suite, Tally, Violation, counted, thousands};
use metacov_formats::{Export, Writer};

/// How many places are listed. GitHub shows ten warnings of a step.
pub(crate) const PLACES_MAX: usize = 50;

/// The name of executed lines that are in the difference of no pair, if pairs have no judge.
pub(crate) const NO_DIFFERENCE: &str = "Executed, no difference";

/// A sentence for results of pairs without a judge: their lines differ, but were not checked.
pub(crate) fn unchecked(total: &Tally) -> Option<String> {
    let Tally { judged, groups, .. } = *total;
    match judged {
        _ if total.is_checked() => None,
        0 => Some("Nothing was checked: the pairs have no judge.".to_owned()),
        _ => Some(format!(
            "Only {} of {} checked: the others have no judge.",
            thousands(judged),
            counted(groups, "pair was", "pairs were")
        )),
    }
}

/// Consecutive lines of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) path: String,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) lines: usize,
}

/// The executed lines that are in the difference of no pair, by path and line. Lines without code
/// in between do not end a stretch; lines with another state do.
pub(crate) fn stretches(Suite { table, .. }: &Suite, total: &Tally) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut goes_on = false;
    for id in table.ordered() {
        let site = table.get(id);
        if site.element != Element::Line {
            continue;
        }
        let path = table.path(site.file);
        let is_executed = total.state(id) == SiteState::Both;
        match stretches.last_mut() {
            Some(last) if is_executed && goes_on && last.path == path => {
                last.lines += usize::from(last.last != site.line);
                last.last = site.line;
            }
            _ if is_executed => {
                let (first, last) = (site.line, site.line);
                stretches.push(Stretch { path: path.to_owned(), first, last, lines: 1 });
            }
            _ => {}
        }
        goes_on = is_executed;
    }
    stretches
}

/// Annotations that GitHub shows beside the code of a pull request, if a job prints them.
pub struct Annotations;

impl Writer for Annotations {
    fn name(&self) -> &'static str {
        "github"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &[]
    }

    fn write(&self, export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
        let stretches = stretches(export.suite, export.total);
        let (title, consequence) = match unchecked(export.total) {
            None => {
                ("Executed, never checked", ": a fault here is likely to go unnoticed.".to_owned())
            }
            Some(why) => (NO_DIFFERENCE, format!(". {why}")),
        };
        let mut text = String::new();
        for Violation { relation, pair, how, .. } in export.violations.values().take(PLACES_MAX) {
            let title = property(&format!("Violated: pair {pair} of {relation}"));
            let _ = writeln!(text, "::error title={title}::{}", message(how));
        }
        if let Some(more @ 1..) = export.violations.len().checked_sub(PLACES_MAX) {
            let more = counted(more as u64, "more violation", "more violations");
            let _ = writeln!(text, "::error::{more}.");
        }
        for Stretch { path, first, last, lines } in stretches.iter().take(PLACES_MAX) {
            let what = match lines {
                1 => "This line runs, but no pair of tests differs in it".to_owned(),
                lines => format!("These {lines} lines run, but no pair of tests differs in them"),
            };
            let _ = writeln!(
                text,
                "::warning file={},line={first},endLine={last},title={}::{what}{consequence}",
                property(path),
                property(title)
            );
        }
        if stretches.len() > PLACES_MAX {
            let more = (stretches.len() - PLACES_MAX) as u64;
            let more = counted(more, "more place", "more places");
            let _ = writeln!(text, "::notice::{title}: {more}.");
        }
        out.write_all(text.as_bytes())
    }
}

/// A message, escaped for workflow commands.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value, escaped for workflow commands.
fn property(text: &str) -> String {
    let mut safe = String::new();
    for letter in text.chars() {
        match letter {
            '%' => safe.push_str("%25"),
            '\r' => safe.push_str("%0D"),
            '\n' => safe.push_str("%0A"),
            ':' => safe.push_str("%3A"),
            ',' => safe.push_str("%2C"),
            letter => safe.push(letter),
        }
    }
    safe
}
