//! Memory that is shared with the runtime of mutants: what to do when places are reached, and how each process ended.
//! `struct metacov_split` in `crates/mutants/src/mutants.c` is its start.

use std::fs::File;
use std::io;
use std::time::Duration;

use memmap2::{MmapMut, MmapOptions};

use super::{MutantEnd, MutantExit, MutantPlan};

/// Offsets of fields that are read.
const FUEL_AT: usize = 24;
const FUEL_LEFT_AT: usize = 32;
/// The size of the fields. The arrays follow.
const HEAD_BYTES: usize = 72;
/// The size of an end: status and microseconds.
const END_BYTES: usize = 8;

/// Statuses that are not those of `wait`.
const NOT_REACHED: i32 = -1;
const NOT_STARTED: i32 = -2;
const RUNNING: i32 = -3;

/// No mutant.
const NONE: u32 = u32::MAX;

/// Memory that is shared with the runtime of mutants.
pub(super) struct SplitMemory {
    memory: MmapMut,
    mutants: usize,
}

impl SplitMemory {
    /// Writes a plan to a file, and maps it.
    #[expect(unsafe_code, reason = "shared memory; see below")]
    pub(super) fn new(file: &File, plan: &MutantPlan<'_>, is_program: bool) -> io::Result<Self> {
        let MutantPlan { first, wanted, .. } = *plan;
        let places = first.len().checked_sub(1);
        let is_valid = first.last().map(|count| *count as usize) == Some(wanted.len());
        let (Some(places), true, true) = (places, is_valid, first.is_sorted()) else {
            return Err(io::Error::other("the table of mutants is damaged"));
        };
        let number = |number: usize| u32::try_from(number).map_err(io::Error::other);
        let bytes = HEAD_BYTES + wanted.len() * (END_BYTES + 1) + size_of_val(first);
        let mut content = Vec::with_capacity(bytes);
        for field in [number(places)?, number(wanted.len())?, plan.only.unwrap_or(NONE)] {
            content.extend(field.to_ne_bytes());
        }
        content.extend(u32::from(is_program).to_ne_bytes());
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let limits = &plan.limits;
        let fields = [
            bytes as u64,
            limits.steps,
            limits.steps,
            // More than any timer takes.
            micros(limits.cpu).min(1 << 40),
            micros(limits.wall).min(1 << 40),
            limits.memory_bytes,
            limits.file_bytes,
        ];
        content.extend(fields.into_iter().flat_map(u64::to_ne_bytes));
        for _ in wanted {
            content.extend(NOT_REACHED.to_ne_bytes());
            content.extend(0_u32.to_ne_bytes());
        }
        content.extend(first.iter().flat_map(|first| first.to_ne_bytes()));
        content.extend(wanted);
        file.set_len(0)?;
        file.set_len(bytes as u64)?;
        // SAFETY: the file is metacov's, and the target writes to it only while this process waits. What is read from
        // here is validated.
        let mut memory = unsafe { MmapOptions::new().len(bytes).map_mut(file)? };
        memory.copy_from_slice(&content);
        Ok(SplitMemory { memory, mutants: wanted.len() })
    }

    /// Where it starts.
    pub(super) fn start(&mut self) -> *mut u8 {
        self.memory.as_mut_ptr()
    }

    /// The steps of the process without a mutant.
    pub(super) fn steps(&self) -> u64 {
        let number = |at| u64::from_ne_bytes(self.field(at));
        number(FUEL_AT).saturating_sub(number(FUEL_LEFT_AT))
    }

    /// The mutant that is on from the start.
    #[cfg(test)]
    fn only(&self) -> u32 {
        u32::from_ne_bytes(self.field(8))
    }

    /// All mutants that were reached. If the process that waits for them was ended, the one that it waited for did that.
    pub(super) fn ends(&self) -> Vec<MutantEnd> {
        let ends = (0..self.mutants).filter_map(|mutant| {
            let at = HEAD_BYTES + mutant * END_BYTES;
            let exit = match i32::from_ne_bytes(self.field(at)) {
                NOT_REACHED => return None,
                NOT_STARTED => MutantExit::NotStarted,
                RUNNING => MutantExit::EndedParent,
                status => MutantExit::of_status(status),
            };
            let microseconds = u32::from_ne_bytes(self.field(at + 4));
            Some(MutantEnd { mutant: u32::try_from(mutant).ok()?, exit, microseconds })
        });
        ends.collect()
    }

    fn field<const BYTES: usize>(&self, at: usize) -> [u8; BYTES] {
        let bytes = self.memory.get(at..at + BYTES).and_then(|bytes| bytes.try_into().ok());
        bytes.unwrap_or([0; BYTES])
    }
}

#[cfg(test)]
mod tests {
    use super::super::MutantLimits;
    use super::*;

    #[test]
    fn a_plan_is_written_as_the_runtime_reads_it() {
        let file = tempfile::tempfile().unwrap();
        let (first, wanted) = ([0, 2, 3], [1, 0, 1]);
        let limits = MutantLimits { steps: 50, ..MutantLimits::NONE };
        let plan = MutantPlan { first: &first, wanted: &wanted, only: Some(2), limits };
        let mut memory = SplitMemory::new(&file, &plan, false).unwrap();
        assert_eq!((memory.only(), memory.steps()), (2, 0));
        assert_eq!(memory.ends(), []);
        let end = HEAD_BYTES + 2 * END_BYTES;
        memory.memory[end..end + 4].copy_from_slice(&(7_i32 << 8).to_ne_bytes());
        memory.memory[HEAD_BYTES..HEAD_BYTES + 4].copy_from_slice(&RUNNING.to_ne_bytes());
        memory.memory[FUEL_LEFT_AT..FUEL_LEFT_AT + 8].copy_from_slice(&20_u64.to_ne_bytes());
        let end = |mutant, exit| MutantEnd { mutant, exit, microseconds: 0 };
        let ends = [end(0, MutantExit::EndedParent), end(2, MutantExit::Code(7))];
        assert_eq!((memory.ends(), memory.steps()), (ends.into(), 30));
        let damaged = MutantPlan { first: &first, wanted: &[1, 0], only: None, limits };
        assert!(SplitMemory::new(&file, &damaged, false).is_err());
    }
}
