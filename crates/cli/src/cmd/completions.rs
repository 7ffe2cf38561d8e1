//! `metacov completions`

use clap_complete::Shell;

use metacov_report::{Output, write_whole};

use crate::exit_code::{ExitCode, Outcome};

const EXAMPLES: &str = "\
Examples:
  metacov completions bash > ~/.local/share/bash-completion/completions/metacov
  metacov completions fish > ~/.config/fish/completions/metacov.fish";

/// Print completions for a shell.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(args: &Args) -> Outcome {
    write_whole(&Output::Stdout, |mut out| {
        clap_complete::generate(args.shell, &mut crate::command(), "metacov", &mut out);
        Ok(())
    })?;
    Ok(ExitCode::Success)
}
