//! Reading coverage.py's JSON report.
//!
//! Up to coverage.py 7.6 the executed lines contain some that are not statements, such as
//! docstrings. The report does not say which, so they count as code.

use hashbrown::HashSet;
use metacov_core::{BranchKey, Symbol};

use crate::syntax::json::Json;
use crate::{CoverageFile, Fault, Location, Record, SiteRecorder};

pub(super) fn report(
    input: &mut CoverageFile,
    recorder: &mut SiteRecorder<'_>,
) -> Result<(), Fault> {
    let mut json = Json::new(input);
    let mut file = File::default();
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"meta" => meta(&mut json)?,
            b"files" => {
                json.begin_object()?;
                while let Some(path) = json.next_name()? {
                    let path = path.to_owned();
                    file.read(&mut json, recorder)?;
                    recorder.end_file(&path).map_err(|what| json.fault(what))?;
                    recorder.flush(None)?;
                }
            }
            _ => json.skip()?,
        }
    }
    if !json.at_end()? {
        return Err(json.fault("unexpected content after the report"));
    }
    match recorder.context {
        Some(_) if !file.has_contexts => {
            let what =
                "the report holds no contexts (write it with `coverage json --show-contexts`)";
            Err(Fault::malformed(Location::Whole, what))
        }
        Some(context) if !file.has_context => {
            Err(Fault::NoCode(format!(" for the context `{context}`")))
        }
        _ => Ok(()),
    }
}

fn meta(json: &mut Json<&mut CoverageFile>) -> Result<(), Fault> {
    // The first version does not state it.
    let mut format = 1;
    json.begin_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"format" => format = json.uint()?,
            _ => json.skip()?,
        }
    }
    if (1..=3).contains(&format) {
        return Ok(());
    }
    let found = format.to_string();
    Err(Fault::Version { format: "coverage.py JSON", found, known: "1 to 3" })
}

/// One entry of `files`. The memory is reused for the next.
#[derive(Default)]
struct File {
    /// The lines, and whether they ran.
    lines: Vec<(u32, bool)>,
    /// The lines that the user excludes.
    excluded: Vec<(u32, bool)>,
    /// From where to where, and whether it was taken.
    branches: Vec<(u32, i32, bool)>,
    functions: Vec<Function>,
    /// The lines that ran in the requested context, if there is one.
    in_context: HashSet<u32>,
    /// Whether any file so far has contexts.
    has_contexts: bool,
    /// Whether any file so far has the requested context.
    has_context: bool,
}

struct Function {
    name: Symbol,
    start: u32,
    /// The lines with code, and whether they ran.
    lines: Vec<(u32, bool)>,
}

impl File {
    fn read(
        &mut self,
        json: &mut Json<&mut CoverageFile>,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), Fault> {
        self.lines.clear();
        self.excluded.clear();
        self.branches.clear();
        self.functions.clear();
        self.in_context.clear();
        json.begin_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"executed_lines" => lines(json, true, &mut self.lines)?,
                b"missing_lines" => lines(json, false, &mut self.lines)?,
                b"excluded_lines" => lines(json, false, &mut self.excluded)?,
                b"executed_branches" => self.read_branches(json, true)?,
                b"missing_branches" => self.read_branches(json, false)?,
                b"functions" => self.read_functions(json, recorder)?,
                b"contexts" => match recorder.context {
                    Some(context) => self.read_contexts(json, context)?,
                    None => json.skip()?,
                },
                _ => json.skip()?,
            }
        }
        self.hand_over(recorder);
        Ok(())
    }

    /// `[[from, to], ..]`
    fn read_branches(
        &mut self,
        json: &mut Json<&mut CoverageFile>,
        ran: bool,
    ) -> Result<(), Fault> {
        json.begin_array()?;
        while json.next_element()? {
            json.begin_array()?;
            let mut ends = [None; 2];
            for end in &mut ends {
                if json.next_element()? {
                    *end = i32::try_from(json.int()?).ok();
                }
            }
            let [Some(from), Some(to)] = ends else {
                return Err(json.fault("expected two line numbers for a branch"));
            };
            let from =
                u32::try_from(from).map_err(|_| json.fault("a branch from an invalid line"))?;
            self.branches.push((from, to, ran));
            if json.next_element()? {
                return Err(json.fault("expected two line numbers for a branch"));
            }
        }
        Ok(())
    }

    /// `{qualified name: {..}, ..}`; code outside of functions has no name.
    fn read_functions(
        &mut self,
        json: &mut Json<&mut CoverageFile>,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), Fault> {
        json.begin_object()?;
        while let Some(name) = json.next_name()? {
            if name.is_empty() {
                json.skip()?;
            } else {
                let name = recorder.symbol(name);
                self.functions.push(Function::read(json, name)?);
            }
        }
        Ok(())
    }

    /// `{line: [context, ..], ..}`
    fn read_contexts(
        &mut self,
        json: &mut Json<&mut CoverageFile>,
        context: &str,
    ) -> Result<(), Fault> {
        self.has_contexts = true;
        json.begin_object()?;
        while let Some(line) = json.next_name()? {
            let line = line.parse().ok();
            let line = line.ok_or_else(|| json.fault("a line of a context is not a number"))?;
            json.begin_array()?;
            while json.next_element()? {
                if json.string()? == context {
                    self.in_context.insert(line);
                    self.has_context = true;
                }
            }
        }
        Ok(())
    }

    /// Passes the records to the recorder, in an order that does not depend on what ran.
    fn hand_over(&mut self, recorder: &mut SiteRecorder<'_>) {
        let of_context = recorder.context.is_some();
        let ran_now = |line: u32, ran: bool| {
            if of_context { self.in_context.contains(&line) } else { ran }
        };
        self.lines.sort_unstable();
        for (line, ran) in &self.lines {
            recorder.add(Record::line(*line, ran_now(*line, *ran)));
        }
        // They must be excluded from data files as well, which do not know the user's pragmas.
        for (line, _) in &self.excluded {
            recorder.add(Record::line(*line, false).excluded(true));
        }
        // The report does not say in which context a branch was taken.
        if !of_context {
            self.branches.sort_unstable();
            for (from, to, ran) in &self.branches {
                recorder.add(Record::branch(*from, BranchKey::Jump(*to), *ran));
            }
        }
        for Function { name, start, lines } in &self.functions {
            let ran = lines.iter().any(|(line, ran)| ran_now(*line, *ran));
            // Whether a function without code, or without measured code, ran is not known.
            recorder.add(Record::function(*start, *name, ran).excluded(lines.is_empty()));
        }
    }
}

impl Function {
    fn read(json: &mut Json<&mut CoverageFile>, name: Symbol) -> Result<Self, Fault> {
        let (mut code, mut excluded, mut start) = (Vec::new(), Vec::new(), None);
        json.begin_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"executed_lines" => lines(json, true, &mut code)?,
                b"missing_lines" => lines(json, false, &mut code)?,
                b"excluded_lines" => lines(json, false, &mut excluded)?,
                b"start_line" => start = Some(json.uint32()?),
                _ => json.skip()?,
            }
        }
        // Before about coverage.py 7.7 the start is not given.
        let first = code.iter().chain(&excluded).map(|(line, _)| *line).min();
        Ok(Function { name, start: start.or(first).unwrap_or(0), lines: code })
    }
}

fn lines(
    json: &mut Json<&mut CoverageFile>,
    ran: bool,
    lines: &mut Vec<(u32, bool)>,
) -> Result<(), Fault> {
    json.begin_array()?;
    while json.next_element()? {
        lines.push((json.uint32()?, ran));
    }
    Ok(())
}
