//! Writes gcovr JSON: gcovr shows it as ordinary coverage, where a count is the number of pairs
//! whose result contains the site.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use metacov_core::{Element, SiteId};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::GcovrFormat;
use crate::export::{Export, FileSites, LineSites};

pub(super) fn report(export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
    // A separate buffer, because the serializer writes a few bytes at a time.
    let mut out = BufWriter::new(out);
    let mut serializer = serde_json::Serializer::new(&mut out);
    let mut root = serializer.serialize_map(None)?;
    root.serialize_entry("gcovr/format_version", export.gcovr_format.name())?;
    // gcovr ignores unknown keys.
    root.serialize_entry("metacov/version", env!("CARGO_PKG_VERSION"))?;
    root.serialize_entry("metacov/operation", export.suite.operation.name())?;
    root.serialize_entry("metacov/pairs", &export.total.pairs)?;
    root.serialize_entry("files", &Files(export))?;
    SerializeMap::end(root)?;
    out.flush()
}

/// All files, serialized one by one.
struct Files<'e>(&'e Export<'e>);

impl Serialize for Files<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.files().iter().map(|sites| file(self.0, sites)))
    }
}

#[derive(Serialize)]
struct File<'e> {
    #[serde(rename = "file")]
    path: &'e str,
    lines: Vec<Line<'e>>,
    functions: Vec<Function<'e>>,
}

#[derive(Serialize)]
struct Line<'e> {
    #[serde(rename = "line_number")]
    number: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_name: Option<&'e str>,
    count: u32,
    branches: Vec<Branch>,
}

#[derive(Serialize)]
struct Branch {
    #[serde(skip_serializing_if = "Option::is_none")]
    branchno: Option<usize>,
    count: u32,
    fallthrough: bool,
    throw: bool,
    // gcovr 8.0 to 8.3 require the block, and number branches by their position in the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    blockno: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_block_id: Option<u32>,
}

#[derive(Serialize)]
struct Function<'e> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'e str>,
    demangled_name: String,
    lineno: u32,
    execution_count: u32,
    // gcovr 8.0 to 8.3 require it, and it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks_percent: Option<NotMeasured>,
}

/// Null.
#[derive(Serialize)]
struct NotMeasured;

fn file<'e>(export: &'e Export<'_>, sites: &FileSites<'e>) -> File<'e> {
    File {
        path: sites.path,
        lines: sites.lines.iter().map(|sites| line(export, sites)).collect(),
        functions: functions(export, &sites.functions),
    }
}

fn line<'e>(export: &'e Export<'_>, sites: &LineSites) -> Line<'e> {
    let table = export.table();
    let branches = sites.branches.iter().enumerate();
    let any = sites.line.or(sites.branches.first().copied());
    let instance = any.map_or("", |id| table.name(table.get(id).instance));
    let format = export.gcovr_format;
    Line {
        number: sites.number,
        function_name: (!instance.is_empty()).then_some(instance),
        count: sites.count(export.total),
        branches: branches
            .map(|(number, id)| Branch {
                branchno: (format >= GcovrFormat::V0_14).then_some(number),
                count: export.total.count_of(*id),
                fallthrough: false,
                throw: false,
                blockno: (format == GcovrFormat::V0_10).then_some(0),
                source_block_id: (format == GcovrFormat::V0_11).then_some(0),
            })
            .collect(),
    }
}

fn functions<'e>(export: &'e Export<'_>, sites: &[SiteId]) -> Vec<Function<'e>> {
    let table = export.table();
    let names = |id: &SiteId| match table.get(*id).element {
        Element::Function(name) => (table.name(name), table.shown_name(name)),
        _ => ("", ""),
    };
    // gcovr identifies a function by its displayed name and refuses the same name on two lines.
    let mut uses: BTreeMap<&str, u32> = BTreeMap::new();
    for id in sites {
        *uses.entry(names(id).1).or_insert(0) += 1;
    }
    let written = sites.iter().map(|id| {
        let (name, shown) = names(id);
        let lineno = table.get(*id).line;
        let unique = uses[shown] == 1;
        Function {
            name: (unique && name != shown).then_some(name),
            demangled_name: if unique {
                shown.to_owned()
            } else if name == shown {
                format!("{shown} (line {lineno})")
            } else {
                name.to_owned()
            },
            lineno,
            execution_count: export.total.count_of(*id),
            blocks_percent: (export.gcovr_format <= GcovrFormat::V0_11).then_some(NotMeasured),
        }
    });
    written.collect()
}
