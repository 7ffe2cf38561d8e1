//! The memory of a library: apart from all else in this process, so that it can be set back.
//!
//! All that the allocator knows is at the start of that memory, and is set back with it. What is
//! given back is kept in lists by size and given out again; what is in none of them is taken from
//! the end.

use std::ffi::c_void;
use std::io;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

/// How much there is at most. Only what is used takes memory.
const HEAP_BYTES: usize = 512 << 20;

/// What each block starts with, and what its address is a multiple of.
const ALIGNMENT: usize = 16;

/// Up to here, sizes differ by the alignment; beyond, there are four between a power of two and the
/// next.
const SMALL_BYTES: usize = 1024;
const SMALL_SIZES: usize = SMALL_BYTES / ALIGNMENT;
const SIZES: usize = SMALL_SIZES + 4 * (usize::BITS - SMALL_BYTES.ilog2()) as usize;

/// What is at the start of the memory.
#[repr(C, align(16))]
struct Head {
    /// How many bytes have been given out at least once, this head included.
    used: usize,
    /// By size: the first block that was given back.
    free: [*mut Block; SIZES],
}

/// What stands before the bytes that are given out.
#[repr(C, align(16))]
struct Block {
    size: usize,
    /// The next that was given back, while it is not given out.
    next: *mut Block,
}

/// The one heap of this process.
static HEAP: AtomicPtr<Head> = AtomicPtr::new(ptr::null_mut());

/// Takes the memory. To be done once, in a process with one thread.
#[expect(unsafe_code, reason = "memory is taken from the system")]
pub(super) fn take() -> io::Result<()> {
    let (protection, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: new memory at any address.
    let memory = unsafe {
        libc::mmap(ptr::null_mut(), HEAP_BYTES, protection, flags | libc::MAP_NORESERVE, -1, 0)
    };
    if memory == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let head = memory.cast::<Head>();
    // SAFETY: there is room for it; the rest of it is zero, as new memory is, which is what an empty
    // list is.
    unsafe { (*head).used = size_of::<Head>() };
    HEAP.store(head, Ordering::Relaxed);
    Ok(())
}

/// Where the part that is in use starts, and how many bytes it is.
#[expect(unsafe_code, reason = "memory of the heap")]
pub(super) fn used() -> Option<(NonNull<u8>, usize)> {
    let head = NonNull::new(HEAP.load(Ordering::Relaxed))?;
    // SAFETY: a head, as `take` has made it, which nobody else changes now.
    Some((head.cast(), unsafe { (*head.as_ptr()).used }))
}

/// Functions in place of those of the C library, by name.
pub(super) const FUNCTIONS: [(&str, *const c_void); 4] = [
    ("malloc", allocate as *const c_void),
    ("calloc", allocate_zero as *const c_void),
    ("realloc", reallocate as *const c_void),
    ("free", give_back as *const c_void),
];

/// The size of blocks that have room for so many bytes, and its place among all.
fn size(bytes: usize) -> Option<(usize, usize)> {
    let bytes = bytes.max(1).checked_next_multiple_of(ALIGNMENT)?;
    if bytes <= SMALL_BYTES {
        return Some((bytes, bytes / ALIGNMENT - 1));
    }
    // The power of two below, and how many quarters of it are needed beyond.
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
    // SAFETY: the head is that of the heap, since nobody has this function before there is one;
    // blocks in the lists were given out before; and what is beyond `used` is nobody's.
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
    // SAFETY: as its own.
    let memory = unsafe { allocate(bytes) };
    if !memory.is_null() {
        // SAFETY: so many bytes were just given out.
        unsafe { ptr::write_bytes(memory.cast::<u8>(), 0, bytes) };
    }
    memory
}

#[expect(unsafe_code, reason = "an allocator; see the safety comments")]
unsafe extern "C" fn reallocate(memory: *mut c_void, bytes: usize) -> *mut c_void {
    if memory.is_null() {
        // SAFETY: as its own.
        return unsafe { allocate(bytes) };
    }
    if !is_ours(memory) {
        // SAFETY: it came from the C library.
        return unsafe { libc::realloc(memory, bytes) };
    }
    // SAFETY: a block stands before whatever `allocate` has given out, and the old and the new one do
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
        // SAFETY: it came from the C library.
        return unsafe { libc::free(memory) };
    }
    let head = HEAP.load(Ordering::Relaxed);
    // SAFETY: a block stands before whatever `allocate` has given out, and its size is one of those
    // that there are.
    unsafe {
        let block = memory.cast::<Block>().sub(1);
        let Some((_, place)) = size((*block).size) else { return };
        (*block).next = (*head).free[place];
        (*head).free[place] = block;
    }
}

/// Whether it was given out here.
fn is_ours(memory: *mut c_void) -> bool {
    let start = HEAP.load(Ordering::Relaxed).addr();
    (start..start + HEAP_BYTES).contains(&memory.addr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_room_and_a_place_of_its_own() {
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
