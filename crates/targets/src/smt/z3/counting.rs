//! Z3 as a library with counters, compiled from the source package of a release.
//!
//! The script of the package that writes Z3's makefile also generates a part of its source. Files and
//! compiler options are taken from what it writes; the makefile itself is not used.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_exec::{Artifact, BuildOptions};
use metacov_runtime::run;

use super::PACKAGE;
use crate::cache;
use crate::cc::Language;
use crate::project::{self, Level, Project};
use crate::sdist;

/// Versions whose source packages compile with today's g++.
pub(super) const VERSIONS: &[&str] = &["4.8.6"];

/// The library in its folder.
const LIBRARY: &str = "libz3.so";

/// A header that is included first in each file: Z3 hides all symbols, and `main` is needed.
const HEADER: (&str, &str) =
    ("main.h", "int main(int, char **) __attribute__((visibility(\"default\")));\n");

/// Linker options.
const LINK: &[&str] = &["-Wl,--no-undefined", "-lpthread"];

/// Folders that the script reads and that newer packages lack.
const EXAMPLES: &[&str] =
    &["c++", "c", "maxsat", "tptp", "java", "dotnet", "ml", "python", "userPropagator"];

/// Sources in the makefile that the program does not have: its tests, and a second copy of generated
/// files for the shared library.
const LEFT_OUT: [&str; 2] = ["test/", "api/dll/"];

/// Finds a library that was compiled before. `plain` is the program without counters.
pub(super) fn find(version: &str, cache: &Path, plain: &Path) -> io::Result<Option<Artifact>> {
    project::find(place(version, cache), LIBRARY, plain)
}

/// Fetches and compiles a version, or goes on where an earlier call was interrupted.
pub(super) fn build(version: &str, build: &BuildOptions<'_>) -> io::Result<()> {
    if !VERSIONS.contains(&version) {
        let what = format!(
            "it cannot be built with counters ({} can): --no-coverage fetches the release",
            VERSIONS.join(", ")
        );
        return Err(io::Error::new(io::ErrorKind::Unsupported, what));
    }
    cache::install_resumable(&place(version, build.cache), |folder| {
        sdist::fetch(PACKAGE, &format!("{version}.0"), folder)?;
        fs::write(folder.join(HEADER.0), HEADER.1)?;
        let compiler = &Language::Cpp.compiler();
        let Makefile { files, mut options } = Makefile::write(folder)?;
        options.extend(["-Icore/src", "-include", HEADER.0].map(str::to_owned));
        let (level, links, library) = (Level::AfterCounters, LINK, LIBRARY);
        Project { compiler, files, options, level, links, library, plain_library: None }
            .compile(build, folder)?;
        cache::write_compiled_in(folder)
    })
}

/// The folder of a version. Its name depends on how the version is built.
fn place(version: &str, cache: &Path) -> PathBuf {
    project::place("z3", version, (HEADER, LINK), cache)
}

/// What Z3's makefile says.
#[derive(Debug, PartialEq, Eq)]
struct Makefile {
    /// The source files, relative to the folder of the package.
    files: Vec<String>,
    /// The compiler options, without the level of optimisation.
    options: Vec<String>,
}

impl Makefile {
    /// Lets the package in a folder write its makefile, and reads it.
    fn write(folder: &Path) -> io::Result<Self> {
        let core = folder.join("core");
        for example in EXAMPLES {
            fs::create_dir_all(core.join("examples").join(example))?;
        }
        let mut script = Command::new("python3");
        script.args(["scripts/mk_make.py", "--staticbin"]).current_dir(&core);
        run(script.env("PYTHONDONTWRITEBYTECODE", "1"))?;
        let read = |name: &str| {
            let path = core.join("build").join(name);
            fs::read_to_string(&path).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })
        };
        let found = Makefile::of(&read("Makefile")?, &read("config.mk")?);
        found.ok_or_else(|| io::Error::other("the makefile of Z3 has no list of source files"))
    }

    fn of(makefile: &str, config: &str) -> Option<Self> {
        let compiles = makefile.lines().filter(|line| line.contains("$(CXX_OUT_FLAG)"));
        let source = |line: &str| {
            let file = line.split(' ').next_back()?.strip_prefix("../src/")?;
            let is_left_out = LEFT_OUT.iter().any(|folder| file.starts_with(folder));
            (!is_left_out).then(|| format!("core/src/{file}"))
        };
        let mut files: Vec<String> = compiles.filter_map(source).collect();
        files.sort();
        files.dedup();
        let options = config.lines().find_map(|line| line.strip_prefix("CXXFLAGS="))?;
        let is_kept = |word: &&str| *word != "-c" && !word.starts_with("-O");
        let options = options.split_whitespace().filter(is_kept).map(str::to_owned).collect();
        (!files.is_empty()).then_some(Makefile { files, options })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A package whose script writes what that of Z3 writes.
    #[test]
    fn a_package_is_configured_and_compiled() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache::unfinished(&place("4.8.6", cache.path()));
        let script = r#"
import os
assert os.path.isdir("examples/c++")
os.makedirs("build", exist_ok=True)
with open("src/answer.cpp", "w") as file:
    file.write("const char *answer() { return \"sat\\n\"; }\n")
with open("build/config.mk", "w") as file:
    file.write("CXXFLAGS= -DNDEBUG -fvisibility=hidden -c -O3 -fPIC\n")
with open("build/Makefile", "w") as file:
    for name in ["shell/main", "answer", "test/other"]:
        file.write("\t@$(CXX) $(CXXFLAGS) $(CXX_OUT_FLAG)%s$(OBJ_EXT) ../src/%s.cpp\n" % (name, name))
"#;
        let main = "#include \"answer.h\"\n#include <cstdio>\n\
                    int main(int, char **) { std::fputs(answer(), stdout); return 0; }\n";
        for (name, text) in [
            (sdist::UNPACKED, ""),
            ("core/scripts/mk_make.py", script),
            ("core/src/answer.h", "const char *answer();\n"),
            ("core/src/shell/main.cpp", main),
        ] {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let steps = std::sync::Mutex::new(Vec::new());
        let options = BuildOptions {
            compiler: &metacov_runtime::Compiler::of("gcc".as_ref()),
            cache: cache.path(),
            progress: &|done, all| steps.lock().unwrap().push((done, all)),
            warn: &|_| {},
        };
        let plain = Path::new("z3");
        assert!(find("4.8.6", cache.path(), plain).unwrap().is_none());
        build("4.8.6", &options).unwrap();
        assert_eq!(steps.lock().unwrap().last(), Some(&(2, 2)));
        let artifact = find("4.8.6", cache.path(), plain).unwrap().unwrap();
        assert!(artifact.folder.join("core-src-shell-main.cpp.gcno").is_file());
        let library = artifact.counting.unwrap();
        let library = crate::smt::library::SolverLibrary::load(&library, "main").unwrap();
        assert_eq!(library.main(&["z3".into()]), 0);

        let error = build("4.8.5", &options).unwrap_err().to_string();
        assert!(error.contains("4.8.6 can"), "{error}");
    }

    #[test]
    fn files_and_options_are_those_of_the_makefile() {
        let makefile = "smt/b$(OBJ_EXT): ../src/smt/b.cpp util/a.h.node\n\
            \t@$(CXX) $(CXXFLAGS) $(includes_1) $(CXX_OUT_FLAG)smt/b$(OBJ_EXT) ../src/smt/b.cpp\n\
            \t@$(CXX) $(CXXFLAGS) $(includes_0) $(CXX_OUT_FLAG)api/a$(OBJ_EXT) ../src/api/a.cpp\n\
            \t@$(CXX) $(CXXFLAGS) $(includes_2) $(CXX_OUT_FLAG)test/c$(OBJ_EXT) ../src/test/c.cpp\n\
            \t@$(CXX) $(CXXFLAGS) $(includes_3) $(CXX_OUT_FLAG)d$(OBJ_EXT) ../src/api/dll/d.cpp\n\
            \t$(CXX) $(LINK_FLAGS) $(CXX_OUT_FLAG)cpp_example$(OBJ_EXT) ../examples/c++/example.cpp\n";
        let config = "CXX=g++\nCXXFLAGS= -DNDEBUG -std=c++11 -c -msse2 -O3 -fPIC\nCFLAGS= -O3\n";
        let found = Makefile::of(makefile, config).unwrap();
        assert_eq!(found.files, ["core/src/api/a.cpp", "core/src/smt/b.cpp"]);
        assert_eq!(found.options, ["-DNDEBUG", "-std=c++11", "-msse2", "-fPIC"]);
        assert_eq!(Makefile::of("", config), None);
        assert_eq!(Makefile::of(makefile, ""), None);
    }
}
