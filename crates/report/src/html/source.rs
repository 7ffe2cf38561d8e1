//! Source files: their text, and the data of their lines and branches.

use std::fmt::Write as _;
use std::io;

use metacov_core::{Criterion, SiteId, SiteState};
use serde::Serialize;

use super::chunks::{Chunk, Chunks, LINES};
use super::data::put;
use super::{ReadSource, WritePage, WrittenPages};
use crate::digest::{Digest, FileOutline, Outline};

/// A source file.
pub(crate) struct Source {
    /// Its lines, if they were found and match the compiled code.
    pub(crate) text: Option<Vec<String>>,
    /// How many lines it has, as far as is known.
    pub(crate) lines: usize,
}

/// Finds the text of all files.
pub(crate) fn read(
    digest: &Digest,
    outline: &Outline,
    library: ReadSource<'_>,
) -> (Vec<Source>, WrittenPages) {
    let mut written = WrittenPages::default();
    let mut source = |file: &FileOutline| {
        let last = file.sites.last().map_or(0, |id| digest.suite.table.get(*id).line as usize);
        let bytes = library(&file.path);
        if bytes.is_none() {
            written.missing.push(file.path.clone());
        }
        let text: Option<Vec<String>> = bytes.map(|bytes| {
            let text = String::from_utf8_lossy(&bytes);
            text.lines().map(readable).collect()
        });
        let text = text.filter(|lines| {
            let is_current = lines.len() >= last && names_its_functions(lines, file, outline);
            if !is_current {
                written.stale.push(file.path.clone());
            }
            is_current
        });
        let lines = text.as_ref().map_or(last, Vec::len);
        Source { text, lines }
    };
    (outline.files.iter().map(&mut source).collect(), written)
}

/// Whether most functions are where they should be: a file that was edited since then cannot be
/// trusted. A macro may hide the name of a function, so a few mismatches do not count.
fn names_its_functions(lines: &[String], file: &FileOutline, outline: &Outline) -> bool {
    let (mut found, mut missed) = (0, 0);
    for function in &outline.functions[file.functions.clone()] {
        let name = function.name.split(['(', '<']).next().unwrap_or_default();
        let letters = |letter: char| !(letter.is_alphanumeric() || letter == '_');
        let name = name.rsplit(letters).next().unwrap_or_default();
        if name.is_empty() || function.line == 0 {
            continue;
        }
        let start = (function.line as usize).saturating_sub(3);
        let near = lines.iter().skip(start).take(6);
        if near.into_iter().any(|line| line.contains(name)) {
            found += 1;
        } else {
            missed += 1;
        }
    }
    missed <= found || missed < 5
}

/// A line without characters that move text: control characters are made visible, marks that change
/// the direction of writing are replaced.
fn readable(line: &str) -> String {
    let shown = |letter: char| match letter {
        '\t' => letter,
        '\u{0}'..='\u{1f}' => char::from_u32(letter as u32 + 0x2400).unwrap_or('\u{fffd}'),
        '\u{7f}'..='\u{9f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        letter => letter,
    };
    line.trim_end_matches('\r').chars().map(shown).collect()
}

#[derive(Serialize)]
struct FileData<'d> {
    /// A letter for each line.
    states: String,
    /// The lines that are flaky.
    flaky: Vec<u32>,
    /// The lines that functions start on, and their names.
    functions: Vec<(u32, &'d str)>,
}

#[derive(Default, Serialize)]
struct TextData {
    text: Option<String>,
    /// For each line with code: its number in the chunk, and in how many pairs it ran, ran on one
    /// side only, and is in the difference.
    lines: Vec<[u32; 5]>,
    /// The same for branches, in the order of lines.
    branches: Vec<[u32; 5]>,
}

/// Writes the data of files over all pairs.
pub(crate) fn write(
    digest: &Digest,
    outline: &Outline,
    chunks: &Chunks,
    sources: &[Source],
    write_page: WritePage<'_>,
) -> io::Result<()> {
    for (at, (file, source)) in outline.files.iter().zip(sources).enumerate() {
        let functions = &outline.functions[file.functions.clone()];
        let functions = functions.iter().filter(|function| function.line > 0);
        let table = &digest.suite.table;
        let is_line = |id: &&SiteId| table.get(**id).criterion() == Criterion::Line;
        let flaky =
            file.sites.iter().filter(is_line).filter(|id| digest.total.flaky.contains(**id));
        let data = FileData {
            flaky: flaky.map(|id| table.get(*id).line).collect(),
            states: states(digest, file, source),
            functions: functions.map(|of| (of.line, of.name.as_str())).collect(),
        };
        put(write_page, &format!("file-{at}"), &data)?;
        let mut with_code = chunks.all.iter().filter(|chunk| chunk.file == at).peekable();
        for number in 0..u32::try_from(source.lines).unwrap_or(u32::MAX).div_ceil(LINES) {
            let mut data = TextData { text: text(source, number), ..TextData::default() };
            if let Some(chunk) = with_code.next_if(|chunk| chunk.number == number) {
                data.fill(digest, chunk);
            }
            put(write_page, &format!("text-{at}-{number}"), &data)?;
        }
    }
    Ok(())
}

/// A letter for each line of a file. A line with code of several instances has the most significant
/// state of them.
fn states(digest: &Digest, file: &FileOutline, source: &Source) -> String {
    let mut states = vec![b' '; source.lines];
    for id in &file.sites {
        let site = digest.suite.table.get(*id);
        let at = (site.line as usize).wrapping_sub(1);
        if site.criterion() != Criterion::Line {
            continue;
        }
        let Some(state) = states.get_mut(at) else { continue };
        *state = match (*state, letter(digest.total.state(*id))) {
            (b'a', b'b') | (b'b', b'a') => b'e',
            (b'a' | b'b' | b'e', b'x' | b'n') | (b'x', b'n') => *state,
            (_, new) => new,
        };
    }
    String::from_utf8(states).unwrap_or_default()
}

fn letter(state: SiteState) -> u8 {
    match state {
        SiteState::AOnly => b'a',
        SiteState::BOnly => b'b',
        SiteState::Either => b'e',
        SiteState::Both => b'x',
        SiteState::NotExecuted => b'n',
    }
}

fn text(source: &Source, number: u32) -> Option<String> {
    let lines = source.text.as_ref()?;
    let start = (number * LINES) as usize;
    let mut text = String::new();
    for line in lines.iter().skip(start).take(LINES as usize) {
        let _ = writeln!(text, "{line}");
    }
    Some(text)
}

impl TextData {
    fn fill(&mut self, digest: &Digest, chunk: &Chunk) {
        let Digest { suite, counts, .. } = digest;
        let row = |id: SiteId| {
            let line = suite.table.get(id).line.saturating_sub(1) % LINES;
            [line, counts.ran(id), counts.a_only(id), counts.b_only(id), counts.differing(id)]
        };
        self.lines = chunk.lines.iter().map(|id| row(*id)).collect();
        self.branches = chunk.branches.iter().map(|id| row(*id)).collect();
    }
}
