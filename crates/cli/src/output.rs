//! Outputs that appear completely or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use metacov_formats::{Error, Fault};
use metacov_store::replace_file;

/// The destination of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Standard output.
    Stdout,
    /// A file. A name that ends in `.gz` or `.zst` is compressed.
    File(PathBuf),
}

impl Output {
    /// Returns the extension of the name, without that of the compression.
    pub fn extension(&self) -> Option<&str> {
        let Output::File(path) = self else { return None };
        let stem = match compression(path) {
            Some(_) => Path::new(path.file_stem()?),
            None => path,
        };
        stem.extension()?.to_str()
    }

    /// Whether the name ends with this, ignoring the extension of the compression: `badge.svg` is
    /// an ending of `our-badge.svg` and of `badge.svg`, and `svg` is one of both.
    pub fn ends_in(&self, ending: &str) -> bool {
        let Output::File(path) = self else { return false };
        let name = match compression(path) {
            Some(_) => path.file_stem(),
            None => path.file_name(),
        };
        let Some(name) = name.and_then(|name| name.to_str()) else { return false };
        if ending.contains('.') {
            name.ends_with(ending)
        } else {
            Path::new(name).extension().is_some_and(|extension| extension == ending)
        }
    }

    /// Returns the name that the user gave.
    pub fn name(&self) -> String {
        match self {
            Output::Stdout => "standard output".to_owned(),
            Output::File(path) => path.display().to_string(),
        }
    }
}

/// Lets `write` fill an output. A file is replaced as a whole, so that a crash, a full disk or an
/// error leaves the old one.
pub fn write_whole(
    output: &Output,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let result = match output {
        Output::Stdout => {
            let mut out = BufWriter::new(io::stdout().lock());
            write(&mut out).and_then(|()| out.flush())
        }
        // Pipes and devices are written to directly, whatever their name.
        Output::File(path) => match compression(path).filter(|_| !is_special(path)) {
            Some("gz") => replace_file(path, |out| {
                let mut encoder = GzEncoder::new(out, Compression::default());
                write(&mut encoder)?;
                encoder.finish().map(drop)
            }),
            Some(_) => replace_file(path, |out| {
                let mut encoder = zstd::Encoder::new(out, 0)?;
                write(&mut encoder)?;
                encoder.finish().map(drop)
            }),
            None => replace_file(path, write),
        },
    };
    result.map_err(|error| Fault::Io(error).of(output.name()))
}

fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

fn compression(path: &Path) -> Option<&str> {
    path.extension()?.to_str().filter(|extension| ["gz", "zst"].contains(extension))
}
