//! What can go wrong between bytes and covers.

use std::fmt;
use std::io;

use metacov_core::BuildMismatch;
use thiserror::Error;

/// Room for any message that we write, with a few names in it.
const MESSAGE_CHARS_MAX: usize = 400;

/// A file that could not be read or written, and why.
#[derive(Debug, Error)]
#[error("{name}: {fault}")]
pub struct Error {
    /// The file as the user named it.
    pub name: String,
    /// What is wrong with it.
    #[source]
    pub fault: Fault,
}

/// What is wrong with a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file is not there, or reading or writing it failed.
    #[error("{}", io_message(.0))]
    Io(#[from] io::Error),
    /// There is nothing in it. Nothing measured is not the same as nothing covered.
    #[error("the file is empty, so the side was not measured")]
    Empty,
    /// The file is well-formed, but tells of no code at all.
    #[error("the file lists no code{0}, so the side was not measured")]
    NoCode(String),
    /// The content belongs to no format that is known.
    #[error("not a recognised coverage format (metacov reads {0})")]
    UnknownFormat(String),
    /// The format is known, this version of it is not.
    #[error("{format} version {} is not known (metacov reads {known})", printable(found))]
    Version {
        /// The format.
        format: &'static str,
        /// The version that the file states.
        found: String,
        /// The versions that are read.
        known: &'static str,
    },
    /// The content breaks the rules of its format.
    #[error("{}{what}", place.prefix())]
    Malformed {
        /// Where.
        place: Location,
        /// What is wrong there.
        what: String,
    },
    /// Counters that no run of the program leaves: more flows into a block than out of it. A
    /// process that crashed leaves such counters in the function that it crashed in, and so may
    /// threads that count at the same time.
    #[error(
        "the counters of {} do not add up (were they updated by several threads?)",
        printable(function)
    )]
    Inconsistent {
        /// The function, as the linker knows it.
        function: String,
    },
    /// The file is of another build than those read before it.
    #[error("made from another build than {earlier}: {mismatch}")]
    OtherBuild {
        /// A file of the earlier build.
        earlier: String,
        /// Where they differ.
        mismatch: BuildMismatch,
    },
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// After this many bytes of (decompressed) content.
    Offset(u64),
    /// In this line, counted from one.
    Line(u64),
    /// Nowhere in particular.
    Whole,
}

impl Location {
    fn prefix(self) -> String {
        match self {
            Location::Whole => String::new(),
            place => format!("{place}: "),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Offset(offset) => write!(f, "byte {offset}"),
            Location::Line(line) => write!(f, "line {line}"),
            Location::Whole => write!(f, "the whole"),
        }
    }
}

impl Fault {
    /// A breach of the format's rules.
    pub fn malformed(place: Location, what: impl Into<String>) -> Self {
        Fault::Malformed { place, what: printable(&what.into()) }
    }

    /// The fault of the file called `name`.
    pub fn of(self, name: impl Into<String>) -> Error {
        Error { name: name.into(), fault: self }
    }
}

/// What the system says, in the style of our messages: "no such file or directory", without the number.
pub fn io_message(error: &io::Error) -> String {
    let text = error.to_string();
    if error.raw_os_error().is_none() {
        return text;
    }
    let text = text.rsplit_once(" (os error").map_or(&*text, |(text, _)| text);
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// Text that may hold parts of a bad file, so that it does no harm on a terminal: not endless, and
/// without control characters.
fn printable(text: &str) -> String {
    let mut printable = String::new();
    for character in text.chars().take(MESSAGE_CHARS_MAX) {
        if character.is_control() {
            printable.extend(character.escape_default());
        } else {
            printable.push(character);
        }
    }
    printable
}
