//! Reading `.gcda`: the counters of a translation unit.
//!
//! ```text
//! 0x01000000 FUNCTION: ident, lineno checksum, cfg checksum; or nothing: not in the program
//! 0x01a10000 COUNTERS: of arcs, 64 bits each; a negative length stands for that many zeros
//! ```

use std::collections::BTreeMap;
use std::io::Read;

use metacov_core::BuildMismatch;

use super::entries::Unit;
use super::flow::Counts;
use super::notes::FunctionKey;
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
    let unit = recorder.shelf.unit(&path, stamp, recorder.scope.notes.as_deref())?;
    if unit.notes.layout != words.layout() {
        let place = format!("what {} was compiled from", path.display());
        let earlier = "its notes".to_owned();
        return Err(Fault::OtherBuild { earlier, mismatch: BuildMismatch { place } });
    }
    let counts = counts(&mut words, &unit)?;
    unit.record(&counts, recorder).map_err(|what| words.fault(what))?;
    recorder.flush(Some(&unit.notes.folder))
}

/// By function: its counts, if it is in the program.
fn counts(words: &mut Words<'_>, unit: &Unit) -> Result<Vec<Option<Counts>>, Fault> {
    let numbers: BTreeMap<FunctionKey, usize> = (unit.notes.functions.iter().enumerate())
        .map(|(at, function)| (function.key, at))
        .collect();
    let mut counts: Vec<Option<Counts>> = Vec::new();
    counts.resize_with(unit.notes.functions.len(), || None);
    let mut function = None;
    while let Some(mut record) = words.record()? {
        match (record.tag, function) {
            (FUNCTION, _) if record.payload.is_empty() => function = None,
            (FUNCTION, _) => {
                let key = FunctionKey::read(&mut record.payload)?;
                let number = numbers.get(&key).copied();
                let what =
                    || format!("counters of function {:#x}, unknown to the notes", key.ident);
                function = Some(number.ok_or_else(|| record.payload.fault(what()))?);
            }
            (ARC_COUNTERS, Some(number)) => {
                let flow = &unit.flows[number];
                let mut counters = Vec::new();
                while !record.payload.is_empty() {
                    counters.push(record.payload.counter()?);
                }
                let found =
                    if counters.is_empty() { record.zero_bytes / 8 } else { counters.len() };
                if found != flow.counter_count() {
                    let expected = flow.counter_count();
                    let what = format!("{found} counters of a function that has {expected}");
                    return Err(record.payload.fault(what));
                }
                // Nothing in, nothing out: no need to solve what never ran.
                let never_ran = counters.iter().all(|count| *count == 0);
                let solved =
                    if never_ran { Some(Counts::default()) } else { flow.solve(&counters) };
                let name = &unit.notes.functions[number].name;
                let what = || {
                    format!(
                        "the counters of {name} do not add up (were they updated by several \
                         threads, or did it end in the middle?)"
                    )
                };
                counts[number] = Some(solved.ok_or_else(|| record.payload.fault(what()))?);
            }
            // Counters of values, and summaries.
            _ => {}
        }
    }
    Ok(counts)
}
