//! A pull reader for XML.
//!
//! `quick-xml` finds the tags; this reader moves from element to element without building a tree,
//! and ensures that a damaged or hostile file ends in a message: every tag, comment and text is
//! bounded while it is read, only XML's five predefined entities are known, and a file that ends
//! within an element is refused.
//!
//! ```text
//! xml.root("report")?;
//! while let Some(name) = xml.next_child()? {
//!     match name {
//!         "line" => line(xml.uint32("nr")?)?,
//!         _ => {}
//!     }
//!     xml.skip()?;
//! }
//! xml.end()
//! ```

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

use quick_xml::events::attributes::Attributes;
use quick_xml::events::{BytesRef, Event};
use quick_xml::{Error, Reader, XmlVersion};

use crate::syntax::lines::shown;
use crate::{Fault, Location};

/// No producer nests deeper than a dozen levels, except JaCoCo, whose groups may contain groups.
const DEPTH_MAX: u32 = 128;

/// The longest tag, comment or text: as long as the longest string in JSON.
const EVENT_BYTES_MAX: usize = 1 << 20;

/// The longest name of an element. Names of open elements are kept, so depth times this.
const NAME_BYTES_MAX: usize = 1 << 10;

/// A stream of XML, read from left to right.
pub(crate) struct Xml<R: Read> {
    reader: Reader<Metered<BufReader<R>>>,
    event: Vec<u8>,
    /// The start tag that was read last: its name and its attributes.
    tag: String,
    name_bytes: usize,
    /// The text that was read last.
    text: String,
    /// Where in the file that tag or text starts.
    start: u64,
    depth: u32,
    /// Whether that tag closes itself.
    closes_itself: bool,
}

/// The last event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Open,
    Close,
    Text,
    End,
}

impl<R: Read> Xml<R> {
    pub(crate) fn new(input: R) -> Self {
        let input = BufReader::with_capacity(128 << 10, input);
        Xml {
            reader: Reader::from_reader(Metered { inner: input, left: 0 }),
            event: Vec::new(),
            tag: String::new(),
            name_bytes: 0,
            text: String::new(),
            start: 0,
            depth: 0,
            closes_itself: false,
        }
    }

    /// A fault at the tag that was read last.
    pub(crate) fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::malformed(Location::Offset(self.start), what)
    }

    /// Enters the document's element, which must have this name.
    pub(crate) fn root(&mut self, name: &str) -> Result<(), Fault> {
        match self.next_child()? {
            Some(found) if found == name => Ok(()),
            _ => Err(self.fault(format!("expected `<{name}>`"))),
        }
    }

    /// Enters the next child of the element and returns its name; or leaves the element, if it has
    /// no more. A child must be left as well: by this or by [`Xml::skip`].
    pub(crate) fn next_child(&mut self) -> Result<Option<&str>, Fault> {
        loop {
            match self.step()? {
                Step::Open => return Ok(Some(self.name())),
                Step::Close | Step::End => return Ok(None),
                Step::Text => self.no_text()?,
            }
        }
    }

    /// Leaves the element, whatever is left in it.
    pub(crate) fn skip(&mut self) -> Result<(), Fault> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            self.step()?;
        }
        Ok(())
    }

    /// Returns the text of the element, and leaves it.
    pub(crate) fn text(&mut self) -> Result<String, Fault> {
        let mut text = String::new();
        loop {
            match self.step()? {
                Step::Open => self.skip()?,
                Step::Close | Step::End => return Ok(text),
                Step::Text if text.len() + self.text.len() > EVENT_BYTES_MAX => {
                    return Err(self.fault(format!("a text of over {EVENT_BYTES_MAX} bytes")));
                }
                Step::Text => text.push_str(&self.text),
            }
        }
    }

    /// Checks that nothing follows the document's element.
    pub(crate) fn end(&mut self) -> Result<(), Fault> {
        match self.next_child()? {
            None => Ok(()),
            Some(_) => Err(self.fault("unexpected content after the report")),
        }
    }

    /// An attribute of the element that was entered last.
    pub(crate) fn attribute(&self, name: &str) -> Result<Option<Cow<'_, str>>, Fault> {
        let mut value = None;
        // The check for duplicate attributes is quadratic, and a tag may have many.
        for attribute in Attributes::new(&self.tag, self.name_bytes).with_checks(false) {
            let attribute =
                attribute.map_err(|_| self.fault("an attribute that is not `name=\"value\"`"))?;
            if attribute.key.as_ref() == name && value.replace(attribute).is_some() {
                return Err(self.fault(format!("duplicate attribute `{name}`")));
            }
        }
        let Some(attribute) = value else { return Ok(None) };
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        value.map(Some).map_err(|_| {
            let raw = shown(&attribute.value);
            self.fault(format!("`{name}` is `{raw}`: not a predefined entity of XML"))
        })
    }

    /// A required attribute.
    pub(crate) fn required(&self, name: &str) -> Result<Cow<'_, str>, Fault> {
        let value = self.attribute(name)?;
        value.ok_or_else(|| self.fault(format!("`{}` without `{name}`", self.name())))
    }

    /// A required count: a non-negative integer.
    pub(crate) fn uint(&self, name: &str) -> Result<u64, Fault> {
        let value = self.required(name)?;
        value
            .parse()
            .map_err(|_| self.fault(format!("`{name}` is `{}`, not a count", shown(&value))))
    }

    /// A line number, counted from one.
    pub(crate) fn line_number(&self, name: &str) -> Result<u32, Fault> {
        let number = u32::try_from(self.uint(name)?).ok().filter(|number| *number > 0);
        number.ok_or_else(|| self.fault(format!("`{name}` is not the number of a line")))
    }

    fn name(&self) -> &str {
        self.tag.get(..self.name_bytes).unwrap_or_default()
    }

    /// Checks that the text between elements is white space: otherwise a tag is broken.
    fn no_text(&self) -> Result<(), Fault> {
        if self.text.trim().is_empty() {
            return Ok(());
        }
        Err(self.fault(format!("expected a tag, found `{}`", shown(self.text.trim()))))
    }

    fn step(&mut self) -> Result<Step, Fault> {
        if std::mem::take(&mut self.closes_itself) {
            self.depth -= 1;
            return Ok(Step::Close);
        }
        loop {
            self.event.clear();
            self.start = self.reader.buffer_position();
            self.reader.get_mut().left = EVENT_BYTES_MAX;
            let event = match self.reader.read_event_into(&mut self.event) {
                Ok(event) => event,
                Err(error) => return Err(self.fault_of(error)),
            };
            self.text.clear();
            match event {
                Event::Start(ref tag) | Event::Empty(ref tag) => {
                    self.tag.clear();
                    self.tag.push_str(tag);
                    self.name_bytes = tag.name().as_ref().len();
                    self.closes_itself = matches!(event, Event::Empty(_));
                    self.depth += 1;
                    return self.checked_tag();
                }
                Event::End(_) => {
                    self.depth -= 1;
                    return Ok(Step::Close);
                }
                Event::Text(text) => {
                    self.text.push_str(&text);
                    return Ok(Step::Text);
                }
                Event::CData(text) => {
                    self.text.push_str(&text);
                    return Ok(Step::Text);
                }
                Event::GeneralRef(reference) => {
                    let character = character(&reference);
                    let what = format!("`&{};`: not a predefined entity of XML", shown(&reference));
                    self.text.push(character.ok_or_else(|| self.fault(what))?);
                    return Ok(Step::Text);
                }
                Event::Eof if self.depth > 0 => {
                    return Err(self.fault("the file ends within an element"));
                }
                Event::Eof => return Ok(Step::End),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
    }

    fn checked_tag(&self) -> Result<Step, Fault> {
        if self.depth > DEPTH_MAX {
            return Err(self.fault(format!("nested deeper than {DEPTH_MAX} levels")));
        }
        if self.name_bytes == 0 || self.name_bytes > NAME_BYTES_MAX {
            return Err(self.fault(format!("a tag without a name of 1 to {NAME_BYTES_MAX} bytes")));
        }
        // With a missing quote, the following tags become part of an attribute.
        if self.tag.contains('<') {
            return Err(self.fault("a `<` within a tag"));
        }
        Ok(Step::Open)
    }

    fn fault_of(&self, error: Error) -> Fault {
        match error {
            Error::Io(_) if self.reader.get_ref().left == 0 => {
                self.fault(format!("a tag, comment or text of over {EVENT_BYTES_MAX} bytes"))
            }
            Error::Io(error) => io::Error::new(error.kind(), error.to_string()).into(),
            Error::Encoding(_) => self.fault("text that is not UTF-8"),
            Error::Syntax(error) => self.fault(error.to_string()),
            Error::IllFormed(error) => self.fault(shown(&error.to_string())),
            error => self.fault(shown(&error.to_string())),
        }
    }
}

/// The name of the document's element, if the start of the file has it.
pub(crate) fn root_name(head: &[u8]) -> Option<String> {
    if !head.trim_ascii_start().starts_with(b"<") {
        return None;
    }
    let mut xml = Xml::new(head);
    xml.next_child().ok()?.map(str::to_owned)
}

/// The character that a reference in a text stands for.
fn character(reference: &BytesRef<'_>) -> Option<char> {
    match &**reference {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "apos" => Some('\''),
        "quot" => Some('"'),
        _ => reference.resolve_char_ref().ok()?,
    }
}

/// Ends a read that takes more bytes than allowed.
struct Metered<R> {
    inner: R,
    left: usize,
}

impl<R: BufRead> BufRead for Metered<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Err(io::Error::other("too long"));
        }
        let available = self.inner.fill_buf()?;
        Ok(&available[..available.len().min(self.left)])
    }

    fn consume(&mut self, count: usize) {
        self.left -= count.min(self.left);
        self.inner.consume(count);
    }
}

impl<R: BufRead> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a document completely: every name, attribute `a` and text.
    fn walk<R: Read>(xml: &mut Xml<R>) -> Result<Vec<String>, Fault> {
        let mut seen = Vec::new();
        while let Some(name) = xml.next_child()? {
            let name = name.to_owned();
            if name == "text" {
                seen.push(xml.text()?);
                continue;
            }
            let attribute = xml.attribute("a")?.map(|value| format!("={value}"));
            seen.push(name + &attribute.unwrap_or_default());
            seen.extend(walk(xml)?);
        }
        Ok(seen)
    }

    #[track_caller]
    fn check(text: impl Read, expected: Result<&[&str], &str>) {
        let found = walk(&mut Xml::new(text)).map_err(|fault| fault.to_string());
        match (&found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(found), Err(expected)) => assert_eq!(found, expected),
            _ => panic!("{found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn elements_attributes_and_texts_are_read() {
        let text = "\u{feff}<?xml version='1.0'?>\n<!DOCTYPE r PUBLIC \"-//X\" \"r.dtd\"><!-- <no> -->\
                    <r a='&lt;&#105;nit&gt;'>\n<e a = \"1\"/><text>x<!-- y -->&amp;<![CDATA[<z>]]></text></r>\n";
        check(text.as_bytes(), Ok(&["r=<init>", "e=1", "x&<z>"]));
    }

    #[test]
    fn broken_documents_are_refused_with_their_position() {
        for (text, message) in [
            ("<r><e>", "byte 6: the file ends within an element"),
            ("<r><e", "byte 3: tag not closed: `>` not found before end of input"),
            ("<r><e></r>", "byte 6: expected `</e>`, but `</r>` was found"),
            ("<r></r></r>", "byte 7: close tag `</r>` does not match any open tag"),
            ("<r a=1/>", "byte 0: an attribute that is not `name=\"value\"`"),
            ("<r a='1' a='2'/>", "byte 0: duplicate attribute `a`"),
            ("<r><e a='></e><e b='/></r>", "byte 3: a `<` within a tag"),
            ("<r>line a='1'/></r>", "byte 3: expected a tag, found `line a='1'/>`"),
            ("<r><text>&nbsp;</text></r>", "byte 9: `&nbsp;`: not a predefined entity of XML"),
            ("<r a='&nbsp;'/>", "byte 0: `a` is `&nbsp;`: not a predefined entity of XML"),
            ("<r>< a='1'/></r>", "byte 3: a tag without a name of 1 to 1024 bytes"),
        ] {
            check(text.as_bytes(), Err(message));
        }
        check(&b"<r>\xff</r>"[..], Err("byte 3: text that is not UTF-8"));
    }

    #[test]
    fn a_document_ends_with_its_element() {
        let mut xml = Xml::new("<r/> <!-- x --> <s/>".as_bytes());
        xml.root("r").unwrap();
        xml.skip().unwrap();
        assert_eq!(
            xml.end().unwrap_err().to_string(),
            "byte 16: unexpected content after the report"
        );
    }

    #[test]
    fn nested_entities_are_not_expanded() {
        let text = "<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><r a='&b;'/>";
        check(text.as_bytes(), Err("byte 53: `a` is `&b;`: not a predefined entity of XML"));
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let text = "<g>".repeat(1_000_000);
        check(text.as_bytes(), Err("byte 384: nested deeper than 128 levels"));
        assert!(Xml::new(text.as_bytes()).skip().is_ok(), "there is nothing to leave");
    }

    #[test]
    fn overlong_tokens_are_an_error() {
        let endless = || io::repeat(b'x').take(1 << 40);
        let message = "a tag, comment or text of over 1048576 bytes";
        check(b"<r a='".chain(endless()), Err(&format!("byte 0: {message}")));
        check(b"<r>".chain(endless()), Err(&format!("byte 3: {message}")));
        check(b"<r><!--".chain(endless()), Err(&format!("byte 3: {message}")));
        check(b"<!DOCTYPE r [".chain(endless()), Err(&format!("byte 0: {message}")));
        check(b"<r><text>&".chain(endless()), Err(&format!("byte 9: {message}")));
        let message = "byte 0: a tag without a name of 1 to 1024 bytes";
        check(format!("<{}>", "x".repeat(2000)).as_bytes(), Err(message));
    }
}
