//! Arithmetic and comparisons, one line each.

/// An instruction with one or two operands of a scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction<'l> {
    /// The name of the result, with `%`.
    pub(crate) result: &'l str,
    /// Such as `add` or `icmp`.
    pub(crate) opcode: &'l str,
    /// What a comparison compares for, such as `slt`; empty for arithmetic.
    pub(crate) predicate: &'l str,
    /// The type of the operands.
    pub(crate) kind: &'l str,
    pub(crate) left: &'l str,
    /// None if there is one operand.
    pub(crate) right: Option<&'l str>,
    /// The text between the result and the metadata.
    pub(crate) computation: &'l str,
    /// The number of its location.
    pub(crate) location: u32,
}

const ARITHMETIC: [&str; 11] =
    ["add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "fadd", "fsub", "fmul", "fdiv"];
const FLAGS: [&str; 14] = [
    "nuw", "nsw", "exact", "disjoint", "samesign", "fast", "nnan", "ninf", "nsz", "arcp",
    "contract", "afn", "reassoc", "inbounds",
];

impl<'l> Instruction<'l> {
    /// Reads a line of a function. None if it is any other instruction, or of a vector.
    pub(crate) fn read(line: &'l str) -> Option<Self> {
        let text = line.strip_prefix("  %")?;
        let end = match text.strip_prefix('"') {
            Some(quoted) => 2 + quoted.find('"')?,
            None => text.find(' ')?,
        };
        let result = &line[2..3 + end];
        let text = text[end..].strip_prefix(" = ")?;
        let (opcode, mut rest) = text.split_once(' ')?;
        let operands = match opcode {
            "fneg" => 1,
            "icmp" | "fcmp" | "frem" => 2,
            opcode if ARITHMETIC.contains(&opcode) => 2,
            _ => return None,
        };
        rest = without_flags(rest);
        let mut predicate = "";
        if matches!(opcode, "icmp" | "fcmp") {
            (predicate, rest) = rest.split_once(' ')?;
            rest = without_flags(rest);
        }
        let (kind, rest) = rest.split_once(' ')?;
        if !kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return None;
        }
        let (left, rest) = operand(rest)?;
        let (right, rest) = match operands {
            2 => {
                let (right, rest) = operand(rest.strip_prefix(", ")?)?;
                (Some(right), rest)
            }
            _ => (None, rest),
        };
        let mut metadata = rest.strip_prefix(", !")?.split(", !");
        let location = metadata.find_map(|item| item.strip_prefix("dbg !"))?.parse().ok()?;
        let computation = &text[..text.len() - rest.len()];
        Some(Instruction { result, opcode, predicate, kind, left, right, computation, location })
    }

    /// Whether its operands are integers, not pointers or floating-point numbers.
    pub(crate) fn is_integer(&self) -> bool {
        self.kind.starts_with('i')
    }
}

fn without_flags(mut rest: &str) -> &str {
    while let Some((word, after)) = rest.split_once(' ')
        && FLAGS.contains(&word)
    {
        rest = after;
    }
    rest
}

/// Splits off an operand: up to a comma outside of brackets and quotes, or the end.
fn operand(text: &str) -> Option<(&str, &str)> {
    let (mut depth, mut is_quoted) = (0_u32, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => return Some((&text[..at], &text[at..])),
            _ => {}
        }
    }
    (depth == 0 && !is_quoted).then_some((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_read_with_flags_constants_and_metadata() {
        let line = "  %15 = icmp ne i32 %14, 0, !dbg !88713";
        let read = Instruction::read(line).unwrap();
        assert_eq!((read.result, read.opcode, read.predicate), ("%15", "icmp", "ne"));
        assert_eq!((read.left, read.right, read.location), ("%14", Some("0"), 88713));
        assert_eq!(read.computation, "icmp ne i32 %14, 0");
        let line =
            "  %\"a = b\" = add nuw nsw i64 ptrtoint (ptr @\"x, y\" to i64), %1, !tbaa !3, !dbg !7";
        let read = Instruction::read(line).unwrap();
        assert_eq!((read.result, read.kind), ("%\"a = b\"", "i64"));
        assert_eq!(read.left, "ptrtoint (ptr @\"x, y\" to i64)");
        assert_eq!((read.right, read.location), (Some("%1"), 7));
        let read = Instruction::read("  %8 = fneg fast double %7, !dbg !9").unwrap();
        assert_eq!((read.opcode, read.left, read.right), ("fneg", "%7", None));
        let read = Instruction::read("  %x = fcmp nnan olt float %a, 0x3FF8, !dbg !1").unwrap();
        assert_eq!((read.predicate, read.right), ("olt", Some("0x3FF8")));
    }

    #[test]
    fn everything_else_is_left_alone() {
        for line in [
            "",
            "  ret i32 %5, !dbg !4",
            "  %5 = load i32, ptr %4, !dbg !4",
            "  %5 = add i32 %4, 1",
            "  %5 = add <4 x i32> %4, %3, !dbg !4",
            "  %5 = add i32 %4, !dbg !4",
            "  %5 = icmp ne i32 %14, (0, !dbg !88713",
            "%5 = add i32 %4, 1, !dbg !4",
            "    i32 65, label %20",
            "  %5 = call i32 @add(i32 1), !dbg !4",
        ] {
            assert_eq!(Instruction::read(line), None, "{line}");
        }
    }
}
