//! Sides without a cover, in words.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use metacov_core::{Exit, Failure, Missing, counted};
use metacov_run::FailedPairs;

/// How much of a side's output is shown.
const OUTPUT_CHARS_MAX: usize = 200;

/// How many reasons are shown for each kind of failure.
const REASONS_MAX: usize = 5;

/// Says how many pairs have no covers, with an example: the most frequent reasons first.
pub fn failure_notes(failures: BTreeMap<(Failure, String), FailedPairs>) -> Vec<String> {
    let mut kinds: BTreeMap<Failure, Vec<FailedPairs>> = BTreeMap::new();
    for ((failure, _), failed) in failures {
        kinds.entry(failure).or_default().push(failed);
    }
    let mut notes = Vec::new();
    for (failure, mut reasons) in kinds {
        reasons.sort_by_key(|reason| (Reverse(reason.pairs), reason.first.0));
        for FailedPairs { pairs, first, side } in reasons.iter().take(REASONS_MAX) {
            let times = if *pairs == 1 { String::new() } else { format!(" ({pairs} pairs)") };
            let example = failed_side(&first.1, &first.2, side.0, &side.1);
            notes.push(format!("{}{times}, for example: {example}", failure.name()));
        }
        if let Some(others @ 1..) = reasons.len().checked_sub(REASONS_MAX) {
            let others = counted(others as u64, "other reason", "other reasons");
            notes.push(format!("{}: {others}", failure.name()));
        }
    }
    notes
}

/// Why a side of a pair has no cover, in a sentence.
pub fn failed_side(relation: &str, pair: &str, side: usize, missing: &Missing) -> String {
    let letter = u8::try_from(side).ok().and_then(|side| b'a'.checked_add(side));
    let letter = letter.filter(u8::is_ascii_lowercase).map_or('?', char::from);
    let exit = match missing.exit {
        Exit::Success | Exit::Timeout => String::new(),
        exit @ (Exit::Failure(_) | Exit::Signalled(_)) => format!(" ({exit})"),
    };
    let words = match output_tail(&missing.output_tail).as_str() {
        "" => String::new(),
        words => format!(": {words}"),
    };
    format!("pair {pair} of {relation}, side {letter}{exit}{words}")
}

/// The end of the output of a side, from the start of a line or at least of a word.
fn output_tail(text: &str) -> String {
    let text = text.trim();
    let start = text.char_indices().rev().take(OUTPUT_CHARS_MAX).last().map_or(0, |(at, _)| at);
    if start == 0 {
        return text.to_owned();
    }
    // A line or a word may start exactly at the limit, so the character before it counts too.
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
        assert_eq!(one, format!("... {}", "x".repeat(OUTPUT_CHARS_MAX)));
        // A word that starts at the limit is complete.
        let exact = output_tail(&format!("word {}", "y".repeat(OUTPUT_CHARS_MAX)));
        assert_eq!(exact, format!("... {}", "y".repeat(OUTPUT_CHARS_MAX)));
    }
}
