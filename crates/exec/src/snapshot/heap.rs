//! The private heap of a library, which can be saved and restored.
//!
//! The state of the allocator is at the start of the heap, so it is saved and restored with it.
//! Freed blocks are kept in lists by size and reused; if a list is empty, the block is taken from
//! the end. After a snapshot, no block is reused that was free before: what is allocated from then on
//! is in one stretch after the snapshot, so fewer pages of the snapshot are written.

use std::ffi::c_void;
use std::io;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use super::written_pages::PAGE_BYTES;

/// The size of the mapping. Only pages that are used take memory.
const HEAP_BYTES: usize = 512 << 20;

/// The size of a block's header, and the alignment of all addresses.
const ALIGNMENT: usize = 16;

/// Up to this size, block sizes are multiples of the alignment; above it, there are four sizes
/// between a power of two and the next.
const SMALL_BYTES: usize = 1024;
const SMALL_SIZES: usize = SMALL_BYTES / ALIGNMENT;
const SIZES: usize = SMALL_SIZES + 4 * (usize::BITS - SMALL_BYTES.ilog2()) as usize;

/// How many bytes of free blocks are given up for snapshots. After that, they are reused.
const UNUSED_BYTES_MAX: usize = 8 << 20;

/// Memory after a snapshot up to this size is set to zero; that of larger ones is returned to the system.
const ZEROED_BYTES_MAX: usize = 4 << 20;

/// The header of the heap.
#[repr(C, align(16))]
struct Head {
    /// The end of the part that has ever been allocated, this header included.
    used: usize,
    /// The bytes of free blocks that are in no list.
    unused: usize,
    /// The first free block of each size class.
    free: [*mut Block; SIZES],
}

/// The header of a block.
#[repr(C, align(16))]
struct Block {
    size: usize,
    /// The next free block, while this one is free.
    next: *mut Block,
}

/// The only such heap of this process.
static HEAP: AtomicPtr<Head> = AtomicPtr::new(ptr::null_mut());

/// Maps the heap. Must be called once, in a process with one thread.
#[expect(unsafe_code, reason = "memory is taken from the system")]
pub(super) fn take() -> io::Result<()> {
    let (protection, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping at any address.
    let memory = unsafe {
        libc::mmap(ptr::null_mut(), HEAP_BYTES, protection, flags | libc::MAP_NORESERVE, -1, 0)
    };
    if memory == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let head = memory.cast::<Head>();
    // SAFETY: the mapping is larger than the header. The rest of the header is zero, as new pages
    // are, and a null pointer is an empty list.
    unsafe { (*head).used = size_of::<Head>() };
    HEAP.store(head, Ordering::Relaxed);
    Ok(())
}

/// The start of the used part of the heap, and its length.
#[expect(unsafe_code, reason = "memory of the heap")]
pub(super) fn used() -> Option<(NonNull<u8>, usize)> {
    let head = NonNull::new(HEAP.load(Ordering::Relaxed))?;
    // SAFETY: `take` has initialised the header, and no other thread changes it now.
    Some((head.cast(), unsafe { (*head.as_ptr()).used }))
}

/// Takes the next blocks from the end, at the start of a page, even if earlier ones are free.
#[expect(unsafe_code, reason = "memory of the heap")]
pub(super) fn start_at_end() {
    let Some(mut head) = NonNull::new(HEAP.load(Ordering::Relaxed)) else { return };
    // SAFETY: `take` has initialised the header, whose lists end with a null pointer, and no other
    // thread changes it now.
    unsafe {
        let head = head.as_mut();
        let unused = head.unused + head.free.iter().map(|first| bytes_of(*first)).sum::<usize>();
        if unused <= UNUSED_BYTES_MAX {
            head.unused = unused;
            head.free = [ptr::null_mut(); SIZES];
            head.used = head.used.next_multiple_of(PAGE_BYTES);
        }
    }
}

/// The bytes of all blocks of a list.
#[expect(unsafe_code, reason = "memory of the heap")]
unsafe fn bytes_of(mut block: *mut Block) -> usize {
    let mut bytes = 0;
    while !block.is_null() {
        // SAFETY: by the caller, a list of blocks that ends with a null pointer.
        unsafe {
            bytes += size_of::<Block>() + (*block).size;
            block = (*block).next;
        }
    }
    bytes
}

/// Sets what was allocated after the first `bytes` to zero, as in memory that was never used.
#[expect(unsafe_code, reason = "memory of the heap")]
pub(super) fn zero_after(bytes: usize) {
    let Some((start, used)) = used() else { return };
    // A library that has damaged the header must not reach beyond the heap.
    let count = used.min(HEAP_BYTES).saturating_sub(bytes);
    // SAFETY: memory of the heap, which no one refers to: the library does not run, and what it
    // has allocated there is about to be forgotten.
    unsafe {
        let after = start.as_ptr().add(bytes);
        if count <= ZEROED_BYTES_MAX {
            ptr::write_bytes(after, 0, count);
        } else {
            let first = after.align_offset(PAGE_BYTES);
            ptr::write_bytes(after, 0, first);
            libc::madvise(after.add(first).cast(), count - first, libc::MADV_DONTNEED);
        }
    }
}

/// Replacements for functions of the C library, by name.
pub(super) const FUNCTIONS: [(&str, *const c_void); 4] = [
    ("malloc", allocate as *const c_void),
    ("calloc", allocate_zero as *const c_void),
    ("realloc", reallocate as *const c_void),
    ("free", give_back as *const c_void),
];

/// The block size for an allocation, and the index of its size class.
fn size(bytes: usize) -> Option<(usize, usize)> {
    let bytes = bytes.max(1).checked_next_multiple_of(ALIGNMENT)?;
    if bytes <= SMALL_BYTES {
        return Some((bytes, bytes / ALIGNMENT - 1));
    }
    // The power of two below, and the number of quarters of it to add.
    let power = (bytes - 1).ilog2();
    let quarter = 1_usize << (power - 2);
    let quarters = (bytes - (1 << power)).div_ceil(quarter);
    let place = SMALL_SIZES + 4 * (power - SMALL_BYTES.ilog2()) as usize + quarters - 1;
    Some(((1 << power) + quarters * quarter, place))
}

#[expect(unsafe_code, reason = "an allocator; see the safety comments")]
unsafe extern "C" fn allocate(bytes: usize) -> *mut c_void {
    let head = HEAP.load(Ordering::Relaxed);
    let Some((size, place)) = size(bytes) else { return ptr::null_mut() };
    // SAFETY: `HEAP` is set, since `isolate` installs this function after `take`. Blocks in the
    // lists were allocated before, and no block is beyond `used`.
    unsafe {
        let mut block = (*head).free[place];
        if block.is_null() {
            let (start, end) = ((*head).used, (*head).used + size_of::<Block>() + size);
            if end > HEAP_BYTES {
                return ptr::null_mut();
            }
            (*head).used = end;
            block = head.cast::<u8>().add(start).cast();
            (*block).size = size;
        } else {
            (*head).free[place] = (*block).next;
        }
        block.add(1).cast()
    }
}

#[expect(unsafe_code, reason = "an allocator; see the safety comments")]
unsafe extern "C" fn allocate_zero(count: usize, bytes: usize) -> *mut c_void {
    let Some(bytes) = count.checked_mul(bytes) else { return ptr::null_mut() };
    // SAFETY: as for `allocate`.
    let memory = unsafe { allocate(bytes) };
    if !memory.is_null() {
        // SAFETY: `allocate` has just returned this many bytes.
        unsafe { ptr::write_bytes(memory.cast::<u8>(), 0, bytes) };
    }
    memory
}

#[expect(unsafe_code, reason = "an allocator; see the safety comments")]
unsafe extern "C" fn reallocate(memory: *mut c_void, bytes: usize) -> *mut c_void {
    if memory.is_null() {
        // SAFETY: as for `allocate`.
        return unsafe { allocate(bytes) };
    }
    if !is_ours(memory) {
        // SAFETY: the C library has allocated it.
        return unsafe { libc::realloc(memory, bytes) };
    }
    // SAFETY: a header precedes whatever `allocate` has returned, and the old and the new block do
    // not overlap.
    unsafe {
        let old = (*memory.cast::<Block>().sub(1)).size;
        if bytes <= old && bytes >= old / 2 {
            return memory;
        }
        let new = allocate(bytes);
        if !new.is_null() {
            ptr::copy_nonoverlapping(memory.cast::<u8>(), new.cast(), old.min(bytes));
            give_back(memory);
        }
        new
    }
}

#[expect(unsafe_code, reason = "an allocator; see the safety comments")]
unsafe extern "C" fn give_back(memory: *mut c_void) {
    if memory.is_null() {
        return;
    }
    if !is_ours(memory) {
        // SAFETY: the C library has allocated it.
        return unsafe { libc::free(memory) };
    }
    let head = HEAP.load(Ordering::Relaxed);
    // SAFETY: a header precedes whatever `allocate` has returned, and its size belongs to a size
    // class.
    unsafe {
        let block = memory.cast::<Block>().sub(1);
        let Some((_, place)) = size((*block).size) else { return };
        (*block).next = (*head).free[place];
        (*head).free[place] = block;
    }
}

/// Whether `allocate` has returned this address.
fn is_ours(memory: *mut c_void) -> bool {
    let start = HEAP.load(Ordering::Relaxed).addr();
    (start..start + HEAP_BYTES).contains(&memory.addr())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Freed blocks are given up for some snapshots, and reused once they are many.
    #[test]
    #[expect(unsafe_code, reason = "calls an allocator")]
    fn blocks_after_a_snapshot_are_after_it_and_zero_again() {
        take().unwrap();
        let end = || used().unwrap().1;
        let start = || used().unwrap().0.addr().get();
        let mut reused = 0;
        for round in 0..20 {
            let before = [100, 1 << 20].map(|bytes| unsafe { allocate(bytes) });
            for memory in before {
                unsafe { give_back(memory) };
            }
            start_at_end();
            let kept = end();
            let after = unsafe { allocate(100) };
            if after == before[0] {
                reused += 1;
                continue;
            }
            assert!(after.addr() >= start() + kept && kept.is_multiple_of(PAGE_BYTES), "{round}");
            let large =
                unsafe { allocate(if round % 2 == 0 { 1000 } else { 2 * ZEROED_BYTES_MAX }) };
            let (first, last) = (after.cast::<u8>(), large.cast::<u8>());
            unsafe {
                first.write(1);
                last.write(1);
                zero_after(kept);
                assert_eq!((first.read(), last.read()), (0, 0), "{round}");
                // As when memory is restored.
                (*HEAP.load(Ordering::Relaxed)).used = kept;
            }
        }
        assert!((5..19).contains(&reused), "{reused}");
    }

    #[test]
    fn block_sizes_fit_and_have_distinct_classes() {
        let mut last = (0, None);
        for bytes in 1..100_000 {
            let (size, place) = size(bytes).unwrap();
            assert!(size >= bytes && size.is_multiple_of(ALIGNMENT), "{bytes}: {size}");
            assert!(size < bytes + ALIGNMENT.max(bytes / 3), "{bytes}: {size} wastes too much");
            assert_eq!(super::size(size), Some((size, place)), "{bytes}");
            assert_eq!(size == last.0, Some(place) == last.1, "{bytes}");
            last = (size, Some(place));
        }
        assert!(size(HEAP_BYTES).unwrap().1 < SIZES);
        assert_eq!(size(usize::MAX), None);
    }
}
