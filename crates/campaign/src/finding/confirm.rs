//! A cheap first look at a failing case.
//!
//! Most violations of a campaign come from a few bugs. Reducing one completely takes as long as
//! testing hundreds of pairs; reducing only its queries, on the existing database, takes far less,
//! and shows which bug it most likely is.

use metacov_core::{Case, Effort, Reduction, Verdict};
use metacov_run::RunError;

use super::case_run::one;
use super::failing_case::{FailingCase, FailureKind};
use super::signature::digest;
use super::triage::{Triage, features};

/// The most smaller queries that are tried.
const CANDIDATES_MAX: usize = 500;

/// A failing case that was reproduced several times, with reduced queries.
#[derive(Clone, Debug)]
pub struct ConfirmedCase {
    /// The original case.
    pub(super) suspect: FailingCase,
    /// The reduction so far.
    pub(super) reduction: Reduction,
    /// The name of the reference, if there is one and the sides agree there.
    pub(super) reference: Option<String>,
    /// A hash of what the case looks like: for a violation, of the words of its queries.
    pub(crate) likeness: Option<u64>,
}

impl Triage<'_> {
    /// Reruns a failing case twice in new processes, and reduces its queries. Returns a reason if
    /// it does not fail again in the same way.
    pub fn sketch(
        &mut self,
        suspect: FailingCase,
    ) -> Result<Result<ConfirmedCase, String>, RunError> {
        if let Err(reason) = self.confirm(&suspect)? {
            return Ok(Err(reason));
        }
        let reduction = Reduction { case: suspect.case.clone(), candidates: 0 };
        let mut sketch = ConfirmedCase { suspect, reduction, reference: None, likeness: None };
        if let FailureKind::Violated(_) = sketch.suspect.what {
            sketch.reference = self.holds_on_reference(&sketch.suspect)?;
            let (what, holds) = (&sketch.suspect.what, sketch.reference.is_some());
            let case = &sketch.suspect.case;
            sketch.reduction =
                self.reduce_case(case, Effort::Sides, CANDIDATES_MAX, (what, holds))?;
            let case = Case { setup: Vec::new(), ..sketch.reduction.case.clone() };
            let words =
                features(self.language(), &FailingCase { case, ..sketch.suspect.clone() }, None);
            sketch.likeness = Some(digest(words.into_iter()));
        }
        Ok(Ok(sketch))
    }

    /// The name of the reference, if there is one and the sides agree there.
    fn holds_on_reference(&mut self, suspect: &FailingCase) -> Result<Option<String>, RunError> {
        let Some(runner) = &mut self.reference else { return Ok(None) };
        let holds = one(runner, &suspect.case)?.verdict == Verdict::Holds;
        let name = self.targets.reference.as_ref().map(|(name, _)| name.clone());
        Ok(name.filter(|_| holds))
    }
}
