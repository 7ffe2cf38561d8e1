//! Checks that two reports are of one build.

use std::collections::BTreeSet;

use crate::{BuildMismatch, Cover, Element, Mark, Renumbering, SiteTable};

/// Refuses two reports in which the same function starts on different lines of a file whose lines
/// of code differ too: whatever the format, the source is different. (V8 lists inner functions only
/// if they could have run, so a name alone may stand for two functions; their lines are then
/// equal.)
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

/// Adds the table of another run, which must be of the same build.
///
/// Builds of one source in two folders have no translation unit in common, so [`SiteTable::absorb`]
/// has no marks to compare. Then sites that are marked in both must be the same code, except for
/// functions with several versions: which version a mark describes depends on the units.
pub fn absorb_run(table: &mut SiteTable, other: &SiteTable) -> Result<Renumbering, BuildMismatch> {
    let earlier: Vec<Option<Mark>> = table.all_sites().map(|(id, _)| table.mark_of(id)).collect();
    let numbers = table.absorb(other)?;
    let mut mismatch = None;
    for (id, site) in other.all_sites() {
        let known = earlier.get(numbers.number(id).index()).copied().flatten();
        let (Some(known), Some(mark)) = (known, other.mark_of(id)) else { continue };
        if known.kind() == mark.kind() {
            return Ok(numbers);
        }
        let agrees = known.hash() == mark.hash() || known.has_versions() || mark.has_versions();
        if known.producer == mark.producer && !agrees && mismatch.is_none() {
            let place = format!("{}:{}", other.path(site.file), site.line);
            mismatch = Some(BuildMismatch { place });
        }
    }
    mismatch.map_or(Ok(numbers), Err)
}
