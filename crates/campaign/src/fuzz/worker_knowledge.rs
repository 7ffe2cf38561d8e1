//! What a worker knows from round to round.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use metacov_exec::shared_file;

use super::knowledge::{Knowledge, KnowledgeDelta};
use crate::worker::protocol::{decode, encode};

/// What a worker knows, in a file: the child that learns leaves it for the child that explores. So the process that
/// forks them allocates nothing, and a round reads the same bytes in every worker.
pub(crate) struct WorkerKnowledge(File);

impl WorkerKnowledge {
    /// Not set yet.
    pub(crate) fn new() -> io::Result<Self> {
        shared_file().map(WorkerKnowledge)
    }

    /// Replaces what is known.
    pub(crate) fn set(&self, known: &Knowledge) -> io::Result<()> {
        let bytes = encode(known);
        self.0.set_len(bytes.len() as u64)?;
        self.0.write_all_at(&bytes, 0)
    }

    /// Adds what rounds have added, in their order.
    pub(crate) fn learn(&self, lessons: &[KnowledgeDelta]) -> io::Result<()> {
        let mut known = self.read()?;
        for lesson in lessons {
            known.learn(lesson);
        }
        self.set(&known)
    }

    /// What a round knows that builds on this many rounds. If the worker knows more or fewer, it is an error.
    pub(crate) fn of_rounds(&self, rounds: u64) -> io::Result<Knowledge> {
        let known = self.read()?;
        if known.rounds != rounds {
            let what = format!("the worker knows {} rounds instead of {rounds}", known.rounds);
            return Err(io::Error::other(what));
        }
        Ok(known)
    }

    fn read(&self) -> io::Result<Knowledge> {
        let length = usize::try_from(self.0.metadata()?.len()).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, 0)?;
        decode(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_learned_in_parts_is_what_is_known_as_a_whole() {
        let [parts, whole] = [(); 2].map(|()| WorkerKnowledge::new().unwrap());
        let mut known = Knowledge::default();
        parts.set(&known).unwrap();
        for round in 0..5 {
            let mut lessons = vec![KnowledgeDelta::default(); 2];
            lessons[0].meet(7);
            lessons[1].looked.plans.insert(round);
            for lesson in &lessons {
                known.learn(lesson);
            }
            parts.learn(&lessons).unwrap();
            whole.set(&known).unwrap();
            let rounds = 2 * round + 2;
            let [parts, whole] = [&parts, &whole].map(|of| encode(&of.of_rounds(rounds).unwrap()));
            assert_eq!(parts, whole);
        }
        assert!(parts.of_rounds(9).is_err(), "it knows one more");
        assert!(parts.of_rounds(11).is_err(), "it knows one less");
        known = Knowledge::default();
        parts.set(&known).unwrap();
        assert_eq!(encode(&parts.of_rounds(0).unwrap()), encode(&known), "a shorter one");
    }
}
