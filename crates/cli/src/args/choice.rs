//! Options with a few named values.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The values of an option: the name, what the help says about it, and what it stands for.
pub type Choices<T> = &'static [(&'static str, &'static str, T)];

/// Reads one of these values.
pub fn choice<T: Clone + Send + Sync>(all: Choices<T>) -> impl TypedValueParser<Value = T> {
    let names = all.iter().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names).try_map(|chosen| {
        let value = all.iter().find(|(name, ..)| *name == chosen);
        value.map(|(.., value)| value.clone()).ok_or("unknown value")
    })
}
