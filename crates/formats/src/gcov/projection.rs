//! Maps the counts of a translation unit to the sites of a table.
//!
//! The mapping depends on the notes, on which functions are in the program, and on the scope; not
//! on the counts. So it is computed once, by passing all sites to the recorder as if none had run,
//! and each run only sets bits.

use metacov_core::{BranchKey, Reading, SiteId, Symbol};

use super::compiled::{CompiledRecord, CompiledUnit, RecordKind};
use super::tape::Slot;
use crate::{Fault, Location, Record, SiteRecorder};

/// The sites of a translation unit.
pub(super) struct Projection {
    /// All sites, none of which ran.
    reading: Reading,
    /// Which count makes which site run, by function.
    sites: Vec<Vec<(SiteId, Slot)>>,
}

impl Projection {
    /// Adds all sites of a unit to the table. `name` is the hash of the unit's name.
    pub(super) fn of(
        unit: &CompiledUnit,
        name: u32,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<Self, Fault> {
        let mut symbols = Names { unit, symbols: vec![None; unit.names.len()] };
        let (mut records, mut parts) = (unit.records.iter(), &unit.parts[..]);
        for (path, count) in &unit.sources {
            for record in records.by_ref().take(*count as usize) {
                let (own, rest) = parts.split_at(record.parts as usize);
                parts = rest;
                let record = symbols.record(record, own, recorder);
                recorder.add(record);
            }
            recorder.end_file(path).map_err(|what| Fault::malformed(Location::Whole, what))?;
        }
        let before = std::mem::replace(&mut recorder.reading, Reading::of(recorder.table));
        recorder.unit = name;
        let numbers = recorder.flush_numbered(Some(&unit.folder))?;
        let reading = std::mem::replace(&mut recorder.reading, before);
        Ok(Projection { reading, sites: sites(unit, &numbers) })
    }

    /// All sites, none of which ran.
    pub(super) fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Which counts of which function make which sites run.
    pub(super) fn into_sites(self) -> Vec<Vec<(SiteId, Slot)>> {
        self.sites
    }
}

/// The names of a unit, and their symbols in a table.
struct Names<'u> {
    unit: &'u CompiledUnit,
    symbols: Vec<Option<Symbol>>,
}

impl Names<'_> {
    fn record(
        &mut self,
        record: &CompiledRecord,
        parts: &[(u32, Slot)],
        recorder: &mut SiteRecorder<'_>,
    ) -> Record {
        let line = record.line;
        match record.kind {
            RecordKind::Line => {
                Record::line(line, false).instance(self.instance(record.name, recorder))
            }
            RecordKind::Branch(position) => {
                let instance = self.instance(record.name, recorder);
                Record::branch(line, BranchKey::Position(position), false).instance(instance)
            }
            RecordKind::Block(number) => {
                Record::block(line, self.symbol(record.name, recorder), number, false)
            }
            RecordKind::Function => {
                let name = self.symbol(record.name, recorder);
                let record = Record::function(line, name, false);
                let Some((function, _)) = parts.first() else { return record };
                let function = &self.unit.functions[*function as usize];
                let key = [function.lineno_checksum, function.cfg_checksum];
                let record = record.ending(function.last_line);
                record.marked_in_unit(&key.map(u32::to_le_bytes).concat())
            }
        }
    }

    /// The instance of a function, if instances are distinguished.
    fn instance(&mut self, name: u32, recorder: &mut SiteRecorder<'_>) -> Symbol {
        if recorder.scope.per_instance { self.symbol(name, recorder) } else { Symbol::NONE }
    }

    fn symbol(&mut self, name: u32, recorder: &mut SiteRecorder<'_>) -> Symbol {
        let text = &self.unit.names[name as usize];
        *self.symbols[name as usize].get_or_insert_with(|| recorder.symbol(text))
    }
}

/// Which count makes which site run, by function.
fn sites(unit: &CompiledUnit, numbers: &[Option<SiteId>]) -> Vec<Vec<(SiteId, Slot)>> {
    let mut sites = vec![Vec::new(); unit.functions.len()];
    let mut parts = &unit.parts[..];
    for (record, number) in unit.records.iter().zip(numbers) {
        let (own, rest) = parts.split_at(record.parts as usize);
        parts = rest;
        let Some(site) = number else { continue };
        for (function, slot) in own {
            sites[*function as usize].push((*site, *slot));
        }
    }
    sites
}
