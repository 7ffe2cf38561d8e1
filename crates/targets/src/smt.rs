//! SMT solvers: Z3 and CVC4 as they were released, Z3, CVC4 and Boolector with counters, and any solver
//! that is installed.

mod answers;
mod boolector;
mod cvc4;
mod expressions;
mod library;
pub mod seeds;
mod session;
mod z3;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use metacov_core::Method;
use metacov_exec::{Artifact, BuildOptions, OpenOptions, Session, Target};

use library::SolverLibrary;
use session::{Executor, SessionSolver, SolverSession, TestEffort};

/// Fetches or compiles a version into the cache.
type Provide = fn(&str, &BuildOptions<'_>) -> io::Result<()>;

/// Compiles a version with mutants, and returns its library.
type Mutate = fn(&str, &BuildOptions<'_>) -> io::Result<PathBuf>;

/// A solver.
pub(crate) struct Solver {
    name: &'static str,
    versions: &'static [&'static str],
    /// The arguments of its program, before the script.
    arguments: &'static [&'static str],
    /// The logics that it decides; empty for all that tests are generated in.
    logics: &'static [&'static str],
    find: fn(&str, &Path) -> io::Result<Option<Artifact>>,
    /// Whether it is released as a program.
    is_released: bool,
    /// Provides it without counters.
    install: Provide,
    /// Compiles it with counters.
    compile: Provide,
    /// Compiles its library with mutants, if that is possible.
    mutate: Option<Mutate>,
    /// Its function that is called like `main`, if it is a library.
    main: Option<&'static str>,
}

/// Z3.
pub(crate) const Z3: Solver = Solver {
    name: "z3",
    versions: z3::VERSIONS,
    arguments: &["-smt2"],
    logics: &[],
    find: z3::find,
    is_released: true,
    install: z3::install,
    compile: z3::compile,
    mutate: None,
    main: Some("main"),
};

/// CVC4.
pub(crate) const CVC4: Solver = Solver {
    name: "cvc4",
    versions: cvc4::VERSIONS,
    arguments: &["--lang", "smt2", "--strings-exp"],
    // Debian's build of it ends with an error on floating-point numbers.
    logics: &[
        "ALL",
        "AUFLIA",
        "LIA",
        "LRA",
        "NIA",
        "NRA",
        "QF_ABV",
        "QF_AUFBV",
        "QF_AUFLIA",
        "QF_BV",
        "QF_LIA",
        "QF_LRA",
        "QF_NIA",
        "QF_NRA",
        "QF_S",
        "QF_SLIA",
        "QF_UF",
        "QF_UFBV",
        "QF_UFLIA",
        "QF_UFLRA",
        "UF",
        "UFLIA",
    ],
    find: cvc4::find,
    is_released: true,
    install: cvc4::install,
    compile: cvc4::compile,
    mutate: None,
    main: Some("main"),
};

/// Boolector.
pub(crate) const BOOLECTOR: Solver = Solver {
    name: "boolector",
    versions: boolector::VERSIONS,
    arguments: &["--smt2"],
    logics: &["QF_BV", "QF_ABV", "QF_UFBV", "QF_AUFBV"],
    find: boolector::find,
    is_released: false,
    install: boolector::compile,
    compile: boolector::compile,
    mutate: Some(boolector::build_mutants),
    main: Some("boolector_main"),
};

/// Any solver, by its command.
pub(crate) const INSTALLED: Solver = Solver {
    name: "smt",
    versions: &["installed"],
    arguments: &[],
    logics: &[],
    find: |_, _| Ok(None),
    is_released: false,
    install: name_an_installed_solver,
    compile: name_an_installed_solver,
    mutate: None,
    main: None,
};

fn name_an_installed_solver(_: &str, _: &BuildOptions<'_>) -> io::Result<()> {
    let what = "name an installed solver instead: --command 'z3 -smt2 @@'";
    Err(io::Error::new(io::ErrorKind::Unsupported, what))
}

impl Solver {
    fn check_version(&self, version: &str) -> io::Result<()> {
        if self.versions.contains(&version) {
            return Ok(());
        }
        let what = "no such version: metacov target list shows all versions";
        Err(io::Error::new(io::ErrorKind::NotFound, what))
    }

    fn found(&self, version: &str, cache: &Path) -> io::Result<Artifact> {
        self.find(version, cache)?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn program(&self, file: &Path, options: &OpenOptions<'_>) -> Executor {
        let command = self.command(file, options);
        Executor::Program { command, environment: libraries_of(file) }
    }

    /// The name of the program and its arguments, for an opened file.
    fn command(&self, program: &Path, options: &OpenOptions<'_>) -> Vec<OsString> {
        let given = options.arguments.map(|words| words.iter().map(OsString::from).collect());
        let usual = || self.arguments.iter().map(OsString::from).collect();
        let arguments: Vec<OsString> = given.unwrap_or_else(usual);
        std::iter::once(program.into()).chain(arguments).collect()
    }
}

impl Target for Solver {
    fn name(&self) -> &'static str {
        self.name
    }

    fn method(&self) -> &'static dyn Method {
        metacov_methods::SMT
    }

    fn default_version(&self) -> &'static str {
        self.versions.last().copied().unwrap_or_default()
    }

    fn versions(&self) -> Vec<&'static str> {
        self.versions.to_vec()
    }

    fn limits_time(&self) -> bool {
        true
    }

    fn compares(&self) -> bool {
        true
    }

    fn has_seeds(&self) -> bool {
        true
    }

    fn find(&self, version: &str, cache: &Path) -> io::Result<Option<Artifact>> {
        (self.find)(version, cache)
    }

    fn build(&self, version: &str, options: &BuildOptions<'_>) -> io::Result<Artifact> {
        self.check_version(version)?;
        (self.compile)(version, options)?;
        self.found(version, options.cache)
    }

    fn build_plain(&self, version: &str, options: &BuildOptions<'_>) -> io::Result<Artifact> {
        self.check_version(version)?;
        (self.install)(version, options)?;
        self.found(version, options.cache)
    }

    fn is_released(&self) -> bool {
        self.is_released
    }

    fn build_mutants(&self, version: &str, options: &BuildOptions<'_>) -> io::Result<PathBuf> {
        self.check_version(version)?;
        let Some(mutate) = self.mutate else {
            let what = "it cannot be built with mutants";
            return Err(io::Error::new(io::ErrorKind::Unsupported, what));
        };
        mutate(version, options)
    }

    fn open(&self, file: &Path, options: &OpenOptions<'_>) -> io::Result<Box<dyn Session>> {
        let is_library = file.extension() == Some(OsStr::new("so"));
        let executor = match self.main.filter(|_| is_library) {
            Some(main) => {
                Executor::Library(SolverLibrary::load(file, main)?, self.command(file, options))
            }
            None => self.program(file, options),
        };
        let of_target = |name: &str| name.split('@').next().unwrap_or_default().to_owned();
        let own = options.compared.first().map(|(name, _)| name.clone()).unwrap_or_default();
        let mut solvers =
            vec![SessionSolver { name: own, executor, effort: TestEffort::default() }];
        for (name, file) in options.compared.iter().skip(1) {
            let solver = [Z3, CVC4, BOOLECTOR].into_iter().find(|it| it.name == of_target(name));
            let is_program = file.extension() != Some(OsStr::new("so"));
            let Some(solver) = solver.filter(|_| is_program) else {
                let what = format!("{name} cannot be compared with another solver");
                return Err(io::Error::new(io::ErrorKind::Unsupported, what));
            };
            let executor = solver.program(file, &OpenOptions { arguments: None, ..*options });
            let (name, effort) = (name.clone(), TestEffort::default());
            solvers.push(SessionSolver { name, executor, effort });
        }
        Ok(Box::new(SolverSession::new(self.name, self.logics, solvers, options)?))
    }
}

/// The variable that makes a program of an unpacked package find its libraries.
fn libraries_of(program: &Path) -> Vec<(OsString, OsString)> {
    let folder = format!("lib/{}-linux-gnu", std::env::consts::ARCH);
    let libraries = program.parent().and_then(Path::parent).map(|above| above.join(folder));
    let libraries = libraries.filter(|folder| folder.is_dir());
    libraries.map(|folder| ("LD_LIBRARY_PATH".into(), folder.into())).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use metacov_runtime::Compiler;

    use super::*;

    #[test]
    fn versions_are_sorted() {
        let numbers = |text: &str| -> Vec<u32> {
            text.split('.').map(|number| number.parse().unwrap()).collect()
        };
        for solver in [Z3, CVC4, BOOLECTOR] {
            assert!(solver.versions.windows(2).all(|pair| numbers(pair[0]) < numbers(pair[1])));
        }
    }

    #[test]
    fn a_release_that_is_not_there_is_an_error() {
        let (cache, compiler) = (tempfile::tempdir().unwrap(), Compiler::of("gcc".as_ref()));
        let options = BuildOptions {
            compiler: &compiler,
            cache: cache.path(),
            progress: &|_, _| {},
            warn: &|_| {},
        };
        for solver in [Z3, CVC4, BOOLECTOR] {
            let (name, cache) = (solver.name, cache.path());
            assert!(solver.find(solver.default_version(), cache).unwrap().is_none(), "{name}");
            let error = solver.build_plain("0.0.1", &options).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound, "{name}");
        }
        let error = INSTALLED.build("installed", &options).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
        std::fs::create_dir(cache.path().join("z3-4.8.6-release")).unwrap();
        let error = Z3.find("4.8.6", cache.path()).unwrap_err().to_string();
        assert!(error.contains("remove the folder"), "{error}");
    }

    #[test]
    fn arguments_of_the_user_replace_the_usual_ones() {
        let words = ["-in".to_owned()];
        let mut options = OpenOptions {
            is_measured: false,
            steps_max: 0,
            time_max: std::time::Duration::MAX,
            arguments: None,
            seeds: None,
            compared: &[],
        };
        assert_eq!(Z3.command(Path::new("/z3"), &options), ["/z3", "-smt2"]);
        options.arguments = Some(&words);
        assert_eq!(Z3.command(Path::new("/z3"), &options), ["/z3", "-in"]);
    }
}
