//! A pull reader for JSON.
//!
//! Coverage reports reach gigabytes, and nine tenths of them are keys that are not needed. This
//! reader reads a stream with one small buffer, returns keys and numbers without building a tree,
//! skips the rest, and always knows its byte offset. `serde_json` is as fast only with the whole
//! text in memory. From a stream it reads byte by byte: 0.4 to 0.5 of this reader's throughput, in
//! which recording the sites is included, on gcov JSON (`cargo bench -p metacov-formats --bench
//! json`). Tests compare the results with those of `serde_json`.
//!
//! ```text
//! json.begin_object()?;
//! while let Some(key) = json.next_key()? {
//!     match key {
//!         b"count" => count = json.uint()?,
//!         _ => json.skip()?,
//!     }
//! }
//! ```

use std::io::{self, Read};

use crate::{Fault, Location};

/// No producer nests deeper than a dozen levels.
const DEPTH_MAX: u32 = 128;

/// The longest string: mangled C++ names have been seen to reach 100 KB.
const STRING_BYTES_MAX: usize = 1 << 20;

const BUFFER_BYTES: usize = 128 << 10;

/// More bytes than any number, literal or escape has.
const SCALAR_BYTES: usize = 32;

/// Two consecutive `\uXXXX`.
const ESCAPE_BYTES_MAX: usize = 12;

/// The kind of the next value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

/// A stream of JSON, read from left to right.
pub(crate) struct Json<R> {
    input: R,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    /// Bytes that have left the buffer.
    passed: u64,
    depth: u32,
    /// Whether the next element is the first of its object or array.
    first: bool,
    /// Whether a key was returned, so that a colon precedes the next value.
    colon_due: bool,
    unescaped: String,
}

impl<R: Read> Json<R> {
    pub(crate) fn new(input: R) -> Self {
        Json {
            input,
            buffer: vec![0; BUFFER_BYTES],
            at: 0,
            end: 0,
            passed: 0,
            depth: 0,
            first: false,
            colon_due: false,
            unescaped: String::new(),
        }
    }

    /// A fault at the current offset.
    pub(crate) fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::malformed(Location::Offset(self.passed + self.at as u64), what)
    }

    /// Enters an object.
    pub(crate) fn begin_object(&mut self) -> Result<(), Fault> {
        self.begin(b'{', "an object")
    }

    /// The next key of the object, as it is written, or none after the object's end. For keys that
    /// the format defines: no producer writes those with escapes.
    pub(crate) fn next_key(&mut self) -> Result<Option<&[u8]>, Fault> {
        if !self.has_next(b'}')? {
            return Ok(None);
        }
        let Scanned { start, length, .. } = self.scan_string()?;
        self.colon_due = true;
        Ok(Some(&self.buffer[start..start + length]))
    }

    /// The next key of the object, or none after the object's end. For keys that are names, such as
    /// paths.
    pub(crate) fn next_name(&mut self) -> Result<Option<&str>, Fault> {
        if !self.has_next(b'}')? {
            return Ok(None);
        }
        let scanned = self.scan_string()?;
        self.colon_due = true;
        self.text_of(scanned).map(Some)
    }

    /// Enters an array.
    pub(crate) fn begin_array(&mut self) -> Result<(), Fault> {
        self.begin(b'[', "an array")
    }

    /// Whether the array has another element; if not, leaves the array.
    pub(crate) fn next_element(&mut self) -> Result<bool, Fault> {
        self.has_next(b']')
    }

    /// Reads an array; `take` reads each element.
    pub(crate) fn elements(
        &mut self,
        mut take: impl FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.begin_array()?;
        while self.next_element()? {
            take(self)?;
        }
        Ok(())
    }

    /// Returns the kind of the next value.
    pub(crate) fn peek(&mut self) -> Result<Next, Fault> {
        match self.value_byte()? {
            b'{' => Ok(Next::Object),
            b'[' => Ok(Next::Array),
            b'"' => Ok(Next::String),
            b't' | b'f' => Ok(Next::Bool),
            b'n' => Ok(Next::Null),
            b'-' | b'0'..=b'9' => Ok(Next::Number),
            _ => Err(self.fault("expected a value")),
        }
    }

    /// A string.
    pub(crate) fn string(&mut self) -> Result<&str, Fault> {
        let scanned = self.scan_string()?;
        self.text_of(scanned)
    }

    /// A count: a non-negative integer.
    #[inline]
    pub(crate) fn uint(&mut self) -> Result<u64, Fault> {
        let first = self.value_byte()?;
        if first == b'-' {
            return Err(self.fault("a negative number (were counters updated by several threads?)"));
        }
        self.look_ahead(SCALAR_BYTES)?;
        let text = &self.buffer[self.at..self.end];
        let length = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
        let digits = &text[..length];
        if matches!(text.get(length), Some(b'.' | b'e' | b'E')) || digits.is_empty() {
            return Err(self.fault("expected a whole number"));
        }
        if length > 1 && first == b'0' {
            return Err(self.fault("a number with a leading zero"));
        }
        let number = digits.iter().try_fold(0u64, |number, digit| {
            number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
        });
        let number = number.ok_or_else(|| self.fault("a number beyond 64 bits"))?;
        self.at += length;
        Ok(number)
    }

    /// An integer that fits 32 bits: a line, a column, an index.
    pub(crate) fn uint32(&mut self) -> Result<u32, Fault> {
        let number = self.uint()?;
        u32::try_from(number).map_err(|_| self.fault(format!("{number} is beyond 32 bits")))
    }

    /// A signed integer.
    pub(crate) fn int(&mut self) -> Result<i64, Fault> {
        let negative = self.value_byte()? == b'-';
        self.at += usize::from(negative);
        if negative && !self.byte()?.is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.fault("expected a digit"));
        }
        let number =
            i64::try_from(self.uint()?).map_err(|_| self.fault("a number beyond 64 bits"))?;
        Ok(if negative { -number } else { number })
    }

    /// True or false.
    pub(crate) fn bool(&mut self) -> Result<bool, Fault> {
        if self.value_byte()? == b't' {
            self.literal("true").map(|()| true)
        } else {
            self.literal("false").map(|()| false)
        }
    }

    /// Null.
    pub(crate) fn null(&mut self) -> Result<(), Fault> {
        self.value_byte()?;
        self.literal("null")
    }

    /// Skips a value of any kind.
    pub(crate) fn skip(&mut self) -> Result<(), Fault> {
        match self.peek()? {
            Next::Object => {
                self.begin_object()?;
                while self.next_key()?.is_some() {
                    self.skip()?;
                }
                Ok(())
            }
            Next::Array => self.elements(Self::skip),
            Next::String => self.skip_string(),
            Next::Bool => self.bool().map(drop),
            Next::Null => self.null(),
            Next::Number => self.skip_number(),
        }
    }

    /// Whether nothing but white space is left.
    pub(crate) fn at_end(&mut self) -> Result<bool, Fault> {
        Ok(self.next_byte()?.is_none())
    }

    fn begin(&mut self, bracket: u8, what: &str) -> Result<(), Fault> {
        if self.value_byte()? != bracket {
            return Err(self.fault(format!("expected {what}")));
        }
        if self.depth == DEPTH_MAX {
            return Err(self.fault(format!("nested deeper than {DEPTH_MAX} levels")));
        }
        self.at += 1;
        self.depth += 1;
        self.first = true;
        Ok(())
    }

    #[inline]
    fn has_next(&mut self, bracket: u8) -> Result<bool, Fault> {
        let byte = self.value_byte()?;
        if byte == bracket {
            self.at += 1;
            self.depth -= 1;
            self.first = false;
            return Ok(false);
        }
        if !std::mem::replace(&mut self.first, false) {
            if byte != b',' {
                return Err(self.fault("expected a comma or a closing bracket"));
            }
            self.at += 1;
        }
        Ok(true)
    }

    /// The first byte of the next value, which is not consumed; the colon before it is.
    #[expect(clippy::inline_always, reason = "called for every token: a fifth of all instructions")]
    #[inline(always)]
    fn value_byte(&mut self) -> Result<u8, Fault> {
        // Most producers write a single space after colons and commas, or none.
        match (self.colon_due, &self.buffer[self.at..self.end]) {
            (false, [byte, ..]) if *byte > b' ' => Ok(*byte),
            (false, [b' ', byte, ..]) if *byte > b' ' => {
                self.at += 1;
                Ok(*byte)
            }
            (true, [b':', b' ', byte, ..]) if *byte > b' ' => {
                self.colon_due = false;
                self.at += 2;
                Ok(*byte)
            }
            _ => self.value_byte_anywhere(),
        }
    }

    fn value_byte_anywhere(&mut self) -> Result<u8, Fault> {
        if std::mem::replace(&mut self.colon_due, false) {
            if self.next_byte()? != Some(b':') {
                return Err(self.fault("expected a colon after the key"));
            }
            self.at += 1;
        }
        self.next_byte()?.ok_or_else(|| self.fault("unexpected end of file"))
    }

    /// The next byte that is not white space, which is not consumed.
    fn next_byte(&mut self) -> Result<Option<u8>, Fault> {
        loop {
            for byte in &self.buffer[self.at..self.end] {
                if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                    return Ok(Some(*byte));
                }
                self.at += 1;
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// The text of a string that was scanned just now.
    fn text_of(&mut self, scanned: Scanned) -> Result<&str, Fault> {
        let Scanned { start, length, escaped } = scanned;
        let Ok(text) = std::str::from_utf8(&self.buffer[start..start + length]) else {
            let place = Location::Offset(self.passed + start as u64);
            return Err(Fault::malformed(place, "a string that is not UTF-8"));
        };
        if !escaped {
            return Ok(text);
        }
        match unescape(text, &mut self.unescaped) {
            Ok(()) => Ok(&self.unescaped),
            Err(at) => {
                let place = Location::Offset(self.passed + (start + at) as u64);
                Err(Fault::malformed(place, "invalid escape in a string"))
            }
        }
    }

    /// Reads past a string and returns its position in the buffer.
    #[inline]
    fn scan_string(&mut self) -> Result<Scanned, Fault> {
        if self.value_byte()? != b'"' {
            return Err(self.fault("expected a string"));
        }
        let (mut length, mut escaped) = (0, false);
        loop {
            let rest = self.buffer[self.at + 1..self.end].get(length..).unwrap_or_default();
            let plain = plain_length(rest);
            length += plain;
            match rest.get(plain).copied() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    length += 2;
                }
                Some(_) => {
                    self.at += 1 + length;
                    return Err(self.fault("a control character in a string"));
                }
                None if length > STRING_BYTES_MAX => {
                    return Err(self.fault(format!("a string of over {STRING_BYTES_MAX} bytes")));
                }
                None if !self.fill()? => return Err(self.fault("the file ends within a string")),
                None => {}
            }
        }
        let start = self.at + 1;
        self.at = start + length + 1;
        Ok(Scanned { start, length, escaped })
    }

    /// Skips a string of any length: source maps are long.
    fn skip_string(&mut self) -> Result<(), Fault> {
        self.at += 1;
        loop {
            self.at += plain_length(&self.buffer[self.at..self.end]);
            match self.byte()? {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.look_ahead(SCALAR_BYTES)?;
                    let rest = &self.buffer[self.at..self.end];
                    let escape = &rest[..rest.len().min(ESCAPE_BYTES_MAX)];
                    let escape = escape.utf8_chunks().next().map_or("", |chunk| chunk.valid());
                    let Some((_, length)) = escaped_character(escape) else {
                        return Err(self.fault("invalid escape in a string"));
                    };
                    self.at += length;
                }
                Some(0..0x20) => return Err(self.fault("a control character in a string")),
                Some(_) => {}
                None => return Err(self.fault("the file ends within a string")),
            }
        }
    }

    fn literal(&mut self, word: &str) -> Result<(), Fault> {
        self.look_ahead(SCALAR_BYTES)?;
        if !self.buffer[self.at..self.end].starts_with(word.as_bytes()) {
            return Err(self.fault(format!("expected {word}")));
        }
        self.at += word.len();
        Ok(())
    }

    /// Skips a number, which must be valid, but may be a fraction of any length.
    fn skip_number(&mut self) -> Result<(), Fault> {
        self.at += usize::from(self.value_byte()? == b'-');
        let leading_zero = self.byte()? == Some(b'0');
        if self.skip_digits()? > 1 && leading_zero {
            return Err(self.fault("a number with a leading zero"));
        }
        if self.byte()? == Some(b'.') {
            self.at += 1;
            self.skip_digits()?;
        }
        if matches!(self.byte()?, Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.byte()?, Some(b'+' | b'-')));
            self.skip_digits()?;
        }
        Ok(())
    }

    fn skip_digits(&mut self) -> Result<usize, Fault> {
        let mut count = 0;
        while self.byte()?.is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
            count += 1;
        }
        if count == 0 { Err(self.fault("expected a digit")) } else { Ok(count) }
    }

    /// The next byte, white space or not.
    fn byte(&mut self) -> Result<Option<u8>, Fault> {
        if self.at == self.end && !self.fill()? {
            return Ok(None);
        }
        Ok(Some(self.buffer[self.at]))
    }

    /// Ensures that `count` bytes, or all that are left, are in the buffer.
    #[inline]
    fn look_ahead(&mut self, count: usize) -> Result<(), Fault> {
        while self.end - self.at < count && self.fill()? {}
        Ok(())
    }

    /// Reads more into the buffer; returns whether there was more.
    #[cold]
    fn fill(&mut self) -> Result<bool, Fault> {
        self.buffer.copy_within(self.at..self.end, 0);
        self.passed += self.at as u64;
        self.end -= self.at;
        self.at = 0;
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(count) => {
                    self.end += count;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The position of a string in the buffer.
#[derive(Clone, Copy)]
struct Scanned {
    start: usize,
    length: usize,
    escaped: bool,
}

/// How many bytes of text there are before a quote, a backslash or a control character.
#[inline]
fn plain_length(text: &[u8]) -> usize {
    // Eight bytes at a time. `x - 1 & !x` has its high bit set in the lowest byte of `x` that is
    // zero (and possibly in higher ones, which do not matter); `x - 32 & !x` in the lowest byte
    // that is below 32.
    const EACH: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = EACH << 7;
    let zero = |word: u64| word.wrapping_sub(EACH) & !word;
    let (chunks, rest) = text.as_chunks::<8>();
    for (at, chunk) in chunks.iter().enumerate() {
        let word = u64::from_le_bytes(*chunk);
        let quote = zero(word ^ (EACH * u64::from(b'"')));
        let backslash = zero(word ^ (EACH * u64::from(b'\\')));
        let control = word.wrapping_sub(EACH * u64::from(b' ')) & !word;
        let ends = (quote | backslash | control) & HIGH;
        if ends != 0 {
            return 8 * at + ends.trailing_zeros() as usize / 8;
        }
    }
    let ends = |byte: &u8| *byte == b'"' || *byte == b'\\' || *byte < b' ';
    text.len() - rest.len() + rest.iter().position(ends).unwrap_or(rest.len())
}

/// Resolves the escapes of `raw`; the error is the offset of an invalid one.
fn unescape(raw: &str, plain: &mut String) -> Result<(), usize> {
    plain.clear();
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        plain.push_str(before);
        let wrong = raw.len() - escape.len();
        let (character, length) = escaped_character(escape).ok_or(wrong)?;
        plain.push(character);
        rest = &escape[length..];
    }
    plain.push_str(rest);
    Ok(())
}

/// The character that an escape stands for, and how many bytes the escape has.
fn escaped_character(escape: &str) -> Option<(char, usize)> {
    let character = match escape.as_bytes().get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode_escape(escape),
        _ => return None,
    };
    Some((character, 2))
}

/// `\uXXXX`, or two of them that make up a surrogate pair.
fn unicode_escape(escape: &str) -> Option<(char, usize)> {
    let unit = |at: usize| -> Option<u32> {
        let digits = escape.get(at..at + 6)?.strip_prefix("\\u")?;
        let hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        hexadecimal.then(|| u32::from_str_radix(digits, 16).ok())?
    };
    let high = unit(0)?;
    if !(0xd800..0xdc00).contains(&high) {
        return Some((char::from_u32(high)?, 6));
    }
    let low = unit(6).filter(|low| (0xdc00..0xe000).contains(low))?;
    Some((char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))?, 12))
}

#[cfg(test)]
mod tests;
