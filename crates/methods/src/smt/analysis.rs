//! What the assertions of a script consist of: the sorts of terms, the free occurrences of
//! constants, and the atoms with their polarity.

use std::collections::BTreeMap;

use super::operator;
use super::sort::Sort;
use super::symbols::Symbols;
use super::tree::{Kind, NodeId, Tree};

/// What the assertions of a script consist of.
#[derive(Clone, Debug)]
pub(super) struct Analysis {
    /// The sort of each node of the tree; unknown for those that are no terms.
    pub(super) sorts: Vec<Sort>,
    /// Free occurrences of declared constants, by name.
    pub(super) occurrences: BTreeMap<String, Vec<NodeId>>,
    /// The atoms below connectives.
    pub(super) atoms: Vec<Atom>,
}

/// A Boolean term that is no connective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Atom {
    pub(super) node: NodeId,
    pub(super) polarity: Polarity,
}

/// How the truth of a formula depends on that of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polarity {
    /// A weaker part makes the formula weaker.
    Positive,
    /// A weaker part makes the formula stronger.
    Negative,
    /// Neither.
    Mixed,
}

impl Polarity {
    fn flipped(self) -> Self {
        match self {
            Self::Positive => Self::Negative,
            Self::Negative => Self::Positive,
            Self::Mixed => Self::Mixed,
        }
    }
}

impl Analysis {
    /// Analyses the assertions, which are terms of the tree. `numerals` is the sort of `1`.
    pub(super) fn of(
        tree: &Tree,
        symbols: &Symbols,
        assertions: &[NodeId],
        numerals: Sort,
    ) -> Self {
        let sorts = vec![Sort::Unknown; tree.len()];
        let analysis = Analysis { sorts, occurrences: BTreeMap::new(), atoms: Vec::new() };
        let (scopes, tasks) = (BTreeMap::new(), Vec::new());
        let mut walk = Walk { tree, symbols, numerals, analysis, scopes, tasks };
        for &assertion in assertions {
            walk.tasks.push(Task::Visit(assertion, Polarity::Positive));
            walk.run();
        }
        walk.analysis
    }
}

/// A walk over terms with a stack of tasks in place of recursion.
struct Walk<'t> {
    tree: &'t Tree,
    symbols: &'t Symbols,
    numerals: Sort,
    analysis: Analysis,
    /// The sorts of bound variables by name, the innermost last.
    scopes: BTreeMap<&'t str, Vec<Sort>>,
    tasks: Vec<Task>,
}

#[derive(Clone, Copy)]
enum Task {
    Visit(NodeId, Polarity),
    /// The parts of a term were visited.
    Finish(NodeId, Polarity),
    /// The values of a `let` were visited.
    Bind(NodeId),
    /// The body of a binder was visited.
    Unbind(NodeId),
}

impl Walk<'_> {
    fn run(&mut self) {
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Visit(node, polarity) if self.tree.kind(node) == Kind::List => {
                    self.visit_list(node, polarity);
                }
                Task::Visit(node, polarity) => self.visit_word(node, polarity),
                Task::Finish(node, polarity) => self.finish(node, polarity),
                Task::Bind(binder) => self.bind(binder),
                Task::Unbind(binder) => self.unbind(binder),
            }
        }
    }

    fn visit_word(&mut self, node: NodeId, polarity: Polarity) {
        let (tree, text) = (self.tree, self.tree.text(node));
        let digits = u32::try_from(text.len().saturating_sub(2)).ok();
        let sort = match tree.kind(node) {
            Kind::Numeral => self.numerals,
            Kind::Decimal => Sort::Real,
            Kind::String => Sort::String,
            Kind::Binary => super::sort::bit_vec(digits),
            Kind::Hexadecimal => {
                super::sort::bit_vec(digits.and_then(|digits| digits.checked_mul(4)))
            }
            _ => self.visit_symbol(node, polarity),
        };
        self.analysis.sorts[node] = sort;
    }

    fn visit_symbol(&mut self, node: NodeId, polarity: Polarity) -> Sort {
        let Some(name) = self.tree.symbol(node) else { return Sort::Unknown };
        let sort = if let Some(&sort) = self.scopes.get(name).and_then(|sorts| sorts.last()) {
            sort
        } else if let Some(function) = self.symbols.functions.get(name) {
            if function.is_constant && function.is_declared {
                let occurrences = &mut self.analysis.occurrences;
                occurrences.entry(name.to_owned()).or_default().push(node);
            }
            if function.is_constant { function.result } else { Sort::Unknown }
        } else {
            // `true` and `false` are no atoms.
            return operator::constant(name, &[]);
        };
        self.atom(node, sort, polarity);
        sort
    }

    fn atom(&mut self, node: NodeId, sort: Sort, polarity: Polarity) {
        if sort == Sort::Bool && polarity != Polarity::Mixed {
            self.analysis.atoms.push(Atom { node, polarity });
        }
    }

    fn visit_list(&mut self, node: NodeId, polarity: Polarity) {
        let tree = self.tree;
        let child = |at| tree.child(node, at);
        match (tree.head(node), child(1), child(2)) {
            (Some("let"), Some(bindings), Some(body)) => {
                self.tasks.push(Task::Finish(node, polarity));
                self.tasks.push(Task::Unbind(node));
                self.tasks.push(Task::Visit(body, polarity));
                self.tasks.push(Task::Bind(node));
                let values = tree.children(bindings).filter_map(|binding| tree.child(binding, 1));
                self.tasks.extend(values.map(|value| Task::Visit(value, Polarity::Mixed)));
            }
            (Some("forall" | "exists"), Some(_), Some(body)) => {
                self.tasks.push(Task::Finish(node, polarity));
                self.tasks.push(Task::Unbind(node));
                self.bind(node);
                self.tasks.push(Task::Visit(body, polarity));
            }
            // Attributes are no terms.
            (Some("!"), Some(term), _) => {
                self.tasks.push(Task::Finish(node, polarity));
                self.tasks.push(Task::Visit(term, polarity));
            }
            (Some("_"), ..) => {
                let words: Vec<&str> = tree.children(node).map(|word| tree.text(word)).collect();
                if let [_, name, indices @ ..] = &*words {
                    self.analysis.sorts[node] = operator::constant(name, indices);
                }
            }
            (Some("as"), _, Some(sort)) => {
                self.analysis.sorts[node] = self.symbols.sort(tree, sort);
            }
            // Their variables are bound in ways that are not followed here.
            (Some("match" | "lambda" | "as"), ..) => {}
            (head, ..) => {
                self.tasks.push(Task::Finish(node, polarity));
                let count = tree.children(node).count().saturating_sub(1);
                for (at, argument) in tree.children(node).skip(1).enumerate() {
                    let polarity = below(head, at, count, polarity);
                    self.tasks.push(Task::Visit(argument, polarity));
                }
            }
        }
    }

    fn finish(&mut self, node: NodeId, polarity: Polarity) {
        let (tree, sorts) = (self.tree, &self.analysis.sorts);
        let head = tree.child(node, 0);
        let name = head.and_then(|head| tree.symbol(head));
        let arguments: Vec<Sort> = tree.children(node).skip(1).map(|node| sorts[node]).collect();
        let sort = match (head, name) {
            (_, Some("let")) => arguments.get(1).copied().unwrap_or(Sort::Unknown),
            (_, Some("!")) => arguments.first().copied().unwrap_or(Sort::Unknown),
            (_, Some("select")) => {
                let array = tree.child(node, 1).and_then(|array| tree.symbol(array));
                let array = array.filter(|name| !self.scopes.contains_key(name));
                let function = array.and_then(|name| self.symbols.functions.get(name));
                function.map_or(Sort::Unknown, |function| function.element)
            }
            (_, Some(name)) => match self.symbols.functions.get(name) {
                Some(function) => function.result,
                None => operator::result(name, &[], &arguments),
            },
            (Some(head), None) if tree.head(head) == Some("_") => {
                let words: Vec<&str> = tree.children(head).map(|word| tree.text(word)).collect();
                match &*words {
                    [_, name, indices @ ..] => operator::result(name, indices, &arguments),
                    _ => Sort::Unknown,
                }
            }
            _ => Sort::Unknown,
        };
        self.analysis.sorts[node] = sort;
        if !is_connective(name) {
            self.atom(node, sort, polarity);
        }
    }

    /// Binds the variables of a `let` or a quantifier.
    fn bind(&mut self, binder: NodeId) {
        let (tree, is_let) = (self.tree, self.tree.head(binder) == Some("let"));
        let Some(bindings) = tree.child(binder, 1) else { return };
        for binding in tree.children(bindings) {
            let (Some(name), second) = (tree.head(binding), tree.child(binding, 1)) else {
                continue;
            };
            let sort = match second {
                Some(value) if is_let => self.analysis.sorts[value],
                Some(sort) => self.symbols.sort(tree, sort),
                None => Sort::Unknown,
            };
            self.scopes.entry(name).or_default().push(sort);
        }
    }

    fn unbind(&mut self, binder: NodeId) {
        let tree = self.tree;
        let Some(bindings) = tree.child(binder, 1) else { return };
        for name in tree.children(bindings).filter_map(|binding| tree.head(binding)) {
            if let Some(sorts) = self.scopes.get_mut(name) {
                sorts.pop();
                if sorts.is_empty() {
                    self.scopes.remove(name);
                }
            }
        }
    }
}

/// Whether the polarity of the parts of a term is known.
fn is_connective(name: Option<&str>) -> bool {
    matches!(name, Some("and" | "or" | "not" | "=>" | "ite" | "let" | "forall" | "exists" | "!"))
}

/// The polarity of the argument at this position, below a term of this polarity.
fn below(head: Option<&str>, at: usize, count: usize, polarity: Polarity) -> Polarity {
    match head {
        Some("and" | "or") => polarity,
        Some("=>") if at + 1 == count => polarity,
        Some("ite") if at > 0 => polarity,
        Some("not" | "=>") => polarity.flipped(),
        _ => Polarity::Mixed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The analysis of the assertions, and the texts of the atoms with their polarities.
    fn analysed(script: &str) -> (Tree, Analysis, Vec<(String, Polarity)>) {
        let tree = Tree::read(script.to_owned()).unwrap();
        let mut symbols = Symbols::default();
        let mut assertions = Vec::new();
        for command in tree.roots() {
            if tree.head(command) == Some("assert") {
                assertions.extend(tree.child(command, 1));
            } else {
                symbols.add_command(&tree, command);
            }
        }
        let analysis = Analysis::of(&tree, &symbols, &assertions, Sort::Int);
        let text = |atom: &Atom| (tree.text(atom.node).to_owned(), atom.polarity);
        let mut atoms: Vec<_> = analysis.atoms.iter().map(text).collect();
        atoms.sort_by(|a, b| a.0.cmp(&b.0));
        (tree, analysis, atoms)
    }

    #[test]
    fn polarity_follows_the_connectives() {
        use Polarity::{Negative, Positive};
        let (_, _, atoms) = analysed(
            "(declare-const x Int) (declare-const p Bool) (declare-const q Bool)
             (assert (=> (< x 1) (not (and (< x 2) p))))
             (assert (ite q (< x 3) (or (xor p q) (= p q) (forall ((y Int)) (< y 4)))))
             (assert (let ((b (< x 5))) (not b)))",
        );
        let expected = [
            ("(< x 1)", Negative),
            ("(< x 2)", Negative),
            ("(< x 3)", Positive),
            ("(< y 4)", Positive),
            ("(= p q)", Positive),
            ("(xor p q)", Positive),
            ("b", Negative),
            ("p", Negative),
        ];
        assert_eq!(atoms, expected.map(|(text, polarity)| (text.to_owned(), polarity)));
    }

    #[test]
    fn bound_variables_are_no_occurrences() {
        let (_, analysis, _) = analysed(
            "(declare-const x Int) (declare-const y Int) (define-fun c () Int 3)
             (assert (and (< x y) (exists ((x Int)) (< x y)) (let ((x y) (z x)) (< x z c))))
             (assert (! (< x 3) :pattern (x)))",
        );
        assert_eq!(analysis.occurrences["x"].len(), 3);
        assert_eq!(analysis.occurrences["y"].len(), 3);
        assert!(!analysis.occurrences.contains_key("c"));
    }

    #[test]
    fn sorts_of_terms() {
        let (tree, analysis, _) = analysed(
            "(declare-const x (_ BitVec 8)) (declare-fun f (Int) Real) (declare-const u U)
             (declare-const a (Array Int Int))
             (assert (and (= ((_ extract 3 0) x) #xf) (< (f 1) 2.0) (= u u) (< (select a 1) 2)))",
        );
        let sort_of = |text: &str| {
            let node = (0..tree.len()).rfind(|&node| tree.text(node) == text);
            analysis.sorts[node.unwrap()]
        };
        assert_eq!(sort_of("((_ extract 3 0) x)"), Sort::BitVec(4));
        assert_eq!(sort_of("#xf"), Sort::BitVec(4));
        assert_eq!(sort_of("(f 1)"), Sort::Real);
        assert_eq!(sort_of("u"), Sort::Unknown);
        assert_eq!(sort_of("(select a 1)"), Sort::Int);
    }

    #[test]
    fn deep_terms_are_analysed() {
        let depth = 200_000;
        let term = "(not ".repeat(depth) + "p" + &")".repeat(depth);
        let (_, analysis, _) = analysed(&format!("(declare-const p Bool) (assert {term})"));
        assert_eq!(analysis.atoms[0].polarity, Polarity::Positive);
        assert_eq!(analysis.occurrences["p"].len(), 1);
    }
}
