//! Types of columns and expressions.

use super::dialect::{Dialect, MODERN, Version};
use crate::sql::ast::{Expr, TypeName, words};

words! {
    /// A type.
    Type {
        Boolean = "BOOLEAN",
        TinyInt = "TINYINT",
        SmallInt = "SMALLINT",
        Integer = "INTEGER",
        BigInt = "BIGINT",
        HugeInt = "HUGEINT",
        UInteger = "UINTEGER",
        UBigInt = "UBIGINT",
        Real = "REAL",
        Double = "DOUBLE",
        Decimal = "DECIMAL(18,3)",
        Varchar = "VARCHAR",
        Date = "DATE",
        Timestamp = "TIMESTAMP",
        Time = "TIME",
        Interval = "INTERVAL",
        Uuid = "UUID",
        Blob = "BLOB",
        Enum = "ENUM('a', 'b', 'ab')",
        Integers = "INTEGER[]",
        Texts = "VARCHAR[]",
        Struct = "STRUCT(a INTEGER, b VARCHAR)",
    }
}

impl From<Type> for TypeName {
    fn from(known: Type) -> Self {
        known.text()
    }
}

/// How often each type is chosen for a column.
const COLUMNS: &[(u32, Type)] = &[
    (12, Type::Integer),
    (10, Type::Varchar),
    (6, Type::BigInt),
    (6, Type::Double),
    (6, Type::Boolean),
    (6, Type::Date),
    (4, Type::Decimal),
    (4, Type::Timestamp),
    (4, Type::HugeInt),
    (2, Type::TinyInt),
    (2, Type::SmallInt),
    (2, Type::Time),
    (1, Type::UInteger),
    (2, Type::UBigInt),
    (2, Type::Real),
    (2, Type::Interval),
    (2, Type::Uuid),
    (2, Type::Blob),
    (2, Type::Enum),
    (3, Type::Integers),
    (2, Type::Texts),
    (3, Type::Struct),
];

impl Type {
    /// The first version that has it as it is today.
    fn since(self) -> Version {
        match self {
            Self::HugeInt | Self::Decimal | Self::Time => MODERN,
            Self::UInteger | Self::UBigInt | Self::Real | Self::Interval | Self::Blob => (0, 5, 0),
            Self::Uuid | Self::Enum => (1, 0, 0),
            // Rule: before, WHERE and SELECT disagree on lists with NULL in them.
            Self::Integers | Self::Texts | Self::Struct => (1, 1, 0),
            _ => (0, 0, 0),
        }
    }

    /// The types of a version, with their weights.
    pub(crate) fn weights(dialect: Dialect) -> Vec<(u32, Self)> {
        COLUMNS.iter().copied().filter(|(_, of)| dialect.has(of.since())).collect()
    }

    /// Whether it is a type of whole numbers.
    pub(crate) fn is_integer(self) -> bool {
        let is_signed = matches!(
            self,
            Self::TinyInt | Self::SmallInt | Self::Integer | Self::BigInt | Self::HugeInt
        );
        is_signed || matches!(self, Self::UInteger | Self::UBigInt)
    }

    /// Whether it is a type of numbers that are not exact.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::Real | Self::Double)
    }

    /// Whether it is a type of numbers.
    pub(crate) fn is_number(self) -> bool {
        self.is_integer() || self.is_float() || self == Self::Decimal
    }

    /// Types whose values can always be converted to this one.
    pub(crate) fn sources(self) -> &'static [Self] {
        match self {
            Self::Boolean => &[Self::Integer, Self::BigInt, Self::TinyInt],
            Self::TinyInt | Self::UInteger => &[Self::Boolean],
            Self::SmallInt => &[Self::Boolean, Self::TinyInt],
            Self::Integer => &[Self::Boolean, Self::TinyInt, Self::SmallInt],
            Self::BigInt => &[Self::Boolean, Self::Integer, Self::SmallInt, Self::UInteger],
            Self::HugeInt => &[Self::Integer, Self::BigInt, Self::UBigInt],
            Self::UBigInt => &[Self::Boolean, Self::UInteger],
            Self::Double => &[Self::Integer, Self::BigInt, Self::Decimal, Self::Real],
            Self::Real | Self::Decimal => &[Self::Integer, Self::SmallInt],
            Self::Varchar => &[
                Self::Integer,
                Self::Boolean,
                Self::Double,
                Self::Date,
                Self::Decimal,
                Self::Timestamp,
                Self::Time,
                Self::Interval,
                Self::Uuid,
                Self::Enum,
                Self::Integers,
                Self::Struct,
            ],
            Self::Timestamp => &[Self::Date],
            Self::Date | Self::Time => &[Self::Timestamp],
            Self::Texts => &[Self::Integers],
            Self::Interval
            | Self::Uuid
            | Self::Blob
            | Self::Enum
            | Self::Integers
            | Self::Struct => &[],
        }
    }

    /// Whether an index can be built on it.
    pub(crate) fn is_indexed(self) -> bool {
        !matches!(
            self,
            Self::Decimal
                | Self::Time
                | Self::Boolean
                | Self::Interval
                | Self::Integers
                | Self::Texts
                | Self::Struct
        )
    }

    /// Whether a column of it can be a key: random values of it rarely are equal.
    pub(crate) fn is_key(self) -> bool {
        matches!(self, Self::Integer | Self::BigInt | Self::Varchar)
    }

    /// A value of this type as a column of a result. DuckDB's C interface does not convert values of
    /// some types to text.
    pub(crate) fn shown(self, value: Expr) -> Expr {
        if self.is_shown() { value } else { value.cast(Self::Varchar) }
    }

    /// Whether a value of this type can be a column of a result as it is.
    pub(crate) fn is_shown(self) -> bool {
        !matches!(self, Self::Uuid | Self::Enum | Self::Integers | Self::Texts | Self::Struct)
    }
}
