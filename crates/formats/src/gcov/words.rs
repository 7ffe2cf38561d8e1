//! The words that both kinds of files consist of.
//!
//! ```text
//! file   = magic, version, stamp, [checksum, since gcc 12], ..., record*
//! record = tag, length of the payload, payload
//! string = length with the final zero, bytes
//! ```
//!
//! All are 32 bits in the byte order of the machine that wrote them, which the magic shows. Lengths
//! are in bytes since gcc 12, in words before, and strings were padded to words then.

use crate::{Fault, Location};

/// What differs between versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    big_endian: bool,
    /// The version word: `B22*` stands for gcc 12.2.
    version: [u8; 4],
}

impl Layout {
    /// The layout of a version word in the order of this machine.
    pub(super) fn of_version(word: u32) -> Result<Self, Fault> {
        Layout { big_endian: false, version: word.to_be_bytes() }.known()
    }

    /// Refuses versions that were never tested.
    fn known(self) -> Result<Self, Fault> {
        if (9..=15).contains(&self.major()) {
            return Ok(self);
        }
        let found = String::from_utf8_lossy(&self.version).into_owned();
        Err(Fault::Version { format: "gcov data", found, known: "gcc 9 to 15" })
    }

    /// The major version of gcc.
    fn major(self) -> u32 {
        let [tens, ones, ..] = self.version;
        10 * u32::from(tens.wrapping_sub(b'A')) + u32::from(ones.wrapping_sub(b'0'))
    }

    fn in_bytes(self) -> bool {
        self.major() >= 12
    }
}

/// Bytes, taken word by word.
pub(super) struct Words<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The offset of the bytes in the file.
    base: usize,
    layout: Layout,
    /// Whether the zero that ends a file of counters was read.
    is_ended: bool,
}

/// A record: its tag, and its payload or the number of zero counters that it stands for.
pub(super) struct Record<'b> {
    pub(super) tag: u32,
    pub(super) payload: Words<'b>,
    /// Counters that are all zero are not written, only how many bytes they would take.
    pub(super) zero_bytes: usize,
}

impl<'b> Words<'b> {
    /// Opens a file with this magic. Returns the words after its header, and the stamp of its
    /// build.
    pub(super) fn open(bytes: &'b [u8], magic: [u8; 4]) -> Result<(Self, u32), Fault> {
        let mut reversed = magic;
        reversed.reverse();
        let big_endian = bytes.starts_with(&magic);
        if !big_endian && !bytes.starts_with(&reversed) {
            let what = format!("not a file of gcov's: no `{}`", String::from_utf8_lossy(&magic));
            return Err(Fault::malformed(Location::Offset(0), what));
        }
        let layout = Layout { big_endian, version: *b"B22*" };
        let mut words = Words { bytes, at: 4, base: 0, layout, is_ended: false };
        words.layout.version = words.word()?.to_be_bytes();
        words.layout = words.layout.known()?;
        let stamp = words.word()?;
        if words.layout.in_bytes() {
            words.word()?;
        }
        Ok((words, stamp))
    }

    /// Words in the byte order of this machine.
    pub(super) fn of_machine(bytes: &'b [u8]) -> Self {
        let layout = Layout { big_endian: false, version: *b"B22*" };
        Words { bytes, at: 0, base: 0, layout, is_ended: false }
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes are left.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(super) fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::malformed(Location::Offset((self.base + self.at) as u64), what)
    }

    pub(super) fn word(&mut self) -> Result<u32, Fault> {
        let bytes = self.take(4)?.try_into().unwrap_or_default();
        Ok(if self.layout.big_endian {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        })
    }

    /// A counter: its low word, then its high word.
    pub(super) fn counter(&mut self) -> Result<i64, Fault> {
        let (low, high) = (self.word()?, self.word()?);
        Ok((u64::from(high) << 32 | u64::from(low)).cast_signed())
    }

    /// Reads counters until the buffer is full, low bytes first.
    pub(super) fn counters(&mut self, room: &mut [u8]) -> Result<(), Fault> {
        room.copy_from_slice(self.take(room.len())?);
        if self.layout.big_endian {
            room.as_chunks_mut::<4>().0.iter_mut().for_each(|word| word.reverse());
        }
        Ok(())
    }

    pub(super) fn string(&mut self) -> Result<&'b str, Fault> {
        let length = self.word()? as usize;
        let unit = if self.layout.in_bytes() { 1 } else { 4 };
        let bytes = self.take(length.saturating_mul(unit))?;
        self.text(bytes.split(|byte| *byte == 0).next().unwrap_or_default())
    }

    /// A text of this length, and its padding to a multiple of eight.
    pub(super) fn padded_text(&mut self, length: usize) -> Result<&'b str, Fault> {
        let bytes = self.take(length)?;
        self.take(length.wrapping_neg() % 8)?;
        self.text(bytes)
    }

    fn text(&self, bytes: &'b [u8]) -> Result<&'b str, Fault> {
        std::str::from_utf8(bytes).map_err(|_| self.fault("a name that is not UTF-8"))
    }

    /// The next record; none at the end, or at the zero that gcov ends its files with.
    pub(super) fn record(&mut self) -> Result<Option<Record<'b>>, Fault> {
        if self.is_empty() {
            return Ok(None);
        }
        let tag = self.word()?;
        if tag == 0 {
            self.is_ended = true;
            return Ok(None);
        }
        let length = self.word()?.cast_signed();
        let unit = if self.layout.in_bytes() { 1 } else { 4 };
        let bytes = (length.unsigned_abs() as usize).saturating_mul(unit);
        let base = self.base + self.at;
        let (payload, zero_bytes) =
            if length < 0 { (&[][..], bytes) } else { (self.take(bytes)?, 0) };
        let payload = Words { bytes: payload, at: 0, base, ..*self };
        Ok(Some(Record { tag, payload, zero_bytes }))
    }

    /// Refuses a file of counters that does not end with a zero, or that continues after it.
    /// Counters that are cut off between two records look complete, but lack functions.
    pub(super) fn check_end(&self) -> Result<(), Fault> {
        if !self.is_ended {
            return Err(self.fault("it is cut off: it does not end as gcov ends its files"));
        }
        if !self.is_empty() {
            return Err(self.fault("it is damaged: there is more after its end"));
        }
        Ok(())
    }

    fn take(&mut self, count: usize) -> Result<&'b [u8], Fault> {
        let taken = self.bytes[self.at..].get(..count);
        let taken = taken.ok_or_else(|| self.fault("unexpected end of file within a record"))?;
        self.at += count;
        Ok(taken)
    }
}
