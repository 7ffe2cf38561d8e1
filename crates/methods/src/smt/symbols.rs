//! The names that a script introduces.

use std::collections::{BTreeMap, BTreeSet};

use super::sort::Sort;
use super::tree::{Kind, NodeId, Tree};

/// The names that a script introduces.
#[derive(Clone, Debug, Default)]
pub(super) struct Symbols {
    /// Constants, functions and abbreviations, by name.
    pub(super) functions: BTreeMap<String, Function>,
    /// Abbreviations of sorts.
    sorts: BTreeMap<String, Sort>,
    /// All names that the script introduces anywhere: those above, those of sorts and of data
    /// types, of variables in terms, and of named terms.
    pub(super) introduced: BTreeSet<String>,
    /// Of these, variables that are bound in a term.
    pub(super) bound: BTreeSet<String>,
}

/// The result of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Function {
    /// Whether it is a constant.
    pub(super) is_constant: bool,
    /// Whether it is declared, so its value is free, and not defined.
    pub(super) is_declared: bool,
    /// The sort of its result.
    pub(super) result: Sort,
    /// If the result is an array, the sort of its elements.
    pub(super) element: Sort,
}

impl Symbols {
    /// Collects the names of a declaration or definition.
    pub(super) fn add_command(&mut self, tree: &Tree, command: NodeId) {
        let child = |at| tree.child(command, at);
        let name = || child(1).and_then(|node| tree.symbol(node)).unwrap_or_default().to_owned();
        let head = tree.head(command).unwrap_or_default();
        match (head, child(2), child(3)) {
            ("declare-const", Some(sort), _) => self.add_function(tree, name(), (true, true), sort),
            ("declare-fun" | "define-fun" | "define-fun-rec", Some(arguments), Some(sort)) => {
                let is_constant = tree.subtree(arguments).len() == 1;
                self.add_function(tree, name(), (is_constant, head == "declare-fun"), sort);
            }
            ("define-const", Some(sort), _) => self.add_function(tree, name(), (true, false), sort),
            ("define-sort", Some(parameters), Some(sort))
                if tree.subtree(parameters).len() == 1 =>
            {
                let sort = self.sort(tree, sort);
                self.sorts.insert(name(), sort);
                self.introduced.insert(name());
            }
            ("declare-sort" | "define-sort", ..) => {
                self.introduced.insert(name());
            }
            // Constructors, selectors and mutually recursive functions: every symbol that is not a
            // sort or an operator of the language is regarded as new.
            _ => {
                let words = tree.subtree(command).skip(2).filter_map(|node| tree.symbol(node));
                let new = words.filter(|word| !is_reserved(word)).map(ToOwned::to_owned);
                self.introduced.extend(new);
            }
        }
        // Parameters of definitions are bound variables; their text is `(name sort)`.
        if let ("define-fun" | "define-fun-rec", Some(parameters)) = (head, child(2)) {
            for name in tree.children(parameters).filter_map(|parameter| tree.head(parameter)) {
                self.bind(name.to_owned());
            }
        }
        self.add_bound(tree, command);
    }

    /// Collects variables that are bound below a node, and named terms.
    pub(super) fn add_bound(&mut self, tree: &Tree, below: NodeId) {
        for node in tree.subtree(below) {
            match tree.kind(node) {
                Kind::List => {
                    if let (Some("let" | "forall" | "exists" | "lambda" | "match"), Some(list)) =
                        (tree.head(node), tree.child(node, 1))
                    {
                        for name in tree.children(list).filter_map(|binding| tree.head(binding)) {
                            self.bind(name.to_owned());
                        }
                    }
                }
                Kind::Keyword if tree.text(node) == ":named" => {
                    let name = (node + 1 < tree.len()).then(|| tree.symbol(node + 1)).flatten();
                    self.introduced.extend(name.map(ToOwned::to_owned));
                }
                _ => {}
            }
        }
    }

    /// Reads a sort, with the abbreviations of the script.
    pub(super) fn sort(&self, tree: &Tree, node: NodeId) -> Sort {
        let abbreviated = tree.symbol(node).and_then(|name| self.sorts.get(name));
        abbreviated.copied().unwrap_or_else(|| Sort::read(tree, node))
    }

    fn bind(&mut self, name: String) {
        self.bound.insert(name.clone());
        self.introduced.insert(name);
    }

    fn add_function(
        &mut self,
        tree: &Tree,
        name: String,
        (is_constant, is_declared): (bool, bool),
        sort: NodeId,
    ) {
        let result = self.sort(tree, sort);
        let element = match (tree.head(sort), tree.child(sort, 2)) {
            (Some("Array"), Some(element)) => self.sort(tree, element),
            _ => Sort::Unknown,
        };
        self.introduced.insert(name.clone());
        self.functions.insert(name, Function { is_constant, is_declared, result, element });
    }
}

/// Words of data types and of recursive definitions that are not introduced by them.
fn is_reserved(word: &str) -> bool {
    const SORTS: &[&str] = &["Array", "BitVec", "Bool", "FloatingPoint", "Int", "Real", "String"];
    const OPERATORS: &[&str] = &["_", "and", "div", "ite", "let", "mod", "not", "or", "par", "xor"];
    let is_letter = |letter: char| letter.is_ascii_alphabetic();
    !word.contains(is_letter) || SORTS.contains(&word) || OPERATORS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(script: &str) -> Symbols {
        let tree = Tree::read(script.to_owned()).unwrap();
        let mut symbols = Symbols::default();
        for command in tree.roots() {
            symbols.add_command(&tree, command);
        }
        symbols
    }

    #[test]
    fn constants_and_functions_have_sorts() {
        let symbols = symbols(
            "(define-sort Byte () (_ BitVec 8)) (declare-fun x () Byte) (declare-const |y| Real)
             (declare-fun f (Int) Bool) (define-fun g ((p Int)) Int (let ((q p)) q))
             (declare-const a (Array Int Real))",
        );
        let function = |name: &str| symbols.functions[name];
        assert_eq!(function("x").result, Sort::BitVec(8));
        assert_eq!(function("y").result, Sort::Real);
        assert!(!function("f").is_constant && function("f").is_declared);
        assert!(!function("g").is_declared);
        assert_eq!((function("a").result, function("a").element), (Sort::Unknown, Sort::Real));
        assert_eq!(symbols.bound.iter().collect::<Vec<_>>(), ["p", "q"]);
    }

    #[test]
    fn names_of_data_types_and_named_terms_are_introduced() {
        let symbols = symbols(
            "(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
             (declare-sort U 0) (assert (! true :named n))",
        );
        for name in ["List", "nil", "cons", "head", "tail", "U", "n"] {
            assert!(symbols.introduced.contains(name), "{name}");
        }
        assert!(!symbols.introduced.contains("Int"));
    }
}
