//! What running targets needs of its caller.

use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use metacov_campaign::TargetList;
use metacov_run::RunError;

use super::{LocateTarget, Message};

/// What running targets needs of its caller.
pub struct RunContext<'c> {
    /// All targets.
    pub targets: &'c TargetList,
    /// How many workers.
    pub workers: NonZero<usize>,
    /// Set to end all workers.
    pub interrupted: &'c AtomicBool,
    /// Messages for the user.
    pub on_message: &'c dyn Fn(Message),
}

impl RunContext<'_> {
    /// Finds a target by name, or uses a library of the user instead.
    pub(super) fn target(
        &self,
        name: &str,
        library: Option<&Path>,
    ) -> Result<LocateTarget<'_>, RunError> {
        LocateTarget::new(self.targets, name, library, self.workers, self.interrupted)
    }

    pub(super) fn note(&self, what: String) {
        (self.on_message)(Message::Note(what));
    }

    pub(super) fn warn(&self, what: String) {
        (self.on_message)(Message::Warning(what));
    }
}
