//! Whether two reports can be of one build, by what they know.

use std::collections::BTreeSet;

use crate::{BuildMismatch, Cover, Element, SiteTable};

/// Refuses two reports in which the same function starts on different lines of a file whose lines
/// of code differ too: whatever the format, that is other source. (V8 lists inner functions only
/// if they could have run, so a name alone may stand for two functions; the lines are the same
/// then.)
pub fn same_build(table: &SiteTable, known: &Cover, other: &Cover) -> Result<(), BuildMismatch> {
    if known == other {
        return Ok(());
    }
    let mut one_sided = known.clone();
    one_sided ^= other;
    let mut functions = Vec::new();
    let mut files = BTreeSet::new();
    for id in one_sided.iter() {
        let site = table.get(id);
        match site.element {
            Element::Function(name) => functions.push(((site.file, name), id)),
            Element::Line => drop(files.insert(site.file)),
            _ => {}
        }
    }
    functions.sort_unstable();
    for moved in functions.windows(2) {
        let [((file, name), id), (other_name, other_id)] = [moved[0], moved[1]];
        let is_moved = (file, name) == other_name && known.contains(id) != known.contains(other_id);
        if is_moved && files.contains(&file) {
            let (line, other_line) = (table.get(id).line, table.get(other_id).line);
            let (path, name) = (table.path(file), table.shown_name(name));
            let place = format!("{name}, which starts at {path}:{line} and :{other_line},");
            return Err(BuildMismatch { place });
        }
    }
    Ok(())
}
