//! The results of `metacov locate`, as messages, tables, JSON and a page.

use std::collections::BTreeMap;
use std::path::Path;

use metacov_core::counted;
use metacov_study::locate::{Ranking, Suspect, Symptom};
use serde::Serialize;

use crate::html::{Part, Sheet};
use crate::{Table, suspects};

/// A ranking, and its input.
pub struct Located<'l> {
    /// The target or run file.
    pub subject: &'l str,
    /// How many passing pairs it was compared with.
    pub passing_pairs: u32,
    /// The pairs that were examined, by name.
    pub symptoms: &'l [(String, Symptom)],
    /// The ranking.
    pub ranking: &'l Ranking,
}

/// The JSON format of `metacov locate`.
#[derive(Serialize)]
struct LocatedJson<'l> {
    format: &'static str,
    version: u32,
    subject: &'l str,
    passing_pairs: u32,
    pairs: Vec<PairJson<'l>>,
    #[serde(flatten)]
    ranking: &'l Ranking,
}

/// A pair that was examined.
#[derive(Serialize)]
struct PairJson<'l> {
    name: &'l str,
    how: &'l str,
    violating_variants: u32,
    near_misses: u32,
    invalid_variants: u32,
}

impl Located<'_> {
    /// Describes what was run, in sentences.
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
        let passing = counted(self.passing_pairs.into(), "passing pair", "passing pairs");
        let passing = format!("{passing} to compare with");
        self.symptoms.iter().map(note).chain([passing]).collect()
    }

    /// Returns the most suspicious functions and lines, with the source of lines if it is in
    /// `folder`.
    pub fn tables(&self, most: usize, folder: &Path) -> [Table; 2] {
        let Ranking { functions, lines, .. } = self.ranking;
        let sources = Sources::of(folder, &lines[..most.min(lines.len())]);
        let lines = suspects::lines(lines, most, |line| sources.line(line));
        [suspects::functions(functions, most), lines]
    }

    /// Returns a page with these tables.
    pub fn to_html(&self, tables: [Table; 2]) -> String {
        let [functions, lines] = tables.map(Part::Table);
        let mut parts: Vec<Part> = self.notes().into_iter().map(Part::Text).collect();
        parts.extend([Part::Heading("Functions".to_owned()), functions]);
        parts.extend([Part::Heading("Lines".to_owned()), lines]);
        Sheet { title: format!("Where is the bug? {}", self.subject), parts }.to_html()
    }

    /// Returns everything as JSON.
    ///
    /// # Panics
    ///
    /// Never: writing plain data without maps into a string cannot fail.
    pub fn to_json(&self) -> String {
        let pairs = self.symptoms.iter().map(|(name, symptom)| PairJson {
            name,
            how: &symptom.how,
            violating_variants: symptom.violating.executions() - 1,
            near_misses: symptom.near_misses.executions(),
            invalid_variants: symptom.invalid,
        });
        let json = LocatedJson {
            format: "metacov-locate",
            version: 2,
            subject: self.subject,
            passing_pairs: self.passing_pairs,
            pairs: pairs.collect(),
            ranking: self.ranking,
        };
        serde_json::to_string_pretty(&json).expect("plain data without maps") + "\n"
    }
}

/// The source of the shown lines, as far as it is in a folder.
struct Sources(BTreeMap<String, Vec<String>>);

impl Sources {
    fn of(folder: &Path, lines: &[Suspect]) -> Self {
        let mut sources = BTreeMap::new();
        for line in lines {
            sources.entry(line.file.clone()).or_insert_with(|| {
                let bytes = std::fs::read(folder.join(&line.file)).unwrap_or_default();
                String::from_utf8_lossy(&bytes).lines().map(ToOwned::to_owned).collect()
            });
        }
        Sources(sources)
    }

    fn line(&self, suspect: &Suspect) -> String {
        let number = usize::try_from(suspect.line).unwrap_or_default();
        let lines = self.0.get(&suspect.file);
        lines.and_then(|lines| lines.get(number.checked_sub(1)?)).cloned().unwrap_or_default()
    }
}
