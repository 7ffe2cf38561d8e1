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
    /// Which count makes which site run, function by function.
    sites: Vec<(SiteId, Slot)>,
    /// How many of them each function has.
    site_counts: Vec<u32>,
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
        let (sites, site_counts) = sites(unit, &numbers);
        Ok(Projection { reading, sites, site_counts })
    }

    /// All sites, none of which ran.
    pub(super) fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Which counts make which sites run, function by function.
    pub(super) fn sites(&self) -> &[(SiteId, Slot)] {
        &self.sites
    }

    /// How many of these sites each function has.
    pub(super) fn site_counts(&self) -> &[u32] {
        &self.site_counts
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

/// Which count makes which site run, function by function, and how many sites each function has.
fn sites(unit: &CompiledUnit, numbers: &[Option<SiteId>]) -> (Vec<(SiteId, Slot)>, Vec<u32>) {
    let mut parts = &unit.parts[..];
    let mut placed = Vec::with_capacity(parts.len());
    for (record, number) in unit.records.iter().zip(numbers) {
        let (own, rest) = parts.split_at(record.parts as usize);
        parts = rest;
        let Some(site) = number else { continue };
        placed.extend(own.iter().map(|(function, slot)| (*function, *site, *slot)));
    }
    placed.sort_by_key(|(function, ..)| *function);
    let mut counts = vec![0; unit.functions.len()];
    for (function, ..) in &placed {
        counts[*function as usize] += 1;
    }
    (placed.into_iter().map(|(_, site, slot)| (site, slot)).collect(), counts)
}
