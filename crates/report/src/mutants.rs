//! Mutants: which of them a suite kills, and what that says about the lines that it checks.

mod files;
mod tables;

use std::collections::BTreeMap;

use metacov_core::{Element, SiteState, SiteTable, Suite};
use metacov_mutants::{Mutant, MutantVerdict};
use metacov_store::MutantRun;

pub use files::MutantFormat;

/// What became of the mutants of a run.
pub struct MutantScores<'r> {
    run: &'r MutantRun,
    /// By relation.
    relations: BTreeMap<&'r str, RelationScore>,
    /// For each mutant, the strongest verdict of all pairs that reached it.
    all: Vec<Option<MutantVerdict>>,
    /// For each mutant, the state of its line, if the line has code that was measured.
    lines: Vec<Option<SiteState>>,
}

#[derive(Default)]
struct RelationScore {
    pairs: u64,
    unusable: u64,
    mutant_micros: u64,
    plain_micros: u64,
    /// The strongest verdict of its pairs, for each mutant that they reached.
    best: BTreeMap<u32, MutantVerdict>,
}

/// From the strongest verdict on: what a mutant counts as that pairs disagree about.
const STRENGTH: [MutantVerdict; 6] = [
    MutantVerdict::Killed,
    MutantVerdict::Error,
    MutantVerdict::Crash,
    MutantVerdict::Timeout,
    MutantVerdict::Invalid,
    MutantVerdict::Survived,
];

fn stronger(left: MutantVerdict, right: MutantVerdict) -> MutantVerdict {
    STRENGTH.into_iter().find(|one| *one == left || *one == right).unwrap_or(left)
}

impl<'r> MutantScores<'r> {
    /// Computes them from what is stored, and from the lines that the suite of the same run checks.
    pub fn new(run: &'r MutantRun, suite: &Suite) -> Self {
        let mut relations: BTreeMap<&str, RelationScore> = BTreeMap::new();
        let mut all = vec![None; run.mutants.len()];
        for ((relation, _), stored) in &run.pairs {
            let score = relations.entry(relation).or_default();
            score.pairs += 1;
            score.unusable += u64::from(stored.unusable.is_some());
            score.mutant_micros += stored.mutant_micros;
            score.plain_micros += stored.plain_micros;
            for (mutant, verdict) in &stored.verdicts {
                let best = score.best.entry(*mutant).or_insert(*verdict);
                *best = stronger(*best, *verdict);
                if let Some(best) = all.get_mut(*mutant as usize) {
                    *best = Some(best.map_or(*verdict, |best| stronger(best, *verdict)));
                }
            }
        }
        let lines = line_states(&run.mutants, suite);
        MutantScores { run, relations, all, lines }
    }

    /// The mutants that were to be run.
    fn mutants(&self) -> impl Iterator<Item = (u32, &'r Mutant)> {
        let wanted =
            |(number, _): &(u32, &Mutant)| self.run.wanted.get(*number as usize) == Some(&true);
        (0..).zip(&self.run.mutants).filter(wanted)
    }

    fn verdict(&self, mutant: u32) -> Option<MutantVerdict> {
        self.all.get(mutant as usize).copied().flatten()
    }

    fn line(&self, mutant: u32) -> Option<SiteState> {
        self.lines.get(mutant as usize).copied().flatten()
    }

    /// Mutants that survive on lines that are checked: the relation depends on the line, and cannot notice this change.
    fn survivors_on_checked_lines(&self) -> impl Iterator<Item = (u32, &'r Mutant)> {
        self.mutants().filter(|(number, _)| {
            self.verdict(*number) == Some(MutantVerdict::Survived)
                && self.line(*number).is_some_and(SiteState::is_mc)
        })
    }

    /// Mutants that a relation kills on lines outside of MC: what the metric misses.
    fn killed_outside_mc(&self) -> impl Iterator<Item = (u32, &'r Mutant)> {
        self.mutants().filter(|(number, _)| {
            self.verdict(*number) == Some(MutantVerdict::Killed)
                && self.line(*number).is_some_and(|state| !state.is_mc())
        })
    }

    /// Of the mutants on MC lines, and on executed lines outside of MC: how many are killed, of how many that were
    /// reached.
    fn killed_by_line(&self) -> [(u64, u64); 2] {
        let mut counts = [(0, 0); 2];
        for (number, _) in self.mutants() {
            let (Some(verdict), Some(state)) = (self.verdict(number), self.line(number)) else {
                continue;
            };
            let (killed, reached) = &mut counts[usize::from(!state.is_mc())];
            *reached += 1;
            *killed += u64::from(verdict == MutantVerdict::Killed);
        }
        counts
    }
}

/// The state of the line of each mutant.
fn line_states(mutants: &[Mutant], suite: &Suite) -> Vec<Option<SiteState>> {
    let (table, total) = (&suite.table, suite.total());
    let mut files: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    let mut states: BTreeMap<(usize, u32), SiteState> = BTreeMap::new();
    for (id, site) in table.sites().filter(|(_, site)| site.element == Element::Line) {
        let state = total.state(id);
        // A line of several instances is checked if one of them is.
        let rank = |state: SiteState| match state {
            state if state.is_mc() => 0,
            SiteState::Both => 1,
            _ => 2,
        };
        let known = states.entry((site.file.index(), site.line)).or_insert(state);
        if rank(state) < rank(*known) {
            *known = state;
        }
    }
    let mut found = Vec::with_capacity(mutants.len());
    for mutant in mutants {
        let file =
            *files.entry(&*mutant.file).or_insert_with(|| measured_file(&mutant.file, table));
        found.push(file.and_then(|file| states.get(&(file, mutant.line)).copied()));
    }
    found
}

/// The file of a mutant in the run: of the same path, or the only one whose path ends with it or that it ends with.
fn measured_file(path: &str, table: &SiteTable) -> Option<usize> {
    let clean = |path: &str| path.trim_start_matches('/').to_owned();
    let wanted = clean(path);
    let is_end = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let mut fitting = table.paths().enumerate().filter(|(_, known)| {
        let known = clean(known);
        is_end(&known, &wanted) || is_end(&wanted, &known)
    });
    match (fitting.next(), fitting.next()) {
        (Some((file, _)), None) => Some(file),
        _ => table.paths().position(|known| clean(known) == wanted),
    }
}

#[cfg(test)]
mod tests;
