//! The options of run files.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use metacov_core::command_line;
use metacov_run::RunError;
use metacov_store::{RUN_FILE, RunFile, Settings};

use crate::exit_code::bail_usage;

#[derive(Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct ResumeArgs {
    /// Continue the run file of -o with the pairs that it lacks.
    ///
    /// These may be new pairs. Options, program, and inputs of pairs that are there already must be the same as before.
    /// Without this option, a run file that exists is an error.
    #[arg(long, requires = "output")]
    pub resume: bool,
}

impl ResumeArgs {
    /// Validates the options of the run file at `path`, if there is one. An interrupt sets the flag.
    pub fn run_file(
        self,
        path: Option<PathBuf>,
        made_by: &'static str,
        by_relation: bool,
        settings: Settings,
        interrupted: Arc<AtomicBool>,
    ) -> Result<Option<RunFile>, RunError> {
        let ResumeArgs { resume } = self;
        let Some(path) = path else {
            if resume {
                bail_usage!("--resume needs the run file to continue: add -o RUN.{RUN_FILE}");
            }
            return Ok(None);
        };
        crate::signals::ignore_file_limit()?;
        let (command, listed) = (command_line(std::env::args_os()), None);
        Ok(Some(RunFile {
            path,
            resume,
            made_by,
            command,
            by_relation,
            settings,
            listed,
            interrupted,
        }))
    }
}
