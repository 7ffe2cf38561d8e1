//! Reads tracefiles. A context is a test name: the sections that follow its `TN:`.

use hashbrown::HashMap;
use metacov_core::{BranchKey, Symbol};

use crate::syntax::lines::{Lines, shown};
use crate::{CoverageFile, Fault, Record, SiteRecorder};

pub(super) fn sections(
    input: &mut CoverageFile,
    recorder: &mut SiteRecorder<'_>,
) -> Result<(), Fault> {
    let mut lines = Lines::new(input);
    let mut section = Section::default();
    let mut chosen = recorder.context.is_none();
    while let Some(line) = lines.next_line()? {
        if let Some(test) = line.strip_prefix("TN:") {
            chosen = recorder.context.is_none_or(|context| context == test);
        } else if chosen {
            section.take(line, recorder).map_err(|what| lines.fault(what))?;
            if section.path.is_none() {
                recorder.flush(None)?;
            }
        }
    }
    if section.path.is_some() {
        return Err(lines.fault("the file ends without `end_of_record`"));
    }
    Ok(())
}

/// The records between `SF:` and `end_of_record`.
#[derive(Default)]
struct Section {
    path: Option<String>,
    /// `FN`: names, and where they start and, if known, end.
    functions: Vec<(Symbol, u32, u32)>,
    /// `FNDA`: whether the function of a name ran.
    runs: HashMap<Symbol, bool>,
    /// `FNL`: by index, where the function starts and, if known, ends.
    leaders: HashMap<u32, (u32, u32)>,
}

impl Section {
    fn take(&mut self, line: &str, recorder: &mut SiteRecorder<'_>) -> Result<(), String> {
        if line == "end_of_record" {
            return self.end(recorder);
        }
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let (kind, rest) = line
            .split_once(':')
            .ok_or_else(|| format!("`{}` is not a record of lcov", shown(line)))?;
        if kind == "SF" {
            if self.path.is_some() {
                return Err("`SF` before the `end_of_record` of the file before".to_owned());
            }
            self.path = Some(rest.to_owned());
            return Ok(());
        }
        let in_section = self.path.is_some();
        let known = match kind {
            "DA" => line_record(rest).map(|record| recorder.add(record)),
            "BRDA" => branch_record(rest, recorder),
            "FN" => self.function_start(rest, recorder),
            "FNDA" => self.function_runs(rest, recorder),
            "FNL" => self.leader(rest),
            "FNA" => self.alias(rest, recorder),
            // Ignored: versions, MC/DC, sums that follow from the rest, and future records.
            _ => return Ok(()),
        };
        known.ok_or_else(|| {
            let what = if rest.contains(",-") {
                "a negative count (were counters updated by several threads?)".to_owned()
            } else {
                format!("not of the form that {kind} has")
            };
            format!("`{}`: {what}", shown(line))
        })?;
        if in_section { Ok(()) } else { Err(format!("{kind} outside of a section")) }
    }

    /// `FN:start,[end,]name`
    fn function_start(&mut self, rest: &str, recorder: &mut SiteRecorder<'_>) -> Option<()> {
        let (start, name) = rest.split_once(',')?;
        let (end, name) = match name.split_once(',') {
            Some((end, name)) if end.parse::<u32>().is_ok() => (end.parse().ok()?, name),
            _ => (0, name),
        };
        self.functions.push((recorder.symbol(name), start.parse().ok()?, end));
        Some(())
    }

    /// `FNDA:count,name`
    fn function_runs(&mut self, rest: &str, recorder: &mut SiteRecorder<'_>) -> Option<()> {
        let (count, name) = rest.split_once(',')?;
        *self.runs.entry(recorder.symbol(name)).or_insert(false) |= ran(count)?;
        Some(())
    }

    /// `FNL:index,start[,end]`
    fn leader(&mut self, rest: &str) -> Option<()> {
        let mut parts = rest.split(',');
        let (index, start) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let end = parts.next().map_or(Some(0), |end| end.parse().ok())?;
        self.leaders.insert(index, (start, end));
        Some(())
    }

    /// `FNA:index,count,name`
    fn alias(&mut self, rest: &str, recorder: &mut SiteRecorder<'_>) -> Option<()> {
        let mut parts = rest.splitn(3, ',');
        let index: u32 = parts.next()?.parse().ok()?;
        let (start, end) = *self.leaders.get(&index)?;
        let ran = ran(parts.next()?)?;
        let name = recorder.symbol(parts.next()?);
        recorder.add(Record::function(start, name, ran).ending(end));
        Some(())
    }

    fn end(&mut self, recorder: &mut SiteRecorder<'_>) -> Result<(), String> {
        for (name, start, end) in &self.functions {
            let ran = self.runs.get(name).copied().unwrap_or(false);
            recorder.add(Record::function(*start, *name, ran).ending(*end));
        }
        for (name, ..) in self.functions.drain(..) {
            self.runs.remove(&name);
        }
        if let Some(name) = self.runs.keys().next() {
            return Err(format!("FNDA of `{}` without its FN", recorder.table.name(*name)));
        }
        self.leaders.clear();
        let path = self.path.take().ok_or("`end_of_record` without `SF`")?;
        recorder.end_file(&path)
    }
}

/// `DA:line,count[,checksum]`
fn line_record(rest: &str) -> Option<Record> {
    let mut parts = rest.splitn(3, ',');
    let line = parts.next()?.parse().ok()?;
    let record = Record::line(line, ran(parts.next()?)?);
    Some(match parts.next() {
        // MD5: 22 characters of lcov's base 64, 32 of gcovr's hexadecimal.
        Some(checksum) if !checksum.is_empty() => {
            let notation = u8::try_from(checksum.len()).unwrap_or(u8::MAX);
            record.marked_in(notation, checksum.as_bytes())
        }
        _ => record,
    })
}

/// `BRDA:line,[e|f][U]block,branch,taken`, where the branch may be text with commas in it.
fn branch_record(rest: &str, recorder: &mut SiteRecorder<'_>) -> Option<()> {
    let (line, rest) = rest.split_once(',')?;
    let (block, rest) = rest.split_once(',')?;
    let (name, taken) = rest.rsplit_once(',')?;
    let block = block.trim_start_matches(['e', 'f']);
    if block.starts_with('U') {
        return Some(()); // Unreachable: not code.
    }
    let (line, block) = (line.parse().ok()?, block.parse().ok()?);
    let key = match name.parse() {
        // As geninfo converts gcc's data: the branches of a line, numbered.
        Ok(position) if block == 0 => BranchKey::Position(position),
        _ => BranchKey::Label { block, name: recorder.symbol(name) },
    };
    let ran = if taken == "-" { false } else { ran(taken)? };
    recorder.add(Record::branch(line, key, ran));
    Some(())
}

/// Whether a count is positive. Negative counts are a fault: they come from counters that threads
/// have corrupted.
fn ran(count: &str) -> Option<bool> {
    count.parse::<u64>().ok().map(|count| count > 0)
}
