//! What kind of ELF file a program is.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

const TYPE_SHARED: u16 = 3;
const SEGMENT_DYNAMIC: u32 = 2;
const SEGMENT_INTERPRETER: u32 = 3;
const TAG_FLAGS_1: u64 = 0x6fff_fffb;
const FLAG_PROGRAM: u64 = 0x0800_0000;

/// Whether a file is a shared library and no program. Both have the type "shared object" if the program is
/// position-independent; a program has an interpreter, or, if it is linked statically, a flag.
pub(super) fn is_shared_library(path: &Path) -> bool {
    File::open(path).ok().and_then(|file| is_library(&file)).unwrap_or(false)
}

/// None of a file that is not of a known form. Numbers are those of 64-bit little-endian files.
fn is_library(file: &File) -> Option<bool> {
    let header: [u8; 64] = bytes(file, 0)?;
    if !header.starts_with(b"\x7fELF\x02\x01") || short(&header, 16)? != TYPE_SHARED {
        return Some(false);
    }
    let (start, size) = (long(&header, 32)?, u64::from(short(&header, 54)?));
    for at in 0..u64::from(short(&header, 56)?) {
        let segment: [u8; 56] = bytes(file, start.checked_add(at * size)?)?;
        let kind = u32::from_le_bytes(segment[..4].try_into().ok()?);
        if kind == SEGMENT_INTERPRETER {
            return Some(false);
        }
        if kind == SEGMENT_DYNAMIC
            && is_marked_program(file, long(&segment, 8)?, long(&segment, 32)?)?
        {
            return Some(false);
        }
    }
    Some(true)
}

fn is_marked_program(file: &File, start: u64, size: u64) -> Option<bool> {
    for at in (0..size.min(1 << 16)).step_by(16) {
        let entry: [u8; 16] = bytes(file, start.checked_add(at)?)?;
        if long(&entry, 0)? == TAG_FLAGS_1 {
            return Some(long(&entry, 8)? & FLAG_PROGRAM != 0);
        }
    }
    Some(false)
}

fn bytes<const SIZE: usize>(file: &File, at: u64) -> Option<[u8; SIZE]> {
    let mut bytes = [0; SIZE];
    file.read_exact_at(&mut bytes, at).ok()?;
    Some(bytes)
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn libraries_and_programs_of_all_kinds_are_distinguished() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("main.c");
        std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
        let kinds = [
            (&["-shared", "-fPIC"][..], true),
            (&["-pie", "-fPIE"], false),
            (&["-no-pie"], false),
            (&["-static-pie", "-fPIE"], false),
        ];
        for (at, (flags, is_library)) in kinds.into_iter().enumerate() {
            let output = folder.path().join(at.to_string());
            let done = Command::new("gcc").args(flags).arg(&source).arg("-o").arg(&output).status();
            assert!(done.unwrap().success(), "{flags:?}");
            assert_eq!(is_shared_library(&output), is_library, "{flags:?}");
        }
        for text in ["", "#!/bin/sh\n", "\x7fELF"] {
            std::fs::write(&source, text).unwrap();
            assert!(!is_shared_library(&source), "{text:?}");
        }
    }
}
