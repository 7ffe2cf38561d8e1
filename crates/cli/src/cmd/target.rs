//! `metacov target`

use anyhow::{anyhow, bail};
use clap::Subcommand;
use metacov_formats::Fault;
use metacov_sqlite::{Artifact, VERSION, VERSIONS, build, find};

use super::cc::{Language, cache};
use crate::exit_code::ExitCode;
use crate::talk::{Console, print};

/// The only engine there is.
const SQLITE: &str = "sqlite";

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
            let target = build(version(name)?, &Language::C.compiler(), &cache());
            let target = target.map_err(|error| Fault::Io(error).of(name))?;
            talk.note(&format!("{name} is in {}", target.notes.display()));
        }
        Action::Path { name } => print(&format!("{}\n", engine(name)?.notes.display()))?,
    }
    Ok(ExitCode::Success)
}

/// The engine of this name.
pub fn engine(name: &str) -> anyhow::Result<Artifact> {
    let found = find(version(name)?, &cache()).map_err(|error| Fault::Io(error).of(name))?;
    found.ok_or_else(|| anyhow!("{name} is not there; to build it: metacov target build {name}"))
}

/// The engine of this name, built if it is not there.
pub fn engine_on_demand(name: &str, talk: &Console) -> anyhow::Result<Artifact> {
    let version = version(name)?;
    let fault = |error| Fault::Io(error).of(name);
    if let Some(found) = find(version, &cache()).map_err(fault)? {
        return Ok(found);
    }
    talk.note(&format!("{name} is built"));
    Ok(build(version, &Language::C.compiler(), &cache()).map_err(fault)?)
}

fn list() -> anyhow::Result<()> {
    let mut lines = vec![format!("{SQLITE}@{VERSION}   inside (also: {SQLITE})\n")];
    for (version, _) in VERSIONS.iter().rev() {
        let is_built = find(version, &cache())?.is_some();
        let state = if is_built { "built" } else { "can be built" };
        lines.push(format!("{SQLITE}@{version:<width$}   {state}\n", width = VERSION.len()));
    }
    print(&lines.concat())
}

fn version(name: &str) -> anyhow::Result<&str> {
    match name.split_once('@').unwrap_or((name, VERSION)) {
        (SQLITE, version) => Ok(version),
        _ => {
            bail!("`{name}` is not an engine ({SQLITE}, or {SQLITE}@VERSION: metacov target list)")
        }
    }
}
