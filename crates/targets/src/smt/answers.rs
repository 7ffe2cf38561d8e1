//! What a solver's execution means: its answers, or why there is none.

use std::time::Duration;

use metacov_core::{Exit, Outcome, Value};
use metacov_exec::ContainedRun;

use super::expressions::{Expression, expressions};

/// Why a solver has no answer. The numbers are the codes of outcomes, which are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// It reports an error.
    Error = 1,
    /// It prints something that is no answer.
    Rubbish = 2,
    /// It has more answers than questions, or fewer.
    Count = 3,
    /// It takes too long.
    TimedOut = 4,
    /// It uses up its memory.
    Memory = 5,
}

/// What an execution means.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Conclusion {
    /// The answers, or why there is none.
    Outcome(Outcome),
    /// It has crashed, as by this signal.
    Crashed(i32),
}

/// Texts of solvers that have run out of memory, in lower case.
const MEMORY: &[&str] = &["out of memory", "bad_alloc", "memory exhausted", "memory limit"];

/// Texts of solvers that stop because of a defect of theirs: Z3, CVC4, and C's `assert`.
const DEFECTS: &[&str] = &[
    "ASSERTION VIOLATION",
    "UNEXPECTED CODE WAS REACHED",
    "Failed to verify:",
    "Fatal failure",
    "Internal error",
    "Unhandled C++ exception",
    "Assertion `",
    "an invalid model was generated",
];

/// Exit codes of a solver that has answered: many end with 10 for sat and 20 for unsat.
const ANSWERED: [i32; 3] = [0, 10, 20];

/// Commands that are answered; the last one is of Z3.
const QUESTIONS: [&str; 3] = ["check-sat", "check-sat-assuming", "check-sat-using"];

/// Counts the answers that a script asks for.
pub(super) fn questions(script: &str) -> usize {
    let heads = expressions(script).map(|expression| match expression {
        Expression::List(head) => head.unwrap_or(""),
        _ => "",
    });
    let before_exit = heads.take_while(|head| *head != "exit");
    before_exit.filter(|head| QUESTIONS.contains(head)).count()
}

/// Concludes from an execution with this time limit of a script with this number of questions.
pub(super) fn conclude(run: &ContainedRun, questions: usize, time_max: Duration) -> Conclusion {
    let [stdout, stderr] =
        [&run.stdout, &run.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let none = |why: NoAnswer, message: &str| {
        Conclusion::Outcome(Outcome::Error { code: why as i32, message: message.to_owned() })
    };
    let says =
        |texts: &[&str]| texts.iter().any(|text| stdout.contains(text) || stderr.contains(text));
    let code = match run.exit {
        Exit::Timeout => {
            let seconds = time_max.as_secs_f64();
            return none(NoAnswer::TimedOut, &format!("no answer within {seconds} seconds"));
        }
        Exit::Signalled(libc::SIGXFSZ) => return none(NoAnswer::Rubbish, "it prints too much"),
        Exit::Signalled(signal) => Err(signal),
        Exit::Failure(code) if !ANSWERED.contains(&code) => Ok(code),
        Exit::Success | Exit::Failure(_) => Ok(0),
    };
    let lower = [stdout.to_lowercase(), stderr.to_lowercase()];
    if code != Ok(0) && MEMORY.iter().any(|text| lower.iter().any(|said| said.contains(text))) {
        return none(NoAnswer::Memory, "out of memory");
    }
    match code {
        Err(signal) => return Conclusion::Crashed(signal),
        Ok(code) if code != 0 && says(DEFECTS) => return Conclusion::Crashed(libc::SIGABRT),
        Ok(_) => {}
    }
    // After an error, Z3 goes on and answers what is left of the script.
    if let Some(at) = stdout.find("(error") {
        return none(NoAnswer::Error, first_line(&stdout[at..]));
    }
    if let Ok(code @ 1..) = code {
        let said = if stderr.trim().is_empty() { &stdout } else { &stderr };
        let message = format!("exit code {code}: {}", first_line(said));
        return none(NoAnswer::Error, &message);
    }
    match answers(&stdout) {
        Ok(answers) if answers.len() == questions => {
            let row = |answer: &str| vec![Value::Text(answer.as_bytes().to_vec())];
            Conclusion::Outcome(Outcome::Rows(answers.into_iter().map(row).collect()))
        }
        Ok(answers) => {
            let message = format!("{} for {questions} questions", answers.len());
            none(NoAnswer::Count, &format!("number of answers: {message}"))
        }
        Err((why, message)) => none(why, &message),
    }
}

/// The answers that are printed. Models, values and confirmations are skipped.
fn answers(printed: &str) -> Result<Vec<&str>, (NoAnswer, String)> {
    let mut answers = Vec::new();
    for expression in expressions(printed) {
        match expression {
            Expression::Atom(answer @ ("sat" | "unsat" | "unknown")) => answers.push(answer),
            // What Z3 prints when its own time limit is reached.
            Expression::Atom("timeout") => {
                return Err((NoAnswer::TimedOut, "its own time limit is reached".to_owned()));
            }
            Expression::Atom("success" | "unsupported") | Expression::List(_) => {}
            Expression::Atom(text) if text.starts_with('"') => {}
            Expression::Atom(_) | Expression::Malformed => {
                let message = format!("not an answer: {}", first_line(printed));
                return Err((NoAnswer::Rubbish, message));
            }
        }
    }
    Ok(answers)
}

/// The first line of a text, shortened.
fn first_line(text: &str) -> &str {
    const SHOWN: usize = 200;
    let line = text.trim_start().lines().next().unwrap_or("").trim_end();
    let end = line.char_indices().nth(SHOWN).map_or(line.len(), |(at, _)| at);
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(exit: Exit, stdout: &str, stderr: &str) -> Conclusion {
        let run = ContainedRun { exit, stdout: stdout.into(), stderr: stderr.into() };
        conclude(&run, 1, Duration::from_secs(2))
    }

    fn why(conclusion: Conclusion) -> (i32, String) {
        match conclusion {
            Conclusion::Outcome(Outcome::Error { code, message }) => (code, message),
            other => panic!("{other:?}"),
        }
    }

    fn rows(answers: &[&str]) -> Conclusion {
        let row = |answer: &&str| vec![Value::Text(answer.as_bytes().to_vec())];
        Conclusion::Outcome(Outcome::Rows(answers.iter().map(row).collect()))
    }

    #[test]
    fn answers_are_rows() {
        for answer in ["sat", "unsat", "unknown"] {
            let printed = format!("success\n{answer}\n(model\n  (define-fun x () Int 3)\n)\n");
            assert_eq!(run(Exit::Success, &printed, "warning"), rows(&[answer]));
        }
        assert_eq!(run(Exit::Failure(10), "sat\n", ""), rows(&["sat"]));
        assert_eq!(run(Exit::Failure(20), "unsat\n", ""), rows(&["unsat"]));
    }

    #[test]
    fn no_verdict_is_taken_from_output_with_an_error() {
        let error = "(error \"line 1 column 20: unknown constant str.in_re\")";
        for printed in [format!("{error}\nsat\n"), format!("sat\n{error}\n")] {
            for exit in [Exit::Success, Exit::Failure(1)] {
                assert_eq!(
                    why(run(exit, &printed, "")),
                    (NoAnswer::Error as i32, error.to_owned())
                );
            }
        }
        // Boolector reports errors on standard error, after an answer.
        let (code, message) = why(run(Exit::Failure(1), "sat\n", "boolector: no model\n"));
        assert_eq!((code, &*message), (NoAnswer::Error as i32, "exit code 1: boolector: no model"));
    }

    #[test]
    fn each_failure_has_a_code() {
        let code = |exit, stdout: &str, stderr: &str| why(run(exit, stdout, stderr)).0;
        for rubbish in ["satt", "sat extra", "The answer is sat", "sat (", "\u{fffd}", "|sat|"] {
            assert_eq!(code(Exit::Success, rubbish, ""), NoAnswer::Rubbish as i32, "{rubbish}");
        }
        assert_eq!(code(Exit::Signalled(libc::SIGXFSZ), "", ""), NoAnswer::Rubbish as i32);
        for count in ["sat sat", "sat\nunsat", ""] {
            assert_eq!(code(Exit::Success, count, ""), NoAnswer::Count as i32, "{count}");
        }
        assert_eq!(code(Exit::Timeout, "sat", ""), NoAnswer::TimedOut as i32);
        assert_eq!(code(Exit::Success, "timeout", ""), NoAnswer::TimedOut as i32);
        let alloc = "terminate called after throwing an instance of 'std::bad_alloc'";
        assert_eq!(code(Exit::Signalled(libc::SIGABRT), "", alloc), NoAnswer::Memory as i32);
        let memory = "(error \"out of memory\")";
        assert_eq!(code(Exit::Failure(101), memory, ""), NoAnswer::Memory as i32);
    }

    #[test]
    fn crashes_and_failed_assertions_are_crashes() {
        let crashed = Conclusion::Crashed;
        assert_eq!(run(Exit::Signalled(11), "sat\n", ""), crashed(11));
        let z3 = "ASSERTION VIOLATION\nFile: ../src/x.cpp\nLine: 7\nUNEXPECTED CODE WAS REACHED.\n";
        assert_eq!(run(Exit::Failure(114), "", z3), crashed(libc::SIGABRT));
        assert_eq!(run(Exit::Failure(1), "", "Fatal failure within f()"), crashed(libc::SIGABRT));
        let model = "sat\n(error \"line 9 column 10: an invalid model was generated\")\n";
        assert_eq!(run(Exit::Failure(1), model, ""), crashed(libc::SIGABRT));
        // What a script prints itself is no crash.
        assert_eq!(run(Exit::Success, "sat\n\"Fatal failure\"\n", ""), rows(&["sat"]));
    }

    #[test]
    fn questions_are_counted_up_to_the_exit() {
        assert_eq!(questions("(check-sat)(push 1)(check-sat-assuming (p))"), 2);
        assert_eq!(questions("; (check-sat)\n(echo \"(check-sat)\")(assert (check-sat))"), 0);
        assert_eq!(questions("(check-sat)(exit)(check-sat)"), 1);
    }
}
