//! TLP on aggregates.

use std::rc::Rc;

use metacov_core::{Input, Judge, Pair, RelationInfo, Rng, Test};

use crate::sql::relations::partition::{in_where, partitioned};
use crate::sql::relations::{DEPTH, QueryParts as _};
use crate::sql::sqlite::{
    Binary, Call, Expr, From, Generator, Print as _, Query, ResultColumn, Schema, Select,
    SetOperator, Source, Type, percent, printed,
};

/// The aggregate of the whole follows from those of the three partitions.
pub(super) const TLP_AGGREGATE: RelationInfo = RelationInfo {
    name: "tlp-aggregate",
    about: "an aggregate of the three parts of a WHERE is put together to that of all rows",
};

/// An aggregate that can be computed from partitions.
#[derive(Clone, Copy)]
enum Aggregate {
    Minimum,
    Maximum,
    Sum,
    Total,
    Count,
    Average,
}

const AGGREGATES: &[(u32, Aggregate)] = &[
    (4, Aggregate::Minimum),
    (4, Aggregate::Maximum),
    (3, Aggregate::Sum),
    (2, Aggregate::Total),
    (3, Aggregate::Count),
    (2, Aggregate::Average),
];

/// Rule: arguments of MIN and MAX are exact and compared byte by byte, like the outer aggregate of
/// their results: under NOCASE the inner one would use another order. Reals are summed as eighths
/// (see `Generator::eighths`), so there is no tolerance. Other tools report most of their false
/// alarms for this relation because they lack these two rules.
pub(super) fn derive(schema: &Schema, rng: &mut Rng) -> Test {
    let mut generator = Generator::new(schema, rng);
    let (from, scope) = generator.sources();
    let from = from.printed();
    let aggregate = generator.rng.weigh(AGGREGATES);
    let select = Select { from: Some(from), ..Select::default() };
    generator.within_scope(scope, |generator| {
        let argument = printed(&[argument(generator, aggregate)]);
        let filter = (generator.schema.dialect.has(30) && generator.rng.chance(percent::FILTER))
            .then(|| printed(&[generator.aggregate_filter()]));
        let call = |name: &'static str| {
            let arguments = vec![argument.clone()];
            Expr::Call(Box::new(Call {
                name,
                arguments,
                filter: filter.clone(),
                ..Call::default()
            }))
        };
        let (inner, outer) = parts(aggregate, &call);
        let predicate = printed(&[generator.truth(DEPTH)]);
        // Partitions may be grouped further; this preserves only sums and extremes.
        let group_by = if matches!(aggregate, Aggregate::Average) || !generator.rng.chance(10) {
            Vec::new()
        } else {
            vec![printed(&[generator.column_expr()])]
        };
        let mut shared: Vec<Rc<str>> = select.from.iter().filter_map(From::shared).collect();
        let terms = [&argument, &predicate].into_iter().chain(&filter).chain(&group_by);
        shared.extend(terms.filter_map(Expr::shared));
        let whole =
            Select { columns: vec![ResultColumn::of(call(name(aggregate)))], ..select.clone() };
        let part = Select { columns: inner, group_by, ..select };
        let united = partitioned(&part, &predicate, SetOperator::UnionAll, in_where);
        let composed = Select {
            columns: vec![ResultColumn::of(outer)],
            from: Some(From::of(Source::derived(united))),
            ..Select::default()
        };
        let judge = if matches!(aggregate, Aggregate::Count) { Judge::Number } else { Judge::Bag };
        let sides = Pair { a: whole, b: composed }.map(|select| Input::of(Query::of(select).sql()));
        Test::new(sides, judge, shared)
    })
}

fn name(aggregate: Aggregate) -> &'static str {
    match aggregate {
        Aggregate::Minimum => "MIN",
        Aggregate::Maximum => "MAX",
        Aggregate::Sum => "SUM",
        Aggregate::Total => "TOTAL",
        Aggregate::Count => "COUNT",
        Aggregate::Average => "AVG",
    }
}

fn argument(generator: &mut Generator<'_>, aggregate: Aggregate) -> Expr {
    match aggregate {
        Aggregate::Minimum | Aggregate::Maximum => generator.exact(2).0,
        Aggregate::Count => generator.column_expr(),
        Aggregate::Sum if generator.rng.chance(60) => generator.small_integer(2),
        Aggregate::Sum | Aggregate::Total | Aggregate::Average => generator.eighths(2),
    }
}

/// What the partitions compute, and how the whole is computed from it.
fn parts(aggregate: Aggregate, call: &dyn Fn(&'static str) -> Expr) -> (Vec<ResultColumn>, Expr) {
    let over = |name: &'static str, column: &str| Expr::call(name, vec![Expr::column("", column)]);
    let first = |name| ResultColumn::named(call(name), "aggr");
    match aggregate {
        Aggregate::Minimum | Aggregate::Maximum | Aggregate::Sum | Aggregate::Total => {
            let name = name(aggregate);
            (vec![first(name)], over(name, "aggr"))
        }
        Aggregate::Count => (vec![first("COUNT")], over("SUM", "aggr")),
        Aggregate::Average => {
            let parts = vec![first("SUM"), ResultColumn::named(call("COUNT"), "counted")];
            (
                parts,
                over("SUM", "aggr").cast(Type::Real).binary(Binary::Divide, over("SUM", "counted")),
            )
        }
    }
}
