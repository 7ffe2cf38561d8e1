//! Outputs that appear completely or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use metacov_formats::{Fault, WRITERS, Writer};
use metacov_run::RunError;
use metacov_store::replace_file;

use crate::{Annotations, Badge, Csv, CurvePlot, Junit, Markdown};

/// The destination of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Standard output.
    Stdout,
    /// A file. A name that ends in `.gz` or `.zst` is compressed.
    File(PathBuf),
}

impl Output {
    /// The file at a path; `-` is standard output.
    pub fn of(path: &Path) -> Self {
        if path.as_os_str() == "-" { Output::Stdout } else { Output::File(path.to_owned()) }
    }

    /// Returns the format that the ending of the name stands for: of several, that with the longest ending.
    pub fn writer(&self) -> Option<&'static dyn Writer> {
        let endings = writers().filter_map(|writer| {
            let endings = writer.extensions().iter().filter(|of| self.ends_in(of));
            Some((endings.map(|ending| ending.len()).max()?, writer))
        });
        endings.max_by_key(|(length, _)| *length).map(|(_, writer)| writer)
    }

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
    fn ends_in(&self, ending: &str) -> bool {
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
) -> Result<(), RunError> {
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
    result.map_err(|error| RunError::Output(Fault::Io(error).of(output.name())))
}

/// Writes a text to an output.
pub fn write_text(output: &Output, text: &str) -> Result<(), RunError> {
    write_whole(output, |out| out.write_all(text.as_bytes()))
}

/// All formats that can be written: coverage files and reports.
pub fn writers() -> impl Iterator<Item = &'static dyn Writer> {
    let for_people: [&dyn Writer; 6] = [&Markdown, &Csv, &CurvePlot, &Badge, &Annotations, &Junit];
    WRITERS.iter().copied().chain(for_people)
}

fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

fn compression(path: &Path) -> Option<&str> {
    path.extension()?.to_str().filter(|extension| ["gz", "zst"].contains(extension))
}
