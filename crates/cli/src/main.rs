//! The command line: parses arguments, runs a command, and returns an exit code.

mod args;
mod cmd;
mod console;
#[cfg(test)]
#[path = "../tests/documented_commands/commands.rs"]
mod documents;
mod exit_code;
mod help;
mod signals;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use metacov_targets::cc::Language;

use crate::console::{Console, ConsoleArgs};
use crate::exit_code::{ExitCode, Outcome};

const EXAMPLES: &str = "\
Examples:
  metacov diff a.json b.json                    compare two coverage files
  metacov measure --pairs pairs/ -- ./prog @@   run a program on pairs of inputs
  metacov measure sqlite --count 1000           generate pairs for SQLite, check and measure them
  metacov fuzz sqlite --duration 10m            look for bugs in SQLite
  metacov report run.metacov --html pages       write the results of a run as web pages";

/// Measure metamorphic coverage: the code that one execution of a pair runs and the other does not.
#[derive(Parser)]
#[command(name = "metacov", version, propagate_version = true, arg_required_else_help = true)]
#[command(disable_help_flag = true, disable_version_flag = true)]
#[command(before_help = EXAMPLES, after_long_help = exit_code::HELP)]
struct Args {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    console: ConsoleArgs,
}

#[derive(Subcommand)]
enum Command {
    Diff(Box<cmd::diff::Args>),
    Measure(Box<cmd::measure::Args>),
    Fuzz(Box<cmd::fuzz::Args>),
    Cc(cmd::cc::Args),
    #[command(
        name = "c++",
        about = "Compile a C++ program with g++, so that metacov can measure it"
    )]
    Cpp(cmd::cc::Args),
    Report(Box<cmd::report::Args>),
    Pair(cmd::pair::Args),
    Compare(Box<cmd::compare::Args>),
    Study(cmd::study::Args),
    Merge(cmd::merge::Args),
    Check(cmd::check::Args),
    Mutants(cmd::mutants::Args),
    Locate(Box<cmd::locate::Args>),
    Replay(cmd::replay::Args),
    Overlap(cmd::overlap::Args),
    Gen(cmd::generate::Args),
    Seeds(cmd::seeds::Args),
    CheckRules(cmd::check_rules::Args),
    Target(cmd::target::Args),
    Completions(cmd::completions::Args),
    Man(cmd::man::Args),
    /// Start programs and end them at their limits (internal: started by metacov).
    #[command(hide = true)]
    Supervise {
        /// The folder of the socket.
        folder: PathBuf,
    },
    /// Load a shared library and call it for each input (internal: started by metacov).
    #[command(hide = true)]
    Load(cmd::inner::LoadArgs),
    /// Generate tests and run them (internal: started by metacov).
    #[command(hide = true)]
    Work,
    /// Run a campaign of a study (internal: started by metacov).
    #[command(hide = true)]
    Trial,
}

/// The command line, as it is parsed and documented.
fn command() -> clap::Command {
    help::lay_out(Args::command())
}

fn main() -> std::process::ExitCode {
    let mut words = std::env::args_os();
    let program = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    let as_compiler = Language::of_program(&program).map(|language| (language, &*words));
    if let Some((language, arguments)) = as_compiler.or_else(|| cmd::cc::pass_through(&words)) {
        let outcome = cmd::cc::compile(language, arguments, false);
        return conclude(outcome, &Console::default()).into();
    }
    let mut matches = command().get_matches();
    let Args { command, console } = match Args::from_arg_matches_mut(&mut matches) {
        Ok(args) => args,
        Err(error) => error.format(&mut command()).exit(),
    };
    let console = Console::new(&console);
    let outcome = match command {
        Command::Diff(args) => cmd::diff::run(*args, &console),
        Command::Measure(args) => args.run(&console),
        Command::Fuzz(args) => cmd::fuzz::run(&args, &console),
        Command::Cc(args) => cmd::cc::run(Language::C, &args),
        Command::Cpp(args) => cmd::cc::run(Language::Cpp, &args),
        Command::Supervise { folder } => cmd::inner::supervise(&folder),
        Command::Work => cmd::inner::work(),
        Command::Trial => cmd::fuzz::trial(&console),
        Command::Load(args) => cmd::inner::load(args),
        Command::Report(args) => cmd::report::run(*args, &console),
        Command::Pair(args) => cmd::pair::run(args, &console),
        Command::Compare(args) => cmd::compare::run(*args, &console),
        Command::Locate(args) => cmd::locate::run(&args, &console),
        Command::Replay(args) => cmd::replay::run(&args, &console),
        Command::Overlap(args) => cmd::overlap::run(&args, &console),
        Command::Study(args) => cmd::study::run(&args, &console),
        Command::Merge(args) => cmd::merge::run(&args, &console),
        Command::Mutants(args) => cmd::mutants::run(&args, &console),
        Command::Check(args) => cmd::check::run(&args, &console),
        Command::Target(args) => cmd::target::run(&args, &console),
        Command::Gen(args) => cmd::generate::run(&args, &console),
        Command::Seeds(args) => cmd::seeds::run(&args, &console),
        Command::CheckRules(args) => cmd::check_rules::run(&args, &console),
        Command::Completions(args) => cmd::completions::run(&args),
        Command::Man(args) => cmd::man::run(&args),
    };
    conclude(outcome, &console).into()
}

/// Prints the error, if there is one.
fn conclude(outcome: Outcome, console: &Console) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        let code = ExitCode::of(&error);
        if code != ExitCode::Success {
            console.error(&error);
        }
        code
    })
}
