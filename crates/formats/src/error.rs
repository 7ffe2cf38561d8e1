//! Errors of reading and writing files.

use std::fmt;
use std::io;

use metacov_core::BuildMismatch;
use thiserror::Error;

/// Enough for any message of metacov, with a few names in it.
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
    /// The file does not exist, or reading or writing it failed.
    #[error("{}", io_message(.0))]
    Io(#[from] io::Error),
    /// It is empty. Nothing measured is not the same as nothing covered.
    #[error("the file is empty, so the side was not measured")]
    Empty,
    /// The file is well-formed, but lists no code.
    #[error("the file lists no code{0}, so the side was not measured")]
    NoCode(String),
    /// The content has no known format.
    #[error("not a recognised coverage format (metacov reads {0})")]
    UnknownFormat(String),
    /// The format is known, but not this version of it.
    #[error("{format} version {} is not known (metacov reads {known})", printable(found))]
    Version {
        /// The format.
        format: &'static str,
        /// The version that the file states.
        found: String,
        /// The versions that metacov reads.
        known: &'static str,
    },
    /// The content violates the rules of its format.
    #[error("{}{what}", place.prefix())]
    Malformed {
        /// Where the violation is.
        place: Location,
        /// What is wrong there.
        what: String,
    },
    /// Counters that no complete run of the program produces: more flows into a block than out of
    /// it. A process that crashed leaves such counters in the function that it crashed in, and so
    /// may threads that count at the same time.
    #[error(
        "the counters of {} do not add up (were they updated by several threads?)",
        printable(function)
    )]
    Inconsistent {
        /// The function's name, as the linker knows it.
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
    /// The run is of a program that has nothing to do with that of an earlier one.
    #[error(
        "measures another program than {earlier}: no source file is in both ({} here, {} there)",
        printable(files),
        printable(earlier_files)
    )]
    OtherProgram {
        /// The earlier run.
        earlier: String,
        /// Source files of this run.
        files: String,
        /// Source files of the earlier run.
        earlier_files: String,
    },
    /// The program has other code than when the run was begun.
    #[error(
        "{} was built again with other code since the run was begun: measure into a new run file, or build the same \
         code again",
        printable(program)
    )]
    Rebuilt {
        /// Its file.
        program: String,
    },
}

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// After this many bytes of (decompressed) content.
    Offset(u64),
    /// In this line, counted from one.
    Line(u64),
    /// The file as a whole.
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
    /// Creates the fault of content that violates the rules of its format.
    pub fn malformed(place: Location, what: impl Into<String>) -> Self {
        Fault::Malformed { place, what: printable(&what.into()) }
    }

    /// Adds the name of the file.
    pub fn of(self, name: impl Into<String>) -> Error {
        Error { name: name.into(), fault: self }
    }
}

/// Returns the system's message in the style of metacov's messages: "no such file or directory",
/// without the number.
pub fn io_message(error: &io::Error) -> String {
    let text = error.to_string();
    if error.raw_os_error().is_none() {
        return text;
    }
    let text = text.rsplit_once(" (os error").map_or(&*text, |(text, _)| text);
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// A text that may contain parts of a bad file, made safe for a terminal: shortened, and without
/// control characters.
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
