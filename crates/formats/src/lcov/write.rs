//! Writes tracefiles: one test (`TN`) for each relation, in the records that both lcov 1.x and 2.x
//! read. A count is the number of pairs whose result contains the site.

use std::io::{self, Write};

use metacov_core::{Element, Tally};

use crate::export::{Export, FileSites};

pub(super) fn sections(export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
    let files = export.files();
    for (relation, tally) in &export.suite.relations {
        writeln!(out, "TN:{}", test_name(relation))?;
        for file in &files {
            section(export, tally, file, out)?;
        }
    }
    Ok(())
}

/// lcov accepts letters, digits and underscores in test names.
fn test_name(relation: &str) -> String {
    let legal = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    relation.chars().map(legal).collect()
}

fn section(
    export: &Export<'_>,
    tally: &Tally,
    file: &FileSites<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "SF:{}", file.path)?;
    functions(export, tally, file, out)?;
    branches(tally, file, out)?;
    let (mut found, mut hit) = (0, 0);
    // Instances of one line are merged: lcov has a single count for a line.
    for line in file.lines.chunk_by(|left, right| left.number == right.number) {
        let listed = || line.iter().filter_map(|sites| sites.line);
        let Some(count) = listed().map(|id| tally.count_of(id)).max() else { continue };
        writeln!(out, "DA:{},{count}", line[0].number)?;
        found += 1;
        hit += u32::from(count > 0);
    }
    writeln!(out, "LF:{found}\nLH:{hit}\nend_of_record")
}

fn functions(
    export: &Export<'_>,
    tally: &Tally,
    file: &FileSites<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let table = export.table();
    let mut hit = 0;
    for id in &file.functions {
        let site = table.get(*id);
        let Element::Function(name) = site.element else { continue };
        // lcov 1.x ends a name at its first comma, and C++ names have many.
        let (name, count) = (table.name(name).replace(',', ";"), tally.count_of(*id));
        writeln!(out, "FN:{},{name}\nFNDA:{count},{name}", site.line)?;
        hit += u32::from(count > 0);
    }
    match file.functions.len() {
        0 => Ok(()),
        found => writeln!(out, "FNF:{found}\nFNH:{hit}"),
    }
}

fn branches(tally: &Tally, file: &FileSites<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (mut found, mut hit) = (0, 0);
    for line in file.lines.chunk_by(|left, right| left.number == right.number) {
        for (number, id) in line.iter().flat_map(|sites| &sites.branches).enumerate() {
            let count = tally.count_of(*id);
            // `-` would say that the decision was never reached; zero says that it is not in the
            // result, which is all that is known.
            writeln!(out, "BRDA:{},0,{number},{count}", line[0].number)?;
            found += 1;
            hit += u32::from(count > 0);
        }
    }
    if found > 0 { writeln!(out, "BRF:{found}\nBRH:{hit}") } else { Ok(()) }
}
