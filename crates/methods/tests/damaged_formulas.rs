//! Damaged scripts: whatever the text, reading it ends without a panic and loses nothing, and tests
//! can be derived from every script that is usable.
//!
//! `METACOV_DAMAGED=1000000 cargo test --release -p metacov-methods --test damaged_formulas` for more.

use metacov_core::{Facts, Rng};
use metacov_methods::SMT;
use metacov_methods::smt::{SEED_FACT, Seed, Tree, texts};

/// How many damaged scripts are read.
const SCRIPTS: u64 = 3000;

/// Pieces that matter to the reader.
const PIECES: &[&str] = &[
    "(",
    ")",
    "((",
    "))",
    "\"",
    "\"\"",
    "|",
    ";",
    "\n",
    ":named",
    "(let ((x 1)) ",
    "(! x :named n)",
    "(_ bv1 0)",
    "(_ BitVec 99999999999)",
    "#b",
    "#x",
    "#xZ",
    "1.",
    ".5",
    "(forall ((y Int)) ",
    "()",
    "(assert)",
    "(declare-const)",
    "(check-sat)",
    "(exit)",
    "\u{e9}",
    "\0",
    "(- )",
    "(let)",
    "(=> )",
];

fn damaged(text: &str, rng: &mut Rng) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..rng.between(1, 6) {
        let at = rng.below(letters.len() + 1);
        let end = (at + rng.below(12)).min(letters.len());
        match rng.below(4) {
            0 => drop(letters.drain(at..end)),
            1 => letters.truncate(at),
            2 => {
                let copied: Vec<char> = letters[at..end].to_vec();
                letters.splice(at..at, copied);
            }
            _ => drop(letters.splice(at..at, rng.pick(PIECES).chars())),
        }
    }
    letters.into_iter().collect()
}

#[test]
fn damaged_scripts_are_read_or_refused() {
    let count = std::env::var("METACOV_DAMAGED").ok().and_then(|count| count.parse().ok());
    let seeds = texts();
    let [mut refused, mut usable] = [0, 0];
    for number in 0..count.unwrap_or(SCRIPTS) {
        let mut rng = Rng::new(number);
        let text = damaged(&rng.pick(&seeds).1, &mut rng);
        let Ok(tree) = Tree::read(text.clone()) else {
            refused += 1;
            continue;
        };
        assert_eq!(tree.whole_text(), text);
        let mut end = 0;
        for node in 0..tree.len() {
            let span = tree.span(node);
            assert!(span.start >= end && span.end <= text.len() && !span.is_empty(), "{text}");
            end = span.start;
            let children: Vec<usize> = tree.children(node).collect();
            assert!(children.iter().all(|child| tree.subtree(node).contains(child)), "{text}");
        }
        if Seed::read("damaged", &text).is_ok() {
            usable += 1;
            // Ill-sorted formulas are the solver's concern; deriving tests from them must end.
            let facts = Facts::from([(format!("{SEED_FACT}sat/{number}"), text)]);
            let subject = SMT.subject(&facts);
            for relation in 0..SMT.relations().len() {
                let sides = subject.derive(relation, &mut rng).sides;
                let inputs = sides.a.iter().chain(&sides.b);
                for statement in inputs.flat_map(|input| &input.statements) {
                    assert!(Tree::read(statement.clone()).is_ok(), "{statement}");
                }
            }
        }
    }
    assert!(refused > 100 && usable > 100, "{refused} refused, {usable} usable");
}
