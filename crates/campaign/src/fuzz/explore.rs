//! The loop of a campaign, in the worker: tests pairs, finds what is new, and changes the database.

use std::io;

use metacov_core::{Case, Input, Method, Outcome, Pair, Recipe, Rng, Subject, Test, Verdict, seed};
use metacov_exec::{Mark, Trace};

use super::guidance::{GUIDANCES, Guidance, Probes};
use super::knowledge::{KeptTest, Knowledge};
use super::round::{Round, RoundBatch, Stagnation, Violated};
use super::round_knowledge::RoundKnowledge;
use super::traces::Novelty;
use crate::timing::Phase;
use crate::worker::bench::{PreparedState, TestBench, Tested};
use crate::worker::protocol::{Answer, Port, SetupDone};

/// Results are reported after this many pairs. The number decides, not the time, because a round
/// whose worker is lost resumes after the last report.
const STRETCH_PAIRS: u64 = 64;

/// The same if an input may take seconds: a campaign ends after a report.
const SLOW_STRETCH_PAIRS: u64 = 1;

/// What random numbers are used for: each purpose has a separate stream.
pub(super) mod purpose {
    pub(crate) const TEST: u64 = 1;
    pub(crate) const RECIPE: u64 = 2;
    pub(crate) const MUTATOR: u64 = 3;
    pub(crate) const CHANGE: u64 = 4;
}

impl TestBench<'_> {
    /// Runs a round, with what is known at its start.
    pub(crate) fn explore(
        &mut self,
        round: &Round,
        known: Knowledge,
        port: &mut dyn Port,
    ) -> io::Result<()> {
        let guidance =
            GUIDANCES.get(round.guidance).ok_or_else(|| io::Error::other("unknown guidance"))?;
        let method = self.method;
        if round.relations.iter().any(|relation| *relation >= method.relations().len()) {
            return Err(io::Error::other("unknown relation"));
        }
        let (state, built) = self.prepare(|bench| {
            bench.build([round.seed, round.number], &mut |statement| {
                announce(round.is_cautious, port, statement)
            })
        })?;
        let subject = built.subject;
        let done = SetupDone::of(built.setup, built.successes, state.setup());
        port.report(&Answer::Built(done))?;
        let knowledge = RoundKnowledge::new(known, &round.start.lesson);
        let batch = RoundBatch { pace: round.start.pace, ..RoundBatch::default() };
        let mut explorer = Explorer {
            guidance: *guidance,
            round,
            method,
            state,
            port,
            subject,
            knowledge,
            batch,
            unsolved: Vec::new(),
            mutator: round.start.changes.last().and_then(|change| change.last().copied()),
            changes: 0,
            traces: [Trace::default(), Trace::default()],
            is_dirty: false,
        };
        explorer.state.take_trace(&mut explorer.traces[0]);
        for change in &round.start.changes {
            explorer.repeat(change)?;
        }
        explorer.run()
    }
}

/// Reports a setup statement before it runs, if the round is cautious.
pub(super) fn announce(is_cautious: bool, port: &mut dyn Port, statement: &str) -> io::Result<()> {
    if is_cautious { port.report(&Answer::Step(statement.to_owned())) } else { Ok(()) }
}

/// A running round.
pub(super) struct Explorer<'e, 'p, 's> {
    pub(super) guidance: &'static dyn Guidance,
    pub(super) round: &'e Round,
    pub(super) method: &'static dyn Method,
    pub(super) state: PreparedState<'p, 's>,
    pub(super) port: &'e mut dyn Port,
    pub(super) subject: Box<dyn Subject>,
    pub(super) knowledge: RoundKnowledge,
    pub(super) batch: RoundBatch,
    /// Pairs to keep, by number and relation, whose counters are solved together.
    unsolved: Vec<(u64, usize, Tested)>,
    /// The mutator of the last change.
    pub(super) mutator: Option<usize>,
    /// How many changes there were.
    pub(super) changes: u64,
    pub(super) traces: [Trace; 2],
    /// Whether counters may be set that belong to no trace.
    is_dirty: bool,
}

impl Explorer<'_, '_, '_> {
    fn run(&mut self) -> io::Result<()> {
        let Round { schedule, start, is_cautious, .. } = self.round;
        let stretch = if self.state.limits_time() { SLOW_STRETCH_PAIRS } else { STRETCH_PAIRS };
        for number in start.pairs..schedule.pairs {
            if self.batch.pace.stale >= schedule.patience {
                // Before the report, so that the reward is known even if a pair after the change
                // crashes the worker.
                self.reward();
                self.report()?;
                self.change(number)?;
            }
            self.pair(number)?;
            if *is_cautious || self.batch.pairs == stretch {
                self.report()?;
            }
        }
        self.report()?;
        self.port.report(&Answer::Done(self.state.watch.times))
    }

    /// Tests a pair.
    fn pair(&mut self, number: u64) -> io::Result<()> {
        let (kept, test) = self.derive(number);
        self.state.watch.lap(Phase::Derive);
        if self.round.is_cautious {
            self.port.report(&Answer::Next(test.sides.clone()))?;
        }
        let mut novelty = Novelty::default();
        let verdict = self.run_sides(&test, &mut novelty)?;
        let relation = kept.relation;
        let counts = self.batch.counts.entry(relation).or_default();
        counts.count(&verdict);
        // A pair without a verdict checks nothing, whatever it runs.
        let says = !matches!(verdict, Verdict::Invalid(_));
        let is_novel = says && self.guidance.is_novel(&novelty);
        if novelty.rare > 0 && verdict == Verdict::Holds && self.guidance.varies() {
            self.knowledge.keep(kept);
        }
        let Stagnation { stale, pairs, reward } = &mut self.batch.pace;
        (*stale, *pairs) = (if is_novel { 0 } else { *stale + 1 }, *pairs + 1);
        *reward += if says { self.guidance.reward(&novelty) } else { 0 };
        let is_violated = matches!(verdict, Verdict::Violated(_));
        if let Verdict::Violated(how) = verdict {
            let name = self.method.relations()[relation].name;
            let case = Case::of(name, Vec::new(), &test);
            self.batch.violations.push(Violated { pair: number, how, case });
        }
        let is_of_guidance = novelty.differing > 0 || is_violated;
        if self.state.is_measured() && says && (is_of_guidance || novelty.is_observed_news) {
            // Traces depend on what a target has done before, so an observer must not change its
            // state.
            if !is_of_guidance {
                self.state.session().keep(Mark::Interrupted)?;
            }
            self.state.restore()?;
            let tested = self.state.run_test(test, None)?;
            self.state.take_trace(&mut self.traces[0]);
            self.unsolved.push((number, relation, tested));
            if !self.state.has_room() {
                self.solve()?;
            }
            if !is_of_guidance {
                self.state.session().restore(Mark::Interrupted)?;
            }
        }
        self.batch.pairs += 1;
        Ok(())
    }

    /// Derives a test: a new one, or a variant of one that brought something rare.
    fn derive(&self, number: u64) -> (KeptTest, Test) {
        let Round { seed: of_all, number: round, relations, .. } = self.round;
        let fresh = Recipe::new(seed(&[*of_all, *round, number, purpose::TEST]));
        let at = usize::try_from(number).unwrap_or_default() % relations.len().max(1);
        let mut kept = KeptTest { round: *round, relation: relations[at], recipe: fresh, drawn: 0 };
        let mut rng = Rng::new(seed(&[*of_all, *round, number, purpose::RECIPE]));
        if self.guidance.varies()
            && let Some(known) = self.knowledge.known.precedent(*round, kept.relation, &mut rng)
        {
            kept.recipe = known.recipe.varied(known.drawn, &mut rng);
        }
        let mut rng = Rng::following(&kept.recipe);
        let test = self.subject.derive(kept.relation, &mut rng);
        kept.drawn = rng.drawn();
        (kept, test)
    }

    fn run_sides(&mut self, test: &Test, novelty: &mut Novelty) -> io::Result<Verdict> {
        let probes = self.guidance.probes_after(self.batch.pace.stale);
        let observes = self.round.observes;
        let is_traced = self.state.is_measured() && (probes.traces || observes);
        if is_traced && std::mem::replace(&mut self.is_dirty, false) {
            self.state.take_trace(&mut self.traces[0]);
        }
        self.is_dirty |= !is_traced;
        self.state.session().begin_test();
        let mut side = |number: usize, inputs| {
            if self.round.is_cautious {
                self.port.report(&Answer::Side(number))?;
            }
            let outcomes = self.state.run(inputs)?;
            self.state.watch.lap(Phase::Engine);
            if is_traced {
                self.state.take_trace(&mut self.traces[number]);
            }
            self.state.watch.lap(Phase::Capture);
            Ok::<Vec<Outcome>, io::Error>(outcomes)
        };
        let outcomes = Pair { a: side(0, &test.sides.a)?, b: side(1, &test.sides.b)? };
        if probes.plans || observes {
            self.probe(test, probes, novelty)?;
            self.state.watch.lap(Phase::Capture);
        }
        let verdict = test.judge.judge(&outcomes);
        self.state.watch.lap(Phase::Judge);
        if is_traced && !matches!(verdict, Verdict::Invalid(_)) {
            if probes.traces {
                self.knowledge.look_at_traces(&self.traces, novelty);
            }
            novelty.is_observed_news = observes && self.knowledge.observe_traces(&self.traces);
            self.state.watch.lap(Phase::Decode);
        }
        Ok(verdict)
    }

    /// Asks for the query plan of a test, after both sides, so that its counters do not belong to
    /// them.
    fn probe(&mut self, test: &Test, probes: Probes, novelty: &mut Novelty) -> io::Result<()> {
        let Some(probe) = &test.probe else { return Ok(()) };
        let outcome = self.state.session().run(&Input::of(probe.clone()))?;
        self.is_dirty = true;
        let Some(plan) = self.method.language().digest_probe(&outcome) else { return Ok(()) };
        if probes.plans {
            self.knowledge.look_at_plan(plan, novelty);
        }
        if self.round.observes {
            self.knowledge.observe_plan(plan);
        }
        Ok(())
    }

    /// Solves the counters of pairs to keep.
    fn solve(&mut self) -> io::Result<()> {
        let (mut pairs, mut tested) = (Vec::new(), Vec::new());
        for (number, relation, test) in self.unsolved.drain(..) {
            pairs.push((number, relation));
            tested.push(test);
        }
        let results = self.state.solve(tested)?;
        let kept = pairs.into_iter().zip(results);
        self.batch.kept.extend(kept.map(|((number, relation), result)| (number, relation, result)));
        Ok(())
    }

    /// Reports the results of the last pairs.
    fn report(&mut self) -> io::Result<()> {
        self.solve()?;
        let pace = self.batch.pace;
        let next = RoundBatch { pace, ..RoundBatch::default() };
        let mut batch = std::mem::replace(&mut self.batch, next);
        batch.lesson = self.knowledge.take_lesson();
        self.port.report(&Answer::Explored(Box::new(batch)))?;
        self.state.watch.lap(Phase::Report);
        Ok(())
    }
}
