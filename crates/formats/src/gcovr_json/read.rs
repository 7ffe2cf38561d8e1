//! Reads gcovr JSON. No key has different meanings in different versions, so one reader is enough.

use metacov_core::{BranchKey, Symbol};

use crate::gcov_json::file;
use crate::syntax::json::{Json, Next};
use crate::{CoverageFile, Fault, Record, SiteRecorder};

pub(super) fn report(
    input: &mut CoverageFile,
    recorder: &mut SiteRecorder<'_>,
) -> Result<(), Fault> {
    let mut json = Json::new(input);
    let mut line = Line::default();
    let mut version = None;
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"gcovr/format_version" => version = Some(read_version(&mut json)?),
            b"files" => json.elements(|json| {
                file(json, recorder, |json, recorder| line.read(json, recorder), function)?;
                recorder.flush(None)
            })?,
            _ => json.skip()?,
        }
    }
    if version.is_none() {
        return Err(json.fault("no `gcovr/format_version`"));
    }
    if !json.at_end()? {
        return Err(json.fault("unexpected content after the report"));
    }
    Ok(())
}

/// A string since gcovr 5.0, a number (0.1) before.
fn read_version(json: &mut Json<&mut CoverageFile>) -> Result<(), Fault> {
    let found = if json.peek()? == Next::Number {
        json.skip()?;
        "0.1".to_owned()
    } else {
        json.string()?.to_owned()
    };
    let minor = found.strip_prefix("0.").and_then(|minor| minor.parse::<u32>().ok());
    if minor.is_some_and(|minor| (1..=15).contains(&minor)) {
        return Ok(());
    }
    Err(Fault::Version { format: "gcovr JSON", found, known: "0.1 to 0.15" })
}

/// One entry of `lines`. The memory is reused for the next.
#[derive(Default)]
struct Line {
    branches: Vec<Branch>,
    md5: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Branch {
    key: BranchKey,
    ran: bool,
    excluded: bool,
}

impl Line {
    fn read(
        &mut self,
        json: &mut Json<&mut CoverageFile>,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), Fault> {
        self.branches.clear();
        self.md5.clear();
        let (mut number, mut count, mut excluded, mut no_code) = (None, None, false, false);
        let mut instance = Symbol::NONE;
        json.begin_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"line_number" => number = Some(json.uint32()?),
                b"count" => count = Some(json.uint()?),
                b"branches" => self.read_branches(json)?,
                b"function_name" if recorder.scope.per_instance => {
                    instance = recorder.instance(json.string()?);
                }
                b"gcovr/md5" => self.md5.extend_from_slice(json.string()?.as_bytes()),
                b"gcovr/excluded" => excluded = json.bool()?,
                // Until gcovr 5.2: the line is listed, but has no code.
                b"gcovr/noncode" => no_code = json.bool()?,
                _ => json.skip()?,
            }
        }
        let number = number
            .filter(|number| *number > 0)
            .ok_or_else(|| json.fault("a line without a `line_number` from 1"))?;
        let count = count.ok_or_else(|| json.fault("a line without `count`"))?;
        if no_code {
            return Ok(());
        }
        let mut record = Record::line(number, count > 0).instance(instance).excluded(excluded);
        if !self.md5.is_empty() {
            record = record.marked(&self.md5);
        }
        recorder.add(record);
        for branch in &self.branches {
            let record = Record::branch(number, branch.key, branch.ran).instance(instance);
            recorder.add(record.excluded(excluded || branch.excluded));
        }
        Ok(())
    }

    fn read_branches(&mut self, json: &mut Json<&mut CoverageFile>) -> Result<(), Fault> {
        json.begin_array()?;
        while json.next_element()? {
            let (mut count, mut excluded, mut number) = (None, false, None);
            let (mut source, mut destination) = (None, None);
            json.begin_object()?;
            while let Some(key) = json.next_key()? {
                match key {
                    b"count" => count = Some(json.uint()?),
                    b"branchno" => number = Some(json.uint32()?),
                    b"source_block_id" | b"blockno" => source = Some(json.uint32()?),
                    b"destination_block_id" | b"destination_blockno" => {
                        destination = Some(json.uint32()?);
                    }
                    b"gcovr/excluded" => excluded = json.bool()?,
                    _ => json.skip()?,
                }
            }
            let count = count.ok_or_else(|| json.fault("a branch without `count`"))?;
            let position = u32::try_from(self.branches.len()).unwrap_or(u32::MAX);
            let key = match (number, source, destination) {
                (Some(number), ..) => BranchKey::Number(number),
                (None, Some(source), Some(destination)) => {
                    BranchKey::Arc { source, destination, occurrence: 0 }
                }
                _ => BranchKey::Position(position),
            };
            self.branches.push(Branch { key, ran: count > 0, excluded });
        }
        Ok(())
    }
}

fn function(
    json: &mut Json<&mut CoverageFile>,
    recorder: &mut SiteRecorder<'_>,
) -> Result<(), Fault> {
    let (mut name, mut demangled) = (None, None);
    let (mut line, mut last, mut count, mut excluded) = (None, 0, 0, false);
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"name" => name = Some(recorder.symbol(json.string()?)),
            b"demangled_name" => demangled = Some(recorder.symbol(json.string()?)),
            b"lineno" => line = Some(json.uint32()?),
            b"execution_count" => count = json.uint()?,
            b"pos" => last = end_of(json)?,
            b"gcovr/excluded" => excluded = json.bool()?,
            _ => json.skip()?,
        }
    }
    if let (Some(name), Some(demangled)) = (name, demangled) {
        recorder.table.set_shown_name(name, demangled);
    }
    let name = name.or(demangled).ok_or_else(|| json.fault("a function without `name`"))?;
    let line = line.ok_or_else(|| json.fault("a function without `lineno`"))?;
    recorder.add(Record::function(line, name, count > 0).ending(last).excluded(excluded));
    Ok(())
}

/// The last line of `["first:column", "last:column"]`; zero if it is not known.
fn end_of(json: &mut Json<&mut CoverageFile>) -> Result<u32, Fault> {
    let mut last = 0;
    json.begin_array()?;
    while json.next_element()? {
        let (line, _) = json.string()?.split_once(':').unwrap_or_default();
        last = line.parse().unwrap_or(0);
    }
    Ok(last)
}
