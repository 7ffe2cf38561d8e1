//! The output of a target, in bounded memory.

use std::collections::VecDeque;
use std::io::{self, Read};

/// How many bytes of the beginning are kept, and as many of the end.
const KEPT_BYTES: usize = 4096;

/// How many bytes are read at a time.
const CHUNK_BYTES: usize = 16 << 10;

/// The beginning and the end of the output.
#[derive(Default)]
pub(crate) struct CapturedOutput {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// The length of the whole output.
    bytes: u64,
}

impl CapturedOutput {
    /// Reads until the source is empty, or ends.
    pub(crate) fn drain(&mut self, from: &mut impl Read) -> io::Result<()> {
        let mut chunk = [0; CHUNK_BYTES];
        loop {
            match from.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(count) => self.add(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let (head, rest) = bytes.split_at(bytes.len().min(KEPT_BYTES - self.head.len()));
        self.head.extend(head);
        let rest = &rest[rest.len().saturating_sub(KEPT_BYTES)..];
        let gone = (self.tail.len() + rest.len()).saturating_sub(KEPT_BYTES);
        self.tail.drain(..gone);
        self.tail.extend(rest);
    }

    /// The output, with the number of bytes left out in the middle.
    pub(crate) fn text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let kept = (self.head.len() + tail.len()) as u64;
        let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&tail));
        match self.bytes - kept {
            0 => format!("{head}{tail}"),
            left_out => format!("{head}\n... {left_out} bytes ...\n{tail}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        let mut output = CapturedOutput::default();
        output.drain(&mut &b"short"[..]).unwrap();
        assert_eq!(output.text(), "short");
        let mut long = vec![b'x'; 1_000_000];
        long.extend(b"the end");
        output.drain(&mut &long[..]).unwrap();
        let text = output.text();
        assert!(text.starts_with("shortxxx") && text.ends_with("xxxthe end"));
        assert!(text.contains("... 991820 bytes ..."), "{}", text.len());
    }
}
