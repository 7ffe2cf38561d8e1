//! Suspects go in, findings come out.

use std::io;

use metacov_relations::Case;

use super::examine::{Seen, one};
use super::known::Known;
use super::signature::Signature;
use super::suspect::Suspect;
use crate::trial::Laboratory;
use crate::worker::Conditions;

/// How often a suspect must show again.
const REPLAYS: usize = 2;

/// What suspects are looked into with.
pub struct Equipment<'c> {
    /// The name of the target, such as `sqlite@3.29.0`.
    pub target: String,
    /// The target without counters, as it is tested.
    pub plain: &'c Conditions<'c>,
    /// The target with counters.
    pub counting: &'c Conditions<'c>,
    /// Another version of the target, with its name: a case counts as reduced only while it holds there.
    pub reference: Option<(String, &'c Conditions<'c>)>,
}

/// Looks into suspects.
pub struct Investigator<'c> {
    equipment: Equipment<'c>,
    known: Known,
    plain: Laboratory<'c>,
    reference: Option<Laboratory<'c>>,
    /// Started when it is needed first.
    counting: Option<Laboratory<'c>>,
}

/// What came of a suspect.
#[derive(Clone, Debug)]
pub enum Examined {
    /// It does not show again, or not the same way: why.
    Unconfirmed(String),
    /// It is real, and was known under this name.
    Known(String, Box<Finding>),
    /// It is real.
    Found(Box<Finding>),
}

/// How large a case is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// In statements.
    pub statements: usize,
    /// In bytes.
    pub bytes: usize,
}

/// What is worth somebody's time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is known by.
    pub signature: Signature,
    /// The name of the target, such as `sqlite@3.29.0`.
    pub target: String,
    /// The target that it does not show on, if there was one to compare with.
    pub reference: Option<String>,
    /// What was found, reduced.
    pub suspect: Suspect,
    /// How large it was.
    pub before: Size,
    /// How many smaller cases were tried.
    pub candidates: usize,
    /// What the sides gave, as text.
    pub outputs: [String; 2],
    /// The lines that only one side runs, as `file:line`.
    pub lines: Vec<String>,
    /// The functions that only one side enters.
    pub functions: Vec<String>,
}

impl Size {
    /// That of a case.
    pub fn of(case: &Case) -> Self {
        Size { statements: case.statements(), bytes: case.bytes() }
    }
}

impl<'c> Investigator<'c> {
    /// Starts the workers.
    pub fn new(equipment: Equipment<'c>, known: Known) -> io::Result<Self> {
        let plain = Laboratory::new(equipment.plain)?;
        let reference = equipment.reference.as_ref();
        let reference = reference.map(|(_, conditions)| Laboratory::new(conditions)).transpose()?;
        Ok(Investigator { equipment, known, plain, reference, counting: None })
    }

    /// Looks into a suspect: runs it again, twice, in processes of their own; makes it small; measures it.
    pub fn examine(&mut self, suspect: &Suspect) -> io::Result<Examined> {
        if let Err(reason) = self.confirm(suspect)? {
            return Ok(Examined::Unconfirmed(reason));
        }
        let finding = self.finding(suspect)?;
        let known = self.known.name(&suspect.relation, &suspect.case, &finding.signature);
        let known = known.map(ToOwned::to_owned);
        let finding = Box::new(finding);
        Ok(match known {
            Some(name) => Examined::Known(name, finding),
            None => Examined::Found(finding),
        })
    }

    /// Whether a suspect shows again, and again, in the same way.
    fn confirm(&mut self, suspect: &Suspect) -> io::Result<Result<(), String>> {
        let mut outcomes = Vec::new();
        for _ in 0..REPLAYS {
            self.plain.restart();
            let run = one(&mut self.plain, &suspect.case)?;
            match run.seen {
                Seen::Wrong(what) if what.is_like(&suspect.what) => outcomes.push(run.outcomes),
                Seen::Wrong(what) => return Ok(Err(format!("it fails in another way: {what}"))),
                Seen::Holds => return Ok(Err("the sides agree when it is run again".to_owned())),
                Seen::Nothing(why) => return Ok(Err(format!("it does not run again: {why}"))),
            }
        }
        let is_same = outcomes.windows(2).all(|pair| pair[0] == pair[1]);
        Ok(if is_same { Ok(()) } else { Err("its results change from run to run".to_owned()) })
    }

    fn finding(&mut self, suspect: &Suspect) -> io::Result<Finding> {
        let counting = match &mut self.counting {
            Some(counting) => counting,
            none => none.insert(Laboratory::new(self.equipment.counting)?),
        };
        let _ = (one(counting, &suspect.case)?.covers, &self.reference);
        Ok(Finding {
            signature: Signature { exact: 0, group: 0 },
            target: self.equipment.target.clone(),
            reference: self.equipment.reference.as_ref().map(|(name, _)| name.clone()),
            suspect: suspect.clone(),
            before: Size::of(&suspect.case),
            candidates: 0,
            outputs: [String::new(), String::new()],
            lines: Vec::new(),
            functions: Vec::new(),
        })
    }
}
