//! Which mutants are run.

use std::collections::BTreeSet;
use std::num::NonZero;

use metacov_core::Fingerprint;
use metacov_mutants::{Mutant, Operator};

/// Which mutants are run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MutantChoice {
    /// Those of these operators; all if empty.
    pub operators: Vec<Operator>,
    /// Those on these lines, by path.
    pub lines: Option<BTreeSet<(String, u32)>>,
    /// A sample of this size.
    pub sample: Option<NonZero<usize>>,
}

impl MutantChoice {
    /// Returns for each mutant whether it is run.
    pub fn of(&self, mutants: &[Mutant]) -> Vec<bool> {
        let mut wanted: Vec<bool> = mutants.iter().map(|mutant| self.fits(mutant)).collect();
        let Some(size) = self.sample else { return wanted };
        // The same mutants each time, whatever the order of the build.
        let rank = |mutant: &Mutant| {
            let mut fingerprint = Fingerprint::new();
            fingerprint.text(&mutant.name());
            fingerprint.hash()
        };
        let ranks = mutants.iter().enumerate().filter(|(at, _)| wanted[*at]);
        let mut ranks: Vec<(u64, usize)> = ranks.map(|(at, mutant)| (rank(mutant), at)).collect();
        ranks.sort_unstable();
        for (_, at) in ranks.iter().skip(size.get()) {
            wanted[*at] = false;
        }
        wanted
    }

    fn fits(&self, mutant: &Mutant) -> bool {
        let is_on = |lines: &BTreeSet<(String, u32)>| {
            lines.iter().any(|(path, line)| {
                *line == mutant.line
                    && path.trim_start_matches('/').ends_with(mutant.file.trim_start_matches('/'))
            })
        };
        let is_of_operator = self.operators.is_empty() || self.operators.contains(&mutant.operator);
        is_of_operator && self.lines.as_ref().is_none_or(is_on)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(line: u32, operator: Operator) -> Mutant {
        Mutant { file: "src/a.c".into(), line, column: 1, operator, function: "f".into() }
    }

    #[test]
    fn a_choice_is_by_operator_line_and_sample() {
        let mutants: Vec<Mutant> = (1..=20)
            .flat_map(|line| [mutant(line, Operator::AddToSub), mutant(line, Operator::EqToNe)])
            .collect();
        let chosen = |choice: &MutantChoice| -> Vec<Mutant> {
            let wanted = choice.of(&mutants);
            mutants.iter().zip(wanted).filter(|(_, is)| *is).map(|(one, _)| one.clone()).collect()
        };
        assert_eq!(chosen(&MutantChoice::default()), mutants);
        let operators = vec![Operator::EqToNe];
        let of_operator = MutantChoice { operators, ..MutantChoice::default() };
        assert_eq!(chosen(&of_operator).len(), 20);
        let lines = Some([("/home/x/src/a.c".to_owned(), 3), ("b.c".to_owned(), 4)].into());
        let on_line = MutantChoice { lines, ..of_operator.clone() };
        assert_eq!(chosen(&on_line), [mutant(3, Operator::EqToNe)]);
        let sample = MutantChoice { sample: NonZero::new(5), ..of_operator };
        let first = chosen(&sample);
        assert_eq!(first.len(), 5);
        // The order of the build does not matter.
        let reversed: Vec<Mutant> = mutants.iter().rev().cloned().collect();
        let wanted = sample.of(&reversed);
        let again = reversed.iter().zip(wanted).filter(|(_, is)| *is).map(|(one, _)| one);
        assert_eq!(again.cloned().collect::<BTreeSet<_>>(), first.into_iter().collect());
    }
}
