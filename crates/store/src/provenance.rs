//! Where the numbers of a run come from, besides its options.

use std::collections::BTreeMap;

use metacov_core::{CodeFile, Fingerprint};
use metacov_formats::{Fault, LeftOutCounts};
use rusqlite::Connection;

use crate::header::{damaged, get, set};

/// Where the numbers of a run come from, besides its options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The version of metacov that began it.
    pub metacov: String,
    /// When it was begun, in UTC: reports that are compared byte by byte leave it out.
    pub begun: Option<String>,
    /// System, processor, number of processors.
    pub machine: Option<String>,
    /// The random seed of generated pairs.
    pub seed: Option<String>,
    /// The files whose code is measured.
    pub code: Vec<CodeFile>,
    /// What exclusion markers have left out of each source file, by path.
    pub left_out: BTreeMap<String, LeftOutCounts>,
}

/// The keys of `meta`.
const METACOV: &str = "metacov";
const BEGUN: &str = "begun";
const MACHINE: &str = "machine";
const SEED: &str = "seed";
const COMPILER: &str = "compiler";
const FLAGS: &str = "flags";
/// Followed by the name of a file.
const CODE: &str = "code ";
/// Followed by the path of a source file. The value has two numbers: lines, and lines without their branches.
const LEFT_OUT: &str = "left out ";

impl Provenance {
    /// That of a run of this process, which is not begun yet.
    pub fn here(mut code: Vec<CodeFile>) -> Self {
        // In the order in which they are read back.
        code.sort_unstable();
        let metacov = env!("CARGO_PKG_VERSION").to_owned();
        Provenance {
            metacov,
            begun: None,
            machine: Some(machine()),
            seed: None,
            code,
            left_out: BTreeMap::new(),
        }
    }

    /// The compiler of the measured code.
    pub fn compiler(&self) -> Option<&str> {
        self.code.iter().find_map(|file| file.compiler.as_deref())
    }

    /// The compiler's options.
    pub fn flags(&self) -> Option<&str> {
        self.code.iter().find_map(|file| file.flags.as_deref())
    }

    /// What reports show of it, except for the time: name and value. Nothing if it is not known what was measured, as for
    /// coverage files: the machine that compares them has no influence on them.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        if self.code.is_empty() {
            return Vec::new();
        }
        let file = |file: &CodeFile| format!("{} {:016x}", file.file_name(), file.hash);
        let code = self.code.iter().map(file).collect::<Vec<_>>().join(", ");
        let rows = [
            ("measured code", Some(code)),
            ("compiler", self.compiler().map(str::to_owned)),
            ("compiler options", self.flags().map(str::to_owned)),
            ("seed", self.seed.clone()),
            ("machine", self.machine.clone()),
            ("metacov", Some(self.metacov.clone()).filter(|version| !version.is_empty())),
        ];
        rows.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// The first file that has other code in another run. Files are known by the last part of their names.
    pub(crate) fn other_code(&self, other: &Provenance) -> Option<&CodeFile> {
        let differs = |file: &&CodeFile| {
            let same_name = |of: &&CodeFile| of.file_name() == file.file_name();
            let mut others = other.code.iter().filter(same_name).peekable();
            others.peek().is_some() && others.all(|of| of.hash != file.hash)
        };
        self.code.iter().find(differs)
    }

    /// What all runs agree on; the earliest beginning, and all files with code.
    pub(crate) fn common<'p>(runs: impl Iterator<Item = &'p Provenance> + Clone) -> Self {
        fn agreed<T: PartialEq + Clone>(mut values: impl Iterator<Item = T>) -> Option<T> {
            let first = values.next()?;
            values.all(|value| value == first).then_some(first)
        }
        let mut code: Vec<CodeFile> = runs.clone().flat_map(|run| run.code.clone()).collect();
        code.sort_unstable();
        // One compiler is stored for all files: see `write`.
        let compiler = agreed(runs.clone().map(|run| run.compiler().map(str::to_owned))).flatten();
        let flags = agreed(runs.clone().map(|run| run.flags().map(str::to_owned))).flatten();
        for file in &mut code {
            (file.compiler, file.flags) = (compiler.clone(), flags.clone());
        }
        code.dedup();
        let mut left_out = BTreeMap::new();
        for (path, counts) in runs.clone().flat_map(|run| &run.left_out) {
            let entry = left_out.entry(path.clone()).or_insert(*counts);
            *entry = more(*entry, *counts);
        }
        Provenance {
            metacov: agreed(runs.clone().map(|run| run.metacov.clone())).unwrap_or_default(),
            begun: runs.clone().filter_map(|run| run.begun.clone()).min(),
            machine: agreed(runs.clone().map(|run| run.machine.clone())).flatten(),
            seed: agreed(runs.map(|run| run.seed.clone())).flatten(),
            code,
            left_out,
        }
    }

    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        set(connection, METACOV, &self.metacov)?;
        for (key, value) in self.optional() {
            set(connection, key, value)?;
        }
        for file in &self.code {
            set(connection, &format!("{CODE}{}", file.name), &format!("{:016x}", file.hash))?;
        }
        write_left_out(connection, &self.left_out)
    }

    pub(crate) fn read(connection: &Connection) -> Result<Self, Fault> {
        let (compiler, flags) = (get(connection, COMPILER)?, get(connection, FLAGS)?);
        let mut code = Vec::new();
        for (name, value) in with_prefix(connection, CODE)? {
            let hash = u64::from_str_radix(&value, 16);
            let hash = hash.map_err(|_| damaged("the hash of a program is not a number"))?;
            let (compiler, flags) = (compiler.clone(), flags.clone());
            code.push(CodeFile { name, hash, compiler, flags });
        }
        let mut left_out = BTreeMap::new();
        for (path, value) in with_prefix(connection, LEFT_OUT)? {
            let counts = value.split_once(' ').and_then(|(lines, branch_lines)| {
                let (lines, branch_lines) = (lines.parse().ok()?, branch_lines.parse().ok()?);
                Some(LeftOutCounts { lines, branch_lines, ..LeftOutCounts::OF_FILE })
            });
            let counts =
                counts.ok_or_else(|| damaged("what markers left out is not two numbers"))?;
            left_out.insert(path, counts);
        }
        Ok(Provenance {
            metacov: get(connection, METACOV)?.unwrap_or_default(),
            begun: get(connection, BEGUN)?,
            machine: get(connection, MACHINE)?,
            seed: get(connection, SEED)?,
            code,
            left_out,
        })
    }

    /// Notes that the run is begun now.
    pub(crate) fn begin(connection: &Connection) -> rusqlite::Result<()> {
        let now = "SELECT strftime('%Y-%m-%d %H:%M:%S', 'now')";
        let now: String = connection.query_row(now, [], |row| row.get(0))?;
        set(connection, BEGUN, &now)
    }

    /// Takes in all of it but for the version: files of version 5 have nothing else.
    pub(crate) fn fingerprint(&self, fingerprint: &mut Fingerprint) {
        for (key, value) in self.optional() {
            fingerprint.text(key);
            fingerprint.text(value);
        }
        for file in &self.code {
            fingerprint.text(&file.name);
            fingerprint.bytes(&file.hash.to_le_bytes());
        }
        for (path, LeftOutCounts { lines, branch_lines, .. }) in &self.left_out {
            fingerprint.text(path);
            fingerprint.text(&format!("{lines} {branch_lines}"));
        }
    }

    fn optional(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let values = [
            (BEGUN, self.begun.as_deref()),
            (MACHINE, self.machine.as_deref()),
            (SEED, self.seed.as_deref()),
            (COMPILER, self.compiler()),
            (FLAGS, self.flags()),
        ];
        values.into_iter().filter_map(|(key, value)| Some((key, value?)))
    }
}

/// Stores what markers have left out, beside what is stored already.
pub(crate) fn write_left_out(
    connection: &Connection,
    left_out: &BTreeMap<String, LeftOutCounts>,
) -> rusqlite::Result<()> {
    for (path, LeftOutCounts { lines, branch_lines, .. }) in left_out {
        set(connection, &format!("{LEFT_OUT}{path}"), &format!("{lines} {branch_lines}"))?;
    }
    Ok(())
}

/// The more complete counts of a file: a run that compiled less of it has seen fewer of its lines.
fn more(left: LeftOutCounts, right: LeftOutCounts) -> LeftOutCounts {
    LeftOutCounts {
        lines: left.lines.max(right.lines),
        branch_lines: left.branch_lines.max(right.branch_lines),
        ..LeftOutCounts::OF_FILE
    }
}

/// The rows of the header whose keys begin with this: the rest of the key, and the value.
fn with_prefix(connection: &Connection, prefix: &str) -> rusqlite::Result<Vec<(String, String)>> {
    let sql = "SELECT substr(key, length(?1) + 1), value FROM meta \
               WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key";
    let mut rows = connection.prepare(sql)?;
    let rows = rows.query_map([prefix], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// System, processor, number of processors.
fn machine() -> String {
    let name = rustix::system::uname();
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    });
    let model = model.unwrap_or_else(|| name.machine().to_string_lossy().into_owned());
    let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (system, release) = (name.sysname().to_string_lossy(), name.release().to_string_lossy());
    let plural = if count == 1 { "" } else { "s" };
    format!("{system} {release}, {model}, {count} processor{plural}")
}
