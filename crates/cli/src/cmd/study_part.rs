//! Which part of a study is run: a shard, one trial, or what the scheduler of a cluster says.

use std::str::FromStr;

use anyhow::{anyhow, bail, ensure};

use super::study_campaigns::Planned;

/// A part of the suites or trials, from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub part: usize,
    pub parts: usize,
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

/// Which trials are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Every so many.
    Shard(Shard),
    /// The trial of this id.
    Id(String),
    /// The trial of this number, from one.
    Number(usize),
}

impl Selection {
    /// All of them.
    pub const ALL: Selection = Selection::Shard(Shard { part: 1, parts: 1 });

    /// What Slurm or Kubernetes say of the task that this process is.
    pub fn from_environment(get: impl Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        let number = |name: &str| -> anyhow::Result<Option<usize>> {
            let Some(text) = get(name) else { return Ok(None) };
            text.trim().parse().map(Some).map_err(|_| anyhow!("{name}={text} is not a number"))
        };
        if let Some(task) = number("SLURM_ARRAY_TASK_ID")? {
            let first = number("SLURM_ARRAY_TASK_MIN")?;
            let (Some(first), Some(parts)) = (first, number("SLURM_ARRAY_TASK_COUNT")?) else {
                ensure!(task > 0, "SLURM_ARRAY_TASK_ID=0, but trials are counted from 1");
                return Ok(Selection::Number(task));
            };
            let step = number("SLURM_ARRAY_TASK_STEP")?.unwrap_or(1).max(1);
            let part = task.saturating_sub(first) / step + 1;
            let last = number("SLURM_ARRAY_TASK_MAX")?;
            let is_whole = last.is_none_or(|last| last.saturating_sub(first) / step + 1 == parts);
            ensure!(
                is_whole && task >= first && part <= parts,
                "the tasks of this array ({parts} from {first} on) have gaps; submit all of them (what is done is not \
                 done again), or name trials by --trial"
            );
            return Ok(Selection::Shard(Shard { part, parts }));
        }
        match number("JOB_COMPLETION_INDEX")? {
            Some(index) => Ok(Selection::Number(index + 1)),
            None => bail!(
                "--array-from-env: neither SLURM_ARRAY_TASK_ID (Slurm) nor JOB_COMPLETION_INDEX (Kubernetes) is set"
            ),
        }
    }

    /// The trials that are meant.
    pub fn choose<'p>(&self, planned: &'p [Planned]) -> anyhow::Result<Vec<&'p Planned>> {
        match self {
            Selection::Shard(Shard { part, parts }) => {
                Ok(planned.iter().skip(part - 1).step_by(*parts).collect())
            }
            Selection::Id(id) => {
                let found = planned.iter().find(|one| one.id == *id);
                let unknown =
                    || anyhow!("no trial of this study is {id}; `metacov study plan` lists them");
                Ok(vec![found.ok_or_else(unknown)?])
            }
            Selection::Number(number) => {
                let found = planned.get(number.wrapping_sub(1));
                let unknown =
                    || anyhow!("there is no trial {number}: the study has {}", planned.len());
                Ok(vec![found.ok_or_else(unknown)?])
            }
        }
    }
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
    fn the_scheduler_says_which_part_is_meant() {
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
    fn what_makes_no_sense_is_refused() {
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
