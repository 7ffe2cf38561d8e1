//! Reads gcov JSON: one document per data file, concatenated.
//!
//! Keys come in any order: gcov 12 writes a line's branches before its number, a file's lines
//! before its path, and the folder that paths are relative to at the very end.

use std::path::Path;

use hashbrown::HashMap;
use metacov_core::BranchKey;

use crate::syntax::json::Json;
use crate::unit_marks::unit_of;
use crate::{CoverageFile, Fault, Record, SiteRecorder};

pub(super) fn documents(
    input: &mut CoverageFile,
    recorder: &mut SiteRecorder<'_>,
) -> Result<(), Fault> {
    let mut json = Json::new(input);
    let mut line = Line::default();
    while !json.at_end()? {
        document(&mut json, recorder, &mut line)?;
    }
    Ok(())
}

fn document(
    json: &mut Json<&mut CoverageFile>,
    recorder: &mut SiteRecorder<'_>,
    line: &mut Line,
) -> Result<(), Fault> {
    let (mut folder, mut version) = (None, None);
    recorder.unit = 0;
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"format_version" => version = Some(json.string()?.to_owned()),
            b"current_working_directory" => folder = Some(json.string()?.to_owned()),
            b"data_file" => recorder.unit = unit_of(Path::new(json.string()?), None),
            b"files" => json.elements(|json| {
                file(json, recorder, |json, recorder| line.read(json, recorder), function)
            })?,
            _ => json.skip()?,
        }
    }
    match version.as_deref() {
        Some("1" | "2") => recorder.flush(folder.as_deref()),
        Some(found) => {
            let found = found.to_owned();
            Err(Fault::Version { format: "gcov JSON", found, known: "1 and 2" })
        }
        None => Err(json.fault("no `format_version`")),
    }
}

/// One entry of `files`, which gcovr has adopted from gcov: a path, lines and functions, in any
/// order.
pub(crate) fn file(
    json: &mut Json<&mut CoverageFile>,
    recorder: &mut SiteRecorder<'_>,
    mut line: impl FnMut(&mut Json<&mut CoverageFile>, &mut SiteRecorder<'_>) -> Result<(), Fault>,
    function: fn(&mut Json<&mut CoverageFile>, &mut SiteRecorder<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut path = None;
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"file" => path = Some(json.string()?.to_owned()),
            b"lines" => json.elements(|json| line(json, recorder))?,
            b"functions" => json.elements(|json| function(json, recorder))?,
            _ => json.skip()?,
        }
    }
    let path = path.ok_or_else(|| json.fault("a file without `file`"))?;
    recorder.end_file(&path).map_err(|what| json.fault(what))
}

/// One entry of `lines`: a line, or a line of one function instance.
#[derive(Default)]
struct Line {
    branches: Vec<(BranchKey, bool)>,
    arcs: HashMap<(u32, u32), u32>,
}

impl Line {
    fn read(
        &mut self,
        json: &mut Json<&mut CoverageFile>,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), Fault> {
        self.branches.clear();
        self.arcs.clear();
        let (mut number, mut count) = (None, None);
        let mut instance = recorder.instance("");
        json.begin_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"line_number" => number = Some(json.uint32()?),
                b"count" => count = Some(json.uint()?),
                b"branches" => self.read_branches(json)?,
                b"function_name" if recorder.scope.per_instance => {
                    instance = recorder.instance(json.string()?);
                }
                _ => json.skip()?,
            }
        }
        let number = number.ok_or_else(|| json.fault("a line without `line_number`"))?;
        let count = count.ok_or_else(|| json.fault("a line without `count`"))?;
        recorder.add(Record::line(number, count > 0).instance(instance));
        for (key, ran) in &self.branches {
            recorder.add(Record::branch(number, *key, *ran).instance(instance));
        }
        Ok(())
    }

    fn read_branches(&mut self, json: &mut Json<&mut CoverageFile>) -> Result<(), Fault> {
        json.begin_array()?;
        while json.next_element()? {
            let (mut count, mut source, mut destination) = (None, None, None);
            json.begin_object()?;
            while let Some(key) = json.next_key()? {
                match key {
                    b"count" => count = Some(json.uint()?),
                    b"source_block_id" => source = Some(json.uint32()?),
                    b"destination_block_id" => destination = Some(json.uint32()?),
                    _ => json.skip()?,
                }
            }
            let count = count.ok_or_else(|| json.fault("a branch without `count`"))?;
            let key = if let (Some(source), Some(destination)) = (source, destination) {
                let seen = self.arcs.entry((source, destination)).or_insert(0);
                let occurrence = *seen;
                *seen += 1;
                BranchKey::Arc { source, destination, occurrence }
            } else {
                BranchKey::Position(u32::try_from(self.branches.len()).unwrap_or(u32::MAX))
            };
            self.branches.push((key, count > 0));
        }
        Ok(())
    }
}

fn function(
    json: &mut Json<&mut CoverageFile>,
    recorder: &mut SiteRecorder<'_>,
) -> Result<(), Fault> {
    let (mut name, mut demangled) = (None, None);
    let (mut line, mut count, mut blocks, mut last) = (None, None, 0, 0);
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"name" => name = Some(recorder.symbol(json.string()?)),
            b"demangled_name" => demangled = Some(recorder.symbol(json.string()?)),
            b"start_line" => line = Some(json.uint32()?),
            b"execution_count" => count = Some(json.uint()?),
            b"blocks" => blocks = json.uint32()?,
            b"end_line" => last = json.uint32()?,
            _ => json.skip()?,
        }
    }
    let name = name.ok_or_else(|| json.fault("a function without `name`"))?;
    if let Some(demangled) = demangled {
        recorder.table.set_shown_name(name, demangled);
    }
    let line = line.ok_or_else(|| json.fault("a function without `start_line`"))?;
    let count = count.ok_or_else(|| json.fault("a function without `execution_count`"))?;
    // A function with another number of blocks, or another end, is different code.
    let shape = [blocks.to_le_bytes(), last.to_le_bytes()].concat();
    recorder.add(Record::function(line, name, count > 0).ending(last).marked_in_unit(&shape));
    Ok(())
}
