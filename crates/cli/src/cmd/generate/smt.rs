//! `metacov gen smt`: tests of solvers, which need no solver to be generated.

use std::fs;
use std::path::Path;

use metacov_core::{Facts, Input, Pair, RelationInfo, Rng, seed};
use metacov_formats::Fault;
use metacov_methods::SMT;
use metacov_methods::smt::{Formulas, Label};
use metacov_run::{ALL, RunError};

use crate::exit_code::bail_usage;

/// Which tests to write. They are those that `metacov measure` runs with the same numbers.
pub struct SmtTests<'a> {
    pub relations: &'a [String],
    pub count: u64,
    pub databases: u64,
    pub seed: u64,
    pub facts: Facts,
}

impl SmtTests<'_> {
    /// Writes each test to a folder RELATION/NUMBER: a1.smt2, a2.smt2 and b.smt2, or a.smt2 and
    /// b.smt2. Returns how many there are.
    pub fn write(&self, out: &Path) -> Result<u64, RunError> {
        let formulas = Formulas::of(&self.facts);
        let relations = self.chosen()?;
        for &(at, relation) in &relations {
            for number in 0..self.count {
                let state = number % self.databases;
                let mut rng = Rng::new(seed(&[self.seed, state, at as u64, number]));
                let folder = out.join(relation.name).join(number.to_string());
                let (test, label) = formulas.derive_with_label(at, &mut rng);
                let written = write_sides(&folder, &test.sides, label);
                let fault = |error| Fault::Io(error).of(folder.display().to_string());
                written.map_err(|error| RunError::Output(fault(error)))?;
            }
        }
        Ok(self.count * relations.len() as u64)
    }

    /// The relations with their positions.
    fn chosen(&self) -> Result<Vec<(usize, &'static RelationInfo)>, RunError> {
        let known: Vec<(usize, &RelationInfo)> = SMT.relations().iter().enumerate().collect();
        if self.relations.iter().any(|name| name == ALL) {
            return Ok(known);
        }
        let mut chosen = Vec::new();
        for name in self.relations {
            let Some(relation) = known.iter().find(|(_, relation)| relation.name == name) else {
                let names: Vec<&str> = known.iter().map(|(_, relation)| relation.name).collect();
                bail_usage!("`{name}` is not a relation (all, {})", names.join(", "));
            };
            chosen.push(*relation);
        }
        Ok(chosen)
    }
}

/// Writes the inputs of both sides, each with the right answer as its status.
fn write_sides(
    folder: &Path,
    sides: &Pair<Vec<Input>>,
    label: Option<Label>,
) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let status = label.map(|label| format!("(set-info :status {})\n", label.answer()));
    let language = SMT.language();
    for (name, side) in [("a", &sides.a), ("b", &sides.b)] {
        for (number, input) in side.iter().enumerate() {
            let number = if side.len() == 1 { String::new() } else { (number + 1).to_string() };
            let file = format!("{name}{number}.{}", language.extension());
            let script = language.script(&input.statements);
            fs::write(folder.join(file), status.clone().unwrap_or_default() + &script)?;
        }
    }
    Ok(())
}
