//! What stands in for libgcov in programs under test, and what it leaves behind.
//!
//! **The key design decision of this crate**: the runtime travels as its source and is compiled on
//! the machine that it is used on, by the compiler that it is used with. Whoever builds a program
//! with coverage has that compiler; nobody needs a binary for each system and processor.
//!
//! `README.md` draws the arena, in which programs leave their counters; this file has the same
//! offsets for those who read it.

mod install;

use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use install::install_folder;

/// The runtime.
pub const SOURCE: &str = include_str!("metacov.c");

/// Gives counters pages of their own. For GNU ld and lld.
pub const LINKER_SCRIPT: &str = include_str!("metacov.ld");

/// Where a program finds the arena.
pub const ARENA_VARIABLE: &str = "METACOV_COUNTERS";

/// Tells a program to fork for each input, before its own constructors.
pub const SERVE_VARIABLE: &str = "METACOV_SERVE";

/// Two numbers for who serves: for how many milliseconds what an execution leaves behind may go on,
/// and how many seconds of processor time an execution may take (0: as many as it likes).
pub const LIMITS_VARIABLE: &str = "METACOV_LIMITS";

/// The path that stands for the input in the arguments of a program that forks for each input; not
/// set if the input is its standard input.
pub const INPUT_VARIABLE: &str = "METACOV_INPUT";

/// What a process that serves says first: that it is ready, and by which rules it serves.
pub const READY: i32 = i32::from_le_bytes(*b"h3\0\0");

/// What earlier versions of the runtime said.
pub const READY_BEFORE: [i32; 2] = [b'h' as i32, i32::from_le_bytes(*b"h2\0\0")];

/// Pages of the arena.
pub const PAGE_BYTES: usize = 4096;

/// What an arena starts with.
pub const MAGIC: u64 = 0x3176_6f63_6174_656d;

/// Keep gcc from optimising before it places its counters, which merges and deletes lines. All that comes after the counters
/// is still optimised, so code counts the lines of -O0 at nearly the speed of its own level.
pub const EXACT_LINES: [&str; 2] = ["-fdisable-tree-early_optimizations", "-fdisable-tree-einline"];

/// What libraries that count are compiled with. They run as fast as at -O2, and compile in half the time.
pub const COUNTING_LEVEL: [&str; 3] = ["-O1", EXACT_LINES[0], EXACT_LINES[1]];

/// A compiler, as `CC` names one: a program, and arguments that always come first (`ccache gcc`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Compiler(Vec<OsString>);

impl Compiler {
    /// Splits at spaces, as make does with `$(CC)`, unless the whole is a file.
    pub fn of(text: &OsStr) -> Self {
        if Path::new(text).is_file() {
            return Compiler(vec![text.to_owned()]);
        }
        let words = text.as_bytes().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        Compiler(words.map(|word| OsStr::from_bytes(word).to_owned()).collect())
    }

    /// The program and its arguments.
    pub fn words(&self) -> &[OsString] {
        &self.0
    }

    /// A command to which more arguments can be added.
    pub fn command(&self) -> Command {
        let mut words = self.0.iter();
        let mut command = Command::new(words.next().map_or(OsStr::new(""), OsString::as_os_str));
        command.args(words);
        command
    }

    /// Whether the compiler knows [`EXACT_LINES`]: gcc does, others do not.
    pub fn knows_exact_lines(&self) -> bool {
        let mut command = self.command();
        command.args(EXACT_LINES).args(["-O1", "-x", "c", "-S", "/dev/null", "-o", "/dev/null"]);
        command.output().is_ok_and(|output| output.status.success())
    }

    /// What libraries that count are compiled with by this compiler.
    pub fn counting_level(&self) -> &'static [&'static str] {
        if self.knows_exact_lines() { &COUNTING_LEVEL } else { &["-O0"] }
    }
}

/// A runtime that is ready for use.
#[derive(Clone, Debug)]
pub struct Runtime {
    folder: PathBuf,
}

impl Runtime {
    /// Compiles the runtime into a folder of its own below `cache`, unless it is there already.
    pub fn install(compiler: &Compiler, cache: &Path) -> io::Result<Self> {
        let mut hasher = DefaultHasher::new();
        (SOURCE, LINKER_SCRIPT, compiler).hash(&mut hasher);
        let folder = cache.join(format!("runtime-{:016x}", hasher.finish()));
        install_folder(&folder, |unfinished| Runtime::compile(compiler, unfinished))?;
        Ok(Runtime { folder })
    }

    /// Compiles the runtime into a folder that is there.
    pub fn compile(compiler: &Compiler, folder: &Path) -> io::Result<()> {
        std::fs::write(folder.join("metacov.c"), SOURCE)?;
        std::fs::write(folder.join("metacov.ld"), LINKER_SCRIPT)?;
        let mut compile = compiler.command();
        compile.args(["-O2", "-fPIC", "-fvisibility=hidden", "-fno-lto", "-pthread", "-c"]);
        run(compile.args(["metacov.c", "-o", "metacov.o"]).current_dir(folder))?;
        run(Command::new("ar").args(["rcs", "libgcov.a", "metacov.o"]).current_dir(folder))
    }

    /// What a compiler has to be told: to count, and to link this instead of libgcov.
    pub fn compile_flags(&self) -> Vec<OsString> {
        let mut search = OsString::from("-B");
        search.push(&self.folder);
        vec!["--coverage".into(), "-fdata-sections".into(), search]
    }

    /// Whether a compiler knows [`EXACT_LINES`]; asked once, and kept beside the runtime. `on_missing` is called the first
    /// time if it does not.
    pub fn knows_exact_lines(
        &self,
        compiler: &Compiler,
        on_missing: impl FnOnce(),
    ) -> io::Result<bool> {
        let mut hasher = DefaultHasher::new();
        compiler.hash(&mut hasher);
        let name = |knows: bool| {
            let knows = if knows { "exact" } else { "unknown" };
            self.folder.join(format!("lines-{knows}-{:016x}", hasher.finish()))
        };
        for knows in [true, false] {
            if name(knows).is_file() {
                return Ok(knows);
            }
        }
        let knows = compiler.knows_exact_lines();
        if !knows {
            on_missing();
        }
        std::fs::write(name(knows), "")?;
        Ok(knows)
    }

    /// What a compiler that links has to be told besides: to give counters pages of their own.
    pub fn link_flag(&self) -> OsString {
        let mut script = OsString::from("-Wl,-T,");
        script.push(self.folder.join("metacov.ld"));
        script
    }
}

/// Runs a compiler. An error has what it said.
pub fn run(command: &mut Command) -> io::Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(io::Error::other(format!("{name}: {said}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_may_have_several_words() {
        let words = |text: &str| Compiler::of(text.as_ref()).0;
        assert_eq!(words("gcc"), ["gcc"]);
        assert_eq!(words(" ccache  gcc-12 "), ["ccache", "gcc-12"]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my gcc");
        std::fs::write(&path, "").unwrap();
        assert_eq!(words(path.to_str().unwrap()), [path.as_os_str()]);
    }
}
