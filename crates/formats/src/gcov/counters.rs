//! Reads `.gcda`: the counters of a translation unit.
//!
//! ```text
//! 0x01000000 FUNCTION: ident, lineno checksum, cfg checksum; or nothing: not in the program
//! 0x01a10000 COUNTERS: of arcs, 64 bits each; a negative length stands for that many zeros
//! 0x00000000 the end of the file
//! ```

use std::io::Read;
use std::path::Path;
use std::rc::Rc;

use super::compiled::CompiledUnit;
use super::image::COUNTER_BYTES;
use super::notes::FunctionKey;
use super::notes_index::{NOTES_BYTES_MAX, NotesIndex, NotesUnit};
use super::projection::Projection;
use super::unit::Unit;
use super::words::Words;
use crate::unit_marks::unit_of;
use crate::{CoverageFile, Fault, Location, Scope, SiteRecorder};

const FUNCTION: u32 = 0x0100_0000;
const ARC_COUNTERS: u32 = 0x01a1_0000;

/// A counter takes eight bytes; no program has 2^25 of them in one translation unit.
const DATA_BYTES_MAX: u64 = 256 << 20;

pub(super) fn read(input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
    let (notes_unit, counters) =
        Counters::open(input, recorder.notes_index, recorder.prefix, recorder.scope)?;
    let name = input.path().map_or(0, |path| unit_of(path, recorder.prefix));
    let image = notes_unit.image(name, &counters.present, recorder)?;
    let mut image = image.borrow_mut();
    image.update(&counters.bytes);
    image.check(recorder.table)?;
    image.tell(&mut recorder.reading);
    Ok(())
}

/// Lists all sites of a translation unit, as if all its functions were in the program.
pub(super) fn read_notes(
    input: &mut CoverageFile,
    recorder: &mut SiteRecorder<'_>,
) -> Result<(), Fault> {
    let mut bytes = Vec::new();
    let name = input.path().map_or(0, |path| unit_of(&path.with_extension("gcda"), None));
    input.take(NOTES_BYTES_MAX).read_to_end(&mut bytes)?;
    let unit = Unit::read(&bytes, |_| true)?;
    let all: Vec<usize> = (0..unit.notes.functions.len()).collect();
    let unit = CompiledUnit::of(&unit, &all, recorder.scope.blocks);
    let projection = Projection::of(&unit, name, recorder)?;
    recorder.reading.unite(projection.reading());
    Ok(())
}

/// The counters of all functions of a unit, in the order of its notes.
pub(super) struct Counters {
    /// Whether each function is in the program.
    pub(super) present: Vec<bool>,
    /// Zeros for functions that are not.
    pub(super) bytes: Vec<u8>,
}

impl Counters {
    /// Reads the counters of a file, and finds their unit.
    pub(super) fn open(
        input: &mut CoverageFile,
        notes_index: &mut NotesIndex,
        prefix: Option<&Path>,
        scope: &Scope,
    ) -> Result<(Rc<NotesUnit>, Counters), Fault> {
        let Some(path) = input.path().map(ToOwned::to_owned) else {
            let what = "counters without a name cannot be tied to their notes (`.gcno`)";
            return Err(Fault::malformed(Location::Whole, what));
        };
        let mut bytes = Vec::new();
        input.take(DATA_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > DATA_BYTES_MAX {
            return Err(Fault::malformed(Location::Whole, format!("over {DATA_BYTES_MAX} bytes")));
        }
        let (mut words, stamp) = Words::open(&bytes, *b"gcda")?;
        let notes_unit = notes_index.find(&path, (stamp, words.layout()), prefix, scope)?;
        let counters = Counters::read(&mut words, &notes_unit.unit)?;
        Ok((notes_unit, counters))
    }

    fn read(words: &mut Words<'_>, unit: &Unit) -> Result<Self, Fault> {
        let present = vec![false; unit.notes.functions.len()];
        let bytes = vec![0; COUNTER_BYTES * unit.counter_count()];
        let mut counters = Counters { present, bytes };
        let mut function = None;
        let mut expected = 0;
        while let Some(mut record) = words.record()? {
            match (record.tag, function) {
                (FUNCTION, _) if record.payload.is_empty() => function = None,
                (FUNCTION, _) => {
                    let key = FunctionKey::read(&mut record.payload)?;
                    // Counters are in the order of the notes, without some functions.
                    let number = unit.number(key, expected).ok_or_else(|| {
                        let what =
                            format!("counters of function {:#x}, unknown to the notes", key.ident);
                        record.payload.fault(what)
                    })?;
                    expected = number + 1;
                    function = Some(number);
                }
                (ARC_COUNTERS, Some(number)) => {
                    let found = record.payload.len().max(record.zero_bytes) / COUNTER_BYTES;
                    let right = unit.flows[number].counter_count();
                    if found != right {
                        let what = format!("{found} counters of a function that has {right}");
                        return Err(record.payload.fault(what));
                    }
                    let start = COUNTER_BYTES * unit.starts[number];
                    let own = &mut counters.bytes[start..start + COUNTER_BYTES * right];
                    if record.payload.is_empty() {
                        own.fill(0);
                    } else {
                        record.payload.counters(own)?;
                    }
                    counters.present[number] = true;
                }
                // Counters of values, and summaries, are ignored.
                _ => {}
            }
        }
        words.check_end()?;
        Ok(counters)
    }
}
