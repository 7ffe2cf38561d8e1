//! gcovr's JSON report: read from versions 0.1 (gcovr 4.2) to 0.15 (gcovr 8.7), written in those
//! of gcovr 8.

mod read;
mod write;

use std::io::{self, Write};

use crate::{CoverageFile, Export, Fault, Reader, SiteRecorder, Writer, holds};

/// gcovr's JSON report.
pub(crate) struct GcovrJson;

impl Reader for GcovrJson {
    fn name(&self) -> &'static str {
        "gcovr JSON"
    }

    fn detect(&self, head: &[u8]) -> bool {
        // Before 8.0 keys are sorted, so the version comes last and may be beyond the head.
        head.starts_with(b"{")
            && (holds(head, "\"gcovr/")
                || (holds(head, "\"files\"")
                    && holds(head, "\"line_number\"")
                    && !holds(head, "\"unexecuted_block\"")))
    }

    fn read(&self, input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
        read::report(input, recorder)
    }
}

impl Writer for GcovrJson {
    fn name(&self) -> &'static str {
        "gcovr"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn write(&self, export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
        write::report(export, out)
    }
}

/// A version of the format to write. gcovr reads only its own version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum GcovrFormat {
    /// gcovr 8.0 to 8.2.
    V0_10,
    /// gcovr 8.3.
    V0_11,
    /// gcovr 8.4 to 8.6.
    V0_14,
    /// gcovr 8.7.
    #[default]
    V0_15,
}

impl GcovrFormat {
    /// All versions that are written.
    pub const ALL: [GcovrFormat; 4] =
        [GcovrFormat::V0_10, GcovrFormat::V0_11, GcovrFormat::V0_14, GcovrFormat::V0_15];

    /// Returns the version as gcovr writes it.
    pub fn name(self) -> &'static str {
        match self {
            GcovrFormat::V0_10 => "0.10",
            GcovrFormat::V0_11 => "0.11",
            GcovrFormat::V0_14 => "0.14",
            GcovrFormat::V0_15 => "0.15",
        }
    }
}
