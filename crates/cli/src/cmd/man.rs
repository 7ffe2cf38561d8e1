//! `metacov man`

use std::path::PathBuf;

use clap_mangen::Man;
use metacov_formats::Fault;
use metacov_report::{Output, write_whole};
use metacov_run::RunError;

use crate::exit_code::{ExitCode, Outcome};

const EXAMPLES: &str = "\
Examples:
  metacov man | man -l -
  metacov man --out ~/.local/share/man/man1";

/// Print the manual page, or write the pages of all commands to a folder.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct Args {
    /// Write the pages of all commands to this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(args: &Args) -> Outcome {
    let command = crate::command();
    let Some(folder) = &args.out else {
        let page = Man::new(command);
        write_whole(&Output::Stdout, |mut out| page.render(&mut out))?;
        return Ok(ExitCode::Success);
    };
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, folder))
        .map_err(|error| RunError::Output(Fault::Io(error).of(folder.display().to_string())))?;
    Ok(ExitCode::Success)
}
