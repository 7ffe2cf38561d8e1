//! The text of queries.

use std::fmt::Write as _;

use super::{Print, clause, list, names, tuple, word};
use crate::sql::ast::{
    Body, Cte, From, IndexHint, Join, JoinConstraint, JoinKind, Limit, Order, Query, ResultColumn,
    Select, Source, SourceKind,
};

impl Print for Query {
    fn print(&self, out: &mut String) {
        if !self.with.is_empty() {
            // RECURSIVE allows recursion and does not require it.
            out.push_str("WITH RECURSIVE ");
            list(out, &self.with, ", ", |out, cte| cte.print(out));
            out.push(' ');
        }
        self.body.print(out);
        if !self.order_by.is_empty() {
            out.push_str(" ORDER BY ");
            list(out, &self.order_by, ", ", |out, order| order.print(out));
        }
        clause(out, " ", self.limit.as_ref());
    }
}

impl Print for Cte {
    fn print(&self, out: &mut String) {
        out.push_str(&self.name);
        out.push('(');
        names(out, &self.columns);
        out.push_str(") AS ");
        out.push_str(self.hint.text());
        out.push('(');
        self.query.print(out);
        out.push(')');
    }
}

impl Print for Body {
    fn print(&self, out: &mut String) {
        match self {
            Self::Select(select) => select.print(out),
            Self::Compound { operator, left, right } => {
                left.print(out);
                out.push(' ');
                out.push_str(operator.text());
                out.push(' ');
                right.print(out);
            }
            Self::Values(rows) => {
                out.push_str("VALUES ");
                list(out, rows, ", ", |out, row| tuple(out, row));
            }
        }
    }
}

impl Print for Select {
    fn print(&self, out: &mut String) {
        out.push_str(if self.distinct { "SELECT DISTINCT " } else { "SELECT " });
        list(out, &self.columns, ", ", |out, column| column.print(out));
        clause(out, " FROM ", self.from.as_ref());
        clause(out, " WHERE ", self.filter.as_ref());
        if !self.group_by.is_empty() {
            out.push_str(" GROUP BY ");
            list(out, &self.group_by, ", ", |out, key| key.print(out));
        }
        clause(out, " HAVING ", self.having.as_ref());
        if !self.windows.is_empty() {
            out.push_str(" WINDOW ");
            list(out, &self.windows, ", ", |out, (name, window)| {
                out.push_str(name);
                clause(out, " AS ", Some(window));
            });
        }
        clause(out, " QUALIFY ", self.qualify.as_ref());
    }
}

impl Print for ResultColumn {
    fn print(&self, out: &mut String) {
        match self {
            Self::Star => out.push('*'),
            Self::Expr { expr, name } => {
                expr.print(out);
                if let Some(name) = name {
                    out.push_str(" AS ");
                    out.push_str(name);
                }
            }
        }
    }
}

impl Print for From {
    fn print(&self, out: &mut String) {
        self.first.print(out);
        for join in &self.joins {
            join.print(out);
        }
    }
}

impl Print for Join {
    fn print(&self, out: &mut String) {
        if self.kind == JoinKind::Comma {
            out.push_str(", ");
            return self.source.print(out);
        }
        out.push_str(if self.natural { " NATURAL " } else { " " });
        out.push_str(self.kind.text());
        out.push(' ');
        self.source.print(out);
        match &self.constraint {
            JoinConstraint::None => {}
            JoinConstraint::On(expr) => clause(out, " ON ", Some(expr)),
            JoinConstraint::Using(columns) => {
                out.push_str(" USING (");
                names(out, columns);
                out.push(')');
            }
        }
    }
}

impl Print for Source {
    fn print(&self, out: &mut String) {
        match &self.kind {
            SourceKind::Named { name, .. } => out.push_str(name),
            SourceKind::Derived(query) | SourceKind::Lateral(query) => {
                word(out, matches!(self.kind, SourceKind::Lateral(_)), "LATERAL");
                out.push('(');
                query.print(out);
                out.push(')');
            }
            SourceKind::Function { name, arguments } => {
                out.push_str(name);
                tuple(out, arguments);
            }
            SourceKind::Printed(text) => out.push_str(text),
        }
        if let Some(alias) = &self.alias {
            out.push_str(" AS ");
            out.push_str(alias);
        }
        match &self.kind {
            SourceKind::Named { hint: IndexHint::NotIndexed, .. } => out.push_str(" NOT INDEXED"),
            SourceKind::Named { hint: IndexHint::IndexedBy(index), .. } => {
                out.push_str(" INDEXED BY ");
                out.push_str(index);
            }
            _ => {}
        }
    }
}

impl Print for Order {
    fn print(&self, out: &mut String) {
        self.expr.print(out);
        out.push_str(self.direction.text());
        out.push_str(self.nulls.text());
    }
}

impl Print for Limit {
    fn print(&self, out: &mut String) {
        let mut written = write!(out, "LIMIT {}", self.count);
        if let Some(offset) = self.offset {
            written = written.and(write!(out, " OFFSET {offset}"));
        }
        debug_assert!(written.is_ok(), "a string takes all that is written");
    }
}
