//! Messages to standard error, as verbose as the user wants.

pub mod bar;
pub mod progress;

use std::io::{self, IsTerminal, Write};

use clap::{ArgAction, ValueEnum};
use metacov_report::{Output, Screen, write_text};
use metacov_run::RunError;
use metacov_study::conduct::Message;

/// How loud, and in which colours.
#[derive(clap::Args)]
#[command(next_help_heading = "Messages")]
pub struct ConsoleArgs {
    /// Print results and errors only: no notes, warnings or progress.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more notes, such as each side that failed.
    #[arg(short, long, global = true, action = ArgAction::SetTrue, hide_short_help = true)]
    verbose: bool,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    #[arg(hide_short_help = true)]
    color: Color,
    /// Print a summary (-h) or all of the help (--help).
    #[arg(short, long, global = true, action = ArgAction::Help)]
    help: Option<bool>,
    /// Print the version.
    #[arg(short = 'V', long, global = true, action = ArgAction::Version, hide_short_help = true)]
    version: Option<bool>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Color {
    /// On terminals, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Even if the output is not a terminal.
    Always,
    /// Never.
    Never,
}

/// Prints messages.
#[derive(Default)]
pub struct Console {
    quiet: bool,
    verbose: bool,
    color: Color,
}

impl Console {
    pub fn new(args: &ConsoleArgs) -> Self {
        Console { quiet: args.quiet, verbose: args.verbose, color: args.color }
    }

    /// Whether only errors and results are printed.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Prints an error.
    pub fn error(&self, error: &RunError) {
        self.failure(&error.to_string());
    }

    /// Prints that a requirement does not hold.
    pub fn failure(&self, what: &str) {
        self.say("error", "31", what);
    }

    /// Prints something that is required to interpret the numbers.
    pub fn warning(&self, what: &str) {
        if !self.quiet {
            self.say("warning", "33", what);
        }
    }

    /// Prints something useful to know.
    pub fn note(&self, what: &str) {
        if !self.quiet {
            self.say("note", "36", what);
        }
    }

    /// Prints a detail, for verbose output.
    pub fn detail(&self, what: impl FnOnce() -> String) {
        if self.verbose {
            self.say("note", "36", &what());
        }
    }

    fn say(&self, kind: &str, color: &str, what: &str) {
        let kind = if self.colors(&io::stderr()) {
            format!("\x1b[1;{color}m{kind}\x1b[0m")
        } else {
            kind.to_owned()
        };
        // If standard error is closed, there is nowhere to report that.
        let _ = writeln!(io::stderr(), "{kind}: {}", printable(what));
    }

    fn colors(&self, stream: &impl IsTerminal) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                !refused && stream.is_terminal()
            }
        }
    }
}

impl Screen for Console {
    fn print(&self, text: &str) -> Result<(), RunError> {
        print(text)
    }

    fn has_colors(&self) -> bool {
        self.colors(&io::stdout())
    }

    fn message(&self, message: Message) {
        match message {
            Message::Detail(what) => self.detail(|| what),
            Message::Note(what) => self.note(&what),
            Message::Warning(what) => self.warning(&what),
            Message::Failure(what) => self.failure(&what),
        }
    }
}

/// Prints data to standard output.
pub fn print(text: &str) -> Result<(), RunError> {
    write_text(&Output::Stdout, text)
}

/// The text without control characters, which could change the terminal: file names come from anywhere. Lines after the
/// first are indented, so that none of them looks like a message.
fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for letter in text.trim_end().chars() {
        match letter {
            '\n' => printable.push_str("\n  "),
            '\t' => printable.push(' '),
            '\r' => {}
            letter if letter.is_control() => printable.push('\u{fffd}'),
            letter => printable.push(letter),
        }
    }
    printable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_and_cannot_look_like_messages() {
        assert_eq!(printable("gcc: failed\nerror: x\r\n\ty\n"), "gcc: failed\n  error: x\n   y");
        assert_eq!(printable("a\u{1b}[2Jb"), "a\u{fffd}[2Jb");
    }
}
