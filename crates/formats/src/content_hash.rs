//! Whether a coverage file is the one that was read before.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use metacov_core::Fingerprint;

use crate::FileSpec;
use crate::gcov::counters_below;

/// How much is read at once.
const BUFFER_BYTES: usize = 64 << 10;

/// The number of bytes of a file, or of all counters in a folder, and a hash of them.
///
/// None for a part of a file, which other parts may be added to, for what can be read only once, and for what cannot be
/// read at all.
pub fn content_hash(spec: &FileSpec) -> Option<(u64, u64)> {
    let metadata = std::fs::metadata(&spec.path).ok()?;
    let mut hash = Fingerprint::new();
    if spec.context.is_some() {
        return None;
    }
    let bytes = if metadata.is_file() {
        take(&spec.path, &mut hash).ok()?
    } else if metadata.is_dir() {
        let mut bytes = 0;
        for path in counters_below(&spec.path) {
            hash.text(&path.strip_prefix(&spec.path).unwrap_or(&path).to_string_lossy());
            bytes += take(&path, &mut hash).ok()?;
        }
        bytes
    } else {
        return None;
    };
    Some((bytes, hash.hash()))
}

/// Takes in a file.
fn take(path: &Path, hash: &mut Fingerprint) -> io::Result<u64> {
    let (mut file, mut buffer) = (File::open(path)?, vec![0; BUFFER_BYTES]);
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(bytes),
            count => {
                hash.bytes(&buffer[..count]);
                bytes += count as u64;
            }
        }
    }
}
