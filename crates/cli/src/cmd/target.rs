//! `metacov target`

use std::fs;
use std::io;
use std::path::PathBuf;

use clap::Subcommand;
use metacov_campaign::TargetList;
use metacov_exec::{Artifact, BuildOptions, Target};
use metacov_formats::Fault;
use metacov_report::target_versions;
use metacov_run::RunError;
use metacov_targets::ALL;
use metacov_targets::cc::{Language, cache};

use crate::console::bar::FILES;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Outcome};

const EXAMPLES: &str = "\
Examples:
  metacov target list
  metacov target build sqlite@3.29.0
  metacov target build duckdb@2.0.0 --no-coverage
  ls $(metacov target path sqlite@3.29.0)";

/// List and build the libraries that metacov can generate pairs for.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// List all versions of all targets: embedded in metacov, built, or not built.
    List,
    /// Build a version, such as `sqlite@3.29.0`.
    ///
    /// SQLite's source comes from the cargo package that bundles it, DuckDB's from its Python packages. An interrupted build of many
    /// files goes on where it was.
    /// `metacov target list` shows all versions.
    Build {
        /// Target and version.
        #[arg(value_name = "TARGET@VERSION")]
        name: String,
        /// Without counters, for `--no-coverage` and `metacov replay`.
        ///
        /// A target that is released as a library (duckdb) is then fetched and not compiled.
        #[arg(long)]
        no_coverage: bool,
    },
    /// Print the folder of a target: its library, notes and source.
    Path {
        /// Target, and a version unless it is the default one.
        #[arg(value_name = "TARGET[@VERSION]")]
        name: String,
    },
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    match &args.action {
        Action::List => print(&target_versions(&list())?)?,
        Action::Build { name, no_coverage } => build(name, *no_coverage, console)?,
        Action::Path { name } => print(&format!("{}\n", list().find(name)?.1.folder.display()))?,
    }
    Ok(ExitCode::Success)
}

/// Builds a version, or fetches what was released of it.
pub fn build(name: &str, without_counters: bool, console: &Console) -> Result<(), RunError> {
    let (target, version) = list().parse(name)?;
    let build = if without_counters { Target::build_plain } else { Target::build };
    let artifact = with_progress(console, |options| build(target, version, options))?;
    let artifact = artifact.map_err(|error| build_error(name, error))?;
    console.note(&format!("{name} is in {}", artifact.folder.display()));
    Ok(())
}

/// A build fails because of its input, or because the cache is full.
fn build_error(name: &str, error: io::Error) -> RunError {
    let is_full = error.kind() == io::ErrorKind::StorageFull;
    let fault = Fault::Io(error);
    if is_full {
        let cache = cache();
        return RunError::Output(fault.of(format!("{name} to {}", cache.display())));
    }
    fault.of(name).into()
}

pub fn list() -> TargetList {
    TargetList { all: ALL, cache: cache() }
}

/// Returns the folder for what metacov compiles, which is created if it does not exist.
pub fn usable_cache() -> Result<PathBuf, RunError> {
    let cache = cache();
    let name = || format!("cache folder {} (METACOV_CACHE chooses another)", cache.display());
    fs::create_dir_all(&cache).map_err(|error| RunError::Output(Fault::Io(error).of(name())))?;
    Ok(cache)
}

/// Returns the engine of this name, and builds it if necessary.
pub fn engine_on_demand(name: &str, console: &Console) -> Result<Artifact, RunError> {
    let (target, version) = list().parse(name)?;
    let fault = |error| Fault::Io(error).of(name);
    let found = target.find(version, &cache()).map_err(fault)?;
    if let Some(found) = found.filter(|found| found.counting.is_some()) {
        return Ok(found);
    }
    console.note(&format!("building {name}"));
    with_progress(console, |options| target.build(version, options))?
        .map_err(|error| build_error(name, error))
}

/// Calls `build` with the user's compiler and cache. A build of many files shows how far it is.
pub fn with_progress<T>(
    console: &Console,
    build: impl FnOnce(&BuildOptions<'_>) -> T,
) -> Result<T, RunError> {
    let (compiler, cache) = (Language::C.compiler(), usable_cache()?);
    let bar = console.bar(FILES);
    let options = BuildOptions {
        compiler: &compiler,
        cache: &cache,
        progress: &|done, all| bar.set(done, all),
        warn: &|what| console.warning(what),
    };
    Ok(build(&options))
}
