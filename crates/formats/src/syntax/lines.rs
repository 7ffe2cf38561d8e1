//! Text formats, line by line.

use std::io::{BufRead, BufReader, Read};

use crate::{Fault, Location};

/// Longer than any line of a coverage file, including names of template instances.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// The lines of a text, with their numbers.
pub(crate) struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    number: u64,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Lines { input: BufReader::with_capacity(128 << 10, input), line: Vec::new(), number: 0 }
    }

    /// The next line without its end and the white space around it.
    pub(crate) fn next_line(&mut self) -> Result<Option<&str>, Fault> {
        self.line.clear();
        self.number += 1;
        let count = (&mut self.input).take(LINE_BYTES_MAX).read_until(b'\n', &mut self.line)?;
        if count == 0 {
            return Ok(None);
        }
        if count as u64 == LINE_BYTES_MAX && !self.line.ends_with(b"\n") {
            return Err(self.fault(format!("a line of over {LINE_BYTES_MAX} bytes")));
        }
        match std::str::from_utf8(&self.line) {
            Ok(line) => Ok(Some(line.trim())),
            Err(_) => Err(self.fault("text that is not UTF-8")),
        }
    }

    /// A fault in the line that was read last.
    pub(crate) fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::malformed(self.place(), what)
    }

    /// The last line that was read.
    pub(crate) fn place(&self) -> Location {
        Location::Line(self.number)
    }

    /// The number of the last line that was read, from one.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

/// The start of a text that may be long, for a message.
pub(crate) fn shown(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}
