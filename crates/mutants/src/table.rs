//! The table of mutants in a program.
//!
//! Each translation unit has a text in the section `metacov_mutants`, and the linker puts them one after the
//! other, in the order of the bytes of their places. A mutant is identified by its number in this order.
//!
//! ```text
//! unit<TAB>places
//! file<TAB>path                                of the mutants that follow
//! place<TAB>operator<TAB>line<TAB>column<TAB>function      a mutant; places count from 0 in each unit
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use crate::ir::Place;
use crate::{Operator, elf};

/// The section of the table.
pub(crate) const SECTION: &str = "metacov_mutants";

/// A mutant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mutant {
    /// The source file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column of the operator, from 1.
    pub column: u32,
    /// How the operator is changed.
    pub operator: Operator,
    /// The function, as its source names it.
    pub function: Arc<str>,
}

impl Mutant {
    /// Returns its name: operator, file, line and column.
    pub fn name(&self) -> String {
        let Mutant { file, line, column, operator, .. } = self;
        format!("{}:{file}:{line}:{column}", operator.name())
    }
}

/// The mutants of a program or library, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MutantTable {
    /// All mutants.
    pub mutants: Vec<Mutant>,
    /// For each place the number of its first mutant, and at the end how many there are.
    pub first: Vec<u32>,
}

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It has no mutants.
    #[error("no mutants: build it with `metacov cc --mutants`")]
    Missing,
    /// The table is not as it was written.
    #[error("the table of mutants is damaged at line {0}")]
    Damaged(usize),
}

impl MutantTable {
    /// Reads the table of a program or library.
    pub fn of_file(path: &Path) -> Result<Self, TableError> {
        let bytes = elf::section(path, SECTION)?.ok_or(TableError::Missing)?;
        let text = String::from_utf8(bytes).map_err(|_| TableError::Damaged(0))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, TableError> {
        let mut table = MutantTable::default();
        let (mut start, mut file) = (0, None::<Arc<str>>);
        let mut functions = BTreeMap::<&str, Arc<str>>::new();
        for (at, line) in text.lines().enumerate() {
            let damaged = || TableError::Damaged(at + 1);
            match *line.split('\t').collect::<Vec<_>>() {
                ["unit", places] => {
                    start = table.first.len();
                    let places: usize = places.parse().map_err(|_| damaged())?;
                    if places > text.len() {
                        return Err(damaged());
                    }
                    table.first.resize(start + places, u32::MAX);
                }
                ["file", path] => file = Some(path.into()),
                [place, operator, line, column, function] => {
                    let number = u32::try_from(table.mutants.len()).map_err(|_| damaged())?;
                    let place: usize = place.parse().map_err(|_| damaged())?;
                    let first = table.first.get_mut(start + place).ok_or_else(damaged)?;
                    *first = (*first).min(number);
                    let function = functions.entry(function).or_insert_with(|| function.into());
                    table.mutants.push(Mutant {
                        file: file.clone().ok_or_else(damaged)?,
                        line: line.parse().map_err(|_| damaged())?,
                        column: column.parse().map_err(|_| damaged())?,
                        operator: Operator::named(operator).ok_or_else(damaged)?,
                        function: Arc::clone(function),
                    });
                }
                _ => return Err(damaged()),
            }
        }
        let count = u32::try_from(table.mutants.len()).map_err(|_| TableError::Damaged(0))?;
        table.first.push(count);
        if table.first.is_sorted() { Ok(table) } else { Err(TableError::Damaged(0)) }
    }
}

/// The table of a translation unit in the making.
#[derive(Default)]
pub(crate) struct UnitTable {
    /// Code of templates is instantiated repeatedly; its mutants are one.
    places: BTreeMap<(Place, &'static str), u32>,
    file: Option<u32>,
    mutants: usize,
    text: String,
}

impl UnitTable {
    /// Returns the number of a place, which is added with its mutants if it is new.
    pub(crate) fn add(
        &mut self,
        path: &str,
        place: Place,
        operators: &[Operator],
        function: &str,
    ) -> u32 {
        let token = operators.first().map_or("", |operator| operator.name());
        let next = self.places();
        let number = *self.places.entry((place, token)).or_insert(next);
        if number < next {
            return number;
        }
        if self.file != Some(place.file) {
            self.file = Some(place.file);
            let _ = writeln!(self.text, "file\t{path}");
        }
        for operator in operators {
            let Place { line, column, .. } = place;
            let name = operator.name();
            let _ = writeln!(self.text, "{number}\t{name}\t{line}\t{column}\t{function}");
        }
        self.mutants += operators.len();
        number
    }

    pub(crate) fn places(&self) -> u32 {
        u32::try_from(self.places.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn mutants(&self) -> usize {
        self.mutants
    }

    pub(crate) fn into_text(self) -> String {
        format!("unit\t{}\n{}", self.places(), self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_numbered_one_after_the_other() {
        let place = |line| Place { file: 1, line, column: 2 };
        let unit = |lines: &[u32]| {
            let mut table = UnitTable::default();
            for line in lines {
                table.add("a.c", place(*line), &[Operator::LtToGe, Operator::LtToLe], "f");
            }
            table.into_text()
        };
        let text = unit(&[1, 2, 1]) + &unit(&[3]);
        let table = MutantTable::parse(&text).unwrap();
        assert_eq!(table.first, [0, 2, 4, 6]);
        assert_eq!(table.mutants[5].name(), "cxx_lt_to_le:a.c:3:2");
        assert_eq!(
            MutantTable::parse("").unwrap(),
            MutantTable { first: vec![0], ..Default::default() }
        );
    }

    #[test]
    fn damaged_tables_are_refused() {
        let whole = "unit\t1\nfile\ta.c\n0\tcxx_add_to_sub\t1\t2\tf\n";
        assert_eq!(MutantTable::parse(whole).unwrap().mutants.len(), 1);
        for (from, to) in [
            ("unit\t1", "unit\t0"),
            ("unit\t1", "unit\t99999999999"),
            ("unit\t1", "unit\tx"),
            ("file\ta.c\n", ""),
            ("cxx_add", "cxx_odd"),
            ("\tf\n", "\n"),
            ("\n0\t", "\n1\t"),
        ] {
            let damaged = whole.replacen(from, to, 1);
            assert!(MutantTable::parse(&damaged).is_err(), "{damaged}");
        }
    }
}
