//! Reads Go's profiles: a line `mode: set`, `count` or `atomic`, then one line per block.

use metacov_core::Span;

use crate::syntax::lines::{Lines, shown};
use crate::{CoverageFile, Fault, Record, SiteRecorder};

/// Longer than any block: a block ends where control flow branches.
const BLOCK_LINES_MAX: u32 = 1_000_000;

/// How many lines a profile may touch per block. Blocks of real code have two to five. Without a
/// bound, one wrong digit would create a million lines.
const LINES_PER_BLOCK_MAX: u64 = 16;

/// How many more lines a profile may touch, for tables that are one long block.
const LINES_SPARE: u64 = 200_000;

pub(super) fn is_mode(word: &[u8]) -> bool {
    matches!(word, b"set" | b"count" | b"atomic")
}

pub(super) fn profile(
    input: &mut CoverageFile,
    recorder: &mut SiteRecorder<'_>,
) -> Result<(), Fault> {
    let mut lines = Lines::new(input);
    let mut profile = Profile { path: String::new(), lines_left: LINES_SPARE };
    while let Some(line) = lines.next_line()? {
        let block = profile.read(line, recorder).map_err(|what| lines.fault(what))?;
        if let Some(block) = block {
            if block.is_first {
                recorder.flush(None)?;
            }
            block.record(recorder);
        }
    }
    profile.end_file(recorder).map_err(|what| lines.fault(what))
}

struct Profile {
    /// The file of the last block; none before the first. The blocks of a file may be scattered
    /// over the profile, but are mostly adjacent.
    path: String,
    lines_left: u64,
}

impl Profile {
    /// Reads the block on a line of the profile, if there is one. Ends the previous file if the
    /// block belongs to another.
    fn read(
        &mut self,
        line: &str,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<Option<Block>, String> {
        // Profiles are often concatenated, each with its mode.
        let mode = line.strip_prefix("mode: ").map(str::as_bytes);
        if line.is_empty() || mode.is_some_and(is_mode) {
            return Ok(None);
        }
        let (path, mut block) = parse(line).ok_or_else(|| {
            format!("`{}` is not `FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT`", shown(line))
        })?;
        let (start, end) = (block.line, block.span.end_line);
        let count = end.checked_sub(start).map_or(0, |more| u64::from(more) + 1);
        if count == 0 || count > u64::from(BLOCK_LINES_MAX) {
            return Err(format!(
                "a block from line {start} to {end}: not 1 to {BLOCK_LINES_MAX} lines"
            ));
        }
        self.lines_left = (self.lines_left + LINES_PER_BLOCK_MAX)
            .checked_sub(count)
            .ok_or("the blocks up to here touch more lines than code has")?;
        if path != self.path {
            self.end_file(recorder)?;
            block.is_first = true;
            path.clone_into(&mut self.path);
        }
        Ok(Some(block))
    }

    fn end_file(&mut self, recorder: &mut SiteRecorder<'_>) -> Result<(), String> {
        if self.path.is_empty() { Ok(()) } else { recorder.end_file(&self.path) }
    }
}

struct Block {
    line: u32,
    span: Span,
    statements: u32,
    ran: bool,
    /// Whether the block before belongs to another file.
    is_first: bool,
}

impl Block {
    fn record(&self, recorder: &mut SiteRecorder<'_>) {
        let region = Record::region(self.line, self.span, self.ran);
        // The same code has the same number of statements, which distinguishes builds.
        recorder.add(region.marked(&self.statements.to_le_bytes()));
        for number in self.line..=self.span.end_line {
            recorder.add(Record::line(number, self.ran));
        }
    }
}

/// `path:line.column,line.column statements count`, parsed from its end: a path may contain the
/// separators.
fn parse(text: &str) -> Option<(&str, Block)> {
    let (text, count) = text.rsplit_once(' ')?;
    let (text, statements) = text.rsplit_once(' ')?;
    let (path, places) = text.rsplit_once(':').filter(|(path, _)| !path.is_empty())?;
    let (start, end) = places.split_once(',')?;
    let (line, column) = place(start).filter(|(line, _)| *line > 0)?;
    let (end_line, end_column) = place(end)?;
    let block = Block {
        line,
        span: Span { column, end_line, end_column },
        statements: statements.parse().ok()?,
        ran: count.parse::<u64>().ok()? > 0,
        is_first: false,
    };
    Some((path, block))
}

/// `line.column`
fn place(text: &str) -> Option<(u32, u32)> {
    let (line, column) = text.split_once('.')?;
    Some((line.parse().ok()?, column.parse().ok()?))
}
