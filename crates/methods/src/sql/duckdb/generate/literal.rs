//! Constants.

use super::Generator;
use crate::sql::ast::{Expr, Literal};
use crate::sql::duckdb::Type;
use crate::sql::duckdb::dialect::MODERN;

/// Texts: short ones, some that look like patterns or other types, and some that are too long to be
/// stored inside DuckDB's strings (12 bytes).
const TEXTS: &[&str] = &[
    "",
    "a",
    "A",
    "b",
    "ab",
    "aB",
    "abc",
    " ",
    " a",
    "%",
    "_",
    "a%",
    "0",
    "1",
    "-1",
    "1.5",
    "true",
    "ä",
    "äb",
    "it's",
    "abcdefghijkl",
    "abcdefghijklm",
    "abcdefghijklmnopqrst",
    "2000-02-29",
];
const DATES: &[&str] =
    &["1970-01-01", "2000-02-29", "1992-12-31", "2020-01-31", "0001-01-01", "9999-12-31"];
const UUIDS: &[&str] = &[
    "00000000-0000-0000-0000-000000000000",
    "00000000-0000-0000-0000-000000000001",
    "7fffffff-ffff-ffff-ffff-ffffffffffff",
    "80000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
];
const BLOBS: &[&str] = &["", "a", "b", "ab", "\\x00", "a\\x00", "\\xFF", "abcdefghijklm"];
const MEMBERS: &[&str] = &["a", "b", "ab"];
const TIMES: &[&str] = &["00:00:00", "12:34:56", "23:59:59", "01:02:03.456"];

/// How often a constant is NULL, in percent.
const NULL: u32 = 7;

impl Generator<'_> {
    /// A constant of a type, or NULL.
    pub(crate) fn literal_or_null(&mut self, of: Type) -> Expr {
        if self.rng.chance(NULL) {
            return Expr::Literal(Literal::Null).cast(of);
        }
        self.literal(of)
    }

    /// A constant of a type.
    pub(crate) fn literal(&mut self, of: Type) -> Expr {
        match of {
            Type::Boolean => Expr::Literal(Literal::Boolean(self.rng.chance(50))),
            Type::Integer => Expr::integer(self.integer(i64::from(i32::MAX))),
            Type::TinyInt => Expr::integer(self.integer(i64::from(i8::MAX))).cast(of),
            Type::SmallInt => Expr::integer(self.integer(i64::from(i16::MAX))).cast(of),
            Type::HugeInt if self.rng.chance(8) => {
                Expr::text("170141183460469231731687303715884105727").cast(of)
            }
            Type::BigInt | Type::HugeInt => Expr::integer(self.integer(i64::MAX)).cast(of),
            Type::Double => self.double().cast(of),
            Type::Decimal => {
                let thousandths = self.rng.number(-5000, 5000);
                let sign = if thousandths < 0 { "-" } else { "" };
                let size = thousandths.unsigned_abs();
                Expr::text(format!("{sign}{}.{:03}", size / 1000, size % 1000)).cast(of)
            }
            Type::Varchar => Expr::text(self.rng.pick(TEXTS)),
            Type::Date => Expr::text(self.rng.pick(DATES)).cast(of),
            Type::Timestamp => {
                let (date, time) = (self.rng.pick(DATES), self.rng.pick(TIMES));
                Expr::text(format!("{date} {time}")).cast(of)
            }
            Type::Time => Expr::text(self.rng.pick(TIMES)).cast(of),
            Type::UInteger => Expr::integer(self.natural(i64::from(u32::MAX))).cast(of),
            Type::UBigInt if self.rng.chance(8) => Expr::text("18446744073709551615").cast(of),
            Type::UBigInt => Expr::integer(self.natural(i64::MAX)).cast(of),
            Type::Real => {
                let numbers = [0.0, 0.5, 1.0, -1.5, 2.0, 3.25, 0.1, 1e10, 16_777_216.0];
                Expr::Literal(Literal::Real(*self.rng.pick(&numbers))).cast(of)
            }
            // Rule: intervals are days, because a month equals 30 days and a day 24 hours, and which
            // of several equal values is returned would be left open.
            Type::Interval => Expr::text(format!("{} days", self.rng.number(-40, 400))).cast(of),
            Type::Uuid => Expr::text(self.rng.pick(UUIDS)).cast(of),
            Type::Blob => Expr::text(self.rng.pick(BLOBS)).cast(of),
            Type::Enum => Expr::text(self.rng.pick(MEMBERS)).cast(of),
            Type::Integers => self.list(Type::Integer).cast(of),
            Type::Texts => self.list(Type::Varchar).cast(of),
            Type::Struct => {
                let row = [Type::Integer, Type::Varchar].map(|of| self.literal_or_null(of));
                Expr::call("row", row.to_vec()).cast(of)
            }
        }
    }

    /// A list of constants.
    fn list(&mut self, of: Type) -> Expr {
        let count = self.rng.weigh(&[(1, 0), (3, 1), (4, 2), (2, 3)]);
        Expr::List((0..count).map(|_| self.literal_or_null(of)).collect())
    }

    /// A whole number that is not negative.
    fn natural(&mut self, most: i64) -> i64 {
        self.integer(most).checked_abs().unwrap_or(most)
    }

    /// A whole number: mostly small, sometimes at the limit of its type.
    fn integer(&mut self, most: i64) -> i64 {
        match self.rng.below(20) {
            0 => most,
            1 => -most,
            2..=4 => i64::from(self.rng.number(-100, 100)),
            _ => i64::from(self.rng.number(-3, 9)),
        }
    }

    fn double(&mut self) -> Expr {
        // Rule: NaN and infinity only where versions agree on what they are.
        if self.schema.dialect.has((1, 0, 0)) && self.rng.chance(6) {
            return Expr::text(self.rng.pick(&["NaN", "Infinity", "-Infinity"]));
        }
        let large = if self.schema.dialect.has(MODERN) { 1e300 } else { 1e30 };
        let numbers = [0.0, -0.0, 0.5, 1.0, -1.5, 2.0, 3.25, 1e-5, 1e10, -1e15, large];
        Expr::Literal(Literal::Real(*self.rng.pick(&numbers)))
    }

    /// A small whole number as text.
    pub(super) fn small(&mut self, low: i32, high: i32) -> Expr {
        Expr::integer(i64::from(self.rng.number(low, high)))
    }
}
