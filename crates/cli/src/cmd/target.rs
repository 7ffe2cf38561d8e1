//! `metacov target`

use clap::Subcommand;
use metacov_campaign::TargetList;
use metacov_exec::Artifact;
use metacov_formats::Fault;
use metacov_targets::ALL;
use metacov_targets::cc::{Language, cache};

use crate::console::{Console, print};
use crate::exit_code::ExitCode;

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

pub fn run(args: &Args, console: &Console) -> anyhow::Result<ExitCode> {
    match &args.action {
        Action::List => print_list()?,
        Action::Build { name } => {
            let (target, version) = list().parse(name)?;
            let artifact = target.build(version, &Language::C.compiler(), &cache());
            let artifact = artifact.map_err(|error| Fault::Io(error).of(name))?;
            console.note(&format!("{name} is in {}", artifact.folder.display()));
        }
        Action::Path { name } => print(&format!("{}\n", list().find(name)?.1.folder.display()))?,
    }
    Ok(ExitCode::Success)
}

pub fn list() -> TargetList {
    TargetList { all: ALL, cache: cache() }
}

/// The engine of this name, built if it is not there.
pub fn engine_on_demand(name: &str, console: &Console) -> anyhow::Result<Artifact> {
    let (target, version) = list().parse(name)?;
    let fault = |error| Fault::Io(error).of(name);
    if let Some(found) = target.find(version, &cache()).map_err(fault)? {
        return Ok(found);
    }
    console.note(&format!("{name} is built"));
    Ok(target.build(version, &Language::C.compiler(), &cache()).map_err(fault)?)
}

fn print_list() -> anyhow::Result<()> {
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
