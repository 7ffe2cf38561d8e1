//! Random calls of scalar functions.

use super::Generator;
use crate::sql::ast::{Binary, Expr, Literal, Type};
use crate::sql::sqlite::function::{Class, FUNCTIONS, Function, Gives, Takes};

const PATHS: &[&str] = &["$", "$.a", "$.b", "$[0]", "$[1]", "$.b[1]", "$.c.a", "$[#-1]"];
const FORMATS: &[&str] = &[
    "%d", "%s|%s", "%5.2f", "%x %o", "%q", "%Q", "%+05d", "%-4s|", "%e", "%g", "%,d", "%c%%", "%w",
];
const TIME_FORMATS: &[&str] = &["%Y-%m-%d", "%j", "%W %w", "%s", "%f", "%H:%M:%S", "%J"];
const MOMENTS: &[&str] = &[
    "2000-02-29",
    "1970-01-01 00:00:00",
    "2024-12-31 23:59:59.999",
    "12:34:56",
    "-4713-11-24 12:00",
];
const MODIFIERS: &[&str] = &[
    "+1 day",
    "-3 months",
    "+1.5 hours",
    "start of month",
    "start of year",
    "weekday 0",
    "+01:30",
    "-1 year",
    "unixepoch",
    "julianday",
    "auto",
    "ceiling",
    "floor",
    "+0001-02-03 04:05",
];
/// How many random functions are tried before the first suitable one is taken.
const TRIES: usize = 100;

const HEX_DIGITS: &[&str] = &["", "61", "4142", "00ff", "c3a9"];

impl Generator<'_> {
    /// A call that returns a class, most of the time.
    pub fn call(&mut self, class: Class, depth: u32) -> Expr {
        if self.rng.chance(5) && self.schema.dialect.has(38) {
            return self.arrow(depth);
        }
        let blobs = self.schema.blobs;
        let gives = |function: &Function| match function.gives {
            Gives::Of(Class::Blob) | Gives::Tagged if !blobs => false,
            Gives::Of(given) => class == Class::Any || given == class || given == Class::Any,
            Gives::Json | Gives::Tagged => matches!(class, Class::Any | Class::Text),
        };
        let Some(function) = self.choose(gives) else { return self.column(class) };
        let call = self.call_of(function, depth);
        match function.gives {
            Gives::Of(_) => call,
            Gives::Json | Gives::Tagged => untagged(call),
        }
    }

    /// An expression that is certainly JSON.
    fn json(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.rng.chance(50) {
            let document = self.document();
            let binary = self.schema.dialect.has(45) && self.schema.blobs && self.rng.chance(10);
            return if binary { Expr::call("jsonb", vec![document]) } else { document };
        }
        match self.choose(|function| function.gives == Gives::Json) {
            Some(function) => self.call_of(function, depth - 1),
            None => self.document(),
        }
    }

    /// `json -> path` or `json ->> path`
    fn arrow(&mut self, depth: u32) -> Expr {
        let path = if self.rng.chance(30) {
            Expr::integer(self.small())
        } else {
            Expr::text(self.rng.pick(PATHS))
        };
        let json = self.json(depth);
        if self.rng.chance(50) {
            json.binary(Binary::LongArrow, path)
        } else {
            untagged(json.binary(Binary::Arrow, path))
        }
    }

    fn choose(&mut self, fits: impl Fn(&Function) -> bool) -> Option<&'static Function> {
        let fits = |function: &&Function| {
            function.is_in(&self.schema.dialect, self.defining) && fits(function)
        };
        // Faster than filtering all functions, and as fair.
        for _ in 0..TRIES {
            let function = self.rng.pick(FUNCTIONS);
            if fits(&function) {
                return Some(function);
            }
        }
        FUNCTIONS.iter().find(fits)
    }

    fn call_of(&mut self, function: &'static Function, depth: u32) -> Expr {
        let mut arguments: Vec<Expr> =
            function.takes.iter().map(|&takes| self.argument(takes, depth)).collect();
        if let Some(more) = function.more {
            for _ in 0..self.rng.weigh(&[(6, 0), (3, 1), (1, 2)]) {
                arguments.push(self.argument(more, depth));
            }
        }
        Expr::call(function.name, arguments)
    }

    fn argument(&mut self, takes: Takes, depth: u32) -> Expr {
        match takes {
            Takes::Of(class) => self.value(class, depth.saturating_sub(1)),
            Takes::Small => Expr::integer(self.small()),
            Takes::Json => self.json(depth),
            Takes::Plain => {
                let to = *self.rng.pick(&[Type::Integer, Type::Text, Type::Real]);
                self.value(Class::Any, depth.saturating_sub(1)).cast(to)
            }
            Takes::Path => Expr::text(self.rng.pick(PATHS)),
            Takes::Format => Expr::text(self.rng.pick(FORMATS)),
            Takes::TimeFormat => Expr::text(self.rng.pick(TIME_FORMATS)),
            Takes::Moment => match self.rng.below(4) {
                0 => self.column(Class::Text),
                1 => Expr::Literal(Literal::Real(2_451_545.25 + f64::from(self.rng.number(-3, 9)))),
                _ => Expr::text(self.rng.pick(MOMENTS)),
            },
            Takes::Modifier => Expr::text(self.rng.pick(MODIFIERS)),
            Takes::Probability => {
                Expr::Literal(Literal::Real(*self.rng.pick(&[0.0, 0.01, 0.5, 0.9375, 1.0])))
            }
            Takes::Pattern => self.pattern(),
            Takes::Character => Expr::text(self.rng.pick(&["\\", "_", "a"])),
            Takes::HexDigits => Expr::text(self.rng.pick(HEX_DIGITS)),
        }
    }

    /// A pattern of LIKE or GLOB.
    pub fn pattern(&mut self) -> Expr {
        if self.rng.chance(20) {
            return self.value(Class::Text, 1);
        }
        Expr::text(self.rng.pick(&[
            "a%", "A%", "%a", "%b%", "_", "a_", "%", "a*", "*b", "?", "[a-c]*", "1%", "", "a", "é%",
        ]))
    }
}

/// The text without JSON's subtype.
///
/// Rule: a subtype never leaves the JSON function that it is an argument of. It is lost where rows
/// are materialised, which is the planner's choice, and `json_array(x)` would show the difference.
pub fn untagged(expr: Expr) -> Expr {
    expr.binary(Binary::Concatenate, Expr::text(""))
}
