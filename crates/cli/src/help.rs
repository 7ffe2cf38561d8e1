//! The layout of help pages: one line about the command, usage, examples, then options by group.

use clap::Command;

/// Examples precede the options.
const TEMPLATE: &str = "\
{about-with-newline}
{usage-heading} {usage}

{before-help}{all-args}{after-help}";

/// Lines are wrapped at the width of the terminal, and at this width if it is wider.
const WIDTH: usize = 100;

/// Lays out the help of a command and of all commands below it.
pub fn lay_out(command: Command) -> Command {
    command.help_template(TEMPLATE).max_term_width(WIDTH).mut_subcommands(lay_out)
}

#[cfg(test)]
#[path = "../tests/documented_commands/help.rs"]
mod tests;
