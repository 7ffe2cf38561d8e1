//! `metacov study report`: shows the results of a study, from its folders.

use std::path::{Path, PathBuf};

use metacov_formats::Fault;
use metacov_report::{Report, campaigns_report, study_report};
use metacov_study::conduct::{StudyFolder, read_shards, read_trials};
use metacov_study::{
    CampaignPlan, CampaignResults, Results, Study, StudyPlan, United, unite, unite_trials,
};

use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Unwritten, bail_usage};
use crate::output::{Output, write_whole};

/// Shows the results of several folders together, and writes them to a folder.
pub fn report(
    folders: &[PathBuf],
    out: Option<&Path>,
    console: &Console,
) -> anyhow::Result<ExitCode> {
    let [first, ..] = folders else { bail_usage!("missing folder of a study") };
    let study = StudyFolder(first).study()?;
    let report = match Study::parse(&study).map_err(|fault| fault.of(StudyFolder(first).plan()))? {
        Study::Suites(plan) => suites(*plan, folders, console)?,
        Study::Campaigns(plan) => campaigns(*plan, &study, folders, console)?,
    };
    print(&report.to_terminal(console.colors_output()))?;
    if let Some(out) = out {
        write(&report, out)?;
        console.note(&format!(
            "report.md, report.html, all numbers (CSV) and figures are in {}",
            out.display()
        ));
    }
    Ok(ExitCode::Success)
}

fn suites(plan: StudyPlan, folders: &[PathBuf], console: &Console) -> anyhow::Result<Report> {
    let United { part, disputed } = unite(&read_shards(folders)?)?;
    tell_disputed(disputed, "suite", console);
    let name = folders[0].display().to_string();
    if part.is_empty() {
        bail_usage!("{name}: nothing has been measured yet: metacov study run");
    }
    let results = Results::of(plan, part).map_err(|fault| fault.of(name))?;
    tell_missing(results.missing(), "suite", console);
    Ok(study_report(&results).map_err(|fault| fault.of("the results"))?)
}

fn campaigns(
    plan: CampaignPlan,
    study: &str,
    folders: &[PathBuf],
    console: &Console,
) -> anyhow::Result<Report> {
    let (outcomes, _, disputed) = unite_trials(&read_trials(study, folders)?)?;
    tell_disputed(disputed, "trial", console);
    if outcomes.is_empty() {
        bail_usage!("{}: no trial has finished yet: metacov study run", folders[0].display());
    }
    let results = CampaignResults::of(plan, &outcomes);
    tell_missing(results.missing(), "trial", console);
    Ok(campaigns_report(&results))
}

fn write(report: &Report, out: &Path) -> anyhow::Result<()> {
    let unwritten =
        |error: std::io::Error| Unwritten(Fault::Io(error).of(out.display().to_string()));
    std::fs::create_dir_all(out).map_err(unwritten)?;
    let texts = [
        ("report.md".to_owned(), report.to_markdown()),
        ("report.html".to_owned(), report.to_sheet().to_html()),
    ];
    let more = report.numbers.iter().chain(&report.figures);
    let more = more.map(|(name, text)| (name.clone(), text.clone()));
    for (name, text) in texts.into_iter().chain(more) {
        let output = Output::File(out.join(name));
        write_whole(&output, |out| out.write_all(text.as_bytes())).map_err(Unwritten)?;
    }
    Ok(())
}

/// Reports that parts of a study contradict each other.
pub fn tell_disputed(disputed: usize, what: &str, console: &Console) {
    if disputed > 0 {
        let plural = if disputed == 1 { "" } else { "s" };
        console.warning(&format!(
            "{disputed} {what}{plural} with different results in the parts: one result is kept, a measured one if there is one"
        ));
    }
}

fn tell_missing(missing: usize, what: &str, console: &Console) {
    if missing > 0 {
        let plural = if missing == 1 { "" } else { "s" };
        console.note(&format!("{missing} {what}{plural} of the study not measured yet"));
    }
}
