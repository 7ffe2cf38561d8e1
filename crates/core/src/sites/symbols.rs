//! Names, each stored once.

use std::hash::BuildHasher;

use serde::{Deserialize, Serialize};

use hashbrown::{DefaultHashBuilder, HashTable};

/// A name in its [`SiteTable`](crate::SiteTable).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Symbol(u32);

impl Symbol {
    /// The empty name.
    pub const NONE: Symbol = Symbol(0);
}

/// All names, end to end in one string, with an index beside it.
#[derive(Clone, Default)]
pub(crate) struct Symbols {
    text: String,
    ends: Vec<usize>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Symbols {
    /// The symbol of `name`, new or known.
    pub(crate) fn intern(&mut self, name: &str) -> Symbol {
        if name.is_empty() {
            return Symbol::NONE;
        }
        let hash = self.hasher.hash_one(name);
        if let Some(known) = self.index.find(hash, |number| self.name(Symbol(*number)) == name) {
            return Symbol(*known);
        }
        self.text.push_str(name);
        self.ends.push(self.text.len());
        let number = u32::try_from(self.ends.len()).expect("2^32 names do not fit in memory");
        let (text, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        self.index
            .insert_unique(hash, number, |number| hasher.hash_one(slice(text, ends, *number)));
        Symbol(number)
    }

    /// All names but the empty one, in the order of their symbols.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        (1..).map(|number| slice(&self.text, &self.ends, number)).take(self.ends.len())
    }

    /// Whether there is such a symbol.
    pub(crate) fn contains(&self, symbol: Symbol) -> bool {
        symbol.0 as usize <= self.ends.len()
    }

    /// The name of a symbol.
    pub(crate) fn name(&self, symbol: Symbol) -> &str {
        slice(&self.text, &self.ends, symbol.0)
    }
}

fn slice<'t>(text: &'t str, ends: &[usize], number: u32) -> &'t str {
    let Some(at) = (number as usize).checked_sub(1) else { return "" };
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &text[start..ends[at]]
}
