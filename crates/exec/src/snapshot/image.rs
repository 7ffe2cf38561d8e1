//! A loaded library in memory: its variables, and the table in which the dynamic loader stores the
//! addresses of functions of other libraries.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs;
use std::io;
use std::ops::Range;

/// The types of relocations that hold the address of a function of another library: for calls
/// (`JUMP_SLOT`), and for other uses (`GLOB_DAT`).
#[cfg(target_arch = "x86_64")]
const ADDRESSES: [usize; 2] = [7, 6];
#[cfg(target_arch = "aarch64")]
const ADDRESSES: [usize; 2] = [1026, 1025];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ADDRESSES: [usize; 0] = [];

/// Tags of dynamic entries that locate names, symbols and relocations.
mod tag {
    pub(super) const END: usize = 0;
    pub(super) const CALLS_BYTES: usize = 2;
    pub(super) const NAMES: usize = 5;
    pub(super) const SYMBOLS: usize = 6;
    pub(super) const OTHERS: usize = 7;
    pub(super) const OTHERS_BYTES: usize = 8;
    pub(super) const CALLS: usize = 23;
}

/// A relocation (`Elf64_Rela`): offset, info, and an addend that is not needed here.
type Relocation = [usize; 3];

/// A loaded library.
pub(super) struct Image {
    base: usize,
    /// The addresses of the library.
    bytes: Range<usize>,
    entries: *const [usize; 2],
}

impl Image {
    /// Finds the library that contains an address.
    #[expect(unsafe_code, reason = "the interface of the loader")]
    pub(super) fn at(address: *const c_void) -> Option<Self> {
        let mut search = (address.addr(), None);
        // SAFETY: `look` gets the type that it expects, and is not called after this returns.
        unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
        search.1
    }

    /// Replaces the addresses of these functions, by name, in the table of the library. Returns how
    /// many entries it changed.
    #[expect(unsafe_code, reason = "the table of a loaded library is changed")]
    pub(super) fn replace(&self, functions: &[(&str, *const c_void)]) -> io::Result<usize> {
        let (names, symbols) = (self.place(tag::NAMES), self.place(tag::SYMBOLS));
        let mut replaced = 0;
        for (tag, bytes) in [(tag::CALLS, tag::CALLS_BYTES), (tag::OTHERS, tag::OTHERS_BYTES)] {
            let relocations = self.place(tag) as *const Relocation;
            for at in 0..self.entry(bytes).unwrap_or(0) / size_of::<Relocation>() {
                // SAFETY: the loader has used these tables. A symbol is 24 bytes long, and its
                // first four bytes are the offset of its name.
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
                // SAFETY: the entry holds the address of a function of the same type, and there is
                // no other thread that could call it.
                unsafe { (place as *mut *const c_void).write(*function) };
                replaced += 1;
            }
        }
        Ok(replaced)
    }

    /// The memory of the library's variables: writable and private. The counters are in shared
    /// memory, so they are not included.
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
        // Some loaders store addresses here, others leave the offsets of the file.
        if value < self.base { value + self.base } else { value }
    }

    #[expect(unsafe_code, reason = "the tables of a loaded library")]
    fn entry(&self, wanted: usize) -> Option<usize> {
        let mut entry = self.entries;
        // SAFETY: the table ends with an entry that has the tag `END`.
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

/// Called by the loader for each library. Returns non-zero to stop.
#[expect(unsafe_code, reason = "the interface of the loader")]
#[expect(clippy::cast_possible_truncation, reason = "addresses of this process")]
unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: the pointer that `at` passes, and the loader's description of a library.
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

/// Makes a page writable: the loader may have made it read-only after relocation.
#[expect(unsafe_code, reason = "the protection of memory is changed")]
fn make_writable(place: usize) -> io::Result<()> {
    // SAFETY: only queries a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let page = usize::try_from(page).map_err(io::Error::other)?;
    let start = place / page * page;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a page of the library's variables, which stays readable.
    match unsafe { libc::mprotect(start as *mut c_void, page, protection) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
