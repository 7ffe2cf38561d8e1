//! The files of a study: JSON, with a version.

use metacov_formats::{Fault, Location};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The version of a file of a study. Earlier ones can be read too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct FileVersion;

/// Version 1 has `validated` in place of `mc_sites`, and version 2 has one chance of an overlap.
const VERSION: u32 = 3;
const OLDEST: u32 = 1;

impl TryFrom<u32> for FileVersion {
    type Error = String;

    fn try_from(version: u32) -> Result<Self, String> {
        let unknown =
            || format!("version {version} is not known (metacov reads {OLDEST} to {VERSION})");
        (OLDEST..=VERSION).contains(&version).then_some(FileVersion).ok_or_else(unknown)
    }
}

impl From<FileVersion> for u32 {
    fn from(FileVersion: FileVersion) -> u32 {
        VERSION
    }
}

/// A result of a study that is kept in a file.
pub trait ResultFile: Serialize + DeserializeOwned {
    /// Writes JSON.
    ///
    /// # Panics
    ///
    /// If a map has keys that are not text, which none of the types that are kept has: nothing else can fail.
    fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data with text as keys") + "\n"
    }

    /// Reads JSON.
    fn parse(text: &str) -> Result<Self, Fault> {
        let result: Self = serde_json::from_str(text).map_err(|error| {
            Fault::malformed(Location::Line(error.line() as u64), error.to_string())
        })?;
        result.check().map(|()| result)
    }

    /// Checks what the types do not.
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}
