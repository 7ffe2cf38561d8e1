//! `finding.toml`: a finding as a file, with everything that a replay needs.

use std::io;
use std::path::{Path, PathBuf};

use metacov_core::{Case, Exit, Input, Judge, Pair, Size};
use serde::{Deserialize, Serialize};

use super::failing_case::{FailingCase, FailureKind};
use super::family;
use super::triage::Finding;

/// The file's name.
pub(super) const NAME: &str = "finding.toml";
const FORMAT: &str = "metacov-finding";
const VERSION: u32 = 1;

/// A finding as it is stored in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingFile {
    format: String,
    version: u32,
    /// The signature: the group and the exact case.
    pub signature: String,
    /// The words that the case needs to fail.
    pub shape: Vec<String>,
    /// The name of the target, such as `sqlite@3.29.0`.
    pub target: String,
    /// The user's library, if the finding is of that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub library: Option<PathBuf>,
    /// The arguments of that, if it is a program.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub arguments: Option<Vec<String>>,
    /// The target on which it does not fail, if there was one to compare with.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reference: Option<String>,
    /// The version of metacov that found it.
    pub metacov: String,
    /// The name of its relation.
    pub relation: String,
    comparison: String,
    /// What happened, in words: for a violation, how the sides disagree.
    pub how: String,
    /// The seed of the campaign.
    pub seed: u64,
    /// The number of the database.
    pub database: u64,
    /// The number of the pair among those of its relation.
    pub pair: u64,
    statements_before: usize,
    bytes_before: usize,
    candidates: usize,
    setup: Vec<String>,
    a: SideText,
    b: SideText,
    /// The last field, because TOML requires tables to follow plain values.
    failure: Failure,
}

/// The inputs of a side: the statements of a single input, or of each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum SideText {
    One(Vec<String>),
    Several(Vec<Vec<String>>),
}

impl SideText {
    fn of(inputs: Vec<Input>) -> Self {
        let mut inputs: Vec<Vec<String>> =
            inputs.into_iter().map(|input| input.statements).collect();
        match (inputs.len(), inputs.pop()) {
            (0 | 1, only) => SideText::One(only.unwrap_or_default()),
            (_, last) => SideText::Several(inputs.into_iter().chain(last).collect()),
        }
    }

    fn inputs(self) -> Vec<Input> {
        match self {
            SideText::One(statements) => vec![Input { statements }],
            SideText::Several(inputs) => inputs.into_iter().map(Input::from).collect(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Failure {
    Violation,
    /// Side 0, side 1, or none: the setup.
    Crash {
        side: Option<usize>,
        signal: Option<i32>,
        code: Option<i32>,
    },
    Hang {
        side: Option<usize>,
    },
}

impl FindingFile {
    /// Describes a finding.
    pub fn of(finding: &Finding) -> Self {
        let Finding { suspect, before, .. } = finding;
        let Pair { a, b } = suspect.case.sides.clone().map(SideText::of);
        FindingFile {
            format: FORMAT.to_owned(),
            version: VERSION,
            signature: finding.signature.to_string(),
            shape: finding.shape.iter().cloned().collect(),
            target: finding.target.clone(),
            library: finding.library.clone(),
            arguments: finding.arguments.clone(),
            reference: finding.reference.clone(),
            metacov: env!("CARGO_PKG_VERSION").to_owned(),
            relation: suspect.case.relation.clone(),
            comparison: suspect.case.judge.name().to_owned(),
            how: match &suspect.what {
                FailureKind::Violated(how) => how.clone(),
                what => what.to_string(),
            },
            failure: match &suspect.what {
                FailureKind::Violated(_) => Failure::Violation,
                FailureKind::Hung { side } => Failure::Hang { side: *side },
                FailureKind::Crashed { side, exit } => Failure::Crash {
                    side: *side,
                    signal: if let Exit::Signalled(signal) = exit { Some(*signal) } else { None },
                    code: if let Exit::Failure(code) = exit { Some(*code) } else { None },
                },
            },
            seed: suspect.seed,
            database: suspect.database,
            pair: suspect.pair,
            statements_before: before.statements,
            bytes_before: before.bytes,
            candidates: finding.candidates,
            setup: suspect.case.setup.clone(),
            a,
            b,
        }
    }

    /// Describes a known bug: a case that violates its relation on a target.
    pub fn known(target: String, case: Case) -> Self {
        let Pair { a, b } = case.sides.map(SideText::of);
        FindingFile {
            format: FORMAT.to_owned(),
            version: VERSION,
            signature: String::new(),
            shape: Vec::new(),
            target,
            library: None,
            arguments: None,
            reference: None,
            metacov: env!("CARGO_PKG_VERSION").to_owned(),
            relation: if case.relation.is_empty() { "-".to_owned() } else { case.relation },
            comparison: case.judge.name().to_owned(),
            how: String::new(),
            failure: Failure::Violation,
            seed: 0,
            database: 0,
            pair: 0,
            statements_before: 0,
            bytes_before: 0,
            candidates: 0,
            setup: case.setup,
            a,
            b,
        }
    }

    /// Reads the file of a finding's folder.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
        let text = std::fs::read_to_string(folder.join(NAME))?;
        let record: FindingFile =
            toml::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        if (record.format.as_str(), record.version) != (FORMAT, VERSION) {
            let what = format!(
                "unknown format {} {} (metacov reads {FORMAT} {VERSION})",
                record.format, record.version
            );
            return Err(invalid(what));
        }
        if Judge::named(&record.comparison).is_none() {
            return Err(invalid(format!("unknown comparison `{}`", record.comparison)));
        }
        Ok(record)
    }

    /// The name of its group, as campaigns list it.
    pub fn group(&self) -> String {
        let what = match self.failure {
            Failure::Violation => "violation",
            Failure::Crash { .. } => "crash",
            Failure::Hang { .. } => "hang",
        };
        family::name(what, &self.shape.iter().cloned().collect())
    }

    /// The text of the file.
    pub(super) fn text(&self) -> io::Result<String> {
        toml::to_string(self).map_err(io::Error::other)
    }

    /// Returns the case to run again.
    pub fn suspect(&self) -> FailingCase {
        let judge = Judge::named(&self.comparison).unwrap_or(Judge::Bag);
        let what = match self.failure {
            Failure::Violation => FailureKind::Violated(self.how.clone()),
            Failure::Hang { side } => FailureKind::Hung { side },
            Failure::Crash { side, signal, code } => {
                let exit = signal.map(Exit::Signalled).or(code.map(Exit::Failure));
                FailureKind::Crashed { side, exit: exit.unwrap_or(Exit::Success) }
            }
        };
        let sides = Pair { a: self.a.clone(), b: self.b.clone() }.map(SideText::inputs);
        let (relation, setup) = (self.relation.clone(), self.setup.clone());
        let case = Case { relation, setup, sides, parts: Vec::new(), judge };
        let FindingFile { seed, database, pair, .. } = *self;
        FailingCase { case, what, seed, database, pair }
    }

    /// Returns the size before reduction.
    pub fn before(&self) -> Size {
        Size { statements: self.statements_before, bytes: self.bytes_before }
    }
}
