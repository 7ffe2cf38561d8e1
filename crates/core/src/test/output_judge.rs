//! How the outputs of programs must relate.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::{Exit, Invalid, Verdict, counted};

/// The outputs of the executions of a side, and how they ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SideOutput {
    /// How each execution ended.
    pub exits: Vec<Exit>,
    /// The standard output of all executions, or the start of it.
    pub content: Vec<u8>,
    /// The size of the standard output. If the content is smaller, the rest was not kept.
    pub bytes: u64,
}

impl SideOutput {
    /// How much of an output is judged.
    pub const JUDGED_BYTES_MAX: u64 = 64 << 20;

    /// How much of an output is stored.
    pub const STORED_BYTES_MAX: usize = 64 << 10;

    /// Whether the content is only a part of the output.
    pub fn is_cut(&self) -> bool {
        self.bytes > self.content.len() as u64
    }

    /// Returns the output, cut to the size that is stored.
    #[must_use]
    pub fn to_store(&self) -> SideOutput {
        let kept = self.content.len().min(Self::STORED_BYTES_MAX);
        let content = self.content[..kept].to_vec();
        SideOutput { exits: self.exits.clone(), content, bytes: self.bytes }
    }
}

/// How the outputs of the sides of a pair must relate. If there are more than two sides, each is
/// compared with the first.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputJudge {
    /// The same bytes and the same exit codes.
    Equal,
    /// The same lines, each equally often, in any order.
    Bag,
    /// One number each, which differ by no more than the tolerance.
    Number(f64),
    /// Each line of the first side is in the second side, at least as often.
    Subset,
    /// The same exit codes.
    Exit,
    /// A shell command, in which `{a}` and `{b}` are files with the outputs. The relation holds if
    /// it ends with exit code 0, and is violated if it ends with 1.
    Command(String),
}

/// Whether a pair is judged, and how.
#[derive(Clone, Debug, PartialEq)]
pub enum JudgeChoice {
    /// It is not judged: `none`.
    NotJudged,
    /// It is judged by this judge.
    By(OutputJudge),
}

impl FromStr for JudgeChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::NotJudged),
            text => text.parse().map(Self::By),
        }
    }
}

impl fmt::Display for JudgeChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJudged => out.write_str("none"),
            Self::By(judge) => judge.fmt(out),
        }
    }
}

impl FromStr for OutputJudge {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, parameter) = match text.split_once([':', ' ']) {
            Some((name, parameter)) => (name, Some(parameter.trim())),
            None => (text, None),
        };
        let judge = match (name, parameter) {
            ("equal", None) => Self::Equal,
            ("bag", None) => Self::Bag,
            ("subset", None) => Self::Subset,
            ("exit", None) => Self::Exit,
            ("number", None) => Self::Number(0.0),
            ("number", Some(tolerance)) => match tolerance.parse() {
                Ok(tolerance) if tolerance >= 0.0 => Self::Number(tolerance),
                _ => return Err(format!("`{tolerance}` is not a tolerance, such as 0.001")),
            },
            ("command", Some(command)) => {
                if !command.contains("{a}") || !command.contains("{b}") {
                    return Err(
                        "the command of a judge names both outputs, such as `command:cmp {a} {b}`"
                            .to_owned(),
                    );
                }
                Self::Command(command.to_owned())
            }
            _ => {
                return Err(format!(
                    "`{text}` is no judge: expected equal, bag, number[:TOLERANCE], subset, exit, \
                     command:COMMAND or none"
                ));
            }
        };
        Ok(judge)
    }
}

/// The text that [`OutputJudge::from_str`] reads.
impl fmt::Display for OutputJudge {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equal => out.write_str("equal"),
            Self::Bag => out.write_str("bag"),
            Self::Number(0.0) => out.write_str("number"),
            Self::Number(tolerance) => write!(out, "number:{tolerance}"),
            Self::Subset => out.write_str("subset"),
            Self::Exit => out.write_str("exit"),
            Self::Command(command) => write!(out, "command:{command}"),
        }
    }
}

impl OutputJudge {
    /// Returns the verdict on the outputs of all sides. None for a command, which has to be run.
    pub fn judge(&self, sides: &[SideOutput]) -> Option<Verdict> {
        if matches!(self, Self::Command(_)) {
            return None;
        }
        let reads_output = *self != Self::Exit;
        if reads_output && sides.iter().any(SideOutput::is_cut) {
            return Some(Verdict::Invalid(Invalid::OutputTooLong));
        }
        let [first, others @ ..] = sides else { return Some(Verdict::Holds) };
        let mut verdicts = others.iter().map(|other| self.compare(first, other));
        Some(verdicts.find(|verdict| *verdict != Verdict::Holds).unwrap_or(Verdict::Holds))
    }

    fn compare(&self, a: &SideOutput, b: &SideOutput) -> Verdict {
        match self {
            Self::Equal => match exits(a, b) {
                Verdict::Holds => equal(&a.content, &b.content),
                violated => violated,
            },
            Self::Bag => bag(&lines(&a.content), &lines(&b.content)),
            Self::Subset => subset(&lines(&a.content), &lines(&b.content)),
            Self::Number(tolerance) => numbers(&a.content, &b.content, *tolerance),
            Self::Exit | Self::Command(_) => exits(a, b),
        }
    }
}

fn exits(a: &SideOutput, b: &SideOutput) -> Verdict {
    if a.exits == b.exits {
        return Verdict::Holds;
    }
    let text = |side: &SideOutput| {
        side.exits.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    Verdict::Violated(format!("a ends with {}, b with {}", text(a), text(b)))
}

fn equal(a: &[u8], b: &[u8]) -> Verdict {
    if a == b {
        return Verdict::Holds;
    }
    let (a_lines, b_lines) = (split(a), split(b));
    let differs = a_lines.iter().zip(&b_lines).position(|(a, b)| a != b);
    let how = match differs {
        Some(at) => {
            format!("line {}: a has {}, b has {}", at + 1, quoted(a_lines[at]), quoted(b_lines[at]))
        }
        None if a_lines.len() == b_lines.len() => {
            "only one of the outputs ends with a newline".to_owned()
        }
        None => {
            let count = |lines: &[&[u8]]| counted(lines.len() as u64, "line", "lines");
            let (longer, rest) = if a_lines.len() > b_lines.len() {
                ("a", a_lines[b_lines.len()])
            } else {
                ("b", b_lines[a_lines.len()])
            };
            format!(
                "a has {}, b has {}; only {longer} has {}",
                count(&a_lines),
                count(&b_lines),
                quoted(rest)
            )
        }
    };
    Verdict::Violated(how)
}

/// How often each line occurs.
type Lines<'o> = BTreeMap<&'o [u8], u64>;

fn split(output: &[u8]) -> Vec<&[u8]> {
    let whole = output.strip_suffix(b"\n").unwrap_or(output);
    if output.is_empty() { Vec::new() } else { whole.split(|byte| *byte == b'\n').collect() }
}

fn lines(output: &[u8]) -> Lines<'_> {
    let mut lines = Lines::new();
    for line in split(output) {
        *lines.entry(line).or_default() += 1;
    }
    lines
}

/// The first line of one side that the other has less often.
fn missing<'o>(of: &Lines<'o>, within: &Lines<'_>) -> Option<(&'o [u8], u64, u64)> {
    of.iter().find_map(|(line, count)| {
        let found = within.get(line).copied().unwrap_or(0);
        (found < *count).then_some((*line, *count, found))
    })
}

fn bag(a: &Lines<'_>, b: &Lines<'_>) -> Verdict {
    match (missing(a, b), missing(b, a)) {
        (None, None) => Verdict::Holds,
        (Some((line, more, less)), _) => Verdict::Violated(often(line, "a", more, "b", less)),
        (None, Some((line, more, less))) => Verdict::Violated(often(line, "b", more, "a", less)),
    }
}

fn subset(a: &Lines<'_>, b: &Lines<'_>) -> Verdict {
    match missing(a, b) {
        None => Verdict::Holds,
        Some((line, more, less)) => Verdict::Violated(often(line, "a", more, "b", less)),
    }
}

fn often(line: &[u8], more_side: &str, more: u64, less_side: &str, less: u64) -> String {
    let line = quoted(line);
    match (more, less) {
        (1, 0) => format!("only {more_side} has the line {line}"),
        (more, 0) => format!("only {more_side} has the line {line}, {}", times(more)),
        (more, less) => {
            format!("{more_side} has the line {line} {}, {less_side} {}", times(more), times(less))
        }
    }
}

fn times(count: u64) -> String {
    counted(count, "time", "times")
}

fn numbers(a: &[u8], b: &[u8], tolerance: f64) -> Verdict {
    let (a, b) = match (number(a), number(b)) {
        (Some(a), Some(b)) => (a, b),
        (None, _) => return Verdict::Invalid(Invalid::NotANumber(0)),
        (_, None) => return Verdict::Invalid(Invalid::NotANumber(1)),
    };
    let is_close = match (a.parse::<i128>(), b.parse::<i128>(), tolerance) {
        // Large integers may differ by less than the precision of floating point.
        (Ok(a), Ok(b), 0.0) => a == b,
        _ => match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(x), Ok(y)) => {
                let is_same = x.total_cmp(&y).is_eq() || (x.is_nan() && y.is_nan());
                (x - y).abs() <= tolerance || is_same
            }
            _ => false,
        },
    };
    if is_close {
        return Verdict::Holds;
    }
    Verdict::Violated(format!("a returns {a}, b returns {b}"))
}

/// The text of the only number of an output.
fn number(output: &[u8]) -> Option<&str> {
    let text = str::from_utf8(output).ok()?.trim();
    text.parse::<f64>().ok().map(|_| text)
}

/// A line in a message: cut, and with control characters escaped.
fn quoted(line: &[u8]) -> String {
    const SHOWN_CHARACTERS: usize = 60;
    let text = String::from_utf8_lossy(line);
    let shown: String =
        text.chars().take(SHOWN_CHARACTERS).flat_map(char::escape_default).collect();
    let dots = if text.chars().nth(SHOWN_CHARACTERS).is_some() { "..." } else { "" };
    format!("`{}{dots}`", shown.replace("\\'", "'").replace("\\\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(text: &str) -> SideOutput {
        let exits = vec![Exit::Success];
        SideOutput { exits, content: text.into(), bytes: text.len() as u64 }
    }

    fn verdict(judge: &str, a: &str, b: &str) -> String {
        let judge: OutputJudge = judge.parse().unwrap();
        match judge.judge(&[side(a), side(b)]).unwrap() {
            Verdict::Holds => "holds".to_owned(),
            Verdict::Violated(how) => how,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn equal_outputs_have_the_same_bytes() {
        assert_eq!(verdict("equal", "1\n2\n", "1\n2\n"), "holds");
        assert_eq!(verdict("equal", "1\n2\n", "1\n3\n"), "line 2: a has `2`, b has `3`");
        assert_eq!(
            verdict("equal", "1\n", "1\n2\n"),
            "a has 1 line, b has 2 lines; only b has `2`"
        );
        assert_eq!(verdict("equal", "1\n", "1"), "only one of the outputs ends with a newline");
        assert_eq!(verdict("equal", "", "\t"), "a has 0 lines, b has 1 line; only b has `\\t`");
    }

    #[test]
    fn bags_have_the_same_lines_in_any_order() {
        assert_eq!(verdict("bag", "1\n2\n2\n", "2\n1\n2"), "holds");
        assert_eq!(verdict("bag", "1\n2\n2\n", "2\n1\n"), "a has the line `2` 2 times, b 1 time");
        assert_eq!(verdict("bag", "1\n", "2\n1\n"), "only b has the line `2`");
        assert_eq!(verdict("bag", "x\nx\n", ""), "only a has the line `x`, 2 times");
    }

    #[test]
    fn a_subset_may_lack_lines() {
        assert_eq!(verdict("subset", "1\n", "2\n1\n"), "holds");
        assert_eq!(verdict("subset", "2\n1\n", "1\n"), "only a has the line `2`");
        assert_eq!(verdict("subset", "", ""), "holds");
    }

    #[test]
    fn numbers_agree_within_the_tolerance() {
        assert_eq!(verdict("number", " 3\n", "3.0"), "holds");
        assert_eq!(verdict("number", "3", "3.0001"), "a returns 3, b returns 3.0001");
        assert_eq!(verdict("number:0.001", "3", "3.0001"), "holds");
        assert_eq!(verdict("number", "nan", "NaN"), "holds");
        assert_eq!(verdict("number", "inf", "inf"), "holds");
        let large = ("9007199254740993", "9007199254740992");
        assert_ne!(verdict("number", large.0, large.1), "holds", "not equal as floating point");
        assert_eq!(verdict("number", "3", "three"), "Invalid(NotANumber(1))");
    }

    #[test]
    fn exit_codes_are_compared_by_two_judges() {
        let failed = SideOutput { exits: vec![Exit::Failure(3)], ..side("1") };
        for judge in [OutputJudge::Equal, OutputJudge::Exit] {
            let verdict = judge.judge(&[side("1"), failed.clone()]).unwrap();
            let how = "a ends with exit code 0, b with exit code 3";
            assert_eq!(verdict, Verdict::Violated(how.to_owned()));
        }
        let holds = OutputJudge::Bag.judge(&[side("1"), failed.clone()]);
        assert_eq!(holds, Some(Verdict::Holds));
    }

    #[test]
    fn each_of_many_sides_is_compared_with_the_first() {
        let sides = [side("1"), side("1"), side("2")];
        assert!(matches!(OutputJudge::Equal.judge(&sides), Some(Verdict::Violated(_))));
        assert_eq!(OutputJudge::Equal.judge(&sides[..2]), Some(Verdict::Holds));
    }

    #[test]
    fn an_output_that_was_cut_is_not_judged() {
        let cut = SideOutput { bytes: 1 << 40, ..side("1") };
        let verdict = OutputJudge::Equal.judge(&[cut.clone(), cut.clone()]);
        assert_eq!(verdict, Some(Verdict::Invalid(Invalid::OutputTooLong)));
        assert_eq!(OutputJudge::Exit.judge(&[cut.clone(), cut]), Some(Verdict::Holds));
    }

    #[test]
    fn judges_are_read_as_they_are_written() {
        for text in
            ["equal", "bag", "number", "number:0.5", "subset", "exit", "command:cmp {a} {b}"]
        {
            assert_eq!(text.parse::<OutputJudge>().unwrap().to_string(), text);
        }
        assert_eq!("command cmp {a} {b}".parse(), Ok(OutputJudge::Command("cmp {a} {b}".into())));
        for wrong in ["", "equals", "number:x", "number:-1", "equal:1", "command", "command:cmp"] {
            assert!(wrong.parse::<OutputJudge>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn long_lines_and_control_characters_are_shown_in_short() {
        assert_eq!(quoted(&[b'x'; 100]), format!("`{}...`", "x".repeat(60)));
        assert_eq!(quoted(b"it's \x1b[1m"), "`it's \\u{1b}[1m`");
    }
}
