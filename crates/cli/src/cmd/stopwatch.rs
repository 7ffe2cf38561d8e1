//! How long something takes.

use std::time::Instant;

use metacov_study::Time;

/// Runs from when it is made.
pub struct Stopwatch {
    start: Instant,
    processor: f64,
}

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "how long it takes is one of the questions")]
    pub fn start() -> Self {
        Stopwatch { start: Instant::now(), processor: processor_seconds() }
    }

    pub fn time(&self) -> Time {
        Time {
            wall: self.start.elapsed().as_secs_f64(),
            processor: processor_seconds() - self.processor,
        }
    }
}

/// The processor time of this process and of all that it started and that have ended.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in brackets, may hold anything; then come numbers.
    let numbers = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: f64 = numbers.skip(11).take(4).filter_map(|text| text.parse::<f64>().ok()).sum();
    // Linux counts hundredths of a second here, on every machine that it tells users of.
    ticks / 100.0
}
