//! Which pages of this process were written, as Linux reports it (since 6.7).
//!
//! Pages are write-protected with `userfaultfd` in its asynchronous mode: the first write to a page
//! costs a fault that the kernel resolves itself, and `PAGEMAP_SCAN` lists the pages that had one.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use rustix::io::fcntl_dupfd_cloexec;

use crate::process::helper::OWN_DESCRIPTORS;

/// The size of a page; there are others, but not on the machines that have these interfaces.
pub(super) const PAGE_BYTES: usize = 4096;

/// The most stretches of pages that are reported at once.
const STRETCHES: usize = 256;

/// Numbers of `linux/userfaultfd.h` and `linux/fs.h`.
mod uapi {
    pub(super) const USER_MODE_ONLY: i32 = 1;
    pub(super) const API: u64 = 0xaa;
    pub(super) const FEATURE_WP_ASYNC: u64 = 1 << 15;
    pub(super) const REGISTER_MODE_WP: u64 = 1 << 1;
    pub(super) const UFFDIO_API: u64 = 0xc018_aa3f;
    pub(super) const UFFDIO_REGISTER: u64 = 0xc020_aa00;
    pub(super) const PAGEMAP_SCAN: u64 = 0xc060_6610;
    pub(super) const SCAN_WP_MATCHING: u64 = 1;
    pub(super) const SCAN_CHECK_WPASYNC: u64 = 2;
    pub(super) const PAGE_IS_WRITTEN: u64 = 1 << 1;
}

/// `struct uffdio_api`.
#[repr(C)]
struct Api {
    version: u64,
    features: u64,
    ioctls: u64,
}

/// `struct uffdio_register`.
#[repr(C)]
struct Register {
    start: u64,
    len: u64,
    mode: u64,
    ioctls: u64,
}

/// `struct pm_scan_arg`.
#[repr(C)]
#[derive(Default)]
struct Scan {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    regions: u64,
    regions_max: u64,
    pages_max: u64,
    inverted: u64,
    mask: u64,
    any_of: u64,
    returned: u64,
}

/// `struct page_region`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Region {
    start: u64,
    end: u64,
    categories: u64,
}

/// The pages that were written since they were protected.
pub(super) struct WrittenPages {
    /// Pages are no longer protected when it is closed.
    protection: OwnedFd,
    pages: File,
    ranges: Vec<Range<usize>>,
}

impl WrittenPages {
    /// Protects the pages of these addresses. Fails if the kernel does not support it, or does not
    /// allow it.
    pub(super) fn protect(parts: impl Iterator<Item = Range<usize>>) -> io::Result<Self> {
        let protection = own(userfaultfd()?)?;
        let mut api = Api { version: uapi::API, features: uapi::FEATURE_WP_ASYNC, ioctls: 0 };
        control(&protection, uapi::UFFDIO_API, &mut api)?;
        let pages = File::from(own(File::open("/proc/self/pagemap")?.into())?);
        let mut written = WrittenPages { protection, pages, ranges: Vec::new() };
        for part in parts {
            let range = part.start / PAGE_BYTES * PAGE_BYTES..part.end.next_multiple_of(PAGE_BYTES);
            let (start, len) = (range.start as u64, range.len() as u64);
            let mut register = Register { start, len, mode: uapi::REGISTER_MODE_WP, ioctls: 0 };
            control(&written.protection, uapi::UFFDIO_REGISTER, &mut register)?;
            written.ranges.push(range);
        }
        written.protect_again()?;
        Ok(written)
    }

    /// Starts with no written pages, as of now.
    pub(super) fn protect_again(&self) -> io::Result<()> {
        for range in &self.ranges {
            let mut scan = written_in(range);
            scan.flags = uapi::SCAN_WP_MATCHING | uapi::SCAN_CHECK_WPASYNC;
            control(&self.pages, uapi::PAGEMAP_SCAN, &mut scan)?;
        }
        Ok(())
    }

    /// Whether all these addresses are protected.
    pub(super) fn covers(&self, part: &Range<usize>) -> bool {
        self.ranges.iter().any(|range| range.start <= part.start && part.end <= range.end)
    }

    /// Calls `each` with stretches of pages that include all that were written, among these
    /// addresses.
    pub(super) fn each(
        &self,
        part: &Range<usize>,
        mut each: impl FnMut(Range<usize>),
    ) -> io::Result<()> {
        let mut rest = part.start / PAGE_BYTES * PAGE_BYTES..part.end.next_multiple_of(PAGE_BYTES);
        let mut regions = [Region::default(); STRETCHES];
        while !rest.is_empty() {
            let mut scan = written_in(&rest);
            scan.returned = uapi::PAGE_IS_WRITTEN;
            (scan.regions, scan.regions_max) =
                (regions.as_mut_ptr().expose_provenance() as u64, STRETCHES as u64);
            let count = control(&self.pages, uapi::PAGEMAP_SCAN, &mut scan)?;
            for Region { start, end, .. } in &regions[..count] {
                each(address(*start)?..address(*end)?);
            }
            rest.start = address(scan.walk_end)?.max(rest.start + PAGE_BYTES);
        }
        Ok(())
    }
}

/// A scan for pages that were written.
fn written_in(range: &Range<usize>) -> Scan {
    Scan {
        size: size_of::<Scan>() as u64,
        start: range.start as u64,
        end: range.end as u64,
        mask: uapi::PAGE_IS_WRITTEN,
        ..Scan::default()
    }
}

fn address(number: u64) -> io::Result<usize> {
    usize::try_from(number).map_err(io::Error::other)
}

/// A descriptor with a number that the library does not use.
fn own(descriptor: OwnedFd) -> io::Result<OwnedFd> {
    Ok(fcntl_dupfd_cloexec(descriptor, OWN_DESCRIPTORS)?)
}

#[expect(unsafe_code, reason = "a system call without a wrapper")]
fn userfaultfd() -> io::Result<OwnedFd> {
    // SAFETY: it returns a new descriptor or an error.
    unsafe {
        let flags = libc::O_CLOEXEC | uapi::USER_MODE_ONLY;
        match libc::c_int::try_from(libc::syscall(libc::SYS_userfaultfd, flags)) {
            Ok(descriptor) if descriptor >= 0 => Ok(OwnedFd::from_raw_fd(descriptor)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Returns the result of an `ioctl`, unless it failed.
#[expect(unsafe_code, reason = "a system call without a wrapper")]
fn control<T>(descriptor: &impl AsRawFd, request: u64, argument: &mut T) -> io::Result<usize> {
    // SAFETY: each request above has a structure of the kernel's layout as its argument, and the
    // one place that passes an address in it passes that of a slice and its length.
    let result = unsafe { libc::ioctl(descriptor.as_raw_fd(), request, &raw mut *argument) };
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use memmap2::MmapMut;

    use super::*;

    /// Before 6.7 there is no `PAGEMAP_SCAN`, and some containers forbid `userfaultfd`.
    #[test]
    fn the_pages_that_were_written_are_listed_or_there_is_an_error() {
        let mut memory = MmapMut::map_anon(600 * PAGE_BYTES).unwrap();
        memory.fill(1);
        let start = memory.as_ptr().addr();
        let (all, inner) = (start..start + memory.len(), start + 5..start + 599 * PAGE_BYTES);
        let written = match WrittenPages::protect([inner.clone()].into_iter()) {
            Ok(written) => written,
            Err(error) => return assert!(error.raw_os_error().is_some(), "{error}"),
        };
        assert!(written.covers(&inner) && !written.covers(&(all.start..all.end + PAGE_BYTES)));
        let list = || {
            let mut pages = Vec::new();
            let each = |stretch: Range<usize>| pages.extend(stretch.step_by(PAGE_BYTES));
            written.each(&inner, each).unwrap();
            pages.into_iter().map(|page| (page - start) / PAGE_BYTES).collect::<Vec<_>>()
        };
        assert_eq!(list(), [0; 0]);
        // More stretches than are reported at once.
        let mut pages: Vec<usize> = (0..598).step_by(2).collect();
        for page in &pages {
            memory[page * PAGE_BYTES] = 2;
        }
        assert_eq!(list(), pages);
        memory[7 * PAGE_BYTES + 4095] = 3;
        pages.push(7);
        pages.sort_unstable();
        assert_eq!(list(), pages);
        written.protect_again().unwrap();
        memory[9 * PAGE_BYTES] = 4;
        assert_eq!(list(), [9]);
    }
}
