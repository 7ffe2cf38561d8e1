//! JaCoCo's XML report.
//!
//! Branches are not read: a line reports only how many of its branches were taken, not which.

mod read;

use crate::syntax::xml;
use crate::{CoverageFile, Fault, Reader, SiteRecorder, holds};

/// JaCoCo's XML report.
pub(crate) struct Jacoco;

impl Reader for Jacoco {
    fn name(&self) -> &'static str {
        "JaCoCo XML"
    }

    fn detect(&self, head: &[u8]) -> bool {
        xml::root_name(head).is_some_and(|root| root == "report")
            && ["JACOCO", "<sessioninfo", "<package", "<group"].iter().any(|text| holds(head, text))
    }

    fn read(&self, input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
        read::report(input, recorder)
    }
}
