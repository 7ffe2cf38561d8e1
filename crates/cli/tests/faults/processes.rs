//! Information of the system about processes.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

/// The largest values for a process, early and late in its life.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    pub descriptors: usize,
    pub processes: usize,
    pub memory_kilobytes: u64,
}

/// A process that was watched to its end.
pub struct Watched {
    pub output: Output,
    pub took: Duration,
    /// In the first and in the second half of its samples.
    pub halves: [Extent; 2],
}

/// Waits for the end of a process and samples it meanwhile.
pub fn watch(child: Child) -> Watched {
    let id = child.id();
    let start = now();
    let waiting = std::thread::spawn(move || child.wait_with_output().unwrap());
    let mut samples = Vec::new();
    while !waiting.is_finished() {
        samples.extend(extent(id));
        std::thread::sleep(Duration::from_millis(20));
    }
    let most = |samples: &[Extent]| {
        samples.iter().fold(Extent::default(), |most, sample| Extent {
            descriptors: most.descriptors.max(sample.descriptors),
            processes: most.processes.max(sample.processes),
            memory_kilobytes: most.memory_kilobytes.max(sample.memory_kilobytes),
        })
    };
    let (first, second) = samples.split_at(samples.len() / 2);
    let halves = [most(first), most(second)];
    Watched { output: waiting.join().unwrap(), took: start.elapsed(), halves }
}

#[expect(clippy::disallowed_methods, reason = "how long something takes is measured")]
pub fn now() -> Instant {
    Instant::now()
}

fn extent(id: u32) -> Option<Extent> {
    let descriptors = fs::read_dir(format!("/proc/{id}/fd")).ok()?.count();
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let memory_kilobytes = memory.trim().trim_end_matches(" kB").parse().ok()?;
    Some(Extent { descriptors, processes: descendants(id).len(), memory_kilobytes })
}

/// The ids and command lines of all descendants of a process.
pub fn descendants(id: u32) -> Vec<(u32, String)> {
    let mut parents = BTreeMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent =
            stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        let parent: u32 = parent.unwrap_or_default();
        let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        parents.insert(process, (parent, String::from_utf8_lossy(&words).replace('\0', " ")));
    }
    let is_below = |process: u32| {
        let up = |process: &u32| parents.get(process).map(|(parent, _)| *parent);
        std::iter::successors(up(&process), up).take(100).any(|parent| parent == id)
    };
    let below: Vec<u32> = parents.keys().copied().filter(|process| is_below(*process)).collect();
    below.into_iter().map(|process| (process, parents[&process].1.clone())).collect()
}

/// The processes that have loaded this library, whatever started them.
pub fn users(library: &std::path::Path) -> usize {
    let name = library.to_str().unwrap();
    let maps = fs::read_dir("/proc").unwrap().flatten();
    let maps = maps.filter_map(|entry| fs::read_to_string(entry.path().join("maps")).ok());
    maps.filter(|maps| maps.contains(name)).count()
}
