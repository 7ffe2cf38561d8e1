//! Reduces cases while they still fail.
//!
//! Text that the sides share is changed in all its places at once, so that a smaller case is a case
//! of the same relation. The effort is limited by steps, not by time: the same case and the same
//! answers give the same result.

mod column;
mod draft;
mod edit;
mod files;
mod name;
mod steps;

use std::collections::BTreeSet;

use draft::{Change, Draft, digest};
use steps::{clauses, columns, parts, shorter_setups, simpler_settings, statements};

pub(crate) use name::renumbered;

use metacov_core::{Case, Reduction};

use super::settings::Settings;

/// The first batch of candidates has this size; it doubles whenever none of them fails.
const BATCH_MIN: usize = 4;
const BATCH_MAX: usize = 64;

/// Reduces a case. `fails` says for each candidate whether it still fails; it is called for a
/// limited number of candidates.
pub(crate) fn reduce<E>(
    case: &Case,
    settings: Settings,
    candidates_max: usize,
    fails: impl FnMut(&[Case]) -> Result<Vec<bool>, E>,
) -> Result<Reduction, E> {
    let mut reducer = Reducer::new(case, settings, candidates_max, fails);
    while reducer.round()? {}
    let case = reducer.number_names()?;
    Ok(Reduction { case, candidates: candidates_max - reducer.left })
}

/// Reduces only the queries of a case, on the same database. This is cheap, because one database
/// serves many candidates.
pub(crate) fn reduce_queries<E>(
    case: &Case,
    settings: Settings,
    candidates_max: usize,
    fails: impl FnMut(&[Case]) -> Result<Vec<bool>, E>,
) -> Result<Reduction, E> {
    let mut reducer = Reducer::new(case, settings, candidates_max, fails);
    while reducer.queries()? {}
    Ok(Reduction { case: reducer.draft.case(), candidates: candidates_max - reducer.left })
}

/// What a step must reduce.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Less {
    /// The length of the text.
    Long,
    /// The complexity: the text is not longer, and the step cannot be undone by another step.
    Complex,
}

struct Reducer<F> {
    fails: F,
    draft: Draft,
    left: usize,
    /// Hashes of the candidates so far.
    seen: BTreeSet<u64>,
    /// Files that candidates may name.
    files: BTreeSet<String>,
}

impl<E, F: FnMut(&[Case]) -> Result<Vec<bool>, E>> Reducer<F> {
    fn new(case: &Case, settings: Settings, candidates_max: usize, fails: F) -> Self {
        let draft = Draft::of(case, settings);
        let seen = BTreeSet::from([digest(&draft.case())]);
        let files = files::allowed(case, settings.brackets);
        Reducer { fails, draft, left: candidates_max, seen, files }
    }

    /// Tries everything once. Returns whether something was reduced.
    fn round(&mut self) -> Result<bool, E> {
        let mut is_smaller = self.setup()?;
        is_smaller |= self.queries()?;
        is_smaller |= self.setup()?;
        is_smaller |= self.sweep(Less::Long, columns)?;
        is_smaller |= self.sweep(Less::Long, |draft| statements(draft, edit::usual_table))?;
        is_smaller |= self.sweep(Less::Long, |draft| statements(draft, edit::deletions))?;
        is_smaller |= self.sweep(Less::Long, |draft| {
            statements(draft, |words| edit::replacements(words, false))
        })?;
        is_smaller |= self.sweep(Less::Complex, |draft| parts(draft, edit::operators))?;
        is_smaller |= self.sweep(Less::Complex, |draft| parts(draft, edit::literals))?;
        is_smaller |= self.sweep(Less::Complex, |draft| statements(draft, edit::literals))?;
        Ok(is_smaller)
    }

    /// Removes what the queries do not need.
    fn queries(&mut self) -> Result<bool, E> {
        let mut is_smaller = self.sweep(Less::Long, clauses)?;
        is_smaller |= self.sweep(Less::Complex, simpler_settings)?;
        is_smaller |=
            self.sweep(Less::Long, |draft| parts(draft, |words| edit::replacements(words, true)))?;
        is_smaller |= self.sweep(Less::Long, |draft| parts(draft, edit::deletions))?;
        Ok(is_smaller)
    }

    /// Removes statements of the setup: halves of it, quarters, down to single ones.
    fn setup(&mut self) -> Result<bool, E> {
        let mut is_smaller = false;
        let mut chunk = self.draft.setup.len().div_ceil(2);
        while chunk > 0 {
            is_smaller |= self.sweep(Less::Long, |draft| shorter_setups(draft, chunk))?;
            chunk /= 2;
        }
        Ok(is_smaller)
    }

    /// Applies all steps of a kind that give a smaller failing case.
    fn sweep(&mut self, less: Less, steps: impl Fn(&Draft) -> Vec<Change>) -> Result<bool, E> {
        let (mut at, mut batch_size, mut is_smaller) = (0, BATCH_MIN, false);
        loop {
            let changes = steps(&self.draft);
            let bytes_max =
                self.draft.case().size().bytes.saturating_sub(usize::from(less == Less::Long));
            let mut taken = None;
            while taken.is_none() {
                let mut batch = Vec::new();
                while batch.len() < batch_size.min(self.left) && at < changes.len() {
                    if let Some(draft) = self.draft.changed(&changes[at]) {
                        let case = draft.case();
                        let brackets = self.draft.settings.brackets;
                        let is_allowed = || files::are_allowed(&case, brackets, &self.files);
                        if case.size().bytes <= bytes_max
                            && is_allowed()
                            && self.seen.insert(digest(&case))
                        {
                            batch.push((at, draft, case));
                        }
                    }
                    at += 1;
                }
                if batch.is_empty() {
                    return Ok(is_smaller);
                }
                taken = self.first_failing(batch)?;
                batch_size = (2 * batch_size).min(BATCH_MAX);
            }
            if let Some((place, draft)) = taken {
                (self.draft, at, batch_size, is_smaller) = (draft, place, BATCH_MIN, true);
            }
        }
    }

    fn first_failing(
        &mut self,
        batch: Vec<(usize, Draft, Case)>,
    ) -> Result<Option<(usize, Draft)>, E> {
        let cases: Vec<Case> = batch.iter().map(|(_, _, case)| case.clone()).collect();
        self.left -= cases.len();
        let verdicts = (self.fails)(&cases)?;
        let mut failing = batch.into_iter().zip(verdicts).filter(|(_, fails)| *fails);
        Ok(failing.next().map(|((place, draft, _), _)| (place, draft)))
    }

    /// Renumbers names from zero, if the case still fails.
    fn number_names(&mut self) -> Result<Case, E> {
        let case = self.draft.case();
        let renamed = renumbered(&case, self.draft.settings.brackets);
        if self.left == 0 || renamed == case || renamed.size().bytes > case.size().bytes {
            return Ok(case);
        }
        self.left -= 1;
        let fails = (self.fails)(std::slice::from_ref(&renamed))?;
        Ok(if fails == [true] { renamed } else { case })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::sql::token::Brackets;
    use metacov_core::Judge;

    /// A shorter name could be that of another file in the current folder.
    #[test]
    fn no_candidate_names_another_file() {
        let statement = |text: &str| vec![text.to_owned()];
        let case = Case {
            setup: statement("ATTACH ':memory:' AS other"),
            sides: crate::sql::sides::of([
                statement("VACUUM INTO 'copy.db'"),
                statement("SELECT writefile('a.db', 1)"),
            ]),
            parts: vec!["'copy.db'".to_owned(), "writefile('a.db', 1)".to_owned()],
            relation: String::new(),
            judge: Judge::Bag,
        };
        let settings = Settings {
            brackets: Brackets::Quote,
            is_setting: |_| false,
            simpler: |_| Vec::new(),
            single: Vec::new,
        };
        let mut asked = Vec::new();
        let reduction = reduce(&case, settings, 1000, |candidates| {
            asked.extend(candidates.iter().cloned());
            Ok::<_, Infallible>(vec![false; candidates.len()])
        });
        assert!(reduction.is_ok_and(|reduction| reduction.candidates > 0));
        let texts = |case: &Case| case.statements().cloned().collect::<Vec<_>>();
        let is_kept = |text: &String| {
            let words = text.to_uppercase();
            let names = ["ATTACH", "INTO", "WRITEFILE("].iter().any(|word| words.contains(word));
            !names || texts(&case).contains(text) || text.starts_with("ATTACH ':memory:'")
        };
        assert!(asked.iter().flat_map(texts).all(|text| is_kept(&text)), "{asked:?}");
    }
}
