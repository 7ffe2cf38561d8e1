//! Reads metacov's measurements from its run file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use metacov_core::{BranchKey, Element as SiteElement, Reading, SiteTable};
use metacov_store::Run;

use crate::build::Tree;
use crate::elements::{Element, Side, clean};

/// The sides of each pair, by its name.
pub type Measured = BTreeMap<String, [Side; 2]>;

/// Measures all pairs. Returns an error if it cannot.
pub fn measure(tree: &Tree, mode: &str) -> Result<Measured, String> {
    let run_file = tree.folder().join(format!("{mode}.metacov"));
    let mut metacov = Command::new(env!("CARGO_BIN_EXE_metacov"));
    metacov.args(["measure", "--quiet", "--mode", mode]);
    // gcov does not support exclusion markers.
    metacov.args(["--no-markers", "--jobs", "1", "--timeout", "60", "--root", "/"]);
    metacov.arg("--pairs").arg(tree.fresh_pairs().argument).arg("-o").arg(&run_file).arg("--");
    let output = metacov.args(tree.command_line()).current_dir(tree.sources()).output().unwrap();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let run = Run::open(&run_file).map_err(|error| error.to_string())?;
    let mut measured = Measured::new();
    for stored in run.pairs().map_err(|error| error.to_string())? {
        let stored = stored.map_err(|error| error.to_string())?;
        let name = stored.name;
        let group = stored
            .outcome
            .map_err(|(side, missing)| format!("{name}, side {side}: {missing:?}"))?;
        let [a, b] = group.sides() else { return Err(format!("{name}: not two sides")) };
        measured.insert(name, [side(&run.table, a), side(&run.table, b)]);
    }
    fs::remove_file(run_file).unwrap();
    Ok(measured)
}

fn side(table: &SiteTable, reading: &Reading) -> Side {
    let mut measured = Side::default();
    for id in reading.known.iter() {
        let site = table.get(id);
        let (file, line) = (clean(&Path::new("/").join(table.path(site.file))), site.line.into());
        let element = match site.element {
            SiteElement::Line => Element::Line { file, line },
            SiteElement::Branch(BranchKey::Position(position)) => {
                Element::Branch { file, line, position: position.into() }
            }
            SiteElement::Function(name) => {
                Element::Function { file, line, name: table.name(name).to_owned() }
            }
            other => panic!("not an element of gcov: {other:?}"),
        };
        measured.add(element, reading.executed.contains(id));
    }
    measured
}
