//! The report of a study, from its folders.

use std::path::{Path, PathBuf};

use metacov_core::counted;
use metacov_formats::Fault;
use metacov_run::RunError;
use metacov_study::conduct::{Message, StudyFolder, disputed, read_shards, read_trials};
use metacov_study::{
    CampaignPlan, CampaignResults, Results, Study, StudyPlan, United, unite, unite_trials,
};

use super::{Report, study_report};
use crate::campaign::campaigns_report;
use crate::output::{Output, write_text};

impl Report {
    /// Reads the results of a study from its folder, or from those of its parts.
    pub fn read(folders: &[PathBuf], on_message: &dyn Fn(Message)) -> Result<Self, RunError> {
        let [first, ..] = folders else {
            return Err(RunError::Invalid("missing folder of a study".to_owned()));
        };
        let study = StudyFolder(first).study()?;
        match Study::parse(&study).map_err(|fault| fault.of(StudyFolder(first).plan()))? {
            Study::Suites(plan) => suites(*plan, folders, on_message),
            Study::Campaigns(plan) => campaigns(*plan, &study, folders, on_message),
        }
    }

    /// Writes the report, all numbers and figures to a folder.
    pub fn write(&self, folder: &Path) -> Result<(), RunError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| RunError::Output(Fault::Io(error).of(folder.display().to_string())))?;
        let write = |name: &str, text: &str| write_text(&Output::File(folder.join(name)), text);
        write("report.md", &self.to_markdown())?;
        write("report.html", &self.to_sheet().to_html())?;
        let mut others = self.numbers.iter().chain(&self.figures);
        others.try_for_each(|(name, text)| write(name, text))
    }
}

fn suites(
    plan: StudyPlan,
    folders: &[PathBuf],
    on_message: &dyn Fn(Message),
) -> Result<Report, RunError> {
    let United { part, disputed: count } = unite(&read_shards(folders)?)?;
    disputed(count, "suite").into_iter().for_each(on_message);
    let name = folders[0].display().to_string();
    if part.is_empty() {
        let what = format!("{name}: nothing has been measured yet: metacov study run");
        return Err(RunError::Invalid(what));
    }
    let results = Results::of(plan, part).map_err(|fault| fault.of(name))?;
    missing(results.missing(), "suite").into_iter().for_each(on_message);
    Ok(study_report(&results).map_err(|fault| fault.of("the results"))?)
}

fn campaigns(
    plan: CampaignPlan,
    study: &str,
    folders: &[PathBuf],
    on_message: &dyn Fn(Message),
) -> Result<Report, RunError> {
    let (outcomes, _, count) = unite_trials(&read_trials(study, folders)?)?;
    disputed(count, "trial").into_iter().for_each(on_message);
    if outcomes.is_empty() {
        let name = folders[0].display();
        let what = format!("{name}: no trial has finished yet: metacov study run");
        return Err(RunError::Invalid(what));
    }
    let results = CampaignResults::of(plan, &outcomes);
    missing(results.missing(), "trial").into_iter().for_each(on_message);
    Ok(campaigns_report(&results))
}

fn missing(count: usize, what: &str) -> Option<Message> {
    let missing = counted(count as u64, what, &format!("{what}s"));
    (count > 0).then(|| Message::Note(format!("{missing} of the study not measured yet")))
}
