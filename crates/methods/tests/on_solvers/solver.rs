//! A solver that runs many scripts in one process.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Separates the answers to two scripts.
const SEPARATOR: &str = "next-script";

pub struct Solver {
    pub name: &'static str,
    arguments: &'static [&'static str],
    /// The option that limits a question, and its value for about a second. z3 counts steps: with a
    /// limit of time, z3 4.8 sometimes waits forever. cvc4 and cvc5 count milliseconds.
    limit: (&'static str, u64),
}

pub const Z3: Solver = Solver { name: "z3", arguments: &["-in"], limit: ("rlimit=", 300_000) };

pub const CVC5: Solver = Solver {
    name: "cvc5",
    arguments: &["--strings-exp", "--fp-exp", "--incremental", "-q"],
    limit: ("--tlimit-per=", 1000),
};

pub const CVC4: Solver = Solver {
    name: "cvc4",
    arguments: &["--lang=smt2", "--strings-exp", "--incremental", "-q"],
    limit: ("--tlimit-per=", 1000),
};

impl Solver {
    /// The output for each script, which may take about this many seconds.
    pub fn answers<'s>(
        &self,
        scripts: impl Iterator<Item = &'s str>,
        seconds_max: u64,
    ) -> Vec<String> {
        let end = format!("\n(reset)\n(echo \"{SEPARATOR}\")\n");
        let input: String = scripts.flat_map(|script| [script, &end]).collect();
        let mut solver = Command::new(self.name)
            .args(self.arguments)
            .arg(format!("{}{}", self.limit.0, self.limit.1 * seconds_max))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}: run scripts/oracles", self.name));
        let mut stdin = solver.stdin.take().unwrap();
        // The solver writes while it reads.
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = solver.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        let text = String::from_utf8(output.stdout).unwrap().replace('"', "");
        let parts = text.split(SEPARATOR).map(|part| part.trim().to_owned());
        let mut answers: Vec<String> = parts.collect();
        answers.pop();
        answers
    }
}
