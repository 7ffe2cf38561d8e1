//! Compiled programs in files, so that the notes of a large program are compiled once and not at
//! each start.
//!
//! ```text
//! file = magic, key of the program, unit*
//! unit = bytes of the path of its notes, bytes of the compiled unit, checksum of what follows,
//!        identity of the notes, their path, the compiled unit (see `compiled::codec`)
//! ```
//!
//! Lengths are 32 bits, the checksum and the key 64 and 128, the low byte first.
//!
//! A program is recognised by its key, a hash of the layout of its counters, which contains the
//! stamp of each unit and the checksums of each function. Its file is valid as long as the notes are
//! the same files with the same times: notes can change without their stamp, if the compiler was
//! called with `-frandom-seed`. What does not fit, is damaged, or was written by another metacov, is
//! compiled again and replaced. Nothing is an error: without a usable folder, programs are compiled
//! at each start.
//!
//! Files are read, not mapped: nothing of them is needed after the start, a file that is cut off
//! while it is mapped ends the process, and the system keeps them in memory for other processes
//! anyway.

use std::fs::{self, File, Metadata};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::compiled::CompiledUnit;
use crate::checksum::Checksum;

const MAGIC: [u8; 16] = *b"metacov: notes 1";

/// Notes of fewer bytes are compiled at each start: the compiled form saves less than a millisecond
/// of a start that takes longer (14 ms for 800 KB, `benches/large --quick`).
const NOTES_BYTES_MIN: u64 = 64 << 10;

/// How many programs are kept: the last ones that were compiled.
const FILES_MAX: usize = 16;

/// How fine the times of files are, in nanoseconds: a file that is changed twice within this time
/// may have the same time twice.
const TIME_STEP_NS: i128 = 100_000_000;

/// The folder of compiled programs.
pub(super) struct NotesCache {
    folder: PathBuf,
    notes_bytes_min: u64,
}

/// Identifies a program and how it was compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProgramKey([u8; 16]);

impl ProgramKey {
    /// The key of a program with this layout, compiled by this version of metacov with these
    /// settings. None if this version is not known.
    pub(super) fn of(layout: &[u8], settings: &str) -> Option<Self> {
        // Not the version number: during development, one version compiles in different ways.
        let own = NotesFile::at(&std::env::current_exe().ok()?).ok()?;
        let hashes = [1, 2].map(|seed| {
            let mut checksum = Checksum::new(seed);
            checksum.add(&own.identity.map(u64::to_le_bytes).concat());
            checksum.add(&(settings.len() as u64).to_le_bytes());
            checksum.add(settings.as_bytes());
            checksum.add(layout);
            checksum.finish().to_le_bytes()
        });
        Some(ProgramKey(hashes.concat().try_into().ok()?))
    }
}

/// A file of notes, and what changes if the file does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NotesFile {
    path: PathBuf,
    identity: [u64; 7],
    bytes: u64,
    /// Seconds and nanoseconds, by the clock of its file system.
    changed: (i64, i64),
}

const IDENTITY_BYTES: usize = 7 * 8;

impl NotesFile {
    /// The file at a path.
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        let numbers = [
            metadata.dev(),
            metadata.ino(),
            metadata.size(),
            metadata.mtime().cast_unsigned(),
            metadata.mtime_nsec().cast_unsigned(),
            metadata.ctime().cast_unsigned(),
            metadata.ctime_nsec().cast_unsigned(),
        ];
        let (bytes, changed) = (metadata.size(), changed(&metadata));
        Ok(NotesFile { path: path.to_owned(), identity: numbers, bytes, changed })
    }
}

/// When a file was changed last.
fn changed(metadata: &Metadata) -> (i64, i64) {
    (metadata.ctime(), metadata.ctime_nsec())
}

impl NotesCache {
    pub(super) fn new(folder: PathBuf) -> Self {
        NotesCache { folder, notes_bytes_min: NOTES_BYTES_MIN }
    }

    /// The units of a program, if they are stored.
    pub(super) fn open(&self, key: ProgramKey) -> Option<StoredUnits> {
        let file = File::open(self.path(key)).ok()?;
        let left = file.metadata().ok()?.len();
        let mut units = StoredUnits { file: BufReader::new(file), left, bytes: Vec::new() };
        units.take(MAGIC.len() + key.0.len())?;
        (units.bytes == [MAGIC, key.0].concat()).then_some(units)
    }

    /// Stores the units of a program, each with the notes that it was compiled from. Failures are
    /// ignored: the units are compiled again at the next start.
    pub(super) fn store(&self, key: ProgramKey, units: &[(CompiledUnit, NotesFile)]) {
        let notes_bytes: u64 = units.iter().map(|(_, notes)| notes.bytes).sum();
        if notes_bytes < self.notes_bytes_min {
            return;
        }
        let path = self.path(key);
        // Another process may write the same file: each writes its own, and renames it.
        let temporary = path.with_extension(std::process::id().to_string());
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| write(&temporary, key, units))
            .and_then(|()| fs::rename(&temporary, &path));
        match written {
            Ok(()) => self.remove_old_files(),
            Err(_) => drop(fs::remove_file(&temporary)),
        }
    }

    fn path(&self, key: ProgramKey) -> PathBuf {
        self.folder.join(format!("{:032x}.notes", u128::from_be_bytes(key.0)))
    }

    /// Removes all files but the newest. Those of processes that were killed are among them.
    fn remove_old_files(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let with_time =
            |entry: fs::DirEntry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()));
        let mut files: Vec<(SystemTime, PathBuf)> = entries.filter_map(with_time).collect();
        files.sort_unstable();
        let old = files.len().saturating_sub(FILES_MAX);
        for (_, path) in files.drain(..old) {
            drop(fs::remove_file(path));
        }
    }
}

/// The units of a program in a file.
pub(super) struct StoredUnits {
    file: BufReader<File>,
    /// How many bytes were not read yet.
    left: u64,
    /// The bytes that were read last.
    bytes: Vec<u8>,
}

impl StoredUnits {
    /// The next unit, if it is not damaged and its notes are the same.
    pub(super) fn next(&mut self) -> Option<CompiledUnit> {
        self.take(HEAD_BYTES)?;
        let head = Head::decode(&self.bytes)?;
        self.take(head.body_bytes()?)?;
        head.unit(&self.bytes)
    }

    /// Whether that was the last one.
    pub(super) fn is_complete(&self) -> bool {
        self.left == 0
    }

    fn take(&mut self, count: usize) -> Option<()> {
        self.left = self.left.checked_sub(count as u64)?;
        self.bytes.resize(count, 0);
        self.file.read_exact(&mut self.bytes).ok()
    }
}

/// Writes a new file. Fails if notes may have changed since they were read.
fn write(path: &Path, key: ProgramKey, units: &[(CompiledUnit, NotesFile)]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(&[MAGIC, key.0].concat())?;
    let now = changed(&file.metadata()?);
    let (mut head, mut body) = (Vec::new(), Vec::new());
    for (unit, notes) in units {
        let is_old = nanoseconds(now) - nanoseconds(notes.changed) > TIME_STEP_NS;
        body.clear();
        let encoded = encode(unit, notes, &mut body).filter(|_| is_old);
        let Some(lengths) = encoded else { return Err(io::ErrorKind::Other.into()) };
        head.clear();
        head.extend_from_slice(&lengths.map(u32::to_le_bytes).concat());
        head.extend_from_slice(&checksum(&head, &body).to_le_bytes());
        file.write_all(&head)?;
        file.write_all(&body)?;
    }
    Ok(())
}

fn nanoseconds((seconds, rest): (i64, i64)) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(rest)
}

/// Appends the body of a unit. Returns the lengths of the path and of the compiled unit; none if
/// they are too large.
fn encode(unit: &CompiledUnit, notes: &NotesFile, body: &mut Vec<u8>) -> Option<[u32; 2]> {
    let path = notes.path.to_str()?;
    body.extend_from_slice(&notes.identity.map(u64::to_le_bytes).concat());
    body.extend_from_slice(path.as_bytes());
    let start = body.len();
    unit.encode(body)?;
    Some([u32::try_from(path.len()).ok()?, u32::try_from(body.len() - start).ok()?])
}

/// What precedes a unit.
struct Head {
    lengths: [u32; 2],
    checksum: u64,
}

const HEAD_BYTES: usize = 2 * 4 + 8;

impl Head {
    fn decode(bytes: &[u8]) -> Option<Self> {
        let (lengths, checksum) = bytes.split_first_chunk::<8>()?;
        let [path, unit] = *lengths.as_chunks::<4>().0 else { return None };
        let checksum = u64::from_le_bytes(checksum.try_into().ok()?);
        Some(Head { lengths: [path, unit].map(u32::from_le_bytes), checksum })
    }

    fn body_bytes(&self) -> Option<usize> {
        let [path, unit] = self.lengths.map(|length| length as usize);
        IDENTITY_BYTES.checked_add(path)?.checked_add(unit)
    }

    /// The unit of a body, if it is not damaged and its notes are the same.
    fn unit(&self, body: &[u8]) -> Option<CompiledUnit> {
        if checksum(&self.lengths.map(u32::to_le_bytes).concat(), body) != self.checksum {
            return None;
        }
        let (identity, rest) = body.split_at_checked(IDENTITY_BYTES)?;
        let (path, unit) = rest.split_at_checked(self.lengths[0] as usize)?;
        let notes = NotesFile::at(Path::new(std::str::from_utf8(path).ok()?)).ok()?;
        if notes.identity.map(u64::to_le_bytes).concat() != identity {
            return None;
        }
        CompiledUnit::decode(unit)
    }
}

fn checksum(lengths: &[u8], body: &[u8]) -> u64 {
    let mut checksum = Checksum::new(0);
    checksum.add(lengths);
    checksum.add(body);
    checksum.finish()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use proptest::prelude::*;
    use proptest::sample::subsequence;
    use tempfile::TempDir;

    use super::super::unit::Unit;
    use super::*;

    impl NotesCache {
        /// The units of a program, if it has that many.
        fn load(&self, key: ProgramKey, unit_count: usize) -> Option<Vec<CompiledUnit>> {
            let mut stored = self.open(key)?;
            let units = (0..unit_count).map(|_| stored.next()).collect::<Option<Vec<_>>>()?;
            stored.is_complete().then_some(units)
        }
    }

    const KEY: ProgramKey = ProgramKey(*b"sixteen bytes ok");

    /// A program of two units that are compiled from these notes, and a folder for it.
    struct Program {
        folder: TempDir,
        units: Vec<(CompiledUnit, NotesFile)>,
    }

    impl Program {
        fn new() -> Self {
            let folder = TempDir::new().unwrap();
            let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gcda/gcc-12");
            let unit = |name: &str| {
                let path = folder.path().join(name);
                fs::copy(data.join(name), &path).unwrap();
                (compile(&path, |_| true), NotesFile::at(&path).unwrap())
            };
            let units = vec![unit("main.gcno"), unit("shapes.gcno")];
            // A change within the resolution of file times would not be noticed, so newer notes are not stored.
            std::thread::sleep(std::time::Duration::from_millis(150));
            Program { folder, units }
        }

        fn cache(&self) -> NotesCache {
            NotesCache { folder: self.folder.path().join("cache/notes"), notes_bytes_min: 0 }
        }

        fn compiled(&self) -> Vec<CompiledUnit> {
            self.units.iter().map(|(unit, _)| unit.clone()).collect()
        }

        /// Stores the program. Returns the file.
        fn stored(&self) -> PathBuf {
            self.cache().store(KEY, &self.units);
            assert!(self.cache().load(KEY, 2) == Some(self.compiled()));
            self.cache().path(KEY)
        }

        fn is_loaded(&self) -> bool {
            let loaded = self.cache().load(KEY, 2);
            assert!(loaded.is_none() || loaded == Some(self.compiled()), "it is never wrong");
            loaded.is_some()
        }
    }

    fn compile(notes: &Path, is_present: impl Fn(usize) -> bool) -> CompiledUnit {
        let unit = Unit::read(&fs::read(notes).unwrap(), |_| true).unwrap();
        let numbers = (0..unit.notes.functions.len()).filter(|number| is_present(*number));
        CompiledUnit::of(&unit, &numbers.collect::<Vec<_>>(), true)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]
        #[test]
        fn what_is_loaded_is_what_was_compiled(present in subsequence((0..60).collect::<Vec<usize>>(), 0..60)) {
            let mut program = Program::new();
            for (unit, notes) in &mut program.units {
                *unit = compile(&notes.path, |number| present.contains(&number));
            }
            program.stored();
        }
    }

    #[test]
    fn every_damaged_byte_and_every_other_length_is_noticed() {
        let mut program = Program::new();
        for (unit, notes) in &mut program.units {
            *unit = compile(&notes.path, |number| number < 2);
        }
        let path = program.stored();
        let sound = fs::read(&path).unwrap();
        for at in 0..sound.len() {
            let mut bytes = sound.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(&path, bytes).unwrap();
            assert!(!program.is_loaded(), "byte {at}");
            if at % 5 == 0 {
                fs::write(&path, &sound[..at]).unwrap();
                assert!(!program.is_loaded(), "cut off at {at}");
            }
        }
        fs::write(&path, [&sound[..], b"more"].concat()).unwrap();
        assert!(!program.is_loaded());
        // It is replaced.
        program.stored();
        assert_eq!(fs::read(&path).unwrap(), sound);
    }

    #[test]
    fn other_programs_and_changed_notes_are_noticed() {
        let program = Program::new();
        let path = program.stored();
        let (cache, other) = (program.cache(), ProgramKey([7; 16]));
        assert!(cache.load(other, 2).is_none());
        fs::copy(&path, cache.path(other)).unwrap();
        assert!(cache.load(other, 2).is_none(), "a file of another program");
        for count in [0, 1, 3] {
            assert!(cache.load(KEY, count).is_none());
        }
        let notes = &program.units[1].1.path;
        let content = fs::read(notes).unwrap();
        fs::write(notes, &content).unwrap();
        assert!(!program.is_loaded(), "they were written again");
        program.cache().store(KEY, &program.units);
        assert!(!program.is_loaded(), "what was compiled before that does not count");
        fs::remove_file(notes).unwrap();
        assert!(!program.is_loaded());
    }

    #[test]
    fn notes_that_may_still_change_are_not_stored() {
        let mut program = Program::new();
        let notes = &mut program.units[0].1;
        fs::copy(&notes.path, notes.path.with_extension("new")).unwrap();
        fs::rename(notes.path.with_extension("new"), &notes.path).unwrap();
        *notes = NotesFile::at(&notes.path).unwrap();
        program.cache().store(KEY, &program.units);
        assert!(!program.cache().path(KEY).exists());
        assert_eq!(fs::read_dir(program.cache().folder).unwrap().count(), 0);
    }

    #[test]
    fn an_unusable_folder_is_no_error() {
        let program = Program::new();
        let folder = program.cache().folder;
        fs::create_dir_all(folder.parent().unwrap()).unwrap();
        fs::write(&folder, "a file").unwrap();
        program.cache().store(KEY, &program.units);
        assert!(!program.is_loaded());
        fs::remove_file(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
        program.cache().store(KEY, &program.units);
        program.is_loaded();
    }

    #[test]
    fn small_programs_are_not_stored_and_old_ones_are_removed() {
        let program = Program::new();
        let small = NotesCache::new(program.cache().folder);
        small.store(KEY, &program.units);
        assert!(!small.folder.exists());
        for number in 0..u8::try_from(FILES_MAX).unwrap() + 3 {
            program.cache().store(ProgramKey([number; 16]), &program.units);
        }
        program.stored();
        assert_eq!(fs::read_dir(small.folder).unwrap().count(), FILES_MAX);
    }

    #[test]
    fn the_key_depends_on_the_layout_and_the_settings() {
        let key = |layout: &[u8], settings| ProgramKey::of(layout, settings).unwrap();
        assert_eq!(key(b"ab", "c"), key(b"ab", "c"));
        assert_ne!(key(b"ab", "c"), key(b"ac", "c"));
        assert_ne!(key(b"ab", "c"), key(b"b", "ca"));
        assert_ne!(key(b"ab", "c"), key(b"ab", "d"));
    }
}
