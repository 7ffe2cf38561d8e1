//! Outputs appear whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use metacov_formats::{Error, Fault};

/// Where an output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// To standard output.
    Stdout,
    /// To a file. A name that ends in `.gz` or `.zst` is compressed.
    File(PathBuf),
}

impl Output {
    /// The ending of the name, without the one that stands for compression.
    pub fn extension(&self) -> Option<&str> {
        let Output::File(path) = self else { return None };
        let stem = match compression(path) {
            Some(_) => Path::new(path.file_stem()?),
            None => path,
        };
        stem.extension()?.to_str()
    }

    /// Whether the name ends so, but for what stands for compression: `badge.svg` is an ending of
    /// `our-badge.svg` and of `badge.svg`, and `svg` is one of both.
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

    /// What the user calls it.
    pub fn name(&self) -> String {
        match self {
            Output::Stdout => "standard output".to_owned(),
            Output::File(path) => path.display().to_string(),
        }
    }
}

/// Lets `write` fill an output. A file is filled under another name and then takes its place, so
/// that a crash, a full disk or an error leaves what was there before.
pub fn write_whole(
    output: &Output,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let result = match output {
        Output::Stdout => {
            let mut out = BufWriter::new(io::stdout().lock());
            write(&mut out).and_then(|()| out.flush())
        }
        Output::File(path) if is_special(path) => {
            let mut out =
                BufWriter::new(std::fs::File::create(path).map_err(|error| fault(output, error))?);
            write(&mut out).and_then(|()| out.flush())
        }
        Output::File(path) => replace(path, write),
    };
    result.map_err(|error| fault(output, error))
}

fn fault(output: &Output, error: io::Error) -> Error {
    Fault::Io(error).of(output.name())
}

/// A pipe or a device, which cannot be replaced.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A link stays a link: what it points to is replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".metacov-");
    #[cfg(unix)]
    builder.permissions(permissions(&target));
    let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    match compression(path) {
        Some("gz") => {
            let mut encoder = GzEncoder::new(&mut out, Compression::default());
            write(&mut encoder)?;
            encoder.finish()?;
        }
        Some(_) => {
            let mut encoder = zstd::Encoder::new(&mut out, 0)?;
            write(&mut encoder)?;
            encoder.finish()?;
        }
        None => write(&mut out)?,
    }
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// Those of the file that is replaced, or those that any new file has.
#[cfg(unix)]
fn permissions(target: &Path) -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    let new = std::fs::Permissions::from_mode(0o666);
    std::fs::metadata(target).map_or(new, |metadata| metadata.permissions())
}

fn compression(path: &Path) -> Option<&str> {
    path.extension()?.to_str().filter(|extension| ["gz", "zst"].contains(extension))
}
