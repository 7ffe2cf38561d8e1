//! A formula that tests are derived from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use metacov_core::Input;

use super::analysis::Analysis;
use super::label::Label;
use super::sort::Sort;
use super::symbols::Symbols;
use super::tree::{Kind, NodeId, SyntaxError, Tree, symbol_text};

/// A formula: declarations, then assertions, with one question whether it is satisfiable.
#[derive(Clone, Debug)]
pub struct Seed {
    /// Its file.
    pub name: String,
    /// The right answer, if it is known.
    pub label: Option<Label>,
    /// Its logic, if it names one.
    pub logic: Option<String>,
    pub(super) tree: Tree,
    /// The commands that introduce names.
    pub(super) declarations: Vec<NodeId>,
    /// The asserted terms.
    pub(super) assertions: Vec<NodeId>,
    pub(super) symbols: Symbols,
    pub(super) analysis: Analysis,
    /// Whether it divides by a term whose value is not written in it, or by zero.
    pub(super) divides: bool,
}

/// Why no tests are derived from a script.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unusable {
    /// It is longer than [`SEED_BYTES_MAX`].
    TooLong,
    /// It is not a sequence of s-expressions.
    Syntax(String),
    /// It has this number of `check-sat` commands, not one.
    Questions(usize),
    /// It has a command that a single formula does not need.
    Command(String),
    /// It asserts nothing.
    NoAssertion,
    /// It refers to a term by a name that `:named` gave it.
    NamedTerm,
    /// It needs options of a solver (`; COMMAND-LINE:`).
    NeedsOptions,
}

/// Longer scripts are not used: what a relation changes would be lost in them.
pub const SEED_BYTES_MAX: usize = 100_000;

impl Seed {
    /// Reads a script. The label comes from `:status`, from a comment `; EXPECT:`, or from a folder
    /// in the name of the file.
    pub fn read(name: &str, text: &str) -> Result<Self, Unusable> {
        if text.len() > SEED_BYTES_MAX {
            return Err(Unusable::TooLong);
        }
        if text.lines().any(|line| line.starts_with("; COMMAND-LINE:")) {
            return Err(Unusable::NeedsOptions);
        }
        let mut tree = Tree::read(text.to_owned())?;
        let logic = info(&tree, "set-logic", 1).map(str::to_owned);
        let label = Label::of(info(&tree, "set-info", 2), text, name);
        let numerals = if logic.as_deref().is_some_and(has_reals_only) {
            tree = Tree::read(with_decimals(&tree))?;
            Sort::Real
        } else {
            Sort::Int
        };
        Self::of(tree, name.to_owned(), label, logic, numerals)
    }

    fn of(
        tree: Tree,
        name: String,
        label: Option<Label>,
        logic: Option<String>,
        numerals: Sort,
    ) -> Result<Self, Unusable> {
        let (mut declarations, mut assertions, mut questions) = (Vec::new(), Vec::new(), 0);
        // Said before what stands between them.
        let asked = tree
            .roots()
            .map_while(|command| tree.head(command).filter(|&head| head != "exit"))
            .filter(|&head| head == "check-sat")
            .count();
        if asked > 1 {
            return Err(Unusable::Questions(asked));
        }
        let mut symbols = Symbols::default();
        for command in tree.roots() {
            match tree.head(command).unwrap_or_default() {
                "declare-fun" | "declare-const" | "declare-sort" | "declare-datatype"
                | "declare-datatypes" | "define-fun" | "define-const" | "define-sort"
                | "define-fun-rec" | "define-funs-rec"
                    if questions == 0 =>
                {
                    symbols.add_command(&tree, command);
                    declarations.push(command);
                }
                "assert" if questions == 0 => {
                    symbols.add_bound(&tree, command);
                    assertions.extend(tree.child(command, 1));
                }
                "check-sat" => questions += 1,
                "set-logic"
                | "set-info"
                | "set-option"
                | "get-model"
                | "get-value"
                | "get-proof"
                | "get-assertions"
                | "get-assignment"
                | "get-info"
                | "get-option"
                | "get-unsat-core"
                | "get-unsat-assumptions"
                | "echo" => {}
                "exit" => break,
                other => {
                    let known: String = other.chars().take(40).collect();
                    return Err(Unusable::Command(known));
                }
            }
        }
        if questions != 1 {
            return Err(Unusable::Questions(questions));
        }
        if assertions.is_empty() {
            return Err(Unusable::NoAssertion);
        }
        if refers_to_named_terms(&tree, declarations.iter().chain(&assertions)) {
            return Err(Unusable::NamedTerm);
        }
        let analysis = Analysis::of(&tree, &symbols, &assertions, numerals);
        let divides = (0..tree.len()).any(|node| divides(&tree, node));
        Ok(Seed { name, label, logic, tree, declarations, assertions, symbols, analysis, divides })
    }

    /// Returns the constants of a known sort that occur in assertions, by sort. Names that are also
    /// bound somewhere are left out, so that a term with them means the same everywhere.
    pub(super) fn constants(&self) -> BTreeMap<Sort, Vec<&str>> {
        let mut constants: BTreeMap<Sort, Vec<&str>> = BTreeMap::new();
        for name in self.analysis.occurrences.keys() {
            let sort = self.symbols.functions[name].result;
            if sort != Sort::Unknown && !self.symbols.bound.contains(name) {
                constants.entry(sort).or_default().push(name);
            }
        }
        constants
    }

    /// Returns the formula as an input for a solver. It does not state the label: z3 reports an
    /// answer that contradicts `:status` as an error.
    pub fn input(&self) -> Input {
        Input::from(self.commands(&BTreeMap::new()))
    }

    /// Returns its commands, for a solver, with some terms of the assertions replaced.
    pub(super) fn commands(&self, edits: &BTreeMap<NodeId, String>) -> Vec<String> {
        let mut commands = vec![LOGIC.to_owned()];
        commands.extend(self.declaration_texts());
        commands.extend(self.assertion_texts(edits).map(|term| format!("(assert {term})")));
        commands.push(QUESTION.to_owned());
        commands
    }

    pub(super) fn declaration_texts(&self) -> impl Iterator<Item = String> {
        self.declarations.iter().map(|&command| self.tree.text(command).to_owned())
    }

    /// Returns the asserted terms, with some terms below them replaced.
    pub(super) fn assertion_texts(
        &self,
        edits: &BTreeMap<NodeId, String>,
    ) -> impl Iterator<Item = String> {
        let edits_of = move |term| {
            let edits = edits.range(self.tree.subtree(term));
            edits.map(|(&node, text)| (node, text.as_str()))
        };
        self.assertions.iter().map(move |&term| self.tree.edited(term, edits_of(term)))
    }

    /// Returns all names in it.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        (0..self.tree.len()).filter_map(|node| self.tree.symbol(node)).collect()
    }

    /// Returns the same formula with other names for those that `taken` has. None if a name of the
    /// language would get another meaning: one that is introduced by the seed of `taken` alone.
    pub(super) fn renamed(&self, other: &Seed) -> Option<Seed> {
        let (names, taken) = (self.names(), other.names());
        if other
            .symbols
            .introduced
            .iter()
            .any(|name| names.contains(name.as_str()) && !self.symbols.introduced.contains(name))
        {
            return None;
        }
        let clashing = self.symbols.introduced.iter().filter(|name| taken.contains(name.as_str()));
        let fresh = |name: &String| {
            let mut numbers = 2..;
            let is_free =
                |new: &String| !names.contains(new.as_str()) && !taken.contains(new.as_str());
            numbers.by_ref().map(|number| format!("{name}_{number}")).find(is_free)
        };
        let new: BTreeMap<&str, String> =
            clashing.filter_map(|name| Some((name.as_str(), symbol_text(&fresh(name)?)))).collect();
        if new.is_empty() {
            return Some(self.clone());
        }
        let nodes = (0..self.tree.len())
            .filter_map(|node| Some((node, new.get(self.tree.symbol(node)?)?.as_str())));
        let text = edited_whole(&self.tree, nodes);
        let tree = Tree::read(text).ok()?;
        let numerals =
            if self.logic.as_deref().is_some_and(has_reals_only) { Sort::Real } else { Sort::Int };
        Self::of(tree, self.name.clone(), self.label, self.logic.clone(), numerals).ok()
    }
}

/// The command that asks whether the assertions can hold.
pub(super) const QUESTION: &str = "(check-sat)";

/// All theories are available: relations use terms that the logic of a seed may lack.
pub(super) const LOGIC: &str = "(set-logic ALL)";

/// The word at this position of the first command of a kind; of `set-info`, that of `:status`.
fn info<'t>(tree: &'t Tree, head: &str, at: usize) -> Option<&'t str> {
    let is_wanted = |&command: &NodeId| {
        tree.head(command) == Some(head)
            && (head != "set-info"
                || tree.child(command, 1).is_some_and(|key| tree.text(key) == ":status"))
    };
    tree.roots()
        .find(is_wanted)
        .and_then(|command| tree.child(command, at))
        .map(|node| tree.text(node))
}

/// Whether `1` is a real in a logic.
fn has_reals_only(logic: &str) -> bool {
    (logic.contains("RA") && !logic.contains("IRA")) || logic.contains("RDL")
}

/// The text with decimals in place of numerals: in a logic of all theories `1` is an integer.
fn with_decimals(tree: &Tree) -> String {
    let mut edits = Vec::new();
    for command in tree.roots() {
        if !matches!(tree.head(command), Some("assert" | "define-fun" | "define-const")) {
            continue;
        }
        let mut node = command;
        while node < tree.subtree(command).end {
            if tree.head(node) == Some("_") {
                node = tree.subtree(node).end;
                continue;
            }
            if tree.kind(node) == Kind::Numeral {
                edits.push((node, format!("{}.0", tree.text(node))));
            }
            node += 1;
        }
    }
    edited_whole(tree, edits.iter().map(|(node, text)| (*node, text.as_str())))
}

/// The text with some nodes replaced; comments between commands are dropped unless they have a
/// label.
fn edited_whole<'e>(tree: &Tree, edits: impl Iterator<Item = (NodeId, &'e str)>) -> String {
    let edits: BTreeMap<NodeId, &str> = edits.collect();
    let edited = |root| {
        let inside = edits.range(tree.subtree(root)).map(|(&node, &text)| (node, text));
        tree.edited(root, inside) + "\n"
    };
    tree.roots().map(edited).collect()
}

/// Whether a name that `:named` gives occurs elsewhere.
fn refers_to_named_terms<'n>(tree: &Tree, nodes: impl Iterator<Item = &'n NodeId> + Clone) -> bool {
    let inside = nodes.flat_map(|&node| tree.subtree(node));
    let is_name = |&node: &NodeId| {
        node > 0 && tree.kind(node - 1) == Kind::Keyword && tree.text(node - 1) == ":named"
    };
    let named: BTreeSet<&str> =
        inside.clone().filter(is_name).filter_map(|node| tree.symbol(node)).collect();
    !named.is_empty()
        && inside
            .filter(|node| !is_name(node))
            .any(|node| tree.symbol(node).is_some_and(|name| named.contains(name)))
}

/// Whether a node is a division by anything but a number that is not zero.
fn divides(tree: &Tree, node: NodeId) -> bool {
    let is_number = |divisor: NodeId| {
        matches!(tree.kind(divisor), Kind::Numeral | Kind::Decimal)
            && tree.text(divisor).contains(|digit| ('1'..='9').contains(&digit))
    };
    tree.kind(node) == Kind::List
        && matches!(tree.head(node), Some("/" | "div" | "mod" | "rem"))
        && !tree.children(node).skip(2).all(is_number)
}

impl From<SyntaxError> for Unusable {
    fn from(error: SyntaxError) -> Self {
        Self::Syntax(error.to_string())
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(out, "longer than {SEED_BYTES_MAX} bytes"),
            Self::Syntax(error) => write!(out, "{error}"),
            Self::Questions(count) => write!(out, "{count} check-sat commands, not one"),
            Self::Command(name) => write!(out, "the command {name} is not supported"),
            Self::NoAssertion => write!(out, "no assertion"),
            Self::NamedTerm => write!(out, "refers to a named term"),
            Self::NeedsOptions => write!(out, "needs options of a solver"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Seed, Unusable> {
        Seed::read("a.smt2", text)
    }

    #[test]
    fn a_script_becomes_declarations_and_assertions() {
        let seed = read(
            "(set-info :status sat) (set-option :produce-models true) (declare-const x Int)
             (assert (< x 1)) (declare-const y Int) (assert (< y x)) (check-sat) (get-model) (exit)",
        );
        let commands = seed.unwrap().commands(&BTreeMap::new());
        assert_eq!(
            commands,
            [
                "(set-logic ALL)",
                "(declare-const x Int)",
                "(declare-const y Int)",
                "(assert (< x 1))",
                "(assert (< y x))",
                "(check-sat)"
            ]
        );
    }

    #[test]
    fn scripts_that_are_no_single_formula_are_refused() {
        let refused = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(refused("(assert true)"), "0 check-sat commands, not one");
        assert_eq!(refused("(check-sat)"), "no assertion");
        assert_eq!(refused("(push 1)"), "the command push is not supported");
        assert_eq!(
            refused("(assert true) (check-sat) (assert false)"),
            "the command assert is not supported"
        );
        let two =
            "(assert true) (check-sat) (push 1) (assert false) (check-sat) (exit) (check-sat)";
        assert_eq!(refused(two), "2 check-sat commands, not one");
        assert_eq!(refused("(assert true"), "line 1: this ( is never closed");
        assert_eq!(refused("hello"), "the command  is not supported");
        assert_eq!(refused("; COMMAND-LINE: --finite-model-find\n"), "needs options of a solver");
        let named = "(declare-const p Bool) (assert (! p :named n)) (assert n) (check-sat)";
        assert_eq!(refused(named), "refers to a named term");
        assert_eq!(refused(&" ".repeat(SEED_BYTES_MAX + 1)), "longer than 100000 bytes");
    }

    #[test]
    fn numerals_of_a_logic_of_reals_become_decimals() {
        let seed = read(
            "(set-logic QF_LRA) (declare-const x Real) (assert (< (* 2 x) (/ 1 3))) (check-sat)",
        );
        let commands = seed.unwrap().commands(&BTreeMap::new());
        assert_eq!(commands[2], "(assert (< (* 2.0 x) (/ 1.0 3.0)))");
    }

    #[test]
    fn only_names_that_clash_are_changed() {
        let first = read("(declare-const x Int) (assert (exists ((y Int)) (< x y))) (check-sat)");
        let second = read(
            "(declare-const y Int) (declare-const |z| Int) (assert (let ((x y)) (< x y z))) (check-sat)",
        );
        let renamed = second.unwrap().renamed(&first.unwrap()).unwrap();
        let commands = renamed.commands(&BTreeMap::new());
        assert_eq!(
            commands[1..4],
            [
                "(declare-const y_2 Int)",
                "(declare-const |z| Int)",
                "(assert (let ((x_2 y_2)) (< x_2 y_2 z)))"
            ]
        );
    }

    #[test]
    fn divisions_by_terms_are_noticed() {
        let divides = |term: &str| {
            let text = format!("(declare-const x Real) (assert (< x {term})) (check-sat)");
            read(&text).unwrap().divides
        };
        assert!(!divides("(/ x 2.0)") && !divides("(* x x)"));
        assert!(divides("(/ 2.0 x)") && divides("(/ x 0.0)"));
    }
}
