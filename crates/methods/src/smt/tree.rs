//! SMT-LIB text as a tree of s-expressions. Nothing is lost: a node is a span of the text.
//!
//! Nodes are stored in the order in which they begin, so a subtree is a range of numbers, and
//! neither reading nor walking needs recursion.

use std::fmt;
use std::ops::Range;

/// A text and its s-expressions.
#[derive(Clone, Debug)]
pub struct Tree {
    text: String,
    nodes: Vec<Node>,
}

/// The number of a node in its tree.
pub type NodeId = usize;

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    start: u32,
    end: u32,
    /// The number after that of its last descendant.
    subtree_end: u32,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `( ... )`
    List,
    /// `x` or `|x|`
    Symbol,
    /// `:named`
    Keyword,
    /// `12`
    Numeral,
    /// `1.5`
    Decimal,
    /// `#x1f`
    Hexadecimal,
    /// `#b01`
    Binary,
    /// `"text"`; a double quotation mark in it is written twice.
    String,
}

/// Why a text cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: &'static str,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.what)
    }
}

impl Tree {
    /// Reads a text.
    pub fn read(text: String) -> Result<Self, SyntaxError> {
        let mut reader = Reader { bytes: text.as_bytes(), at: 0, nodes: Vec::new() };
        match reader.read() {
            Ok(()) => Ok(Tree { nodes: reader.nodes, text }),
            Err((at, what)) => {
                let line = text.as_bytes()[..at].split(|&byte| byte == b'\n').count();
                Err(SyntaxError { line, what })
            }
        }
    }

    /// Returns the expressions that are in no list.
    pub fn roots(&self) -> Children<'_> {
        Children { tree: self, next: 0, end: self.nodes.len() }
    }

    /// Returns the elements of a list. Other nodes have none.
    pub fn children(&self, node: NodeId) -> Children<'_> {
        Children { tree: self, next: node + 1, end: self.subtree(node).end }
    }

    /// Returns the element of a list at this position.
    pub fn child(&self, node: NodeId, at: usize) -> Option<NodeId> {
        self.children(node).nth(at)
    }

    /// Returns the numbers of a node and of all nodes below it.
    pub fn subtree(&self, node: NodeId) -> Range<NodeId> {
        node..self.nodes[node].subtree_end as usize
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns what a node is.
    pub fn kind(&self, node: NodeId) -> Kind {
        self.nodes[node].kind
    }

    /// Returns the place of a node in the text.
    pub fn span(&self, node: NodeId) -> Range<usize> {
        self.nodes[node].start as usize..self.nodes[node].end as usize
    }

    /// Returns the text of a node.
    pub fn text(&self, node: NodeId) -> &str {
        &self.text[self.span(node)]
    }

    /// Returns the whole text.
    pub fn whole_text(&self) -> &str {
        &self.text
    }

    /// Returns the name of a symbol: `x` and `|x|` are the same one. Other nodes have none.
    pub fn symbol(&self, node: NodeId) -> Option<&str> {
        let text = self.text(node);
        (self.kind(node) == Kind::Symbol)
            .then(|| text.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')).unwrap_or(text))
    }

    /// Returns the name at the beginning of a list, such as `assert`.
    pub fn head(&self, node: NodeId) -> Option<&str> {
        self.child(node, 0).and_then(|first| self.symbol(first))
    }

    /// Returns the text of a node with some nodes below it (or itself) replaced. The edits are in
    /// the order of their nodes; one inside another is ignored.
    pub fn edited<'e>(
        &self,
        node: NodeId,
        edits: impl IntoIterator<Item = (NodeId, &'e str)>,
    ) -> String {
        let Range { start: mut at, end } = self.span(node);
        let mut text = String::with_capacity((end - at) * 5 / 4);
        let subtree = self.subtree(node);
        for (edited, replacement) in edits {
            let span = self.span(edited);
            if subtree.contains(&edited) && span.start >= at {
                text.push_str(&self.text[at..span.start]);
                text.push_str(replacement);
                at = span.end;
            }
        }
        text.push_str(&self.text[at..end]);
        text
    }
}

/// Returns a symbol as text, in bars if it needs them.
pub fn symbol_text(name: &str) -> String {
    let is_simple =
        |letter: char| letter.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(letter);
    let is_plain = !name.starts_with(|letter: char| letter.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(is_simple);
    if is_plain { name.to_owned() } else { format!("|{name}|") }
}

/// The nodes of a list, in order.
pub struct Children<'t> {
    tree: &'t Tree,
    next: NodeId,
    end: NodeId,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let node = self.next;
        (node < self.end).then(|| {
            self.next = self.tree.nodes[node].subtree_end as usize;
            node
        })
    }
}

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
    nodes: Vec<Node>,
}

/// Where reading stopped, and why.
type Stopped = (usize, &'static str);

impl Reader<'_> {
    fn read(&mut self) -> Result<(), Stopped> {
        if u32::try_from(self.bytes.len()).is_err() {
            return Err((0, "the text is longer than 4 GB"));
        }
        let mut open: Vec<NodeId> = Vec::new();
        while let Some(&byte) = self.bytes.get(self.at) {
            let start = self.at;
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b';' => self.skip_while(|byte| byte != b'\n'),
                b'(' => {
                    self.at += 1;
                    open.push(self.nodes.len());
                    self.push(Kind::List, start);
                }
                b')' => {
                    self.at += 1;
                    let list = open.pop().ok_or((start, "this ) closes nothing"))?;
                    let subtree_end = offset(self.nodes.len());
                    let node = &mut self.nodes[list];
                    (node.end, node.subtree_end) = (offset(self.at), subtree_end);
                }
                _ => {
                    let kind = self.atom(byte)?;
                    self.push(kind, start);
                }
            }
        }
        match open.last() {
            Some(&list) => Err((self.nodes[list].start as usize, "this ( is never closed")),
            None => Ok(()),
        }
    }

    /// Adds a node that ends here.
    fn push(&mut self, kind: Kind, start: usize) {
        let subtree_end = offset(self.nodes.len() + 1);
        self.nodes.push(Node { kind, start: offset(start), end: offset(self.at), subtree_end });
    }

    fn skip_while(&mut self, is_inside: impl Fn(u8) -> bool) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| !is_inside(byte)).unwrap_or(rest.len());
    }

    /// Reads an expression that is no list.
    fn atom(&mut self, first: u8) -> Result<Kind, Stopped> {
        let start = self.at;
        self.at += 1;
        match first {
            b'"' => loop {
                self.skip_while(|byte| byte != b'"');
                if self.at == self.bytes.len() {
                    return Err((start, "this string is never closed"));
                }
                self.at += 1;
                if self.bytes.get(self.at) != Some(&b'"') {
                    return Ok(Kind::String);
                }
                self.at += 1;
            },
            b'|' => {
                self.skip_while(|byte| byte != b'|');
                if self.at == self.bytes.len() {
                    return Err((start, "this | is never closed"));
                }
                self.at += 1;
                Ok(Kind::Symbol)
            }
            _ => {
                self.skip_while(|byte| !b" \t\r\n();\"|".contains(&byte));
                Ok(kind_of(&self.bytes[start..self.at]))
            }
        }
    }
}

fn kind_of(word: &[u8]) -> Kind {
    let are_digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    match word {
        [b':', ..] => Kind::Keyword,
        [b'#', b'x', digits @ ..] if digits.iter().all(u8::is_ascii_hexdigit) => Kind::Hexadecimal,
        [b'#', b'b', digits @ ..] if digits.iter().all(|digit| b"01".contains(digit)) => {
            Kind::Binary
        }
        word if are_digits(word) => Kind::Numeral,
        word => match word.iter().position(|&byte| byte == b'.') {
            Some(dot) if are_digits(&word[..dot]) && are_digits(&word[dot + 1..]) => Kind::Decimal,
            _ => Kind::Symbol,
        },
    }
}

/// The length of the text fits, so everything in it does.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Tree {
        Tree::read(text.to_owned()).unwrap()
    }

    #[test]
    fn nodes_are_spans_of_the_text() {
        let text = "; (comment\n(assert (= |x y| \"a\"\"(\"))(check-sat) ; end";
        let tree = read(text);
        let roots: Vec<&str> = tree.roots().map(|root| tree.text(root)).collect();
        assert_eq!(roots, ["(assert (= |x y| \"a\"\"(\"))", "(check-sat)"]);
        let equation = tree.child(0, 1).unwrap();
        let words: Vec<&str> = tree.children(equation).map(|node| tree.text(node)).collect();
        assert_eq!(words, ["=", "|x y|", "\"a\"\"(\""]);
        assert_eq!(tree.symbol(tree.child(equation, 1).unwrap()), Some("x y"));
        assert_eq!(tree.head(0), Some("assert"));
        assert_eq!(tree.whole_text(), text);
    }

    #[test]
    fn kinds_of_words() {
        use Kind::{Binary, Decimal, Hexadecimal, Keyword, Numeral, String, Symbol};
        let tree = read("x |1| :named 12 1.5 #x1f #b01 \"s\" #xg 1.x str.++ -");
        let kinds: Vec<Kind> = tree.roots().map(|root| tree.kind(root)).collect();
        assert_eq!(
            kinds,
            [
                Symbol,
                Symbol,
                Keyword,
                Numeral,
                Decimal,
                Hexadecimal,
                Binary,
                String,
                Symbol,
                Symbol,
                Symbol,
                Symbol
            ]
        );
    }

    #[test]
    fn bad_texts_are_refused_with_their_line() {
        for (text, line, what) in [
            ("(a\n(b)", 1, "this ( is never closed"),
            ("(a)\n)", 2, "this ) closes nothing"),
            ("\n\n\"a\"\"", 3, "this string is never closed"),
            ("(|a)", 1, "this | is never closed"),
        ] {
            assert_eq!(Tree::read(text.to_owned()).unwrap_err(), SyntaxError { line, what });
        }
    }

    #[test]
    fn a_million_nested_lists_are_read() {
        let depth = 1_000_000;
        let tree = read(&("(".repeat(depth) + &")".repeat(depth)));
        assert_eq!(tree.len(), depth);
        assert_eq!(tree.subtree(0), 0..depth);
    }

    #[test]
    fn edits_replace_nodes_and_keep_the_rest() {
        let tree = read("(assert (<  x y)) ; kept out");
        let [x, y] = [4, 5];
        assert_eq!(tree.edited(0, [(x, "(- z y)")]), "(assert (<  (- z y) y))");
        assert_eq!(tree.edited(2, [(2, "true"), (y, "ignored")]), "true");
        assert_eq!(tree.edited(0, []), "(assert (<  x y))");
    }

    #[test]
    fn symbols_are_written_in_bars_if_necessary() {
        assert_eq!(symbol_text("x_1"), "x_1");
        assert_eq!(symbol_text("x y"), "|x y|");
        assert_eq!(symbol_text("1x"), "|1x|");
    }
}
