//! Studies of campaigns: which guidance finds the most bugs? The paper's Q.4.

mod outcome;
mod plan;
mod results;

pub use outcome::{Observed, TrialOutcome, unite_trials};
pub use plan::{Budget, CampaignPlan, Trial};
pub use results::{CampaignResults, GuidanceRow, Rival};
