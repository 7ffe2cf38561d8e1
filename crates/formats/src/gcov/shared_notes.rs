//! Compiled notes, shared by all workers.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use super::unit::Unit;
use crate::Fault;

/// The compiled notes (`.gcno`) that the loaders of one fold share. Compiling takes most of the
/// time and memory, so the first loader that needs notes compiles them, and the others wait for it.
#[derive(Default)]
pub struct SharedNotes(Mutex<BTreeMap<Content, Arc<UnitSlot>>>);

/// Identifies notes: their length and a hash. Their path does not, since they are often copied
/// beside the counters of each run.
pub(super) type Content = (usize, u64);

/// A compiled unit; none until it is compiled.
type UnitSlot = Mutex<Option<Arc<Unit>>>;

impl SharedNotes {
    pub(super) fn content(notes: &[u8]) -> Content {
        let mut hasher = DefaultHasher::new();
        hasher.write(notes);
        (notes.len(), hasher.finish())
    }

    /// The unit of notes with this content. Malformed notes are not kept: each call reads them
    /// again and gets the same error.
    pub(super) fn unit(&self, content: Content, notes: &[u8]) -> Result<Arc<Unit>, Fault> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = places.entry(content).or_default().clone();
        drop(places);
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(unit) = &*place {
            return Ok(unit.clone());
        }
        let unit = Arc::new(Unit::read(notes)?);
        Ok(place.insert(unit).clone())
    }
}
