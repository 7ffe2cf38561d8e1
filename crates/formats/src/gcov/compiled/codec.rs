//! Compiled units as bytes.
//!
//! ```text
//! unit     = bytes of the folder, and how many: sources, names, functions, operations, slots that
//!            must not be negative, records, parts
//!            source*, name*, function*, operation*, slot*, record*, part*, text
//! source   = bytes of its path, number of its records
//! name     = its bytes
//! function = name, last line, lineno checksum, cfg checksum, counters, operations, slots
//! operation = left slot, right slot and sign
//! record   = line, name, number, kind and number of its parts
//! part     = function, slot
//! text     = the folder, the paths and the names, end to end
//! ```
//!
//! All numbers are 32 bits, the low byte first. Decoding accepts only what can be used without a
//! check: every number is in its bounds, and all sums are right.

use super::super::tape::{Operation, Slot};
use super::{CompiledFunction, CompiledRecord, CompiledUnit, RecordKind};

/// The kind of a record is in the highest bits of the number of its parts.
const KIND_SHIFT: u32 = 30;

impl CompiledUnit {
    /// Appends the unit to bytes; none if it is too large.
    pub(in super::super) fn encode(&self, bytes: &mut Vec<u8>) -> Option<()> {
        let mut words = Writer(bytes);
        words.count(self.folder.len())?;
        words.count(self.sources.len())?;
        words.count(self.names.len())?;
        words.count(self.functions.len())?;
        words.count(self.operations.len())?;
        words.count(self.sound.len())?;
        words.count(self.records.len())?;
        words.count(self.parts.len())?;
        for (path, records) in &self.sources {
            words.count(path.len())?;
            words.all([*records]);
        }
        for name in &self.names {
            words.count(name.len())?;
        }
        for function in &self.functions {
            let CompiledFunction { name, last_line, counters, operations, sound, .. } = *function;
            let [lineno, cfg] = [function.lineno_checksum, function.cfg_checksum];
            words.all([name, last_line, lineno, cfg, counters, operations, sound]);
        }
        for operation in &self.operations {
            words.all(operation.words());
        }
        for slot in &self.sound {
            words.all([*slot]);
        }
        for record in &self.records {
            let (kind, number) = match record.kind {
                RecordKind::Line => (0, 0),
                RecordKind::Branch(number) => (1, number),
                RecordKind::Function => (2, 0),
                RecordKind::Block(number) => (3, number),
            };
            if record.parts >> KIND_SHIFT != 0 {
                return None;
            }
            words.all([record.line, record.name, number, kind << KIND_SHIFT | record.parts]);
        }
        for (function, slot) in &self.parts {
            words.all([*function, *slot]);
        }
        let paths = self.sources.iter().map(|(path, _)| path);
        for text in [&self.folder].into_iter().chain(paths).chain(&self.names) {
            words.0.extend_from_slice(text.as_bytes());
        }
        Some(())
    }

    /// The unit that is encoded in these bytes; none if they are not exactly one unit.
    pub(in super::super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut words = Reader(bytes);
        let [folder_bytes, sources, names, functions, operations, sound, records, parts] =
            words.all()?;
        let sources: Vec<[u32; 2]> = words.rows(sources)?.collect();
        let names: Vec<[u32; 1]> = words.rows(names)?.collect();
        let functions = words.rows(functions)?.map(function).collect();
        let operations = words.rows(operations)?.map(Operation::of_words).collect();
        let sound = words.rows(sound)?.map(|[slot]: [u32; 1]| slot).collect();
        let records = words.rows(records)?.map(record).collect();
        let parts = words.rows(parts)?.map(|[function, slot]: [u32; 2]| (function, slot)).collect();
        let folder = words.text(folder_bytes)?;
        let source = |[bytes, records]: [u32; 2]| Some((words.text(bytes)?, records));
        let sources = sources.into_iter().map(source).collect::<Option<_>>()?;
        let names = names.into_iter().map(|[bytes]| words.text(bytes)).collect::<Option<_>>()?;
        let unit =
            CompiledUnit { folder, sources, names, functions, operations, sound, records, parts };
        (words.0.is_empty() && unit.is_sound()).then_some(unit)
    }

    /// Whether every number is in its bounds, and all sums are right.
    fn is_sound(&self) -> bool {
        let is_name = |name: u32| (name as usize) < self.names.len();
        let (mut operations, mut sound) = (&self.operations[..], &self.sound[..]);
        for function in &self.functions {
            let (Some(own_operations), Some(own_sound)) =
                (take(&mut operations, function.operations), take(&mut sound, function.sound))
            else {
                return false;
            };
            let first = 1 + u64::from(function.counters);
            let slots = first + u64::from(function.operations);
            let is_slot = |slot: &Slot| u64::from(*slot) < slots;
            let mut before = (first..).zip(own_operations);
            if slots > u64::from(Operation::SLOTS_MAX)
                || !is_name(function.name)
                || !before.all(|(slots, operation)| operation.is_before(slots))
                || !own_sound.iter().all(is_slot)
            {
                return false;
            }
        }
        let mut parts = &self.parts[..];
        let is_part = |(function, slot): &(u32, Slot)| {
            let function = self.functions.get(*function as usize);
            function.is_some_and(|function| (*slot as usize) < function.slots())
        };
        let is_record = |record: &CompiledRecord| {
            let own = take(&mut parts, record.parts);
            is_name(record.name)
                && own.is_some_and(|own| {
                    own.iter().all(is_part)
                        && (record.kind != RecordKind::Function || own.len() == 1)
                })
        };
        let records: u64 = self.sources.iter().map(|(_, records)| u64::from(*records)).sum();
        self.records.iter().all(is_record)
            && records == self.records.len() as u64
            && operations.is_empty()
            && sound.is_empty()
            && parts.is_empty()
    }
}

fn function(words: [u32; 7]) -> CompiledFunction {
    let [name, last_line, lineno_checksum, cfg_checksum, counters, operations, sound] = words;
    CompiledFunction { name, last_line, lineno_checksum, cfg_checksum, counters, operations, sound }
}

fn record([line, name, number, kind_and_parts]: [u32; 4]) -> CompiledRecord {
    let kind = match kind_and_parts >> KIND_SHIFT {
        0 => RecordKind::Line,
        1 => RecordKind::Branch(number),
        2 => RecordKind::Function,
        _ => RecordKind::Block(number),
    };
    CompiledRecord { line, name, kind, parts: kind_and_parts & ((1 << KIND_SHIFT) - 1) }
}

/// Removes the first `count` items of a slice; none if there are fewer.
fn take<'s, T>(items: &mut &'s [T], count: u32) -> Option<&'s [T]> {
    let (taken, rest) = items.split_at_checked(count as usize)?;
    *items = rest;
    Some(taken)
}

struct Writer<'b>(&'b mut Vec<u8>);

impl Writer<'_> {
    fn count(&mut self, count: usize) -> Option<()> {
        self.all([u32::try_from(count).ok()?]);
        Some(())
    }

    fn all<const N: usize>(&mut self, words: [u32; N]) {
        for word in words {
            self.0.extend_from_slice(&word.to_le_bytes());
        }
    }
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn all<const N: usize>(&mut self) -> Option<[u32; N]> {
        self.rows(1)?.next()
    }

    /// Rows of `N` words each.
    fn rows<const N: usize>(
        &mut self,
        count: u32,
    ) -> Option<impl Iterator<Item = [u32; N]> + use<'b, N>> {
        let words = (count as usize).checked_mul(N)?;
        let words = self.take(words.checked_mul(4)?)?.as_chunks::<4>().0.as_chunks::<N>().0;
        Some(words.iter().map(|row| row.map(u32::from_le_bytes)))
    }

    fn text(&mut self, bytes: u32) -> Option<String> {
        Some(std::str::from_utf8(self.take(bytes as usize)?).ok()?.to_owned())
    }

    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::super::unit::Unit;
    use super::*;

    fn units() -> Vec<CompiledUnit> {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gcda");
        let names = ["gcc-11/main.gcno", "gcc-12/main.gcno", "gcc-12/shapes.gcno"];
        let compiled = names.iter().flat_map(|name| {
            let unit = Unit::read(&std::fs::read(data.join(name)).unwrap(), |_| true).unwrap();
            let all: Vec<usize> = (0..unit.notes.functions.len()).collect();
            let odd: Vec<usize> = all.iter().copied().filter(|number| number % 2 == 1).collect();
            [(&all, true), (&all, false), (&odd, true)]
                .map(|(functions, has_blocks)| CompiledUnit::of(&unit, functions, has_blocks))
        });
        compiled.collect()
    }

    #[test]
    fn a_unit_survives_encoding() {
        for unit in units() {
            assert!(!unit.records.is_empty() && !unit.operations.is_empty());
            let mut bytes = Vec::new();
            unit.encode(&mut bytes).unwrap();
            assert!(CompiledUnit::decode(&bytes).unwrap() == unit);
        }
    }

    /// There is no checksum here: what is accepted must be safe to use, though it may be wrong.
    #[test]
    fn damaged_bytes_are_refused_or_within_bounds() {
        let (mut refused, mut accepted) = (0, 0);
        for unit in units().into_iter().skip(3).step_by(2) {
            let mut sound = Vec::new();
            unit.encode(&mut sound).unwrap();
            for at in 0..sound.len() {
                for flip in [0x01, 0x80, 0xff] {
                    let mut bytes = sound.clone();
                    bytes[at] ^= flip;
                    match CompiledUnit::decode(&bytes) {
                        Some(unit) => {
                            assert!(unit.is_sound());
                            accepted += 1;
                        }
                        None => refused += 1,
                    }
                }
                assert!(CompiledUnit::decode(&sound[..at]).is_none(), "cut off at {at}");
            }
            sound.push(0);
            assert!(CompiledUnit::decode(&sound).is_none());
        }
        assert!(refused > 1000 && accepted > 1000, "{refused} {accepted}");
    }
}
