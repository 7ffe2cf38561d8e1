//! The sources of sides.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZero;
use std::sync::Arc;

use metacov_core::{Invalid, JudgeChoice, OutputJudge, Setup, SideOutput, StoredInput, Verdict};
use metacov_exec::{
    ExecError, Invocation, JudgeCommand, ProcessRunner, Program, SideReading, SideRun,
};
use metacov_formats::{CoverageLoader, Error, FileSpec, GroupSpec, content_hash};

use crate::{RunError, Source};

/// Reads coverage files, and unites those of a side. A file that cannot be read is an error:
/// nothing was run.
pub struct CoverageFiles;

impl Source for CoverageFiles {
    type Side = Vec<FileSpec>;
    type Runner = ();

    fn runner(&self, _worker: usize) {}

    fn read(
        &self,
        side: &Vec<FileSpec>,
        _inputs: &[StoredInput],
        (): &mut (),
        loader: &mut CoverageLoader<'_>,
    ) -> Result<SideRun, RunError> {
        let reading = SideReading::Complete(loader.read_side(side)?);
        Ok(SideRun { reading: Ok(reading), output: None })
    }

    fn name(&self, side: &Vec<FileSpec>) -> String {
        side.first().map(ToString::to_string).unwrap_or_default()
    }

    /// The files by name and hash: their content is in the covers.
    fn inputs(&self, side: &Vec<FileSpec>) -> Result<Vec<StoredInput>, Error> {
        let input = |spec: &FileSpec| {
            let hashed = content_hash(spec);
            let name = spec.path.file_name().unwrap_or_default().to_string_lossy();
            let part = spec.context.iter().map(|context| format!("::{context}"));
            StoredInput {
                name: name.into_owned() + &part.collect::<String>(),
                content: Vec::new(),
                bytes: hashed.map_or(0, |(bytes, _)| bytes),
                hash: hashed.map(|(_, hash)| hash),
            }
        };
        Ok(side.iter().map(input).collect())
    }
}

/// Runs a program once for each input of a side, and unites the covers.
pub struct ProgramRuns {
    /// The program.
    pub target: Program,
    /// How often each input is run, to find the sites that do not run every time.
    pub repeat: NonZero<u32>,
    /// How outputs are judged.
    pub judges: Judges,
}

/// How the outputs of pairs are judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judges {
    /// By relation.
    pub relations: BTreeMap<String, JudgeChoice>,
    /// For all other pairs.
    pub others: Option<JudgeChoice>,
}

impl Judges {
    /// Whether any pair may be judged.
    pub fn is_empty(&self) -> bool {
        self.relations.is_empty() && self.others.is_none()
    }

    /// Returns the judge of a pair. A judge for its relation comes first, then that of the pair
    /// itself, then the one for all pairs.
    fn of<'j>(&'j self, relation: &str, own: Option<&'j JudgeChoice>) -> Option<&'j OutputJudge> {
        match self.relations.get(relation).or(own).or(self.others.as_ref()) {
            Some(JudgeChoice::By(judge)) => Some(judge),
            Some(JudgeChoice::NotJudged) | None => None,
        }
    }
}

/// As on the command line.
impl fmt::Display for Judges {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let relations =
            self.relations.iter().map(|(relation, judge)| format!("{relation}={judge}"));
        let others = self.others.iter().map(ToString::to_string);
        out.write_str(&relations.chain(others).collect::<Vec<_>>().join(", "))
    }
}

/// The state of a worker that runs programs and judges them.
pub struct ProgramRunner {
    processes: ProcessRunner,
    /// For judges that are commands.
    commands: Option<JudgeCommand>,
}

impl Source for ProgramRuns {
    type Side = Vec<Invocation>;
    type Runner = ProgramRunner;

    fn runner(&self, worker: usize) -> ProgramRunner {
        ProgramRunner { processes: ProcessRunner::new(worker), commands: None }
    }

    fn read(
        &self,
        side: &Vec<Invocation>,
        inputs: &[StoredInput],
        runner: &mut ProgramRunner,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<SideRun, RunError> {
        Ok(runner.processes.run_side(&self.target, side, inputs, self.repeat, loader)?)
    }

    fn judge(
        &self,
        spec: &GroupSpec<Vec<Invocation>>,
        outputs: &[SideOutput],
        runner: &mut ProgramRunner,
    ) -> Result<Option<(OutputJudge, Verdict)>, RunError> {
        let Some(judge) = self.judges.of(&spec.relation, spec.judge.as_ref()) else {
            return Ok(None);
        };
        let verdict = match (judge.judge(outputs), judge, outputs) {
            (Some(verdict), ..) => verdict,
            (None, OutputJudge::Command(command), [a, b]) => {
                let Program { limits, interrupted, .. } = &self.target;
                let commands = match &mut runner.commands {
                    Some(commands) => commands,
                    none => none.insert(JudgeCommand::new().map_err(ExecError::from)?),
                };
                commands.judge(command, [a, b], limits, interrupted)?
            }
            (None, ..) => Verdict::Invalid(Invalid::Shape),
        };
        Ok(Some((judge.clone(), verdict)))
    }

    fn name(&self, side: &Vec<Invocation>) -> String {
        side.first().map(Invocation::name).unwrap_or_default()
    }

    fn inputs(&self, side: &Vec<Invocation>) -> Result<Vec<StoredInput>, Error> {
        Ok(side.iter().map(Invocation::inputs).collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn setup(&self) -> Option<Arc<Setup>> {
        self.target.setup.clone()
    }
}
