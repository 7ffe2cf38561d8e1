//! What identifies the code that a command runs.
//!
//! A build is the code and data that a program loads, not its file: gcc stamps each unit with the time at which it was
//! compiled, and a program that is built again from the same source is the same program. So the hash is of the sections
//! that are loaded, without these stamps.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use metacov_core::{CodeFile, Fingerprint};

/// Files beyond this size are not programs.
const FILE_BYTES_MAX: u64 = 4 << 30;

/// How many libraries of libraries are followed.
const LIBRARIES_MAX: usize = 1000;

/// The files whose code a command runs: those with counters, and scripts. Other programs, such as a shell, are tools.
///
/// `program` is the file of the first word. Libraries are found as far as the program or `LD_LIBRARY_PATH` says where
/// they are.
pub fn code_files(program: Option<&Path>, command: &[OsString]) -> Vec<CodeFile> {
    let mut files: Vec<CodeFile> = Vec::new();
    let mut paths: Vec<PathBuf> = program.into_iter().map(Path::to_owned).collect();
    paths.extend(command.iter().skip(1).map(PathBuf::from).filter(|path| is_executable(path)));
    let mut next = 0;
    while let Some(path) = paths.get(next).cloned() {
        next += 1;
        let Some(bytes) = read(&path) else { continue };
        let name = path.display().to_string();
        match Elf::of(&bytes) {
            None => {
                let mut fingerprint = Fingerprint::new();
                fingerprint.bytes(&bytes);
                files.push(CodeFile {
                    name,
                    hash: fingerprint.hash(),
                    compiler: None,
                    flags: None,
                });
            }
            Some(elf) => {
                let (hash, has_counters) = elf.hash();
                if has_counters {
                    let (compiler, flags) = (elf.compiler(), elf.flags());
                    files.push(CodeFile { name, hash, compiler, flags });
                }
                for library in elf.libraries(&path) {
                    if paths.len() < LIBRARIES_MAX && !paths.contains(&library) {
                        paths.push(library);
                    }
                }
            }
        }
    }
    files
}

fn is_executable(path: &Path) -> bool {
    let metadata = std::fs::metadata(path);
    metadata.is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let metadata = std::fs::metadata(path).ok()?;
    let is_readable = metadata.is_file() && metadata.len() <= FILE_BYTES_MAX;
    is_readable.then(|| std::fs::read(path).ok()).flatten()
}

/// An ELF file with 64 bits, little-endian: its sections.
struct Elf<'e> {
    bytes: &'e [u8],
    sections: Vec<Section<'e>>,
}

struct Section<'e> {
    name: &'e [u8],
    kind: u32,
    flags: u64,
    content: &'e [u8],
}

/// Types of sections.
const PROGBITS: u32 = 1;
const NOBITS: u32 = 8;
/// Flags of sections: what is written to, and what is loaded.
const WRITE: u64 = 1;
const ALLOC: u64 = 2;
/// Entries of `.dynamic`.
const NEEDED: u64 = 1;
const RPATH: u64 = 15;
const RUNPATH: u64 = 29;

impl<'e> Elf<'e> {
    fn of(bytes: &'e [u8]) -> Option<Self> {
        if !bytes.starts_with(b"\x7fELF\x02\x01") {
            return None;
        }
        let start = usize::try_from(word(bytes, 0x28)?).ok()?;
        let [size, count, names] = [0x3a, 0x3c, 0x3e].map(|at| {
            bytes.get(at..at + 2).map_or(0, |two| usize::from(u16::from_le_bytes([two[0], two[1]])))
        });
        let header = |at: usize| bytes.get(start.checked_add(at.checked_mul(size)?)?..);
        let content = |header: &[u8]| {
            let kind = half(header, 4)?;
            let (from, length) = (word(header, 0x18)?, word(header, 0x20)?);
            let (from, length) = (usize::try_from(from).ok()?, usize::try_from(length).ok()?);
            if kind == NOBITS {
                Some(&bytes[..0])
            } else {
                bytes.get(from..from.checked_add(length)?)
            }
        };
        let names = header(names).and_then(content).unwrap_or_default();
        let section = |at: usize| {
            let header = header(at)?;
            let name = usize::try_from(half(header, 0)?).ok()?;
            Some(Section {
                name: string(names, name),
                kind: half(header, 4)?,
                flags: word(header, 8)?,
                content: content(header)?,
            })
        };
        Some(Elf { bytes, sections: (0..count).filter_map(section).collect() })
    }

    /// The hash of what is loaded, and whether it has counters.
    fn hash(&self) -> (u64, bool) {
        let mut fingerprint = Fingerprint::new();
        let mut has_counters = false;
        let is_loaded =
            |section: &&Section<'_>| section.kind == PROGBITS && section.flags & ALLOC != 0;
        for section in self.sections.iter().filter(is_loaded) {
            fingerprint.bytes(section.name);
            fingerprint.bytes(&(section.content.len() as u64).to_le_bytes());
            let mut from = 0;
            if section.flags & WRITE != 0 {
                for at in stamps(section.content) {
                    has_counters = true;
                    fingerprint.bytes(&section.content[from..at]);
                    from = at + 4;
                }
            }
            fingerprint.bytes(&section.content[from..]);
        }
        if self.sections.is_empty() {
            fingerprint.bytes(self.bytes);
        }
        (fingerprint.hash(), has_counters)
    }

    /// What the compiler has signed the file with.
    fn compiler(&self) -> Option<String> {
        let comment = self.section(b".comment")?;
        comment.split(|byte| *byte == 0).find(|text| !text.is_empty()).map(text)
    }

    /// The compiler's options, as the debugger or `.GCC.command.line` has them.
    fn flags(&self) -> Option<String> {
        let recorded = self.section(b".GCC.command.line").unwrap_or_default();
        let recorded = recorded.split(|byte| *byte == 0).find(|text| !text.is_empty());
        let debugged = || {
            let mut strings = self.section(b".debug_str")?.split(|byte| *byte == 0);
            strings.find(|text| text.starts_with(b"GNU C"))
        };
        let line = text(recorded.or_else(debugged)?);
        let flags = line.split_once(" -").map(|(_, flags)| format!("-{flags}"));
        Some(flags.unwrap_or(line))
    }

    /// The libraries that it needs, where it says where they are.
    fn libraries(&self, path: &Path) -> Vec<PathBuf> {
        let (Some(entries), Some(names)) = (self.section(b".dynamic"), self.section(b".dynstr"))
        else {
            return Vec::new();
        };
        let entries = entries.chunks_exact(16).map(|entry| {
            let name = word(entry, 8).and_then(|at| usize::try_from(at).ok());
            (word(entry, 0), text(string(names, name.unwrap_or(usize::MAX))))
        });
        let entries: Vec<(Option<u64>, String)> = entries.collect();
        let all =
            |tag: u64| entries.iter().filter(move |(of, _)| *of == Some(tag)).map(|(_, name)| name);
        let origin = path.parent().map_or(String::new(), |folder| folder.display().to_string());
        let origin = if origin.is_empty() { ".".to_owned() } else { origin };
        let folders = all(RPATH).chain(all(RUNPATH)).flat_map(|folders| folders.split(':'));
        let mut folders: Vec<PathBuf> = folders
            .filter(|folder| !folder.is_empty())
            .map(|folder| folder.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin).into())
            .collect();
        let more = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        folders
            .extend(std::env::split_paths(&more).filter(|folder| !folder.as_os_str().is_empty()));
        let found = all(NEEDED).filter_map(|name| {
            if name.contains('/') {
                return Some(PathBuf::from(name));
            }
            folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
        });
        found.collect()
    }

    fn section(&self, name: &[u8]) -> Option<&'e [u8]> {
        self.sections.iter().find(|section| section.name == name).map(|section| section.content)
    }
}

/// Where the stamps of gcc's units are in data: `gcov_info` is a version such as `B22*`, a pointer that is still zero, and
/// the stamp.
fn stamps(data: &[u8]) -> impl Iterator<Item = usize> {
    let is_unit = |at: &usize| {
        let Some(start) = data.get(*at..*at + 24) else { return false };
        let is_version = matches!(
            start[..4],
            [b'*' | b'R' | b'e' | b'p', b'0'..=b'9', b'0'..=b'9', b'A'..=b'Z']
        );
        is_version && start[4..16].iter().all(|byte| *byte == 0)
    };
    (0..data.len()).step_by(8).filter(is_unit).map(|at| at + 16)
}

fn half(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

/// The bytes up to the next zero.
fn string(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.split(|byte| *byte == 0).next().unwrap_or_default()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn compile(folder: &Path, source: &str, args: &[&str]) {
        std::fs::write(folder.join("x.c"), source).unwrap();
        let mut gcc = Command::new("gcc");
        let status = gcc.current_dir(folder).args(["--coverage", "x.c"]).args(args).status();
        assert!(status.unwrap().success());
    }

    fn hashes(folder: &Path, command: &[&str]) -> Vec<(String, u64)> {
        let command: Vec<OsString> = command.iter().map(|word| folder.join(word).into()).collect();
        let program = command.first().map(PathBuf::from);
        let files = code_files(program.as_deref(), &command);
        let name =
            |name: String| Path::new(&name).file_name().unwrap().to_string_lossy().into_owned();
        files.into_iter().map(|file| (name(file.name), file.hash)).collect()
    }

    const SOURCE: &str = "int limit = 5; int main(int count, char **words) { return count > 5; }";

    #[test]
    fn a_program_is_the_same_until_its_code_or_data_changes() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let build = |source: &str| {
            compile(folder, source, &["-g", "-O1", "-o", "x"]);
            (std::fs::read(folder.join("x")).unwrap(), hashes(folder, &["x"]))
        };
        let (first, hash) = build(SOURCE);
        assert_eq!(hash.len(), 1);
        std::thread::sleep(std::time::Duration::from_millis(20));
        let (again, same) = build(SOURCE);
        assert!(first != again, "gcc stamps each build");
        assert_eq!(same, hash);
        assert_ne!(build(&SOURCE.replace("> 5", "> 7")).1, hash);
        assert_ne!(build(&SOURCE.replace("= 5", "= 7")).1, hash);
    }

    #[test]
    fn libraries_scripts_and_tools_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        compile(folder, "int f(void) { return 1; }", &["-shared", "-fPIC", "-o", "libx.so"]);
        compile(
            folder,
            "int f(void); int main(void) { return f(); }",
            &["-o", "x", "-L.", "-lx", "-Wl,-rpath,$ORIGIN"],
        );
        let names = |words: &[&str]| {
            hashes(folder, words).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(&["x"]), ["x", "libx.so"]);
        assert_eq!(names(&["/bin/sh", "x"]), ["x", "libx.so"], "a shell has no counters");
        std::fs::write(folder.join("script"), "#!/bin/sh\n./x\n").unwrap();
        assert_eq!(names(&["script"]), ["script"]);
        assert_eq!(names(&["none"]), [""; 0]);
    }

    #[test]
    fn the_compiler_and_its_flags_are_found() {
        let folder = tempfile::tempdir().unwrap();
        compile(folder.path(), SOURCE, &["-g", "-O1", "-o", "x"]);
        let file = &code_files(Some(&folder.path().join("x")), &[])[0];
        assert!(file.compiler.as_deref().unwrap().starts_with("GCC: "), "{file:?}");
        assert!(file.flags.as_deref().unwrap().contains("-O1"), "{file:?}");
    }

    #[test]
    fn damaged_files_are_hashed_too() {
        let folder = tempfile::tempdir().unwrap();
        compile(folder.path(), SOURCE, &["-o", "x"]);
        let whole = std::fs::read(folder.path().join("x")).unwrap();
        for length in (0..whole.len()).step_by(97) {
            let elf = Elf::of(&whole[..length]);
            let _ = elf.map(|elf| {
                (elf.hash(), elf.flags(), elf.compiler(), elf.libraries(Path::new("x")))
            });
        }
        for at in (0..whole.len()).step_by(31) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            let elf = Elf::of(&bytes);
            let _ = elf.map(|elf| {
                (elf.hash(), elf.flags(), elf.compiler(), elf.libraries(Path::new("x")))
            });
        }
    }
}
