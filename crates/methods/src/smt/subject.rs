//! Formulas as a method: there is no state, and tests are derived from seeds.

use metacov_core::{Facts, Language, Method, Outcome, RelationInfo, Rng, SetupStep, Subject, Test};

use super::embedded;
use super::fusion_function::SortClass;
use super::label::Label;
use super::language::Smtlib;
use super::relations::RELATIONS;
use super::seed::Seed;
use super::sort::Sort;

/// Formulas in SMT-LIB, and the relations of `YinYang` and SAE.
///
/// What a session reports about its solver: `solver` is its name, such as `z3`, which selects the
/// options of the relation `options`; `logics` are the logics that it decides, separated by spaces
/// (absent: all); `seed:NAME` is the text of a file of seeds. Without any, the embedded seeds are
/// used.
pub const SMT: &dyn Method = &Smt;

struct Smt;

/// The beginning of the names of facts that are seeds.
pub const SEED_FACT: &str = "seed:";

const INFOS: [RelationInfo; RELATIONS.len()] = {
    let mut infos = [RELATIONS[0].info; RELATIONS.len()];
    let mut at = 0;
    while at < infos.len() {
        infos[at] = RELATIONS[at].info;
        at += 1;
    }
    infos
};

impl Method for Smt {
    fn relations(&self) -> &'static [RelationInfo] {
        &INFOS
    }

    fn mutators(&self) -> &'static [&'static str] {
        &[]
    }

    fn subject(&self, facts: &Facts) -> Box<dyn Subject> {
        Box::new(Formulas::of(facts))
    }

    fn language(&self) -> &'static dyn Language {
        &Smtlib
    }
}

/// Seeds, and what tests can be derived from which.
pub struct Formulas {
    seeds: Vec<Seed>,
    solver: String,
    uses: Uses,
}

/// Which seeds each relation can use, by position.
#[derive(Default)]
struct Uses {
    /// Those that can be fused, by label, with the sorts of their constants.
    fusable: [Vec<(usize, Vec<Sort>)>; 2],
    with_atoms: Vec<usize>,
}

impl Formulas {
    /// Creates the tests for a solver with these facts.
    pub fn of(facts: &Facts) -> Self {
        let given = facts
            .iter()
            .filter_map(|(name, text)| Seed::read(name.strip_prefix(SEED_FACT)?, text).ok());
        let solver = facts.get("solver").cloned().unwrap_or_default();
        let logics =
            facts.get("logics").map(|logics| logics.split_whitespace().collect::<Vec<_>>());
        Self::new(given.collect(), solver, logics.as_deref())
    }

    /// Creates the tests on these seeds for a solver that decides these logics (none: all). If
    /// there is no seed for one of the relations, the embedded seeds are used too.
    pub fn new(mut seeds: Vec<Seed>, solver: String, logics: Option<&[&str]>) -> Self {
        let is_decided = |seed: &Seed| match (logics, &seed.logic) {
            (Some(logics), Some(logic)) => logics.contains(&logic.as_str()),
            (logics, _) => logics.is_none(),
        };
        seeds.retain(is_decided);
        let mut uses = Uses::of(&seeds);
        if uses.is_incomplete() {
            seeds.extend(embedded::seeds().into_iter().filter(is_decided));
            uses = Uses::of(&seeds);
        }
        if uses.is_incomplete() {
            seeds.extend(embedded::seeds());
            uses = Uses::of(&seeds);
        }
        Self { seeds, solver, uses }
    }

    /// Derives a test of the relation at this position, and the right answer to all its inputs, if
    /// it is known. The inputs do not state it: z3 reports an answer that contradicts `:status` as an
    /// error, and an error is no violation.
    pub fn derive_with_label(&self, relation: usize, rng: &mut Rng) -> (Test, Option<Label>) {
        (RELATIONS[relation].derive)(self, rng)
    }

    /// Returns the number of seeds.
    pub fn len(&self) -> usize {
        self.seeds.len()
    }

    /// Whether there are no seeds.
    pub fn is_empty(&self) -> bool {
        self.seeds.is_empty()
    }

    pub(super) fn solver(&self) -> &str {
        &self.solver
    }

    pub(super) fn any(&self, rng: &mut Rng) -> &Seed {
        rng.pick(&self.seeds)
    }

    pub(super) fn with_atoms(&self, rng: &mut Rng) -> &Seed {
        &self.seeds[*rng.pick(&self.uses.with_atoms)]
    }

    /// Returns two seeds with this label that share a sort of constants.
    pub(super) fn pair(&self, label: Label, rng: &mut Rng) -> (&Seed, &Seed) {
        let fusable = &self.uses.fusable[usize::from(label == Label::Unsat)];
        let (first, sorts) = rng.pick(fusable);
        let is_shared = |of: &[Sort]| of.iter().any(|sort| sorts.contains(sort));
        let others: Vec<usize> =
            fusable.iter().filter(|(_, of)| is_shared(of)).map(|(at, _)| *at).collect();
        (&self.seeds[*first], &self.seeds[*rng.pick(&others)])
    }
}

impl Uses {
    fn of(seeds: &[Seed]) -> Self {
        let mut uses = Self::default();
        for (at, seed) in seeds.iter().enumerate() {
            let sorts = fusable_sorts(seed);
            if let Some(label) = seed.label
                && !sorts.is_empty()
            {
                uses.fusable[usize::from(label == Label::Unsat)].push((at, sorts));
            }
            if !seed.analysis.atoms.is_empty() {
                uses.with_atoms.push(at);
            }
        }
        uses
    }

    /// Whether a relation has no seed.
    fn is_incomplete(&self) -> bool {
        self.fusable.iter().any(Vec::is_empty) || self.with_atoms.is_empty()
    }
}

/// The sorts of constants that fusion functions exist for.
fn fusable_sorts(seed: &Seed) -> Vec<Sort> {
    seed.constants().into_keys().filter(|&sort| SortClass::of(sort).is_some()).collect()
}

impl Subject for Formulas {
    fn next_setup(&mut self, _: &mut Rng) -> Option<SetupStep> {
        None
    }

    fn accept(&mut self, _: &Outcome) {}

    fn derive(&self, relation: usize, rng: &mut Rng) -> Test {
        self.derive_with_label(relation, rng).0
    }

    fn mutate(&mut self, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests(facts: &Facts, seed: u64) -> Vec<Test> {
        let mut rng = Rng::new(seed);
        let mut subject = SMT.subject(facts);
        assert!(subject.next_setup(&mut rng).is_none());
        (0..SMT.relations().len()).map(|at| subject.derive(at, &mut rng)).collect()
    }

    #[test]
    fn a_seed_is_deterministic_and_seeds_differ() {
        let facts = Facts::new();
        assert_eq!(tests(&facts, 1), tests(&facts, 1));
        assert_ne!(tests(&facts, 1), tests(&facts, 2));
    }

    #[test]
    fn fused_tests_have_two_inputs_on_their_first_side() {
        for seed in 0..50 {
            let [sat, unsat, sae, options] = &tests(&Facts::new(), seed)[..] else { panic!() };
            for test in [sat, unsat] {
                assert_eq!((test.sides.a.len(), test.sides.b.len()), (2, 1));
                for input in test.sides.a.iter().chain(&test.sides.b) {
                    assert!(!input.statements.concat().contains(":status"));
                    assert_eq!(input.statements.last().unwrap(), "(check-sat)");
                }
            }
            assert_ne!(sae.sides.a, sae.sides.b);
            assert!(options.sides.b[0].statements[0].starts_with("(set-option "));
        }
    }

    #[test]
    fn seeds_and_logics_are_facts_of_the_session() {
        let text = "(declare-const mine Int) (assert (< mine 0)) (check-sat)";
        let text = |status: &str| format!("(set-info :status {status}) {text}");
        let facts = Facts::from([
            (format!("{SEED_FACT}a.smt2"), text("sat")),
            (format!("{SEED_FACT}b.smt2"), text("unsat")),
            (format!("{SEED_FACT}broken.smt2"), "(".to_owned()),
        ]);
        for test in tests(&facts, 3) {
            assert!(test.sides.a[0].statements.concat().contains("mine"));
        }
        let facts = Facts::from([("logics".to_owned(), "QF_BV QF_ABV".to_owned())]);
        for test in (0..30).flat_map(|seed| tests(&facts, seed)) {
            assert!(test.sides.a[0].statements.concat().contains("BitVec"));
        }
    }
}
