//! Confirms, reduces and measures failing cases.

use std::collections::BTreeSet;
use std::path::PathBuf;

use metacov_core::{Case, Effort, Functions, Language, Reduction, ReductionStopped, Size, Verdict};
use metacov_run::RunError;

use super::case_run::{CaseRun, one, run, text};
use super::confirm::ConfirmedCase;
use super::difference::Difference;
use super::failing_case::{FailingCase, FailureKind};
use super::family;
use super::known_bugs::KnownBugs;
use super::signature::Signature;
use crate::worker::cases::CaseRunner;
use crate::worker::host::WorkerOptions;

/// The most smaller cases that are tried.
const CANDIDATES_MAX: usize = 3000;
/// The same for a crash, after each of which a process has to be started.
const CANDIDATES_OF_CRASH_MAX: usize = 600;

/// How often a case must fail again to be confirmed.
const REPLAYS: usize = 2;

/// The targets that failing cases are run on.
pub struct TriageTargets<'c> {
    /// The name of the target, such as `sqlite@3.29.0`.
    pub target: String,
    /// The user's library, if that is tested.
    pub library: Option<PathBuf>,
    /// The target without counters, as the campaign tests it.
    pub plain: &'c WorkerOptions<'c>,
    /// The target with counters, if the difference of a finding is measured.
    pub counting: Option<&'c WorkerOptions<'c>>,
    /// Another version of the target, with its name. A smaller case is accepted only if it still
    /// holds there.
    pub reference: Option<(String, &'c WorkerOptions<'c>)>,
}

/// Examines failing cases.
pub struct Triage<'c> {
    pub(super) targets: TriageTargets<'c>,
    known: KnownBugs,
    plain: CaseRunner<'c>,
    pub(super) reference: Option<CaseRunner<'c>>,
    /// Started when it is first needed.
    counting: Option<(CaseRunner<'c>, Functions)>,
}

/// The result of an examination.
#[derive(Clone, Debug)]
pub enum Examined {
    /// It is confirmed, and known under this name.
    Known(String, Box<Finding>),
    /// It is confirmed and new.
    Found(Box<Finding>),
}

/// A confirmed and reduced failing case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Identifies the finding.
    pub signature: Signature,
    /// The words that the case needs to fail. All cases of a group share them.
    pub shape: BTreeSet<String>,
    /// The name of the target, such as `sqlite@3.29.0`.
    pub target: String,
    /// The user's library, if the finding is of that.
    pub library: Option<PathBuf>,
    /// The arguments of that, if it is a program.
    pub arguments: Option<Vec<String>>,
    /// The target on which it does not fail, if there was one to compare with.
    pub reference: Option<String>,
    /// The reduced case.
    pub suspect: FailingCase,
    /// The size before reduction.
    pub before: Size,
    /// How many smaller cases were tried.
    pub candidates: usize,
    /// The outcomes of the sides as text, if both finished.
    pub outputs: Option<[String; 2]>,
    /// The code that only one of the sides runs, if it could be measured.
    pub difference: Option<Difference>,
}

impl Finding {
    /// Returns the name of its group.
    pub fn group(&self) -> String {
        family::name(self.suspect.what.name(), &self.shape)
    }
}

impl<'c> Triage<'c> {
    /// Starts the workers.
    pub fn new(targets: TriageTargets<'c>, known: KnownBugs) -> Result<Self, RunError> {
        let plain = CaseRunner::new(targets.plain)?;
        let reference = targets.reference.as_ref();
        let reference = reference.map(|(_, conditions)| CaseRunner::new(conditions)).transpose()?;
        Ok(Triage { targets, known, plain, reference, counting: None })
    }

    /// The language of the target's inputs.
    pub(super) fn language(&self) -> &'static dyn Language {
        self.targets.plain.language()
    }

    /// Reduces and measures a confirmed case.
    pub fn examine(&mut self, sketch: ConfirmedCase) -> Result<Examined, RunError> {
        let finding = self.finding(sketch)?;
        let (small, signature) = (&finding.suspect, &finding.signature);
        let known = self.known.name(self.language(), &small.case, signature);
        let known = known.map(ToOwned::to_owned);
        let finding = Box::new(finding);
        Ok(match known {
            Some(name) => Examined::Known(name, finding),
            None => Examined::Found(finding),
        })
    }

    /// Whether a case fails again, every time, in the same way.
    pub(super) fn confirm(
        &mut self,
        suspect: &FailingCase,
    ) -> Result<Result<(), String>, RunError> {
        let mut outcomes = Vec::new();
        for _ in 0..REPLAYS {
            self.plain.restart();
            let run = one(&mut self.plain, &suspect.case)?;
            match (FailureKind::of(&run.verdict), run.verdict) {
                (Some(what), _) if what.is_like(&suspect.what) => outcomes.push(run.outcomes),
                (Some(what), _) => return Ok(Err(format!("it fails in another way: {what}"))),
                (_, Verdict::Holds) => {
                    return Ok(Err("the sides agree when it is run again".to_owned()));
                }
                (_, verdict) => {
                    return Ok(Err(format!("it does not run again: {}", why(&verdict))));
                }
            }
        }
        let is_same = outcomes.windows(2).all(|pair| pair[0] == pair[1]);
        Ok(if is_same { Ok(()) } else { Err("its results change from run to run".to_owned()) })
    }

    /// Reduces a confirmed case, and measures it.
    fn finding(&mut self, sketch: ConfirmedCase) -> Result<Finding, RunError> {
        let reduction = self.reduce(&sketch)?;
        let ConfirmedCase { suspect, reference, .. } = sketch;
        let mut small = FailingCase { case: reduction.case, ..suspect.clone() };
        let mut outcomes = None;
        // A case that was not reduced is already confirmed, and may take long to run.
        if reduction.candidates > 0 {
            // Each step is judged only once, so the result must be confirmed as the original was.
            if self.confirm(&small)?.is_err() {
                small = suspect.clone();
            }
            let run = one(&mut self.plain, &small.case)?;
            if let Some(what) = FailureKind::of(&run.verdict) {
                small.what = what;
            }
            outcomes = run.outcomes;
        }
        let difference = self.difference(&small)?;
        let shape = features(self.language(), &small, difference.as_ref());
        Ok(Finding {
            signature: Signature::of(self.language(), &small, &shape),
            shape,
            target: self.targets.target.clone(),
            library: self.targets.library.clone(),
            arguments: self.targets.plain.config.options.arguments.clone(),
            reference,
            before: suspect.case.size(),
            candidates: reduction.candidates,
            outputs: outcomes.map(|outcomes| [text(&outcomes.a), text(&outcomes.b)]),
            difference,
            suspect: small,
        })
    }

    /// Reduces a case completely.
    fn reduce(&mut self, sketch: &ConfirmedCase) -> Result<Reduction, RunError> {
        let what = &sketch.suspect.what;
        let candidates_max = match what {
            FailureKind::Violated(_) => CANDIDATES_MAX,
            FailureKind::Crashed { .. } => CANDIDATES_OF_CRASH_MAX,
            // Each candidate would take as long as the timeout of a worker.
            FailureKind::Hung { .. } => 0,
        };
        let mut case = sketch.reduction.case.clone();
        // A crash needs only its own side, if any, and no relation restricts how that may change.
        if let FailureKind::Crashed { side, .. } = what {
            for (other, inputs) in [&mut case.sides.a, &mut case.sides.b].into_iter().enumerate() {
                if side.map(|side| side.min(1)) != Some(other) {
                    for input in inputs {
                        input.statements.clear();
                    }
                }
            }
            let inputs = case.sides.a.iter().chain(&case.sides.b);
            let statements = inputs.flat_map(|input| input.statements.iter().cloned());
            case.parts = statements.filter(|text| !self.language().is_setting(text)).collect();
            // Keep both sides if the other one is needed.
            if self.still_fail(std::slice::from_ref(&case), what, false)? != [true] {
                case.clone_from(&sketch.suspect.case);
            }
        }
        let holds = sketch.reference.is_some();
        let mut reduction =
            self.reduce_case(&case, Effort::Whole, candidates_max, (what, holds))?;
        reduction.candidates += sketch.reduction.candidates;
        Ok(reduction)
    }

    /// Reduces a case while it fails in this way and, if required, still holds on the reference.
    pub(super) fn reduce_case(
        &mut self,
        case: &Case,
        effort: Effort,
        candidates_max: usize,
        (what, must_hold): (&FailureKind, bool),
    ) -> Result<Reduction, RunError> {
        let (language, mut ended) = (self.language(), None);
        let mut fails = |cases: &[Case]| {
            self.still_fail(cases, what, must_hold).map_err(|error| {
                ended = Some(error);
                ReductionStopped
            })
        };
        language
            .reduce(case, effort, candidates_max, &mut fails)
            .map_err(|stopped| ended.unwrap_or(RunError::Failed(stopped.to_string())))
    }

    /// Whether each of these cases fails in this way and, if required, still holds on the
    /// reference.
    pub(super) fn still_fail(
        &mut self,
        cases: &[Case],
        what: &FailureKind,
        must_hold: bool,
    ) -> Result<Vec<bool>, RunError> {
        let is_like = |run: &CaseRun| {
            FailureKind::of(&run.verdict).is_some_and(|failure| failure.is_like(what))
        };
        let mut fails: Vec<bool> = run(&mut self.plain, cases)?.iter().map(is_like).collect();
        if let Some(reference) = self.reference.as_mut().filter(|_| must_hold) {
            let failing: Vec<usize> = (0..fails.len()).filter(|at| fails[*at]).collect();
            let failing_cases: Vec<Case> = failing.iter().map(|at| cases[*at].clone()).collect();
            for (at, run) in failing.into_iter().zip(run(reference, &failing_cases)?) {
                fails[at] = run.verdict == Verdict::Holds;
            }
        }
        Ok(fails)
    }

    /// The code that only one of the sides runs, if both finish.
    fn difference(&mut self, suspect: &FailingCase) -> Result<Option<Difference>, RunError> {
        let Some(options) = self.targets.counting else { return Ok(None) };
        if !matches!(suspect.what, FailureKind::Violated(_)) {
            return Ok(None);
        }
        let (runner, _) = match &mut self.counting {
            Some(counting) => counting,
            none => {
                let runner = CaseRunner::new(options)?;
                let functions = Functions::of(runner.table());
                none.insert((runner, functions))
            }
        };
        let covers = one(runner, &suspect.case)?.covers;
        let Some((runner, functions)) = &self.counting else { return Ok(None) };
        Ok(covers.map(|covers| Difference::of(&covers, runner.table(), functions)))
    }
}

/// The words that a failing case needs to fail. `difference` is the code that only one of its sides
/// runs, if it was measured.
pub(super) fn features(
    language: &dyn Language,
    suspect: &FailingCase,
    difference: Option<&Difference>,
) -> BTreeSet<String> {
    let mut features = BTreeSet::from([suspect.what.name().to_owned()]);
    // A hang is not reduced, so its words say nothing: all hangs are one group, each with its
    // folder.
    if matches!(suspect.what, FailureKind::Hung { .. }) {
        return features;
    }
    let none = BTreeSet::new();
    let functions = difference.map_or(&none, |difference| &difference.functions);
    let is_crash = matches!(suspect.what, FailureKind::Crashed { .. });
    features.append(&mut language.features(&suspect.case, functions, is_crash));
    features
}

/// Why there is no verdict.
fn why(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Invalid(reason) => reason.to_string(),
        Verdict::Lost { missing, .. } => missing.failure.name().to_owned(),
        Verdict::Holds | Verdict::Violated(_) => String::new(),
    }
}
