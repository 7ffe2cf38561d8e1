//! The text of expressions.

use std::fmt::Write as _;

use super::{Print, clause, list, tuple};
use crate::sql::ast::{Bound, Call, Expr, Frame, Literal, Members, Over, Raise, Window};

impl Print for Expr {
    fn print(&self, out: &mut String) {
        match self {
            Self::Literal(literal) => literal.print(out),
            Self::Column { source, column } => {
                if !source.is_empty() {
                    out.push_str(source);
                    out.push('.');
                }
                out.push_str(column);
            }
            Self::Printed(text) => out.push_str(text),
            // These have their own parentheses.
            Self::Call(call) => call.print(out),
            Self::Row(items) => tuple(out, items),
            Self::List(items) => {
                out.push('[');
                list(out, items, ", ", |out, item| item.print(out));
                out.push(']');
            }
            Self::Cast(operand, to) => {
                out.push_str("CAST(");
                operand.print(out);
                out.push_str(" AS ");
                out.push_str(to);
                out.push(')');
            }
            Self::Raise(raise) => raise.print(out),
            _ => {
                out.push('(');
                operation(out, self);
                out.push(')');
            }
        }
    }
}

/// The text between the parentheses of an operation.
fn operation(out: &mut String, expr: &Expr) {
    let not = |negated: bool| if negated { " NOT" } else { "" };
    match expr {
        Expr::Prefix(operator, operand) => {
            out.push_str(operator.text());
            operand.print(out);
        }
        Expr::Postfix(test, operand) => {
            operand.print(out);
            out.push(' ');
            out.push_str(test.text());
        }
        Expr::Binary(operator, left, right) => {
            left.print(out);
            out.push(' ');
            out.push_str(operator.text());
            out.push(' ');
            right.print(out);
        }
        Expr::Like { negated, word, text, pattern, escape } => {
            text.print(out);
            out.push_str(not(*negated));
            out.push(' ');
            out.push_str(word.text());
            out.push(' ');
            pattern.print(out);
            if let Some(escape) = escape {
                out.push_str(" ESCAPE ");
                text_literal(out, &escape.to_string());
            }
        }
        Expr::Between { negated, operand, low, high } => {
            operand.print(out);
            out.push_str(not(*negated));
            out.push_str(" BETWEEN ");
            low.print(out);
            out.push_str(" AND ");
            high.print(out);
        }
        Expr::In { negated, operand, members } => {
            operand.print(out);
            out.push_str(not(*negated));
            out.push_str(" IN ");
            members.print(out);
        }
        Expr::Case { operand, arms, otherwise } => {
            out.push_str("CASE");
            clause(out, " ", operand.as_deref());
            for (when, then) in arms {
                clause(out, " WHEN ", Some(when));
                clause(out, " THEN ", Some(then));
            }
            clause(out, " ELSE ", otherwise.as_deref());
            out.push_str(" END");
        }
        Expr::Collate(operand, collation) => {
            operand.print(out);
            out.push_str(" COLLATE ");
            out.push_str(collation.text());
        }
        Expr::Scalar(query) => query.print(out),
        Expr::Quantified { operand, operator, quantifier, query } => {
            operand.print(out);
            for word in [operator.text(), quantifier.text()] {
                out.push(' ');
                out.push_str(word);
            }
            out.push_str(" (");
            query.print(out);
            out.push(')');
        }
        Expr::Exists { negated, query } => {
            out.push_str(if *negated { "NOT EXISTS (" } else { "EXISTS (" });
            query.print(out);
            out.push(')');
        }
        Expr::Literal(_)
        | Expr::Column { .. }
        | Expr::Cast(..)
        | Expr::Row(_)
        | Expr::List(_)
        | Expr::Call(_)
        | Expr::Raise(_)
        | Expr::Printed(_) => {
            expr.print(out);
        }
    }
}

impl Print for Literal {
    fn print(&self, out: &mut String) {
        // Negative numbers are in parentheses too: `--` would begin a comment.
        let written = match self {
            Self::Null => write!(out, "NULL"),
            Self::Boolean(is) => write!(out, "{}", if *is { "TRUE" } else { "FALSE" }),
            Self::Integer(value) if *value < 0 => write!(out, "({value})"),
            Self::Integer(value) => write!(out, "{value}"),
            Self::Hexadecimal(value) => write!(out, "0x{value:x}"),
            Self::Real(value) if value.is_nan() => write!(out, "NULL"),
            Self::Real(value) if value.is_infinite() => {
                write!(out, "{}", if *value > 0.0 { "9e999" } else { "(-9e999)" })
            }
            Self::Real(value) if value.is_sign_negative() => write!(out, "({value:?})"),
            Self::Real(value) => write!(out, "{value:?}"),
            Self::Text(text) => {
                text_literal(out, text);
                Ok(())
            }
            Self::Blob(bytes) => {
                out.push_str("x'");
                let written = bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"));
                out.push('\'');
                written
            }
        };
        debug_assert!(written.is_ok(), "a string takes all that is written");
    }
}

/// A text in quotes.
fn text_literal(out: &mut String, text: &str) {
    out.push('\'');
    for (place, part) in text.split('\'').enumerate() {
        if place > 0 {
            out.push_str("''");
        }
        out.push_str(part);
    }
    out.push('\'');
}

impl Print for Members {
    fn print(&self, out: &mut String) {
        match self {
            Self::List(items) => tuple(out, items),
            Self::Table(name) => out.push_str(name),
            Self::Query(query) => {
                out.push('(');
                query.print(out);
                out.push(')');
            }
        }
    }
}

impl Print for Call {
    fn print(&self, out: &mut String) {
        out.push_str(self.name);
        out.push('(');
        if self.star {
            out.push('*');
        }
        if self.distinct {
            out.push_str("DISTINCT ");
        }
        list(out, &self.arguments, ", ", |out, argument| argument.print(out));
        if !self.order_by.is_empty() {
            out.push_str(" ORDER BY ");
            list(out, &self.order_by, ", ", |out, order| order.print(out));
        }
        out.push(')');
        if let Some(filter) = &self.filter {
            out.push_str(" FILTER (WHERE ");
            filter.print(out);
            out.push(')');
        }
        clause(out, " OVER ", self.over.as_ref());
    }
}

impl Print for Over {
    fn print(&self, out: &mut String) {
        match self {
            Self::Window(window) => window.print(out),
            Self::Named(name) => out.push_str(name),
        }
    }
}

impl Print for Window {
    fn print(&self, out: &mut String) {
        out.push('(');
        if !self.partition_by.is_empty() {
            out.push_str("PARTITION BY ");
            list(out, &self.partition_by, ", ", |out, expr| expr.print(out));
        }
        if !self.order_by.is_empty() {
            out.push_str(" ORDER BY ");
            list(out, &self.order_by, ", ", |out, order| order.print(out));
        }
        clause(out, " ", self.frame.as_ref());
        out.push(')');
    }
}

impl Print for Frame {
    fn print(&self, out: &mut String) {
        out.push_str(self.unit.text());
        out.push_str(" BETWEEN ");
        self.start.print(out);
        out.push_str(" AND ");
        self.end.print(out);
        out.push(' ');
        out.push_str(self.exclude.text());
    }
}

impl Print for Bound {
    fn print(&self, out: &mut String) {
        let written = match self {
            Self::UnboundedPreceding => write!(out, "UNBOUNDED PRECEDING"),
            Self::Preceding(rows) => write!(out, "{rows} PRECEDING"),
            Self::CurrentRow => write!(out, "CURRENT ROW"),
            Self::Following(rows) => write!(out, "{rows} FOLLOWING"),
            Self::UnboundedFollowing => write!(out, "UNBOUNDED FOLLOWING"),
        };
        debug_assert!(written.is_ok(), "a string takes all that is written");
    }
}

impl Print for Raise {
    fn print(&self, out: &mut String) {
        let (word, message) = match self {
            Self::Ignore => return out.push_str("RAISE(IGNORE)"),
            Self::Abort(message) => ("ABORT", message),
            Self::Fail(message) => ("FAIL", message),
        };
        out.push_str("RAISE(");
        out.push_str(word);
        out.push_str(", ");
        text_literal(out, message);
        out.push(')');
    }
}

#[cfg(test)]
mod tests {
    use super::super::Print as _;
    use crate::sql::ast::{Binary, Expr, Literal, Prefix};

    fn check(expr: &Expr, sql: &str) {
        assert_eq!(expr.sql(), sql);
    }

    #[test]
    fn minus_signs_are_never_adjacent() {
        let one = Expr::integer(-1);
        check(&Expr::Prefix(Prefix::Minus, Box::new(one)), "(-(-1))");
        check(&Expr::integer(i64::MIN), "(-9223372036854775808)");
    }

    #[test]
    fn operands_are_in_parentheses() {
        let sum = Expr::integer(1).binary(Binary::Plus, Expr::integer(2));
        let column = Expr::column("t", "c");
        check(&sum.binary(Binary::Times, column).negated(), "(NOT ((1 + 2) * t.c))");
    }

    #[test]
    fn literals_are_written_as_sqlite_reads_them() {
        check(&Expr::text("it's"), "'it''s'");
        check(&Expr::Literal(Literal::Blob(vec![0, 255])), "x'00ff'");
        check(&Expr::Literal(Literal::Real(f64::INFINITY)), "9e999");
        check(&Expr::Literal(Literal::Real(1e300)), "1e300");
        check(&Expr::Literal(Literal::Real(-0.0)), "(-0.0)");
        check(&Expr::Literal(Literal::Hexadecimal(-1)), "0xffffffffffffffff");
    }
}
