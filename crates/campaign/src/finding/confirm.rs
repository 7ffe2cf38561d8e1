//! Suspects as they look at a glance.
//!
//! Most violations of a campaign are those of a few bugs. To make one as small as it gets takes as long as to test hundreds
//! of pairs; to make its queries small, on the database that is there, takes far less, and shows which of them it most likely
//! is.

use metacov_core::{Case, Effort, Reduction, Verdict};

use super::case_run::one;
use super::failing_case::{FailingCase, FailureKind};
use super::signature::digest;
use super::triage::{Triage, features};
use crate::error::CampaignError;

/// So many smaller queries are tried, at most.
const CANDIDATES_MAX: usize = 500;

/// A suspect that has shown again and again, at a glance.
#[derive(Clone, Debug)]
pub struct ConfirmedCase {
    /// As it was found.
    pub(super) suspect: FailingCase,
    /// What is left of it so far.
    pub(super) reduction: Reduction,
    /// The name of the reference, if there is one and the sides agree there.
    pub(super) reference: Option<String>,
    /// What it looks like, by a hash: a violation, by the words of its queries.
    pub(crate) likeness: Option<u64>,
}

impl Triage<'_> {
    /// Looks at a suspect: runs it again, twice, in processes of their own, and makes its queries small. A reason if it
    /// does not show again, or not the same way.
    pub fn sketch(
        &mut self,
        suspect: FailingCase,
    ) -> Result<Result<ConfirmedCase, String>, CampaignError> {
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
    fn holds_on_reference(
        &mut self,
        suspect: &FailingCase,
    ) -> Result<Option<String>, CampaignError> {
        let Some(runner) = &mut self.reference else { return Ok(None) };
        let holds = one(runner, &suspect.case)?.verdict == Verdict::Holds;
        let name = self.targets.reference.as_ref().map(|(name, _)| name.clone());
        Ok(name.filter(|_| holds))
    }
}
