//! Reading `.gcno`: the flow graphs of a translation unit.
//!
//! ```text
//! 0x01000000 FUNCTION: ident, lineno checksum, cfg checksum, name, artificial, source, first line,
//!                      first column, last line, [last column, since gcc 9]
//! 0x01410000 BLOCKS: how many (0 is the entry, 1 the exit)
//! 0x01430000 ARCS: source, {destination, flags}*    flags: 1 on the tree, 2 fake, 4 falls through
//! 0x01450000 LINES: block, {line | 0, file}*, 0, ""
//! ```

use hashbrown::HashMap;

use super::flow::{Flow, Variable};
use super::words::{Layout, Words};
use crate::Fault;

const FUNCTION: u32 = 0x0100_0000;
const BLOCKS: u32 = 0x0141_0000;
const ARCS: u32 = 0x0143_0000;
const LINES: u32 = 0x0145_0000;

/// The block that a function is entered by.
pub(super) const ENTRY: u32 = 0;

/// The block that it is left by.
pub(super) const EXIT: u32 = 1;

/// The first block that has code in it.
pub(super) const FIRST_BLOCK: usize = 2;

/// A block has an arc, or it would not be there, and an arc takes eight bytes in the file.
const BLOCK_BYTES: usize = 8;

/// The flow graphs of a translation unit.
pub(super) struct Notes {
    pub(super) layout: Layout,
    pub(super) stamp: u32,
    /// The folder that it was compiled in.
    pub(super) folder: String,
    /// The paths of its sources.
    pub(super) sources: Vec<String>,
    pub(super) functions: Vec<Function>,
}

pub(super) struct Function {
    pub(super) key: FunctionKey,
    pub(super) name: String,
    /// Made by the compiler, not by anybody's source.
    pub(super) artificial: bool,
    pub(super) source: usize,
    pub(super) first_line: u32,
    pub(super) last_line: u32,
    pub(super) blocks: Vec<Block>,
    /// By their source, in the order of the file: the order of counters.
    pub(super) arcs: Vec<Arc>,
}

/// What ties counters to a function, and tells other code of the same name from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FunctionKey {
    pub(super) ident: u32,
    pub(super) lineno_checksum: u32,
    pub(super) cfg_checksum: u32,
}

impl FunctionKey {
    pub(super) fn read(words: &mut Words<'_>) -> Result<Self, Fault> {
        let (ident, lineno_checksum, cfg_checksum) = (words.word()?, words.word()?, words.word()?);
        Ok(FunctionKey { ident, lineno_checksum, cfg_checksum })
    }
}

impl Function {
    /// The arcs and blocks whose counts cannot be below zero: those that are there. A call that
    /// forgets what was counted before it (`__gcov_reset`), or that returns more often than it was
    /// made (`fork`), leaves the fake arc out of its block below zero, and with it the exit.
    pub(super) fn sound(&self) -> impl Iterator<Item = Variable> {
        let arcs = (0..).zip(&self.arcs).filter(|(_, arc)| !arc.fake).map(|(number, _)| number);
        let blocks = (0..self.blocks.len()).filter(|block| *block != EXIT as usize);
        arcs.chain(blocks.map(|block| Flow::block(self.arcs.len(), block)))
    }
}

#[derive(Clone, Default)]
pub(super) struct Block {
    /// By source file, one behind the other: lines, ascending.
    pub(super) places: Vec<(usize, Vec<u32>)>,
}

impl Block {
    /// The last line of the block that is in the function's own text; the function's first line if
    /// there is none.
    pub(super) fn line_in(&self, function: &Function) -> u32 {
        let own = self.places.iter().filter(|(source, _)| *source == function.source);
        let lines = own.flat_map(|(_, lines)| lines.iter().copied());
        let within = |line: &u32| (function.first_line..=function.last_line).contains(line);
        lines.rev().find(within).unwrap_or(function.first_line)
    }
}

#[derive(Clone, Copy)]
pub(super) struct Arc {
    pub(super) source: u32,
    pub(super) destination: u32,
    /// Not counted: it follows from the others.
    pub(super) on_tree: bool,
    /// Not in the source: a call that may not return, or a return to a `setjmp`.
    pub(super) fake: bool,
    /// Taken by going on, not by jumping.
    #[cfg_attr(not(feature = "exact-counts"), expect(dead_code, reason = "gcov reports it"))]
    pub(super) falls_through: bool,
}

impl Notes {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let (mut words, stamp) = Words::open(bytes, *b"gcno")?;
        let folder = words.string()?;
        words.word()?; // Whether gcov knows blocks that did not run.
        let mut notes = Notes {
            layout: words.layout(),
            stamp,
            folder,
            sources: Vec::new(),
            functions: Vec::new(),
        };
        let mut paths = Paths::default();
        while let Some(mut record) = words.record()? {
            match record.tag {
                FUNCTION => notes.functions.push(Function::read(&mut record.payload, &mut paths)?),
                BLOCKS | ARCS | LINES => {
                    let Some(function) = notes.functions.last_mut() else {
                        return Err(record.payload.fault("blocks before any function"));
                    };
                    let blocks_max = bytes.len() / BLOCK_BYTES;
                    function.read_more(record.tag, &mut record.payload, &mut paths, blocks_max)?;
                }
                // Conditions and paths, since gcc 14 and 15.
                _ => {}
            }
        }
        for function in &mut notes.functions {
            function.arcs.sort_by_key(|arc| arc.source);
        }
        notes.sources = paths.names;
        Ok(notes)
    }
}

impl Function {
    fn read(words: &mut Words<'_>, paths: &mut Paths) -> Result<Self, Fault> {
        let key = FunctionKey::read(words)?;
        let name = words.string()?;
        let artificial = words.word()? != 0;
        let source = paths.number(words.string()?);
        let first_line = words.word()?;
        words.word()?;
        let last_line = words.word()?;
        let (blocks, arcs) = (Vec::new(), Vec::new());
        Ok(Function { key, name, artificial, source, first_line, last_line, blocks, arcs })
    }

    fn read_more(
        &mut self,
        tag: u32,
        words: &mut Words<'_>,
        paths: &mut Paths,
        blocks_max: usize,
    ) -> Result<(), Fault> {
        let first = words.word()?;
        if tag == BLOCKS {
            if first as usize > blocks_max {
                return Err(words.fault(format!("a function of {first} blocks")));
            }
            self.blocks.resize_with(first as usize, Block::default);
            return Ok(());
        }
        if first as usize >= self.blocks.len() {
            return Err(words.fault(format!("block {first} is beyond the last")));
        }
        if tag == ARCS {
            self.read_arcs(first, words)
        } else {
            self.read_lines(first, words, paths)
        }
    }

    fn read_arcs(&mut self, source: u32, words: &mut Words<'_>) -> Result<(), Fault> {
        while !words.is_empty() {
            let (destination, flags) = (words.word()?, words.word()?);
            if destination as usize >= self.blocks.len() {
                return Err(words.fault(format!("an arc to block {destination}, beyond the last")));
            }
            let [on_tree, fake, falls_through] = [1, 2, 4].map(|flag| flags & flag != 0);
            self.arcs.push(Arc { source, destination, on_tree, fake, falls_through });
        }
        Ok(())
    }

    fn read_lines(
        &mut self,
        block: u32,
        words: &mut Words<'_>,
        paths: &mut Paths,
    ) -> Result<(), Fault> {
        let mut places: Vec<(usize, Vec<u32>)> = Vec::new();
        while !words.is_empty() {
            match (words.word()?, places.last_mut()) {
                (0, _) => {
                    let path = words.string()?;
                    if path.is_empty() {
                        break;
                    }
                    places.push((paths.number(path), Vec::new()));
                }
                (line, Some((_, lines))) => lines.push(line),
                (_, None) => return Err(words.fault("a line before the name of its file")),
            }
        }
        for (_, lines) in &mut places {
            lines.sort_unstable();
        }
        if let Some(block) = self.blocks.get_mut(block as usize) {
            block.places.append(&mut places);
        }
        Ok(())
    }
}

/// Paths, each with a number.
#[derive(Default)]
struct Paths {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Paths {
    fn number(&mut self, path: String) -> usize {
        *self.numbers.entry(path).or_insert_with_key(|path| {
            self.names.push(path.clone());
            self.names.len() - 1
        })
    }
}
