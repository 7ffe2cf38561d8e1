//! Writes metacov's own JSON.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use metacov_core::{
    Criterion, Element, Failure, Operation, SiteId, Summaries, Tally, Violation, total,
};
use serde::{Serialize, Serializer};

use crate::export::{Export, FileSites};

/// The version of the structure below. The first number grows when readers have to change.
const VERSION: &str = "2.1";

pub(super) fn document(export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
    let suite = export.suite;
    let document = Document {
        format: "metacov",
        version: VERSION,
        metacov: env!("CARGO_PKG_VERSION"),
        build: suite.table.build_id().to_string(),
        provenance: export
            .provenance
            .iter()
            .map(|(name, value)| (name.replace(' ', "_"), value.as_str()))
            .collect(),
        operation: suite.operation.name(),
        identity: if suite.per_instance { "instance" } else { "line" },
        criteria: export.criteria.iter().map(Criterion::name).collect(),
        warnings: suite.warnings().iter().map(ToString::to_string).collect(),
        total: fold(export, export.total),
        relations: suite
            .relations
            .iter()
            .map(|(name, tally)| (name.as_str(), fold(export, tally)))
            .collect(),
        violations: export.violations.values().map(ViolationEntry::of).collect(),
        files: Files(export),
    };
    // A separate buffer, because the serializer writes a few bytes at a time.
    let mut out = BufWriter::new(out);
    serde_json::to_writer(&mut out, &document)?;
    writeln!(out)?;
    out.flush()
}

#[derive(Serialize)]
struct Document<'e> {
    format: &'static str,
    version: &'static str,
    metacov: &'static str,
    build: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    provenance: BTreeMap<String, &'e str>,
    operation: &'static str,
    identity: &'static str,
    criteria: Vec<&'static str>,
    warnings: Vec<String>,
    total: Fold,
    relations: BTreeMap<&'e str, Fold>,
    violations: Vec<ViolationEntry<'e>>,
    files: Files<'e>,
}

/// A pair that violates its relation.
#[derive(Serialize)]
struct ViolationEntry<'e> {
    relation: &'e str,
    pair: &'e str,
    how: &'e str,
}

impl<'e> ViolationEntry<'e> {
    fn of(violation: &'e Violation) -> Self {
        let Violation { relation, pair, how, .. } = violation;
        ViolationEntry { relation, pair, how }
    }
}

/// All files, serialized one by one.
struct Files<'e>(&'e Export<'e>);

impl Serialize for Files<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.files().iter().map(|sites| file(self.0, sites)))
    }
}

#[derive(Serialize)]
struct Fold {
    pairs: u64,
    groups_with_judge: u64,
    groups_violated: u64,
    groups_without_difference: u64,
    failed: BTreeMap<&'static str, u64>,
    summary: BTreeMap<&'static str, Counts>,
}

#[derive(Serialize)]
struct Counts {
    sites: Option<u64>,
    executed: u64,
    cov: Option<f64>,
    a_only: u64,
    b_only: u64,
    either: u64,
    both: u64,
    not_executed: Option<u64>,
    #[serde(flatten)]
    result: ResultCounts,
    flaky: u64,
}

/// The result of the operation. Only the difference is metamorphic coverage.
#[derive(Serialize)]
#[serde(untagged)]
enum ResultCounts {
    Difference { mc_sites: u64, mc: Option<f64>, mc_cov: Option<f64> },
    Other { result: u64, result_of_sites: Option<f64>, result_of_executed: Option<f64> },
}

#[derive(Serialize)]
struct File<'e> {
    path: &'e str,
    lines: Vec<LineEntry<'e>>,
    branches: Vec<BranchEntry<'e>>,
    functions: Vec<FunctionEntry<'e>>,
    regions: Vec<RegionEntry<'e>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<BlockEntry<'e>>,
}

#[derive(Serialize)]
struct LineEntry<'e> {
    line: u32,
    #[serde(flatten)]
    state: StateEntry<'e>,
}

#[derive(Serialize)]
struct BranchEntry<'e> {
    line: u32,
    branch: usize,
    #[serde(flatten)]
    state: StateEntry<'e>,
}

#[derive(Serialize)]
struct FunctionEntry<'e> {
    line: u32,
    name: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    shown_name: Option<&'e str>,
    #[serde(flatten)]
    state: StateEntry<'e>,
}

#[derive(Serialize)]
struct RegionEntry<'e> {
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    #[serde(flatten)]
    state: StateEntry<'e>,
}

#[derive(Serialize)]
struct BlockEntry<'e> {
    line: u32,
    function: &'e str,
    block: u32,
    #[serde(flatten)]
    state: StateEntry<'e>,
}

#[derive(Serialize)]
struct StateEntry<'e> {
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<&'e str>,
    state: &'static str,
    /// In how many pairs the result contains the site.
    pairs: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    flaky: bool,
}

fn fold(export: &Export<'_>, tally: &Tally) -> Fold {
    let summaries: Summaries = total(export.table(), tally);
    let summary = export.criteria.iter().map(|criterion| {
        let summary = summaries[criterion];
        let complete = !export.table().partial().contains(criterion);
        let (result, result_of_sites, result_of_executed) = (
            summary.result,
            summary.result_of_sites().filter(|_| complete),
            summary.result_of_executed(),
        );
        let counts = Counts {
            cov: summary.cov().filter(|_| complete),
            sites: complete.then_some(summary.sites),
            executed: summary.executed(),
            a_only: summary.a_only,
            b_only: summary.b_only,
            either: summary.either,
            both: summary.both,
            not_executed: complete.then(|| summary.not_executed()),
            result: match export.suite.operation {
                Operation::Xor => ResultCounts::Difference {
                    mc_sites: result,
                    mc: result_of_sites,
                    mc_cov: result_of_executed,
                },
                _ => ResultCounts::Other { result, result_of_sites, result_of_executed },
            },
            flaky: summary.flaky,
        };
        (criterion.name(), counts)
    });
    Fold {
        pairs: tally.pairs,
        groups_with_judge: tally.judged,
        groups_violated: tally.violated,
        groups_without_difference: tally.vacuous,
        failed: Failure::ALL.map(|failure| (failure.name(), tally.failed(failure))).into(),
        summary: summary.collect(),
    }
}

fn file<'e>(export: &'e Export<'_>, sites: &FileSites<'e>) -> File<'e> {
    let table = export.table();
    let lines = sites.lines.iter().filter_map(|line| line.line);
    let branches = sites.lines.iter().flat_map(|line| line.branches.iter().enumerate());
    let regions = sites.regions.iter().filter_map(|id| match table.get(*id).element {
        Element::Region(span) => Some((id, span)),
        _ => None,
    });
    let functions = sites.functions.iter().filter_map(|id| match table.get(*id).element {
        Element::Function(name) => Some((id, name)),
        _ => None,
    });
    let blocks = sites.blocks.iter().filter_map(|id| match table.get(*id).element {
        Element::Block { function, number } => Some((id, function, number)),
        _ => None,
    });
    File {
        path: sites.path,
        lines: lines
            .map(|id| LineEntry { line: table.get(id).line, state: state(export, id) })
            .collect(),
        branches: branches
            .map(|(branch, id)| BranchEntry {
                line: table.get(*id).line,
                branch,
                state: state(export, *id),
            })
            .collect(),
        functions: functions
            .map(|(id, name)| FunctionEntry {
                line: table.get(*id).line,
                name: table.name(name),
                shown_name: Some(table.shown_name(name)).filter(|shown| *shown != table.name(name)),
                state: state(export, *id),
            })
            .collect(),
        regions: regions
            .map(|(id, span)| RegionEntry {
                line: table.get(*id).line,
                column: span.column,
                end_line: span.end_line,
                end_column: span.end_column,
                state: state(export, *id),
            })
            .collect(),
        blocks: blocks
            .map(|(id, function, block)| BlockEntry {
                line: table.get(*id).line,
                function: table.name(function),
                block,
                state: state(export, *id),
            })
            .collect(),
    }
}

fn state<'e>(export: &'e Export<'_>, id: SiteId) -> StateEntry<'e> {
    let instance = export.table().name(export.table().get(id).instance);
    StateEntry {
        instance: (!instance.is_empty()).then_some(instance),
        state: export.total.state(id).name(),
        pairs: export.total.count_of(id),
        flaky: export.total.flaky.contains(id),
    }
}
