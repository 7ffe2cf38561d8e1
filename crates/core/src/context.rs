//! What a group was run on, and how it was judged.

use std::sync::Arc;

use crate::{Fingerprint, Judge, Verdict};

/// What a group was run on, and how it was judged: all that there is to say of it besides what it
/// ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// What made the state that all its sides started from, if they share one.
    pub setup: Option<Arc<Setup>>,
    /// By side: what it was run on. None at all if nobody knows.
    pub inputs: Vec<Vec<StoredInput>>,
    /// What the outcomes mean, if they were judged.
    pub verdict: Option<Verdict>,
    /// How the outcomes must relate, if they were judged.
    pub judge: Option<Judge>,
}

/// One of the inputs of a side.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredInput {
    /// What it is called, and what else the execution got; it may be nothing.
    pub name: String,
    /// Its bytes, or the first of them.
    pub content: Vec<u8>,
    /// How many bytes it has. Those that are more than the content were not kept.
    pub bytes: u64,
}

/// What makes the state that sides start from: many groups share it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Setup {
    content: Vec<u8>,
    hash: u64,
}

/// A group that violates its relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The relation.
    pub relation: String,
    /// What tells it from others of its relation.
    pub pair: String,
    /// How its outputs differ.
    pub how: String,
    /// By side: what it was run on.
    pub inputs: Vec<Vec<StoredInput>>,
}

impl Context {
    /// The violation of a group with this context, if it is one.
    pub fn violation(&self, relation: &str, pair: &str) -> Option<Violation> {
        let Some(Verdict::Violated(how)) = &self.verdict else { return None };
        let (relation, pair, how) = (relation.to_owned(), pair.to_owned(), how.clone());
        Some(Violation { relation, pair, how, inputs: self.inputs.clone() })
    }
}

impl StoredInput {
    /// How much of an input is kept. What shows a violation is small; a program that eats videos
    /// should not fill the disk.
    pub const BYTES_MAX: usize = 64 * 1024;

    /// An input, as much as is kept of it.
    pub fn new(name: String, mut content: Vec<u8>) -> Self {
        let bytes = content.len() as u64;
        content.truncate(StoredInput::BYTES_MAX);
        StoredInput { name, content, bytes }
    }

    /// Whether not all of it was kept.
    pub fn is_cut(&self) -> bool {
        self.bytes > self.content.len() as u64
    }
}

impl Setup {
    /// A setup of these bytes.
    pub fn new(content: Vec<u8>) -> Self {
        let mut fingerprint = Fingerprint::new();
        fingerprint.bytes(&content);
        Setup { content, hash: fingerprint.hash() }
    }

    /// Its bytes.
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// What tells it from others.
    pub fn hash(&self) -> u64 {
        self.hash
    }
}
