//! A solver that runs many scripts in one process.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Separates the answers to two scripts.
const SEPARATOR: &str = "next-script";

/// A solver gets this many times the processor time that a script should take. Its own limit, which
/// counts steps, usually ends it earlier, but some of its code takes no steps.
const TIME_FACTOR: u32 = 8;

/// The least limit of processor time: at its start, a solver reads its libraries.
const TIME_MIN: Duration = Duration::from_secs(1);

/// A solver that waits for something takes no processor time, and is ended after this time.
const SILENCE_MAX: Duration = Duration::from_secs(600);

/// How often the processor time of a silent solver is read.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The answer to a script that ends the solver, by a crash, a limit of time, or its memory.
pub const LOST: &str = "lost";

/// The most memory of a solver, in kilobytes.
const MEMORY_KB_MAX: u64 = 4_000_000;

pub struct Solver {
    pub name: &'static str,
    arguments: &'static [&'static str],
    /// The option that limits a question, and its value for about a second. All count steps: with a
    /// limit of time, z3 4.8 sometimes waits forever, and less is decided on a busy machine.
    limit: (&'static str, u64),
}

pub const Z3: Solver = Solver { name: "z3", arguments: &["-in"], limit: ("rlimit=", 300_000) };

pub const CVC5: Solver = Solver {
    name: "cvc5",
    arguments: &["--strings-exp", "--fp-exp", "--incremental", "-q"],
    limit: ("--rlimit-per=", 100_000),
};

pub const CVC4: Solver = Solver {
    name: "cvc4",
    arguments: &["--lang=smt2", "--strings-exp", "--incremental", "-q"],
    limit: ("--rlimit-per=", 100_000),
};

impl Solver {
    /// The output for each script, which may take about this time.
    pub fn answers(&self, scripts: &[&str], time_max: Duration) -> Vec<String> {
        let mut answers = Vec::new();
        while answers.len() < scripts.len() {
            self.answer_some(&scripts[answers.len()..], time_max, &mut answers);
            if answers.len() < scripts.len() {
                answers.push(LOST.to_owned());
            }
        }
        answers
    }

    /// Adds the outputs for the first scripts, up to one that ends the solver.
    fn answer_some(&self, scripts: &[&str], time_max: Duration, answers: &mut Vec<String>) {
        let end = format!("\n(reset)\n(echo \"{SEPARATOR}\")\n");
        let input: String = scripts.iter().flat_map(|script| [*script, &end]).collect();
        let mut solver = self.start(time_max);
        let mut stdin = solver.stdin.take().unwrap();
        // The solver writes while it reads. If it ends early, the rest is not written.
        let writer = thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
        let (lines, wanted) = (lines(&mut solver), answers.len() + scripts.len());
        let time_max = (time_max * TIME_FACTOR).max(TIME_MIN);
        // The processor time when the script was first seen to run, and for how long it was silent.
        let (mut time_before, mut silence) = (Duration::ZERO, Duration::ZERO);
        let mut answer = String::new();
        while answers.len() < wanted {
            let line = match lines.recv_timeout(POLL_INTERVAL) {
                Ok(line) => line,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    let time = processor_time(&solver);
                    if silence.is_zero() {
                        time_before = time;
                    }
                    silence += POLL_INTERVAL;
                    if time.saturating_sub(time_before) > time_max || silence > SILENCE_MAX {
                        break;
                    }
                    continue;
                }
            };
            silence = Duration::ZERO;
            if line == SEPARATOR {
                answers.push(std::mem::take(&mut answer).trim().to_owned());
            } else {
                answer += &line;
                answer.push('\n');
            }
        }
        solver.kill().unwrap();
        solver.wait().unwrap();
        writer.join().unwrap();
    }

    fn start(&self, time_max: Duration) -> Child {
        let limit = u128::from(self.limit.1) * time_max.as_millis() / 1000;
        Command::new("sh")
            .args(["-c", &format!("ulimit -v {MEMORY_KB_MAX}; exec \"$@\""), "sh", self.name])
            .args(self.arguments)
            .arg(format!("{}{limit}", self.limit.0))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("sh: {error}"))
    }
}

/// The processor time of a solver that runs, in and outside of the kernel.
fn processor_time(solver: &Child) -> Duration {
    let Ok(stat) = fs::read_to_string(format!("/proc/{}/stat", solver.id())) else {
        return Duration::ZERO;
    };
    // The name, which may have spaces, ends with the last parenthesis; the times are fields 14 and 15.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    // Linux shows times in ticks of 10 ms.
    Duration::from_millis(ticks * 10)
}

/// The lines of a solver's output, without quotes, as it prints them.
fn lines(solver: &mut Child) -> Receiver<String> {
    let (sender, lines) = channel();
    let mut output = BufReader::new(solver.stdout.take().unwrap());
    thread::spawn(move || {
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            let text = String::from_utf8_lossy(&line).trim().replace('"', "");
            line.clear();
            if sender.send(text).is_err() {
                break;
            }
        }
    });
    lines
}
