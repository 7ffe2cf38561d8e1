//! Maps the counts of a translation unit to the sites of a table.
//!
//! The mapping depends on the notes, on which functions are in the program, and on the scope; not
//! on the counts. So it is computed once, by passing all sites to the recorder as if none had run,
//! and each run only sets bits.

use metacov_core::{BranchKey, Reading, SiteId, Symbol};

use super::entries::{Entry, Part};
use super::flow::{Flow, Variable};
use super::notes::FIRST_BLOCK;
use super::unit::Unit;
use crate::{Fault, Record, SiteRecorder};

/// The sites of a translation unit.
pub(super) struct Projection {
    /// All sites, none of which ran.
    reading: Reading,
    /// Which arc or block makes which site run, by function.
    sites: Vec<Vec<(Variable, SiteId)>>,
}

impl Projection {
    /// Adds all sites of a unit to the table. `present` says which functions are in the program;
    /// `name` is the hash of the unit's name.
    pub(super) fn of(
        unit: &Unit,
        name: u32,
        present: &[bool],
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<Self, Fault> {
        let mut links = Links { unit, present, parts: Vec::new(), starts: vec![0] };
        let names: Vec<Symbol> =
            unit.notes.functions.iter().map(|function| recorder.instance(&function.name)).collect();
        let mut entries = unit.entries.iter().peekable();
        for (source, path) in unit.notes.sources.iter().enumerate() {
            while let Some(entry) = entries.next_if(|entry| entry.source == source) {
                let instance = entry.function.map_or(Symbol::NONE, |function| names[function]);
                links.add_entry(entry, instance, recorder);
            }
            links.add_functions(source, recorder);
            if recorder.scope.blocks {
                links.add_blocks(source, recorder);
            }
            recorder
                .end_file(path)
                .map_err(|what| Fault::malformed(crate::Location::Whole, what))?;
        }
        let before = std::mem::replace(&mut recorder.reading, Reading::of(recorder.table));
        recorder.unit = name;
        let numbers = recorder.flush_numbered(Some(&unit.notes.folder))?;
        let reading = std::mem::replace(&mut recorder.reading, before);
        Ok(Projection { reading, sites: links.sites(&numbers) })
    }

    /// All sites, none of which ran.
    pub(super) fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Which arcs and blocks of a function make which sites run.
    pub(super) fn sites(&self, function: usize) -> &[(Variable, SiteId)] {
        &self.sites[function]
    }
}

/// What makes the buffered records run, in the order of the records.
struct Links<'u> {
    unit: &'u Unit,
    present: &'u [bool],
    parts: Vec<Part>,
    /// Where the parts of each record start; one more at the end.
    starts: Vec<usize>,
}

impl Links<'_> {
    fn add_entry(&mut self, entry: &Entry, instance: Symbol, recorder: &mut SiteRecorder<'_>) {
        let Some((makes_it_run, branches)) = entry.among(self.present) else { return };
        let line = Record::line(entry.line, false).instance(instance);
        self.add(line, &makes_it_run, recorder);
        for (position, part) in (0..).zip(branches) {
            let key = BranchKey::Position(position);
            let branch = Record::branch(entry.line, key, false).instance(instance);
            self.add(branch, &[part], recorder);
        }
    }

    fn add_functions(&mut self, source: usize, recorder: &mut SiteRecorder<'_>) {
        for (number, function) in self.unit.notes.functions.iter().enumerate() {
            let counts = function.source == source && !function.artificial && self.present[number];
            if !counts {
                continue;
            }
            let name = recorder.symbol(&function.name);
            let key = [function.key.lineno_checksum, function.key.cfg_checksum];
            let record = Record::function(function.first_line, name, false);
            let record = record.ending(function.last_line);
            let record = record.marked_in_unit(&key.map(u32::to_le_bytes).concat());
            let entry = Flow::block(function.arcs.len(), 0);
            self.add(record, &[Part { function: number, variable: entry }], recorder);
        }
    }

    fn add_blocks(&mut self, source: usize, recorder: &mut SiteRecorder<'_>) {
        let unit = self.unit;
        for (number, function) in unit.notes.functions.iter().enumerate() {
            if function.source != source || function.artificial || !self.present[number] {
                continue;
            }
            let name = recorder.symbol(&function.name);
            for (block, what) in (0..).zip(&function.blocks).skip(FIRST_BLOCK) {
                let line = what.line_in(function);
                let variable = Flow::block(function.arcs.len(), block as usize);
                let record = Record::block(line, name, block, false);
                self.add(record, &[Part { function: number, variable }], recorder);
            }
        }
    }

    fn add(&mut self, record: Record, parts: &[Part], recorder: &mut SiteRecorder<'_>) {
        recorder.add(record);
        self.parts.extend_from_slice(parts);
        self.starts.push(self.parts.len());
    }

    /// Which arc or block makes which site run, by function.
    fn sites(self, numbers: &[Option<SiteId>]) -> Vec<Vec<(Variable, SiteId)>> {
        let mut sites = vec![Vec::new(); self.unit.notes.functions.len()];
        for (range, number) in self.starts.windows(2).zip(numbers) {
            let Some(site) = number else { continue };
            for part in &self.parts[range[0]..range[1]] {
                sites[part.function].push((part.variable, *site));
            }
        }
        sites
    }
}
