//! A state of an engine to come back to: its memory, as it was.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, RawFd};

use rustix::io::fcntl_dupfd_cloexec;

use super::heap;
use super::image::Image;
use crate::servant::OWN_DESCRIPTORS;

/// A state of an engine that is loaded in this process.
pub struct State {
    parts: Vec<Part>,
    /// Descriptors from here on were not open, but for those of our own.
    descriptors: RawFd,
}

/// A stretch of memory, and what was in it.
struct Part {
    start: *mut u8,
    bytes: Vec<u8>,
}

impl State {
    /// The state that the engine is in now.
    pub(super) fn of(image: &Image) -> io::Result<Self> {
        let variables = image.variables()?.into_iter();
        let variables = variables.map(|part| (part.start as *mut u8, part.len()));
        let heap = heap::used().map(|(start, bytes)| (start.as_ptr(), bytes));
        let parts = variables.chain(heap).map(|(start, bytes)| Part::of(start, bytes)).collect();
        Ok(State { parts, descriptors: descriptors()? })
    }

    /// Has the engine be in that state again. What it has opened since then is closed; what it has
    /// done to files stays.
    #[expect(unsafe_code, reason = "descriptors that nobody has any more")]
    pub fn restore(&self) {
        for part in &self.parts {
            part.restore();
        }
        // SAFETY: whoever had these has just forgotten them.
        unsafe { libc::syscall(libc::SYS_close_range, self.descriptors, OWN_DESCRIPTORS - 1, 0) };
    }
}

impl Part {
    #[expect(unsafe_code, reason = "memory of the engine, which does not run")]
    fn of(start: *mut u8, bytes: usize) -> Self {
        // SAFETY: memory that the engine may write, and that nobody writes now.
        let bytes = unsafe { std::slice::from_raw_parts(start, bytes) }.to_vec();
        Part { start, bytes }
    }

    #[expect(unsafe_code, reason = "memory of the engine, which does not run")]
    fn restore(&self) {
        // SAFETY: as above; the copy is our own.
        unsafe { self.bytes.as_ptr().copy_to_nonoverlapping(self.start, self.bytes.len()) };
    }
}

/// The first descriptor that is free, after all that are not: gaps between them are filled.
fn descriptors() -> io::Result<RawFd> {
    let mut last = 0;
    for entry in fs::read_dir("/proc/self/fd")? {
        let number = entry?.file_name().to_str().and_then(|name| name.parse::<RawFd>().ok());
        last = last.max(number.filter(|number| *number < OWN_DESCRIPTORS).unwrap_or(0));
    }
    loop {
        let free = fcntl_dupfd_cloexec(io::stdin(), 0)?;
        if free.as_raw_fd() > last {
            return Ok(free.as_raw_fd());
        }
        // It stays open.
        let _ = free.into_raw_fd();
    }
}
