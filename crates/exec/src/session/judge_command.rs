//! Judges that are commands of the user.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::sync::atomic::AtomicBool;

use metacov_core::{Exit, Invalid, SideOutput, Verdict, command_line};

use crate::error::ExecError;
use crate::process::limits::Limits;
use crate::process::supervisor::Supervisor;
use crate::process::wire::Request;

/// The exit codes of a shell that cannot start a command.
const NOT_STARTED: [i32; 2] = [126, 127];

/// Runs commands that judge the outputs of two sides.
pub struct JudgeCommand {
    supervisor: Supervisor,
    /// For the outputs. The supervisor removes it.
    folder: std::path::PathBuf,
}

impl JudgeCommand {
    /// Starts the supervisor that runs the commands.
    pub fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("metacov-").tempdir()?;
        let supervisor = Supervisor::start(folder.path())?;
        Ok(JudgeCommand { supervisor, folder: folder.keep() })
    }

    /// Runs a shell command in which `{a}` and `{b}` are files with the outputs. Exit code 0: the
    /// relation holds; 1: it is violated, and the command's first line of output says how; others:
    /// it cannot be judged. A command that does not start, or takes too long, is an error.
    pub fn judge(
        &mut self,
        command: &str,
        [a, b]: [&SideOutput; 2],
        limits: &Limits,
        interrupted: &AtomicBool,
    ) -> Result<Verdict, ExecError> {
        if a.is_cut() || b.is_cut() {
            return Ok(Verdict::Invalid(Invalid::OutputTooLong));
        }
        let mut script = command.to_owned();
        for (name, output) in [("a", a), ("b", b)] {
            let path = self.folder.join(name);
            fs::write(&path, &output.content)?;
            script = script.replace(&format!("{{{name}}}"), &command_line([&path]));
        }
        let Limits { wall, grace, cpu, memory_bytes } = *limits;
        let command: Vec<OsString> = ["sh", "-c", &script].map(OsString::from).into();
        let environment = Vec::new();
        let request = Request { command, environment, wall: Some(wall), grace, cpu, memory_bytes };
        let stdin = File::open("/dev/null")?;
        let ended = self.supervisor.run(&request, &stdin, None, interrupted)?;
        let failed = |how: &str| {
            let said = ended.output.trim();
            let colon = if said.is_empty() { "" } else { ": " };
            ExecError::System(io::Error::other(format!("the judge {how}{colon}{said}")))
        };
        match ended.exit {
            Exit::Success => Ok(Verdict::Holds),
            Exit::Failure(1) => {
                let line = ended.output.lines().find(|line| !line.trim().is_empty());
                let folder = format!("{}/", self.folder.display());
                let how = line.unwrap_or("the judge's command ends with exit code 1");
                Ok(Verdict::Violated(how.replace(&folder, "").trim().to_owned()))
            }
            Exit::Failure(code) if NOT_STARTED.contains(&code) => Err(failed("does not start")),
            Exit::Failure(code) => Ok(Verdict::Invalid(Invalid::JudgeFailed(code))),
            Exit::Signalled(signal) => Err(failed(&format!("was ended by signal {signal}"))),
            Exit::Timeout => Err(failed("took too long (see --timeout)")),
        }
    }
}
