//! Measures wall clock and processor time.

use std::time::Instant;

use crate::Time;

/// Measures the time since its start.
pub struct Stopwatch {
    start: Instant,
    processor: f64,
}

impl Stopwatch {
    /// Starts now.
    #[expect(clippy::disallowed_methods, reason = "how long it takes is one of the questions")]
    pub fn start() -> Self {
        Stopwatch { start: Instant::now(), processor: processor_seconds() }
    }

    /// The time since the start.
    pub fn time(&self) -> Time {
        Time {
            wall: self.start.elapsed().as_secs_f64(),
            processor: processor_seconds() - self.processor,
        }
    }
}

/// The processor time of this process and of its children that have ended.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program is in parentheses and may contain anything; numbers follow it.
    let numbers = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: f64 = numbers.skip(11).take(4).filter_map(|text| text.parse::<f64>().ok()).sum();
    // USER_HZ is 100 on all architectures of Linux.
    ticks / 100.0
}
