//! Solves a flow graph: computes the counts of all arcs and blocks from the counted arcs.
//!
//! The flow into a block equals the flow out of it, so an uncounted arc is the difference of the
//! other arcs of its block. The order in which all of them can be computed depends only on the
//! graph, not on the counts. So the graph is solved once, and the result is a list of additions.

use std::ops::{Add, Sub};

use super::notes::{ENTRY, EXIT, Function};

/// More than any function has: far fewer exhaust the memory of a compiler.
const VARIABLES_MAX: usize = 1 << 23;

/// The number of an arc or a block of a function: arcs first, then blocks.
pub(super) type Variable = u32;

/// A function's flow graph, solved.
pub(super) struct Flow {
    arc_count: usize,
    block_count: usize,
    /// The counted arcs, in the order of counters.
    counted: Vec<Variable>,
    steps: Vec<Step>,
    /// The operands of all steps, concatenated.
    terms: Vec<Variable>,
}

/// `target = terms added - terms subtracted`. Its terms follow those of the step before.
pub(super) struct Step {
    pub(super) target: Variable,
    pub(super) added: u32,
    subtracted: u32,
}

impl Flow {
    /// None if the counted arcs do not determine all others, or if there are too many: gcc writes
    /// no such graph.
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

    /// The counted arcs, in the order of counters.
    pub(super) fn counted(&self) -> &[Variable] {
        &self.counted
    }

    /// The steps in order, each with its operands.
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

/// A flow graph while it is being solved.
struct Solver<'f> {
    function: &'f Function,
    /// The arcs out of each block, and into it.
    outgoing: Vec<Vec<Variable>>,
    incoming: Vec<Vec<Variable>>,
    /// Whether the count of each variable is determined.
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
        // Terminates: each round determines something and adds two blocks, or removes one.
        while let Some(block) = open.pop() {
            let variable = Flow::block(arc_count, block);
            if !self.settled[variable as usize] && !self.settle_block(block, variable) {
                continue;
            }
            // The flow into the entry and the flow out of the exit are not known.
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

    /// Determines a block as the sum of the arcs out of it, or into it, if all of those are
    /// determined.
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

    /// Determines the only unknown arc out of a block, or into it, as the difference of the others.
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
