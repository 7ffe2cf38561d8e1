//! Tests as files, for tools that run solvers themselves.

use metacov_core::{Facts, Rng, seed};

use super::subject::{Formulas, SMT};

/// A test as files.
pub struct TestFiles {
    /// The relation.
    pub relation: &'static str,
    /// The number of the test.
    pub number: u64,
    /// The name and the text of each input: `a1.smt2`, `a2.smt2` and `b.smt2`, or `a.smt2` and
    /// `b.smt2`. If the right answer is known, it is the status of each.
    pub files: Vec<(String, String)>,
}

/// Returns `count` tests of each of these relations, given by their positions. They are those that
/// `metacov measure` runs with the same seed and numbers.
pub fn test_files(
    facts: &Facts,
    relations: Vec<usize>,
    (base, count, states): (u64, u64, u64),
) -> impl Iterator<Item = TestFiles> {
    let formulas = Formulas::of(facts);
    let numbered = relations
        .into_iter()
        .flat_map(move |relation| (0..count).map(move |number| (relation, number)));
    numbered.map(move |(relation, number)| {
        let mut rng = Rng::new(seed(&[base, number % states, relation as u64, number]));
        test(&formulas, relation, number, &mut rng)
    })
}

fn test(formulas: &Formulas, relation: usize, number: u64, rng: &mut Rng) -> TestFiles {
    let (test, label) = formulas.derive_with_label(relation, rng);
    let status = label.map(|label| format!("(set-info :status {})\n", label.answer()));
    let (status, language) = (status.unwrap_or_default(), SMT.language());
    let mut files = Vec::new();
    for (side, inputs) in [("a", &test.sides.a), ("b", &test.sides.b)] {
        for (input, at) in inputs.iter().zip(1..) {
            let at = if inputs.len() == 1 { String::new() } else { format!("{at}") };
            let name = format!("{side}{at}.{}", language.extension());
            files.push((name, status.clone() + &language.script(&input.statements)));
        }
    }
    TestFiles { relation: SMT.relations()[relation].name, number, files }
}
