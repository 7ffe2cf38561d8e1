//! SMT-LIB scripts, as text: a statement is a command.

use std::collections::BTreeSet;

use metacov_core::{Case, Effort, Language, Reduction, ReductionStopped, StillFails, Variant};

use super::reduce;
use super::tree::{Kind, Tree};

/// The language of SMT solvers.
pub(super) struct Smtlib;

impl Language for Smtlib {
    fn extension(&self) -> &'static str {
        "smt2"
    }

    fn comment(&self) -> &'static str {
        ";"
    }

    /// A script that cannot be read is one statement.
    fn statements(&self, script: &str) -> Vec<String> {
        match Tree::read(script.to_owned()) {
            Ok(tree) => tree.roots().map(|root| tree.text(root).to_owned()).collect(),
            Err(_) => vec![script.to_owned()],
        }
    }

    fn words(&self, statement: &str) -> Vec<String> {
        let Ok(tree) = Tree::read(statement.to_owned()) else { return vec![statement.to_owned()] };
        let words = (0..tree.len()).filter(|&node| tree.kind(node) != Kind::List);
        words.map(|node| tree.text(node).to_owned()).collect()
    }

    fn is_setting(&self, statement: &str) -> bool {
        statement.starts_with("(set-option")
    }

    /// The inputs follow each other, each from the beginning. `(echo)` says which one is next.
    fn reproducer(&self, case: &Case, heading: &[String]) -> String {
        let heading = heading.iter().flat_map(|line| ["; ", line, "\n"]);
        let mut text: String = heading.collect();
        for (name, side) in [("a", &case.sides.a), ("b", &case.sides.b)] {
            for input in side {
                text.extend(["(echo \"side ", name, ":\")\n"]);
                text.push_str(&self.script(&case.setup));
                text.push_str(&self.script(&input.statements));
                text.push_str("(reset)\n");
            }
        }
        text
    }

    fn reduce(
        &self,
        case: &Case,
        _: Effort,
        candidates_max: usize,
        fails: &mut StillFails<'_>,
    ) -> Result<Reduction, ReductionStopped> {
        reduce::reduce(case, candidates_max, fails)
    }

    fn variants(&self, case: &Case, count_max: usize) -> Vec<Variant> {
        reduce::variants(case, count_max)
    }

    /// The operators of the last side.
    fn features(&self, case: &Case, _: &BTreeSet<String>, is_crash: bool) -> BTreeSet<String> {
        let sides = if is_crash { vec![&case.sides.a, &case.sides.b] } else { vec![&case.sides.b] };
        let mut features = BTreeSet::new();
        for statement in sides.into_iter().flatten().flat_map(|input| &input.statements) {
            let Ok(tree) = Tree::read(statement.clone()) else { continue };
            let heads = (1..tree.len()).filter_map(|node| tree.head(node));
            features.extend(heads.filter(|head| is_operator(head)).map(ToOwned::to_owned));
        }
        features
    }

    /// Names are numbered, and numbers are 0.
    fn normal_form(&self, case: &Case) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let statements = case.statements().filter(|statement| !statement.starts_with("(set-info"));
        statements.map(|statement| normal_statement(statement, &mut names)).collect()
    }
}

/// Whether a name is that of an operator of SMT-LIB, and not one of the script.
fn is_operator(name: &str) -> bool {
    let core = ["not", "and", "or", "=>", "xor", "=", "distinct", "ite", "let", "forall", "exists"];
    let others = [
        "_",
        "+",
        "-",
        "*",
        "/",
        "div",
        "mod",
        "abs",
        "<",
        "<=",
        ">",
        ">=",
        "to_real",
        "to_int",
        "is_int",
        "select",
        "store",
        "concat",
        "extract",
        "zero_extend",
        "sign_extend",
    ];
    let prefixes = ["bv", "fp", "str.", "re."];
    core.contains(&name)
        || others.contains(&name)
        || prefixes.iter().any(|prefix| name.starts_with(prefix))
}

fn normal_statement(statement: &str, names: &mut Vec<String>) -> String {
    let Ok(tree) = Tree::read(statement.to_owned()) else { return statement.to_owned() };
    let mut edits: Vec<(usize, String)> = Vec::new();
    for node in 0..tree.len() {
        match tree.kind(node) {
            Kind::Numeral | Kind::Decimal => edits.push((node, "0".to_owned())),
            Kind::String => edits.push((node, "\"\"".to_owned())),
            Kind::Symbol => {
                let name = tree.symbol(node).unwrap_or_default();
                // The name of a declaration is new; the same one elsewhere is the same name.
                let is_declared = node == 2
                    && matches!(tree.head(0), Some("declare-const" | "declare-fun" | "define-fun"));
                if is_declared && !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
                if let Some(number) = names.iter().position(|known| known == name) {
                    edits.push((node, format!("v{number}")));
                }
            }
            _ => {}
        }
    }
    let edits = edits.iter().map(|(node, text)| (*node, text.as_str()));
    if tree.is_empty() { String::new() } else { tree.edited(0, edits) }
}

#[cfg(test)]
mod tests {
    use metacov_core::{Input, Judge, Pair};

    use super::*;

    fn case(a: &[&str], b: &[&str]) -> Case {
        let input = |statements: &[&str]| {
            Input::from(statements.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())
        };
        Case {
            relation: "sae".to_owned(),
            setup: Vec::new(),
            sides: Pair { a: vec![input(a)], b: vec![input(b)] },
            parts: Vec::new(),
            judge: Judge::WeakerAnswer,
        }
    }

    #[test]
    fn a_script_has_the_statements_that_it_was_made_of() {
        let statements =
            ["(declare-const x Int)", "(assert (< x\n 1))", "(check-sat)"].map(ToOwned::to_owned);
        assert_eq!(Smtlib.statements(&Smtlib.script(&statements)), statements);
        assert_eq!(Smtlib.statements("(assert"), ["(assert"]);
        assert_eq!(Smtlib.words("(assert (< x |y z|))"), ["assert", "<", "x", "|y z|"]);
    }

    #[test]
    fn a_reproducer_starts_each_input_from_the_beginning() {
        let text =
            Smtlib.reproducer(&case(&["(check-sat)"], &["(check-sat)"]), &["first".to_owned()]);
        assert_eq!(
            text,
            "; first\n(echo \"side a:\")\n(check-sat)\n(reset)\n\
             (echo \"side b:\")\n(check-sat)\n(reset)\n"
        );
    }

    #[test]
    fn normal_forms_have_no_names_and_numbers() {
        let of = |name: &str, number: u32| {
            let declared = format!("(declare-const {name} Int)");
            let asserted = format!("(assert (< {name} {number}))");
            Smtlib.normal_form(&case(&[&declared, &asserted], &[]))
        };
        assert_eq!(of("x", 1), of("long", 22));
        assert_eq!(of("x", 1), ["(declare-const v0 Int)", "(assert (< v0 0))"]);
    }

    #[test]
    fn features_are_operators() {
        let case = case(&[], &["(assert (bvult (f x) (+ y 1)))"]);
        let features = Smtlib.features(&case, &BTreeSet::new(), false);
        assert_eq!(features.into_iter().collect::<Vec<_>>(), ["+", "bvult"]);
    }
}
