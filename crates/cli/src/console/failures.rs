//! Sides that have no cover, as users are told of them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use metacov_core::{Exit, Failure, Missing};
use metacov_formats::Error;
use metacov_run::{GroupDone, Observer};

use crate::console::Console;

/// How much of a side's output is shown.
const WORDS_MAX: usize = 200;

/// How many reasons are shown of each kind of failure.
const REASONS_MAX: usize = 5;

/// Counts the pairs by kind of failure and, if they are invalid, by the reason that their side gives.
pub struct Failures<'t> {
    console: &'t Console,
    reasons: Mutex<BTreeMap<(Failure, String), Reason>>,
}

/// How many pairs, and the first of them by its place: whichever worker met it.
struct Reason {
    pairs: u64,
    place: u64,
    example: String,
}

impl<'t> Failures<'t> {
    pub fn new(console: &'t Console) -> Self {
        Failures { console, reasons: Mutex::default() }
    }

    /// Tells how many there are of each kind, with an example: the most frequent reasons first.
    pub fn finish(self) {
        let reasons = self.reasons.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut kinds: BTreeMap<Failure, Vec<Reason>> = BTreeMap::new();
        for ((failure, _), reason) in reasons {
            kinds.entry(failure).or_default().push(reason);
        }
        for (failure, mut reasons) in kinds {
            reasons.sort_by_key(|reason| (std::cmp::Reverse(reason.pairs), reason.place));
            for Reason { pairs, example, .. } in reasons.iter().take(REASONS_MAX) {
                let times = if *pairs == 1 { String::new() } else { format!(" ({pairs} pairs)") };
                self.console.note(&format!("{}{times}, for example: {example}", failure.name()));
            }
            if let Some(others @ 1..) = reasons.len().checked_sub(REASONS_MAX) {
                self.console.note(&format!("{}: {others} other reasons", failure.name()));
            }
        }
    }
}

impl Observer for Failures<'_> {
    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        let Err((side, missing)) = done.outcome else { return Ok(()) };
        let what = describe(done, side, missing);
        self.console.detail(|| format!("{}: {what}", missing.failure.name()));
        let is_told = missing.failure == Failure::Invalid;
        let words = if is_told { missing.output_tail.clone() } else { String::new() };
        let mut reasons = self.reasons.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = reasons.entry((missing.failure, words)).or_insert_with(|| Reason {
            pairs: 0,
            place: done.place,
            example: what.clone(),
        });
        reason.pairs += 1;
        if done.place < reason.place {
            (reason.place, reason.example) = (done.place, what);
        }
        Ok(())
    }
}

fn describe(done: &GroupDone<'_>, side: usize, missing: &Missing) -> String {
    let letter = u8::try_from(side).ok().and_then(|side| b'a'.checked_add(side));
    let letter = letter.filter(u8::is_ascii_lowercase).map_or('?', char::from);
    let exit = match missing.exit {
        Exit::Success | Exit::Timeout => String::new(),
        Exit::Failure(code) => format!(" (exit code {code})"),
        Exit::Signalled(signal) => format!(" (signal {signal})"),
    };
    let words = match output_tail(&missing.output_tail).as_str() {
        "" => String::new(),
        words => format!(": {words}"),
    };
    format!("pair {} of {}, side {letter}{exit}{words}", done.pair, done.relation)
}

/// The end of what a side says, from the start of a line or at least of a word.
fn output_tail(text: &str) -> String {
    let text = text.trim();
    let start = text.char_indices().rev().take(WORDS_MAX).last().map_or(0, |(at, _)| at);
    if start == 0 {
        return text.to_owned();
    }
    // A line or a word may start right where the limit is, so what is in front of it counts too.
    let before = text[..start].char_indices().next_back().map_or(0, |(at, _)| at);
    let after = |is_end: fn(char) -> bool| text[before..].split_once(is_end).map(|(_, rest)| rest);
    let rest = after(|letter| letter == '\n').or_else(|| after(char::is_whitespace));
    format!("... {}", rest.unwrap_or(&text[start..]).trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut_where_a_line_or_a_word_starts() {
        let numbers = |from: u32| (from..100).map(|n| format!("word{n}")).collect::<Vec<_>>();
        assert_eq!(output_tail(" short \n"), "short");
        let words = output_tail(&numbers(10).join(" "));
        assert_eq!(words, format!("... {}", numbers(72).join(" ")));
        let lines = output_tail(&format!("{}\n{}\n", numbers(10).join(" "), numbers(90).join(" ")));
        assert_eq!(lines, format!("... {}", numbers(90).join(" ")));
        let one = output_tail(&"x".repeat(1000));
        assert_eq!(one, format!("... {}", "x".repeat(WORDS_MAX)));
        // A word that starts at the limit is whole.
        let exact = output_tail(&format!("word {}", "y".repeat(WORDS_MAX)));
        assert_eq!(exact, format!("... {}", "y".repeat(WORDS_MAX)));
    }
}
