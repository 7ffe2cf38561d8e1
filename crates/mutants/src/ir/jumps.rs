//! Where a function jumps back, and where it returns: code that does neither ends soon.

use std::collections::BTreeSet;

/// The blocks of a function, as far as its lines were read.
#[derive(Default)]
pub(crate) struct Jumps<'m> {
    blocks: BTreeSet<&'m str>,
    /// The line before must be followed by its return.
    is_tail_call: bool,
}

impl<'m> Jumps<'m> {
    /// Reads the next line of a function. Returns whether a step is taken before it: it is a return, or jumps to
    /// a block that was read before. `rest` are the lines after it, where the cases of a switch are.
    pub(crate) fn takes_step(
        &mut self,
        line: &'m str,
        rest: impl Iterator<Item = &'m str>,
    ) -> bool {
        let is_after_tail_call = std::mem::replace(&mut self.is_tail_call, is_tail_call(line));
        self.blocks.extend(block(line));
        let Some(instruction) = line.strip_prefix("  ") else { return false };
        match instruction.split(' ').next() {
            Some("ret") => !is_after_tail_call,
            Some("br" | "indirectbr") => self.is_back(line),
            Some("switch") => {
                let mut cases = rest.take_while(|line| *line != "  ]");
                self.is_back(line) || cases.any(|case| self.is_back(case))
            }
            _ => false,
        }
    }

    /// Whether a line has the label of a block that was read before.
    fn is_back(&self, line: &str) -> bool {
        let labels = line.split("label %").skip(1);
        labels.into_iter().any(|label| {
            let name = match label.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next(),
                None => label.split([',', ' ', ']']).next(),
            };
            name.is_some_and(|name| self.blocks.contains(name))
        })
    }
}

fn is_tail_call(line: &str) -> bool {
    line.split(' ').any(|word| word == "musttail")
}

/// The name of the block that starts at a line.
fn block(line: &str) -> Option<&str> {
    match line.strip_prefix('"') {
        Some(quoted) => quoted.split_once("\":").map(|(name, _)| name),
        None if line.starts_with([' ', '!', '@', '%', ';']) => None,
        None => {
            let (name, _) = line.split_once(':')?;
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || "._$-".contains(letter);
            name.chars().all(is_name).then_some(name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines before which a step is taken, from 0.
    fn steps(function: &str) -> Vec<usize> {
        let mut jumps = Jumps::default();
        let lines: Vec<&str> = function.lines().collect();
        let takes = |at: &usize| jumps.takes_step(lines[*at], lines[at + 1..].iter().copied());
        (0..lines.len()).filter(takes).collect()
    }

    #[test]
    fn steps_are_taken_before_jumps_back_and_returns() {
        let function = "\
define i32 @f(i32 %0) {
  br label %2

2:                                                ; preds = %4, %1
  br i1 %3, label %4, label %5, !llvm.loop !7

4:                                                ; preds = %2
  br label %2, !dbg !9

5:
  br i1 %6, label %5, label %7

7:
  switch i32 %0, label %8 [
    i32 1, label %9
    i32 2, label %5
  ]

8:
  %10 = musttail call i32 @f(i32 %0)
  ret i32 %10

9:
  ret i32 0
}";
        assert_eq!(steps(function), [7, 10, 13, 23]);
        assert_eq!(steps("\"a b\":\n  br label %\"a b\"\n"), [1]);
        assert_eq!(steps("  switch i8 %0, label %b [\n    i8 1, label %a\n  ]\na:\n"), [0; 0]);
    }
}
