//! Random constants: small ones that are likely to be equal, and edge cases.

use super::Generator;
use crate::sql::ast::{Expr, Literal};
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::weights::percent;

const INTEGERS: &[i64] = &[
    i64::MAX,
    i64::MIN,
    i64::MAX - 1,
    i32::MAX as i64,
    i32::MIN as i64,
    u32::MAX as i64,
    1 << 53,
    (1 << 53) + 1,
    255,
    256,
    -128,
    65_535,
    1_000_000_007,
];

const REALS: &[f64] = &[
    0.0,
    -0.0,
    0.5,
    1.0,
    -1.5,
    1e-9,
    1e15,
    1e300,
    -1e300,
    f64::INFINITY,
    f64::NEG_INFINITY,
    9_223_372_036_854_775_807.0,
    0.1,
    3.0,
];

/// Rule: no text is a time that changes (`now`, `subsec`), and no random text can spell one.
const TEXTS: &[&str] = &[
    "",
    " ",
    "a",
    "A",
    "b",
    "B",
    "ab",
    "aB",
    "abc",
    "ABC",
    "a ",
    "A  ",
    " a",
    "0",
    "1",
    "-1",
    "01",
    "1.0",
    "1e3",
    "0x10",
    " 12",
    "12abc",
    "9223372036854775807",
    "9223372036854775808",
    "1e500",
    "Infinity",
    "TRUE",
    "%",
    "_",
    "a%",
    "_b%",
    "*",
    "a*",
    "[ab]*",
    "é",
    "ß",
    "İ",
    "🙂",
    "it's",
    "\"",
    "\\",
    "x\ty",
    "2000-02-29",
    "2024-12-31 23:59:59",
    "12:34",
    "{\"a\":1}",
    "[1,2,3]",
    "null",
    "$.a",
    "word",
    "two words",
    "-",
    "0.0",
];

const LETTERS: &[char] =
    &['a', 'A', 'b', 'B', 'c', 'x', '0', '1', '9', ' ', '%', '_', '.', '-', 'é'];

/// Texts that are JSON.
const DOCUMENTS: &[&str] = &[
    "{\"a\":1,\"b\":[1,2.5,null,\"x\"]}",
    "[1,2,3]",
    "[]",
    "{}",
    "null",
    "true",
    "12",
    "-0.5e3",
    "\"a\\u0041\"",
    "[[1],{\"a\":{\"b\":\"c\"}}]",
    "{\"a\":null,\"c\":{\"a\":[{}]}}",
];

impl Generator<'_> {
    /// A constant of a class, most of the time.
    pub fn literal(&mut self, class: Class) -> Literal {
        if self.rng.chance(percent::LITERAL_NULL) {
            return Literal::Null;
        }
        if !self.schema.pool.is_empty() && self.rng.chance(percent::LITERAL_FROM_POOL) {
            let literal = self.rng.pick(&self.schema.pool).clone();
            if class == Class::Any || class_of(&literal) == class {
                return literal;
            }
        }
        if class == Class::Any || self.rng.chance(percent::LITERAL_OF_OTHER_CLASS) {
            let class = self.rng.weigh(&[
                (4, Class::Integer),
                (2, Class::Real),
                (4, Class::Text),
                (1, Class::Blob),
                (1, Class::Boolean),
            ]);
            return self.fresh(class);
        }
        self.fresh(class)
    }

    /// A constant of a class, always.
    pub fn fresh(&mut self, class: Class) -> Literal {
        match class {
            Class::Integer | Class::Any if self.rng.chance(4) => {
                Literal::Hexadecimal(self.integer())
            }
            Class::Integer | Class::Any => Literal::Integer(self.integer()),
            Class::Real => Literal::Real(self.real()),
            Class::Blob if self.schema.blobs => Literal::Blob(self.blob()),
            Class::Text | Class::Blob => Literal::Text(self.text()),
            Class::Boolean => Literal::Boolean(self.rng.chance(50)),
        }
    }

    fn integer(&mut self) -> i64 {
        match self.rng.below(20) {
            0..=12 => self.small(),
            13 | 14 => *self.rng.pick(INTEGERS),
            15..=17 => i64::from(self.rng.number(0, 255)),
            _ => i64::from(self.rng.word().cast_signed()),
        }
    }

    /// An integer near zero.
    pub fn small(&mut self) -> i64 {
        self.rng.number(-3, 9).into()
    }

    fn real(&mut self) -> f64 {
        match self.rng.below(10) {
            0..=5 => f64::from(self.rng.number(-16, 47)) / 8.0,
            6..=8 => *self.rng.pick(REALS),
            _ => f64::from(self.rng.number(0, 999_999)) / 1e6,
        }
    }

    fn text(&mut self) -> String {
        if self.rng.chance(70) {
            return (*self.rng.pick(TEXTS)).to_owned();
        }
        (0..self.rng.between(0, 6)).map(|_| *self.rng.pick(LETTERS)).collect()
    }

    fn blob(&mut self) -> Vec<u8> {
        // Letters, so that a blob can be converted to a text.
        (0..self.rng.below(4) * 2).map(|_| *self.rng.pick(b"aAb01 ")).collect()
    }

    /// A constant that is JSON.
    pub fn document(&mut self) -> Expr {
        Expr::text(self.rng.pick(DOCUMENTS))
    }
}

/// The class of a constant.
pub fn class_of(literal: &Literal) -> Class {
    match literal {
        Literal::Null => Class::Any,
        Literal::Integer(_) | Literal::Hexadecimal(_) => Class::Integer,
        Literal::Real(_) => Class::Real,
        Literal::Text(_) => Class::Text,
        Literal::Blob(_) => Class::Blob,
        Literal::Boolean(_) => Class::Boolean,
    }
}
