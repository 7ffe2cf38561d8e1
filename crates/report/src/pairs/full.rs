//! One pair with all that is known about it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use metacov_core::{Cover, Criterion, Exit, SideOutput, StoredInput};
use metacov_formats::Error;
use metacov_store::{Run, StoredPair};
use serde::Serialize;

use super::difference::LinesOfFile;
use super::list::{VERDICTS, verdict};
use super::rerun::Rerun;
use super::{excluded, mc_sites, primary};
use crate::digest::Contrast;
use crate::failed_side;

/// Bytes of what is no text that a terminal gets to see.
const HEX_BYTES_MAX: usize = 32;

/// One pair with all that is known about it. Its serialized form is the JSON of `metacov pair`.
#[derive(Serialize)]
pub struct FullPair {
    format: &'static str,
    version: u32,
    run: String,
    relation: String,
    name: String,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<String>,
    /// How a side failed, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    judge: Option<String>,
    microseconds: u128,
    setup: Option<Content>,
    sides: Vec<SideRecord>,
    mc_sites: BTreeMap<&'static str, u64>,
    /// The criterion of the lines below.
    criterion: &'static str,
    difference: Option<Difference>,
    rerun: Option<Rerun>,
}

/// What a side was run on, and what came of it.
#[derive(Serialize)]
struct SideRecord {
    side: char,
    inputs: Vec<NamedContent>,
    /// Stored for pairs that violate their relation or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Content>,
    /// How each execution ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    exits: Vec<String>,
}

impl SideRecord {
    fn of(side: char, inputs: &[StoredInput], output: Option<&SideOutput>) -> Self {
        SideRecord {
            side,
            inputs: inputs.iter().map(NamedContent::of).collect(),
            output: output.map(|output| Content::of(&output.content, output.bytes)),
            exits: output
                .map(|output| output.exits.iter().copied().map(exit).collect())
                .unwrap_or_default(),
        }
    }
}

/// How an execution ended, in words.
fn exit(exit: Exit) -> String {
    match exit {
        Exit::Success => "exit code 0".to_owned(),
        Exit::Failure(code) => format!("exit code {code}"),
        Exit::Signalled(signal) => format!("signal {signal}"),
        Exit::Timeout => "timed out".to_owned(),
    }
}

#[derive(Serialize)]
struct NamedContent {
    name: String,
    #[serde(flatten)]
    content: Content,
}

/// Bytes: as text if they are one.
#[derive(Serialize)]
struct Content {
    /// How many there were; a run file may have kept the first of them only.
    bytes: u64,
    #[serde(flatten)]
    kept: Kept,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Kept {
    Text(String),
    Hex(String),
}

/// What only one of the sides ran.
#[derive(Serialize)]
struct Difference {
    a_only: Vec<LinesOfFile>,
    b_only: Vec<LinesOfFile>,
}

impl FullPair {
    /// A pair of a run.
    pub fn of(run: &Run, stored: &StoredPair) -> Result<Self, Error> {
        let (criterion, excluded) = (primary(&run.table), excluded(&run.table));
        let group = stored.outcome.as_ref();
        let lines = |sites: &Cover| LinesOfFile::of(&run.table, sites, criterion);
        let difference = group.ok().map(|group| {
            let contrast = Contrast::of(group, &excluded);
            Difference { a_only: lines(&contrast.a_only), b_only: lines(&contrast.b_only) }
        });
        let setup = stored.setup.map(|hash| run.setup(hash)).transpose()?;
        let setup = setup.map(|setup| Content::of(setup.content(), setup.content().len() as u64));
        let counts = group.map(|group| mc_sites(&run.table, group, &excluded)).unwrap_or_default();
        let failure = group
            .err()
            .map(|(side, missing)| failed_side(&stored.relation, &stored.name, *side, missing));
        let side = |(at, side): (usize, char)| {
            let inputs = stored.inputs.get(at).map(Vec::as_slice).unwrap_or_default();
            SideRecord::of(side, inputs, stored.outputs.get(at))
        };
        let sides = stored.inputs.len().max(stored.outputs.len());
        Ok(FullPair {
            format: "metacov-pair",
            version: 1,
            run: run.name.clone(),
            relation: stored.relation.clone(),
            name: stored.name.clone(),
            verdict: VERDICTS[verdict(stored)].1,
            violation: stored.violation().map(ToOwned::to_owned),
            failure,
            judge: stored.judge.clone(),
            microseconds: stored.took.as_micros(),
            setup,
            sides: (0..sides).zip('a'..='z').map(side).collect(),
            mc_sites: counts.into_iter().map(|(known, count)| (known.name(), count)).collect(),
            criterion: criterion.name(),
            difference,
            rerun: Rerun::of(&run.header, stored),
        })
    }

    /// All of it as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// All of it for a terminal.
    pub fn to_terminal(&self) -> String {
        let mut text = format!("pair {}/{}: {}", self.relation, self.name, self.verdict);
        if let Some(how) = &self.violation {
            let _ = write!(text, ": {how}");
        }
        if let Some(judge) = &self.judge {
            let _ = write!(text, " (judge: {judge})");
        }
        text.push('\n');
        if let Some(failure) = &self.failure {
            let _ = writeln!(text, "{failure}");
        }
        if let Some(setup) = &self.setup {
            let _ = write!(text, "\nsetup{}\n{}", setup.note(), setup.indented());
        }
        for SideRecord { side, inputs, output, exits } in &self.sides {
            for NamedContent { name, content } in inputs {
                let name = if name.is_empty() { String::new() } else { format!(" {name}") };
                let _ = write!(text, "\n{side}:{name}{}\n{}", content.note(), content.indented());
            }
            if let Some(output) = output {
                let exits = exits.join(", ");
                let (note, text_of) = (output.note(), output.indented());
                let _ = write!(text, "\n{side}, output, {exits}{note}\n{text_of}");
            }
        }
        text.push('\n');
        self.write_difference(&mut text);
        if let Some(Rerun { command, is_alone }) = &self.rerun {
            let which = if *is_alone { "this pair" } else { "all pairs of its relation" };
            let _ = write!(text, "\nrun {which} again:\n    {command}\n");
        }
        printable(&text)
    }

    fn write_difference(&self, text: &mut String) {
        let Some(Difference { a_only, b_only }) = &self.difference else { return };
        let count = |criterion: Criterion| {
            let count = self.mc_sites.get(criterion.name())?;
            Some(format!("{count} {}", criterion.name()))
        };
        let counts: Vec<String> = Criterion::ALL.into_iter().filter_map(count).collect();
        if counts.is_empty() {
            text.push_str("MC sites: none, both sides run the same code\n");
            return;
        }
        let _ = writeln!(text, "MC sites: {}", counts.join(", "));
        for (name, files) in [("a only", a_only), ("b only", b_only)] {
            for (at, file) in files.iter().enumerate() {
                let name = if at == 0 { format!("{name}:") } else { String::new() };
                let _ = writeln!(text, "  {name:7} {file}");
            }
        }
        let lines = Criterion::Line.name();
        if self.criterion == lines && !self.mc_sites.contains_key(lines) {
            text.push_str("  no line runs on one side only\n");
        }
    }
}

impl NamedContent {
    fn of(input: &StoredInput) -> Self {
        let content = Content::of(&input.content, input.bytes);
        NamedContent { name: input.name.clone(), content }
    }
}

impl Content {
    fn of(kept: &[u8], bytes: u64) -> Self {
        let is_cut = bytes > kept.len() as u64;
        let text = match std::str::from_utf8(kept) {
            Ok(text) => Some(text),
            // A cut may be in the middle of a character.
            Err(error) if is_cut && error.error_len().is_none() => {
                std::str::from_utf8(&kept[..error.valid_up_to()]).ok()
            }
            Err(_) => None,
        };
        let hex = || {
            let mut hex = String::with_capacity(2 * kept.len());
            for byte in kept {
                let _ = write!(hex, "{byte:02x}");
            }
            hex
        };
        let kept = match text.filter(|text| !text.contains('\0')) {
            Some(text) => Kept::Text(text.to_owned()),
            None => Kept::Hex(hex()),
        };
        Content { bytes, kept }
    }

    /// What is missing from what is shown.
    fn note(&self) -> String {
        match &self.kept {
            Kept::Text(text) if text.is_empty() => " (empty)".to_owned(),
            Kept::Text(text) if (text.len() as u64) < self.bytes => {
                format!(" (the first {} of {} bytes)", text.len(), self.bytes)
            }
            Kept::Text(_) => String::new(),
            Kept::Hex(hex) if hex.len() > 2 * HEX_BYTES_MAX => {
                format!(" (not text: the first {HEX_BYTES_MAX} of {} bytes)", self.bytes)
            }
            Kept::Hex(_) => format!(" (not text: {} bytes)", self.bytes),
        }
    }

    fn indented(&self) -> String {
        let lines = match &self.kept {
            Kept::Text(text) => text.as_str(),
            Kept::Hex(hex) => &hex[..hex.len().min(2 * HEX_BYTES_MAX)],
        };
        let mut text = String::new();
        for line in lines.lines() {
            let _ = writeln!(text, "    {line}");
        }
        text
    }
}

/// Text without control characters but the ends of lines: inputs come from anywhere, and terminals
/// obey what is printed.
fn printable(text: &str) -> String {
    let replaced = |letter: char| match letter {
        '\n' => '\n',
        '\t' => ' ',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    };
    text.chars().map(replaced).collect()
}
