//! Reading `.gcda`: the counters of a translation unit.
//!
//! ```text
//! 0x01000000 FUNCTION: ident, lineno checksum, cfg checksum; or nothing: not in the program
//! 0x01a10000 COUNTERS: of arcs, 64 bits each; a negative length stands for that many zeros
//! ```

use std::io::Read;

use super::notes::FunctionKey;
use super::shelf::{NOTES_BYTES_MAX, Unit};
use super::words::Words;
use crate::{Fault, Input, Place, Recorder};

const FUNCTION: u32 = 0x0100_0000;
const ARC_COUNTERS: u32 = 0x01a1_0000;

/// A counter takes eight bytes; no program has 2^25 of them in one translation unit.
const DATA_BYTES_MAX: u64 = 256 << 20;

pub(super) fn read(input: &mut Input, recorder: &mut Recorder<'_>) -> Result<(), Fault> {
    let Some(path) = input.path().map(ToOwned::to_owned) else {
        let what = "counters without a name cannot be tied to their notes (`.gcno`)";
        return Err(Fault::malformed(Place::Whole, what));
    };
    let mut bytes = Vec::new();
    input.take(DATA_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > DATA_BYTES_MAX {
        return Err(Fault::malformed(Place::Whole, format!("over {DATA_BYTES_MAX} bytes")));
    }
    let (mut words, stamp) = Words::open(&bytes, *b"gcda")?;
    let (build, folder) = ((stamp, words.layout()), recorder.scope.notes.as_deref());
    let unit = recorder.shelf.unit(&path, build, recorder.prefix, folder)?;
    let counters = Counters::read(&mut words, &unit)?;
    let projection = unit.projection(&counters.present, recorder)?;
    projection.name_sites(&mut recorder.reading);
    let mut counts = Vec::new();
    for (function, range) in counters.of_what_ran {
        if !unit.flows[function].run(&counters.values[range], &mut counts) {
            let name = &unit.notes.functions[function].name;
            let what = format!(
                "the counters of {name} do not add up (were they updated by several threads?)"
            );
            return Err(Fault::malformed(Place::Whole, what));
        }
        projection.project(function, &counts, &mut recorder.reading.executed);
    }
    Ok(())
}

/// Names all sites of a translation unit, as if all its functions were in the program.
pub(super) fn read_notes(input: &mut Input, recorder: &mut Recorder<'_>) -> Result<(), Fault> {
    let mut bytes = Vec::new();
    input.take(NOTES_BYTES_MAX).read_to_end(&mut bytes)?;
    let unit = Unit::read(&bytes)?;
    let present = vec![true; unit.notes.functions.len()];
    unit.projection(&present, recorder)?.name_sites(&mut recorder.reading);
    Ok(())
}

/// The counters of all functions.
struct Counters {
    /// By function: whether it is in the program.
    present: Vec<bool>,
    /// The functions that have a counter above zero, and where in `values` theirs are. Of the
    /// others nothing ran: nothing in, nothing out.
    of_what_ran: Vec<(usize, std::ops::Range<usize>)>,
    values: Vec<i64>,
}

impl Counters {
    fn read(words: &mut Words<'_>, unit: &Unit) -> Result<Self, Fault> {
        let present = vec![false; unit.notes.functions.len()];
        let mut counters = Counters { present, of_what_ran: Vec::new(), values: Vec::new() };
        let mut function = None;
        let mut expected = 0;
        while let Some(mut record) = words.record()? {
            match (record.tag, function) {
                (FUNCTION, _) if record.payload.is_empty() => function = None,
                (FUNCTION, _) => {
                    let key = FunctionKey::read(&mut record.payload)?;
                    // Counters come in the order of notes, some functions left out.
                    let number = unit.number(key, expected).ok_or_else(|| {
                        let what =
                            format!("counters of function {:#x}, unknown to the notes", key.ident);
                        record.payload.fault(what)
                    })?;
                    expected = number + 1;
                    function = Some(number);
                }
                (ARC_COUNTERS, Some(number)) => {
                    let start = counters.values.len();
                    while !record.payload.is_empty() {
                        counters.values.push(record.payload.counter()?);
                    }
                    let range = start..counters.values.len();
                    let found = if range.is_empty() { record.zero_bytes / 8 } else { range.len() };
                    let right = unit.flows[number].counter_count();
                    if found != right {
                        let what = format!("{found} counters of a function that has {right}");
                        return Err(record.payload.fault(what));
                    }
                    counters.present[number] = true;
                    if counters.values[range.clone()].iter().any(|count| *count != 0) {
                        counters.of_what_ran.push((number, range));
                    }
                }
                // Counters of values, and summaries.
                _ => {}
            }
        }
        Ok(counters)
    }
}
