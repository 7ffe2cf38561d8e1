//! The runtime that replaces libgcov in programs under test.
//!
//! **The key design decision of this crate**: the runtime is distributed as source, and compiled on
//! the machine where it is used, by the compiler of the program under test. Building a program with
//! coverage requires that compiler anyway, so no binary for each system and processor is needed.
//!
//! `README.md` draws the arena, in which programs leave their counters; this file has the same
//! offsets for its readers.

mod install;

use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use install::{install_folder, publish_folder};

/// The source of the runtime.
pub const SOURCE: &str = include_str!("metacov.c");

/// A linker script that puts counters on separate pages. For GNU ld and lld.
pub const LINKER_SCRIPT: &str = include_str!("metacov.ld");

/// The variable that holds the path of the arena.
pub const ARENA_VARIABLE: &str = "METACOV_COUNTERS";

/// The variable that makes a program fork for each input, before its constructors.
pub const SERVE_VARIABLE: &str = "METACOV_SERVE";

/// The variable with two limits for servers: how many milliseconds orphaned descendants of an
/// execution may keep running, and how many seconds of processor time an execution may take (0:
/// unlimited).
pub const LIMITS_VARIABLE: &str = "METACOV_LIMITS";

/// The variable with the placeholder of the input in the arguments of a program that forks for each
/// input. It is not set if the input is the standard input.
pub const INPUT_VARIABLE: &str = "METACOV_INPUT";

/// The variable with the file to which a server appends the standard output of its inputs. Without
/// it, the standard output is redirected to standard error.
pub const OUTPUT_VARIABLE: &str = "METACOV_OUTPUT";

/// The dynamic loader's variable that makes it look up all symbols at the start.
pub const BIND_NOW_VARIABLE: &str = "LD_BIND_NOW";

/// The value by which a server knows that metacov has set it. It then removes it from the
/// environment of its inputs.
pub const BIND_NOW_VALUE: &str = "metacov";

/// The first message of a server: it is ready, and this is its protocol version.
pub const READY: i32 = i32::from_le_bytes(*b"h5\0\0");

/// The first messages of earlier versions of the runtime.
pub const READY_BEFORE: [i32; 4] = [
    b'h' as i32,
    i32::from_le_bytes(*b"h2\0\0"),
    i32::from_le_bytes(*b"h3\0\0"),
    i32::from_le_bytes(*b"h4\0\0"),
];

/// The page size of the arena.
pub const PAGE_BYTES: usize = 4096;

/// The first bytes of an arena.
pub const MAGIC: u64 = 0x3176_6f63_6174_656d;

/// Options that keep gcc from optimising before it places its counters, which would merge and
/// delete lines. Everything after that is still optimised, so counters report the lines of -O0 at
/// nearly the speed of the chosen level.
pub const EXACT_LINES: [&str; 2] = ["-fdisable-tree-early_optimizations", "-fdisable-tree-einline"];

/// Options for libraries with counters.
pub const COUNTING_LEVEL: [&str; 3] = ["-O2", EXACT_LINES[0], EXACT_LINES[1]];

/// The same for libraries with many files, which compile in half the time at -O1.
pub const COUNTING_LEVEL_LARGE: [&str; 3] = ["-O1", EXACT_LINES[0], EXACT_LINES[1]];

/// A compiler, as `CC` names one: a program, and arguments that always come first (`ccache gcc`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Compiler(Vec<OsString>);

impl Compiler {
    /// Splits the text at spaces, as make does with `$(CC)`, unless the whole is a file.
    pub fn of(text: &OsStr) -> Self {
        if Path::new(text).is_file() {
            return Compiler(vec![text.to_owned()]);
        }
        let words = text.as_bytes().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        Compiler(words.map(|word| OsStr::from_bytes(word).to_owned()).collect())
    }

    /// Returns the program and its arguments.
    pub fn words(&self) -> &[OsString] {
        &self.0
    }

    /// Returns a command to which more arguments can be added.
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

    /// Returns the options with which this compiler compiles libraries with counters.
    pub fn counting_level(&self) -> &'static [&'static str] {
        if self.knows_exact_lines() { &COUNTING_LEVEL } else { &["-O0"] }
    }
}

/// A compiled runtime.
#[derive(Clone, Debug)]
pub struct Runtime {
    folder: PathBuf,
}

impl Runtime {
    /// Compiles the runtime into a separate folder below `cache`, unless it exists already.
    pub fn install(compiler: &Compiler, cache: &Path) -> io::Result<Self> {
        let mut hasher = DefaultHasher::new();
        (SOURCE, LINKER_SCRIPT, compiler).hash(&mut hasher);
        let folder = cache.join(format!("runtime-{:016x}", hasher.finish()));
        install_folder(&folder, |unfinished| Runtime::compile(compiler, unfinished))?;
        Ok(Runtime { folder })
    }

    /// Compiles the runtime into an existing folder.
    pub fn compile(compiler: &Compiler, folder: &Path) -> io::Result<()> {
        std::fs::write(folder.join("metacov.c"), SOURCE)?;
        std::fs::write(folder.join("metacov.ld"), LINKER_SCRIPT)?;
        let mut compile = compiler.command();
        compile.args(["-O2", "-fPIC", "-fvisibility=hidden", "-fno-lto", "-pthread", "-c"]);
        run(compile.args(["metacov.c", "-o", "metacov.o"]).current_dir(folder))?;
        run(Command::new("ar").args(["rcs", "libgcov.a", "metacov.o"]).current_dir(folder))
    }

    /// Returns the compiler options that add counters and link this runtime instead of libgcov.
    pub fn compile_flags(&self) -> Vec<OsString> {
        let mut search = OsString::from("-B");
        search.push(&self.folder);
        vec!["--coverage".into(), "-fdata-sections".into(), search]
    }

    /// Whether a compiler knows [`EXACT_LINES`]. The answer is stored beside the runtime;
    /// `on_missing` is called the first time if it is no.
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

    /// Returns the additional option for linking, which puts counters on separate pages.
    pub fn link_flag(&self) -> OsString {
        let mut script = OsString::from("-Wl,-T,");
        script.push(self.folder.join("metacov.ld"));
        script
    }
}

/// What programs say if the disk is full.
const FULL: &str = "No space left on device";

/// Runs a compiler or another program. The error contains its output; if the disk is full, one line of it.
pub fn run(command: &mut Command) -> io::Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(match said.lines().find(|line| line.contains(FULL)) {
        Some(line) => {
            io::Error::new(io::ErrorKind::StorageFull, format!("{name}: {}", line.trim()))
        }
        None => io::Error::other(format!("{name}: {}", said.trim())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_one_line() {
        let say = |text: &str| {
            run(Command::new("sh").args(["-c", "echo \"$0\" >&2; exit 1", text])).unwrap_err()
        };
        let full = say("tar: a: Cannot write: No space left on device\ntar: b: the same");
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);
        assert_eq!(full.to_string(), "sh: tar: a: Cannot write: No space left on device");
        assert_eq!(say("a.c:1: error\na.c:2: error").to_string(), "sh: a.c:1: error\na.c:2: error");
    }

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
