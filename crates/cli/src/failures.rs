//! Sides that have no cover, as users are told of them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use metacov_core::{Exit, Failure, Missing};
use metacov_formats::{Audience, Done, Error};

use crate::talk::Talk;

/// How much of a side's last words is shown.
const WORDS_MAX: usize = 200;

/// Keeps the first pair of each kind of failure, by its place: whichever worker met it.
pub struct Failures<'t> {
    talk: &'t Talk,
    first: Mutex<BTreeMap<Failure, (u64, String)>>,
}

impl<'t> Failures<'t> {
    pub fn new(talk: &'t Talk) -> Self {
        Failures { talk, first: Mutex::default() }
    }

    /// Tells one example of each kind.
    pub fn finish(self) {
        let first = self.first.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (failure, (_, example)) in first {
            self.talk.note(&format!("{}, for example: {example}", failure.name()));
        }
    }
}

impl Audience for Failures<'_> {
    fn hear(&self, done: &Done<'_>) -> Result<(), Error> {
        let Err((side, missing)) = done.outcome else { return Ok(()) };
        let what = describe(done, side, missing);
        self.talk.detail(|| format!("{}: {what}", missing.failure.name()));
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let example = first.entry(missing.failure).or_insert_with(|| (done.place, what.clone()));
        if done.place < example.0 {
            *example = (done.place, what);
        }
        Ok(())
    }
}

fn describe(done: &Done<'_>, side: usize, missing: &Missing) -> String {
    let letter = u8::try_from(side).ok().and_then(|side| b'a'.checked_add(side));
    let letter = letter.filter(u8::is_ascii_lowercase).map_or('?', char::from);
    let exit = match missing.exit {
        Exit::Success | Exit::Timeout => String::new(),
        Exit::Failure(code) => format!(" (exit code {code})"),
        Exit::Signalled(signal) => format!(" (signal {signal})"),
    };
    let words = missing.last_words.trim();
    let start = words.char_indices().rev().take(WORDS_MAX).last().map_or(0, |(at, _)| at);
    let words = match &words[start..] {
        "" => String::new(),
        words => format!(": {words}"),
    };
    format!("pair {} of {}, side {letter}{exit}{words}", done.pair, done.relation)
}
