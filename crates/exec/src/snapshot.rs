//! Snapshots of the memory of a loaded library: its variables and its private heap.

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
    /// Finds the library that contains an address.
    pub fn at(address: *const c_void) -> io::Result<Self> {
        let image = Image::at(address);
        let image = image.ok_or_else(|| io::Error::other("cannot find the library in memory"))?;
        Ok(LibraryMemory { image })
    }

    /// Makes the library allocate from a private heap, so that snapshots are complete. Must be
    /// called once, before the library is used.
    pub fn isolate(&self) -> io::Result<()> {
        heap::take()?;
        match self.image.replace(&heap::FUNCTIONS)? {
            0 => Err(io::Error::other("the library does not allocate with `malloc`")),
            _ => Ok(()),
        }
    }

    /// Copies the current memory.
    fn snapshot(&self) -> io::Result<MemorySnapshot> {
        MemorySnapshot::of(&self.image)
    }
}

/// The snapshots of a library that a session keeps, by mark.
pub struct MemoryMarks {
    memory: LibraryMemory,
    start: Option<MemorySnapshot>,
    interrupted: Option<MemorySnapshot>,
}

impl MemoryMarks {
    /// Starts without snapshots.
    pub fn new(memory: LibraryMemory) -> Self {
        MemoryMarks { memory, start: None, interrupted: None }
    }

    /// Stores the current memory under a mark.
    pub fn keep(&mut self, mark: Mark) -> io::Result<()> {
        *self.at(mark) = Some(self.memory.snapshot()?);
        Ok(())
    }

    /// Restores the memory of a mark, if there is one.
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

/// The memory of a library at one moment.
struct MemorySnapshot {
    parts: Vec<Part>,
    /// Descriptors from this number on were not open, except for our own.
    descriptors: RawFd,
}

/// A stretch of memory and its contents.
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

    /// Restores the memory, and closes the descriptors that the library has opened since. Changes
    /// to files stay.
    #[expect(unsafe_code, reason = "descriptors that are no longer referred to")]
    fn restore(&self) {
        for part in &self.parts {
            part.restore();
        }
        // SAFETY: the restored memory does not refer to these descriptors.
        unsafe { libc::syscall(libc::SYS_close_range, self.descriptors, OWN_DESCRIPTORS - 1, 0) };
    }
}

impl Part {
    #[expect(unsafe_code, reason = "memory of the library, which does not run")]
    fn of(start: *mut u8, bytes: usize) -> Self {
        // SAFETY: memory that the library may write, and no thread writes it now.
        let bytes = unsafe { std::slice::from_raw_parts(start, bytes) }.to_vec();
        Part { start, bytes }
    }

    #[expect(unsafe_code, reason = "memory of the library, which does not run")]
    fn restore(&self) {
        // SAFETY: as above; the copy is ours.
        unsafe { self.bytes.as_ptr().copy_to_nonoverlapping(self.start, self.bytes.len()) };
    }
}

/// The first descriptor above all open ones. Gaps below it are filled, so that the library cannot
/// open descriptors there.
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
        // Left open on purpose.
        let _ = free.into_raw_fd();
    }
}
