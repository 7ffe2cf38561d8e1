//! The kill matrix as files for other programs.

use std::collections::BTreeMap;

use metacov_mutants::{Mutant, MutantVerdict};
use serde_json::{Value, json};

use super::MutantScores;
use crate::csv;

/// A form of the kill matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutantFormat {
    /// One row for each pair and mutant that it reached.
    Csv,
    /// All mutants, and for each pair the numbers of those that it reached, by verdict.
    Json,
    /// Mutation Elements, which viewers of mutation reports read.
    Elements,
}

impl MutantScores<'_> {
    /// Returns the text of a file.
    pub fn to_file(&self, format: MutantFormat) -> String {
        match format {
            MutantFormat::Csv => self.to_csv(),
            MutantFormat::Json => text(&self.to_json()),
            MutantFormat::Elements => text(&self.to_elements()),
        }
    }

    fn to_csv(&self) -> String {
        let mut text =
            "relation,pair,mutant,operator,file,line,column,function,line_state,verdict\n"
                .to_owned();
        for ((relation, pair), stored) in &self.0.run.pairs {
            for (number, verdict) in &stored.verdicts {
                let Some(mutant) = self.0.run.mutants.get(*number as usize) else { continue };
                let Mutant { file, line, column, operator, function } = mutant;
                let state = self.0.all.line(*number).map_or("", metacov_core::SiteState::name);
                let cells = [
                    relation.clone(),
                    pair.clone(),
                    number.to_string(),
                    operator.name().to_owned(),
                    file.to_string(),
                    line.to_string(),
                    column.to_string(),
                    function.to_string(),
                    state.to_owned(),
                    verdict.name().to_owned(),
                ];
                text.push_str(&csv::line(&cells));
            }
        }
        text
    }

    fn to_json(&self) -> Value {
        let mutant = |(number, mutant): (u32, &Mutant)| {
            json!({
                "id": number,
                "operator": mutant.operator.name(),
                "file": &*mutant.file,
                "line": mutant.line,
                "column": mutant.column,
                "function": &*mutant.function,
                "replacement": mutant.operator.replacement(),
                "line_state": self.0.all.line(number).map(metacov_core::SiteState::name),
                "verdict": self.0.all.verdict(number).map(MutantVerdict::name),
            })
        };
        let pair =
            |((relation, pair), stored): (&(String, String), &metacov_store::StoredMutants)| {
                let mut verdicts: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
                for (number, verdict) in &stored.verdicts {
                    verdicts.entry(verdict.name()).or_default().push(*number);
                }
                json!({
                    "relation": relation,
                    "pair": pair,
                    "unusable": stored.unusable,
                    "verdicts": verdicts,
                })
            };
        json!({
            "format": "metacov mutants 1",
            "mutants": self.0.mutants().map(mutant).collect::<Vec<_>>(),
            "pairs": self.0.run.pairs.iter().map(pair).collect::<Vec<_>>(),
        })
    }

    /// The schema of version 2. Sources are not part of it: viewers show mutants without them.
    fn to_elements(&self) -> Value {
        let mut files: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for (number, mutant) in self.0.mutants() {
            let status = match self.0.all.verdict(number) {
                None => "NoCoverage",
                Some(MutantVerdict::Killed) => "Killed",
                Some(MutantVerdict::Survived) => "Survived",
                Some(MutantVerdict::Timeout) => "Timeout",
                Some(MutantVerdict::Error | MutantVerdict::Crash) => "RuntimeError",
                Some(MutantVerdict::Invalid) => "Ignored",
            };
            let width = mutant.operator.original().len();
            files.entry(&mutant.file).or_default().push(json!({
                "id": number.to_string(),
                "mutatorName": mutant.operator.name(),
                "replacement": mutant.operator.replacement(),
                "location": {
                    "start": { "line": mutant.line, "column": mutant.column },
                    "end": { "line": mutant.line, "column": mutant.column as usize + width },
                },
                "status": status,
            }));
        }
        let file = |(path, mutants): (&str, Vec<Value>)| {
            (path.to_owned(), json!({ "language": "cpp", "source": "", "mutants": mutants }))
        };
        json!({
            "schemaVersion": "2",
            "thresholds": { "high": 80, "low": 60 },
            "files": files.into_iter().map(file).collect::<serde_json::Map<_, _>>(),
        })
    }
}

fn text(value: &Value) -> String {
    format!("{value:#}\n")
}
