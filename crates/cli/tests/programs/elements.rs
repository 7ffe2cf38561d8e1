//! Lines, branches and functions, as both metacov and gcov identify them.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// An element that runs or does not run. Paths are absolute.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Element {
    Line {
        file: Rc<str>,
        line: u64,
    },
    /// The n-th branch of a line, from zero. Branches at the same position are one: those of
    /// several instances of a template, or of several translation units.
    Branch {
        file: Rc<str>,
        line: u64,
        position: u64,
    },
    /// The name is that of the linker.
    Function {
        file: Rc<str>,
        line: u64,
        name: String,
    },
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Line { file, line } => write!(formatter, "line {file}:{line}"),
            Element::Branch { file, line, position } => {
                write!(formatter, "branch {position} of {file}:{line}")
            }
            Element::Function { file, line, name } => {
                write!(formatter, "function {name} at {file}:{line}")
            }
        }
    }
}

/// The report of one side.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Side {
    /// All elements of the program.
    pub known: BTreeSet<Element>,
    /// Those that ran.
    pub executed: BTreeSet<Element>,
}

impl Side {
    pub fn add(&mut self, element: Element, executed: bool) {
        if executed {
            self.executed.insert(element.clone());
        }
        self.known.insert(element);
    }
}

/// A path without `.` and `..`. Symbolic links are not followed, as in gcov.
pub fn clean(path: &Path) -> Rc<str> {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            component => clean.push(component),
        }
    }
    clean.to_str().unwrap().into()
}
