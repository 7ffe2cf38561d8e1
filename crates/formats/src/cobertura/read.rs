//! Reading Cobertura: `coverage/packages/package/classes/class`, and in a class its `methods`
//! and its `lines`.

use crate::syntax::xml::Xml;
use crate::{CoverageFile, Fault, Record, SiteRecorder};

pub(super) fn report(
    input: &mut CoverageFile,
    recorder: &mut SiteRecorder<'_>,
) -> Result<(), Fault> {
    let mut xml = Xml::new(input);
    xml.root("coverage")?;
    Report::default().read(&mut xml, recorder)?;
    xml.end()
}

#[derive(Default)]
struct Report {
    /// The folders that file names are relative to.
    sources: Vec<String>,
    class: Class,
}

impl Report {
    /// Reads the element that contains classes, at any depth.
    fn read(
        &mut self,
        xml: &mut Xml<&mut CoverageFile>,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), Fault> {
        while let Some(name) = xml.next_child()? {
            match name {
                "sources" => self.read_sources(xml)?,
                "packages" | "package" | "classes" => self.read(xml, recorder)?,
                "class" => {
                    self.class.read(xml, recorder)?;
                    recorder.flush(self.folder())?;
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn read_sources(&mut self, xml: &mut Xml<&mut CoverageFile>) -> Result<(), Fault> {
        if self.class.is_read {
            return Err(xml.fault("`sources` after `class`"));
        }
        while let Some(name) = xml.next_child()? {
            match name {
                "source" => self.sources.push(xml.text()?.trim().to_owned()),
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    /// The folder that file names are relative to. None if there are several, because a file may be
    /// in any of them.
    fn folder(&self) -> Option<&str> {
        match &self.sources[..] {
            [folder] if !folder.is_empty() => Some(folder),
            _ => None,
        }
    }
}

/// One `class`. The memory is reused for the next.
#[derive(Default)]
struct Class {
    /// The lines of its methods, and whether they ran.
    method_lines: Vec<(u32, bool)>,
    is_read: bool,
}

impl Class {
    fn read(
        &mut self,
        xml: &mut Xml<&mut CoverageFile>,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), Fault> {
        self.is_read = true;
        self.method_lines.clear();
        let path = xml.required("filename")?.into_owned();
        let mut has_lines = false;
        while let Some(name) = xml.next_child()? {
            match name {
                "methods" => self.read_methods(xml, recorder)?,
                "lines" => {
                    read_lines(xml, |number, ran| {
                        has_lines = true;
                        recorder.add(Record::line(number, ran));
                    })?;
                }
                _ => xml.skip()?,
            }
        }
        // A class repeats the lines of its methods. If it does not, nyc has put lines into methods
        // that it does not count: their heads, which are not statements.
        if !has_lines {
            self.method_lines
                .iter()
                .for_each(|(number, ran)| recorder.add(Record::line(*number, *ran)));
        }
        recorder.end_file(&path).map_err(|what| xml.fault(what))
    }

    fn read_methods(
        &mut self,
        xml: &mut Xml<&mut CoverageFile>,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), Fault> {
        while let Some(name) = xml.next_child()? {
            match name {
                "method" => self.read_method(xml, recorder)?,
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn read_method(
        &mut self,
        xml: &mut Xml<&mut CoverageFile>,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), Fault> {
        let signature = xml.attribute("signature")?.unwrap_or_default();
        let name = recorder.symbol(&(xml.required("name")?.into_owned() + &signature));
        let first = self.method_lines.len();
        while let Some(name) = xml.next_child()? {
            match name {
                "lines" => read_lines(xml, |number, ran| self.method_lines.push((number, ran)))?,
                _ => xml.skip()?,
            }
        }
        let lines = self.method_lines.get(first..).unwrap_or_default();
        let ran = lines.iter().any(|(_, ran)| *ran);
        // A method without lines does not say where it is, nor whether it ran.
        if let Some(start) = lines.iter().map(|(number, _)| *number).min() {
            recorder.add(Record::function(start, name, ran));
        }
        Ok(())
    }
}

fn read_lines(
    xml: &mut Xml<&mut CoverageFile>,
    mut take: impl FnMut(u32, bool),
) -> Result<(), Fault> {
    while let Some(name) = xml.next_child()? {
        if name == "line" {
            take(xml.line_number("number")?, xml.uint("hits")? > 0);
        }
        xml.skip()?;
    }
    Ok(())
}
