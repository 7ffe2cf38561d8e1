//! Cobertura's XML report, which gcovr, coverage.py, nyc, coverlet and many others write.
//!
//! Branches are not read: a line reports only how many of its branches were taken. Two runs that
//! each took one of two may have taken the same one or not.

mod read;
mod write;

use std::io::{self, Write};

use crate::syntax::xml;
use crate::{CoverageFile, Export, Fault, Reader, SiteRecorder, Writer, holds};

/// Cobertura's XML report.
pub(crate) struct Cobertura;

impl Reader for Cobertura {
    fn name(&self) -> &'static str {
        "Cobertura"
    }

    fn detect(&self, head: &[u8]) -> bool {
        // Clover and SonarQube call their element `coverage` too.
        xml::root_name(head).is_some_and(|root| root == "coverage")
            && (holds(head, "line-rate=") || holds(head, "<packages"))
    }

    fn read(&self, input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
        read::report(input, recorder)
    }
}

impl Writer for Cobertura {
    fn name(&self) -> &'static str {
        "cobertura"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["xml"]
    }

    fn write(&self, export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
        write::report(export, out)
    }
}
