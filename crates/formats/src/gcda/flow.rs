//! Solving a flow graph: from the arcs that are counted to all arcs and blocks.

use super::notes::{ENTRY, EXIT, Function};

/// The shape of one function's flow graph, made once.
pub(super) struct Flow {
    pub(super) block_count: usize,
    /// Ends of arcs, by source, in the order of counters.
    pub(super) arcs: Vec<(u32, u32)>,
    /// Which arcs are counted, in the order of counters.
    counted: Vec<u32>,
    /// By block, where its outgoing arcs start in `arcs`; one more at the end.
    out_starts: Vec<u32>,
    /// Incoming arcs, and by block where they start; one more at the end.
    incoming: Vec<u32>,
    in_starts: Vec<u32>,
}

/// Counts of all blocks and arcs.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) blocks: Vec<i64>,
    pub(super) arcs: Vec<i64>,
}

impl Flow {
    pub(super) fn of(function: &Function) -> Self {
        let block_count = function.blocks.len();
        let arcs: Vec<(u32, u32)> =
            function.arcs.iter().map(|arc| (arc.source, arc.destination)).collect();
        let numbered = (0u32..).zip(&function.arcs);
        let counted = numbered.filter(|(_, arc)| !arc.on_tree).map(|(at, _)| at).collect();
        let mut incoming: Vec<u32> = (0u32..).zip(&arcs).map(|(at, _)| at).collect();
        incoming.sort_by_key(|at| arcs[*at as usize].1);
        let out_starts = starts(block_count, arcs.iter().map(|(source, _)| *source));
        let in_starts = starts(block_count, incoming.iter().map(|at| arcs[*at as usize].1));
        Flow { block_count, arcs, counted, out_starts, incoming, in_starts }
    }

    /// How many counters the function has.
    pub(super) fn counter_count(&self) -> usize {
        self.counted.len()
    }

    fn outgoing(&self, block: usize) -> impl Iterator<Item = usize> + use<> {
        self.out_starts[block] as usize..self.out_starts[block + 1] as usize
    }

    fn incoming(&self, block: usize) -> impl Iterator<Item = usize> {
        let range = self.in_starts[block] as usize..self.in_starts[block + 1] as usize;
        self.incoming[range].iter().map(|at| *at as usize)
    }

    /// Counts of all blocks and arcs: as much flows into a block as out of it. None if that
    /// leaves some open, or makes some negative.
    pub(super) fn solve(&self, counters: &[i64]) -> Option<Counts> {
        let mut arcs: Vec<Option<i64>> = vec![None; self.arcs.len()];
        for (arc, count) in self.counted.iter().zip(counters) {
            arcs[*arc as usize] = Some(*count);
        }
        let mut blocks: Vec<Option<i64>> = vec![None; self.block_count];
        let mut open: Vec<usize> = (0..self.block_count).collect();
        // Each step either settles a block or an arc, or drops an entry: it ends.
        while let Some(block) = open.pop() {
            let (entry, exit) = (block == ENTRY as usize, block == EXIT as usize);
            if blocks[block].is_none() {
                let out = if exit { None } else { sum(self.outgoing(block), &arcs) };
                let count =
                    out.or_else(|| if entry { None } else { sum(self.incoming(block), &arcs) });
                if count.is_none() {
                    continue;
                }
                blocks[block] = count;
            }
            let Some(count) = blocks[block] else { continue };
            if !exit && let Some(arc) = settle(self.outgoing(block), count, &mut arcs) {
                open.extend([block, self.arcs[arc].1 as usize]);
            }
            if !entry && let Some(arc) = settle(self.incoming(block), count, &mut arcs) {
                open.extend([block, self.arcs[arc].0 as usize]);
            }
        }
        let blocks: Option<Vec<i64>> = blocks.into_iter().collect();
        let arcs: Option<Vec<i64>> = arcs.into_iter().collect();
        let counts = Counts { blocks: blocks?, arcs: arcs? };
        counts.blocks.iter().chain(&counts.arcs).all(|count| *count >= 0).then_some(counts)
    }
}

/// By block, where the arcs with that end start in a list that is sorted by that end.
fn starts(block_count: usize, ends: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0; block_count + 1];
    for end in ends {
        starts[end as usize + 1] += 1;
    }
    for at in 0..block_count {
        starts[at + 1] += starts[at];
    }
    starts
}

/// The sum of arcs, if all are known.
fn sum(mut of: impl Iterator<Item = usize>, arcs: &[Option<i64>]) -> Option<i64> {
    of.try_fold(0i64, |sum, arc| Some(sum.wrapping_add(arcs[arc]?)))
}

/// If exactly one of the arcs is open, settles it so that they add up to `count`, and names it.
fn settle(of: impl Iterator<Item = usize>, count: i64, arcs: &mut [Option<i64>]) -> Option<usize> {
    let (mut rest, mut open) = (count, None);
    for arc in of {
        match arcs[arc] {
            Some(known) => rest = rest.wrapping_sub(known),
            None if open.is_some() => return None,
            None => open = Some(arc),
        }
    }
    arcs[open?] = Some(rest);
    open
}
