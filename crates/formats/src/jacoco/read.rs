//! Reads JaCoCo's report: packages, possibly in groups; in a package its classes with their
//! methods, and its source files with their lines.

use crate::syntax::xml::Xml;
use crate::{CoverageFile, Fault, Record, SiteRecorder};

pub(super) fn report(
    input: &mut CoverageFile,
    recorder: &mut SiteRecorder<'_>,
) -> Result<(), Fault> {
    let mut xml = Xml::new(input);
    xml.root("report")?;
    group(&mut xml, recorder)?;
    xml.end()
}

/// Reads the report, or a group in it. The nesting of groups is limited by the depth that [`Xml`]
/// allows.
fn group(xml: &mut Xml<&mut CoverageFile>, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
    while let Some(name) = xml.next_child()? {
        match name {
            "group" => group(xml, recorder)?,
            "package" => package(xml, recorder)?,
            _ => xml.skip()?,
        }
    }
    Ok(())
}

fn package(xml: &mut Xml<&mut CoverageFile>, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
    let package = xml.required("name")?.into_owned();
    // The unnamed package is the folder of all others.
    let path = |file: &str| {
        if package.is_empty() { file.to_owned() } else { format!("{package}/{file}") }
    };
    while let Some(name) = xml.next_child()? {
        match name {
            "class" => {
                let class = xml.required("name")?.into_owned();
                let source = xml.attribute("sourcefilename")?.map(|source| path(&source));
                // Compiled without the name of its source: the class file is used instead.
                let path = source.unwrap_or_else(|| format!("{class}.class"));
                if methods(xml, recorder, &class)? {
                    recorder.end_file(&path).map_err(|what| xml.fault(what))?;
                }
            }
            "sourcefile" => {
                let path = path(&xml.required("name")?);
                if lines(xml, recorder)? {
                    recorder.end_file(&path).map_err(|what| xml.fault(what))?;
                }
            }
            _ => xml.skip()?,
        }
    }
    recorder.flush(None)
}

/// Reads the methods of a class. Returns whether there are any.
fn methods(
    xml: &mut Xml<&mut CoverageFile>,
    recorder: &mut SiteRecorder<'_>,
    class: &str,
) -> Result<bool, Fault> {
    let mut any = false;
    while let Some(name) = xml.next_child()? {
        if name != "method" {
            xml.skip()?;
            continue;
        }
        // In the JVM's notation: `shop/Parcel.weight(I)I`.
        let name = format!("{class}.{}{}", xml.required("name")?, xml.required("desc")?);
        let line = match xml.attribute("line")? {
            Some(_) => xml.line_number("line")?,
            None => 0,
        };
        if let Some(ran) = method_ran(xml)? {
            let name = recorder.symbol(&name);
            recorder.add(Record::function(line, name, ran));
            any = true;
        }
    }
    Ok(any)
}

/// Whether a method ran, if its counters say so.
fn method_ran(xml: &mut Xml<&mut CoverageFile>) -> Result<Option<bool>, Fault> {
    let mut ran = None;
    while let Some(name) = xml.next_child()? {
        if name == "counter" && xml.required("type")? == "METHOD" {
            ran = Some(xml.uint("covered")? > 0);
        }
        xml.skip()?;
    }
    Ok(ran)
}

/// Reads the lines of a source file. Returns whether there are any.
fn lines(xml: &mut Xml<&mut CoverageFile>, recorder: &mut SiteRecorder<'_>) -> Result<bool, Fault> {
    let mut any = false;
    while let Some(name) = xml.next_child()? {
        if name == "line" {
            if xml.attribute("ci")?.is_none() {
                // gcovr 8.7 writes this too, with branches only.
                return Err(xml.fault("a line without `ci`"));
            }
            // `ci` and `mi`: how many instructions of the line ran, and how many did not.
            let (number, ran) = (xml.line_number("nr")?, xml.uint("ci")? > 0);
            if ran || xml.uint("mi")? > 0 {
                recorder.add(Record::line(number, ran));
                any = true;
            }
        }
        xml.skip()?;
    }
    Ok(any)
}
