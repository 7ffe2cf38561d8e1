//! Source files: which operator is written at a place.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Operator;

/// The texts of source files.
#[derive(Default)]
pub(crate) struct Sources {
    /// By the number of the file; none if it cannot be read or is not the user's.
    files: BTreeMap<u32, Option<SourceFile>>,
}

pub(crate) struct SourceFile {
    pub(crate) path: String,
    text: Vec<u8>,
    /// Where each line starts.
    lines: Vec<usize>,
}

/// Folders of headers that come with the system. Their code is not mutated.
const SYSTEM: [&str; 3] = ["/usr/include/", "/usr/lib/", "/usr/local/include/"];

impl Sources {
    /// Returns a file. `path` is called once for each file.
    pub(crate) fn file(
        &mut self,
        number: u32,
        path: impl FnOnce() -> Option<std::path::PathBuf>,
    ) -> Option<&SourceFile> {
        let read = || SourceFile::read(&path()?);
        self.files.entry(number).or_insert_with(read).as_ref()
    }
}

impl SourceFile {
    fn read(path: &Path) -> Option<Self> {
        let name = path.to_str()?;
        // The table of mutants has a line for each mutant.
        let is_system = SYSTEM.iter().any(|folder| name.starts_with(folder));
        if is_system || name.contains(['\n', '\t']) {
            return None;
        }
        Some(Self::of(name, std::fs::read(path).ok()?))
    }

    fn of(path: &str, text: Vec<u8>) -> Self {
        let ends = memchr::memchr_iter(b'\n', &text).map(|end| end + 1);
        let lines = [0].into_iter().chain(ends).collect();
        SourceFile { path: path.to_owned(), text, lines }
    }

    /// Returns the operator token at a place, with both numbers from 1.
    ///
    /// The compiler locates a binary operation at its operator, and code of a macro at the name of the
    /// macro. So code that the author did not write as an operator has no token here.
    pub(crate) fn token(&self, line: u32, column: u32) -> Option<Token<'_>> {
        let start = *self.lines.get((line as usize).checked_sub(1)?)?;
        let at = start.checked_add((column as usize).checked_sub(1)?)?;
        let end = self.lines.get(line as usize).copied().unwrap_or(self.text.len());
        let text = self.text.get(at..end)?;
        let kind = TOKENS.iter().find(|token| text.starts_with(token.as_bytes()))?;
        // Longer tokens that are no operators of ours come first in the table.
        let (before, after) = (&self.text[..at], &text[kind.len()..]);
        Some(Token { text: kind, before, after })
    }
}

/// Longer tokens before their prefixes.
const TOKENS: [&str; 28] = [
    "<<=", ">>=", "<=>", "->*", "++", "--", "+=", "-=", "->", "*=", "/=", "%=", "//", "/*", "==",
    "!=", "<=", ">=", "<<", ">>", "<", ">", "+", "-", "*", "/", "%", "!",
];

/// An operator token and the text around it.
#[derive(Clone, Copy)]
pub(crate) struct Token<'s> {
    pub(crate) text: &'static str,
    before: &'s [u8],
    after: &'s [u8],
}

/// Words after which an expression starts.
const KEYWORDS: [&[u8]; 10] = [
    b"return",
    b"case",
    b"else",
    b"do",
    b"throw",
    b"sizeof",
    b"co_return",
    b"co_yield",
    b"and",
    b"or",
];

impl Token<'_> {
    /// The operators that change this token; `is_unary` says that a minus has one operand.
    pub(crate) fn operators(&self, is_unary: bool) -> &'static [Operator] {
        use Operator as O;
        match self.text {
            "++" if self.follows_operand() => &[O::PostIncToPostDec],
            "++" => &[O::PreIncToPreDec],
            "+" => &[O::AddToSub],
            "-" if is_unary && !self.follows_zero() => &[O::MinusToNoop],
            "-" => &[O::SubToAdd],
            "*" => &[O::MulToDiv],
            "/" => &[O::DivToMul],
            "%" => &[O::RemToDiv],
            "==" => &[O::EqToNe],
            "!=" => &[O::NeToEq],
            "<=" => &[O::LeToGt, O::LeToLt],
            "<" => &[O::LtToGe, O::LtToLe],
            ">=" => &[O::GeToLt, O::GeToGt],
            ">" => &[O::GtToLe, O::GtToGe],
            _ => &[],
        }
    }

    /// Whether an operand ends before the token.
    fn follows_operand(&self) -> bool {
        let before = self.before.trim_ascii_end();
        match before.last() {
            // `(int)++x`
            Some(b')') => !self.after.first().is_some_and(|byte| is_word(*byte) || *byte == b'('),
            Some(b']' | b'"' | b'\'') => true,
            Some(byte) if is_word(*byte) => {
                let start = before.iter().rposition(|byte| !is_word(*byte)).map_or(0, |at| at + 1);
                !KEYWORDS.contains(&&before[start..])
            }
            _ => false,
        }
    }

    /// Whether the operand before the token is the number 0: `0 - x` has two operands.
    fn follows_zero(&self) -> bool {
        matches!(self.before.trim_ascii_end(), [.., first, b'0'] if !is_word(*first))
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operators(line: &str, is_unary: bool) -> Vec<&'static str> {
        let column = u32::try_from(line.find('@').unwrap()).unwrap() + 1;
        let file = SourceFile::of("a.c", format!("\n{}\n", line.replace('@', "")).into());
        let token = file.token(2, column);
        let names = token.iter().flat_map(|token| token.operators(is_unary));
        names.map(|operator| operator.name()).collect()
    }

    #[test]
    fn the_token_at_a_place_decides() {
        assert_eq!(operators("x = a @+ b;", false), ["cxx_add_to_sub"]);
        assert_eq!(operators("x = a @<= b;", false), ["cxx_le_to_gt", "cxx_le_to_lt"]);
        for other in
            ["a @+= b", "p@->x", "a @<< b", "a @<=> b", "a@--", "@SWAP(a + b)", "@!x", "a@"]
        {
            assert!(operators(other, false).is_empty(), "{other}");
        }
    }

    #[test]
    fn increments_and_minus_depend_on_what_precedes_them() {
        let (pre, post) = (["cxx_pre_inc_to_pre_dec"], ["cxx_post_inc_to_post_dec"]);
        for text in ["@++x", "return @++x", "(int)@++x", "f(a, @++x)", "*@++p"] {
            assert_eq!(operators(text, false), pre, "{text}");
        }
        for text in ["x@++;", "a[1] @++;", "(x)@++;", "f(x@++, 1)", "returned@++"] {
            assert_eq!(operators(text, false), post, "{text}");
        }
        assert_eq!(operators("@-x", true), ["cxx_minus_to_noop"]);
        assert_eq!(operators("(int)@-x", true), ["cxx_minus_to_noop"]);
        assert_eq!(operators("x = 0 @- x", true), ["cxx_sub_to_add"]);
        assert_eq!(operators("10 @- x", false), ["cxx_sub_to_add"]);
    }

    #[test]
    fn places_outside_of_the_file_have_no_token() {
        let file = SourceFile::of("a.c", b"a+b".to_vec());
        assert!(file.token(1, 2).is_some());
        for (line, column) in [(0, 1), (1, 0), (1, 4), (2, 1), (9, 9), (1, u32::MAX)] {
            assert!(file.token(line, column).is_none());
        }
    }
}
