//! Selects the suites or trials of a study to run: a shard, one trial, or what the scheduler of a
//! cluster assigns.

use std::str::FromStr;

use metacov_run::RunError;

use super::PlannedTrial;

/// Every `parts`-th suite or trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The number of the part, from one.
    pub part: usize,
    /// How many parts there are.
    pub parts: usize,
}

impl Shard {
    /// All of them.
    pub const ALL: Shard = Shard { part: 1, parts: 1 };

    /// Returns the elements that belong to the shard.
    pub fn of<T>(self, all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        all.into_iter().skip(self.part - 1).step_by(self.parts)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a part, such as 2/3; parts are counted from 1");
        let (part, parts) = text.split_once('/').ok_or_else(wrong)?;
        let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
        let (part, parts) = (number(part)?, number(parts)?);
        if (1..=parts).contains(&part) { Ok(Shard { part, parts }) } else { Err(wrong()) }
    }
}

/// Which trials to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Those of a shard.
    Shard(Shard),
    /// The trial of this id.
    Id(String),
    /// The trial with this number, from one.
    Number(usize),
}

impl Selection {
    /// All of them.
    pub const ALL: Selection = Selection::Shard(Shard::ALL);

    /// Returns what Slurm or Kubernetes assign to this process, by environment variables.
    pub fn from_environment(get: impl Fn(&str) -> Option<String>) -> Result<Self, RunError> {
        let number = |name: &str| -> Result<Option<usize>, RunError> {
            let Some(text) = get(name) else { return Ok(None) };
            text.trim()
                .parse()
                .map(Some)
                .map_err(|_| invalid(format!("{name}={text} is not a number")))
        };
        if let Some(task) = number("SLURM_ARRAY_TASK_ID")? {
            let first = number("SLURM_ARRAY_TASK_MIN")?;
            let (Some(first), Some(parts)) = (first, number("SLURM_ARRAY_TASK_COUNT")?) else {
                if task == 0 {
                    return Err(invalid("SLURM_ARRAY_TASK_ID=0, but trials are counted from 1"));
                }
                return Ok(Selection::Number(task));
            };
            let step = number("SLURM_ARRAY_TASK_STEP")?.unwrap_or(1).max(1);
            let part = task.saturating_sub(first) / step + 1;
            let last = number("SLURM_ARRAY_TASK_MAX")?;
            let is_whole = last.is_none_or(|last| last.saturating_sub(first) / step + 1 == parts);
            if !is_whole || task < first || part > parts {
                return Err(invalid(format!(
                    "the tasks of this array ({parts} from {first} on) have gaps; submit all of them (what is done is not \
                     done again), or name trials by --trial"
                )));
            }
            return Ok(Selection::Shard(Shard { part, parts }));
        }
        match number("JOB_COMPLETION_INDEX")? {
            Some(index) => Ok(Selection::Number(index + 1)),
            None => Err(invalid(
                "--array-from-env: neither SLURM_ARRAY_TASK_ID (Slurm) nor JOB_COMPLETION_INDEX (Kubernetes) is set",
            )),
        }
    }

    /// Returns the selected trials.
    pub fn choose<'p>(
        &self,
        planned: &'p [PlannedTrial],
    ) -> Result<Vec<&'p PlannedTrial>, RunError> {
        let (found, unknown) = match self {
            Selection::Shard(shard) => return Ok(shard.of(planned).collect()),
            Selection::Id(id) => (
                planned.iter().find(|one| one.id == *id),
                format!("no trial of this study is {id}; `metacov study plan` lists them"),
            ),
            Selection::Number(number) => (
                planned.get(number.wrapping_sub(1)),
                format!("trial {number} does not exist: the study has {}", planned.len()),
            ),
        };
        found.map(|one| vec![one]).ok_or_else(|| invalid(unknown))
    }
}

fn invalid(what: impl Into<String>) -> RunError {
    RunError::Invalid(what.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(variables: &[(&str, &str)]) -> Result<Selection, String> {
        let get = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Selection::from_environment(get).map_err(|error| error.to_string())
    }

    #[test]
    fn the_scheduler_assigns_a_part() {
        let shard = |part, parts| Ok(Selection::Shard(Shard { part, parts }));
        let (id, min, max) =
            ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX");
        let (count, step) = ("SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_STEP");
        assert_eq!(selection(&[(id, "4")]), Ok(Selection::Number(4)));
        assert_eq!(selection(&[(id, "4"), (min, "1"), (max, "6"), (count, "6")]), shard(4, 6));
        assert_eq!(selection(&[(id, "0"), (min, "0"), (max, "2"), (count, "3")]), shard(1, 3));
        let stepped = [(id, "5"), (min, "1"), (max, "7"), (count, "4"), (step, "2")];
        assert_eq!(selection(&stepped), shard(3, 4));
        assert_eq!(selection(&[("JOB_COMPLETION_INDEX", "0")]), Ok(Selection::Number(1)));
    }

    #[test]
    fn invalid_assignments_are_refused() {
        assert!(selection(&[]).unwrap_err().contains("neither SLURM_ARRAY_TASK_ID"));
        let says = |variables: &[(&str, &str)], words: &str| {
            let said = selection(variables).unwrap_err();
            assert!(said.contains(words), "{said}");
        };
        says(&[("SLURM_ARRAY_TASK_ID", "x")], "SLURM_ARRAY_TASK_ID=x is not a number");
        says(&[("SLURM_ARRAY_TASK_ID", "0")], "counted from 1");
        let gaps = [
            ("SLURM_ARRAY_TASK_ID", "3"),
            ("SLURM_ARRAY_TASK_MIN", "3"),
            ("SLURM_ARRAY_TASK_MAX", "5"),
            ("SLURM_ARRAY_TASK_COUNT", "2"),
        ];
        says(&gaps, "have gaps");
        assert!("0/3".parse::<Shard>().unwrap_err().contains("counted from 1"));
        assert!("4/3".parse::<Shard>().is_err());
    }
}
