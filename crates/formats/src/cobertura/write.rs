//! Writes Cobertura, for forges and pages that show it. Hits are the number of pairs whose result
//! contains the line; for branches the format has only how many of a line are in it.

use std::io::{self, Write};

use metacov_core::Element;
use quick_xml::events::{BytesDecl, BytesText, Event};
use quick_xml::writer::{ElementWriter, Writer};

use crate::export::{Export, FileSites, LineSites};

type Xml<'o> = Writer<&'o mut dyn Write>;

pub(super) fn report(export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
    let files = export.files();
    let mut xml = Writer::new_with_indent(out, b' ', 1);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    xml.write_event(Event::DocType(BytesText::from_escaped(
        "coverage SYSTEM 'http://cobertura.sourceforge.net/xml/coverage-04.dtd'",
    )))?;
    let root = xml.create_element("coverage");
    let root = Rates::of(export, files.iter()).write(root, true);
    let version = concat!("metacov ", env!("CARGO_PKG_VERSION"));
    // The same input gives the same bytes, so the time of writing is left out.
    let root = root.with_attribute(("complexity", "0")).with_attribute(("timestamp", "0"));
    root.with_attribute(("version", version)).write_inner_content(|xml| {
        xml.create_element("sources").write_inner_content(|xml| {
            xml.create_element("source")
                .write_text_content(BytesText::new(&export.root.to_string_lossy()))?;
            Ok(())
        })?;
        xml.create_element("packages").write_inner_content(|xml| packages(export, &files, xml))?;
        Ok(())
    })?;
    writeln!(xml.into_inner())
}

/// One package for each folder. Files are ordered by path, so the files of a folder may be in
/// several runs; each run is a package.
fn packages(export: &Export<'_>, files: &[FileSites<'_>], xml: &mut Xml<'_>) -> io::Result<()> {
    let folder = |file: &FileSites<'_>| {
        file.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()
    };
    for package in files.chunk_by(|left, right| folder(left) == folder(right)) {
        let name = folder(&package[0]).replace('/', ".");
        let element = xml.create_element("package").with_attribute(("name", name.as_str()));
        let element = Rates::of(export, package.iter()).write(element, false);
        element.with_attribute(("complexity", "0")).write_inner_content(|xml| {
            xml.create_element("classes").write_inner_content(|xml| {
                package.iter().try_for_each(|file| class(export, file, xml))
            })?;
            Ok(())
        })?;
    }
    Ok(())
}

fn class(export: &Export<'_>, file: &FileSites<'_>, xml: &mut Xml<'_>) -> io::Result<()> {
    let name = file.path.rsplit('/').next().unwrap_or(file.path).replace('.', "_");
    let element = xml.create_element("class").with_attribute(("name", name.as_str()));
    let element = element.with_attribute(("filename", file.path));
    let element = Rates::of(export, std::iter::once(file)).write(element, false);
    element.with_attribute(("complexity", "0")).write_inner_content(|xml| {
        xml.create_element("methods").write_inner_content(|xml| methods(export, file, xml))?;
        xml.create_element("lines").write_inner_content(|xml| {
            let mut lines = file.lines.chunk_by(|left, right| left.number == right.number);
            lines.try_for_each(|line| write_line(export, line, xml))
        })?;
        Ok(())
    })?;
    Ok(())
}

fn methods(export: &Export<'_>, file: &FileSites<'_>, xml: &mut Xml<'_>) -> io::Result<()> {
    let table = export.table();
    for id in &file.functions {
        let site = table.get(*id);
        let Element::Function(name) = site.element else { continue };
        let count = export.total.count_of(*id);
        let rate = if count > 0 { "1.0" } else { "0.0" };
        let element = xml.create_element("method").with_attribute(("name", table.shown_name(name)));
        let element = element.with_attribute(("signature", "")).with_attribute(("line-rate", rate));
        let element = element.with_attribute(("branch-rate", "0.0"));
        element.with_attribute(("complexity", "0")).write_inner_content(|xml| {
            xml.create_element("lines").write_inner_content(|xml| {
                let line = xml.create_element("line");
                let line = line.with_attribute(("number", site.line.to_string().as_str()));
                let line = line.with_attribute(("hits", count.to_string().as_str()));
                line.with_attribute(("branch", "false")).write_empty()?;
                Ok(())
            })?;
            Ok(())
        })?;
    }
    Ok(())
}

/// One line. The instances of a template on it are merged.
fn write_line(export: &Export<'_>, line: &[LineSites], xml: &mut Xml<'_>) -> io::Result<()> {
    let hits = line.iter().map(|sites| sites.count(export.total)).max().unwrap_or(0);
    let element = xml.create_element("line");
    let element = element.with_attribute(("number", line[0].number.to_string().as_str()));
    let element = element.with_attribute(("hits", hits.to_string().as_str()));
    let branches = || line.iter().flat_map(|sites| &sites.branches);
    let found = branches().count();
    if found == 0 {
        element.with_attribute(("branch", "false")).write_empty()?;
        return Ok(());
    }
    let hit = branches().filter(|id| export.total.count_of(**id) > 0).count();
    let percent = 100 * hit / found;
    let coverage = format!("{percent}% ({hit}/{found})");
    let element = element.with_attribute(("branch", "true"));
    element.with_attribute(("condition-coverage", coverage.as_str())).write_inner_content(
        |xml| {
            xml.create_element("conditions").write_inner_content(|xml| {
                let condition = xml.create_element("condition").with_attribute(("number", "0"));
                let condition = condition.with_attribute(("type", "jump"));
                let coverage = format!("{percent}%");
                condition.with_attribute(("coverage", coverage.as_str())).write_empty()?;
                Ok(())
            })?;
            Ok(())
        },
    )?;
    Ok(())
}

/// How many lines and branches there are, and how many of them are in the result.
#[derive(Default)]
struct Rates {
    lines: usize,
    lines_hit: usize,
    branches: usize,
    branches_hit: usize,
}

impl Rates {
    fn of<'s>(export: &Export<'_>, files: impl Iterator<Item = &'s FileSites<'s>>) -> Self {
        let mut rates = Rates::default();
        for line in files.flat_map(|file| file.lines.chunk_by(|l, r| l.number == r.number)) {
            rates.lines += 1;
            rates.lines_hit += usize::from(line.iter().any(|sites| sites.count(export.total) > 0));
            for id in line.iter().flat_map(|sites| &sites.branches) {
                rates.branches += 1;
                rates.branches_hit += usize::from(export.total.count_of(*id) > 0);
            }
        }
        rates
    }

    fn write<'a, 'o>(
        &self,
        element: ElementWriter<'a, &'o mut dyn Write>,
        with_counts: bool,
    ) -> ElementWriter<'a, &'o mut dyn Write> {
        let element = element
            .with_attribute(("line-rate", rate(self.lines_hit, self.lines).as_str()))
            .with_attribute(("branch-rate", rate(self.branches_hit, self.branches).as_str()));
        if !with_counts {
            return element;
        }
        element
            .with_attribute(("lines-covered", self.lines_hit.to_string().as_str()))
            .with_attribute(("lines-valid", self.lines.to_string().as_str()))
            .with_attribute(("branches-covered", self.branches_hit.to_string().as_str()))
            .with_attribute(("branches-valid", self.branches.to_string().as_str()))
    }
}

#[expect(clippy::cast_precision_loss, reason = "fewer than 2^32 sites: exact in an f64")]
fn rate(hit: usize, found: usize) -> String {
    if found == 0 { "0.0".to_owned() } else { format!("{:.6}", hit as f64 / found as f64) }
}
