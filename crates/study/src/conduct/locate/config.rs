//! From two scripts, a run file or findings to a ranking for each bug.

use std::fs;
use std::path::{Path, PathBuf};

use metacov_campaign::{check_trust, findings_folder, read_findings};
use metacov_core::{Case, Input, Judge, Language, Pair};
use metacov_formats::Fault;
use metacov_run::RunError;

use super::{Bug, LocateRun, LocateTarget, RunOfTarget, explore_findings, target_of_findings};
use crate::conduct::RunContext;
use crate::locate::{Formula, Ranking, Symptom, rank};

/// How bugs are located.
pub struct LocateConfig<'l> {
    /// What running targets needs.
    pub context: &'l RunContext<'l>,
    /// A library of the user, in place of a target's.
    pub library: Option<&'l Path>,
    /// The most variants of each violating pair.
    pub variants: usize,
    /// How many passing pairs of each relation are generated, if there are none.
    pub pairs: u64,
    /// The seed of these.
    pub seed: u64,
    /// What the user typed.
    pub command: &'l str,
}

/// Two scripts of the user that should agree.
pub struct ScriptPair<'s> {
    /// What makes the database.
    pub setup: Option<&'s Path>,
    /// Both sides.
    pub sides: [&'s Path; 2],
    /// How their results must agree.
    pub judge: Judge,
}

/// The bugs of a subject, with their rankings.
pub struct LocatedBugs {
    /// The target, run file or folder of findings.
    pub subject: String,
    /// How many passing pairs they were compared with.
    pub passing_pairs: u32,
    /// The bugs with their rankings.
    pub bugs: Vec<(Bug, Ranking)>,
    /// The folder of the target's notes, and usually of its source.
    pub folder: PathBuf,
}

impl LocateConfig<'_> {
    /// Locates the bug that two scripts show on a target.
    pub fn scripts(&self, subject: &str, pair: &ScriptPair<'_>) -> Result<LocatedBugs, RunError> {
        let target = self.target(subject)?;
        let script = |path: &Path| script(path, target.language());
        let side = |path| Ok::<_, RunError>(vec![Input { statements: script(path)? }]);
        let [a, b] = pair.sides;
        let case = Case {
            relation: String::new(),
            setup: pair.setup.map(script).transpose()?.unwrap_or_default(),
            sides: Pair { a: side(a)?, b: side(b)? },
            parts: Vec::new(),
            judge: pair.judge,
        };
        let options = target.options();
        let mut run = LocateRun::with_generated(&options, self.pairs, self.seed)?;
        let name = format!("{} and {}", a.display(), b.display());
        let symptom = run
            .explore(&case, self.variants)?
            .map_err(|unfit| RunError::Invalid(format!("{name}: {unfit}")))?;
        Ok(located(subject.to_owned(), &run, vec![Bug::of(name, symptom)]))
    }

    /// Locates the bugs of these violations of a run, or of the first ones; of a campaign, those of the findings
    /// beside it.
    pub fn run_file(&self, path: &Path, pairs: &[String]) -> Result<LocatedBugs, RunError> {
        let run = RunOfTarget::open(path)?;
        let folder = findings_folder(path);
        if run.is_campaign()? && pairs.is_empty() && folder.is_dir() {
            return self.findings(&folder, Some(run));
        }
        let subject = path.display().to_string();
        check_trust(&subject, run.library.as_deref(), self.library, self.command)?;
        let target = self.target(&run.engine)?;
        run.check_build(&target)?;
        let violations = run.violations(pairs, target.language())?;
        let options = target.options();
        let (run, bugs) = violations.explore(&target, self.context, &options, self.variants)?;
        Ok(located(subject, &run, bugs))
    }

    /// Locates the bugs of a finding, or of a folder of findings, which may be those of a campaign.
    pub fn findings(
        &self,
        folder: &Path,
        campaign: Option<RunOfTarget>,
    ) -> Result<LocatedBugs, RunError> {
        let findings = read_findings(folder)?;
        let (name, library) = target_of_findings(&findings)?;
        let subject = folder.display().to_string();
        check_trust(&subject, library, self.library, self.command)?;
        let target = self.target(name)?;
        let options = target.options();
        let mut run = match campaign {
            Some(campaign) => {
                campaign.check_build(&target)?;
                campaign.passing(&options)?
            }
            None => LocateRun::with_generated(&options, self.pairs, self.seed)?,
        };
        let bugs = explore_findings(findings, &mut run, self.variants, self.context.on_message)?;
        Ok(located(subject, &run, bugs))
    }

    fn target(&self, name: &str) -> Result<LocateTarget<'_>, RunError> {
        self.context.target(name, self.library)
    }
}

/// Reads the statements of a script.
fn script(path: &Path, language: &dyn Language) -> Result<Vec<String>, RunError> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| Fault::Io(error).of(name.to_string()))?;
    let statements = language.statements(&text);
    if statements.is_empty() {
        return Err(RunError::Invalid(format!("{name}: no statement in the script")));
    }
    Ok(statements)
}

fn located(subject: String, run: &LocateRun<'_>, bugs: Vec<Bug>) -> LocatedBugs {
    let ranked = |bug: Bug| {
        let symptoms: Vec<Symptom> =
            bug.symptoms.iter().map(|(_, symptom)| symptom.clone()).collect();
        let ranking = rank(&run.table, &run.functions, &symptoms, &run.passing, Formula::Suspicion);
        (bug, ranking)
    };
    LocatedBugs {
        subject,
        passing_pairs: run.passing.executions(),
        bugs: bugs.into_iter().map(ranked).collect(),
        folder: run.folder.clone(),
    }
}
