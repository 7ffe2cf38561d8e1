//! A loaded library, as it lies in memory: the functions that it calls in other libraries, whose
//! addresses the system's loader has put into a table, and its variables.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs;
use std::io;
use std::ops::Range;

/// Kinds of relocations that are the address of a function of another library: for calls, and for all
/// else.
#[cfg(target_arch = "x86_64")]
const ADDRESSES: [usize; 2] = [7, 6];
#[cfg(target_arch = "aarch64")]
const ADDRESSES: [usize; 2] = [1026, 1025];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ADDRESSES: [usize; 0] = [];

/// Tags of the entries that say where names, symbols and relocations are.
mod tag {
    pub(super) const END: usize = 0;
    pub(super) const CALLS_BYTES: usize = 2;
    pub(super) const NAMES: usize = 5;
    pub(super) const SYMBOLS: usize = 6;
    pub(super) const OTHERS: usize = 7;
    pub(super) const OTHERS_BYTES: usize = 8;
    pub(super) const CALLS: usize = 23;
}

/// A relocation: where, what, and a number that is of no use here.
type Relocation = [usize; 3];

/// A loaded library.
pub(super) struct Image {
    base: usize,
    /// From its first byte to behind its last.
    bytes: Range<usize>,
    entries: *const [usize; 2],
}

impl Image {
    /// The one that an address lies in.
    #[expect(unsafe_code, reason = "the interface of the loader")]
    pub(super) fn at(address: *const c_void) -> Option<Self> {
        let mut search = (address.addr(), None);
        // SAFETY: `look` gets what it expects, and is not called any more afterwards.
        unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
        search.1
    }

    /// Has it call these functions, by name, instead of those that the loader has found; how many
    /// places that changes.
    #[expect(unsafe_code, reason = "the table of a loaded library is changed")]
    pub(super) fn replace(&self, functions: &[(&str, *const c_void)]) -> io::Result<usize> {
        let (names, symbols) = (self.place(tag::NAMES), self.place(tag::SYMBOLS));
        let mut replaced = 0;
        for (tag, bytes) in [(tag::CALLS, tag::CALLS_BYTES), (tag::OTHERS, tag::OTHERS_BYTES)] {
            let relocations = self.place(tag) as *const Relocation;
            for at in 0..self.entry(bytes).unwrap_or(0) / size_of::<Relocation>() {
                // SAFETY: the loader has worked with these tables and found nothing wrong with
                // them. A symbol is 24 bytes, the first four of which say where its name is.
                let (offset, kind, name) = unsafe {
                    let [offset, info, _] = relocations.add(at).read_unaligned();
                    let symbol = (symbols + 24 * (info >> 32)) as *const u32;
                    let name = names + symbol.read_unaligned() as usize;
                    (offset, info & 0xffff_ffff, CStr::from_ptr(name as *const c_char).to_bytes())
                };
                let function = functions.iter().find(|(known, _)| known.as_bytes() == name);
                let Some((_, function)) = function.filter(|_| ADDRESSES.contains(&kind)) else {
                    continue;
                };
                let place = self.base.wrapping_add(offset);
                make_writable(place)?;
                // SAFETY: it holds an address of the same kind of function, and no other thread is
                // there to call it.
                unsafe { (place as *mut *const c_void).write(*function) };
                replaced += 1;
            }
        }
        Ok(replaced)
    }

    /// Where its variables are: memory that it may write and that is its own. So counters, which are
    /// shared, are not among them.
    pub(super) fn variables(&self) -> io::Result<Vec<Range<usize>>> {
        let maps = fs::read_to_string("/proc/self/maps")?;
        let own = |line: &str| {
            let (range, rest) = line.split_once(' ')?;
            let (start, end) = range.split_once('-')?;
            let start = usize::from_str_radix(start, 16).ok()?.max(self.bytes.start);
            let end = usize::from_str_radix(end, 16).ok()?.min(self.bytes.end);
            (rest.starts_with("rw-p") && start < end).then_some(start..end)
        };
        Ok(maps.lines().filter_map(own).collect())
    }

    fn place(&self, tag: usize) -> usize {
        let value = self.entry(tag).unwrap_or(0);
        // Some loaders write addresses there, others leave what is in the file.
        if value < self.base { value + self.base } else { value }
    }

    #[expect(unsafe_code, reason = "the tables of a loaded library")]
    fn entry(&self, wanted: usize) -> Option<usize> {
        let mut entry = self.entries;
        // SAFETY: the table ends with an entry whose tag says so.
        unsafe {
            while (*entry)[0] != tag::END {
                if (*entry)[0] == wanted {
                    return Some((*entry)[1]);
                }
                entry = entry.add(1);
            }
        }
        None
    }
}

/// Called by the loader for each library; whether that was enough.
#[expect(unsafe_code, reason = "the interface of the loader")]
#[expect(clippy::cast_possible_truncation, reason = "addresses of this process")]
unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: what `at` has given, and what the loader says of a library.
    let ((address, found), info) =
        unsafe { (&mut *search.cast::<(usize, Option<Image>)>(), &*info) };
    // SAFETY: as above.
    let headers =
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let base = info.dlpi_addr as usize;
    let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let start = loaded.clone().map(|header| base + header.p_vaddr as usize).min();
    let end = loaded.map(|header| base + (header.p_vaddr + header.p_memsz) as usize).max();
    let bytes = start.unwrap_or(0)..end.unwrap_or(0);
    let tables = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC);
    if let Some(tables) = tables.filter(|_| bytes.contains(address)) {
        let entries = (base + tables.p_vaddr as usize) as *const [usize; 2];
        *found = Some(Image { base, bytes, entries });
    }
    c_int::from(found.is_some())
}

/// The loader may have made a page read-only when it was done.
#[expect(unsafe_code, reason = "the protection of memory is changed")]
fn make_writable(place: usize) -> io::Result<()> {
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let page = usize::try_from(page).map_err(io::Error::other)?;
    let start = place / page * page;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a page of a library's variables, which is read, and may be written.
    match unsafe { libc::mprotect(start as *mut c_void, page, protection) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
