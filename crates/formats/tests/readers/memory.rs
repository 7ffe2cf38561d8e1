//! The memory that metacov's runtime would leave, built from the files that libgcov wrote.

use std::fs;
use std::path::{Path, PathBuf};

use metacov_formats::Snapshot;

/// Counters in memory.
#[derive(Clone, Default)]
pub struct Memory {
    pub layout: Vec<u8>,
    pub counters: Vec<u8>,
}

impl Memory {
    /// The counters of a program, from the `.gcda` files of its units, each with the path that it
    /// would be written to.
    pub fn of(units: &[(PathBuf, PathBuf)]) -> Self {
        let mut memory = Memory::default();
        for (file, path) in units {
            memory.add_unit(&fs::read(file).unwrap(), path);
        }
        memory
    }

    pub fn snapshot(&self) -> Snapshot<'_> {
        Snapshot { layout: self.layout.as_slice().into(), counters: &self.counters }
    }

    fn add_unit(&mut self, file: &[u8], path: &Path) {
        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        let (version, stamp) = (word(4), word(8));
        let since_12 = version >= u32::from_be_bytes(*b"B20*");
        let (unit, mut at) = if since_12 { (1, 16) } else { (4, 12) };
        let (mut functions, mut count) = (Vec::new(), 0u32);
        let mut key = None;
        while at + 8 <= file.len() && word(at) != 0 {
            let (tag, length) = (word(at), word(at + 4).cast_signed());
            let (bytes, payload) = (length.unsigned_abs() as usize * unit, at + 8);
            match (tag, &key) {
                (0x0100_0000, _) => {
                    key = (length > 0).then(|| file[payload..payload + 12].to_vec());
                }
                (0x01a1_0000, Some(key)) => {
                    // Irregular gaps, as a linker leaves them.
                    self.counters.resize(self.counters.len() + 8 * (count as usize % 3), 0xee);
                    functions.extend_from_slice(key);
                    functions.extend(u32::try_from(bytes / 8).unwrap().to_le_bytes());
                    functions.extend((self.counters.len() as u64).to_le_bytes());
                    count += 1;
                    if length < 0 {
                        self.counters.resize(self.counters.len() + bytes, 0);
                    } else {
                        self.counters.extend_from_slice(&file[payload..payload + bytes]);
                    }
                }
                _ => {}
            }
            at = payload + if length < 0 { 0 } else { bytes };
        }
        let path = path.to_str().unwrap().as_bytes();
        let path_bytes = u32::try_from(path.len()).unwrap();
        for word in [version, stamp, 0, path_bytes, count, 0] {
            self.layout.extend(word.to_le_bytes());
        }
        self.layout.extend(functions);
        self.layout.extend_from_slice(path);
        self.layout.resize(self.layout.len().next_multiple_of(8), 0);
    }
}
