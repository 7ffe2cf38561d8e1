//! The program under test and its limits, in the words of users.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use metacov_exec::{Limits, Target};

#[derive(clap::Args)]
#[command(next_help_heading = "Target")]
pub struct TargetArgs {
    /// The program and its arguments; `@@` stands for the input file.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// How long an execution may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,
}

impl TargetArgs {
    /// What is meant. From now on, an interrupt ends the executions.
    pub fn target(self) -> anyhow::Result<Target> {
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register(signal, interrupted.clone())?;
        }
        let limits = Limits { wall: self.timeout, grace: Duration::from_millis(500) };
        Ok(Target { command: self.command, limits, interrupted })
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 =
        text.trim_end_matches('s').parse().map_err(|_| "a number of seconds is needed")?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("no time at all".to_owned()) } else { Ok(duration) }
}
