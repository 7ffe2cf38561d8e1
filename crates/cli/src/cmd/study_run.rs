//! `metacov study run`: the suites of a study, one after the other.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::Path;
use std::time::Instant;

use anyhow::bail;
use clap::Parser;
use metacov_formats::{Fault, Output, write_whole};
use metacov_study::{Outcome, Plan, Record, Suite, Time};

use super::study::{PLAN, SUITES, Shard, read};
use super::{measure, target};
use crate::exit_code::{ExitCode, Unwritten};
use crate::talk::Talk;

/// A study to run.
pub struct Study<'s> {
    pub file: &'s Path,
    pub folder: &'s Path,
    pub jobs: Option<NonZero<usize>>,
    pub shard: Shard,
}

/// A suite is measured as `metacov measure` does it, with the words that a user would type.
#[derive(Parser)]
struct Words {
    #[command(flatten)]
    measure: measure::Args,
}

impl Study<'_> {
    /// Measures what is not there yet.
    pub fn run(&self, quick: bool, talk: &Talk) -> anyhow::Result<ExitCode> {
        let text = read(self.file)?;
        let plan = Plan::parse(&text).map_err(|fault| fault.of(self.file.display().to_string()))?;
        let plan = if quick { plan.quick() } else { plan };
        self.keep(&text)?;
        for name in &plan.targets {
            target::engine_on_demand(name, talk)?;
        }
        let Shard { part, parts } = self.shard;
        let suites: Vec<Suite> = plan.all().into_iter().skip(part - 1).step_by(parts).collect();
        for (at, suite) in suites.iter().enumerate() {
            let path = self.folder.join(SUITES).join(format!("{}.json", suite.name()));
            if path.exists() {
                let known = Outcome::parse(&read(&path)?);
                let known = known.map_err(|fault| fault.of(path.display().to_string()))?;
                if known.seed != suite.seed {
                    bail!("{} was measured with another seed", path.display());
                }
                continue;
            }
            talk.note(&format!("suite {} of {}: {}", at + 1, suites.len(), suite.name()));
            let Some(outcome) = self.measure(&plan, suite, talk)? else {
                talk.warning("interrupted; run it again to go on");
                return Ok(ExitCode::Interrupted);
            };
            let text = outcome.to_json();
            let output = Output::File(path);
            write_whole(&output, |out| out.write_all(text.as_bytes())).map_err(Unwritten)?;
        }
        Ok(ExitCode::Success)
    }

    /// The study itself goes into the folder, so that what is there can be told later.
    fn keep(&self, text: &str) -> anyhow::Result<()> {
        let path = self.folder.join(PLAN);
        if path.exists() && read(&path)? != text {
            bail!(
                "{} holds another study, or another version of this one; choose another --out",
                self.folder.display()
            );
        }
        let suites = self.folder.join(SUITES);
        let unwritten = |error| Unwritten(Fault::Io(error).of(suites.display().to_string()));
        std::fs::create_dir_all(&suites).map_err(unwritten)?;
        let output = Output::File(path);
        Ok(write_whole(&output, |out| out.write_all(text.as_bytes())).map_err(Unwritten)?)
    }

    /// None if it was interrupted.
    #[expect(clippy::disallowed_methods, reason = "how long it takes is one of the questions")]
    fn measure(&self, plan: &Plan, suite: &Suite, talk: &Talk) -> anyhow::Result<Option<Outcome>> {
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut words = plan.words(suite, folder.unwrap_or(Path::new(".")));
        if let Some(jobs) = self.jobs {
            words.splice(1..1, [OsString::from("--jobs"), jobs.to_string().into()]);
        }
        let words = Words::try_parse_from(words).map_err(|error| {
            let message = error.to_string();
            let message = message.lines().next().unwrap_or_default();
            anyhow::anyhow!("{}: {}", self.file.display(), message.trim_start_matches("error: "))
        })?;
        let (start, processor) = (Instant::now(), processor_seconds());
        let Some(measured) = words.measure.suite(talk)? else { return Ok(None) };
        let time = Time {
            wall: start.elapsed().as_secs_f64(),
            processor: processor_seconds() - processor,
        };
        let record = Record::of(suite.name(), &measured);
        if record.measurements.is_empty() {
            bail!("{}: no pair of {} could be measured", self.file.display(), suite.name());
        }
        Ok(Some(Outcome::new(suite, &record, time)))
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
