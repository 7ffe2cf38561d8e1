//! Formulas are read as `yaspar-ir` reads them: where commands begin and end, what they consist of,
//! and which sorts their terms have.

use std::fmt::Write as _;

use yaspar_ir::ast::{Context, Typecheck as _};
use yaspar_ir::traits::MetaData as _;
use yaspar_ir::untyped::{Command, UntypedAst};

use metacov_core::{Facts, Rng};

use super::embedded;
use super::subject::SMT;
use super::tree::{Kind, NodeId, Tree};

/// How many tests of each relation are derived.
const TESTS: u64 = 150;

/// The embedded formulas, and the inputs of tests that are derived from them.
fn scripts() -> Vec<String> {
    let mut scripts: Vec<String> = embedded::texts().into_iter().map(|(_, text)| text).collect();
    let (subject, language) = (SMT.subject(&Facts::new()), SMT.language());
    for relation in 0..SMT.relations().len() {
        for number in 0..TESTS {
            let sides = subject.derive(relation, &mut Rng::new(number)).sides;
            let inputs = sides.a.iter().chain(&sides.b);
            scripts.extend(inputs.map(|input| language.script(&input.statements)));
        }
    }
    scripts
}

fn commands(script: &str) -> Vec<Command> {
    UntypedAst.parse_script_str(script).unwrap_or_else(|error| panic!("{error:?}: {script}"))
}

/// Whether yaspar-ir knows all sorts: it has no floating-point numbers.
fn is_typed(script: &str) -> bool {
    !script.contains("FloatingPoint") && !script.contains("Float16")
}

/// The scripts of a logic that yaspar-ir knows, as those of all derived tests.
const LOGIC: &str = "(set-logic ALL)";

fn check_types(script: &str) -> Result<(), String> {
    commands(script).type_check(&mut Context::new()).map(drop)
}

/// What a node consists of, without where it is. yaspar-ir prints decimals without zeros at the end.
fn shape(tree: &Tree, node: NodeId) -> Vec<(Kind, usize, String)> {
    let text = |node| match tree.kind(node) {
        Kind::List => String::new(),
        Kind::Decimal => tree.text(node).trim_end_matches('0').to_owned(),
        _ => tree.text(node).to_owned(),
    };
    tree.subtree(node).map(|at| (tree.kind(at), tree.subtree(at).len(), text(at))).collect()
}

#[test]
fn commands_are_where_yaspar_ir_finds_them_and_consist_of_the_same() {
    for script in scripts() {
        let tree = Tree::read(script.clone()).unwrap();
        let roots: Vec<NodeId> = tree.roots().collect();
        let commands = commands(&script);
        assert_eq!(roots.len(), commands.len(), "{script}");
        for (root, command) in roots.into_iter().zip(commands) {
            let range = command.meta_data();
            assert!(script.is_ascii(), "characters are bytes");
            assert_eq!(tree.span(root), range.start.char_num..range.end.char_num, "{script}");
            let printed = Tree::read(command.to_string()).unwrap();
            assert_eq!(shape(&tree, root), shape(&printed, 0), "{script}");
        }
    }
}

#[test]
fn derived_formulas_are_well_sorted() {
    let mut scripts = scripts();
    scripts.retain(|script| script.starts_with(LOGIC));
    let typed: Vec<&String> = scripts.iter().filter(|script| is_typed(script)).collect();
    assert!(typed.len() * 2 > scripts.len(), "{} of {}", typed.len(), scripts.len());
    for script in typed {
        check_types(script).unwrap_or_else(|error| panic!("{error}: {script}"));
    }
}

/// A term has the sort that is inferred for it if it can be the body of a function with this result.
#[test]
fn inferred_sorts_are_those_of_yaspar_ir() {
    let (mut checked, mut unknown) = (0, 0);
    for seed in embedded::seeds().iter().filter(|seed| is_typed(seed.tree.whole_text())) {
        let tree = &seed.tree;
        let declarations: String = seed.declaration_texts().collect();
        let mut node = 0;
        let mut script = format!("{LOGIC} {declarations}");
        for &assertion in &seed.assertions {
            node = node.max(assertion);
            while node < tree.subtree(assertion).end {
                // Variables have no meaning outside of their binder.
                if matches!(tree.head(node), Some("let" | "forall" | "exists")) {
                    node = tree.subtree(node).end;
                    continue;
                }
                match seed.analysis.sorts[node].text() {
                    Some(sort) => {
                        checked += 1;
                        let term = tree.text(node);
                        let _ = write!(script, " (define-fun term_{checked} () {sort} {term})");
                    }
                    None => unknown += 1,
                }
                node += 1;
            }
        }
        check_types(&script).unwrap_or_else(|error| panic!("{}: {error}: {script}", seed.name));
    }
    assert!(checked > 500, "{checked} terms, {unknown} without a sort");
    let wrong = "(declare-const x Real) (define-fun term () Int (+ x 1.0))";
    assert!(check_types(&format!("{LOGIC} {wrong}")).is_err());
}
