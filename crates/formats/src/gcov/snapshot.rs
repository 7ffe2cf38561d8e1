//! Counters in memory: their layout and their values.
//!
//! ```text
//! layout   = unit*
//! unit     = version, stamp, checksum, length of the path, number of functions, 0,
//!            function*, path of its counters' file, zeros up to a multiple of 8
//! function = ident, lineno checksum, cfg checksum, number of counters, 64 bits: their first byte
//! ```
//!
//! All numbers are 32 bits, the low byte first, unless said otherwise. A layout is compiled once,
//! and recognised by its bytes.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use hashbrown::HashSet;
use metacov_core::{Cover, SiteTable};

use super::compiled::CompiledUnit;
use super::image::{COUNTER_BYTES, Image, ImageBuilder, Piece, inconsistent};
use super::lanes::LANES;
use super::notes::{FunctionKey, Notes};
use super::notes_cache::NotesFile;
use super::notes_index::{NotesIndex, NotesPlaces, read_notes};
use super::unit::Unit;
use super::words::{Layout, Words};
use crate::unit_marks::hash_of;
use crate::{Error, Fault, Location, SiteRecorder};

/// The name of counters that are not in a file, for messages.
pub(crate) const IN_MEMORY: &str = "the counters in memory";

/// How many executions can be taken before they have to be solved.
pub const EXECUTIONS_MAX: usize = LANES;

const LAYOUT: &str = "the layout of the counters in memory";

/// How many layouts are kept. A program has one, and one more for each of its instrumented
/// libraries.
const IMAGES_MAX: usize = 256;

/// The counters of one image (an executable or a shared library) of a process, as metacov's runtime
/// leaves them.
#[derive(Clone, Debug)]
pub struct Snapshot<'a> {
    /// Which functions have counters, and where. If the same allocation is passed again, it is
    /// recognised without a comparison.
    pub layout: Arc<[u8]>,
    /// The counters: 64 bits each, the low byte first.
    pub counters: &'a [u8],
}

/// How to treat counters that do not add up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnInconsistency {
    /// Return an error.
    Refuse,
    /// Treat negative counts as not run.
    Allow,
}

/// The compiled layouts so far.
#[derive(Default)]
pub(crate) struct Images {
    known: Vec<Known>,
    /// How many executions were taken and not solved yet.
    taken: usize,
}

struct Known {
    layout: Arc<[u8]>,
    image: Image,
    /// The results of executions that were solved when they were taken, by their number.
    solved: Vec<(usize, Result<Cover, Error>)>,
}

impl Images {
    /// Reads the snapshots of one execution. Those with the same layout belong to processes that
    /// were forked from one another, each of which counted only a part of the whole: their counters
    /// are added.
    pub(crate) fn read(
        &mut self,
        snapshots: &[Snapshot<'_>],
        on_inconsistency: OnInconsistency,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), Error> {
        if self.known.len() > IMAGES_MAX && self.taken == 0 {
            // No program has that many libraries: new ones keep being generated.
            self.known.clear();
        }
        for snapshot in snapshots {
            if self.number(&snapshot.layout).is_none() {
                let image = compile(snapshot, recorder)?;
                self.known.push(Known {
                    layout: snapshot.layout.clone(),
                    image,
                    solved: Vec::new(),
                });
            }
        }
        for number in self.update(snapshots, on_inconsistency, recorder.table)? {
            self.known[number].image.tell(&mut recorder.reading);
        }
        Ok(())
    }

    /// Takes the counters of a known layout for the next execution, and sets them to zero.
    pub(crate) fn take(
        &mut self,
        layout: &Arc<[u8]>,
        counters: &mut [u8],
        table: &SiteTable,
    ) -> Result<(), Error> {
        let (number, lane) = (self.number(layout).ok_or_else(unknown_layout)?, self.taken);
        let Known { image, solved, .. } = &mut self.known[number];
        check_length(image, counters)?;
        if !image.take(lane, counters) {
            image.update(counters);
            let checked = image.check(table).map_err(|fault| fault.of(IN_MEMORY));
            solved.push((lane, checked.map(|()| image.executed().clone())));
            counters.fill(0);
        }
        Ok(())
    }

    /// How many executions were taken since the last call of `solve`.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    /// Ends the execution whose counters were taken. At most [`EXECUTIONS_MAX`] can be taken.
    pub(crate) fn end_execution(&mut self) {
        self.taken += 1;
    }

    /// The sites that ran in each execution since the last call; or an error, if its counters do not add up.
    pub(crate) fn solve(&mut self, table: &SiteTable) -> Vec<Result<Cover, Error>> {
        let count = std::mem::take(&mut self.taken);
        let mut executions: Vec<Option<Result<Cover, Error>>> = Vec::new();
        executions.resize_with(count, || None);
        for Known { image, solved, .. } in &mut self.known {
            let mut solved = std::mem::take(solved).into_iter().peekable();
            for (lane, (cover, fault)) in image.solve_lanes(count).into_iter().enumerate() {
                let own = match (solved.next_if(|(number, _)| *number == lane), fault) {
                    (Some((_, own)), _) => own,
                    (None, None) => Ok(cover),
                    (None, Some(function)) => Err(inconsistent(function, table).of(IN_MEMORY)),
                };
                match (&mut executions[lane], own) {
                    (Some(Ok(all)), Ok(own)) => *all |= &own,
                    (Some(Err(_)), _) => {}
                    (all, own) => *all = Some(own),
                }
            }
        }
        executions.into_iter().map(|cover| cover.unwrap_or_else(|| Ok(Cover::default()))).collect()
    }

    /// Lets images read their counters. Returns the numbers of those images.
    fn update(
        &mut self,
        snapshots: &[Snapshot<'_>],
        on_inconsistency: OnInconsistency,
        table: &SiteTable,
    ) -> Result<Vec<usize>, Error> {
        let mut sums: Vec<(usize, Cow<'_, [u8]>)> = Vec::new();
        for snapshot in snapshots {
            let number = self.number(&snapshot.layout).ok_or_else(unknown_layout)?;
            check_length(&self.known[number].image, snapshot.counters)?;
            match sums.iter_mut().find(|(known, _)| *known == number) {
                Some((_, sum)) => self.known[number].image.add(sum.to_mut(), snapshot.counters),
                None => sums.push((number, Cow::Borrowed(snapshot.counters))),
            }
        }
        for (number, sum) in &sums {
            let image = &mut self.known[*number].image;
            image.update(sum);
            if on_inconsistency == OnInconsistency::Refuse {
                image.check(table).map_err(|fault| fault.of(IN_MEMORY))?;
            }
        }
        Ok(sums.into_iter().map(|(number, _)| number).collect())
    }

    /// The number of the image with a layout, if it is known.
    fn number(&mut self, layout: &Arc<[u8]>) -> Option<usize> {
        let known = self.known.iter().position(|known| Arc::ptr_eq(&known.layout, layout));
        let known =
            known.or_else(|| self.known.iter().position(|known| known.layout == *layout))?;
        self.known[known].layout = layout.clone();
        Some(known)
    }
}

fn unknown_layout() -> Error {
    Fault::malformed(Location::Whole, "a layout that was not read before").of(LAYOUT)
}

fn check_length(image: &Image, counters: &[u8]) -> Result<(), Error> {
    let (found, needed) = (counters.len(), image.bytes());
    if found >= needed {
        return Ok(());
    }
    let what = format!("{found} bytes of counters where the layout needs {needed}");
    Err(Fault::malformed(Location::Whole, what).of(IN_MEMORY))
}

fn compile(snapshot: &Snapshot<'_>, recorder: &mut SiteRecorder<'_>) -> Result<Image, Error> {
    let listings = listings(&snapshot.layout)?;
    if let Some(image) = stored(snapshot, &listings, recorder)? {
        return Ok(image);
    }
    let program = recorder.notes_index.program(&snapshot.layout, &listings, recorder.scope)?;
    let mut image = ImageBuilder::new(recorder);
    for (listing, unit) in listings.iter().zip(program.iter()) {
        listing.add(unit, snapshot, &mut image, recorder)?;
    }
    image.build(recorder).map_err(|fault| fault.of(LAYOUT))
}

/// The image of a program that was compiled at an earlier start. None if it is not stored, or not as
/// a whole: the sites of the units before the damage are the same if they are added again.
fn stored(
    snapshot: &Snapshot<'_>,
    listings: &[Listing],
    recorder: &mut SiteRecorder<'_>,
) -> Result<Option<Image>, Error> {
    let Some(mut units) = NotesIndex::stored_program(&snapshot.layout, recorder.scope) else {
        return Ok(None);
    };
    let mut image = ImageBuilder::new(recorder);
    for listing in listings {
        let Some(unit) = units.next().filter(|unit| listing.fits(unit)) else { return Ok(None) };
        listing.add(&unit, snapshot, &mut image, recorder)?;
    }
    if !units.is_complete() {
        return Ok(None);
    }
    image.build(recorder).map(Some).map_err(|fault| fault.of(LAYOUT))
}

/// The units of a layout.
pub(super) fn listings(layout: &[u8]) -> Result<Vec<Listing>, Error> {
    let mut words = Words::of_machine(layout);
    let mut listings = Vec::new();
    while !words.is_empty() {
        listings.push(Listing::read(&mut words).map_err(|fault| fault.of(LAYOUT))?);
    }
    Ok(listings)
}

/// The description of a translation unit in a layout.
#[derive(Clone)]
pub(super) struct Listing {
    /// The file to which its counters would be written.
    pub(super) path: PathBuf,
    /// The stamp and the version of its notes.
    pub(super) build: (u32, Layout),
    functions: Vec<Listed>,
}

#[derive(Clone, Copy)]
struct Listed {
    key: FunctionKey,
    counter_count: u32,
    offset: u64,
}

impl Listing {
    fn read(words: &mut Words<'_>) -> Result<Self, Fault> {
        let layout = Layout::of_version(words.word()?)?;
        let stamp = words.word()?;
        words.word()?; // The checksum adds nothing to the stamp.
        let (path_bytes, function_count) = (words.word()?, words.word()?);
        words.word()?;
        let mut functions = Vec::new();
        for _ in 0..function_count {
            let (key, counter_count) = (FunctionKey::read(words)?, words.word()?);
            let offset = words.counter()?.cast_unsigned();
            functions.push(Listed { key, counter_count, offset });
        }
        let path = words.padded_text(path_bytes as usize)?;
        Ok(Listing { path: PathBuf::from(path), build: (stamp, layout), functions })
    }

    /// Reads the unit from its notes, without the graphs of functions that are not listed.
    pub(super) fn unit(&self, notes: &NotesPlaces) -> Result<(Unit, NotesFile), Fault> {
        let keys: HashSet<FunctionKey> = self.functions.iter().map(|listed| listed.key).collect();
        notes.find(|path| {
            // First the times of the file: it may change while it is read.
            let file = NotesFile::at(path)?;
            let bytes = read_notes(path)?;
            if Notes::build(&bytes)? != self.build {
                return Ok(None);
            }
            Ok(Some((Unit::read(&bytes, |key| keys.contains(&key))?, file)))
        })
    }

    /// The numbers of its functions in the unit.
    pub(super) fn numbers(&self, unit: &Unit) -> Result<Vec<usize>, Fault> {
        let mut seen = vec![false; unit.notes.functions.len()];
        let mut numbers = Vec::with_capacity(self.functions.len());
        for listed in &self.functions {
            let expected = numbers.last().map_or(0, |number| number + 1);
            let number = unit.number(listed.key, expected);
            let number = number.filter(|number| !std::mem::replace(&mut seen[*number], true));
            numbers.push(number.ok_or_else(|| {
                let ident = listed.key.ident;
                self.unfit(&format!("function {ident:#x} is missing, or there twice"))
            })?);
        }
        Ok(numbers)
    }

    /// The offsets of its counters, given how many each function has, by its notes, and their
    /// names.
    pub(super) fn starts<'n>(
        &self,
        functions: impl Iterator<Item = (usize, &'n str)>,
        counter_bytes: usize,
    ) -> Result<Vec<usize>, Fault> {
        let start = |(listed, (right, name)): (&Listed, (usize, &str))| {
            let found = listed.counter_count as usize;
            if found != right {
                return Err(self.unfit(&format!("{found} counters of {name}, which has {right}")));
            }
            let start = usize::try_from(listed.offset).ok();
            let end = start.and_then(|start| start.checked_add(COUNTER_BYTES * right));
            start
                .filter(|_| end.is_some_and(|end| end <= counter_bytes))
                .ok_or_else(|| self.unfit(&format!("the counters of {name} are out of bounds")))
        };
        self.functions.iter().zip(functions).map(start).collect()
    }

    /// Whether a compiled unit has exactly these functions.
    pub(super) fn fits(&self, unit: &CompiledUnit) -> bool {
        let found = unit.functions.iter().map(|function| function.counters);
        self.functions.iter().map(|listed| listed.counter_count).eq(found)
    }

    /// Adds the unit, compiled, to an image.
    fn add(
        &self,
        unit: &CompiledUnit,
        snapshot: &Snapshot<'_>,
        image: &mut ImageBuilder,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), Error> {
        let piece = self.piece(unit, snapshot.counters.len());
        let piece = piece.map_err(|fault| fault.of(self.path.display().to_string()))?;
        image.add(&piece, recorder).map_err(|fault| fault.of(LAYOUT))
    }

    /// The compiled unit, and where its counters are.
    fn piece<'u>(&self, unit: &'u CompiledUnit, counter_bytes: usize) -> Result<Piece<'u>, Fault> {
        let functions = unit.functions.iter().map(|function| {
            (function.counters as usize, unit.names[function.name as usize].as_str())
        });
        let starts = self.starts(functions, counter_bytes)?;
        Ok(Piece { unit, name: hash_of(&self.path), starts })
    }

    fn unfit(&self, what: &str) -> Fault {
        let notes = self.path.with_extension("gcno");
        let what =
            format!("the counters in memory do not fit their notes {}: {what}", notes.display());
        Fault::malformed(Location::Whole, what)
    }
}
