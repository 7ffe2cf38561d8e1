//! Scalar functions, by signature.
//!
//! Rule: only functions whose result depends on nothing but their arguments, and that fail for few
//! of them or none: a side that fails says nothing. Not used: `random`, `uuid`, `now`, `nextval`;
//! `sqrt`, `ln` and the like, which fail for negative numbers in some versions; `lpad`, which fails
//! for an empty text.

use super::Type;
use super::dialect::{MODERN, Version};

/// A parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// A value of a type.
    Of(Type),
    /// A small constant, which may be negative.
    Small,
    /// A constant from 0 to 9.
    Count,
    /// One of these texts.
    Word(&'static [&'static str]),
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [Parameter],
    pub(crate) result: Type,
    pub(crate) since: Version,
}

const BOOLEAN: Parameter = Parameter::Of(Type::Boolean);
const INTEGER: Parameter = Parameter::Of(Type::Integer);
const BIGINT: Parameter = Parameter::Of(Type::BigInt);
const DOUBLE: Parameter = Parameter::Of(Type::Double);
const DECIMAL: Parameter = Parameter::Of(Type::Decimal);
const TEXT: Parameter = Parameter::Of(Type::Varchar);
const DATE: Parameter = Parameter::Of(Type::Date);
const TIMESTAMP: Parameter = Parameter::Of(Type::Timestamp);
const SMALL: Parameter = Parameter::Small;
const COUNT: Parameter = Parameter::Count;
const UNITS: Parameter = Parameter::Word(&["year", "month", "day", "quarter", "decade"]);
const PATTERNS: Parameter = Parameter::Word(&["a", "^a", "b$", "[a-c]+", "a.*", ".", "^$", "A|b"]);
const FORMATS: Parameter = Parameter::Word(&["%Y", "%m/%d", "%Y-%m-%d"]);

const OLD: Version = (0, 0, 0);

const fn function(
    since: Version,
    result: Type,
    name: &'static str,
    parameters: &'static [Parameter],
) -> Function {
    Function { name, parameters, result, since }
}

/// All functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    function(OLD, Type::Integer, "abs", &[INTEGER]),
    function(MODERN, Type::Integer, "bit_count", &[INTEGER]),
    function(MODERN, Type::Integer, "xor", &[INTEGER, INTEGER]),
    function(MODERN, Type::Integer, "ascii", &[TEXT]),
    function(OLD, Type::BigInt, "abs", &[BIGINT]),
    function(OLD, Type::BigInt, "length", &[TEXT]),
    function(OLD, Type::BigInt, "instr", &[TEXT, TEXT]),
    function(OLD, Type::BigInt, "year", &[DATE]),
    function(OLD, Type::BigInt, "month", &[DATE]),
    function(OLD, Type::BigInt, "date_part", &[UNITS, DATE]),
    function(OLD, Type::BigInt, "date_part", &[UNITS, TIMESTAMP]),
    function(MODERN, Type::BigInt, "date_diff", &[UNITS, DATE, DATE]),
    function(MODERN, Type::BigInt, "levenshtein", &[TEXT, TEXT]),
    function(MODERN, Type::BigInt, "strlen", &[TEXT]),
    function(OLD, Type::Double, "abs", &[DOUBLE]),
    function(OLD, Type::Double, "floor", &[DOUBLE]),
    function(OLD, Type::Double, "ceil", &[DOUBLE]),
    function(OLD, Type::Double, "round", &[DOUBLE, COUNT]),
    function(OLD, Type::Double, "cbrt", &[DOUBLE]),
    function(OLD, Type::Double, "atan", &[DOUBLE]),
    function(OLD, Type::Double, "radians", &[DOUBLE]),
    function(MODERN, Type::Decimal, "abs", &[DECIMAL]),
    function(MODERN, Type::Decimal, "floor", &[DECIMAL]),
    function(OLD, Type::Varchar, "lower", &[TEXT]),
    function(OLD, Type::Varchar, "upper", &[TEXT]),
    function(OLD, Type::Varchar, "reverse", &[TEXT]),
    function(OLD, Type::Varchar, "substring", &[TEXT, COUNT, COUNT]),
    function(OLD, Type::Varchar, "concat", &[TEXT, TEXT]),
    function(OLD, Type::Varchar, "concat", &[TEXT, INTEGER, BOOLEAN]),
    function(OLD, Type::Varchar, "regexp_replace", &[TEXT, PATTERNS, TEXT]),
    function(MODERN, Type::Varchar, "concat_ws", &[TEXT, TEXT, TEXT]),
    function(MODERN, Type::Varchar, "replace", &[TEXT, TEXT, TEXT]),
    function(MODERN, Type::Varchar, "trim", &[TEXT]),
    function(MODERN, Type::Varchar, "ltrim", &[TEXT]),
    function(MODERN, Type::Varchar, "rtrim", &[TEXT, TEXT]),
    function(MODERN, Type::Varchar, "left", &[TEXT, SMALL]),
    function(MODERN, Type::Varchar, "right", &[TEXT, SMALL]),
    function(MODERN, Type::Varchar, "repeat", &[TEXT, COUNT]),
    function(MODERN, Type::Varchar, "md5", &[TEXT]),
    function(MODERN, Type::Varchar, "strftime", &[DATE, FORMATS]),
    function(MODERN, Type::Varchar, "dayname", &[DATE]),
    function(OLD, Type::Boolean, "prefix", &[TEXT, TEXT]),
    function(OLD, Type::Boolean, "suffix", &[TEXT, TEXT]),
    function(MODERN, Type::Boolean, "contains", &[TEXT, TEXT]),
    function(OLD, Type::Boolean, "regexp_matches", &[TEXT, PATTERNS]),
    function(MODERN, Type::Boolean, "regexp_full_match", &[TEXT, PATTERNS]),
    function(MODERN, Type::Date, "last_day", &[DATE]),
    function(MODERN, Type::Timestamp, "date_trunc", &[UNITS, TIMESTAMP]),
];
