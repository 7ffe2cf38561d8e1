//! `metacov completions`

use clap::CommandFactory;
use clap_complete::Shell;

use crate::exit_code::{ExitCode, Unwritten};
use crate::output::{Output, write_whole};

/// Print completions for a shell.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  metacov completions bash > ~/.local/share/bash-completion/completions/metacov"
)]
pub struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    write_whole(&Output::Stdout, |mut out| {
        clap_complete::generate(args.shell, &mut crate::Args::command(), "metacov", &mut out);
        Ok(())
    })
    .map_err(Unwritten)?;
    Ok(ExitCode::Success)
}
