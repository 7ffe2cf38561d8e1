//! The loop of a campaign, in the worker: pairs, what is new of them, and changes of the database.

use std::collections::BTreeMap;
use std::io;

use metacov_core::{Outcome, Pair, codec};
use metacov_exec::{Engine, HelperPort, Trace};
use metacov_relations::{ALL, Database, Recipe, Rng, Test, Verdict};

use super::guidance::{GUIDANCES, Guidance, Probes};
use super::known::KeptTest;
use super::query_plan;
use super::round::{Ended, Round, RoundBatch, Stagnation, Violated};
use super::sight::Novelty;
use super::study::RoundKnowledge;
use crate::bench::{BuiltSubject, PreparedState, TestBench, make, seed};
use crate::message::{Answer, SetupDone, encode};
use crate::script::written;
use crate::time::Phase;

/// Results are told after so many pairs. The number, and not the time, decides: what comes of a round whose worker is
/// lost depends on where it is taken up again.
const STRETCH_PAIRS: u64 = 64;

/// What random numbers are for: each has a stream of its own.
pub(super) mod purpose {
    pub(crate) const TEST: u64 = 1;
    pub(crate) const RECIPE: u64 = 2;
    pub(crate) const MUTATOR: u64 = 3;
    pub(crate) const CHANGE: u64 = 4;
}

impl TestBench<'_> {
    /// Goes through a round.
    pub(crate) fn explore(
        &mut self,
        engine: &Engine,
        round: &Round,
        master: &mut HelperPort,
    ) -> io::Result<()> {
        let guidance =
            GUIDANCES.get(round.guidance).ok_or_else(|| io::Error::other("no such guidance"))?;
        let (dialect, is_cautious) = (self.dialect, round.is_cautious);
        let mut announced = Ok(());
        let (place, made) = self.place(engine, |connection, max| {
            make(connection, max, [round.seed, round.number], dialect, &mut |statement| {
                if is_cautious && announced.is_ok() {
                    announced = master.say(&encode(&Answer::Step(statement.to_owned())));
                }
            })
        })?;
        announced?;
        let BuiltSubject { database, setup, successes } = made;
        let kinds = successes.by_kind.into_iter();
        let kinds = kinds.map(|(kind, success)| (kind, success.tried, success.worked)).collect();
        let executed = codec::encode(place.setup());
        master.say(&encode(&Answer::SetupDone(SetupDone { setup, kinds, executed })))?;
        let study = RoundKnowledge::new(round.known.clone(), &round.start.lesson);
        let stretch = RoundBatch { pace: round.start.pace, ..RoundBatch::default() };
        let mut explorer = Explorer {
            guidance: *guidance,
            round,
            engine,
            place,
            master,
            database,
            study,
            stretch,
            counts: BTreeMap::new(),
            mutator: round.start.changes.last().and_then(|change| change.last().copied()),
            changes: 0,
            traces: [Trace::default(), Trace::default()],
            is_dirty: false,
        };
        explorer.place.take_trace(&mut explorer.traces[0]);
        for change in &round.start.changes {
            explorer.repeat(change)?;
        }
        explorer.run()
    }
}

/// A round in the making.
pub(super) struct Explorer<'e, 'p, 's> {
    pub(super) guidance: &'static dyn Guidance,
    pub(super) round: &'e Round,
    pub(super) engine: &'e Engine,
    pub(super) place: PreparedState<'p, 's>,
    pub(super) master: &'e mut HelperPort,
    pub(super) database: Database,
    pub(super) study: RoundKnowledge,
    pub(super) stretch: RoundBatch,
    pub(super) counts: BTreeMap<(usize, Ended), u64>,
    /// The one that changed the database last.
    pub(super) mutator: Option<usize>,
    /// How many changes there were.
    pub(super) changes: u64,
    pub(super) traces: [Trace; 2],
    /// Whether something was counted that nobody looked at.
    is_dirty: bool,
}

impl Explorer<'_, '_, '_> {
    fn run(&mut self) -> io::Result<()> {
        let Round { schedule, start, is_cautious, .. } = self.round;
        for number in start.pairs..schedule.pairs {
            if self.stretch.pace.stale >= schedule.patience {
                self.tell()?;
                self.change(number)?;
            }
            self.pair(number)?;
            if *is_cautious || self.stretch.pairs == STRETCH_PAIRS {
                self.tell()?;
            }
        }
        self.tell()?;
        self.master.say(&encode(&Answer::Done(self.place.watch.spent)))
    }

    /// Tests a pair.
    fn pair(&mut self, number: u64) -> io::Result<()> {
        let (precedent, test) = self.derive(number)?;
        self.place.watch.lap(Phase::Derive);
        if self.round.is_cautious {
            let sides = [&test.sides.a, &test.sides.b].map(written);
            self.master.say(&encode(&Answer::Next(sides)))?;
        }
        let mut seen = Novelty::default();
        let verdict = self.run_sides(precedent.relation, &test, &mut seen)?;
        let relation = precedent.relation;
        let ended = match verdict {
            Verdict::Holds => Ended::Held,
            Verdict::Violated(_) => Ended::Violated,
            Verdict::Invalid(reason) => Ended::Invalid(reason.to_string()),
        };
        // A pair that says nothing checks nothing, whatever it runs.
        let says = !matches!(ended, Ended::Invalid(_));
        let is_novel = says && self.guidance.is_novel(&seen);
        if seen.rare > 0 && ended == Ended::Held && self.guidance.varies() {
            self.study.keep(precedent);
        }
        let Stagnation { stale, pairs, reward } = &mut self.stretch.pace;
        (*stale, *pairs) = (if is_novel { 0 } else { *stale + 1 }, *pairs + 1);
        *reward += if says { self.guidance.reward(&seen) } else { 0 };
        if let Verdict::Violated(how) = verdict {
            self.stretch.violations.push(Violated {
                pair: number,
                relation,
                how,
                sides: [&test.sides.a, &test.sides.b].map(written),
                parts: test.parts.iter().map(ToString::to_string).collect(),
                comparison: test.comparison,
            });
        }
        let is_of_guidance = seen.differing > 0 || ended == Ended::Violated;
        if self.place.is_measured() && says && (is_of_guidance || seen.is_observed_news) {
            // Traces depend on what an engine has done before, and an observer should leave none of its own.
            let left = if is_of_guidance { None } else { Some(self.engine.state()?) };
            self.place.restore();
            let tested = self.place.test(&test, None)?;
            self.place.take_trace(&mut self.traces[0]);
            self.stretch.kept.push((number, relation, tested));
            if let Some(left) = left {
                left.restore();
            }
        }
        *self.counts.entry((relation, ended)).or_default() += 1;
        self.stretch.pairs += 1;
        Ok(())
    }

    /// Makes a test: a new one, or a variant of one that brought something rare.
    fn derive(&self, number: u64) -> io::Result<(KeptTest, Test)> {
        let Round { seed: of_all, number: database, relations, .. } = self.round;
        let fresh = Recipe::new(seed(&[*of_all, *database, number, purpose::TEST]));
        let at = usize::try_from(number).unwrap_or_default() % relations.len().max(1);
        let mut precedent =
            KeptTest { round: *database, relation: relations[at], recipe: fresh, drawn: 0 };
        let mut rng = Rng::new(seed(&[*of_all, *database, number, purpose::RECIPE]));
        if self.guidance.varies()
            && let Some(known) = self.study.known.precedent(*database, precedent.relation, &mut rng)
        {
            precedent.recipe = known.recipe.varied(known.drawn, &mut rng);
        }
        let relation =
            ALL.get(precedent.relation).ok_or_else(|| io::Error::other("no such relation"))?;
        let mut rng = Rng::following(&precedent.recipe);
        let test = relation.derive(self.database.schema(), &mut rng);
        precedent.drawn = rng.drawn();
        Ok((precedent, test))
    }

    fn run_sides(
        &mut self,
        relation: usize,
        test: &Test,
        seen: &mut Novelty,
    ) -> io::Result<Verdict> {
        let looks = self.guidance.probes_after(self.stretch.pace.stale);
        let observes = self.round.observes;
        let is_traced = self.place.is_measured() && (looks.traces || observes);
        if is_traced && std::mem::replace(&mut self.is_dirty, false) {
            self.place.take_trace(&mut self.traces[0]);
        }
        self.is_dirty |= !is_traced;
        let mut outcomes = Vec::new();
        for (number, side) in [&test.sides.a, &test.sides.b].into_iter().enumerate() {
            if self.round.is_cautious {
                self.master.say(&encode(&Answer::Side(number)))?;
            }
            outcomes.push(self.place.run(side));
            self.place.watch.lap(Phase::Engine);
            if is_traced {
                self.place.take_trace(&mut self.traces[number]);
            }
            self.place.watch.lap(Phase::Capture);
        }
        if looks.plans || observes {
            self.see_plan(relation, test, looks, seen);
            self.place.watch.lap(Phase::Capture);
        }
        let [a, b] =
            <[Outcome; 2]>::try_from(outcomes).map_err(|_| io::Error::other("two sides"))?;
        let verdict = test.judge(&Pair { a, b });
        self.place.watch.lap(Phase::Judge);
        if is_traced && !matches!(verdict, Verdict::Invalid(_)) {
            if looks.traces {
                self.study.look_at_traces(&self.traces, seen);
            }
            seen.is_observed_news = observes && self.study.observe_traces(&self.traces);
            self.place.watch.lap(Phase::Decode);
        }
        Ok(verdict)
    }

    /// Sees the plan of a query, behind both sides: what asking for it counts is no part of them.
    fn see_plan(&mut self, relation: usize, test: &Test, looks: Probes, seen: &mut Novelty) {
        // The side that has the predicate has the plan to look at.
        let filters_first = ALL[relation].filters_first();
        let side = if filters_first { &test.sides.a } else { &test.sides.b };
        let Some(query) = side.statements.first() else { return };
        let outcome = self.place.ask(&query_plan::explain(query));
        self.is_dirty = true;
        let Some(plan) = query_plan::digest(&outcome) else { return };
        if looks.plans {
            self.study.look_at_plan(plan, seen);
        }
        if self.round.observes {
            self.study.observe_plan(plan);
        }
    }

    /// Tells what came of the last pairs.
    fn tell(&mut self) -> io::Result<()> {
        let pace = self.stretch.pace;
        let mut stretch =
            std::mem::replace(&mut self.stretch, RoundBatch { pace, ..RoundBatch::default() });
        let counts = std::mem::take(&mut self.counts).into_iter();
        stretch.counts =
            counts.map(|((relation, ended), count)| (relation, ended, count)).collect();
        stretch.lesson = self.study.take_lesson();
        self.master.say(&encode(&Answer::Explored(Box::new(stretch))))?;
        self.place.watch.lap(Phase::Tell);
        Ok(())
    }
}
