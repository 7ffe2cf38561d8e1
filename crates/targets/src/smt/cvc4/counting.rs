//! CVC4 as a library with counters, compiled from the source package of Debian or Ubuntu.
//!
//! `cmake` configures it and generates a part of its source. Files and compiler options are taken from
//! its list of commands; its makefiles compile nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_exec::{Artifact, BuildOptions};
use metacov_runtime::{Compiler, run};

use crate::cache;
use crate::cc::Language;
use crate::cmake::Commands;
use crate::debian;
use crate::project::{self, Level, Project};

/// The library in its folder.
const LIBRARY: &str = "libcvc4.so";

/// The folder of the source.
const SOURCE: &str = "cvc4";

/// The file that says that all source files are generated.
const CONFIGURED: &str = "configured";

/// Options of `cmake`. Without CLN, numbers are those of GMP: less to install, and the same answers.
const CONFIGURE: &[&str] = &[
    "-DCMAKE_BUILD_TYPE=Production",
    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
    "-DENABLE_UNIT_TESTING=OFF",
    "-DUSE_CLN=0",
];

/// Texts that the package's own rules define: when it was built.
const DEFINITIONS: &[&str] = &[r#"-DDEB_BUILD_DATE="""#, r#"-DDEB_BUILD_TIME="""#];

/// What generates source files, in the makefiles of `cmake`.
const GENERATED: &[&str] =
    &["gen-expr", "gen-gitinfo", "gen-options", "gen-tags", "gen-theory", "gen-tokens"];

/// The grammars of the parsers, which antlr3 translates.
const GRAMMARS: &[(&str, &str)] = &[("cvc", "Cvc.g"), ("smt2", "Smt2.g"), ("tptp", "Tptp.g")];

/// Linker options.
const LINK: &[&str] = &["-Wl,--no-undefined", "-lantlr3c", "-lgmpxx", "-lgmp", "-lpthread"];

/// What has to be installed.
#[derive(Clone, Copy)]
enum Need {
    Program(&'static str),
    Header(&'static str),
}

/// What the build needs besides compilers, and the package of Debian that has it.
const NEEDS: &[(Need, &str)] = &[
    (Need::Program("antlr3"), "antlr3"),
    (Need::Program("cmake"), "cmake"),
    (Need::Program("make"), "make"),
    (Need::Program("patch"), "patch"),
    (Need::Header("antlr3.h"), "libantlr3c-dev"),
    (Need::Header("gmpxx.h"), "libgmp-dev"),
];

/// The module of Python that the generators import, and its package.
const PYTHON_MODULE: (&str, &str) = ("toml", "python3-toml");

/// Interpreters to look for it in: the module of the system may not be there for another Python.
const PYTHONS: [&str; 2] = ["python3", "/usr/bin/python3"];

/// Finds a library that was compiled before. `plain` is the program without counters.
pub(super) fn find(version: &str, cache: &Path, plain: &Path) -> io::Result<Option<Artifact>> {
    project::find(place(version, cache), LIBRARY, plain)
}

/// Fetches and compiles it, or goes on where an earlier call was interrupted.
pub(super) fn build(version: &str, build: &BuildOptions<'_>) -> io::Result<()> {
    let folder = place(version, build.cache);
    if folder.is_dir() {
        return Ok(());
    }
    let compiler = &Language::Cpp.compiler();
    let python = check(compiler, NEEDS, PYTHON_MODULE)?;
    cache::install_resumable(&folder, |folder| {
        // Relative to this folder, which CMake names by its real path.
        let folder = &folder.canonicalize()?;
        if !folder.join(SOURCE).is_dir() {
            fetch(folder)?;
        }
        if !folder.join(CONFIGURED).is_file() {
            configure(folder, &python)?;
        }
        compile(compiler, LINK, build, folder)
    })
}

/// Compiles what is generated and listed.
fn compile(
    compiler: &Compiler,
    links: &[&str],
    build: &BuildOptions<'_>,
    folder: &Path,
) -> io::Result<()> {
    let Commands { files, mut options } = commands(folder)?;
    options.extend(DEFINITIONS.iter().map(ToString::to_string));
    let (level, library) = (Level::AfterCounters, LIBRARY);
    Project { compiler, files, options, level, links, library, plain_library: None }
        .compile(build, folder)?;
    cache::write_compiled_in(folder)
}

/// The folder of a version. Its name depends on how the version is built.
fn place(version: &str, cache: &Path) -> PathBuf {
    project::place("cvc4", version, (CONFIGURE, DEFINITIONS, LINK), cache)
}

/// Returns a Python that has the module. The error names the packages that are not installed.
fn check(
    compiler: &Compiler,
    needs: &[(Need, &'static str)],
    (module, package): (&str, &'static str),
) -> io::Result<PathBuf> {
    let is_missing = |need: Need| match need {
        Need::Program(name) => {
            let path = std::env::var_os("PATH").unwrap_or_default();
            !std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
        }
        Need::Header(name) => {
            let mut command = compiler.command();
            command.args(["-E", "-x", "c++", "-include", name, "/dev/null", "-o", "/dev/null"]);
            run(&mut command).is_err()
        }
    };
    let mut missing: Vec<&str> =
        needs.iter().filter(|(need, _)| is_missing(*need)).map(|(_, package)| *package).collect();
    let has_module =
        |python: &&str| run(Command::new(python).args(["-c", &format!("import {module}")])).is_ok();
    let python = PYTHONS.iter().find(|python| has_module(python));
    if python.is_none() {
        missing.push(package);
    }
    match python {
        Some(python) if missing.is_empty() => real_path(python),
        _ => {
            let what = format!(
                "what its build needs is not installed: apt-get install {} (--no-coverage needs none of it)",
                missing.join(" ")
            );
            Err(io::Error::new(io::ErrorKind::NotFound, what))
        }
    }
}

/// The path of an interpreter, which `cmake` wants.
fn real_path(python: &str) -> io::Result<PathBuf> {
    let output = Command::new(python).args(["-c", "import sys; print(sys.executable)"]).output()?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// Fetches the source. Its folder appears complete or not at all.
fn fetch(folder: &Path) -> io::Result<()> {
    let work = tempfile::tempdir_in(folder)?;
    let source = work.path().join("source");
    fs::create_dir(&source)?;
    debian::fetch("cvc4", work.path())?.unpack(&source)?;
    fs::rename(source, folder.join(SOURCE))
}

/// Lets the package generate all source files, and list how they are compiled.
fn configure(folder: &Path, python: &Path) -> io::Result<()> {
    let source = folder.join(SOURCE);
    let mut cmake = Command::new("cmake");
    cmake.arg("-S").arg(&source).arg("-B").arg(source.join("build")).args(CONFIGURE);
    run(cmake.arg(format!("-DPYTHON_EXECUTABLE={}", python.display())))?;
    let mut generate = Command::new("cmake");
    generate.args(["--build", "build", "--target"]).args(GENERATED).current_dir(&source);
    run(&mut generate)?;
    for (language, grammar) in GRAMMARS {
        let mut antlr = Command::new("antlr3");
        antlr.arg(format!("src/parser/{language}/{grammar}"));
        antlr.arg("-fo").arg(format!("build/src/parser/{language}"));
        run(antlr.current_dir(&source))?;
    }
    fs::write(folder.join(CONFIGURED), "")
}

/// The files and their options, which differ only in definitions that say which of CVC4's libraries a
/// file is in.
fn commands(folder: &Path) -> io::Result<Commands> {
    Commands::read(&folder.join(SOURCE).join("build/compile_commands.json"), folder, |_| true)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn compiler(name: &str) -> Compiler {
        Compiler::of(name.as_ref())
    }

    #[test]
    fn what_is_not_installed_is_named() {
        let needs = [
            (Need::Program("no-such-program"), "package-one"),
            (Need::Program("sh"), "dash"),
            (Need::Header("no/such/header.h"), "package-two"),
            (Need::Header("stdio.h"), "libc6-dev"),
        ];
        let error =
            check(&compiler("g++"), &needs, ("no_such_module", "package-three")).unwrap_err();
        let said = "apt-get install package-one package-two package-three (";
        assert!(error.to_string().contains(said), "{error}");
        assert!(check(&compiler("g++"), &needs[1..2], ("os", "python3")).unwrap().is_absolute());
    }

    /// A package that is configured, with a file that does not compile at first.
    #[test]
    fn what_cmake_lists_is_compiled_and_not_compiled_again() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().canonicalize().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.join(SOURCE).join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let source = folder.join(SOURCE).display().to_string();
        let entry = |language: &str, file: &str| {
            let words = format!("{language} -DANSWER=3 -I{source}/src -O3 -Wall -fPIC");
            let command = format!("{words} -o x.o -c {source}/{file}");
            format!(r#"{{"directory": "", "command": "{command}", "file": "{source}/{file}"}}"#)
        };
        let entries = [
            entry("c++ -std=c++11", "src/main.cpp"),
            entry("c++ -std=c++11 -DTWICE", "src/main.cpp"),
            entry("cc -std=gnu99", "build/src/parser.c"),
        ];
        write("build/compile_commands.json", &format!("[{}]", entries.join(",")));
        write("src/answer.h", "int answer();\n");
        write("build/src/parser.c", "#include \"answer.h\"\nint answer() { return ANSWER; }\n");
        write("src/main.cpp", "not C++\n");
        let steps = Mutex::new(Vec::new());
        let options = BuildOptions {
            compiler: &compiler("gcc"),
            cache: cache.path(),
            progress: &|done, all| steps.lock().unwrap().push((done, all)),
            warn: &|_| {},
        };
        let error = compile(&compiler("g++"), &[], &options, &folder).unwrap_err().to_string();
        assert!(error.contains("cvc4/src/main.cpp: g++: "), "{error}");
        write("build/src/parser.c", "not compiled again\n");
        write("src/main.cpp", "#include \"answer.h\"\nint main() { return answer(); }\n");
        steps.lock().unwrap().clear();
        compile(&compiler("g++"), &[], &options, &folder).unwrap();
        assert_eq!(*steps.lock().unwrap(), [(1, 2), (2, 2)]);
        let library = crate::smt::library::SolverLibrary::load(&folder.join(LIBRARY), "main");
        assert_eq!(library.unwrap().main(&["cvc4".into()]), 3);
        let commands = super::commands(&folder).unwrap();
        assert_eq!(commands.files, ["cvc4/build/src/parser.c", "cvc4/src/main.cpp"]);
        let options = ["-std=c++11", "-DANSWER=3", "-Icvc4/src", "-DTWICE"];
        assert_eq!(commands.options, options);
    }

    /// The real package, without most of the compilation: all files are there, and those of each of its
    /// parts compile.
    #[test]
    #[ignore = "fetches CVC4's source and generates its parsers: cargo test -p metacov-targets cvc4 -- --ignored"]
    fn the_source_package_is_configured() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().canonicalize().unwrap();
        let python = check(&compiler("g++"), NEEDS, PYTHON_MODULE).unwrap();
        fetch(&folder).unwrap();
        configure(&folder, &python).unwrap();
        let Commands { files, options } = super::commands(&folder).unwrap();
        assert_eq!(files.len(), 473);
        let missing: Vec<&String> =
            files.iter().filter(|file| !folder.join(file).is_file()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let some = ["src/lib/ffs.c", "src/main/main.cpp", "build/src/expr/kind.cpp"];
        let some = some.map(|file| format!("{SOURCE}/{file}"));
        assert!(some.iter().all(|file| files.contains(file)), "{files:?}");
        let build = BuildOptions {
            compiler: &compiler("gcc"),
            cache: cache.path(),
            progress: &|_, _| {},
            warn: &|_| {},
        };
        let project = Project {
            compiler: &compiler("g++"),
            files: some.to_vec(),
            options,
            level: Level::AfterCounters,
            links: &[],
            library: LIBRARY,
            plain_library: None,
        };
        project.compile(&build, &folder).unwrap();
        assert!(folder.join("cvc4-src-main-main.cpp.gcno").is_file());
    }
}
