//! Shared memory in which targets count. `runtime/README.md` draws it.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use memmap2::{MmapMut, MmapOptions};
use metacov_formats::{Error, Snapshot};
use metacov_runtime::{MAGIC, PAGE_BYTES};
use rustix::fs::{
    FallocateFlags, MemfdFlags, SealFlags, fallocate, fcntl_add_seals, ftruncate, memfd_create,
};
use rustix::process::{Resource, getrlimit};

use crate::capture::Trace;

/// The size of the mapping, unless the limit on file sizes is lower. Only pages that are used take
/// memory.
const ARENA_BYTES_MAX: usize = 4 << 30;

/// Counters up to this size are zeroed in place; the pages of larger ones are returned to the
/// system, which is cheaper when few of them were used.
const ZEROED_BYTES_MAX: usize = 4 << 20;

/// The granularity at which a baseline looks for counters that are not zero.
const STRETCH_BYTES: usize = 512;

/// Offsets of the fields in the header of an arena.
mod head {
    pub(super) const MAGIC: usize = 0;
    pub(super) const BYTES: usize = 8;
    pub(super) const END: usize = 16;
    pub(super) const REFUSED: usize = 24;
    pub(super) const FULL: usize = 32;
}

/// Offsets of the fields in the header of a record.
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

/// The shared memory of one execution at a time.
pub(crate) struct Arena {
    file: File,
    memory: MmapMut,
    /// The end of the records that survive `clear`: those of a target that keeps running.
    kept: usize,
    /// The layouts of the kept records, and where they are.
    layouts: Vec<(Range<usize>, Arc<[u8]>)>,
    /// The initial counters of the kept records.
    baseline: Vec<Baseline>,
}

/// The counters of a record before each execution: zero, except for the few that the target counted
/// before its first execution.
struct Baseline {
    part: Range<usize>,
    /// The stretches that are not all zero, and where they are.
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
        self.restore_counted(memory);
    }

    /// The same, if all counters are zero.
    fn restore_counted(&self, memory: &mut [u8]) {
        for (stretch, counters) in &self.counted {
            memory[stretch.clone()].copy_from_slice(counters);
        }
    }
}

/// The counters that a target has written.
pub(crate) enum Contents<'a> {
    /// The counters of all its images and processes.
    Counters(Vec<Snapshot<'a>>),
    /// The same, but some belong to a process that executed another program on its way, so they
    /// need not add up.
    Unfinished(Vec<Snapshot<'a>>),
    /// The target was compiled by a gcc that the runtime does not support, of this version.
    Refused(String),
    /// The arena was too small.
    Full,
}

impl Arena {
    #[expect(unsafe_code, reason = "shared memory; see below")]
    pub(crate) fn new() -> io::Result<Self> {
        let file = memfd_create("metacov", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        // A process that extends a file beyond the limit is killed.
        let limit =
            getrlimit(Resource::Fsize).current.and_then(|limit| usize::try_from(limit).ok());
        let bytes = ARENA_BYTES_MAX.min(limit.unwrap_or(usize::MAX)) / PAGE_BYTES * PAGE_BYTES;
        ftruncate(&file, bytes as u64)?;
        // Sealed, because a target that truncated the file would kill this process at its next
        // access (SIGBUS).
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        let file = File::from(file);
        // SAFETY: only targets share this memory, and it is accessed only while none of them runs:
        // after all processes of an execution have ended, or while the one that keeps running waits
        // for a request. A target that writes at another time can make numbers wrong, but nothing
        // else: everything that is read from here is validated like foreign bytes.
        let memory = unsafe { MmapOptions::new().len(bytes).map_mut(&file)? };
        let mut arena =
            Arena { file, memory, kept: PAGE_BYTES, layouts: Vec::new(), baseline: Vec::new() };
        arena.set(head::MAGIC, MAGIC);
        arena.set(head::BYTES, bytes as u64);
        arena.set(head::END, PAGE_BYTES as u64);
        Ok(arena)
    }

    /// The path by which targets open the arena.
    pub(crate) fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd())
    }

    /// The path by which this process and its children open the arena. It has the same length in
    /// every run.
    pub(crate) fn own_path(&self) -> String {
        format!("/proc/self/fd/{}", self.file.as_raw_fd())
    }

    /// Reads what the target has counted.
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

    /// Keeps the existing records, which belong to a target that keeps running, with their counters
    /// so far.
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

    /// Makes the kept counters start at zero, whatever they have counted so far.
    pub(crate) fn keep_zero(&mut self) {
        for kept in &mut self.baseline {
            kept.counted.clear();
        }
    }

    /// Whether the kept records hold nothing of the target but counters.
    pub(crate) fn is_isolated(&self) -> bool {
        self.records().all(|at| self.number(at + record::ISOLATED) & 0xffff_ffff != 0)
    }

    /// The counters of the kept records.
    pub(crate) fn counters(&self) -> Vec<Vec<u8>> {
        self.baseline.iter().map(|kept| self.memory[kept.part.clone()].to_vec()).collect()
    }

    /// Stores in the trace which kept counters are not zero, and sets these counters to zero.
    pub(crate) fn take_trace(&mut self, trace: &mut Trace) {
        trace.clear();
        for kept in &self.baseline {
            trace.take(&mut self.memory[kept.part.clone()]);
        }
    }

    /// Sets the counters of the kept records.
    pub(crate) fn set_counters(&mut self, counters: &[Vec<u8>]) {
        for (kept, counters) in self.baseline.iter().zip(counters) {
            self.memory[kept.part.clone()].copy_from_slice(counters);
        }
    }

    /// Drops the records of a target that has ended.
    pub(crate) fn keep_nothing(&mut self) -> io::Result<()> {
        self.kept = PAGE_BYTES;
        self.layouts.clear();
        self.baseline.clear();
        self.clear()
    }

    /// Discards all that was counted since the last `keep`.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        for kept in &self.baseline {
            kept.restore(&mut self.memory);
        }
        self.clear_rest()
    }

    /// Moves the kept counters away, layout by layout, with a function that sets them to zero. They
    /// then start as they do before each execution. Only if there are no other records.
    pub(crate) fn take(
        &mut self,
        mut take: impl FnMut(&Arc<[u8]>, &mut [u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (kept, (_, layout)) in self.baseline.iter().zip(&self.layouts) {
            take(layout, &mut self.memory[kept.part.clone()])?;
            kept.restore_counted(&mut self.memory);
        }
        Ok(())
    }

    /// Whether there are kept records and no others, and nothing was refused.
    pub(crate) fn has_only_kept(&self) -> bool {
        self.is_kept()
            && self.end() == self.kept
            && self.number(head::REFUSED) == 0
            && self.number(head::FULL) == 0
            && self
                .records()
                .all(|at| self.number(at + record::STATE) & 0xffff_ffff == record::LIVE)
    }

    /// Drops all records that are not kept.
    fn clear_rest(&mut self) -> io::Result<()> {
        let end = self.end();
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

    /// The offsets of all records. A record whose process was killed while allocating it ends the
    /// list.
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

    /// A part that a record refers to, if it lies inside the arena.
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
