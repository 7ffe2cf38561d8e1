//! Snapshots of the memory of a loaded library: its variables and its private heap.

mod heap;
mod image;
mod written_pages;

use std::ffi::c_void;
use std::fs;
use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, IntoRawFd, RawFd};

use rustix::io::fcntl_dupfd_cloexec;

use crate::process::helper::OWN_DESCRIPTORS;
use crate::target::Mark;
use image::Image;
use written_pages::{PAGE_BYTES, WrittenPages};

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
    /// The pages that were written since the start was kept, if the kernel reports them.
    written: Option<WrittenPages>,
    /// How often memory was restored.
    restored: u64,
}

/// After how many times of restoring the start its pages are protected again. A page that is written
/// in between costs a fault once.
const PROTECTED_AFTER: u64 = 64;

impl MemoryMarks {
    /// Starts without snapshots.
    pub fn new(memory: LibraryMemory) -> Self {
        MemoryMarks { memory, start: None, interrupted: None, written: None, restored: 0 }
    }

    /// Stores the current memory under a mark.
    pub fn keep(&mut self, mark: Mark) -> io::Result<()> {
        match mark {
            Mark::Start => {
                // The pages that differ from an earlier snapshot are no longer known.
                (self.interrupted, self.written) = (None, None);
                heap::start_at_end();
                let start = self.start.insert(self.memory.snapshot()?);
                self.written = WrittenPages::protect(start.addresses()).ok();
            }
            Mark::Interrupted => self.interrupted = Some(self.memory.snapshot()?),
        }
        Ok(())
    }

    /// Restores the memory of a mark, if there is one.
    pub fn restore(&mut self, mark: Mark) {
        let snapshot = match mark {
            Mark::Start => &self.start,
            Mark::Interrupted => &self.interrupted,
        };
        let Some(snapshot) = snapshot else { return };
        snapshot.restore(self.written.as_ref());
        self.restored += 1;
        // Pages that were written long ago are compared each time until they are protected again.
        if self.restored.is_multiple_of(PROTECTED_AFTER)
            && mark == Mark::Start
            && self.interrupted.is_none()
            && self.written.as_ref().is_some_and(|written| written.protect_again().is_err())
        {
            self.written = None;
        }
    }
}

/// The memory of a library at one moment.
struct MemorySnapshot {
    parts: Vec<Part>,
    /// How much of the heap was used.
    heap_bytes: usize,
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
        let heap_bytes = heap.map_or(0, |(_, bytes)| bytes);
        let parts = variables.chain(heap).map(|(start, bytes)| Part::of(start, bytes)).collect();
        Ok(MemorySnapshot { parts, heap_bytes, descriptors: descriptors()? })
    }

    fn addresses(&self) -> impl Iterator<Item = Range<usize>> {
        self.parts.iter().map(Part::addresses)
    }

    /// Restores the memory, of which only these pages can have changed, if they are known; and
    /// closes the descriptors that the library has opened since. Changes to files stay.
    fn restore(&self, written: Option<&WrittenPages>) {
        heap::zero_after(self.heap_bytes);
        for part in &self.parts {
            part.restore(written);
        }
        close_from(self.descriptors);
    }
}

impl Part {
    #[expect(unsafe_code, reason = "memory of the library, which does not run")]
    fn of(start: *mut u8, bytes: usize) -> Self {
        // SAFETY: memory that the library may write, and no thread writes it now.
        let bytes = unsafe { std::slice::from_raw_parts(start, bytes) }.to_vec();
        Part { start, bytes }
    }

    fn addresses(&self) -> Range<usize> {
        self.start.addr()..self.start.addr() + self.bytes.len()
    }

    fn restore(&self, written: Option<&WrittenPages>) {
        let all = self.addresses();
        let scanned = written.filter(|written| written.covers(&all)).map(|written| {
            written.each(&all, |pages| {
                // A page that was written once stays in the list, so most have not changed.
                for page in pages.step_by(PAGE_BYTES) {
                    self.restore_page(page);
                }
            })
        });
        if !matches!(scanned, Some(Ok(()))) {
            self.restore_range(0..self.bytes.len());
        }
    }

    /// Restores the page at this address, as far as it is part of this stretch.
    fn restore_page(&self, page: usize) {
        let all = self.addresses();
        let (start, end) = (page.max(all.start), (page + PAGE_BYTES).min(all.end));
        if start < end {
            self.restore_range(start - all.start..end - all.start);
        }
    }

    #[expect(unsafe_code, reason = "memory of the library, which does not run")]
    fn restore_range(&self, range: Range<usize>) {
        let kept = &self.bytes[range.clone()];
        // SAFETY: as above; the copy is ours.
        let now =
            unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), kept.len()) };
        if now != kept {
            now.copy_from_slice(kept);
        }
    }
}

/// Closes all descriptors from this number on, except for our own. The system assigns the lowest
/// free number, so few numbers need a look unless all of them are used.
#[expect(unsafe_code, reason = "descriptors that are no longer referred to")]
fn close_from(first: RawFd) {
    const FEW: RawFd = 32;
    // SAFETY: only queries a descriptor; and the restored memory does not refer to those that are
    // closed.
    unsafe {
        let is_many = libc::fcntl(first + FEW, libc::F_GETFD) >= 0;
        let last = if is_many { OWN_DESCRIPTORS - 1 } else { first + FEW };
        libc::syscall(libc::SYS_close_range, first, last.min(OWN_DESCRIPTORS - 1), 0);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_writes_are_undone_with_and_without_a_list_of_pages() {
        let mut memory = memmap2::MmapMut::map_anon(40 * PAGE_BYTES).unwrap();
        let mut random = 1_u32;
        let mut next = |below: usize| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) as usize % below
        };
        let (first, bytes) = (3, 37 * PAGE_BYTES + 100);
        for (byte, value) in memory[first..first + bytes].iter_mut().zip((0..=u8::MAX).cycle()) {
            *byte = value;
        }
        let part = Part::of(memory[first..].as_mut_ptr(), bytes);
        let written = WrittenPages::protect([part.addresses()].into_iter()).ok();
        for round in 0..200 {
            for _ in 0..next(50) {
                memory[first + next(bytes)] ^= 1 << next(8);
            }
            part.restore(written.as_ref().filter(|_| round % 5 > 0));
            assert!(memory[first..first + bytes] == part.bytes, "round {round}");
        }
    }
}
