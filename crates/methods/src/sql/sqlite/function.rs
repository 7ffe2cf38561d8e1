//! The functions that expressions call: their arguments, results and first versions.
//!
//! Rule: they depend only on their arguments. So there is no `random`, `randomblob`, `changes`,
//! `total_changes`, `last_insert_rowid`, `load_extension`, and times are never `now`, `localtime`
//! or `subsec`. Two sides that call them would differ without any fault.

use super::dialect::Dialect;

/// The kind of value that an expression should have. SQLite accepts any value anywhere; classes
/// make it likely that an expression is meaningful, and keep the few strict functions (those of
/// JSON) from failing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Any,
    Boolean,
    Integer,
    Real,
    Text,
    Blob,
}

/// What a function takes as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// An expression of a class.
    Of(Class),
    /// An integer near zero: widths, positions and lengths. Large ones would create texts that
    /// exhaust memory.
    Small,
    /// A text that is certainly JSON.
    Json,
    /// A value that JSON can represent: no blob.
    Plain,
    /// A path into JSON.
    Path,
    /// The format of `printf`.
    Format,
    /// The format of `strftime`.
    TimeFormat,
    /// A point in time.
    Moment,
    /// A change of a point in time.
    Modifier,
    /// A constant between 0 and 1.
    Probability,
    /// A pattern of `LIKE` or `GLOB`.
    Pattern,
    /// One character.
    Character,
    /// Pairs of hexadecimal digits.
    HexDigits,
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// A value of a class.
    Of(Class),
    /// A text that is certainly JSON, and has JSON's subtype.
    Json,
    /// A value that may have JSON's subtype.
    Tagged,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    pub name: &'static str,
    pub takes: &'static [Takes],
    /// The type of further arguments, if it takes any number.
    pub more: Option<Takes>,
    pub gives: Gives,
    /// The part of SQLite that contains it.
    pub part: Part,
    /// The minor version that introduced it.
    pub since: u16,
}

/// Parts of SQLite that a build may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Core,
    Math,
    Soundex,
    Rtree,
    /// Facts about the build: the same on both sides, but not allowed in an index or a generated
    /// column.
    Build,
}

impl Function {
    /// Whether a dialect has it, also in the definition of an index or a column if `defining`.
    pub fn is_in(&self, dialect: &Dialect, defining: bool) -> bool {
        let part = match self.part {
            Part::Core => true,
            Part::Math => dialect.math,
            Part::Soundex => dialect.soundex,
            Part::Rtree => dialect.rtree && !defining,
            Part::Build => !defining,
        };
        part && dialect.has(self.since)
    }
}

const fn function(
    name: &'static str,
    takes: &'static [Takes],
    gives: Class,
    since: u16,
) -> Function {
    Function { name, takes, more: None, gives: Gives::Of(gives), part: Part::Core, since }
}

const fn json(name: &'static str, takes: &'static [Takes], gives: Gives, since: u16) -> Function {
    Function { name, takes, more: None, gives, part: Part::Core, since }
}

const fn math(name: &'static str, takes: &'static [Takes]) -> Function {
    Function { name, takes, more: None, gives: Gives::Of(Class::Real), part: Part::Math, since: 35 }
}

impl Function {
    const fn and_more(mut self, more: Takes) -> Self {
        self.more = Some(more);
        self
    }

    const fn of(mut self, part: Part) -> Self {
        self.part = part;
        self
    }
}

const ANY: Takes = Takes::Of(Class::Any);
const BOOLEAN: Takes = Takes::Of(Class::Boolean);
const REAL: Takes = Takes::Of(Class::Real);
const TEXT: Takes = Takes::Of(Class::Text);
const INTEGER: Takes = Takes::Of(Class::Integer);

/// All scalar functions.
pub const FUNCTIONS: &[Function] = &[
    // Any value.
    function("coalesce", &[ANY, ANY], Class::Any, 0).and_more(ANY),
    function("ifnull", &[ANY, ANY], Class::Any, 0),
    function("nullif", &[ANY, ANY], Class::Any, 0),
    function("iif", &[BOOLEAN, ANY, ANY], Class::Any, 32),
    function("if", &[BOOLEAN, ANY, ANY], Class::Any, 48),
    function("likely", &[ANY], Class::Any, 0),
    function("unlikely", &[ANY], Class::Any, 0),
    function("likelihood", &[ANY, Takes::Probability], Class::Any, 0),
    function("max", &[ANY, ANY], Class::Any, 0).and_more(ANY),
    function("min", &[ANY, ANY], Class::Any, 0).and_more(ANY),
    // Truth values.
    function("like", &[Takes::Pattern, TEXT], Class::Boolean, 0),
    function("like", &[Takes::Pattern, TEXT, Takes::Character], Class::Boolean, 0),
    function("glob", &[Takes::Pattern, TEXT], Class::Boolean, 0),
    function("json_valid", &[ANY], Class::Boolean, 38),
    // Numbers.
    function("abs", &[REAL], Class::Real, 0),
    function("abs", &[INTEGER], Class::Integer, 0),
    function("round", &[REAL], Class::Real, 0),
    function("round", &[REAL, Takes::Small], Class::Real, 0),
    function("sign", &[REAL], Class::Integer, 35),
    function("length", &[ANY], Class::Integer, 0),
    function("octet_length", &[ANY], Class::Integer, 43),
    function("instr", &[TEXT, TEXT], Class::Integer, 0),
    function("unicode", &[TEXT], Class::Integer, 0),
    function("json_array_length", &[Takes::Json], Class::Integer, 38),
    function("json_array_length", &[Takes::Json, Takes::Path], Class::Integer, 38),
    function("json_error_position", &[TEXT], Class::Integer, 42),
    function("unixepoch", &[Takes::Moment], Class::Integer, 38).and_more(Takes::Modifier),
    function("julianday", &[Takes::Moment], Class::Real, 0).and_more(Takes::Modifier),
    // Texts.
    function("lower", &[TEXT], Class::Text, 0),
    function("upper", &[TEXT], Class::Text, 0),
    function("hex", &[ANY], Class::Text, 0),
    function("quote", &[ANY], Class::Text, 0),
    function("typeof", &[ANY], Class::Text, 0),
    function("char", &[Takes::Small], Class::Text, 0).and_more(Takes::Small),
    function("trim", &[TEXT], Class::Text, 0),
    function("ltrim", &[TEXT], Class::Text, 0),
    function("rtrim", &[TEXT], Class::Text, 0),
    function("trim", &[TEXT, TEXT], Class::Text, 0),
    function("ltrim", &[TEXT, TEXT], Class::Text, 0),
    function("rtrim", &[TEXT, TEXT], Class::Text, 0),
    function("replace", &[TEXT, TEXT, TEXT], Class::Text, 0),
    function("substr", &[TEXT, Takes::Small], Class::Text, 0),
    function("substr", &[TEXT, Takes::Small, Takes::Small], Class::Text, 0),
    function("substring", &[TEXT, Takes::Small, Takes::Small], Class::Text, 34),
    function("printf", &[Takes::Format, ANY, ANY], Class::Text, 0),
    function("format", &[Takes::Format, ANY, ANY], Class::Text, 38),
    function("concat", &[ANY, ANY], Class::Text, 44).and_more(ANY),
    function("concat_ws", &[TEXT, ANY, ANY], Class::Text, 44).and_more(ANY),
    function("unistr", &[Takes::HexDigits], Class::Text, 50),
    function("soundex", &[TEXT], Class::Text, 0).of(Part::Soundex),
    function("date", &[Takes::Moment], Class::Text, 0).and_more(Takes::Modifier),
    function("time", &[Takes::Moment], Class::Text, 0).and_more(Takes::Modifier),
    function("datetime", &[Takes::Moment], Class::Text, 0).and_more(Takes::Modifier),
    function("strftime", &[Takes::TimeFormat, Takes::Moment], Class::Text, 0)
        .and_more(Takes::Modifier),
    function("timediff", &[Takes::Moment, Takes::Moment], Class::Text, 43),
    function("sqlite_version", &[], Class::Text, 0).of(Part::Build),
    function("sqlite_source_id", &[], Class::Text, 0).of(Part::Build),
    function("sqlite_compileoption_get", &[Takes::Small], Class::Text, 0).of(Part::Build),
    function("sqlite_compileoption_used", &[TEXT], Class::Integer, 0).of(Part::Build),
    function("rtreenode", &[Takes::Small, Takes::Of(Class::Blob)], Class::Text, 0).of(Part::Rtree),
    // Blobs.
    function("zeroblob", &[Takes::Small], Class::Blob, 0),
    function("unhex", &[Takes::HexDigits], Class::Blob, 41),
    function("substr", &[Takes::Of(Class::Blob), Takes::Small], Class::Blob, 0),
    // JSON.
    json("json", &[Takes::Json], Gives::Json, 38),
    json("json_array", &[Takes::Plain], Gives::Json, 38).and_more(Takes::Plain),
    json("json_object", &[Takes::HexDigits, Takes::Plain], Gives::Json, 38),
    json("json_quote", &[Takes::Plain], Gives::Json, 38),
    json("json_insert", &[Takes::Json, Takes::Path, Takes::Plain], Gives::Json, 38),
    json("json_replace", &[Takes::Json, Takes::Path, Takes::Plain], Gives::Json, 38),
    json("json_set", &[Takes::Json, Takes::Path, Takes::Plain], Gives::Json, 38),
    json("json_patch", &[Takes::Json, Takes::Json], Gives::Json, 38),
    json("json_remove", &[Takes::Json, Takes::Path], Gives::Tagged, 38),
    json("json_extract", &[Takes::Json, Takes::Path], Gives::Tagged, 38),
    json("json_extract", &[Takes::Json, Takes::Path, Takes::Path], Gives::Json, 38),
    json("json_type", &[Takes::Json], Gives::Of(Class::Text), 38),
    json("json_type", &[Takes::Json, Takes::Path], Gives::Of(Class::Text), 38),
    json("json_pretty", &[Takes::Json], Gives::Of(Class::Text), 46),
    json("jsonb", &[Takes::Json], Gives::Of(Class::Blob), 45),
    json("jsonb_extract", &[Takes::Json, Takes::Path], Gives::Tagged, 45),
    json("jsonb_set", &[Takes::Json, Takes::Path, Takes::Plain], Gives::Of(Class::Blob), 45),
    json("jsonb_insert", &[Takes::Json, Takes::Path, Takes::Plain], Gives::Of(Class::Blob), 45),
    json("jsonb_replace", &[Takes::Json, Takes::Path, Takes::Plain], Gives::Of(Class::Blob), 45),
    json("jsonb_remove", &[Takes::Json, Takes::Path], Gives::Of(Class::Blob), 45),
    json("jsonb_patch", &[Takes::Json, Takes::Json], Gives::Of(Class::Blob), 45),
    json("jsonb_array", &[Takes::Plain], Gives::Of(Class::Blob), 45).and_more(Takes::Plain),
    json("jsonb_object", &[Takes::HexDigits, Takes::Plain], Gives::Of(Class::Blob), 45),
    // Mathematics.
    math("ceil", &[REAL]),
    math("floor", &[REAL]),
    math("trunc", &[REAL]),
    math("sqrt", &[REAL]),
    math("exp", &[Takes::Small]),
    math("ln", &[REAL]),
    math("log", &[REAL]),
    math("log2", &[REAL]),
    math("log", &[REAL, REAL]),
    math("pow", &[REAL, Takes::Small]),
    math("mod", &[REAL, REAL]),
    math("pi", &[]),
    math("sin", &[REAL]),
    math("cos", &[REAL]),
    math("tan", &[REAL]),
    math("asin", &[REAL]),
    math("acos", &[REAL]),
    math("atan", &[REAL]),
    math("atan2", &[REAL, REAL]),
    math("sinh", &[Takes::Small]),
    math("cosh", &[Takes::Small]),
    math("tanh", &[REAL]),
    math("degrees", &[REAL]),
    math("radians", &[REAL]),
];
