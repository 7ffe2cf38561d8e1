//! `metacov seeds`

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Subcommand;
use metacov_core::counted;
use metacov_formats::Fault;
use metacov_methods::smt::{Label, SEED_BYTES_MAX, Seed, Unusable};
use metacov_run::RunError;

use super::solver_process::{SolverAnswer, SolverProcess};
use crate::args::count::positive;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Outcome};

const EXAMPLES: &str = "\
Examples:
  metacov seeds index formulas/
  metacov seeds index formulas/ --verify z3";

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
        /// Compare each label with the answer of this solver. A wrong label ends in exit code 3.
        #[arg(long, value_name = "COMMAND")]
        verify: Option<String>,
        /// The most seconds for one formula.
        #[arg(long, value_name = "SECONDS", default_value = "2")]
        #[arg(value_parser = positive::<NonZero<u64>>)]
        timeout: NonZero<u64>,
    },
}

pub fn run(args: &Args, console: &Console) -> Outcome {
    let Action::Index { folder, verify, timeout } = &args.action;
    let files = scripts_below(folder)?;
    let timeout = Duration::from_secs(timeout.get());
    let solver = verify.as_deref().map(|command| SolverProcess { command, timeout });
    let scratch = tempfile::tempdir()?;
    let mut index = Index::default();
    for file in files {
        let name = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
        let length = fs::metadata(&file).map_err(|error| fault(&file, error))?.len();
        if length > SEED_BYTES_MAX as u64 {
            index.leave_out(&name, &Unusable::TooLong.to_string(), console);
            continue;
        }
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                index.leave_out(&name, "not UTF-8", console);
                continue;
            }
            Err(error) => return Err(fault(&file, error)),
        };
        match Seed::read(&name, &text) {
            Ok(seed) => {
                index.add(&seed);
                if let (Some(solver), Some(label)) = (&solver, seed.label) {
                    index.verify(&name, label, solver.answer(&text, scratch.path())?, console);
                }
            }
            Err(reason) => index.leave_out(&name, &reason.to_string(), console),
        }
    }
    print(&index.table())?;
    if solver.is_some() {
        let [right, wrong, undecided] = index.verified;
        let labels = counted(right, "label is", "labels are");
        console.note(&format!("{labels} confirmed, {wrong} contradicted, {undecided} not decided"));
    }
    Ok(if index.verified[1] > 0 { ExitCode::BadInput } else { ExitCode::Success })
}

/// What a folder contains.
#[derive(Default)]
struct Index {
    /// The formulas of each logic: satisfiable, unsatisfiable, without a label.
    logics: BTreeMap<String, [u64; 3]>,
    /// Files that are not usable, by reason.
    left_out: BTreeMap<String, u64>,
    /// Labels that a solver confirms, contradicts and does not decide.
    verified: [u64; 3],
}

impl Index {
    fn add(&mut self, seed: &Seed) {
        let logic = seed.logic.clone().unwrap_or_else(|| "none".to_owned());
        let column = match seed.label {
            Some(Label::Sat) => 0,
            Some(Label::Unsat) => 1,
            None => 2,
        };
        self.logics.entry(logic).or_default()[column] += 1;
    }

    fn leave_out(&mut self, name: &str, reason: &str, console: &Console) {
        console.detail(|| format!("{name}: {reason}"));
        // Places in the file are of no use in a sum.
        let kind = reason.rsplit(": ").next().unwrap_or_default().to_owned();
        *self.left_out.entry(kind).or_default() += 1;
    }

    fn verify(&mut self, name: &str, label: Label, answer: SolverAnswer, console: &Console) {
        let expected = match label {
            Label::Sat => SolverAnswer::Sat,
            Label::Unsat => SolverAnswer::Unsat,
        };
        let column = match answer {
            SolverAnswer::None => 2,
            answer if answer == expected => 0,
            _ => {
                console.failure(&format!(
                    "{name}: the label is {}, the solver contradicts it",
                    label.answer()
                ));
                1
            }
        };
        self.verified[column] += 1;
    }

    fn table(&self) -> String {
        let width = self.logics.keys().map(String::len).max().unwrap_or(0).max("logic".len());
        let mut text =
            format!("{:<width$}   {:>6}   {:>6}   {:>8}\n", "logic", "sat", "unsat", "no label");
        for (logic, [sat, unsat, none]) in &self.logics {
            let _ = writeln!(text, "{logic:<width$}   {sat:>6}   {unsat:>6}   {none:>8}");
        }
        for (reason, count) in &self.left_out {
            let _ = writeln!(text, "left out: {count} ({reason})");
        }
        text
    }
}

/// The scripts below a folder, by name. Links to folders are not followed.
fn scripts_below(folder: &Path) -> Result<Vec<PathBuf>, RunError> {
    let (mut scripts, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(&below).map_err(|error| fault(&below, error))? {
            let entry = entry.map_err(|error| fault(&below, error))?;
            let path = entry.path();
            if entry.file_type().map_err(|error| fault(&path, error))?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "smt2") {
                scripts.push(path);
            }
        }
    }
    scripts.sort();
    Ok(scripts)
}

fn fault(path: &Path, error: io::Error) -> RunError {
    Fault::Io(error).of(path.display().to_string()).into()
}
