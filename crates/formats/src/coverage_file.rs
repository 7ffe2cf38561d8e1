//! Opening a coverage file: decompression, and its first bytes for format detection.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use crate::Fault;

/// How much of a file is used to detect its format. Some producers write the name of the format
/// last, so it must hold a few whole records.
const HEAD_BYTES: usize = 64 << 10;

/// Decompressed sizes up to this are not checked against [`BOMB_RATIO`].
const BOMB_BYTES: u64 = 64 << 20;

/// Past [`BOMB_BYTES`], how many times its size a compressed file may decompress to. Reports of
/// code that never ran compress 50-fold; gzip's limit is about 1000-fold.
const BOMB_RATIO: u64 = 300;

/// The decompressed content of one coverage file.
pub struct CoverageFile {
    /// Where it comes from, if not from memory.
    path: Option<PathBuf>,
    compressed: bool,
    head: Vec<u8>,
    served: usize,
    rest: Box<dyn Read + Send>,
}

impl CoverageFile {
    /// Opens a file, compressed or not.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            let what = "a directory, not a file";
            return Err(io::Error::new(io::ErrorKind::IsADirectory, what).into());
        }
        let input = CoverageFile::from_reader(Box::new(file))?;
        Ok(CoverageFile { path: Some(path.to_owned()), ..input })
    }

    /// Takes the content from memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Fault> {
        CoverageFile::from_reader(Box::new(io::Cursor::new(bytes)))
    }

    fn from_reader(mut raw: Box<dyn Read + Send>) -> Result<Self, Fault> {
        let mut magic = Vec::new();
        raw.by_ref().take(4).read_to_end(&mut magic)?;
        let compressed = matches!(magic[..], [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd]);
        let is_gzip = magic.first() == Some(&0x1f);
        let raw = io::Cursor::new(magic).chain(raw);
        let mut rest: Box<dyn Read + Send> = if compressed {
            let taken = Arc::new(AtomicU64::new(0));
            let raw = BufReader::new(Counted { inner: raw, count: taken.clone() });
            let inner: Box<dyn Read + Send> = if is_gzip {
                Box::new(MultiGzDecoder::new(raw))
            } else {
                Box::new(zstd::Decoder::with_buffer(raw)?)
            };
            Box::new(Bounded { inner, taken, given: 0 })
        } else {
            Box::new(raw)
        };
        let mut head = Vec::new();
        rest.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head)?;
        // PowerShell writes a byte order mark when it redirects text. No format needs it.
        if head.starts_with(b"\xef\xbb\xbf") {
            head.drain(..3);
        }
        if head.is_empty() {
            return Err(Fault::Empty);
        }
        Ok(CoverageFile { path: None, compressed, head, served: 0, rest })
    }

    /// The first bytes of the content, for detecting its format.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Where it comes from, if not from memory.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The file itself, if there is one and it is not compressed.
    pub fn plain_path(&self) -> Option<&Path> {
        self.path().filter(|path| !self.compressed && path.is_file())
    }
}

impl Read for CoverageFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.served < self.head.len() {
            let count = (&self.head[self.served..]).read(buffer)?;
            self.served += count;
            return Ok(count);
        }
        self.rest.read(buffer)
    }
}

/// Counts the bytes that are read.
struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Ends the decompression of a file that exceeds [`BOMB_RATIO`].
struct Bounded {
    inner: Box<dyn Read + Send>,
    taken: Arc<AtomicU64>,
    given: u64,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.given += count as u64;
        if self.given > BOMB_BYTES && self.given / BOMB_RATIO > self.taken.load(Ordering::Relaxed) {
            let what = format!("it decompresses to more than {BOMB_RATIO} times its size");
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(count)
    }
}
