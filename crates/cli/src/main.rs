//! The command line: words to a config, a config to calls, an outcome to an exit code.

mod cmd;
mod exit_code;
mod failures;
mod output;
mod progress;
mod talk;
mod violations;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::cmd::cc::Language;
use crate::exit_code::ExitCode;
use crate::talk::{Console, TalkArgs};

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
    Fuzz(Box<cmd::fuzz::Args>),
    Cc(cmd::cc::Args),
    #[command(name = "c++")]
    Cpp(cmd::cc::Args),
    Report(Box<cmd::report::Args>),
    Compare(Box<cmd::compare::Args>),
    Study(cmd::study::Args),
    Merge(cmd::merge::Args),
    Locate(Box<cmd::locate::Args>),
    Replay(cmd::replay::Args),
    Overlap(cmd::overlap::Args),
    Gen(cmd::generate::Args),
    Target(cmd::target::Args),
    Completions(cmd::completions::Args),
    Man(cmd::man::Args),
    /// Started by metacov itself.
    #[command(hide = true)]
    Supervise {
        folder: PathBuf,
    },
    /// Started by metacov itself.
    #[command(hide = true)]
    Load(cmd::inner::LoadArgs),
    /// Started by metacov itself.
    #[command(hide = true)]
    Work,
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
    let Args { command, talk } = Args::parse();
    let talk = Console::new(&talk);
    let outcome = match command {
        Command::Diff(args) => args.config().and_then(|config| cmd::run(config, &talk)),
        Command::Measure(args) => args.run(&talk),
        Command::Fuzz(args) => cmd::fuzz::run(&args, &talk),
        Command::Cc(args) => cmd::cc::run(Language::C, &args),
        Command::Cpp(args) => cmd::cc::run(Language::Cpp, &args),
        Command::Supervise { folder } => cmd::inner::supervise(&folder),
        Command::Work => cmd::inner::work(),
        Command::Load(args) => cmd::inner::load(args),
        Command::Report(args) => cmd::report::run(*args, &talk),
        Command::Compare(args) => cmd::compare::run(*args, &talk),
        Command::Locate(args) => cmd::locate::run(&args, &talk),
        Command::Replay(args) => cmd::replay::run(&args, &talk),
        Command::Overlap(args) => cmd::overlap::run(&args, &talk),
        Command::Study(args) => cmd::study::run(&args, &talk),
        Command::Merge(args) => cmd::merge::run(&args, &talk),
        Command::Target(args) => cmd::target::run(&args, &talk),
        Command::Gen(args) => cmd::generate::run(&args, &talk),
        Command::Completions(args) => cmd::completions::run(&args),
        Command::Man(args) => cmd::man::run(&args),
    };
    conclude(outcome, &talk).into()
}

/// Says what went wrong, if something did.
fn conclude(outcome: anyhow::Result<ExitCode>, talk: &Console) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        let code = ExitCode::of(&error);
        if code != ExitCode::Success {
            talk.error(&error);
        }
        code
    })
}
