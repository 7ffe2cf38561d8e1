//! `metacov target`

use std::path::Path;

use anyhow::{anyhow, bail};
use clap::Subcommand;
use metacov_campaign::WorkerConfig;
use metacov_exec::{Artifact, Flavour, Target};
use metacov_formats::{Fault, Scope};

use metacov_targets::ALL;

use super::cc::{Language, cache};
use crate::exit_code::ExitCode;
use crate::talk::{Console, print};

/// Engines to measure: which there are, and others from packages.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// List all engines: inside the binary, built, or to be built.
    List,
    /// Build an engine, such as `sqlite@3.29.0`: cargo fetches the package that bundles it.
    Build {
        #[arg(value_name = "ENGINE@VERSION")]
        name: String,
    },
    /// Print the folder of an engine: its library, notes and source.
    Path {
        #[arg(value_name = "ENGINE[@VERSION]")]
        name: String,
    },
}

pub fn run(args: &Args, talk: &Console) -> anyhow::Result<ExitCode> {
    match &args.action {
        Action::List => list()?,
        Action::Build { name } => {
            let (target, version) = parse(name)?;
            let artifact = target.build(version, &Language::C.compiler(), &cache());
            let artifact = artifact.map_err(|error| Fault::Io(error).of(name))?;
            talk.note(&format!("{name} is in {}", artifact.folder.display()));
        }
        Action::Path { name } => print(&format!("{}\n", engine(name)?.1.folder.display()))?,
    }
    Ok(ExitCode::Success)
}

/// The engine of this name.
pub fn engine(name: &str) -> anyhow::Result<(&'static dyn Target, Artifact)> {
    let (target, version) = parse(name)?;
    let found = target.find(version, &cache()).map_err(|error| Fault::Io(error).of(name))?;
    let missing = || anyhow!("{name} is not there; to build it: metacov target build {name}");
    Ok((target, found.ok_or_else(missing)?))
}

/// The engine of this name, built if it is not there.
pub fn engine_on_demand(name: &str, talk: &Console) -> anyhow::Result<Artifact> {
    let (target, version) = parse(name)?;
    let fault = |error| Fault::Io(error).of(name);
    if let Some(found) = target.find(version, &cache()).map_err(fault)? {
        return Ok(found);
    }
    talk.note(&format!("{name} is built"));
    Ok(target.build(version, &Language::C.compiler(), &cache()).map_err(fault)?)
}

/// What is tested: an engine by name, or a library of the user's in its place.
pub fn config(
    engine_name: &str,
    library: Option<&Path>,
    flavour: Flavour,
    scope: &Scope,
) -> anyhow::Result<(&'static dyn Target, WorkerConfig)> {
    if let Some(library) = library {
        let (target, _) = parse(engine_name)?;
        return Ok((target, WorkerConfig::of_library(target, library, flavour, scope)?));
    }
    let (target, artifact) = engine(engine_name)?;
    Ok((target, WorkerConfig::of_artifact(target, &artifact, flavour, scope)))
}

fn list() -> anyhow::Result<()> {
    let mut lines = Vec::new();
    for target in ALL {
        let (name, default) = (target.name(), target.default_version());
        let width = default.len();
        for version in target.versions().into_iter().rev() {
            let state = if target.is_embedded(version) {
                "inside"
            } else if target.find(version, &cache())?.is_some() {
                "built"
            } else {
                "can be built"
            };
            let alias = if version == default { format!(" (also: {name})") } else { String::new() };
            lines.push(format!("{name}@{version:<width$}   {state}{alias}\n"));
        }
    }
    print(&lines.concat())
}

/// The target and version that a name stands for.
pub fn parse(name: &str) -> anyhow::Result<(&'static dyn Target, &str)> {
    let (target, version) =
        name.split_once('@').map_or((name, None), |(target, version)| (target, Some(version)));
    let known = ALL.iter().find(|known| known.name() == target);
    let Some(known) = known else {
        let names: Vec<String> =
            ALL.iter().map(|known| format!("{0}, or {0}@VERSION", known.name())).collect();
        bail!("`{name}` is not an engine ({}: metacov target list)", names.join(", "))
    };
    Ok((*known, version.unwrap_or_else(|| known.default_version())))
}
