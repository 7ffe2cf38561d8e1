//! Makes the library of a Python package loadable without Python.
//!
//! Such a library refers to functions and variables of the interpreter, and the loader refuses it
//! if they are missing. If the references are weak, missing ones are null instead. DuckDB's C
//! interface uses none of them.

const MAGIC: &[u8] = b"\x7fELF\x02\x01";
/// The type of the section of dynamic symbols.
const DYNAMIC_SYMBOLS: u32 = 11;
const SYMBOL_BYTES: usize = 24;
const GLOBAL: u8 = 1;
const WEAK: u8 = 2;

/// Makes all references to symbols of Python weak, and returns their number. None if the file is no
/// library of a known form.
pub(super) fn weaken_python(library: &mut [u8]) -> Option<usize> {
    if !library.starts_with(MAGIC) {
        return None;
    }
    let sections = place(library, 40, 8)?;
    let (size, count) = (place(library, 58, 2)?, place(library, 60, 2)?);
    let section = |number: usize| sections.checked_add(number.checked_mul(size)?);
    let mut weakened = 0;
    for number in 0..count {
        let header = section(number)?;
        if place(library, header.checked_add(4)?, 4)? != DYNAMIC_SYMBOLS as usize {
            continue;
        }
        let (start, bytes) = (place(library, header + 24, 8)?, place(library, header + 32, 8)?);
        let names = place(library, section(place(library, header + 40, 4)?)?.checked_add(24)?, 8)?;
        for at in (0..bytes).step_by(SYMBOL_BYTES) {
            let symbol = start.checked_add(at)?;
            let is_defined = place(library, symbol.checked_add(6)?, 2)? != 0;
            let name = library.get(names.checked_add(place(library, symbol, 4)?)?..)?;
            let is_python = name.starts_with(b"Py") || name.starts_with(b"_Py");
            let info = library.get_mut(symbol + 4)?;
            if !is_defined && is_python && *info >> 4 == GLOBAL {
                *info = WEAK << 4 | *info & 0xf;
                weakened += 1;
            }
        }
    }
    Some(weakened)
}

/// A number of the file, as a place in it.
fn place(library: &[u8], at: usize, bytes: usize) -> Option<usize> {
    let number = library.get(at..at.checked_add(bytes)?)?;
    number
        .iter()
        .rev()
        .try_fold(0_usize, |sum, byte| Some(sum.checked_mul(256)? + usize::from(*byte)))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_library_loads_without_the_symbols_of_python() {
        let folder = tempfile::tempdir().unwrap();
        let source = "extern int PyVariable, PyFunction(void); int *at = &PyVariable;\n\
                      int used(void) { return at ? PyFunction() : 42; }\n";
        std::fs::write(folder.path().join("module.c"), source).unwrap();
        let mut gcc = Command::new("gcc");
        gcc.args(["-shared", "-fPIC", "module.c", "-o", "module.so"]).current_dir(folder.path());
        assert!(gcc.status().unwrap().success());
        let path = folder.path().join("module.so");
        let mut library = std::fs::read(&path).unwrap();
        let original = library.clone();
        assert_eq!(weaken_python(&mut library), Some(2));
        assert_eq!(weaken_python(&mut library), Some(0));
        std::fs::write(&path, &library).unwrap();
        #[expect(unsafe_code, reason = "the library that was compiled above")]
        // SAFETY: the function has this type.
        unsafe {
            let library = libloading::Library::new(&path).unwrap();
            let used: libloading::Symbol<'_, unsafe extern "C" fn() -> i32> =
                library.get(b"used\0").unwrap();
            assert_eq!(used(), 42);
        }
        for length in (0..original.len()).step_by(61) {
            let _ = weaken_python(&mut original[..length].to_vec());
        }
    }
}
