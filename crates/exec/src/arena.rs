//! Shared memory in which targets count. `runtime/README.md` draws it.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use memmap2::{MmapMut, MmapOptions};
use metacov_formats::Snapshot;
use metacov_runtime::{MAGIC, PAGE_BYTES};
use rustix::fs::{
    FallocateFlags, MemfdFlags, SealFlags, fallocate, fcntl_add_seals, ftruncate, memfd_create,
};
use rustix::process::{Resource, getrlimit};

use crate::capture::Trace;

/// How much room there is, if files may be so large. Only what is used takes memory.
const ARENA_BYTES_MAX: usize = 4 << 30;

/// Up to here, counters are set to zero; beyond, their memory is given back, which is less work
/// if few of them were used.
const ZEROED_BYTES_MAX: usize = 4 << 20;

/// How long the stretches are that are found to be zero, or not.
const STRETCH_BYTES: usize = 512;

/// The numbers that an arena starts with.
mod head {
    pub(super) const MAGIC: usize = 0;
    pub(super) const BYTES: usize = 8;
    pub(super) const END: usize = 16;
    pub(super) const REFUSED: usize = 24;
    pub(super) const FULL: usize = 32;
}

/// The numbers that a record starts with.
mod record {
    pub(super) const BYTES: usize = 0;
    pub(super) const STATE: usize = 8;
    pub(super) const ISOLATED: usize = 12;
    pub(super) const LAYOUT_AT: usize = 16;
    pub(super) const LAYOUT_BYTES: usize = 24;
    pub(super) const COUNTERS_AT: usize = 32;
    pub(super) const COUNTERS_BYTES: usize = 40;
    pub(super) const LIVE: u64 = 1;
    pub(super) const LEFT: u64 = 3;
}

/// An arena, of one execution at a time.
pub(crate) struct Arena {
    file: File,
    memory: MmapMut,
    /// The records up to here stay when it is cleared: those of a target that goes on.
    kept: usize,
    /// Their layouts, and where they are.
    layouts: Vec<(Range<usize>, Arc<[u8]>)>,
    /// What their counters are set to.
    baseline: Vec<Baseline>,
}

/// What the counters of a record are set to before each execution: zero, but for what a target has
/// counted before the first one, which is little.
struct Baseline {
    part: Range<usize>,
    /// Stretches that are not all zero, and where they are.
    counted: Vec<(Range<usize>, Vec<u8>)>,
}

impl Baseline {
    fn of(part: Range<usize>, memory: &[u8]) -> Self {
        let starts = part.clone().step_by(STRETCH_BYTES);
        let stretches = starts.map(|start| start..part.end.min(start + STRETCH_BYTES));
        let is_counted = |stretch: &Range<usize>| memory[stretch.clone()].iter().any(|b| *b != 0);
        let kept = |stretch: Range<usize>| (stretch.clone(), memory[stretch].to_vec());
        let counted = stretches.filter(is_counted).map(kept).collect();
        Baseline { part, counted }
    }

    fn restore(&self, memory: &mut [u8]) {
        memory[self.part.clone()].fill(0);
        for (stretch, counters) in &self.counted {
            memory[stretch.clone()].copy_from_slice(counters);
        }
    }
}

/// What a target has left.
pub(crate) enum Contents<'a> {
    /// The counters of all its images and processes.
    Counters(Vec<Snapshot<'a>>),
    /// The same, of which some are of a process that became another program on its way, and need
    /// not add up.
    Unfinished(Vec<Snapshot<'a>>),
    /// It was compiled by a gcc that the runtime does not know; its version, as gcc writes it.
    Refused(String),
    /// There was not enough room.
    Full,
}

impl Arena {
    #[expect(unsafe_code, reason = "shared memory; see below")]
    pub(crate) fn new() -> io::Result<Self> {
        let file = memfd_create("metacov", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        // Whoever makes a file larger than the limit is killed.
        let limit =
            getrlimit(Resource::Fsize).current.and_then(|limit| usize::try_from(limit).ok());
        let bytes = ARENA_BYTES_MAX.min(limit.unwrap_or(usize::MAX)) / PAGE_BYTES * PAGE_BYTES;
        ftruncate(&file, bytes as u64)?;
        // A target that cut it would end us at our next look (SIGBUS).
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        let file = File::from(file);
        // SAFETY: the memory is ours alone, but for targets; and it is looked at only while none
        // of them runs: after all processes of an execution have ended, or while the one that
        // goes on waits for us. A target that writes at another time can make numbers wrong, not
        // more: all that is read from here is checked as any foreign bytes are.
        let memory = unsafe { MmapOptions::new().len(bytes).map_mut(&file)? };
        let mut arena =
            Arena { file, memory, kept: PAGE_BYTES, layouts: Vec::new(), baseline: Vec::new() };
        arena.set(head::MAGIC, MAGIC);
        arena.set(head::BYTES, bytes as u64);
        arena.set(head::END, PAGE_BYTES as u64);
        Ok(arena)
    }

    /// Where targets find it.
    pub(crate) fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd())
    }

    /// Where this process and its children find it: a name of the same length in every run.
    pub(crate) fn own_path(&self) -> String {
        format!("/proc/self/fd/{}", self.file.as_raw_fd())
    }

    /// What the target has counted.
    pub(crate) fn contents(&self) -> Contents<'_> {
        let refused = self.number(head::REFUSED);
        if refused != 0 {
            let version = u32::try_from(refused).unwrap_or(u32::MAX).to_be_bytes();
            return Contents::Refused(String::from_utf8_lossy(&version).into_owned());
        }
        if self.number(head::FULL) != 0 {
            return Contents::Full;
        }
        let state = |at: usize| self.number(at + record::STATE) & 0xffff_ffff;
        let is_live = |at: &usize| matches!(state(*at), record::LIVE | record::LEFT);
        let snapshot = |at: usize| {
            let layout = self.part(at, record::LAYOUT_AT, record::LAYOUT_BYTES)?;
            let counters = self.part(at, record::COUNTERS_AT, record::COUNTERS_BYTES)?;
            let kept = self.layouts.iter().find(|(part, _)| *part == layout);
            let layout = kept.map_or_else(|| self.memory[layout].into(), |(_, kept)| kept.clone());
            Some(Snapshot { layout, counters: &self.memory[counters] })
        };
        let snapshots = self.records().filter(is_live).filter_map(snapshot).collect();
        if self.records().any(|at| state(at) == record::LEFT) {
            return Contents::Unfinished(snapshots);
        }
        Contents::Counters(snapshots)
    }

    /// Keeps the records that are there, of a target that goes on, and what it has counted so far.
    pub(crate) fn keep(&mut self) {
        self.kept = self.end();
        let parts = self
            .records()
            .filter_map(|at| self.part(at, record::COUNTERS_AT, record::COUNTERS_BYTES));
        self.baseline = parts.map(|part| Baseline::of(part, &self.memory)).collect();
        let parts =
            self.records().filter_map(|at| self.part(at, record::LAYOUT_AT, record::LAYOUT_BYTES));
        self.layouts = parts.map(|part| (part.clone(), self.memory[part].into())).collect();
    }

    /// Whether records are kept.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept > PAGE_BYTES
    }

    /// Keeps the records, but nothing of what they have counted so far.
    pub(crate) fn keep_zero(&mut self) {
        for kept in &mut self.baseline {
            kept.counted.clear();
        }
    }

    /// Whether all that is kept is counters, and nothing else of the target.
    pub(crate) fn is_isolated(&self) -> bool {
        self.records().all(|at| self.number(at + record::ISOLATED) & 0xffff_ffff != 0)
    }

    /// The counters of the records that are kept.
    pub(crate) fn counters(&self) -> Vec<Vec<u8>> {
        self.baseline.iter().map(|kept| self.memory[kept.part.clone()].to_vec()).collect()
    }

    /// Which counters of the records that are kept counted. They are zero then.
    pub(crate) fn take_trace(&mut self, trace: &mut Trace) {
        trace.clear();
        for kept in &self.baseline {
            trace.take(&mut self.memory[kept.part.clone()]);
        }
    }

    /// Sets the counters of the records that are kept.
    pub(crate) fn set_counters(&mut self, counters: &[Vec<u8>]) {
        for (kept, counters) in self.baseline.iter().zip(counters) {
            self.memory[kept.part.clone()].copy_from_slice(counters);
        }
    }

    /// Forgets the target that went on.
    pub(crate) fn keep_nothing(&mut self) -> io::Result<()> {
        self.kept = PAGE_BYTES;
        self.layouts.clear();
        self.baseline.clear();
        self.clear()
    }

    /// Forgets all that was counted since the last `keep`.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        let end = self.end();
        for kept in &self.baseline {
            kept.restore(&mut self.memory);
        }
        if end > self.kept {
            self.zero(self.kept..end)?;
        }
        self.set(head::END, self.kept as u64);
        self.set(head::REFUSED, 0);
        self.set(head::FULL, 0);
        Ok(())
    }

    fn zero(&mut self, range: Range<usize>) -> io::Result<()> {
        if range.len() <= ZEROED_BYTES_MAX {
            self.memory[range].fill(0);
            return Ok(());
        }
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        Ok(fallocate(&self.file, flags, range.start as u64, range.len() as u64)?)
    }

    /// Where the records are. A process that was killed while it took room for one ends the list.
    fn records(&self) -> impl Iterator<Item = usize> {
        let end = self.end();
        let mut next = PAGE_BYTES;
        std::iter::from_fn(move || {
            let at = next;
            if at >= end {
                return None;
            }
            let bytes = usize::try_from(self.number(at + record::BYTES)).ok()?;
            next = at.checked_add(bytes).filter(|next| *next > at && *next <= end)?;
            next.is_multiple_of(PAGE_BYTES).then_some(at)
        })
    }

    /// A part that a record tells of, if it is inside of the arena.
    fn part(&self, record: usize, at: usize, bytes: usize) -> Option<Range<usize>> {
        let start = usize::try_from(self.number(record + at)).ok()?;
        let end = start.checked_add(usize::try_from(self.number(record + bytes)).ok()?)?;
        (end <= self.memory.len()).then_some(start..end)
    }

    fn end(&self) -> usize {
        let end = usize::try_from(self.number(head::END)).unwrap_or(usize::MAX);
        end.min(self.memory.len())
    }

    fn number(&self, at: usize) -> u64 {
        let bytes = self.memory.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_ne_bytes)
    }

    fn set(&mut self, at: usize, number: u64) {
        self.memory[at..at + 8].copy_from_slice(&number.to_ne_bytes());
    }
}
