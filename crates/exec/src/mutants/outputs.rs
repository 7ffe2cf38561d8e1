//! What processes with mutants print: a file for each.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use metacov_core::SideOutput;

use super::{MutantEnd, MutantExit, MutantPlan};

/// The most bytes that the outputs of processes with mutants take at a time, unless one takes more.
const OUTPUTS_BYTES_MAX: u64 = 4 << 30;

/// The result of an input.
#[derive(Debug)]
pub struct MutatedRun {
    /// How the program ended without a mutant, or with the only one.
    pub exit: MutantExit,
    /// What it wrote.
    pub output: MutantOutput,
    /// Its steps.
    pub steps: u64,
    /// The time that it took, with all processes.
    pub time: Duration,
    /// All wanted mutants that were reached, by number, and what each wrote.
    pub ends: Vec<(MutantEnd, MutantOutput)>,
}

/// The standard output of a process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MutantOutput {
    /// As far as it is judged.
    pub content: Arc<[u8]>,
    /// Its size.
    pub bytes: u64,
}

/// Runs an input with as many mutants at a time as there may be outputs.
pub(super) fn run_in_parts<E>(
    plan: &MutantPlan<'_>,
    mut run: impl FnMut(&MutantPlan<'_>) -> Result<MutatedRun, E>,
) -> Result<MutatedRun, E> {
    let mut wanted = plan.wanted.to_vec();
    let mut ends = Vec::new();
    let part = usize::try_from(OUTPUTS_BYTES_MAX / plan.limits.file_bytes).unwrap_or(1).max(1);
    loop {
        // Other mutants are run after these.
        let mut now = wanted.clone();
        let mut left = part;
        for wanted in &mut now {
            *wanted = u8::from(*wanted != 0 && left > 0);
            left -= usize::from(*wanted);
        }
        let run = run(&MutantPlan { wanted: &now, ..*plan })?;
        // If one has ended the process that waits for it, the others are run without it.
        let is_complete = run.ends.iter().all(|(end, _)| end.exit != MutantExit::EndedParent);
        for (mutant, now) in now.iter().enumerate().filter(|_| is_complete) {
            wanted[mutant] &= 1 - now;
        }
        for (end, _) in &run.ends {
            wanted[end.mutant as usize] = 0;
        }
        ends.extend(run.ends);
        if is_complete && wanted.iter().all(|wanted| *wanted == 0) {
            ends.sort_unstable_by_key(|(end, _)| end.mutant);
            return Ok(MutatedRun { ends, ..run });
        }
    }
}

/// Reads the outputs of processes with mutants, and removes their files. `path` is the one that the runtime was given.
pub(super) fn take_outputs(
    ends: Vec<MutantEnd>,
    path: &Path,
) -> io::Result<Vec<(MutantEnd, MutantOutput)>> {
    ends.into_iter().map(|end| Ok((end, take_output(path, end.mutant)?))).collect()
}

/// A process that was ended early has no output.
fn take_output(path: &Path, mutant: u32) -> io::Result<MutantOutput> {
    let mut path = path.as_os_str().to_owned();
    path.push(format!(".{mutant}"));
    let path = PathBuf::from(path);
    match read_output(&path) {
        Ok(output) => fs::remove_file(&path).map(|()| output),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(MutantOutput { content: [].into(), bytes: 0 })
        }
        Err(error) => Err(error),
    }
}

pub(super) fn read_output(path: &Path) -> io::Result<MutantOutput> {
    let file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut content = Vec::new();
    file.take(SideOutput::JUDGED_BYTES_MAX).read_to_end(&mut content)?;
    Ok(MutantOutput { content: content.into(), bytes })
}
