//! Measures where the time goes.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The engine runs the setup of databases.
    Build,
    /// Tests are derived and printed.
    Derive,
    /// The engine runs tests.
    Engine,
    /// Counters and the engine's state are restored.
    Capture,
    /// Counters become covers.
    Decode,
    /// Outcomes are compared.
    Judge,
    /// Results are reported.
    Report,
}

impl Phase {
    /// All of them, with their names.
    pub const ALL: [(Phase, &'static str); 7] = [
        (Phase::Build, "databases"),
        (Phase::Derive, "generation"),
        (Phase::Engine, "engine"),
        (Phase::Capture, "capture"),
        (Phase::Decode, "decode"),
        (Phase::Judge, "judging"),
        (Phase::Report, "reporting"),
    ];
}

/// How long workers have spent in each phase, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseTimes([u64; Phase::ALL.len()]);

impl PhaseTimes {
    /// Returns how long they have spent in this phase.
    pub fn on(&self, phase: Phase) -> Duration {
        Duration::from_nanos(self.0[phase as usize])
    }

    /// Adds the times of others.
    pub fn add(&mut self, other: &PhaseTimes) {
        for (own, others) in self.0.iter_mut().zip(other.0) {
            *own += others;
        }
    }
}

/// Attributes time to phases.
pub(crate) struct Stopwatch {
    last: Instant,
    pub(crate) times: PhaseTimes,
    /// How long the current test has taken so far.
    taken: Duration,
}

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "times are reported, and part of no result")]
    pub(crate) fn start() -> Self {
        Stopwatch { last: Instant::now(), times: PhaseTimes::default(), taken: Duration::ZERO }
    }

    /// Attributes the time since the last lap to this phase.
    #[expect(clippy::disallowed_methods, reason = "times are reported, and part of no result")]
    pub(crate) fn lap(&mut self, phase: Phase) {
        let now = Instant::now();
        let lap = now - self.last;
        self.last = now;
        self.taken += lap;
        self.times.0[phase as usize] += u64::try_from(lap.as_nanos()).unwrap_or(u64::MAX);
    }

    /// Returns how long the current test has taken, and starts the next.
    pub(crate) fn take(&mut self) -> Duration {
        std::mem::take(&mut self.taken)
    }
}
