//! The command that runs a pair again.

use metacov_core::{command_line, split_command_line};
use metacov_store::{Header, StoredPair};
use serde::Serialize;

/// A command that runs a pair again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rerun {
    /// The command.
    pub command: String,
    /// Whether it runs no other pair.
    pub is_alone: bool,
}

impl Rerun {
    /// The command that made the run, with one pair of it and without a run file; or with the
    /// relation of the pair, where pairs are generated. The pairs of a campaign cannot be run again
    /// one by one.
    pub(super) fn of(header: &Header, stored: &StoredPair) -> Option<Self> {
        let is_alone = header.settings.contains_key("the command");
        let is_generated = header.settings.contains_key("the engine");
        if header.made_by != "measure" || !(is_alone || is_generated) {
            return None;
        }
        let words = split_command_line(&header.command)?;
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        let (options, command) = words.split_at(end);
        let mut new = vec!["metacov".to_owned()];
        let mut options = options.iter().skip(1);
        while let Some(word) = options.next() {
            match word.as_str() {
                "-o" | "--output" | "--relation" | "--pair" | "--format" => drop(options.next()),
                "--resume" => {}
                word if word.starts_with("-o")
                    || ["--output=", "--relation=", "--pair=", "--format="]
                        .iter()
                        .any(|option| word.starts_with(option)) => {}
                word => new.push(word.to_owned()),
            }
        }
        new.extend(if is_alone {
            ["--pair".to_owned(), format!("{}/{}", stored.relation, stored.name)]
        } else {
            ["--relation".to_owned(), stored.relation.clone()]
        });
        new.extend(command.iter().cloned());
        Some(Rerun { command: command_line(new), is_alone })
    }
}
