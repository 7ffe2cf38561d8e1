//! A calculator: the example of `docs/adding-a-target.md`. Version 1.0 has a bug.

mod session;

use std::io;
use std::path::{Path, PathBuf};

use metacov_core::{Fingerprint, Method};
use metacov_exec::{Artifact, BuildOptions, OpenOptions, Session, Target};

use crate::builder::Source;
use crate::{cache, mutated};
use session::CalculatorSession;

const SOURCE: &str = include_str!("calculator/calculator.c");

/// Versions, oldest first, and the options that each is compiled with.
const VERSIONS: &[(&str, &str)] =
    &[("1.0", "-DCALCULATOR_VERSION=10"), ("1.1", "-DCALCULATOR_VERSION=11")];

/// A calculator for integers.
pub(crate) struct Calculator;

impl Target for Calculator {
    fn name(&self) -> &'static str {
        "calculator"
    }

    fn method(&self) -> &'static dyn Method {
        metacov_methods::CALCULATOR
    }

    fn default_version(&self) -> &'static str {
        "1.1"
    }

    fn versions(&self) -> Vec<&'static str> {
        VERSIONS.iter().map(|(version, _)| *version).collect()
    }

    fn find(&self, version: &str, cache: &Path) -> io::Result<Option<Artifact>> {
        cache::find(folder(version, cache), &source(&[]))
    }

    fn build(&self, version: &str, options: &BuildOptions<'_>) -> io::Result<Artifact> {
        let Some((_, option)) = VERSIONS.iter().find(|(known, _)| *known == version) else {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "no such version: metacov target list shows all versions",
            ));
        };
        cache::install(&folder(version, options.cache), |folder| {
            std::fs::write(folder.join("calculator.c"), SOURCE)?;
            source(&[option]).compile(options.compiler, folder)?;
            cache::write_compiled_in(folder)
        })?;
        self.find(version, options.cache)?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn build_mutants(&self, version: &str, options: &BuildOptions<'_>) -> io::Result<PathBuf> {
        let artifact = self.build(version, options)?;
        let words: Vec<&str> =
            VERSIONS.iter().filter(|known| known.0 == version).map(|known| known.1).collect();
        mutated::build(&source(&words), version, &artifact.folder, options)
    }

    fn open(&self, library: &Path, options: &OpenOptions<'_>) -> io::Result<Box<dyn Session>> {
        Ok(Box::new(CalculatorSession::open(library, options)?))
    }
}

fn source<'s>(options: &'s [&'s str]) -> Source<'s> {
    let (library, plain_library) = ("libcalculator.so", "libcalculator-plain.so");
    Source { name: "calculator", library, plain_library, options }
}

/// The folder of a version. Its name depends on the source and on the runtime.
fn folder(version: &str, cache: &Path) -> PathBuf {
    let mut fingerprint = Fingerprint::new();
    let level = metacov_runtime::COUNTING_LEVEL.join(" ");
    for text in [SOURCE, &level, metacov_runtime::SOURCE, metacov_runtime::LINKER_SCRIPT] {
        fingerprint.text(text);
    }
    cache.join(format!("calculator-{version}-{:016x}", fingerprint.hash()))
}
