//! Processor time of this process and its descendants.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::time::Duration;

use rustix::param::clock_ticks_per_second;
use rustix::process::Pid;

/// An entry of `/proc`.
struct Process {
    parent: u32,
    /// Clock ticks, with those of children that have ended and were waited for.
    ticks: u64,
}

/// The processor time of this process and all its descendants so far. Processes that have ended
/// without being waited for are not included.
pub fn processor_time() -> io::Result<Duration> {
    let ticks: u64 = tree(std::process::id())?.values().map(|process| process.ticks).sum();
    Ok(Duration::from_millis(ticks * 1000 / clock_ticks_per_second().max(1)))
}

/// How long a process or one of its descendants, whichever waited longest, has been ready to run while
/// other processes had the processor. It is 0 on systems that do not count it.
pub(super) fn waiting_time(root: u32) -> Duration {
    let waited = |id: &u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/schedstat")).ok()?;
        stat.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    let tree = tree(root).unwrap_or_default();
    Duration::from_nanos(tree.keys().filter_map(waited).max().unwrap_or(0))
}

/// A process and its descendants, by id.
fn tree(root: u32) -> io::Result<BTreeMap<u32, Process>> {
    let mut processes = BTreeMap::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(id) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // The process may have ended meanwhile.
        let Ok(stat) = fs::read_to_string(format!("/proc/{id}/stat")) else { continue };
        if let Some(process) = parse(&stat) {
            processes.insert(id, process);
        }
    }
    let is_in = |id: u32| {
        let above = std::iter::successors(Some(id), |id| processes.get(id).map(|it| it.parent));
        above.take(processes.len()).any(|id| id == root)
    };
    let ids: Vec<u32> = processes.keys().copied().filter(|id| is_in(*id)).collect();
    Ok(ids.into_iter().filter_map(|id| processes.remove_entry(&id)).collect())
}

/// The processor time of this process and of all its children that were waited for.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
pub fn used_processor_time() -> Duration {
    let time = |value: libc::timeval| {
        let [seconds, micros] = [value.tv_sec, value.tv_usec].map(i64::unsigned_abs);
        Duration::from_secs(seconds) + Duration::from_micros(micros)
    };
    let of = |whose| {
        // SAFETY: the structure has numbers only, and is written by the call.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(whose, &raw mut usage);
            usage
        };
        time(usage.ru_utime) + time(usage.ru_stime)
    };
    of(libc::RUSAGE_SELF) + of(libc::RUSAGE_CHILDREN)
}

/// The processor time of a process that was not waited for yet, without its children; 0 if there is
/// no such process.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
pub(super) fn time_of(process: Pid) -> Duration {
    // SAFETY: both calls write to the variables that they are passed.
    unsafe {
        let mut clock: libc::clockid_t = 0;
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let failed = libc::clock_getcpuclockid(process.as_raw_pid(), &raw mut clock) != 0
            || libc::clock_gettime(clock, &raw mut time) != 0;
        if failed {
            return Duration::ZERO;
        }
        let [seconds, nanos] = [time.tv_sec, time.tv_nsec].map(i64::unsigned_abs);
        Duration::from_secs(seconds) + Duration::from_nanos(nanos)
    }
}

/// Parses `/proc/N/stat`. The name is in parentheses, and may itself contain parentheses.
fn parse(stat: &str) -> Option<Process> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11..15)?.iter().map(|field| field.parse::<u64>());
    Some(Process { parent: fields.get(1)?.parse().ok()?, ticks: ticks.sum::<Result<_, _>>().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_this_process_and_of_its_children_counts() {
        let before = processor_time().unwrap();
        let used_before = used_processor_time();
        let spin = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let done = std::process::Command::new("sh").args(["-c", spin]).status().unwrap();
        assert!(done.success());
        assert!(processor_time().unwrap() > before);
        assert!(used_processor_time() > used_before);
    }

    #[test]
    fn time_without_the_processor_counts() {
        let spin = || {
            let mut shell = std::process::Command::new("taskset");
            shell.args(["-c", "0", "sh", "-c", "while :; do :; done"]).spawn().unwrap()
        };
        let mut both = [spin(), spin()];
        std::thread::sleep(Duration::from_millis(400));
        let waited: Duration = both.iter().map(|process| waiting_time(process.id())).sum();
        for process in &mut both {
            process.kill().unwrap();
            process.wait().unwrap();
        }
        assert!(waited > Duration::from_millis(100), "{waited:?}");
    }

    #[test]
    fn names_with_parentheses_are_read() {
        let process =
            parse("7 (a) b) (c)) S 3 7 7 0 -1 4194560 1 2 0 0 10 20 30 40 20 0 1 0").unwrap();
        assert_eq!((process.parent, process.ticks), (3, 100));
        assert!(parse("7 (a").is_none());
    }
}
