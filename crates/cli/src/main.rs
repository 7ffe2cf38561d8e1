//! The command line: words to a config, a config to calls, an outcome to an exit code.

mod cmd;
mod exit_code;
mod progress;
mod talk;

use clap::{Parser, Subcommand};

use crate::exit_code::ExitCode;
use crate::talk::{Talk, TalkArgs};

/// Metamorphic coverage: the code that one execution of a pair runs and the other does not.
#[derive(Parser)]
#[command(name = "metacov", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = exit_code::HELP)]
struct Args {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    talk: TalkArgs,
}

#[derive(Subcommand)]
enum Command {
    Diff(Box<cmd::diff::Args>),
    Measure(Box<cmd::measure::Args>),
    Report(Box<cmd::report::Args>),
    Merge(cmd::merge::Args),
    Completions(cmd::completions::Args),
    Man(cmd::man::Args),
}

fn main() -> std::process::ExitCode {
    let Args { command, talk } = Args::parse();
    let talk = Talk::new(&talk);
    let outcome = match command {
        Command::Diff(args) => args.config().and_then(|config| cmd::run(config, &talk)),
        Command::Measure(args) => args.config().and_then(|config| cmd::run(config, &talk)),
        Command::Report(args) => cmd::report::run(*args, &talk),
        Command::Merge(args) => cmd::merge::run(&args, &talk),
        Command::Completions(args) => cmd::completions::run(&args),
        Command::Man(args) => cmd::man::run(&args),
    };
    let code = outcome.unwrap_or_else(|error| {
        let code = ExitCode::of(&error);
        if code != ExitCode::Success {
            talk.error(&error);
        }
        code
    });
    code.into()
}
