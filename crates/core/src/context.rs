//! The inputs and the verdict of a group.

use std::sync::Arc;
use std::time::Duration;

use crate::{Fingerprint, Missing, SideOutput, Verdict};

/// The inputs and the verdict of a group: everything that is known about it except its covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The setup of the state that all its sides started from, if they share one.
    pub setup: Option<Arc<Setup>>,
    /// The inputs of each side. Empty if they are not known.
    pub inputs: Vec<Vec<StoredInput>>,
    /// The verdict on the outcomes, if they were judged.
    pub verdict: Option<Verdict>,
    /// How the outcomes must relate, if they were judged: the name of a [`Judge`](crate::Judge), or
    /// the text of an [`OutputJudge`](crate::OutputJudge).
    pub judge: Option<String>,
    /// The outputs of each side. Empty unless the pair violates its relation or failed.
    pub outputs: Vec<SideOutput>,
}

/// One of the inputs of a side.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredInput {
    /// Its name, with additional arguments and variables of the execution. May be empty.
    pub name: String,
    /// Its bytes, or the first of them.
    pub content: Vec<u8>,
    /// The length of the whole input. If the content is shorter, the rest was not stored.
    pub bytes: u64,
    /// Of all its bytes, where they are known: run files of version 5 do not say, and a pipe is read by the program only.
    pub hash: Option<u64>,
}

/// The setup of the state that sides start from. Many groups share it.
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
    /// The name of the group, unique within its relation.
    pub pair: String,
    /// How its outputs differ.
    pub how: String,
    /// The inputs of each side.
    pub inputs: Vec<Vec<StoredInput>>,
}

/// The result of a group, without its covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairResult {
    /// The relation.
    pub relation: String,
    /// The name, which is unique within the relation.
    pub pair: String,
    /// How long all sides took.
    pub took: Duration,
    /// The verdict of its judge, if there is one and all sides have a cover.
    pub verdict: Option<Verdict>,
    /// The first side without a cover, and why it has none.
    pub failed: Option<(usize, Missing)>,
}

impl Context {
    /// Returns the violation of a group with this context, if it is one.
    pub fn violation(&self, relation: &str, pair: &str) -> Option<Violation> {
        let Some(Verdict::Violated(how)) = &self.verdict else { return None };
        let (relation, pair, how) = (relation.to_owned(), pair.to_owned(), how.clone());
        Some(Violation { relation, pair, how, inputs: self.inputs.clone() })
    }
}

impl StoredInput {
    /// How much of an input is stored. Inputs that show a violation are small, and a program that
    /// processes videos should not fill the disk.
    pub const BYTES_MAX: usize = 64 * 1024;

    /// Stores an input, up to the limit.
    pub fn new(name: String, mut content: Vec<u8>) -> Self {
        let bytes = content.len() as u64;
        let mut fingerprint = Fingerprint::new();
        fingerprint.bytes(&content);
        content.truncate(StoredInput::BYTES_MAX);
        StoredInput { name, content, bytes, hash: Some(fingerprint.hash()) }
    }

    /// What identifies it: what it is called and all its bytes.
    pub fn identity(&self) -> Option<u64> {
        let mut fingerprint = Fingerprint::new();
        fingerprint.text(&self.name);
        fingerprint.bytes(&self.hash?.to_le_bytes());
        Some(fingerprint.hash())
    }

    /// Whether the content was cut off.
    pub fn is_cut(&self) -> bool {
        self.bytes > self.content.len() as u64
    }
}

impl Setup {
    /// Creates a setup with these bytes.
    pub fn new(content: Vec<u8>) -> Self {
        let mut fingerprint = Fingerprint::new();
        fingerprint.bytes(&content);
        Setup { content, hash: fingerprint.hash() }
    }

    /// Its bytes.
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// Its hash, which identifies it.
    pub fn hash(&self) -> u64 {
        self.hash
    }
}
