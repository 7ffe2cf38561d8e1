//! Mutants on the pages: scores on the first page, lists on their page, and the mutants of each line beside its state.

use std::collections::BTreeMap;
use std::io;

use maud::{Markup, html};
use metacov_core::{counted, thousands};
use metacov_mutants::{Mutant, MutantVerdict, Operator};
use metacov_study::{Kills, LineKills, MutantOutcomes, measured_file};
use serde::Serialize;

use super::WritePage;
use super::data::put;
use super::page::StateWords;
use super::sheet::shown_table;
use crate::digest::{Digest, Outline};
use crate::mutants::{MutantScores, percent};

/// The script of the page of mutants.
pub(crate) const SCRIPT: (&str, &str) = ("assets/mutants.js", include_str!("assets/mutants.js"));

/// The mutants of a run on its pages.
pub(crate) struct MutantPages<'d> {
    digest: &'d Digest,
    scores: MutantScores<'d>,
    /// The index of each mutant's file among those of the pages, by the name that the mutant has for it.
    files: BTreeMap<&'d str, Option<usize>>,
}

/// The words that mutants are described with: the operators with what they replace, and the verdicts.
#[derive(Serialize)]
pub(crate) struct MutantWords {
    operators: Vec<[&'static str; 3]>,
    verdicts: Vec<&'static str>,
}

/// Line, column, operator, verdict if it was reached, and the relations that kill it.
type MutantData = (u32, u32, usize, Option<usize>, Vec<usize>);

#[derive(Serialize)]
struct ListData<'d> {
    /// File, function, and the mutant.
    survivors: Vec<(Option<usize>, &'d str, MutantData)>,
    missed: Vec<(Option<usize>, &'d str, MutantData)>,
    /// File, first line with a mutant, name; and how many mutants there are, are reached, are killed and survive.
    functions: Vec<(Option<usize>, u32, &'d str, [u64; 4])>,
}

impl<'d> MutantPages<'d> {
    /// The mutants of a run; none if its pairs were not run with mutants.
    pub(crate) fn of(digest: &'d Digest, outline: &Outline) -> Option<Self> {
        let run = digest.mutants.as_ref()?;
        let table = &digest.suite.table;
        let paths: Vec<&str> = table.paths().collect();
        let place = |file: &str| {
            let path = paths.get(measured_file(file, table)?)?;
            outline.files.iter().position(|of| of.path == *path)
        };
        let mut files: BTreeMap<&str, Option<usize>> = BTreeMap::new();
        for mutant in &run.mutants {
            files.entry(&mutant.file).or_insert_with(|| place(&mutant.file));
        }
        Some(MutantPages { digest, scores: MutantScores::new(run, &digest.suite), files })
    }

    fn outcomes(&self) -> &MutantOutcomes<'d> {
        &self.scores.0
    }

    pub(crate) fn words() -> MutantWords {
        MutantWords {
            operators: Operator::all()
                .map(|of| [of.name(), of.original(), of.replacement()])
                .collect(),
            verdicts: MutantVerdict::ALL.map(MutantVerdict::name).to_vec(),
        }
    }

    fn row(&self, (number, mutant): (u32, &Mutant)) -> MutantData {
        let verdict = self.outcomes().all.verdict(number);
        let verdict = verdict.and_then(|of| MutantVerdict::ALL.iter().position(|one| *one == of));
        let relations = self.digest.relations.iter().enumerate();
        let kills = relations.filter(|(_, relation)| {
            let tally = self.outcomes().relations.get(&*relation.name);
            tally.is_some_and(|of| of.verdict(number) == Some(MutantVerdict::Killed))
        });
        let kills = kills.map(|(at, _)| at).collect();
        let operator = Operator::all().position(|of| of == mutant.operator).unwrap_or_default();
        (mutant.line, mutant.column, operator, verdict, kills)
    }

    fn file(&self, mutant: &Mutant) -> Option<usize> {
        self.files.get(&*mutant.file).copied().flatten()
    }

    /// Writes the lists, and the mutants of each file.
    pub(crate) fn write(&self, outline: &Outline, out: WritePage<'_>) -> io::Result<()> {
        let outcomes = self.outcomes();
        let row = |of: (u32, &'d Mutant)| (self.file(of.1), &*of.1.function, self.row(of));
        let lists = ListData {
            survivors: outcomes.survivors_on_checked_lines().map(row).collect(),
            missed: outcomes.killed_outside_mc().map(row).collect(),
            functions: self.functions(),
        };
        put(out, "mutants", &lists)?;
        let mut files: Vec<Vec<MutantData>> = outline.files.iter().map(|_| Vec::new()).collect();
        for of in outcomes.mutants() {
            if let Some(rows) = self.file(of.1).and_then(|file| files.get_mut(file)) {
                rows.push(self.row(of));
            }
        }
        for (at, rows) in files.iter_mut().enumerate() {
            rows.sort_unstable();
            put(out, &format!("mutants-{at}"), rows)?;
        }
        Ok(())
    }

    fn functions(&self) -> Vec<(Option<usize>, u32, &'d str, [u64; 4])> {
        let mut functions = BTreeMap::new();
        for (number, mutant) in self.outcomes().mutants() {
            let key = (self.file(mutant), &*mutant.function);
            let (line, [all, reached, killed, survived]) =
                functions.entry(key).or_insert((mutant.line, [0_u64; 4]));
            let verdict = self.outcomes().all.verdict(number);
            *line = mutant.line.min(*line);
            *all += 1;
            *reached += u64::from(verdict.is_some());
            *killed += u64::from(verdict == Some(MutantVerdict::Killed));
            *survived += u64::from(verdict == Some(MutantVerdict::Survived));
        }
        let reached = functions.into_iter().filter(|(_, (_, [_, reached, ..]))| *reached > 0);
        reached.map(|((file, name), (line, counts))| (file, line, name, counts)).collect()
    }

    /// The section of the first page.
    pub(crate) fn overview(&self) -> Markup {
        html! {
            h2 #mutants { "Mutants" }
            p.lead {
                "A mutant is a small change of the program. It is killed if a relation is violated while it is on. "
                (self.by_line()) " " a href="mutants.html" { "Lists of survivors and misses" } "."
            }
            div.scroll { (shown_table(&self.scores.by_relation(), Some("plain"))) }
            details {
                summary { "By operator" }
                div.scroll { (shown_table(&self.scores.by_operator(), Some("plain"))) }
            }
        }
    }

    /// How many are killed on MC lines, and on other executed lines.
    fn by_line(&self) -> String {
        let LineKills { mc, other } = self.outcomes().by_line(&self.outcomes().all);
        let share = |Kills { killed, reached }: Kills| {
            let (mutants, share) =
                (counted(reached, "reached mutant", "reached mutants"), percent(killed, reached));
            format!("{} of {mutants} ({share})", thousands(killed))
        };
        format!("On MC lines, {} are killed; on other executed lines, {}.", share(mc), share(other))
    }

    /// The page with the lists.
    pub(crate) fn page(&self) -> Markup {
        let words = StateWords::of(self.digest);
        let count = |count: usize| thousands(count as u64);
        let survivors = self.outcomes().survivors_on_checked_lines().count();
        let missed = self.outcomes().killed_outside_mc().count();
        html! {
            main {
                h1 { "Mutants" }
                p.lead { (self.by_line()) }
                div.tools {
                    input #filter type="search" placeholder="Filter functions, files and operators" aria-label="Filter functions, files and operators" autocomplete="off" spellcheck="false";
                }
                h2 #survivors-title { "Survivors on lines that are " (words.mc) " " span.count { (count(survivors)) } }
                p.lead { "A relation depends on the line, since only one side of some pair runs it, and still does not notice this change." }
                div.scroll { table.grid #survivors { thead {} tbody {} } }
                p.note #more-survivors {}
                h2 #missed-title { "Killed outside of MC " span.count { (count(missed)) } }
                p.lead { "In every pair, both sides run the line or neither does, and a relation still notices the change: what the metric misses." }
                div.scroll { table.grid #missed { thead {} tbody {} } }
                p.note #more-missed {}
                h2 { "Functions" }
                p.lead { "Functions with a mutant that a pair reached, those with the most survivors first." }
                div.scroll { table.grid #functions { thead {} tbody {} } }
                p.note #more-functions {}
            }
        }
    }
}
