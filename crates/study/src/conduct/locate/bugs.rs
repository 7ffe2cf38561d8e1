//! Violations by bug: one ranking for each.

use std::collections::BTreeMap;
use std::path::Path;

use metacov_campaign::{
    Examined, FailingCase, FailureKind, FindingFile, KnownBugs, TargetList, Triage, TriageTargets,
    WorkerConfig, families,
};
use metacov_core::Case;
use metacov_exec::Flavour;
use metacov_formats::Scope;
use metacov_run::RunError;

use super::{LocateRun, LocateTarget};
use crate::conduct::Message;
use crate::locate::Symptom;

/// How many cases of a bug are looked into: each takes seconds, and the next one seldom adds much.
const CASES_MAX: usize = 3;

/// Violations that most likely are one bug.
pub struct Bug {
    /// What it needs to show, in words, as campaigns name groups of findings; none if it is the
    /// only violation.
    pub name: Option<String>,
    /// The violations that were looked into, by name.
    pub symptoms: Vec<(String, Symptom)>,
}

impl Bug {
    /// The bug of a single violation.
    pub fn of(name: String, symptom: Symptom) -> Self {
        Bug { name: None, symptoms: vec![(name, symptom)] }
    }
}

/// A violation that was looked into.
pub(super) struct Explored {
    pub(super) name: String,
    pub(super) case: Case,
    pub(super) symptom: Symptom,
}

impl LocateTarget<'_> {
    /// Violations by bug. As in a campaign, each is reduced, and those are one bug that need the
    /// same to fail.
    pub(super) fn by_bug(
        &self,
        violations: Vec<Explored>,
        targets: &TargetList,
        on_message: &dyn Fn(Message),
    ) -> Result<Vec<Bug>, RunError> {
        let violations = match <[Explored; 1]>::try_from(violations) {
            Ok([Explored { name, symptom, .. }]) => return Ok(vec![Bug::of(name, symptom)]),
            Err(several) => several,
        };
        let (_, plain) = targets.config(
            &self.name,
            self.library.as_deref(),
            Flavour::Plain,
            &Scope::default(),
        )?;
        let reference = self.reference(targets)?;
        let counting = self.options();
        let plain = counting.single(&plain);
        let reference = reference.as_ref().map(|(name, config)| (name, counting.single(config)));
        let on_targets = TriageTargets {
            target: self.name.clone(),
            library: self.library.clone(),
            plain: &plain,
            counting: Some(&counting),
            reference: reference.as_ref().map(|(name, options)| ((*name).clone(), options)),
        };
        let mut triage = Triage::new(on_targets, KnownBugs::default())?;
        let mut named = Vec::new();
        for Explored { name, case, symptom } in violations {
            let what = FailureKind::Violated(symptom.how.clone());
            let suspect = FailingCase { case, what, seed: 0, database: 0, pair: 0 };
            let group = match triage.sketch(suspect)? {
                Ok(confirmed) => match triage.examine(confirmed)? {
                    Examined::Found(finding) | Examined::Known(_, finding) => finding.group(),
                },
                Err(why) => {
                    on_message(Message::Warning(format!("{name}: left out: {why}")));
                    continue;
                }
            };
            named.push((group, (name, symptom)));
        }
        Ok(by_family(named)
            .into_iter()
            .map(|(name, symptoms)| Bug { name: Some(name), symptoms })
            .collect())
    }

    /// The default version, if another one is looked into and the default is built: what fails
    /// there too is not reduced to.
    fn reference(&self, targets: &TargetList) -> Result<Option<(String, WorkerConfig)>, RunError> {
        let (target, version) = targets.parse(&self.name)?;
        let default = target.default_version();
        if self.library.is_none() && version == default {
            return Ok(None);
        }
        if target.find(default, &targets.cache)?.is_none() {
            return Ok(None);
        }
        let name = format!("{}@{default}", target.name());
        let (_, config) = targets.config(&name, None, Flavour::Plain, &Scope::default())?;
        Ok(Some((name, config)))
    }
}

/// Looks into findings of one target, by bug. Crashes and hangs have no coverage to compare.
pub fn explore_findings(
    findings: Vec<(String, FindingFile)>,
    run: &mut LocateRun<'_>,
    variants: usize,
    on_message: &dyn Fn(Message),
) -> Result<Vec<Bug>, RunError> {
    let all = findings.len();
    let is_violation =
        |finding: &FindingFile| matches!(finding.suspect().what, FailureKind::Violated(_));
    let violations: Vec<_> =
        findings.into_iter().filter(|(_, finding)| is_violation(finding)).collect();
    if violations.len() < all {
        let others = all - violations.len();
        let what =
            format!("{others} of {all} findings are crashes or hangs, which have no ranking");
        on_message(Message::Note(what));
    }
    let named = violations.into_iter().map(|(name, finding)| (finding.group(), (name, finding)));
    let mut bugs = Vec::new();
    for (bug, mut cases) in by_family(named.collect()) {
        cases.sort_by_key(|(name, finding)| (finding.suspect().case.size().bytes, name.clone()));
        if cases.len() > CASES_MAX {
            let (name, count) = (&bug, cases.len());
            let what = format!("{name}: the {CASES_MAX} smallest of {count} findings");
            on_message(Message::Note(what));
        }
        let mut symptoms = Vec::new();
        for (name, finding) in cases.into_iter().take(CASES_MAX) {
            match run.explore(&finding.suspect().case, variants)? {
                Ok(symptom) => symptoms.push((name, symptom)),
                Err(why) => on_message(Message::Warning(format!("{name}: left out: {why}"))),
            }
        }
        if !symptoms.is_empty() {
            bugs.push(Bug { name: Some(bug), symptoms });
        }
    }
    if bugs.is_empty() {
        return Err(RunError::Invalid(
            "no finding violates its relation on this target".to_owned(),
        ));
    }
    Ok(bugs)
}

/// The target of all findings, and the library of the user that they name, if they do. They must
/// agree.
pub fn target_of_findings(
    findings: &[(String, FindingFile)],
) -> Result<(&str, Option<&Path>), RunError> {
    let Some((_, first)) = findings.first() else {
        return Err(RunError::Invalid("no finding".to_owned()));
    };
    let differs = |finding: &FindingFile| {
        (&finding.target, &finding.library) != (&first.target, &first.library)
    };
    if let Some((name, other)) = findings.iter().find(|(_, finding)| differs(finding)) {
        return Err(RunError::Invalid(format!(
            "findings of several targets, such as {name} of {} beside {}: locate them one by one",
            other.target, first.target
        )));
    }
    Ok((&first.target, first.library.as_deref()))
}

/// What belongs to each family of groups, in the order of the names of the families.
fn by_family<T>(named: Vec<(String, T)>) -> Vec<(String, Vec<T>)> {
    let heads: BTreeMap<String, String> = families(named.iter().map(|(group, _)| group.as_str()))
        .into_iter()
        .flat_map(|(head, groups)| {
            groups.into_iter().map(move |group| (group.to_owned(), head.to_owned()))
        })
        .collect();
    let mut families: BTreeMap<String, Vec<T>> = BTreeMap::new();
    for (group, of) in named {
        let head = heads.get(&group).cloned().unwrap_or(group);
        families.entry(head).or_default().push(of);
    }
    families.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_one_family_are_one_bug() {
        let named = [
            ("violation: LEFT, comparison, index", 1),
            ("violation: LEFT, comparison", 2),
            ("violation: rtree", 3),
            ("violation: LEFT, comparison", 4),
        ];
        let named = named.map(|(group, number)| (group.to_owned(), number)).to_vec();
        let families = by_family(named);
        let expected = [
            ("violation: LEFT, comparison".to_owned(), vec![1, 2, 4]),
            ("violation: rtree".to_owned(), vec![3]),
        ];
        assert_eq!(families, expected);
    }
}
