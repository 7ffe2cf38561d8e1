//! JUnit XML, which CI systems show as test results: a suite for each relation, a test for each
//! pair.

use std::io::{self, Write};
use std::time::Duration;

use metacov_core::{Failure, PairResult, Verdict};
use metacov_formats::{Export, Writer};
use quick_xml::events::{BytesDecl, BytesText, Event};

use crate::failed_side::failed_side;

type Xml<'o> = quick_xml::Writer<&'o mut dyn Write>;

/// The results of all pairs as JUnit XML.
///
/// A violated relation is a failure; a side that crashed, timed out or has no counters is an error;
/// a pair that is invalid, or was not judged, is skipped, since nothing was checked.
pub struct Junit;

impl Writer for Junit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["junit.xml"]
    }

    fn needs_pairs(&self) -> bool {
        true
    }

    fn write(&self, export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
        let mut xml = quick_xml::Writer::new_with_indent(out, b' ', 1);
        xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        let mut pairs: Vec<&PairResult> = export.pairs.iter().collect();
        // By relation; within one, in the order of the plan.
        pairs.sort_by_key(|result| &result.relation);
        let root = Counts::of(&pairs).write(xml.create_element("testsuites"));
        root.with_attribute(("name", "metacov")).write_inner_content(|xml| {
            pairs
                .chunk_by(|left, right| left.relation == right.relation)
                .try_for_each(|relation| suite(relation, xml))
        })?;
        writeln!(xml.into_inner())
    }
}

fn suite(pairs: &[&PairResult], xml: &mut Xml<'_>) -> io::Result<()> {
    let name = clean(&pairs[0].relation);
    let element = xml.create_element("testsuite").with_attribute(("name", name.as_str()));
    Counts::of(pairs)
        .write(element)
        .write_inner_content(|xml| pairs.iter().try_for_each(|result| test(result, xml)))?;
    Ok(())
}

fn test(result: &PairResult, xml: &mut Xml<'_>) -> io::Result<()> {
    let (name, relation) = (clean(&result.pair), clean(&result.relation));
    let time = seconds(result.took);
    let element = xml
        .create_element("testcase")
        .with_attribute(("classname", relation.as_str()))
        .with_attribute(("name", name.as_str()))
        .with_attribute(("time", time.as_str()));
    let (tag, kind, message) = match Status::of(result) {
        Status::Passed => return element.write_empty().map(drop),
        Status::Failed(how) => ("failure", "violated", how.to_owned()),
        Status::Error(failure, what) => ("error", failure.name(), what),
        Status::Skipped(why) => ("skipped", "", why),
    };
    let message = clean(&message);
    element.write_inner_content(|xml| {
        let mut inner = xml.create_element(tag).with_attribute(("message", message.as_str()));
        if !kind.is_empty() {
            inner = inner.with_attribute(("type", kind));
        }
        match tag {
            "skipped" => inner.write_empty()?,
            _ => inner.write_text_content(BytesText::new(&message))?,
        };
        Ok(())
    })?;
    Ok(())
}

enum Status<'r> {
    Passed,
    Failed(&'r str),
    Error(Failure, String),
    Skipped(String),
}

impl<'r> Status<'r> {
    fn of(result: &'r PairResult) -> Self {
        let PairResult { relation, pair, verdict, failed, .. } = result;
        match (failed, verdict) {
            (Some((side, missing)), _) => {
                let what = failed_side(relation, pair, *side, missing);
                match missing.failure {
                    Failure::Invalid => Status::Skipped(format!("invalid: {what}")),
                    failure => Status::Error(failure, what),
                }
            }
            (None, Some(Verdict::Violated(how))) => Status::Failed(how),
            (None, Some(Verdict::Holds)) => Status::Passed,
            (None, _) => Status::Skipped("not checked: the pair has no judge".to_owned()),
        }
    }
}

/// The attributes of a suite.
#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    time: Duration,
}

impl Counts {
    fn of(pairs: &[&PairResult]) -> Self {
        let mut counts = Counts { tests: pairs.len(), ..Counts::default() };
        for result in pairs {
            counts.time += result.took;
            match Status::of(result) {
                Status::Passed => {}
                Status::Failed(_) => counts.failures += 1,
                Status::Error(..) => counts.errors += 1,
                Status::Skipped(_) => counts.skipped += 1,
            }
        }
        counts
    }

    fn write<'x, W: Write>(
        &self,
        element: quick_xml::writer::ElementWriter<'x, W>,
    ) -> quick_xml::writer::ElementWriter<'x, W> {
        let counts = [
            ("tests", self.tests),
            ("failures", self.failures),
            ("errors", self.errors),
            ("skipped", self.skipped),
        ];
        let time = seconds(self.time);
        let element = counts.iter().fold(element, |element, (name, count)| {
            element.with_attribute((*name, count.to_string().as_str()))
        });
        element.with_attribute(("time", time.as_str()))
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.6}", time.as_secs_f64())
}

/// A text without characters that XML does not allow, even escaped.
fn clean(text: &str) -> String {
    let is_valid = |letter: char| matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().map(|letter| if is_valid(letter) { letter } else { '\u{fffd}' }).collect()
}
