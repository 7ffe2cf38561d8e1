//! The options of judges: how outputs must relate.

use std::str::FromStr;

use metacov_core::JudgeChoice;
use metacov_run::{Judges, RunError};

use crate::exit_code::bail_usage;

#[derive(clap::Args)]
#[command(next_help_heading = "Running")]
pub struct JudgeArgs {
    /// Check the outputs of both sides: equal, bag, number, ...
    ///
    /// `equal`: the same standard output and exit code. `bag`: the same lines in any order. `number`: the same number;
    /// `number:0.01` allows for a difference. `subset`: each line of a is also in b. `exit`: the same exit code.
    /// `command:cmp {a} {b}`: a shell command, which gets the outputs as files and ends with exit code 0 if the relation
    /// holds, or 1 if it is violated. `none`: not checked, which is the default.
    ///
    /// `RELATION=JUDGE` is for the pairs of one relation, and the option can be repeated. A pair in a manifest can name
    /// its own: `"judge": "bag"`. A violated relation ends in exit code 6.
    #[arg(long, value_name = "JUDGE")]
    judge: Vec<JudgeArg>,
}

#[derive(Clone)]
struct JudgeArg {
    relation: Option<String>,
    judge: JudgeChoice,
}

impl FromStr for JudgeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text.parse(), text.split_once('=')) {
            (Ok(judge), _) => Ok(JudgeArg { relation: None, judge }),
            (Err(what), None) => Err(what),
            (Err(_), Some((relation, judge))) => {
                Ok(JudgeArg { relation: Some(relation.to_owned()), judge: judge.parse()? })
            }
        }
    }
}

impl JudgeArgs {
    /// Whether there is a judge.
    pub fn is_given(&self) -> bool {
        !self.judge.is_empty()
    }

    /// Validates the options.
    pub fn judges(self) -> Result<Judges, RunError> {
        let mut judges = Judges::default();
        for JudgeArg { relation, judge } in self.judge {
            let (what, before) = match relation {
                Some(relation) => {
                    let what = format!("relation {relation}");
                    (what, judges.relations.insert(relation, judge))
                }
                None => ("all pairs".to_owned(), judges.others.replace(judge)),
            };
            if before.is_some() {
                bail_usage!("--judge is given twice for {what}");
            }
        }
        Ok(judges)
    }
}
