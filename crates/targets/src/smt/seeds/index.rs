//! What a folder of scripts contains: the usable ones by logic and label, the others by reason, and
//! how solvers answer. It is kept in the cache, so that only changed files are read and run again.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use metacov_core::{Fingerprint, Input};
use metacov_methods::smt::{Label, SEED_BYTES_MAX, Seed, Unusable};
use serde::{Deserialize, Serialize};

use super::{Script, base, named, scripts};

/// Changes when files of the cache are no longer understood, or scripts are read in another way.
const VERSION: u32 = 3;

/// The scripts of a folder, by name.
pub struct SeedIndex {
    /// Each script.
    pub scripts: BTreeMap<String, IndexedSeed>,
    folder: PathBuf,
    /// The file in the cache.
    file: PathBuf,
}

/// What is known about a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedSeed {
    bytes: u64,
    modified: SystemTime,
    /// Its logic and label, or why it is not usable.
    pub content: Result<(Option<String>, Option<Label>), String>,
    /// How solvers have answered, by their command and time limit.
    pub solved: BTreeMap<String, SolvedSeed>,
}

/// How a solver has answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolvedSeed {
    /// Its answer, if it has decided the script.
    pub answer: Option<Label>,
    /// The processor time that it took.
    pub time: Duration,
}

impl SeedIndex {
    /// Reads all scripts below a folder that are not in the cache yet.
    pub fn of(folder: &Path, cache: &Path) -> io::Result<Self> {
        let file = file(folder, cache)?;
        // A cache that cannot be read is one that is not there.
        let known = fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut known: BTreeMap<String, IndexedSeed> = known.unwrap_or_default();
        let mut all = BTreeMap::new();
        for script in scripts(folder)? {
            let before = known.remove(&script.name).filter(|known| known.is_of(&script));
            let seed = before.unwrap_or_else(|| IndexedSeed::read(&script));
            all.insert(script.name, seed);
        }
        Ok(SeedIndex { scripts: all, folder: folder.to_owned(), file })
    }

    /// Returns the scripts with a label that no solver of this key has run, as inputs.
    pub fn unsolved(&self, solver: &str) -> io::Result<Vec<(String, Input)>> {
        let mut inputs = Vec::new();
        for (name, script) in &self.scripts {
            let is_labelled = matches!(script.content, Ok((_, Some(_))));
            if !is_labelled || script.solved.contains_key(solver) {
                continue;
            }
            let path = base(&self.folder).join(name);
            let text = fs::read_to_string(&path).map_err(|error| named(&path, &error))?;
            // A file that has changed meanwhile is left out.
            inputs.extend(Seed::read(name, &text).ok().map(|seed| (name.clone(), seed.input())));
        }
        Ok(inputs)
    }

    /// Writes it to the cache.
    pub fn store(&self) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&mut file, &self.scripts)?;
        file.persist(&self.file).map(drop).map_err(|error| named(&self.file, &error.error))
    }
}

/// The file of a folder in the cache.
fn file(folder: &Path, cache: &Path) -> io::Result<PathBuf> {
    let folder = fs::canonicalize(folder).map_err(|error| named(folder, &error))?;
    let mut fingerprint = Fingerprint::new();
    fingerprint.bytes(folder.as_os_str().as_encoded_bytes());
    let name = format!("{:016x}-{VERSION}.json", fingerprint.hash());
    Ok(cache.join("seeds").join(name))
}

impl IndexedSeed {
    fn is_of(&self, script: &Script) -> bool {
        script.problem.is_none() && self.bytes == script.bytes && self.modified == script.modified
    }

    fn read(script: &Script) -> Self {
        let content = if let Some(problem) = &script.problem {
            Err(problem.clone())
        } else if script.bytes > SEED_BYTES_MAX as u64 {
            Err(Unusable::TooLong.to_string())
        } else {
            match fs::read_to_string(&script.path) {
                Ok(text) => Seed::read(&script.name, &text)
                    .map(|seed| (seed.logic, seed.label))
                    .map_err(|reason| reason.to_string()),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    Err("not UTF-8".to_owned())
                }
                // It may be readable next time, without being changed.
                Err(error) => {
                    let content = Err(error.to_string());
                    let (bytes, modified) = (script.bytes, SystemTime::UNIX_EPOCH);
                    return IndexedSeed { bytes, modified, content, solved: BTreeMap::new() };
                }
            }
        };
        let Script { bytes, modified, .. } = *script;
        IndexedSeed { bytes, modified, content, solved: BTreeMap::new() }
    }

    /// Whether a solver has answered otherwise than the label says.
    pub fn is_contradicted(&self, solver: &str) -> bool {
        let Ok((_, label)) = &self.content else { return false };
        let answer = self.solved.get(solver).and_then(|solved| solved.answer);
        answer.is_some() && answer != *label
    }
}

/// The usable scripts by logic and label, and the others by reason.
impl fmt::Display for SeedIndex {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut logics: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
        let mut left_out: BTreeMap<&str, u64> = BTreeMap::new();
        for script in self.scripts.values() {
            match &script.content {
                Ok((logic, label)) => {
                    let column = match label {
                        Some(Label::Sat) => 0,
                        Some(Label::Unsat) => 1,
                        None => 2,
                    };
                    logics.entry(logic.as_deref().unwrap_or("none")).or_default()[column] += 1;
                }
                Err(reason) => {
                    // Places in the file are of no use in a sum.
                    let reason = reason.rsplit(": ").next().unwrap_or_default();
                    *left_out.entry(reason).or_default() += 1;
                }
            }
        }
        let width = logics.keys().map(|logic| logic.len()).max().unwrap_or(0).max("logic".len());
        writeln!(out, "{:<width$}   {:>6}   {:>6}   {:>8}", "logic", "sat", "unsat", "no label")?;
        for (logic, [sat, unsat, none]) in &logics {
            writeln!(out, "{logic:<width$}   {sat:>6}   {unsat:>6}   {none:>8}")?;
        }
        for (reason, count) in &left_out {
            writeln!(out, "left out: {count} ({reason})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_scripts_are_read_and_run_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let seeds = folder.path().join("seeds");
        fs::create_dir(&seeds).unwrap();
        let write = |name: &str, text: &str| fs::write(seeds.join(name), text).unwrap();
        write("a.smt2", "(set-info :status sat)(assert true)(check-sat)");
        write("b.smt2", "(set-info :status sat)(assert false)(check-sat)");
        write("c.smt2", "(assert true)(check-sat)(check-sat)");
        let mut index = SeedIndex::of(&seeds, &cache).unwrap();
        let unsolved = index.unsolved("z3").unwrap();
        assert_eq!(unsolved.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a.smt2", "b.smt2"]);
        for (name, answer) in [("a.smt2", Label::Sat), ("b.smt2", Label::Unsat)] {
            let solved = SolvedSeed { answer: Some(answer), time: Duration::from_millis(3) };
            let script = index.scripts.get_mut(name).unwrap();
            assert!(script.solved.insert("z3".to_owned(), solved).is_none());
            assert_eq!(script.is_contradicted("z3"), name == "b.smt2");
        }
        index.store().unwrap();
        let again = SeedIndex::of(&seeds, &cache).unwrap();
        assert_eq!(again.scripts, index.scripts);
        assert_eq!(again.unsolved("z3").unwrap(), []);
        assert_eq!(again.unsolved("cvc5").unwrap().len(), 2);
        write("b.smt2", "(set-info :status unsat)(assert false)(check-sat)");
        fs::remove_file(seeds.join("a.smt2")).unwrap();
        let changed = SeedIndex::of(&seeds, &cache).unwrap();
        assert_eq!(changed.scripts.len(), 2);
        assert_eq!(changed.unsolved("z3").unwrap().len(), 1);
    }

    #[test]
    fn a_damaged_cache_is_like_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.smt2"), "(").unwrap();
        let index = SeedIndex::of(folder.path(), folder.path()).unwrap();
        index.store().unwrap();
        fs::write(&index.file, "{\"a.smt2\": 3").unwrap();
        let again = SeedIndex::of(folder.path(), folder.path()).unwrap();
        assert_eq!(again.scripts, index.scripts);
    }
}
