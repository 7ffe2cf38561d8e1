//! The libraries of a campaign.

use std::path::Path;

use metacov_campaign::WorkerConfig;
use metacov_core::Fingerprint;
use metacov_exec::{Flavour, Target};
use metacov_formats::{Fault, Scope};

use super::target;

/// The libraries of a campaign.
pub struct Stage {
    /// The engine.
    pub target: &'static dyn Target,
    /// What is tested.
    pub tested: WorkerConfig,
    /// The same without counters, and with exact ones.
    pub plain: WorkerConfig,
    pub counting: WorkerConfig,
    /// The default version, if another one is tested: its name and library.
    pub reference: Option<(String, WorkerConfig)>,
    /// What tells the engine from others.
    pub build: String,
}

impl Stage {
    /// For a campaign that looks at what runs, or does not.
    pub fn new(engine: &str, library: Option<&Path>, looks: bool) -> anyhow::Result<Self> {
        let of = |flavour| target::config(engine, library, flavour, &Scope::default());
        let (target, tested) = of(if looks { Flavour::Fast } else { Flavour::Plain })?;
        let (_, version) = target::parse(engine)?;
        let is_default = library.is_none() && version == target.default_version();
        let reference = (!is_default).then(|| {
            let name = format!("{}@{}", target.name(), target.default_version());
            let (_, config) = target::config(&name, None, Flavour::Plain, &Scope::default())?;
            Ok::<_, anyhow::Error>((name, config))
        });
        Ok(Stage {
            target,
            tested,
            plain: of(Flavour::Plain)?.1,
            counting: of(Flavour::Exact)?.1,
            reference: reference.transpose()?,
            build: build(engine, library)?,
        })
    }
}

/// What tells a build of an engine from others: all its libraries, whichever of them a campaign needs. So campaigns of
/// one engine are of one build, whatever guides them.
pub fn build(engine: &str, library: Option<&Path>) -> anyhow::Result<String> {
    let mut fingerprint = Fingerprint::new();
    for flavour in [Flavour::Plain, Flavour::Fast, Flavour::Exact] {
        let path = target::config(engine, library, flavour, &Scope::default())?.1.library;
        let bytes = std::fs::read(&path)
            .map_err(|error| Fault::Io(error).of(path.display().to_string()))?;
        fingerprint.bytes(&bytes);
    }
    Ok(format!("{:016x}", fingerprint.hash()))
}
