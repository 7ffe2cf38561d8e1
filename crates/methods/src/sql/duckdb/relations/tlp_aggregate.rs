//! TLP on aggregates.

use std::rc::Rc;

use metacov_core::{Input, Judge, Pair, RelationInfo, Rng, Test};

use crate::sql::ast::{Call, Expr, From, Query, ResultColumn, Select, SetOperator};
use crate::sql::duckdb::dialect::MODERN;
use crate::sql::duckdb::{Generator, Schema, Type};
use crate::sql::print::{Print as _, printed};
use crate::sql::relations::partition::{in_where, partitioned};
use crate::sql::relations::{DEPTH, QueryParts};

/// The aggregate of the whole follows from those of the three partitions.
pub(super) const TLP_AGGREGATE: RelationInfo = RelationInfo {
    name: "tlp-aggregate",
    about: "an aggregate of the three parts of a WHERE is put together to that of all rows",
};

/// An aggregate, and the one that combines those of the partitions.
struct Aggregate {
    inner: &'static str,
    outer: &'static str,
    of: Type,
    judge: Judge,
}

/// Rule: no sum or average of DOUBLE, which depends on the order of rows. An average does not follow
/// from averages. The sum of sums is an integer (HUGEINT) or a DECIMAL, so there is no tolerance.
pub(super) fn derive(schema: &Schema, rng: &mut Rng) -> Test {
    let mut generator = Generator::new(schema, rng);
    let (from, scope) = generator.sources();
    let select = Select { from: Some(from.printed()), ..Select::default() };
    let Aggregate { inner, outer, of, judge } = choose(&mut generator, &scope);
    let (argument, filter) = generator.within_scope(Rc::clone(&scope), |generator| {
        let argument = printed(&[generator.argument(|generator| generator.value(of, 2))]);
        let has_filter = schema.dialect.has((0, 5, 0)) && generator.rng.chance(15);
        (
            argument,
            has_filter.then(|| printed(&[generator.argument(|generator| generator.truth(1))])),
        )
    });
    let predicate = printed(&[generator.predicate(&scope, DEPTH)]);
    let call = |name: &'static str| {
        let (arguments, filter) = (vec![argument.clone()], filter.clone());
        Expr::Call(Box::new(Call { name, arguments, filter, ..Call::default() }))
    };
    let mut shared: Vec<Rc<str>> = select.from.iter().filter_map(From::shared).collect();
    shared.extend([&argument, &predicate].into_iter().chain(&filter).filter_map(Expr::shared));
    let whole = Select { columns: vec![ResultColumn::of(call(inner))], ..select.clone() };
    let part = Select { columns: vec![ResultColumn::named(call(inner), "aggr")], ..select };
    let united = partitioned(&part, &predicate, SetOperator::UnionAll, in_where);
    let combined = Expr::call(outer, vec![Expr::column("", "aggr")]);
    let composed = Select {
        columns: vec![ResultColumn::of(combined)],
        from: Some(From::of(Generator::derived(united))),
        ..Select::default()
    };
    let sides = Pair { a: whole, b: composed }.map(|select| Input::of(Query::of(select).sql()));
    Test::new(sides, judge, shared)
}

fn choose(generator: &mut Generator<'_>, scope: &Rc<crate::sql::duckdb::Scope>) -> Aggregate {
    let is_modern = generator.schema.dialect.has(MODERN);
    let any = generator.rng.pick(&scope.columns).of;
    let of = |inner, of| Aggregate { inner, outer: inner, of, judge: Judge::Bag };
    match generator.rng.below(10) {
        0 | 1 => Aggregate { inner: "COUNT", outer: "SUM", of: any, judge: Judge::Number },
        2 | 3 => of("SUM", Type::Integer),
        4 if is_modern => of("SUM", Type::Decimal),
        5 if is_modern => {
            let name = *generator.rng.pick(&["bool_and", "bool_or"]);
            of(name, Type::Boolean)
        }
        6 if is_modern => {
            let name = *generator.rng.pick(&["bit_and", "bit_or", "bit_xor"]);
            of(name, Type::Integer)
        }
        _ if any == Type::Boolean || !any.is_shown() => of("SUM", Type::Integer),
        _ => {
            let name = *generator.rng.pick(&["MIN", "MAX"]);
            of(name, any)
        }
    }
}
