//! Reads LLVM JSON. Keys come in any order: `type` and `version` at the very end, a function's file
//! names between its counts. So a function is buffered until it has been read completely.

use std::io::Read;

use hashbrown::HashSet;
use metacov_core::{BranchKey, Span, Symbol};

use super::segments::{Lines, Segment};
use crate::syntax::json::Json;
use crate::{CoverageFile, Fault, Record, SiteRecorder};

/// The kind of a region of code; other kinds are macro uses, skipped code, gaps and conditions.
const CODE: u32 = 0;

pub(super) fn report(
    input: &mut CoverageFile,
    recorder: &mut SiteRecorder<'_>,
) -> Result<(), Fault> {
    let mut json = Json::new(input);
    let mut lines = Lines::new();
    let mut functions = Functions::default();
    let (mut format, mut version) = (None, None);
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"type" => format = Some(json.string()?.to_owned()),
            b"version" => version = Some(json.string()?.to_owned()),
            b"data" => json.elements(|json| unit(json, recorder, &mut lines, &mut functions))?,
            _ => json.skip()?,
        }
    }
    if format.as_deref() != Some("llvm.coverage.json.export") {
        return Err(json.fault("the `type` is not `llvm.coverage.json.export`"));
    }
    let found = version.ok_or_else(|| json.fault("no `version`"))?;
    if !found.starts_with("2.") && !found.starts_with("3.") {
        return Err(Fault::Version { format: "LLVM JSON", found, known: "2 and 3" });
    }
    if !json.at_end()? {
        return Err(json.fault("unexpected content after the report"));
    }
    Ok(())
}

/// One element of `data`: files with their lines, functions with everything else.
fn unit(
    json: &mut Json<&mut CoverageFile>,
    recorder: &mut SiteRecorder<'_>,
    lines: &mut Lines,
    functions: &mut Functions,
) -> Result<(), Fault> {
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"files" => json.elements(|json| file(json, recorder, lines))?,
            b"functions" => json.elements(|json| functions.read(json, recorder))?,
            _ => json.skip()?,
        }
    }
    Ok(())
}

fn file(
    json: &mut Json<&mut CoverageFile>,
    recorder: &mut SiteRecorder<'_>,
    lines: &mut Lines,
) -> Result<(), Fault> {
    let mut path = None;
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"filename" => path = Some(json.string()?.to_owned()),
            // Written since LLVM 18, whether such records are requested or not.
            b"mcdc_records" => {
                lines.count_entries();
                json.skip()?;
            }
            b"segments" => {
                json.begin_array()?;
                while json.next_element()? {
                    let segment = Segment::read(json)?;
                    lines.take(segment, recorder).map_err(|what| json.fault(what))?;
                }
                lines.end_file(recorder);
            }
            // `branches` repeats those of `functions`, mixed with conditions that the compiler has
            // folded and llvm-cov itself does not count.
            _ => json.skip()?,
        }
    }
    let path = path.ok_or_else(|| json.fault("a file without `filename`"))?;
    recorder.end_file(&path).map_err(|what| json.fault(what))?;
    recorder.flush(None)
}

/// The functions of a report, one at a time. The memory is reused for the next.
#[derive(Default)]
struct Functions {
    filenames: Vec<String>,
    /// Regions and branches, each with the index of its file in `filenames`. A use of a macro has a
    /// separate index, with the path of the file that defines the macro.
    records: Vec<(usize, Record)>,
    /// Distinguishes the function from one of the same name in another build.
    shape: Vec<u8>,
    /// Programs that share a header may each have a function of the same name with another shape,
    /// and one report may contain several programs: only the first of a name is compared between
    /// builds.
    seen: HashSet<Symbol>,
}

/// Where a function is: the index of its file, its first and its last line.
#[derive(Default)]
struct Extent {
    file: usize,
    line: u32,
    end: u32,
}

impl Functions {
    fn read(
        &mut self,
        json: &mut Json<&mut CoverageFile>,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), Fault> {
        self.filenames.clear();
        self.records.clear();
        self.shape.clear();
        let (mut name, mut count) = (None, None);
        let mut extent = Extent::default();
        json.begin_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"name" => name = Some(json.string()?.to_owned()),
                b"count" => count = Some(json.uint()?),
                b"filenames" => {
                    json.begin_array()?;
                    while json.next_element()? {
                        self.filenames.push(json.string()?.to_owned());
                    }
                }
                b"regions" => extent = self.read_regions(json)?,
                b"branches" => self.read_branches(json)?,
                _ => json.skip()?,
            }
        }
        let name = name.ok_or_else(|| json.fault("a function without `name`"))?;
        let count = count.ok_or_else(|| json.fault("a function without `count`"))?;
        let instance = recorder.instance(&name);
        let symbol = recorder.symbol(&name);
        let Extent { file, line, end } = extent;
        let mut function = Record::function(line, symbol, count > 0).ending(end);
        if self.seen.insert(symbol) {
            function = function.marked(&self.shape);
        }
        self.records.iter_mut().for_each(|(_, record)| *record = record.instance(instance));
        self.records.push((file, function));
        self.hand_over(recorder).map_err(|what| json.fault(what))?;
        recorder.flush(None)
    }

    /// `[line, column, end line, end column, count, file, expanded file, kind]`. The first region
    /// is the whole function.
    fn read_regions(&mut self, json: &mut Json<&mut CoverageFile>) -> Result<Extent, Fault> {
        let mut extent = None;
        json.begin_array()?;
        while json.next_element()? {
            json.begin_array()?;
            let (line, span) = place(json)?;
            let ran = element(json)?.uint()? > 0;
            let file = element(json)?.uint32()?;
            let expanded = element(json)?.uint32()?;
            let kind = element(json)?.uint32()?;
            rest(json)?;
            for number in [line, span.column, span.end_line, span.end_column, file, expanded, kind]
            {
                self.shape.extend_from_slice(&number.to_le_bytes());
            }
            extent.get_or_insert(Extent { file: file as usize, line, end: span.end_line });
            if kind == CODE {
                self.records.push((file as usize, Record::region(line, span, ran)));
            }
        }
        Ok(extent.unwrap_or_default())
    }

    /// `[line, column, end line, end column, count of true, of false, file, expanded file, kind]`.
    ///
    /// Up to LLVM 19, constant conditions are left out. LLVM 22 lists them and folds only the
    /// impossible outcome, but does not say which one that is: it is a site that never runs.
    fn read_branches(&mut self, json: &mut Json<&mut CoverageFile>) -> Result<(), Fault> {
        json.begin_array()?;
        while json.next_element()? {
            json.begin_array()?;
            let (line, span) = place(json)?;
            let ran_true = element(json)?.uint()? > 0;
            let ran_false = element(json)?.uint()? > 0;
            let file = element(json)?.uint32()? as usize;
            rest(json)?;
            for (taken, ran) in [(true, ran_true), (false, ran_false)] {
                let key = BranchKey::Outcome { span, taken };
                self.records.push((file, Record::branch(line, key, ran)));
            }
        }
        Ok(())
    }

    /// Passes all records to the recorder, file by file.
    fn hand_over(&mut self, recorder: &mut SiteRecorder<'_>) -> Result<(), String> {
        self.records.sort_by_key(|(file, _)| *file);
        for records in self.records.chunk_by(|(left, _), (right, _)| left == right) {
            for (_, record) in records {
                recorder.add(*record);
            }
            let file = records.first().map_or(0, |(file, _)| *file);
            let path = self
                .filenames
                .get(file)
                .ok_or_else(|| format!("file {file} is not among the function's `filenames`"))?;
            recorder.end_file(path)?;
        }
        Ok(())
    }
}

/// The first line, and the rest of the span.
fn place(json: &mut Json<&mut CoverageFile>) -> Result<(u32, Span), Fault> {
    let line = element(json)?.uint32()?;
    let column = element(json)?.uint32()?;
    let end_line = element(json)?.uint32()?;
    let end_column = element(json)?.uint32()?;
    Ok((line, Span { column, end_line, end_column }))
}

/// Advances to an element that must exist.
pub(super) fn element<R: Read>(json: &mut Json<R>) -> Result<&mut Json<R>, Fault> {
    if json.next_element()? { Ok(json) } else { Err(json.fault("the array is too short")) }
}

/// Skips elements that a later version may have added to an array.
pub(super) fn rest<R: Read>(json: &mut Json<R>) -> Result<(), Fault> {
    while json.next_element()? {
        json.skip()?;
    }
    Ok(())
}
