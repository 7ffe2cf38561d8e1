//! Types of columns and expressions.

use super::dialect::{Dialect, MODERN, Version};
use crate::sql::ast::{TypeName, words};

words! {
    /// A type.
    Type {
        Boolean = "BOOLEAN",
        TinyInt = "TINYINT",
        SmallInt = "SMALLINT",
        Integer = "INTEGER",
        BigInt = "BIGINT",
        HugeInt = "HUGEINT",
        Double = "DOUBLE",
        Decimal = "DECIMAL(18,3)",
        Varchar = "VARCHAR",
        Date = "DATE",
        Timestamp = "TIMESTAMP",
        Time = "TIME",
    }
}

impl From<Type> for TypeName {
    fn from(known: Type) -> Self {
        known.text()
    }
}

/// How often each type is chosen for a column.
const COLUMNS: &[(u32, Type)] = &[
    (6, Type::Integer),
    (5, Type::Varchar),
    (3, Type::BigInt),
    (3, Type::Double),
    (3, Type::Boolean),
    (3, Type::Date),
    (2, Type::Decimal),
    (2, Type::Timestamp),
    (2, Type::HugeInt),
    (1, Type::TinyInt),
    (1, Type::SmallInt),
    (1, Type::Time),
];

impl Type {
    /// The first version that has it as it is today.
    fn since(self) -> Version {
        match self {
            Self::HugeInt | Self::Decimal | Self::Time => MODERN,
            _ => (0, 0, 0),
        }
    }

    /// The types of a version, with their weights.
    pub(crate) fn weights(dialect: Dialect) -> Vec<(u32, Self)> {
        COLUMNS.iter().copied().filter(|(_, of)| dialect.has(of.since())).collect()
    }

    /// Whether it is a type of whole numbers.
    pub(crate) fn is_integer(self) -> bool {
        matches!(
            self,
            Self::TinyInt | Self::SmallInt | Self::Integer | Self::BigInt | Self::HugeInt
        )
    }

    /// Whether it is a type of numbers.
    pub(crate) fn is_number(self) -> bool {
        self.is_integer() || matches!(self, Self::Double | Self::Decimal)
    }

    /// Types whose values can always be converted to this one.
    pub(crate) fn sources(self) -> &'static [Self] {
        match self {
            Self::Boolean => &[Self::Integer, Self::BigInt, Self::TinyInt],
            Self::TinyInt => &[Self::Boolean],
            Self::SmallInt => &[Self::Boolean, Self::TinyInt],
            Self::Integer => &[Self::Boolean, Self::TinyInt, Self::SmallInt],
            Self::BigInt => &[Self::Boolean, Self::Integer, Self::SmallInt],
            Self::HugeInt => &[Self::Integer, Self::BigInt],
            Self::Double => &[Self::Integer, Self::BigInt, Self::Decimal],
            Self::Decimal => &[Self::Integer, Self::SmallInt],
            Self::Varchar => {
                &[Self::Integer, Self::Boolean, Self::Double, Self::Date, Self::Decimal]
            }
            Self::Timestamp => &[Self::Date],
            Self::Date | Self::Time => &[Self::Timestamp],
        }
    }

    /// Whether an index can be built on it.
    pub(crate) fn is_indexed(self) -> bool {
        !matches!(self, Self::Decimal | Self::Time | Self::Boolean)
    }
}
