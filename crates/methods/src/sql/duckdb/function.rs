//! Scalar functions, by signature.
//!
//! Rule: only functions whose result depends on nothing but their arguments, and that fail for few
//! of them or none: a side that fails says nothing. Not used: `random`, `uuid`, `now`, `nextval`;
//! `sqrt`, `ln` and the like before 2.0, where they fail for some numbers; `lpad` with a variable
//! text, which fails if it is empty; `list_distinct`, whose result has any order.

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
const HUGEINT: Parameter = Parameter::Of(Type::HugeInt);
const DOUBLE: Parameter = Parameter::Of(Type::Double);
const REAL: Parameter = Parameter::Of(Type::Real);
const DECIMAL: Parameter = Parameter::Of(Type::Decimal);
const TEXT: Parameter = Parameter::Of(Type::Varchar);
const BLOB: Parameter = Parameter::Of(Type::Blob);
const DATE: Parameter = Parameter::Of(Type::Date);
const TIMESTAMP: Parameter = Parameter::Of(Type::Timestamp);
const TIME: Parameter = Parameter::Of(Type::Time);
const INTERVAL: Parameter = Parameter::Of(Type::Interval);
const ENUM: Parameter = Parameter::Of(Type::Enum);
const INTEGERS: Parameter = Parameter::Of(Type::Integers);
const TEXTS: Parameter = Parameter::Of(Type::Texts);
const STRUCT: Parameter = Parameter::Of(Type::Struct);
const SMALL: Parameter = Parameter::Small;
const COUNT: Parameter = Parameter::Count;
const UNITS: Parameter = Parameter::Word(&["year", "month", "day", "quarter", "decade"]);
const TIME_UNITS: Parameter = Parameter::Word(&["hour", "minute", "second", "millisecond"]);
const DAY: Parameter = Parameter::Word(&["day"]);
const PATTERNS: Parameter = Parameter::Word(&["a", "^a", "b$", "[a-c]+", "a.*", ".", "^$", "A|b"]);
const FORMATS: Parameter = Parameter::Word(&["%Y", "%m/%d", "%Y-%m-%d"]);
const PADS: Parameter = Parameter::Word(&["x", "ab"]);
const SEPARATORS: Parameter = Parameter::Word(&["a", ",", " ", ""]);
const NUMBER: Parameter = Parameter::Word(&["{}", "<{}>"]);
const FIELD_A: Parameter = Parameter::Word(&["a"]);
const FIELD_B: Parameter = Parameter::Word(&["b"]);

const OLD: Version = (0, 0, 0);
const FIVE: Version = (0, 5, 0);
const ONE: Version = (1, 1, 0);
const TWO: Version = (2, 0, 0);

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
    function(ONE, Type::TinyInt, "sign", &[INTEGER]),
    function(OLD, Type::Integer, "abs", &[INTEGER]),
    function(MODERN, Type::Integer, "bit_count", &[INTEGER]),
    function(MODERN, Type::Integer, "xor", &[INTEGER, INTEGER]),
    function(MODERN, Type::Integer, "ascii", &[TEXT]),
    function(FIVE, Type::Integer, "unicode", &[TEXT]),
    function(ONE, Type::Integer, "list_extract", &[INTEGERS, SMALL]),
    function(ONE, Type::Integer, "list_position", &[INTEGERS, INTEGER]),
    function(ONE, Type::Integer, "struct_extract", &[STRUCT, FIELD_A]),
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
    function(FIVE, Type::BigInt, "bit_length", &[TEXT]),
    function(FIVE, Type::BigInt, "dayofyear", &[DATE]),
    function(FIVE, Type::BigInt, "week", &[DATE]),
    function(FIVE, Type::BigInt, "isodow", &[DATE]),
    function(FIVE, Type::BigInt, "century", &[TIMESTAMP]),
    function(FIVE, Type::BigInt, "hour", &[TIMESTAMP]),
    function(FIVE, Type::BigInt, "date_part", &[DAY, INTERVAL]),
    function(FIVE, Type::BigInt, "date_part", &[TIME_UNITS, TIME]),
    function(ONE, Type::BigInt, "octet_length", &[BLOB]),
    function(ONE, Type::BigInt, "epoch_ms", &[TIMESTAMP]),
    function(ONE, Type::BigInt, "gcd", &[INTEGER, INTEGER]),
    function(ONE, Type::BigInt, "damerau_levenshtein", &[TEXT, TEXT]),
    function(ONE, Type::BigInt, "len", &[INTEGERS]),
    function(ONE, Type::BigInt, "len", &[TEXTS]),
    function(FIVE, Type::HugeInt, "abs", &[HUGEINT]),
    function(ONE, Type::UBigInt, "hash", &[TEXT]),
    function(ONE, Type::UBigInt, "hash", &[INTEGERS]),
    function(FIVE, Type::Real, "abs", &[REAL]),
    function(FIVE, Type::Real, "floor", &[REAL]),
    function(OLD, Type::Double, "abs", &[DOUBLE]),
    function(OLD, Type::Double, "floor", &[DOUBLE]),
    function(OLD, Type::Double, "ceil", &[DOUBLE]),
    function(OLD, Type::Double, "round", &[DOUBLE, COUNT]),
    function(OLD, Type::Double, "cbrt", &[DOUBLE]),
    function(OLD, Type::Double, "atan", &[DOUBLE]),
    function(OLD, Type::Double, "radians", &[DOUBLE]),
    function(ONE, Type::Double, "trunc", &[DOUBLE]),
    function(ONE, Type::Double, "even", &[DOUBLE]),
    function(TWO, Type::Double, "sqrt", &[DOUBLE]),
    function(TWO, Type::Double, "ln", &[DOUBLE]),
    function(TWO, Type::Double, "exp", &[DOUBLE]),
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
    function(FIVE, Type::Varchar, "monthname", &[TIMESTAMP]),
    function(FIVE, Type::Varchar, "lpad", &[TEXT, COUNT, PADS]),
    function(FIVE, Type::Varchar, "rpad", &[TEXT, COUNT, PADS]),
    function(FIVE, Type::Varchar, "strip_accents", &[TEXT]),
    function(FIVE, Type::Varchar, "regexp_extract", &[TEXT, PATTERNS]),
    function(FIVE, Type::Varchar, "format", &[NUMBER, INTEGER]),
    function(ONE, Type::Varchar, "translate", &[TEXT, TEXT, TEXT]),
    function(ONE, Type::Varchar, "hex", &[TEXT]),
    function(ONE, Type::Varchar, "hex", &[BLOB]),
    function(ONE, Type::Varchar, "to_base64", &[BLOB]),
    function(ONE, Type::Varchar, "list_extract", &[TEXTS, SMALL]),
    function(ONE, Type::Varchar, "array_to_string", &[TEXTS, PADS]),
    function(ONE, Type::Varchar, "struct_extract", &[STRUCT, FIELD_B]),
    function(ONE, Type::Varchar, "lower", &[ENUM]),
    function(OLD, Type::Boolean, "prefix", &[TEXT, TEXT]),
    function(OLD, Type::Boolean, "suffix", &[TEXT, TEXT]),
    function(MODERN, Type::Boolean, "contains", &[TEXT, TEXT]),
    function(OLD, Type::Boolean, "regexp_matches", &[TEXT, PATTERNS]),
    function(MODERN, Type::Boolean, "regexp_full_match", &[TEXT, PATTERNS]),
    function(ONE, Type::Boolean, "starts_with", &[TEXT, TEXT]),
    function(ONE, Type::Boolean, "isnan", &[DOUBLE]),
    function(ONE, Type::Boolean, "isfinite", &[DOUBLE]),
    function(ONE, Type::Boolean, "list_contains", &[INTEGERS, INTEGER]),
    function(ONE, Type::Boolean, "list_contains", &[TEXTS, TEXT]),
    function(ONE, Type::Boolean, "list_has_any", &[INTEGERS, INTEGERS]),
    function(ONE, Type::Boolean, "list_has_all", &[TEXTS, TEXTS]),
    function(MODERN, Type::Date, "last_day", &[DATE]),
    function(MODERN, Type::Timestamp, "date_trunc", &[UNITS, TIMESTAMP]),
    function(FIVE, Type::Interval, "to_days", &[SMALL]),
    function(ONE, Type::Blob, "encode", &[TEXT]),
    function(ONE, Type::Integers, "list_concat", &[INTEGERS, INTEGERS]),
    function(ONE, Type::Integers, "list_append", &[INTEGERS, INTEGER]),
    function(ONE, Type::Integers, "list_prepend", &[INTEGER, INTEGERS]),
    function(ONE, Type::Integers, "list_sort", &[INTEGERS]),
    function(ONE, Type::Integers, "list_reverse", &[INTEGERS]),
    function(ONE, Type::Integers, "list_slice", &[INTEGERS, SMALL, SMALL]),
    function(ONE, Type::Texts, "list_concat", &[TEXTS, TEXTS]),
    function(ONE, Type::Texts, "list_sort", &[TEXTS]),
    function(ONE, Type::Texts, "string_split", &[TEXT, SEPARATORS]),
    function(ONE, Type::Texts, "regexp_extract_all", &[TEXT, PATTERNS]),
];
