//! The mutants of a suite, as stored with its result.

use std::collections::BTreeMap;

use metacov_core::Suite;
use metacov_store::MutantRun;
use serde::{Deserialize, Serialize};

use crate::mutants::{Kills, LineKills, MutantOutcomes, MutantTally};
use crate::suite_numbers::ALL;

/// What became of the mutants of a suite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteMutants {
    /// How many mutants the build has.
    pub built: u64,
    /// How many of them were run: all, or a sample.
    pub run: u64,
    /// The processor time of all processes that ran pairs with mutants.
    pub processor_seconds: f64,
    /// By relation, and for all together if there are several.
    pub relations: Vec<RelationMutants>,
}

/// What became of the mutants in the pairs of one relation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelationMutants {
    /// The relation, or [`ALL`].
    pub relation: String,
    /// How many pairs were run with mutants.
    pub pairs: u64,
    /// How many mutants a pair reached.
    pub reached: u64,
    /// How many mutants a pair killed.
    pub killed: u64,
    /// By function: the mutants killed and reached on MC lines of the relation, and those killed and reached on other
    /// lines that it executes. Mutants of a function are not independent of each other, so statistics draw functions.
    pub functions: BTreeMap<String, [u64; 4]>,
}

impl SuiteMutants {
    /// Counts the mutants of a suite.
    pub fn of(run: &MutantRun, suite: &Suite) -> Self {
        let outcomes = MutantOutcomes::new(run, suite);
        let of = |relation: &str, tally: &MutantTally| {
            let Kills { killed, reached } = tally.kills();
            let functions = outcomes.by_function(tally).into_iter();
            let counts = |LineKills { mc, other }: LineKills| {
                [mc.killed, mc.reached, other.killed, other.reached]
            };
            RelationMutants {
                relation: relation.to_owned(),
                pairs: tally.pairs - tally.unusable,
                reached,
                killed,
                functions: functions
                    .map(|(name, kills)| (name.to_owned(), counts(kills)))
                    .collect(),
            }
        };
        let mut relations: Vec<RelationMutants> =
            outcomes.relations.iter().map(|(relation, tally)| of(relation, tally)).collect();
        if relations.len() > 1 {
            relations.push(of(ALL, &outcomes.all));
        }
        #[expect(clippy::cast_precision_loss, reason = "shown with a few digits")]
        let processor_seconds =
            (outcomes.all.mutant_micros + outcomes.all.plain_micros) as f64 / 1e6;
        SuiteMutants {
            built: run.mutants.len() as u64,
            run: outcomes.mutants().count() as u64,
            processor_seconds,
            relations,
        }
    }

    /// The mutants of a relation, if it has any.
    pub fn get(&self, relation: &str) -> Option<&RelationMutants> {
        self.relations.iter().find(|of| of.relation == relation)
    }

    /// The mutation score of a relation: killed mutants in percent of all that were run.
    pub fn score(&self, relation: &str) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52 mutants")]
        let score = |of: &RelationMutants| 100.0 * of.killed as f64 / self.run.max(1) as f64;
        self.get(relation).map(score)
    }
}

#[cfg(test)]
mod tests {
    use metacov_core::{
        Element, Group, Operation, Reading, Site, SiteTable, SuiteFold, Symbol, Verdict,
    };
    use metacov_mutants::{Mutant, MutantVerdict as V, Operator};
    use metacov_store::StoredMutants;

    use super::*;

    /// Of lines 1 to 3, relation `one` has line 2 in its difference, and `two` line 1. Mutant 0 is on line 1, 1 and 2
    /// on line 2, and 3, which is not in the sample, on line 3.
    fn run() -> (MutantRun, Suite) {
        let mut table = SiteTable::new();
        let file = table.file("/src/a.c");
        let (element, instance) = (Element::Line, Symbol::NONE);
        let sites = [1, 2, 3].map(|line| table.site(Site { file, line, element, instance }));
        let reading = |lines: &[usize]| {
            let mut reading = Reading::of(&table);
            for known in sites {
                reading.known.insert(known);
            }
            for line in lines {
                reading.executed.insert(sites[line - 1]);
            }
            reading
        };
        let mut fold = SuiteFold::new(&table, Operation::Xor);
        for (relation, a, b) in [("one", &[1, 2, 3][..], &[1, 3][..]), ("two", &[1, 2], &[2])] {
            let group = Group::new(vec![reading(a), reading(b)]).unwrap();
            fold.add(relation, Ok(&group), Some(&Verdict::Holds));
        }
        let suite = fold.finish(table, false);
        let mutant = |line, function: &str| Mutant {
            file: "a.c".into(),
            line,
            column: 1,
            operator: Operator::AddToSub,
            function: function.into(),
        };
        let mutants = vec![mutant(1, "f"), mutant(2, "g"), mutant(2, "g"), mutant(3, "g")];
        let stored = |verdicts: &[(u32, V)]| StoredMutants {
            verdicts: verdicts.to_vec(),
            mutant_micros: 500_000,
            ..StoredMutants::default()
        };
        let pair = |relation: &str, stored| ((relation.to_owned(), "1".to_owned()), stored);
        let pairs = [
            pair("one", stored(&[(0, V::Killed), (1, V::Killed), (2, V::Survived)])),
            pair("two", stored(&[(0, V::Crash), (1, V::Survived)])),
        ];
        (MutantRun { mutants, wanted: vec![true, true, true, false], pairs: pairs.into() }, suite)
    }

    #[test]
    fn lines_are_those_of_the_relation_that_runs_the_mutants() {
        let (run, suite) = run();
        let of = SuiteMutants::of(&run, &suite);
        assert_eq!((of.built, of.run), (4, 3));
        assert!((of.processor_seconds - 1.0).abs() < 1e-9);
        let counts = |relation: &str| {
            let of = of.get(relation).unwrap();
            let functions: Vec<_> = of.functions.iter().map(|(name, of)| (&**name, *of)).collect();
            (of.killed, of.reached, functions)
        };
        assert_eq!(counts("one"), (2, 3, vec![("f", [0, 0, 1, 1]), ("g", [1, 2, 0, 0])]));
        assert_eq!(counts("two"), (0, 2, vec![("f", [0, 1, 0, 0]), ("g", [0, 0, 0, 1])]));
        assert_eq!(counts(ALL), (2, 3, vec![("f", [1, 1, 0, 0]), ("g", [1, 2, 0, 0])]));
        assert!((of.score("one").unwrap() - 200.0 / 3.0).abs() < 1e-9, "{:?}", of.score("one"));
    }
}
