//! Notes that have been compiled, for all who read.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use super::unit::Unit;
use crate::Fault;

/// The compiled notes (`.gcno`) that the intakes of one fold share. Compiling takes longer than all
/// else, and memory: whoever needs notes first compiles them, and all others wait for that.
#[derive(Default)]
pub struct SharedNotes(Mutex<BTreeMap<Content, Arc<UnitSlot>>>);

/// What tells notes from others: their length and a hash. They are often copied beside the counters
/// of each run, so their path does not.
pub(super) type Content = (usize, u64);

/// A compiled unit; none until it is compiled.
type UnitSlot = Mutex<Option<Arc<Unit>>>;

impl SharedNotes {
    pub(super) fn content(notes: &[u8]) -> Content {
        let mut hasher = DefaultHasher::new();
        hasher.write(notes);
        (notes.len(), hasher.finish())
    }

    /// The unit that notes of this content tell of. Those that are in disorder are read again by
    /// all who ask, each of whom gets the same error.
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
