//! `metacov locate RUN.metacov`: the violations of a run.

use std::num::NonZero;
use std::path::Path;

use anyhow::{anyhow, bail};
use metacov_campaign::WorkerOptions;
use metacov_core::{Case, Input, Judge, Language, Pair, StoredInput, Verdict};
use metacov_store::{Run, StoredPair};
use metacov_study::locate::{Symptom, passing};

use super::scene::{LocateRun, Stage};
use crate::talk::Console;

/// So many violations are looked into: each takes seconds, and the next one seldom tells more.
const VIOLATIONS_MAX: usize = 10;

/// A run whose violations are looked into.
pub struct Open {
    run: Run,
    violations: Vec<Recorded>,
}

/// A violation as the run has it.
struct Recorded {
    name: String,
    how: String,
    case: Case,
}

/// Opens a run, and tells the engine that it was measured on; `pairs` are those to look into, or all if none is named.
pub fn open(
    path: &Path,
    pairs: &[String],
    library: Option<&Path>,
    jobs: Option<NonZero<usize>>,
) -> anyhow::Result<(Stage, Open)> {
    let run = Run::open(path)?;
    let setting = |name: &str| run.header.settings.get(name).filter(|text| !text.is_empty());
    let Some(engine) = setting("the engine") else {
        bail!("{} is not a run of `metacov measure sqlite`, whose pairs can be run again", run.name)
    };
    let own = setting("--library").map(Path::new);
    let stage = Stage::new(engine, library.or(own), jobs)?;
    let mut violations = Vec::new();
    for stored in run.pairs()? {
        let stored = stored?;
        let name = format!("{}/{}", stored.relation, stored.name);
        let is_wanted = pairs.is_empty() || pairs.contains(&name);
        if let (true, Some(Verdict::Violated(how))) = (is_wanted, &stored.verdict) {
            violations.push(recorded(&run, &stored, name, how.clone(), stage.language())?);
        }
    }
    if let Some(missing) =
        pairs.iter().find(|pair| violations.iter().all(|known| known.name != **pair))
    {
        bail!("{} has no violating pair `{missing}`", run.name);
    }
    if violations.is_empty() {
        bail!("{} has no pair that violates its relation", run.name);
    }
    Ok((stage, Open { run, violations }))
}

impl Open {
    /// Looks into all of them.
    pub fn explore<'c>(
        self,
        options: &'c WorkerOptions<'c>,
        variants: usize,
        talk: &Console,
    ) -> anyhow::Result<(LocateRun<'c>, Vec<(String, Symptom)>)> {
        let frequency = passing(&self.run)?;
        let run = self.run.name.clone();
        let mut scene = LocateRun::with(options, self.run.table, frequency)?;
        let mut symptoms = Vec::new();
        let all = self.violations.len();
        if all > VIOLATIONS_MAX {
            talk.note(&format!("the first {VIOLATIONS_MAX} of {all} violations; --pair chooses"));
        }
        for violation in self.violations.into_iter().take(VIOLATIONS_MAX) {
            let mut unfit = anyhow!("its relation is not known");
            let mut symptom = None;
            for judge in judges(&violation.case.relation) {
                match scene.explore(&Case { judge: *judge, ..violation.case.clone() }, variants)? {
                    Ok(found) if found.how == violation.how => symptom = Some(found),
                    Ok(found) => unfit = anyhow!("it is violated in another way: {}", found.how),
                    Err(why) => unfit = why.into(),
                }
                if symptom.is_some() {
                    break;
                }
            }
            match symptom {
                Some(symptom) => symptoms.push((violation.name, symptom)),
                None => talk.warning(&format!("{}: left out: {unfit}", violation.name)),
            }
        }
        if symptoms.is_empty() {
            bail!("no violation of {run} shows again on this engine");
        }
        Ok((scene, symptoms))
    }
}

/// How results may have to agree in a relation: the one that shows the same violation is meant.
fn judges(relation: &str) -> &'static [Judge] {
    match relation {
        "norec" => &[Judge::Number, Judge::RowsCounted],
        "tlp-aggregate" => &[Judge::Number, Judge::Bag],
        _ => &[Judge::Bag, Judge::Representatives],
    }
}

fn recorded(
    run: &Run,
    stored: &StoredPair,
    name: String,
    how: String,
    language: &dyn Language,
) -> anyhow::Result<Recorded> {
    let statements = |content: &[u8]| language.statements(&String::from_utf8_lossy(content));
    let input = |input: &StoredInput| match input {
        input if input.is_cut() => {
            Err(anyhow!("{}: the statements of pair {name} were not kept", run.name))
        }
        input => Ok(Input { statements: statements(&input.content) }),
    };
    let side = |inputs: &Vec<StoredInput>| inputs.iter().map(input).collect::<Result<_, _>>();
    let [a, b] = stored.inputs.as_slice() else {
        bail!("{}: pair {name} has not two sides", run.name)
    };
    let sides = Pair { a: side(a)?, b: side(b)? };
    let setup = match stored.setup {
        Some(hash) => statements(run.setup(hash)?.content()),
        None => Vec::new(),
    };
    let (relation, parts) = (stored.relation.clone(), Vec::new());
    let case = Case { relation, setup, sides, parts, judge: Judge::Bag };
    Ok(Recorded { name, how, case })
}
