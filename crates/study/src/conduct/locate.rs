//! Runs the targets for `metacov locate`: given pairs, the violations of a run, the bugs of a
//! corpus.

mod bugs;
mod config;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use metacov_campaign::{
    CaseRunner, FindingFile, TargetList, TestPlan, WorkerConfig, WorkerOptions, measure,
};
use metacov_core::{
    BuildMismatch, Case, Functions, Input, Judge, Language, Pair, Renumbering, SiteTable,
    StoredInput, Verdict,
};
use metacov_exec::{Flavour, Target};
use metacov_formats::{Fault, Location, Scope};
use metacov_run::{RunError, SharedTable};
use metacov_store::{BUILD, Run, StoredPair};

use super::RunContext;
use crate::corpus::{self, Bug as KnownBug};
use crate::locate::{
    Formula, Found, Frequency, Passing, Symptom, Unfit, explore, found, passing, rank,
};
pub use bugs::Bug;
use bugs::Explored;
use bugs::{explore_findings, target_of_findings};
pub use config::{LocateConfig, LocatedBugs, ScriptPair};

/// How many violations of a run are examined: each takes seconds, and later ones rarely add much.
const VIOLATIONS_MAX: usize = 10;

/// A target with exact lines, and how to run it.
pub struct LocateTarget<'i> {
    target: &'static dyn Target,
    config: WorkerConfig,
    workers: NonZero<usize>,
    interrupted: &'i AtomicBool,
    name: String,
    library: Option<PathBuf>,
    /// Identifies the build, as campaigns do.
    build: String,
}

impl<'i> LocateTarget<'i> {
    /// Finds a target by name, or uses a library of the user instead.
    pub fn new(
        targets: &TargetList,
        name: &str,
        library: Option<&Path>,
        workers: NonZero<usize>,
        interrupted: &'i AtomicBool,
    ) -> Result<Self, RunError> {
        let (target, config) =
            targets.config(name, library, Flavour::Counting, &Scope::default())?;
        let build = targets.build_id(name, library)?;
        let (name, library) = (name.to_owned(), library.map(ToOwned::to_owned));
        Ok(LocateTarget { target, config, workers, interrupted, name, library, build })
    }

    /// Returns the options of its workers.
    pub fn options(&self) -> WorkerOptions<'_> {
        let options = WorkerOptions::new(self.target, &self.config, self.interrupted);
        WorkerOptions { workers: self.workers, ..options }
    }

    /// The language of its inputs.
    pub fn language(&self) -> &'static dyn Language {
        self.target.method().language()
    }
}

/// A target, and the sites that passing pairs run on it.
pub struct LocateRun<'c> {
    runner: CaseRunner<'c>,
    language: &'static dyn Language,
    numbers: Renumbering,
    /// The sites of the target.
    pub table: SiteTable,
    /// Its functions.
    pub functions: Functions,
    /// How often passing pairs run each site.
    pub passing: Frequency,
    /// The folder of the target's notes, and usually of its source.
    pub folder: PathBuf,
}

impl<'c> LocateRun<'c> {
    /// Compares with generated pairs that pass: this many of each relation, each on a separate
    /// database.
    pub fn with_generated(
        options: &'c WorkerOptions<'c>,
        pairs: u64,
        seed: u64,
    ) -> Result<Self, RunError> {
        let relations = (0..options.target.method().relations().len()).collect();
        let plan = TestPlan { seed, relations, pairs, subjects: pairs };
        let passing = Passing::default();
        let measured = measure(&plan, options, SharedTable::default(), &passing);
        let (suite, _) = measured?;
        LocateRun::with(options, suite.table, passing.into_frequency())
    }

    /// Compares with passing pairs whose sites are numbered by `table`.
    pub fn with(
        options: &'c WorkerOptions<'c>,
        mut table: SiteTable,
        passing: Frequency,
    ) -> Result<Self, RunError> {
        let name = options.config.library.display().to_string();
        let runner = CaseRunner::new(options).map_err(|error| error.of(&name))?;
        let numbers = table.absorb(runner.table()).map_err(|mismatch| {
            Fault::OtherBuild { earlier: "the passing pairs".to_owned(), mismatch }.of(name)
        })?;
        let functions = Functions::of(&table);
        let coverage = options.config.coverage.as_ref();
        let folder = coverage.map(|coverage| coverage.notes.clone()).unwrap_or_default();
        let language = options.target.method().language();
        Ok(LocateRun { runner, language, numbers, table, functions, passing, folder })
    }

    /// Runs a pair, and this many variants of it.
    pub fn explore(
        &mut self,
        case: &Case,
        variants: usize,
    ) -> Result<Result<Symptom, Unfit>, RunError> {
        let LocateRun { runner, numbers, language, .. } = self;
        explore(case, *language, variants, numbers, |batches| runner.run(batches))
    }
}

/// A run file whose pairs can be run again.
pub struct RunOfTarget {
    run: Run,
    /// The name of the target that it was measured on.
    pub engine: String,
    /// The library of the user that it was measured on, if there was one. Only to be named: a run
    /// file comes from anywhere, and loading a library runs it.
    pub library: Option<PathBuf>,
}

/// A violation as it is stored in a run.
struct StoredViolation {
    name: String,
    case: Case,
}

impl RunOfTarget {
    /// Opens a run file.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        let run = Run::open(path)?;
        let setting = |name: &str| run.header.settings.get(name).filter(|text| !text.is_empty());
        let Some(engine) = setting("the engine").cloned() else {
            return Err(RunError::Invalid(format!(
                "{}: not a run of generated pairs (metacov measure TARGET), which can be run again",
                run.name
            )));
        };
        let library = setting("--library").map(PathBuf::from);
        Ok(RunOfTarget { run, engine, library })
    }

    /// Refuses a target of another build than that of a campaign, which does not say whether it
    /// tested a library.
    pub fn check_build(&self, target: &LocateTarget<'_>) -> Result<(), RunError> {
        match self.run.header.settings.get(BUILD) {
            Some(build) if *build != target.build => {
                let place = format!(
                    "{} (build {build} there, {} here; if the campaign tested a library, add --library FILE)",
                    target.name, target.build
                );
                let earlier = target.config.library.display().to_string();
                let mismatch = BuildMismatch { place };
                Err(Fault::OtherBuild { earlier, mismatch }.of(&self.run.name).into())
            }
            _ => Ok(()),
        }
    }

    /// Whether a campaign made it.
    pub fn is_campaign(&self) -> Result<bool, RunError> {
        Ok(!self.run.rounds()?.is_empty())
    }

    /// Compares with the pairs of the run that pass.
    pub fn passing<'c>(self, options: &'c WorkerOptions<'c>) -> Result<LocateRun<'c>, RunError> {
        let frequency = passing(&self.run)?;
        LocateRun::with(options, self.run.table, frequency)
    }

    /// Returns the violations of the run: `pairs`, or all if none is named.
    pub fn violations(
        self,
        pairs: &[String],
        language: &dyn Language,
    ) -> Result<RunViolations, RunError> {
        let run = self.run;
        let mut violations: Vec<StoredViolation> = Vec::new();
        for stored in run.pairs()? {
            let stored = stored?;
            let name = format!("{}/{}", stored.relation, stored.name);
            let is_wanted = pairs.is_empty() || pairs.contains(&name);
            if let (true, Some(Verdict::Violated(_))) = (is_wanted, &stored.verdict) {
                violations.push(StoredViolation::of(&run, &stored, name, language)?);
            }
        }
        let is_missing = |pair: &&String| violations.iter().all(|known| known.name != **pair);
        if let Some(missing) = pairs.iter().find(is_missing) {
            let what = format!("{}: no violating pair `{missing}`", run.name);
            return Err(RunError::Invalid(what));
        }
        if violations.is_empty() {
            let what = format!("{}: no pair violates its relation", run.name);
            return Err(RunError::Invalid(what));
        }
        Ok(RunViolations { run, violations })
    }
}

/// The violations of a run.
pub struct RunViolations {
    run: Run,
    violations: Vec<StoredViolation>,
}

impl RunViolations {
    /// Runs the first of them and their variants, and says which of them are one bug. Compares with
    /// the pairs of the run that pass.
    pub fn explore<'c>(
        self,
        target: &LocateTarget<'_>,
        context: &RunContext<'_>,
        options: &'c WorkerOptions<'c>,
        variants: usize,
    ) -> Result<(LocateRun<'c>, Vec<Bug>), RunError> {
        let frequency = passing(&self.run)?;
        let name = self.run.name.clone();
        let mut run = LocateRun::with(options, self.run.table, frequency)?;
        let mut explored = Vec::new();
        let all = self.violations.len();
        if all > VIOLATIONS_MAX {
            context.note(format!("the first {VIOLATIONS_MAX} of {all} violations; --pair chooses"));
        }
        for violation in self.violations.into_iter().take(VIOLATIONS_MAX) {
            match run.explore(&violation.case, variants)? {
                Ok(symptom) => {
                    let StoredViolation { name, case } = violation;
                    explored.push(Explored { name, case, symptom });
                }
                Err(why) => context.warn(format!("{}: left out: {why}", violation.name)),
            }
        }
        let bugs = target.by_bug(explored, context.targets, context.on_message)?;
        if bugs.is_empty() {
            let what = format!("no violation of {name} shows again on this engine");
            return Err(RunError::Invalid(what));
        }
        Ok((run, bugs))
    }
}

impl StoredViolation {
    fn of(
        run: &Run,
        stored: &StoredPair,
        name: String,
        language: &dyn Language,
    ) -> Result<Self, RunError> {
        let statements = |content: &[u8]| language.statements(&String::from_utf8_lossy(content));
        let input = |input: &StoredInput| match input {
            input if input.is_cut() => Err(RunError::Invalid(format!(
                "{}: the statements of pair {name} are not in the run file",
                run.name
            ))),
            input => Ok(Input { statements: statements(&input.content) }),
        };
        let side = |inputs: &Vec<StoredInput>| inputs.iter().map(input).collect::<Result<_, _>>();
        let [a, b] = stored.inputs.as_slice() else {
            let what = format!("{}: pair {name} has not two sides", run.name);
            return Err(RunError::Invalid(what));
        };
        let sides = Pair { a: side(a)?, b: side(b)? };
        let setup = match stored.setup {
            Some(hash) => statements(run.setup(hash)?.content()),
            None => Vec::new(),
        };
        let (relation, parts) = (stored.relation.clone(), Vec::new());
        let Some(judge) = stored.judge.as_deref().and_then(Judge::named) else {
            let what = format!(
                "{}: the judge of pair {name} is not in the run file, or is not one of generated tests; measure again",
                run.name
            );
            return Err(RunError::Invalid(what));
        };
        let case = Case { relation, setup, sides, parts, judge };
        Ok(StoredViolation { name, case })
    }
}

/// Reads a corpus of known bugs.
pub fn read_corpus(path: &Path) -> Result<Vec<KnownBug>, RunError> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| Fault::Io(error).of(name.clone()))?;
    let malformed = |error: corpus::Error| {
        Fault::malformed(Location::Whole, error.to_string()).of(name.clone())
    };
    Ok(corpus::read(&bytes).map_err(malformed)?)
}

/// Returns the bugs of a corpus as findings, to replay them on the versions that have them.
pub fn known_findings(
    path: &Path,
    targets: &TargetList,
) -> Result<Vec<(String, FindingFile)>, RunError> {
    let finding = |bug: KnownBug| {
        let name = target_name(&bug, targets);
        let language = targets.parse(&name)?.0.method().language();
        let finding = FindingFile::known(name, bug.case(language));
        Ok((bug.id, finding))
    };
    read_corpus(path)?.into_iter().map(finding).collect()
}

/// The name of a target, and its bugs, each with its index in the corpus.
type BugsOfTarget<'b> = (String, Vec<(usize, &'b KnownBug)>);

/// The bugs of a corpus, by the name of the target that has them. Those of targets that were not built
/// with counters are left out, unless all are: then it is an error.
pub(super) fn by_target<'b>(
    bugs: &'b [KnownBug],
    targets: &TargetList,
    left_out: &mut dyn FnMut(usize, &KnownBug, &str),
) -> Result<Vec<BugsOfTarget<'b>>, RunError> {
    let mut named: BTreeMap<String, Vec<(usize, &KnownBug)>> = BTreeMap::new();
    for (at, bug) in bugs.iter().enumerate() {
        named.entry(target_name(bug, targets)).or_default().push((at, bug));
    }
    let (mut usable, mut failed) = (Vec::new(), None);
    for (name, bugs) in named {
        let why = match targets.find(&name) {
            Ok((_, artifact)) if artifact.counting.is_some() => {
                usable.push((name, bugs));
                continue;
            }
            Ok(_) => RunError::Invalid(format!(
                "{name} has no counters: metacov target build {name} compiles it, if it can"
            )),
            Err(error) => error,
        };
        for (at, bug) in bugs {
            left_out(at, bug, &why.to_string());
        }
        failed.get_or_insert(why);
    }
    match failed {
        Some(error) if usable.is_empty() => Err(error),
        _ => Ok(usable),
    }
}

/// The name of the target that has a bug.
pub(super) fn target_name(bug: &KnownBug, targets: &TargetList) -> String {
    let known = targets.all.iter().map(|target| target.name());
    format!("{}@{}", bug.target(known), bug.version)
}

/// The file with most of the code: the one that the fixes of a corpus refer to, if they name none.
pub(super) fn main_file(table: &SiteTable) -> &str {
    let mut sites: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, site) in table.sites() {
        *sites.entry(table.path(site.file)).or_default() += 1;
    }
    sites.into_iter().max_by_key(|(_, sites)| *sites).map_or("", |(path, _)| path)
}

/// How the bugs of a corpus are located.
pub struct CorpusOptions<'o> {
    /// What running targets needs.
    pub context: &'o RunContext<'o>,
    /// How many passing pairs of each relation are generated.
    pub pairs: u64,
    /// Their seed.
    pub seed: u64,
    /// The most variants of each bug's pair that are run.
    pub variants: usize,
    /// Called before each bug.
    pub on_bug: &'o dyn Fn(),
}

/// Locates the bugs of a corpus: by suspicion, by Ochiai, and by Ochiai without passing pairs. Bugs
/// that cannot be run are skipped.
pub fn locate_corpus(
    bugs: &[KnownBug],
    options: &CorpusOptions<'_>,
) -> Result<Vec<(String, [Found; 3])>, RunError> {
    let CorpusOptions { context, pairs, seed, variants, on_bug } = *options;
    let mut results: BTreeMap<usize, (String, [Found; 3])> = BTreeMap::new();
    let mut left_out = |_: usize, bug: &KnownBug, why: &str| {
        context.warn(format!("{}: left out: {why}", bug.id));
    };
    for (name, bugs) in by_target(bugs, context.targets, &mut left_out)? {
        let target = context.target(&name, None)?;
        let worker_options = target.options();
        let mut run = LocateRun::with_generated(&worker_options, pairs, seed)?;
        for (at, bug) in bugs {
            on_bug();
            if bug.fix_lines.is_empty() {
                let why = "left out, as its fix has no lines in this version";
                context.note(format!("{}: {why}", bug.id));
                continue;
            }
            match run.explore(&bug.case(run.language), variants)? {
                Ok(symptom) => {
                    results.insert(at, (bug.id.clone(), places(&run, symptom, bug)));
                }
                Err(unfit) => context.warn(format!("{}: left out: {unfit}", bug.id)),
            }
        }
    }
    Ok(results.into_values().collect())
}

/// The rank of the fix of a bug.
fn places(run: &LocateRun<'_>, symptom: Symptom, bug: &KnownBug) -> [Found; 3] {
    let (symptoms, fixes) = ([symptom], bug.fixes(main_file(&run.table)));
    let place = |formula, passing| {
        let ranking = rank(&run.table, &run.functions, &symptoms, passing, formula);
        found(&ranking, &run.table, &run.functions, &fixes)
    };
    [
        place(Formula::Suspicion, &run.passing),
        place(Formula::Ochiai, &run.passing),
        place(Formula::Ochiai, &Frequency::default()),
    ]
}
