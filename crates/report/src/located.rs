//! The results of `metacov locate`, as messages, tables, JSON and a page.

use std::collections::BTreeMap;
use std::path::Path;

use metacov_core::counted;
use metacov_study::conduct::{Bug, LocatedBugs};
use metacov_study::locate::{Ranking, SuspiciousLine, Symptom};
use serde::Serialize;

use crate::html::{Part, Sheet};
use crate::{Table, suspects};

/// Bugs with their rankings, to be shown.
pub struct Located<'l>(pub &'l LocatedBugs);

/// The JSON format of `metacov locate`.
#[derive(Serialize)]
struct LocatedJson<'l> {
    format: &'static str,
    version: u32,
    subject: &'l str,
    passing_pairs: u32,
    bugs: Vec<BugJson<'l>>,
}

#[derive(Serialize)]
struct BugJson<'l> {
    bug: Option<&'l str>,
    pairs: Vec<PairJson<'l>>,
    #[serde(flatten)]
    ranking: &'l Ranking,
}

/// A pair that was looked into.
#[derive(Serialize)]
struct PairJson<'l> {
    name: &'l str,
    how: &'l str,
    violating_variants: u32,
    near_misses: u32,
    invalid_variants: u32,
}

impl Located<'_> {
    /// What was run, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let note = |(name, symptom): &(String, Symptom)| {
            let [violating, near_misses, invalid] = [
                symptom.violating.executions() - 1,
                symptom.near_misses.executions(),
                symptom.invalid,
            ]
            .map(u64::from);
            format!(
                "{name}: {}; {} the relation too, {}, {}",
                symptom.how,
                counted(violating, "variant violates", "variants violate"),
                counted(near_misses, "is a near miss", "are near misses"),
                counted(invalid, "does not run", "do not run"),
            )
        };
        let passing = counted(self.0.passing_pairs.into(), "passing pair", "passing pairs");
        let passing = format!("{passing} to compare with");
        let symptoms = self.0.bugs.iter().flat_map(|(bug, _)| &bug.symptoms);
        symptoms.map(note).chain([passing]).collect()
    }

    /// Of each bug: its heading, if there are several, and the most suspicious functions and lines,
    /// with the source of lines as far as it is in the folder of the target.
    pub fn tables(&self, most: usize) -> Vec<(Option<String>, [Table; 2])> {
        let tables = |ranking: &Ranking| {
            let Ranking { functions, lines, .. } = ranking;
            let sources = Sources::of(&self.0.folder, &lines[..most.min(lines.len())]);
            let lines = suspects::lines(lines, most, |line| sources.line(line));
            [suspects::functions(functions, most), lines]
        };
        let all = self.0.bugs.len();
        let heading = |at: usize, bug: &Bug| {
            let name = bug.name.as_deref().unwrap_or_default();
            let pairs = counted(bug.symptoms.len() as u64, "violation", "violations");
            (all > 1).then(|| format!("bug {at} of {all}: {name} ({pairs})"))
        };
        let numbered = (1..).zip(&self.0.bugs);
        numbered.map(|(at, (bug, ranking))| (heading(at, bug), tables(ranking))).collect()
    }

    /// These tables for a terminal.
    pub fn to_terminal(tables: &[(Option<String>, [Table; 2])], color: bool) -> String {
        let text = |(heading, tables): &(Option<String>, [Table; 2])| {
            let texts = tables.each_ref().map(|table| table.to_terminal(color));
            let heading = heading.as_ref().map(|heading| format!("{heading}\n\n"));
            heading.unwrap_or_default() + &texts.join("\n")
        };
        tables.iter().map(text).collect::<Vec<_>>().join("\n")
    }

    /// A page with these tables, and the pairs that they come from.
    pub fn to_html(&self, tables: Vec<(Option<String>, [Table; 2])>) -> String {
        let mut parts = Vec::new();
        for (heading, tables) in tables {
            let [functions, lines] = tables.map(Part::Table);
            parts.extend(heading.map(Part::Heading));
            parts.extend([Part::Heading("Functions".to_owned()), functions]);
            parts.extend([Part::Heading("Lines".to_owned()), lines]);
        }
        parts.push(Part::Heading("Violating pairs".to_owned()));
        parts.extend(self.notes().into_iter().map(Part::Text));
        Sheet { title: format!("Where is the bug? {}", self.0.subject), parts }.to_html()
    }

    /// Returns everything as JSON.
    ///
    /// # Panics
    ///
    /// Never: writing plain data without maps into a string cannot fail.
    pub fn to_json(&self) -> String {
        fn pair((name, symptom): &(String, Symptom)) -> PairJson<'_> {
            PairJson {
                name,
                how: &symptom.how,
                violating_variants: symptom.violating.executions() - 1,
                near_misses: symptom.near_misses.executions(),
                invalid_variants: symptom.invalid,
            }
        }
        let bugs = self.0.bugs.iter().map(|(bug, ranking)| BugJson {
            bug: bug.name.as_deref(),
            pairs: bug.symptoms.iter().map(pair).collect(),
            ranking,
        });
        let json = LocatedJson {
            format: "metacov-locate",
            version: 3,
            subject: &self.0.subject,
            passing_pairs: self.0.passing_pairs,
            bugs: bugs.collect(),
        };
        serde_json::to_string_pretty(&json).expect("plain data without maps") + "\n"
    }
}

/// The source of the shown lines, as far as it is in a folder.
struct Sources(BTreeMap<String, Vec<String>>);

impl Sources {
    fn of(folder: &Path, lines: &[SuspiciousLine]) -> Self {
        let mut sources = BTreeMap::new();
        for line in lines {
            sources.entry(line.file.clone()).or_insert_with(|| {
                let bytes = std::fs::read(folder.join(&line.file)).unwrap_or_default();
                String::from_utf8_lossy(&bytes).lines().map(ToOwned::to_owned).collect()
            });
        }
        Sources(sources)
    }

    fn line(&self, suspect: &SuspiciousLine) -> String {
        let number = usize::try_from(suspect.line).unwrap_or_default();
        let lines = self.0.get(&suspect.file);
        lines.and_then(|lines| lines.get(number.checked_sub(1)?)).cloned().unwrap_or_default()
    }
}
