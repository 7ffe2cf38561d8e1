//! Reads Istanbul's coverage map: by file, which code there is (`statementMap`, `fnMap`,
//! `branchMap`) and how often it ran (`s`, `f`, `b`), in any order, linked by numbers.

use std::collections::BTreeMap;

use metacov_core::{BranchKey, Fingerprint, Span, Symbol};

use crate::syntax::json::{Json, Next};
use crate::{CoverageFile, Fault, Record, SiteRecorder};

pub(super) fn map(input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
    let mut json = Json::new(input);
    let mut file = File::default();
    json.begin_object()?;
    while let Some(key) = json.next_name()? {
        let key = key.to_owned();
        file.read(&mut json, recorder)?;
        file.hand_over(recorder).map_err(|what| json.fault(what))?;
        let path = file.path.as_deref().unwrap_or(&key);
        recorder.end_file(path).map_err(|what| json.fault(what))?;
        recorder.flush(None)?;
    }
    if !json.at_end()? {
        return Err(json.fault("unexpected content after the report"));
    }
    Ok(())
}

/// One file of the map, each part by the numbers of its producer.
#[derive(Default)]
struct File {
    path: Option<String>,
    statements: BTreeMap<u32, (u32, Span)>,
    functions: BTreeMap<u32, (u32, Symbol)>,
    /// The line of each decision.
    decisions: BTreeMap<u32, u32>,
    statement_ran: BTreeMap<u32, bool>,
    function_ran: BTreeMap<u32, bool>,
    /// Which alternatives of each decision ran.
    alternatives_ran: BTreeMap<u32, Vec<bool>>,
}

impl File {
    fn read(
        &mut self,
        json: &mut Json<&mut CoverageFile>,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), Fault> {
        *self = File::default();
        json.begin_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"path" => self.path = Some(json.string()?.to_owned()),
                b"statementMap" => self.statements = numbered(json, statement)?,
                b"fnMap" => self.functions = numbered(json, |json| function(json, recorder))?,
                b"branchMap" => self.decisions = numbered(json, decision)?,
                b"s" => self.statement_ran = numbered(json, ran)?,
                b"f" => self.function_ran = numbered(json, ran)?,
                b"b" => self.alternatives_ran = numbered(json, alternatives)?,
                _ => json.skip()?,
            }
        }
        Ok(())
    }

    fn hand_over(&self, recorder: &mut SiteRecorder<'_>) -> Result<(), String> {
        let shape = self.shape().to_le_bytes();
        for (number, (line, span)) in &self.statements {
            let ran = *self
                .statement_ran
                .get(number)
                .ok_or_else(|| format!("statement {number} without a count in `s`"))?;
            recorder.add(Record::line(*line, ran));
            recorder.add(Record::region(*line, *span, ran).marked(&shape));
        }
        for (number, (line, name)) in &self.functions {
            let ran = *self
                .function_ran
                .get(number)
                .ok_or_else(|| format!("function {number} without a count in `f`"))?;
            recorder.add(Record::function(*line, *name, ran));
        }
        for (number, line) in &self.decisions {
            let alternatives = self
                .alternatives_ran
                .get(number)
                .ok_or_else(|| format!("decision {number} without counts in `b`"))?;
            for (index, ran) in (0..).zip(alternatives) {
                let key = BranchKey::Alternative { decision: *number, index };
                recorder.add(Record::branch(*line, key, *ran));
            }
        }
        Ok(())
    }

    /// A hash that differs for code with other statements. Istanbul's own `hash` does not serve:
    /// the same code has another one in another folder, and some producers write none.
    fn shape(&self) -> u64 {
        let mut fingerprint = Fingerprint::new();
        for (line, span) in self.statements.values() {
            fingerprint.numbers([*line, span.column, span.end_line, span.end_column]);
        }
        fingerprint.hash()
    }
}

/// An object whose keys are numbers, without values that are ignored.
fn numbered<T>(
    json: &mut Json<&mut CoverageFile>,
    mut value: impl FnMut(&mut Json<&mut CoverageFile>) -> Result<Option<T>, Fault>,
) -> Result<BTreeMap<u32, T>, Fault> {
    let mut values = BTreeMap::new();
    json.begin_object()?;
    while let Some(key) = json.next_name()? {
        let number = key.parse().ok();
        let number = number.ok_or_else(|| json.fault("expected a number as key"))?;
        if let Some(value) = value(json)? {
            values.insert(number, value);
        }
    }
    Ok(values)
}

fn ran(json: &mut Json<&mut CoverageFile>) -> Result<Option<bool>, Fault> {
    Ok(Some(json.uint()? > 0))
}

fn alternatives(json: &mut Json<&mut CoverageFile>) -> Result<Option<Vec<bool>>, Fault> {
    let mut alternatives = Vec::new();
    json.begin_array()?;
    while json.next_element()? {
        alternatives.push(json.uint()? > 0);
    }
    Ok(Some(alternatives))
}

fn statement(json: &mut Json<&mut CoverageFile>) -> Result<Option<(u32, Span)>, Fault> {
    let Location { start, end } = location(json)?;
    let line = start.line.ok_or_else(|| json.fault("a statement without a line"))?;
    let column = start.column.unwrap_or(0);
    let end_line = end.line.unwrap_or(line);
    // Source maps often do not say where a line ends.
    let end_column = end.column.unwrap_or(u32::MAX);
    Ok(Some((line, Span { column, end_line, end_column })))
}

fn function(
    json: &mut Json<&mut CoverageFile>,
    recorder: &mut SiteRecorder<'_>,
) -> Result<Option<(u32, Symbol)>, Fault> {
    let mut name = None;
    let (mut declaration, mut body, mut line) = (Location::default(), Location::default(), None);
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"name" => name = Some(json.string()?.to_owned()),
            b"decl" => declaration = location(json)?,
            b"loc" => body = location(json)?,
            b"line" => line = coordinate(json)?,
            _ => json.skip()?,
        }
    }
    let name = name.ok_or_else(|| json.fault("a function without `name`"))?;
    if name == "(empty-report)" {
        // c8's name for "this file was never loaded".
        return Ok(None);
    }
    let line = declaration.start.line.or(body.start.line).or(line);
    let line = line.ok_or_else(|| json.fault("a function without a line"))?;
    Ok(Some((line, recorder.symbol(&name))))
}

fn decision(json: &mut Json<&mut CoverageFile>) -> Result<Option<u32>, Fault> {
    let (mut place, mut line, mut is_range) = (Location::default(), None, false);
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"type" => is_range = json.string()? == "branch",
            b"loc" => place = location(json)?,
            b"line" => line = coordinate(json)?,
            // The place of each alternative, which an implicit `else` does not have.
            _ => json.skip()?,
        }
    }
    if is_range {
        // V8 (c8) lists ranges whose count differs from that of the code around them. These ranges
        // and their numbers differ from run to run, so they identify no branch.
        return Ok(None);
    }
    let line = place.start.line.or(line);
    line.map(Some).ok_or_else(|| json.fault("a decision without a line"))
}

#[derive(Default)]
struct Location {
    start: Position,
    end: Position,
}

#[derive(Default)]
struct Position {
    line: Option<u32>,
    column: Option<u32>,
}

fn location(json: &mut Json<&mut CoverageFile>) -> Result<Location, Fault> {
    let mut location = Location::default();
    if json.peek()? == Next::Null {
        return json.null().map(|()| location);
    }
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"start" => location.start = position(json)?,
            b"end" => location.end = position(json)?,
            _ => json.skip()?,
        }
    }
    Ok(location)
}

fn position(json: &mut Json<&mut CoverageFile>) -> Result<Position, Fault> {
    let mut position = Position::default();
    if json.peek()? == Next::Null {
        return json.null().map(|()| position);
    }
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"line" => position.line = coordinate(json)?,
            b"column" => position.column = coordinate(json)?,
            _ => json.skip()?,
        }
    }
    Ok(position)
}

/// A line or a column. If a producer does not know it, it writes null or -1.
fn coordinate(json: &mut Json<&mut CoverageFile>) -> Result<Option<u32>, Fault> {
    if json.peek()? == Next::Null {
        return json.null().map(|()| None);
    }
    let number = json.int()?;
    if number < 0 {
        return Ok(None);
    }
    u32::try_from(number).map(Some).map_err(|_| json.fault(format!("{number} is beyond 32 bits")))
}
