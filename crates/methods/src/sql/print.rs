//! Converts trees to text. Every operand is in parentheses, so no rules of precedence are needed.

mod definition;
mod expr;
mod query;
mod statement;

use std::rc::Rc;

use super::ast::{Expr, From, Source, SourceKind};

/// The initial capacity, enough for the text of most tests.
const LENGTH: usize = 512;

/// Something with a text.
pub trait Print {
    /// Appends the text.
    fn print(&self, out: &mut String);

    /// Returns the text.
    fn sql(&self) -> String {
        let mut out = String::with_capacity(LENGTH);
        self.print(&mut out);
        out
    }
}

/// A comma-separated list, printed once, to be used in several places.
pub fn printed<T: Print>(items: &[T]) -> Expr {
    let mut out = String::with_capacity(LENGTH);
    list(&mut out, items, ", ", |out, item| item.print(out));
    Expr::Printed(out.into())
}

impl From {
    /// The same clause, printed once, to be used in several places.
    pub fn printed(&self) -> Self {
        Self::of(Source { kind: SourceKind::Printed(self.sql().into()), alias: None })
    }

    /// The text, if it was printed once.
    pub fn shared(&self) -> Option<Rc<str>> {
        match &self.first.kind {
            SourceKind::Printed(text) => Some(Rc::clone(text)),
            _ => None,
        }
    }
}

impl Expr {
    /// The text, if it was printed once.
    pub fn shared(&self) -> Option<Rc<str>> {
        match self {
            Self::Printed(text) => Some(Rc::clone(text)),
            _ => None,
        }
    }
}

/// Items separated by `between`.
fn list<T>(out: &mut String, items: &[T], between: &str, mut print: impl FnMut(&mut String, &T)) {
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            out.push_str(between);
        }
        print(out, item);
    }
}

/// Items in parentheses, separated by commas.
fn tuple<T: Print>(out: &mut String, items: &[T]) {
    out.push('(');
    list(out, items, ", ", |out, item| item.print(out));
    out.push(')');
}

/// Names, separated by commas.
fn names(out: &mut String, names: &[String]) {
    list(out, names, ", ", |out, name| out.push_str(name));
}

/// ` before item`, if there is one.
fn clause<T: Print>(out: &mut String, before: &str, item: Option<&T>) {
    if let Some(item) = item {
        out.push_str(before);
        item.print(out);
    }
}

/// `word `, if `is` holds.
fn word(out: &mut String, is: bool, word: &str) {
    if is {
        out.push_str(word);
        out.push(' ');
    }
}
