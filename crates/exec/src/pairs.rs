//! Pairs as folders of inputs.
//!
//! ```text
//! pairs/                     pairs/
//!   first/a.sql b.sql          norec/first/a.sql b.sql
//!   second/a.sql b.sql         fusion/first/a1.smt2 a2.smt2 b.smt2
//! ```
//!
//! A folder with files is a group. The letters that a file's name starts with name its side; what
//! follows tells several inputs of a side apart. The folder above names the relation.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use metacov_core::Group;
use metacov_formats::{Error, Fault, GroupSpec, Location, PairList, check_relation};

use crate::Invocation;

/// The relation of groups that are directly in the given folder.
const UNNAMED: &str = "pair";

/// Returns all groups below a folder, ordered by path.
pub fn pairs_below(folder: &Path) -> Result<PairList<Vec<Invocation>>, Error> {
    let mut groups = Vec::new();
    for inner in entries(folder)?.into_iter().filter(|path| path.is_dir()) {
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
            entries(&inner)?.into_iter().partition(|path| path.is_dir());
        if !files.is_empty() {
            groups.push(group(UNNAMED.to_owned(), &inner, files)?);
        }
        for pair in folders {
            let files = entries(&pair)?.into_iter().filter(|path| path.is_file()).collect();
            let relation = name(&inner);
            check_relation(&relation).map_err(|what| fault(what, &inner))?;
            groups.push(group(relation, &pair, files)?);
        }
    }
    check_repetitions(&groups)?;
    if groups.is_empty() {
        return Err(fault("a folder without pairs (a pair is a folder with a.* and b.*)", folder));
    }
    let count = groups.len() as u64;
    let specs = Box::new(groups.into_iter().map(Ok));
    Ok(PairList { groups: count, has_judges: false, specs })
}

fn group(
    relation: String,
    folder: &Path,
    files: Vec<PathBuf>,
) -> Result<GroupSpec<Vec<Invocation>>, Error> {
    let mut sides: BTreeMap<String, Vec<Invocation>> = BTreeMap::new();
    for file in files {
        let side = name(&file).chars().take_while(char::is_ascii_alphabetic).collect();
        sides.entry(side).or_default().push(Invocation::of(file));
    }
    let names: Vec<&str> = sides.keys().map(String::as_str).collect();
    let what = format!("a pair with only one side ({})", names.join(", "));
    let sides = Group::new(sides.into_values().collect());
    let sides = sides.map_err(|_| fault(what, folder))?;
    Ok(GroupSpec { relation, pair: name(folder), sides, judge: None, listed_at: None })
}

fn fault(what: impl Into<String>, folder: &Path) -> Error {
    Fault::malformed(Location::Whole, what).of(folder.display().to_string())
}

/// Refuses two groups of one name: `pairs/first` is a pair of the relation `pair`, and so is `pairs/pair/first`.
fn check_repetitions(groups: &[GroupSpec<Vec<Invocation>>]) -> Result<(), Error> {
    let folder = |group: &GroupSpec<Vec<Invocation>>| {
        let input = group.sides.sides().iter().flatten().next()?.input.clone()?;
        input.parent().map(Path::to_owned)
    };
    let mut first = BTreeMap::new();
    for group in groups {
        let folder = folder(group).unwrap_or_default();
        let name = (&group.relation, &group.pair);
        if let Some(earlier) = first.insert(name, folder.clone()) {
            let what = format!(
                "pair {} of {} is in {} already; rename one of the folders",
                group.pair,
                group.relation,
                earlier.display()
            );
            return Err(fault(what, &folder));
        }
    }
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The entries of a folder, without hidden ones, ordered by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let fault = |error| Fault::Io(error).of(folder.display().to_string());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if !name(&path).starts_with('.') {
            paths.push(path);
        }
    }
    paths.sort_unstable();
    Ok(paths)
}
