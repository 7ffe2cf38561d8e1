//! Lists of pairs in a file.
//!
//! A manifest is text with one JSON object per line:
//!
//! ```text
//! {"relation": "norec", "pair": "1", "a": ["1a.json"], "b": ["1b.json"]}
//! {"relation": "fusion", "pair": "7", "inputs": [["seed1.json", "seed2.json"], ["fused.json"]]}
//! ```
//!
//! Files are relative to the manifest's folder. A side may be one file, or a list whose covers are
//! united. Instead of a manifest, a coverage.py data file may be given whose contexts name the
//! pairs: `mr=swap|pair=7|side=a`.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use metacov_core::{Group, JudgeChoice};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::syntax::lines::Lines;
use crate::{CoverageFile, Error, Fault, FileSpec, Location, coverage_py};

/// One group of sides. By default, a side is a list of coverage files.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupSpec<S = Vec<FileSpec>> {
    /// The relation.
    pub relation: String,
    /// The name of the group, unique within its relation.
    pub pair: String,
    /// The sides.
    pub sides: Group<S>,
    /// How its outputs are judged, if the manifest says so.
    pub judge: Option<JudgeChoice>,
    /// Where it is listed, such as `pairs.jsonl: line 3`, if it is in a manifest.
    pub listed_at: Option<String>,
}

impl<S> GroupSpec<S> {
    /// A digest of its name.
    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.relation, &self.pair).hash(&mut hasher);
        hasher.finish()
    }

    /// Adds the place where the group is listed to an error about a file that cannot be read.
    #[must_use]
    pub fn locate(&self, error: Error) -> Error {
        match (&self.listed_at, error.fault) {
            (Some(place), fault @ Fault::Io(_)) => fault.of(format!("{place}: {}", error.name)),
            (_, fault) => fault.of(error.name),
        }
    }
}

/// A suite: the number of groups, and the groups one after the other.
pub struct PairList<S = Vec<FileSpec>> {
    /// How many groups.
    pub groups: u64,
    /// Whether the manifest names judges.
    pub has_judges: bool,
    /// The groups. They are read lazily: a suite may have millions.
    pub specs: Specs<S>,
}

/// Groups, one after the other.
pub type Specs<S> = Box<dyn Iterator<Item = Result<GroupSpec<S>, Error>> + Send>;

/// How a side is written in a manifest.
pub trait ManifestSide: DeserializeOwned + Send + 'static {
    /// The parsed side.
    type Side: 'static;

    /// Whether the sides are executed, so that they have outputs to judge.
    const HAS_OUTPUT: bool;

    /// Parses the side; files are relative to `folder`.
    fn side(self, folder: &Path) -> Result<Self::Side, String>;
}

impl<S> PairList<S> {
    /// Reads a suite from a manifest. The whole manifest is checked first, so that a mistake in its
    /// last line is reported at once.
    pub fn read<W: ManifestSide<Side = S>>(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let (mut hashes, mut has_judges) = (Vec::new(), false);
        for spec in ManifestLines::<W>::open(path, &name)? {
            let spec = spec?;
            hashes.push(spec.hash());
            has_judges |= spec.judge.is_some();
        }
        if hashes.is_empty() {
            return Err(no_pairs().of(name));
        }
        let groups = hashes.len() as u64;
        check_repetitions(ManifestLines::<W>::open(path, &name)?, hashes)?;
        Ok(PairList { groups, has_judges, specs: Box::new(ManifestLines::<W>::open(path, &name)?) })
    }
}

impl<S: Send + 'static> PairList<S> {
    /// Returns the relations and names of all groups.
    pub fn names(self) -> Result<BTreeSet<(String, String)>, Error> {
        self.specs.map(|spec| spec.map(|spec| (spec.relation, spec.pair))).collect()
    }

    /// The suite of the group that is called `RELATION/NAME`, if there is one.
    pub fn only(mut self, name: &str) -> Result<Option<Self>, Error> {
        let is_it = |spec: &Result<GroupSpec<S>, Error>| {
            spec.as_ref().map_or(true, |spec| format!("{}/{}", spec.relation, spec.pair) == name)
        };
        let spec = self.specs.find(is_it).transpose()?;
        Ok(spec.map(|spec| {
            let has_judges = spec.judge.is_some();
            PairList { groups: 1, has_judges, specs: Box::new(std::iter::once(Ok(spec))) }
        }))
    }
}

/// Refuses a pair that is listed twice, of lines with these hashes: it would count twice. A manifest may have millions of
/// lines, so names are compared only where hashes are the same.
fn check_repetitions<W: ManifestSide>(
    mut lines: ManifestLines<W>,
    mut hashes: Vec<u64>,
) -> Result<(), Error> {
    hashes.sort_unstable();
    let neighbours = hashes.iter().zip(hashes.iter().skip(1));
    let repeated: BTreeSet<u64> =
        neighbours.filter(|(left, right)| left == right).map(|(left, _)| *left).collect();
    if repeated.is_empty() {
        return Ok(());
    }
    let mut first_lines = BTreeMap::new();
    while let Some(spec) = lines.next() {
        let spec = spec?;
        if !repeated.contains(&spec.hash()) {
            continue;
        }
        let number = lines.lines.number();
        let (relation, pair) = (spec.relation, spec.pair);
        if let Some(first) = first_lines.insert((relation.clone(), pair.clone()), number) {
            let what = format!(
                "pair {pair} of {relation} is listed in line {first} already; give one of them another name"
            );
            return Err(lines.lines.fault(what).of(&lines.name));
        }
    }
    Ok(())
}

/// The name of the row of all relations together, and of the choice of all of them.
const TOTAL: &str = "all";

/// Refuses names that a relation cannot have.
pub fn check_relation(name: &str) -> Result<(), String> {
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err("the name of the relation is empty or has control characters".to_owned());
    }
    if name == TOTAL {
        return Err("a relation cannot be named `all`, which is the row of all relations together"
            .to_owned());
    }
    Ok(())
}

impl PairList {
    /// Returns a suite of one group.
    pub fn single(spec: GroupSpec) -> Self {
        PairList { groups: 1, has_judges: false, specs: Box::new(std::iter::once(Ok(spec))) }
    }

    /// Opens a suite of coverage files that a manifest or a data file lists.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let input = open_manifest(path, &name)?;
        let data_file = input.head().starts_with(b"SQLite format 3\0");
        drop(input);
        if data_file {
            return from_contexts(path).map_err(|fault| fault.of(&name));
        }
        PairList::read::<Names>(path)
    }
}

fn open_manifest(path: &Path, name: &str) -> Result<CoverageFile, Error> {
    let file = CoverageFile::open(path);
    file.map_err(|fault| if matches!(fault, Fault::Empty) { no_pairs() } else { fault }.of(name))
}

fn no_pairs() -> Fault {
    Fault::malformed(Location::Whole, "the manifest has no pairs")
}

/// The groups of a manifest, line by line.
struct ManifestLines<W> {
    name: String,
    folder: PathBuf,
    lines: Lines<CoverageFile>,
    written: PhantomData<fn() -> W>,
}

impl<W> ManifestLines<W> {
    fn open(path: &Path, name: &str) -> Result<Self, Error> {
        let lines = Lines::new(open_manifest(path, name)?);
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(ManifestLines { name: name.to_owned(), folder, lines, written: PhantomData })
    }
}

impl<W: ManifestSide> Iterator for ManifestLines<W> {
    type Item = Result<GroupSpec<W::Side>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let spec = loop {
            match self.lines.next_line() {
                Ok(None) => return None,
                Ok(Some("")) => {}
                Ok(Some(line)) => break parse::<W>(line, &self.folder),
                Err(fault) => return Some(Err(fault.of(&self.name))),
            }
        };
        let listed_at = format!("{}: {}", self.name, self.lines.place());
        let spec = spec.map(|spec| GroupSpec { listed_at: Some(listed_at), ..spec });
        Some(spec.map_err(|what| self.lines.fault(what).of(&self.name)))
    }
}

/// A parsed line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry<W> {
    relation: String,
    #[serde(deserialize_with = "text_or_number")]
    pair: String,
    a: Option<W>,
    b: Option<W>,
    inputs: Option<Vec<W>>,
    judge: Option<String>,
}

/// The coverage files of a side.
#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Many(Vec<String>),
}

fn text_or_number<'d, D: serde::Deserializer<'d>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Name {
        Text(String),
        Number(u64),
    }
    Ok(match Name::deserialize(deserializer)? {
        Name::Text(text) => text,
        Name::Number(number) => number.to_string(),
    })
}

fn parse<W: ManifestSide>(line: &str, folder: &Path) -> Result<GroupSpec<W::Side>, String> {
    let entry: Entry<W> = serde_json::from_str(line).map_err(|error| {
        // The position is a line of the manifest; serde_json would report "line 1".
        let what = error.to_string();
        what.rsplit_once(" at line ").map_or(what.clone(), |(what, _)| what.to_owned())
    })?;
    let sides = match (entry.a, entry.b, entry.inputs) {
        (Some(a), Some(b), None) => vec![a, b],
        (None, None, Some(inputs)) => inputs,
        _ => return Err("a pair needs either `a` and `b`, or `inputs`".to_owned()),
    };
    check_relation(&entry.relation)?;
    if entry.judge.is_some() && !W::HAS_OUTPUT {
        return Err(
            "coverage files have no output to judge: `judge` goes with metacov measure".into()
        );
    }
    let judge = entry.judge.map(|text| text.parse()).transpose()?;
    let sides = sides.into_iter().map(|side| side.side(folder)).collect::<Result<_, _>>()?;
    let sides = Group::new(sides).map_err(|error| error.to_string())?;
    Ok(GroupSpec { relation: entry.relation, pair: entry.pair, sides, judge, listed_at: None })
}

impl ManifestSide for Names {
    type Side = Vec<FileSpec>;

    const HAS_OUTPUT: bool = false;

    fn side(self, folder: &Path) -> Result<Vec<FileSpec>, String> {
        let names = match self {
            Names::One(name) => vec![name],
            Names::Many(names) => names,
        };
        if names.is_empty() {
            return Err("a side has no files".into());
        }
        Ok(names.iter().map(|name| FileSpec::parse(name, folder)).collect())
    }
}

/// The suite that the contexts of a coverage.py data file list.
fn from_contexts(path: &Path) -> Result<PairList, Fault> {
    let mut groups: BTreeMap<(String, String), BTreeMap<String, Vec<FileSpec>>> = BTreeMap::new();
    for context in coverage_py::contexts(path)? {
        let part = |key: &str| {
            // The dynamic context follows the static one.
            let mut parts = context.rsplit('|').filter_map(|part| part.split_once('='));
            parts.find(|(name, _)| *name == key).map(|(_, value)| value.to_owned())
        };
        let Some(relation) = part("mr").or_else(|| part("relation")) else { continue };
        let (Some(pair), Some(side)) = (part("pair"), part("side")) else { continue };
        check_relation(&relation).map_err(|what| Fault::malformed(Location::Whole, what))?;
        let file = FileSpec { path: path.to_owned(), context: Some(context.clone()) };
        groups.entry((relation, pair)).or_default().entry(side).or_default().push(file);
    }
    let specs: Vec<Result<GroupSpec, Error>> = groups
        .into_iter()
        .map(|((relation, pair), sides)| {
            let named: Vec<String> = sides.keys().cloned().collect();
            let sides = Group::new(sides.into_values().collect()).map_err(|_| {
                let what = format!("pair {pair} of {relation} has only side {}", named.join(", "));
                Fault::malformed(Location::Whole, what)
            })?;
            Ok(Ok(GroupSpec { relation, pair, sides, judge: None, listed_at: None }))
        })
        .collect::<Result<_, Fault>>()?;
    if specs.is_empty() {
        let what = "no context has the form `mr=RELATION|pair=NAME|side=a`";
        return Err(io::Error::new(io::ErrorKind::InvalidData, what).into());
    }
    let groups = specs.len() as u64;
    Ok(PairList { groups, has_judges: false, specs: Box::new(specs.into_iter()) })
}
