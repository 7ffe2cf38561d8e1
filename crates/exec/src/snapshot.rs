//! Snapshots of the memory of a loaded library: its variables, and a heap that it has to itself.

mod heap;
mod image;

use std::ffi::c_void;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, RawFd};

use rustix::io::fcntl_dupfd_cloexec;

use crate::process::helper::OWN_DESCRIPTORS;
use crate::target::Mark;
use image::Image;

/// The memory of a library that is loaded in this process.
pub struct LibraryMemory {
    image: Image,
}

impl LibraryMemory {
    /// The library that an address lies in.
    pub fn at(address: *const c_void) -> io::Result<Self> {
        let image = Image::at(address);
        let image = image.ok_or_else(|| io::Error::other("cannot find the library in memory"))?;
        Ok(LibraryMemory { image })
    }

    /// Has the library take its memory from a heap that it has to itself, so that snapshots are complete. To be called
    /// once, before the library is used.
    pub fn isolate(&self) -> io::Result<()> {
        heap::take()?;
        match self.image.replace(&heap::FUNCTIONS)? {
            0 => Err(io::Error::other("the library does not allocate with `malloc`")),
            _ => Ok(()),
        }
    }

    /// The memory as it is now.
    fn snapshot(&self) -> io::Result<MemorySnapshot> {
        MemorySnapshot::of(&self.image)
    }
}

/// The states of a library that a session keeps.
pub struct MemoryMarks {
    memory: LibraryMemory,
    start: Option<MemorySnapshot>,
    interrupted: Option<MemorySnapshot>,
}

impl MemoryMarks {
    /// Of a library of which nothing is kept yet.
    pub fn new(memory: LibraryMemory) -> Self {
        MemoryMarks { memory, start: None, interrupted: None }
    }

    /// Keeps the memory as it is now.
    pub fn keep(&mut self, mark: Mark) -> io::Result<()> {
        *self.at(mark) = Some(self.memory.snapshot()?);
        Ok(())
    }

    /// Sets the memory back, if it was kept.
    pub fn restore(&mut self, mark: Mark) {
        if let Some(snapshot) = self.at(mark) {
            snapshot.restore();
        }
    }

    fn at(&mut self, mark: Mark) -> &mut Option<MemorySnapshot> {
        match mark {
            Mark::Start => &mut self.start,
            Mark::Interrupted => &mut self.interrupted,
        }
    }
}

/// The memory of a library at some moment.
struct MemorySnapshot {
    parts: Vec<Part>,
    /// Descriptors from here on were not open, but for those of our own.
    descriptors: RawFd,
}

/// A stretch of memory, and what was in it.
struct Part {
    start: *mut u8,
    bytes: Vec<u8>,
}

impl MemorySnapshot {
    fn of(image: &Image) -> io::Result<Self> {
        let variables = image.variables()?.into_iter();
        let variables = variables.map(|part| (part.start as *mut u8, part.len()));
        let heap = heap::used().map(|(start, bytes)| (start.as_ptr(), bytes));
        let parts = variables.chain(heap).map(|(start, bytes)| Part::of(start, bytes)).collect();
        Ok(MemorySnapshot { parts, descriptors: descriptors()? })
    }

    /// Sets the memory back. What the library has opened since then is closed; what it has done to files
    /// stays.
    #[expect(unsafe_code, reason = "descriptors that nobody has any more")]
    fn restore(&self) {
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
