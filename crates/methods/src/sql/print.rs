//! Trees to text. Every operand stands in parentheses, so that no rule of precedence is needed to read them back.

mod definition;
mod expr;
mod query;
mod statement;

use std::rc::Rc;

use super::ast::{Expr, From, Source, SourceKind};

/// Room for the text of most tests, so that it is not copied while it grows.
const LENGTH: usize = 512;

/// Something that has a text.
pub trait Print {
    /// Appends the text.
    fn print(&self, out: &mut String);

    /// The text alone.
    fn sql(&self) -> String {
        let mut out = String::with_capacity(LENGTH);
        self.print(&mut out);
        out
    }
}

/// Items with commas, printed once to stand in several places.
pub fn printed<T: Print>(items: &[T]) -> Expr {
    let mut out = String::with_capacity(LENGTH);
    list(&mut out, items, ", ", |out, item| item.print(out));
    Expr::Printed(out.into())
}

impl From {
    /// The same, printed once to stand in several places.
    pub fn printed(&self) -> Self {
        Self::of(Source { kind: SourceKind::Printed(self.sql().into()), alias: None })
    }

    /// What was printed once, if it was.
    pub fn shared(&self) -> Option<Rc<str>> {
        match &self.first.kind {
            SourceKind::Printed(text) => Some(Rc::clone(text)),
            _ => None,
        }
    }
}

impl Expr {
    /// What was printed once, if it was.
    pub fn shared(&self) -> Option<Rc<str>> {
        match self {
            Self::Printed(text) => Some(Rc::clone(text)),
            _ => None,
        }
    }
}

/// Items with `between` between them.
fn list<T>(out: &mut String, items: &[T], between: &str, mut print: impl FnMut(&mut String, &T)) {
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            out.push_str(between);
        }
        print(out, item);
    }
}

/// Items in parentheses, with commas.
fn tuple<T: Print>(out: &mut String, items: &[T]) {
    out.push('(');
    list(out, items, ", ", |out, item| item.print(out));
    out.push(')');
}

/// Names with commas.
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

/// `word `, if it is so.
fn word(out: &mut String, is: bool, word: &str) {
    if is {
        out.push_str(word);
        out.push(' ');
    }
}
