//! The seeds that are part of metacov: small formulas of eight theories, half of them satisfiable.

use super::seed::{Seed, Unusable};

/// Files of formulas. Each formula begins with a comment that names it and ends with `(reset)`, so
/// that a solver can run a whole file.
pub const FILES: &[(&str, &str)] = &[
    ("lia", include_str!("seeds/lia.smt2")),
    ("lra", include_str!("seeds/lra.smt2")),
    ("nra", include_str!("seeds/nra.smt2")),
    ("bv", include_str!("seeds/bv.smt2")),
    ("strings", include_str!("seeds/strings.smt2")),
    ("uf", include_str!("seeds/uf.smt2")),
    ("auflia", include_str!("seeds/auflia.smt2")),
    ("fp", include_str!("seeds/fp.smt2")),
];

const NAME: &str = "; formula ";

/// Returns all embedded seeds.
pub fn seeds() -> Vec<Seed> {
    let read = |(name, text): (String, String)| Seed::read(&name, &text);
    // A test checks that each of them can be read.
    texts().into_iter().map(read).filter_map(Result::<Seed, Unusable>::ok).collect()
}

/// Returns the name and the text of each embedded seed.
pub fn texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for (file, text) in FILES {
        for formula in text.split(NAME).skip(1) {
            let (name, script) = formula.split_once('\n').unwrap_or_default();
            texts.push((format!("{file}/{name}"), script.replace("(reset)\n", "")));
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::label::Label;
    use super::*;

    #[test]
    fn every_embedded_seed_is_usable_and_labelled() {
        let names: BTreeSet<String> = texts().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), texts().len(), "two seeds have the same name");
        let seeds = seeds();
        assert_eq!(seeds.len(), texts().len());
        for label in [Label::Sat, Label::Unsat] {
            let count = seeds.iter().filter(|seed| seed.label == Some(label)).count();
            assert_eq!(count, 33, "{label:?}");
        }
        for seed in &seeds {
            assert!(!seed.analysis.atoms.is_empty(), "{}", seed.name);
            let first = seed.name.split('/').next().unwrap_or_default();
            assert!(FILES.iter().any(|(file, _)| *file == first));
        }
    }
}
