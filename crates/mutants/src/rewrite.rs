//! Puts mutants into a module.
//!
//! A place in the source with mutants has a byte: 0 before it is first reached, 1 once it is known to be
//! off, and 2 or more for the mutant that is on. An instruction with mutants becomes
//!
//! ```text
//! %m.7.s = call i8 @metacov.place(ptr <byte of the place>)   ; inlined: a load, and a call at 0
//! %m.7.o = icmp slt i32 %14, 0                               ; as it was
//! %m.7.0 = icmp sge i32 %14, 0                               ; the first mutant
//! %m.7.0c = icmp eq i8 %m.7.s, 2
//! %15 = select i1 %m.7.0c, i1 %m.7.0, i1 %m.7.o
//! ```
//!
//! No block is split, so all else stays as it is. Optimisation comes after this.
//!
//! Before each jump back and each return, `call void @metacov.step()` takes a unit of fuel.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::Operator;
use crate::ir::{Instruction, Jumps, Metadata};
use crate::source::{Sources, Token};
use crate::table::UnitTable;

/// The section of the bytes of places.
const PLACES_SECTION: &str = "metacov_places";

/// Takes a unit of fuel, which ends a process with a mutant when there is none left.
const STEP: &str = r"
@metacov_fuel = external hidden global i64

declare hidden void @metacov_fuel_empty() cold noreturn nounwind memory(inaccessiblemem: readwrite)

define internal void @metacov.step() alwaysinline nounwind {
  %fuel = load i64, ptr @metacov_fuel, align 8
  %left = add i64 %fuel, -1
  store i64 %left, ptr @metacov_fuel, align 8
  %is_empty = icmp slt i64 %left, 0
  br i1 %is_empty, label %empty, label %done

empty:
  call void @metacov_fuel_empty()
  unreachable

done:
  ret void
}
";

/// How a module is rewritten.
pub(crate) struct RewriteOptions<'o> {
    /// The prefix of a path is replaced by the first pair that fits.
    pub(crate) prefixes: &'o [(&'o str, &'o str)],
    /// Whether debug information is kept. Without it, compiling takes half the time.
    pub(crate) keeps_debug: bool,
}

/// Returns a module with mutants, and how many there are.
pub(crate) fn rewrite(module: &str, options: &RewriteOptions<'_>) -> (String, usize) {
    let metadata = Metadata::read(module);
    let mut rewriter = Rewriter {
        metadata: &metadata,
        options,
        sources: Sources::default(),
        table: UnitTable::default(),
        changed: 0,
        takes_steps: false,
        text: String::with_capacity(module.len() * 2),
    };
    let computed_gotos = functions_with_block_addresses(module);
    let mut function = None;
    let mut jumps = Jumps::default();
    let mut lines = module.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("define ") {
            function = mutated_function(line, &metadata, &computed_gotos);
            jumps = Jumps::default();
        } else if line == "}" {
            function = None;
        }
        if jumps.takes_step(line, lines.clone()) {
            rewriter.step();
        }
        let is_changed = function.is_some_and(|function| rewriter.instruction(line, function));
        if !is_changed {
            rewriter.line(line);
        }
    }
    rewriter.finish()
}

/// The name of a function that may have mutants. As in Mull: with debug information, without variable
/// arguments, without blocks whose address is taken.
fn mutated_function<'m>(
    line: &str,
    metadata: &Metadata<'m>,
    computed_gotos: &BTreeSet<&str>,
) -> Option<&'m str> {
    if line.contains("...)") || computed_gotos.contains(global(&line[line.find('@')?..])?) {
        return None;
    }
    let (_, number) = line.rsplit_once(" !dbg !")?;
    let number = number.split(' ').next()?.parse().ok()?;
    metadata.function(number)
}

fn functions_with_block_addresses(module: &str) -> BTreeSet<&str> {
    let start = "blockaddress(";
    let found = memchr::memmem::find_iter(module.as_bytes(), start);
    found.filter_map(|at| global(&module[at + start.len()..])).collect()
}

/// The name of a global at the start of a text, with `@`.
fn global(text: &str) -> Option<&str> {
    let name = text.strip_prefix('@')?;
    let end = match name.strip_prefix('"') {
        Some(quoted) => 2 + quoted.find('"')?,
        None => {
            name.find(|letter: char| !letter.is_ascii_alphanumeric() && !"._$-".contains(letter))?
        }
    };
    Some(&text[..=end])
}

struct Rewriter<'m> {
    metadata: &'m Metadata<'m>,
    options: &'m RewriteOptions<'m>,
    sources: Sources,
    table: UnitTable,
    /// How many instructions were changed.
    changed: usize,
    /// Whether any function takes steps.
    takes_steps: bool,
    text: String,
}

impl Rewriter<'_> {
    /// Writes a line that has no mutants.
    fn line(&mut self, line: &str) {
        if self.options.keeps_debug {
            self.text.push_str(line);
        } else if line.starts_with("    #dbg_") || line.starts_with("!llvm.dbg.cu = ") {
            return;
        } else if let Some(declared) = line.strip_prefix("declare !dbg !") {
            self.text.push_str("declare");
            self.text.push_str(declared.trim_start_matches(|letter: char| letter.is_ascii_digit()));
        } else {
            // Loops refer to locations too.
            let (line, after) = without(line, " !llvm.loop !");
            let (before, between) = without(line, " !dbg !");
            self.text.extend([before, between, after]);
        }
        self.text.push('\n');
    }

    /// Takes a unit of fuel before the next line.
    fn step(&mut self) {
        self.takes_steps = true;
        self.text.push_str("  call void @metacov.step()\n");
    }

    /// Writes an instruction with its mutants, if it has any.
    fn instruction(&mut self, line: &str, function: &str) -> bool {
        self.try_instruction(line, function).is_some()
    }

    fn try_instruction(&mut self, line: &str, function: &str) -> Option<()> {
        let found = Instruction::read(line)?;
        let place = self.metadata.place(found.location)?;
        let file = self.sources.file(place.file, || self.metadata.path(place.file))?;
        let token = file.token(place.line, place.column)?;
        let operators = mutations(&found, token)?;
        let mut maps = self.options.prefixes.iter();
        let path =
            maps.find_map(|(old, new)| Some(format!("{new}{}", file.path.strip_prefix(old)?)));
        let path = path.as_deref().unwrap_or(&file.path);
        let number = self.table.add(path, place, operators, function);
        let Instruction { result, computation, location, kind, .. } = found;
        let dbg =
            if self.options.keeps_debug { format!(", !dbg !{location}") } else { String::new() };
        let at = self.changed;
        self.changed += 1;
        let out = &mut self.text;
        let _ = writeln!(
            out,
            "  %m.{at}.s = call i8 @metacov.place(ptr getelementptr (i8, ptr @metacov.places, i64 {number})){dbg}\n  \
             %m.{at}.o = {computation}{dbg}"
        );
        let value_type = if is_comparison(&found) { "i1" } else { kind };
        let mut value = format!("%m.{at}.o");
        for (nth, operator) in operators.iter().enumerate() {
            let on = format!("%m.{at}.{nth}c");
            let _ = writeln!(out, "  {on} = icmp eq i8 %m.{at}.s, {}{dbg}", nth + 2);
            let changed = match mutated(&found, *operator)? {
                Mutated::Operand(operand) => operand.to_owned(),
                Mutated::Computation(text) => {
                    let name = format!("%m.{at}.{nth}");
                    let _ = writeln!(out, "  {name} = {text}{dbg}");
                    name
                }
                Mutated::Division(divisor) => {
                    // A division that is off must not trap.
                    let name = format!("%m.{at}.{nth}");
                    let left = found.left;
                    let _ = writeln!(
                        out,
                        "  {name}d = select i1 {on}, {kind} {divisor}, {kind} 1{dbg}\n  \
                         {name} = sdiv {kind} {left}, {name}d{dbg}"
                    );
                    name
                }
            };
            let is_last = nth + 1 == operators.len();
            let next = if is_last { result.to_owned() } else { format!("%m.{at}.{nth}v") };
            let _ = writeln!(
                out,
                "  {next} = select i1 {on}, {value_type} {changed}, {value_type} {value}{dbg}"
            );
            value = next;
        }
        Some(())
    }

    fn finish(self) -> (String, usize) {
        let Rewriter { table, mut text, takes_steps, .. } = self;
        let (mutants, places) = (table.mutants(), table.places());
        if takes_steps {
            text.push_str(STEP);
        }
        if mutants > 0 {
            let table = table.into_text();
            let size = table.len();
            let _ = write!(
                text,
                r#"
@metacov.places = internal global [{places} x i8] zeroinitializer, section "{PLACES_SECTION}", align 1
@metacov.table = internal constant [{size} x i8] c"{}", section "{}", align 1

; The call changes no register, and no memory but the runtime's, so it does not hinder optimisation.
declare preserve_allcc i8 @metacov_mutant_reached(ptr, ptr) cold nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)

define internal i8 @metacov.place(ptr %place) alwaysinline nounwind {{
  %state = load i8, ptr %place, align 1
  %is_known = icmp ne i8 %state, 0
  br i1 %is_known, label %known, label %new

new:
  %answer = call preserve_allcc i8 @metacov_mutant_reached(ptr %place, ptr @metacov.table)
  br label %known

known:
  %result = phi i8 [ %state, %0 ], [ %answer, %new ]
  ret i8 %result
}}
"#,
                escaped(&table),
                crate::table::SECTION
            );
        }
        (text, mutants)
    }
}

/// The text before and after metadata of this kind; all of it and nothing if there is none.
fn without<'l>(line: &'l str, kind: &str) -> (&'l str, &'l str) {
    let Some(at) = line.rfind(kind) else { return (line, "") };
    let after = line[at + kind.len()..].trim_start_matches(|letter: char| letter.is_ascii_digit());
    // Anything else is within a string.
    if !after.is_empty() && !after.starts_with(", !") && after != " {" {
        return (line, "");
    }
    let before = &line[..at];
    (before.strip_suffix(',').unwrap_or(before), after)
}

fn escaped(table: &str) -> String {
    let mut text = String::with_capacity(table.len() + table.len() / 8);
    for byte in table.bytes() {
        match byte {
            b' '..=b'~' if byte != b'"' && byte != b'\\' => text.push(char::from(byte)),
            other => {
                let _ = write!(text, "\\{other:02X}");
            }
        }
    }
    text
}

fn is_comparison(instruction: &Instruction<'_>) -> bool {
    !instruction.predicate.is_empty()
}

/// The operators for an instruction that computes what its token says.
fn mutations(instruction: &Instruction<'_>, token: Token<'_>) -> Option<&'static [Operator]> {
    let is_unary =
        instruction.opcode == "fneg" || instruction.opcode == "sub" && instruction.left == "0";
    let operators = token.operators(is_unary);
    let is_all = operators.iter().all(|operator| mutated(instruction, *operator).is_some());
    (!operators.is_empty() && is_all).then_some(operators)
}

/// What an operator makes of an instruction.
enum Mutated<'l> {
    Operand(&'l str),
    Computation(String),
    /// A signed division by this.
    Division(&'l str),
}

fn mutated<'l>(instruction: &Instruction<'l>, operator: Operator) -> Option<Mutated<'l>> {
    use Operator as O;
    let Instruction { opcode, predicate, kind, left, right, .. } = *instruction;
    if is_comparison(instruction) {
        let (order, equality) = match predicate {
            "eq" | "ne" => ("", predicate),
            other => other.split_at_checked(1)?,
        };
        let to = compared(operator).filter(|(from, _)| *from == equality)?.1;
        return Some(Mutated::Computation(format!(
            "{opcode} {order}{to} {kind} {left}, {}",
            right?
        )));
    }
    let to = match (operator, opcode) {
        (O::AddToSub | O::PreIncToPreDec | O::PostIncToPostDec, "add") => "sub",
        (O::AddToSub | O::PreIncToPreDec | O::PostIncToPostDec, "fadd") => "fsub",
        (O::SubToAdd, "sub") => "add",
        (O::SubToAdd, "fsub") => "fadd",
        (O::MulToDiv, "mul") if instruction.is_integer() => return right.map(Mutated::Division),
        (O::MulToDiv, "fmul") | (O::RemToDiv, "frem") => "fdiv",
        (O::DivToMul, "sdiv" | "udiv") => "mul",
        (O::DivToMul, "fdiv") => "fmul",
        (O::RemToDiv, "srem") => "sdiv",
        (O::RemToDiv, "urem") => "udiv",
        (O::MinusToNoop, "sub") => return right.map(Mutated::Operand),
        (O::MinusToNoop, "fneg") => return Some(Mutated::Operand(left)),
        _ => return None,
    };
    Some(Mutated::Computation(format!("{to} {kind} {left}, {}", right?)))
}

/// The comparison that an operator expects, and the one that replaces it.
fn compared(operator: Operator) -> Option<(&'static str, &'static str)> {
    use Operator as O;
    Some(match operator {
        O::EqToNe => ("eq", "ne"),
        O::NeToEq => ("ne", "eq"),
        O::LeToGt => ("le", "gt"),
        O::LtToGe => ("lt", "ge"),
        O::GeToLt => ("ge", "lt"),
        O::GtToLe => ("gt", "le"),
        O::LeToLt => ("le", "lt"),
        O::LtToLe => ("lt", "le"),
        O::GeToGt => ("ge", "gt"),
        O::GtToGe => ("gt", "ge"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: RewriteOptions<'_> = RewriteOptions { prefixes: &[], keeps_debug: true };

    /// A module with one function, whose body is one instruction at the `@` of the source.
    fn module(source: &str, instruction: &str, folder: &std::path::Path) -> String {
        let column = source.find('@').unwrap() + 1;
        std::fs::write(folder.join("a.c"), source.replace('@', "")).unwrap();
        format!(
            "define i32 @f(i32 %0) !dbg !2 {{\n  {instruction}, !dbg !3\n  ret i32 0\n}}\n\
             !1 = !DIFile(filename: \"a.c\", directory: \"{}\")\n\
             !2 = distinct !DISubprogram(name: \"f\", file: !1, line: 1)\n\
             !3 = !DILocation(line: 1, column: {column}, scope: !2)\n",
            folder.display()
        )
    }

    fn mutants(source: &str, instruction: &str) -> (usize, String) {
        let folder = tempfile::tempdir().unwrap();
        let (text, mutants) = rewrite(&module(source, instruction, folder.path()), &OPTIONS);
        (mutants, text)
    }

    #[test]
    fn comparisons_have_two_mutants_that_keep_sign_and_order() {
        let (count, text) = mutants("a @< b", "%2 = icmp slt i32 %0, 5");
        assert_eq!(count, 2);
        assert!(text.contains("= icmp sge i32 %0, 5") && text.contains("= icmp sle i32 %0, 5"));
        let (count, text) = mutants("a @!= b", "%2 = fcmp une double %0, 5.0");
        assert_eq!(count, 1);
        assert!(text.contains("= fcmp ueq double %0, 5.0"), "{text}");
    }

    #[test]
    fn a_division_that_is_off_divides_by_one() {
        let (count, text) = mutants("a @* b", "%2 = mul nsw i32 %0, %1");
        assert_eq!(count, 1);
        assert!(text.contains("%m.0.0d = select i1 %m.0.0c, i32 %1, i32 1"), "{text}");
    }

    #[test]
    fn an_instruction_that_does_not_compute_its_token_is_left_alone() {
        for (source, instruction) in [
            ("a @< b", "%2 = icmp sgt i32 %0, 5"),
            ("a @+ b", "%2 = sub i32 %0, 5"),
            ("@a + b", "%2 = add i32 %0, 5"),
            ("a @+ b", "%2 = add <2 x i32> %0, %1"),
            ("p @+ b", "%2 = getelementptr i8, ptr %0, i64 5"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let module = module(source, instruction, folder.path());
            let (text, mutants) = rewrite(&module, &OPTIONS);
            assert_eq!(mutants, 0);
            let unchanged = module.replace("  ret ", "  call void @metacov.step()\n  ret ");
            assert_eq!(text, unchanged + STEP);
        }
    }

    #[test]
    fn functions_that_mull_skips_have_no_mutants() {
        let folder = tempfile::tempdir().unwrap();
        let module = module("a @+ b", "%2 = add i32 %0, 5", folder.path());
        assert_eq!(rewrite(&module, &OPTIONS).1, 1);
        for (from, to) in [
            ("(i32 %0)", "(i32 %0, ...)"),
            (" !dbg !2 {", " {"),
            ("ret i32 0", "store ptr blockaddress(@f, %2), ptr null"),
        ] {
            assert_eq!(rewrite(&module.replace(from, to), &OPTIONS).1, 0, "{to}");
        }
    }
    #[test]
    fn without_debug_information_only_locations_are_left_out() {
        let module = "define void @f() #0 !dbg !2 {\n    #dbg_value(i32 0, !1, !DIExpression(), !3)\n  \
                      call void @g(), !dbg !3, !srcloc !4\n  \
                      br label %7, !dbg !3, !llvm.loop !6\n  ret void, !dbg !3\n}\n!llvm.dbg.cu = !{!0}\n\
                      declare !dbg !5 void @g()\n\
                      @text = constant [9 x i8] c\"  !dbg !1\", align 1, !dbg !9\n";
        let options = RewriteOptions { keeps_debug: false, ..OPTIONS };
        let expected = "define void @f() #0 {\n  call void @g(), !srcloc !4\n  br label %7\n  \
                        call void @metacov.step()\n  ret void\n}\n\
                        declare void @g()\n\
                        @text = constant [9 x i8] c\"  !dbg !1\", align 1\n";
        assert_eq!(rewrite(module, &options).0, expected.to_owned() + STEP);
    }
}
