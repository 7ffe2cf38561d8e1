//! Solving a flow graph: from the arcs that are counted to all arcs and blocks.
//!
//! As much flows into a block as out of it, so an arc that is not counted is what its block lacks.
//! In which order that settles all of them depends on the graph alone, not on the counts. So the
//! graph is solved once, and what is left of it is a list of additions.

use std::ops::{Add, Sub};

use super::notes::{ENTRY, EXIT, Function};

/// No function has as many arcs and blocks: far fewer fill all the memory of a compiler.
const VARIABLES_MAX: usize = 1 << 23;

/// The number of an arc or a block of a function: arcs first, then blocks.
pub(super) type Variable = u32;

/// A function's flow graph, solved.
pub(super) struct Flow {
    arc_count: usize,
    block_count: usize,
    /// The arcs that are counted, in the order of counters.
    counted: Vec<Variable>,
    steps: Vec<Step>,
    /// What the steps add and subtract, one behind the other.
    terms: Vec<Variable>,
}

/// `target = terms added - terms subtracted`. Its terms follow those of the step before.
pub(super) struct Step {
    pub(super) target: Variable,
    pub(super) added: u32,
    subtracted: u32,
}

impl Flow {
    /// None if the counted arcs do not settle all others, or if there are too many: gcc makes no
    /// such graph.
    pub(super) fn of(function: &Function) -> Option<Self> {
        let variables = function.arcs.len() + function.blocks.len();
        (variables < VARIABLES_MAX).then(|| Solver::of(function).solve())?
    }

    /// How many counters the function has.
    pub(super) fn counter_count(&self) -> usize {
        self.counted.len()
    }

    /// The variable of a block.
    pub(super) fn block(arc_count: usize, block: usize) -> Variable {
        Variable::try_from(arc_count + block).unwrap_or(Variable::MAX)
    }

    /// The arcs that are counted, in the order of counters.
    pub(super) fn counted(&self) -> &[Variable] {
        &self.counted
    }

    /// What follows from them, in an order in which it does; each with its terms.
    pub(super) fn steps(&self) -> impl Iterator<Item = (&Step, &[Variable])> {
        let mut terms = &self.terms[..];
        self.steps.iter().map(move |step| {
            let (own, rest) = terms.split_at((step.added + step.subtracted) as usize);
            terms = rest;
            (step, own)
        })
    }

    /// The counts of all arcs and blocks, by variable.
    pub(super) fn run<T>(&self, counters: &[T]) -> Vec<T>
    where
        T: Copy + Default + Add<Output = T> + Sub<Output = T>,
    {
        let mut counts = vec![T::default(); self.arc_count + self.block_count];
        for (arc, count) in self.counted.iter().zip(counters) {
            counts[*arc as usize] = *count;
        }
        for (step, terms) in self.steps() {
            let (added, subtracted) = terms.split_at(step.added as usize);
            let of = |term: &Variable| counts[*term as usize];
            let sum = added.iter().map(of).fold(T::default(), T::add);
            counts[step.target as usize] = subtracted.iter().map(of).fold(sum, T::sub);
        }
        counts
    }
}

/// A flow graph that is being solved.
struct Solver<'f> {
    function: &'f Function,
    /// By block: the arcs out of it, and into it.
    outgoing: Vec<Vec<Variable>>,
    incoming: Vec<Vec<Variable>>,
    /// By variable: whether its count is settled.
    settled: Vec<bool>,
    steps: Vec<Step>,
    terms: Vec<Variable>,
}

impl<'f> Solver<'f> {
    fn of(function: &'f Function) -> Self {
        let (arcs, blocks) = (function.arcs.len(), function.blocks.len());
        let mut outgoing = vec![Vec::new(); blocks];
        let mut incoming = vec![Vec::new(); blocks];
        let mut settled = vec![false; arcs + blocks];
        for (number, arc) in (0..).zip(&function.arcs) {
            outgoing[arc.source as usize].push(number);
            incoming[arc.destination as usize].push(number);
            settled[number as usize] = !arc.on_tree;
        }
        Solver { function, outgoing, incoming, settled, steps: Vec::new(), terms: Vec::new() }
    }

    fn solve(mut self) -> Option<Flow> {
        let (arc_count, block_count) = (self.function.arcs.len(), self.function.blocks.len());
        let mut open: Vec<usize> = (0..block_count).collect();
        // Each round settles something and puts two blocks back, or takes one away: it ends.
        while let Some(block) = open.pop() {
            let variable = Flow::block(arc_count, block);
            if !self.settled[variable as usize] && !self.settle_block(block, variable) {
                continue;
            }
            // Nothing is known of what flows into the entry, or out of the exit.
            let ways = [(block == EXIT as usize, true), (block == ENTRY as usize, false)];
            for (_, out) in ways.into_iter().filter(|(unknown, _)| !unknown) {
                if let Some(arc) = self.settle_arc(block, variable, out) {
                    let arc = &self.function.arcs[arc as usize];
                    open.extend([block, arc.source as usize, arc.destination as usize]);
                }
            }
        }
        let numbered = (0..).zip(&self.function.arcs);
        let counted = numbered.filter(|(_, arc)| !arc.on_tree).map(|(number, _)| number).collect();
        let Solver { settled, steps, terms, .. } = self;
        let flow = Flow { arc_count, block_count, counted, steps, terms };
        settled.into_iter().all(|settled| settled).then_some(flow)
    }

    /// A block is as much as flows out of it, or into it, if all of that is settled.
    fn settle_block(&mut self, block: usize, variable: Variable) -> bool {
        let all_settled = |arcs: &[Variable]| arcs.iter().all(|arc| self.settled[*arc as usize]);
        let arcs = if block != EXIT as usize && all_settled(&self.outgoing[block]) {
            &self.outgoing[block]
        } else if block != ENTRY as usize && all_settled(&self.incoming[block]) {
            &self.incoming[block]
        } else {
            return false;
        };
        self.terms.extend_from_slice(arcs);
        let added = arcs.len();
        self.step(variable, added, 0);
        true
    }

    /// The only arc out of a block, or into it, that is not settled is what the others lack.
    fn settle_arc(&mut self, block: usize, variable: Variable, out: bool) -> Option<Variable> {
        let arcs = if out { &self.outgoing[block] } else { &self.incoming[block] };
        let mut unsettled = arcs.iter().filter(|arc| !self.settled[**arc as usize]);
        let (arc, None) = (*unsettled.next()?, unsettled.next()) else { return None };
        self.terms.push(variable);
        self.terms.extend(arcs.iter().filter(|other| **other != arc));
        let subtracted = arcs.len() - 1;
        self.step(arc, 1, subtracted);
        Some(arc)
    }

    fn step(&mut self, target: Variable, added: usize, subtracted: usize) {
        let count = |terms: usize| u32::try_from(terms).unwrap_or(u32::MAX);
        self.steps.push(Step { target, added: count(added), subtracted: count(subtracted) });
        self.settled[target as usize] = true;
    }
}
