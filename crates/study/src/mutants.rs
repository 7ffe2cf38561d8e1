//! Mutants beside coverage: what became of the mutants of a run, and the state of the line of each.

use std::collections::BTreeMap;

use metacov_core::{Element, SiteState, SiteTable, Suite, Tally};
use metacov_mutants::{Mutant, MutantVerdict};
use metacov_store::{MutantRun, StoredMutants};

/// What became of the mutants of a run.
pub struct MutantOutcomes<'r> {
    /// The mutants and the verdicts of each pair.
    pub run: &'r MutantRun,
    /// By relation.
    pub relations: BTreeMap<&'r str, MutantTally>,
    /// All relations together.
    pub all: MutantTally,
}

/// The mutants of the pairs of one relation, or of all.
#[derive(Default)]
pub struct MutantTally {
    /// How many pairs were run with mutants, or could not be.
    pub pairs: u64,
    /// How many of them could not be.
    pub unusable: u64,
    /// The processor time of the processes with mutants, in microseconds.
    pub mutant_micros: u64,
    /// The processor time of the pairs without mutants, in microseconds.
    pub plain_micros: u64,
    /// For each mutant, the strongest verdict of the pairs that reached it.
    verdicts: Vec<Option<MutantVerdict>>,
    /// For each mutant, the state of its line in these pairs, if the line has code that was measured.
    lines: Vec<Option<SiteState>>,
}

/// How many mutants were killed, of those that were reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kills {
    /// The killed ones.
    pub killed: u64,
    /// All that a pair reached.
    pub reached: u64,
}

/// Mutants by the state of their lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineKills {
    /// On lines of MC.
    pub mc: Kills,
    /// On other executed lines.
    pub other: Kills,
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

impl<'r> MutantOutcomes<'r> {
    /// Joins what is stored with the lines that the suite of the same run checks.
    pub fn new(run: &'r MutantRun, suite: &Suite) -> Self {
        let count = run.mutants.len();
        let new = || MutantTally { verdicts: vec![None; count], ..MutantTally::default() };
        let mut relations: BTreeMap<&str, MutantTally> = BTreeMap::new();
        let mut all = new();
        for ((relation, _), stored) in &run.pairs {
            relations.entry(relation).or_insert_with(new).add(stored);
            all.add(stored);
        }
        let places = places(&run.mutants, &suite.table);
        for (relation, tally) in &mut relations {
            if let Some(of) = suite.relations.get(*relation) {
                tally.lines = line_states(&places, &suite.table, of);
            }
        }
        all.lines = line_states(&places, &suite.table, &suite.total());
        MutantOutcomes { run, relations, all }
    }

    /// The mutants that were to be run, with their numbers.
    pub fn mutants(&self) -> impl Iterator<Item = (u32, &'r Mutant)> + use<'r> {
        let run = self.run;
        let wanted = |(number, _): &(u32, &Mutant)| run.wanted.get(*number as usize) == Some(&true);
        (0..).zip(&run.mutants).filter(wanted)
    }

    /// Mutants that survive on lines that are checked: a relation depends on the line, and cannot notice this change.
    pub fn survivors_on_checked_lines(&self) -> impl Iterator<Item = (u32, &'r Mutant)> {
        self.mutants().filter(|(number, _)| {
            self.all.verdict(*number) == Some(MutantVerdict::Survived)
                && self.all.line(*number).is_some_and(SiteState::is_mc)
        })
    }

    /// Mutants that a relation kills on lines outside of MC: what the metric misses.
    pub fn killed_outside_mc(&self) -> impl Iterator<Item = (u32, &'r Mutant)> {
        self.mutants().filter(|(number, _)| {
            self.all.verdict(*number) == Some(MutantVerdict::Killed)
                && self.all.line(*number).is_some_and(|state| !state.is_mc())
        })
    }

    /// The mutants of a tally by the state of their lines.
    pub fn by_line(&self, tally: &MutantTally) -> LineKills {
        let mut counts = LineKills::default();
        for (number, _) in self.mutants() {
            tally.count(number, &mut counts);
        }
        counts
    }

    /// The same, by the name of the function.
    pub fn by_function(&self, tally: &MutantTally) -> BTreeMap<&'r str, LineKills> {
        let mut functions: BTreeMap<&str, LineKills> = BTreeMap::new();
        for (number, mutant) in self.mutants() {
            tally.count(number, functions.entry(&mutant.function).or_default());
        }
        functions.retain(|_, counts| *counts != LineKills::default());
        functions
    }
}

impl MutantTally {
    fn add(&mut self, stored: &StoredMutants) {
        self.pairs += 1;
        self.unusable += u64::from(stored.unusable.is_some());
        self.mutant_micros += stored.mutant_micros;
        self.plain_micros += stored.plain_micros;
        for (mutant, verdict) in &stored.verdicts {
            if let Some(best) = self.verdicts.get_mut(*mutant as usize) {
                *best = Some(best.map_or(*verdict, |best| stronger(best, *verdict)));
            }
        }
    }

    /// What became of a mutant; none if no pair reached it.
    pub fn verdict(&self, mutant: u32) -> Option<MutantVerdict> {
        self.verdicts.get(mutant as usize).copied().flatten()
    }

    /// The state of the line of a mutant, if the line has code that was measured.
    pub fn line(&self, mutant: u32) -> Option<SiteState> {
        self.lines.get(mutant as usize).copied().flatten()
    }

    /// All verdicts of mutants that were reached.
    pub fn verdicts(&self) -> impl Iterator<Item = MutantVerdict> {
        self.verdicts.iter().copied().flatten()
    }

    /// How many mutants were killed and reached.
    pub fn kills(&self) -> Kills {
        let mut kills = Kills::default();
        self.verdicts().for_each(|verdict| kills.add(verdict));
        kills
    }

    fn count(&self, mutant: u32, counts: &mut LineKills) {
        let (Some(verdict), Some(state)) = (self.verdict(mutant), self.line(mutant)) else {
            return;
        };
        if state.is_mc() { counts.mc.add(verdict) } else { counts.other.add(verdict) }
    }
}

impl Kills {
    fn add(&mut self, verdict: MutantVerdict) {
        self.reached += 1;
        self.killed += u64::from(verdict == MutantVerdict::Killed);
    }
}

fn stronger(left: MutantVerdict, right: MutantVerdict) -> MutantVerdict {
    STRENGTH.into_iter().find(|one| *one == left || *one == right).unwrap_or(left)
}

/// The file and line of each mutant in the run, if the file was measured.
fn places(mutants: &[Mutant], table: &SiteTable) -> Vec<Option<(usize, u32)>> {
    let mut files: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    let mut found = Vec::with_capacity(mutants.len());
    for mutant in mutants {
        let file = files.entry(&*mutant.file);
        let file = *file.or_insert_with(|| measured_file(&mutant.file, table));
        found.push(file.map(|file| (file, mutant.line)));
    }
    found
}

/// The state of the line of each mutant. A line of several instances is checked if one of them is.
fn line_states(
    places: &[Option<(usize, u32)>],
    table: &SiteTable,
    tally: &Tally,
) -> Vec<Option<SiteState>> {
    let rank = |state: SiteState| match state {
        state if state.is_mc() => 0,
        SiteState::Both => 1,
        _ => 2,
    };
    let mut states: BTreeMap<(usize, u32), SiteState> = BTreeMap::new();
    for (id, site) in table.sites().filter(|(_, site)| site.element == Element::Line) {
        let state = tally.state(id);
        let known = states.entry((site.file.index(), site.line)).or_insert(state);
        if rank(state) < rank(*known) {
            *known = state;
        }
    }
    places.iter().map(|place| states.get(place.as_ref()?).copied()).collect()
}

/// The file of a mutant in the run: of the same path, or the only one whose path ends with it or that it ends with.
pub fn measured_file(path: &str, table: &SiteTable) -> Option<usize> {
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
