//! The libraries of a campaign.

use std::path::Path;

use metacov_campaign::WorkerConfig;
use metacov_core::Fingerprint;
use metacov_formats::{Fault, Scope};

use super::measure_sql::{Flavour, setting};
use super::target;

/// The libraries of a campaign.
pub struct Stage {
    /// What is tested.
    pub tested: WorkerConfig,
    /// The same without counters, and with exact ones.
    pub plain: WorkerConfig,
    pub counting: WorkerConfig,
    /// The SQLite that is inside, if another one is tested.
    pub reference: Option<WorkerConfig>,
    /// What tells the engine from others.
    pub build: String,
}

impl Stage {
    /// For a campaign that looks at what runs, or does not.
    pub fn new(engine: &str, library: Option<&Path>, looks: bool) -> anyhow::Result<Self> {
        let of = |look| setting(engine, library, look, &Scope::default());
        let is_inside =
            library.is_none() && target::engine(engine)?.notes == target::engine("sqlite")?.notes;
        let reference = (!is_inside)
            .then(|| setting("sqlite", None, Flavour::Outcomes, &Scope::default()))
            .transpose()?;
        Ok(Stage {
            tested: of(if looks { Flavour::Traces } else { Flavour::Outcomes })?,
            plain: of(Flavour::Outcomes)?,
            counting: of(Flavour::Coverage)?,
            reference,
            build: build(engine, library)?,
        })
    }
}

/// What tells a build of an engine from others: all its libraries, whichever of them a campaign needs. So campaigns of
/// one engine are of one build, whatever guides them.
pub fn build(engine: &str, library: Option<&Path>) -> anyhow::Result<String> {
    let mut fingerprint = Fingerprint::new();
    for look in [Flavour::Outcomes, Flavour::Traces, Flavour::Coverage] {
        let path = setting(engine, library, look, &Scope::default())?.library;
        let bytes = std::fs::read(&path)
            .map_err(|error| Fault::Io(error).of(path.display().to_string()))?;
        fingerprint.bytes(&bytes);
    }
    Ok(format!("{:016x}", fingerprint.hash()))
}
