//! Cobertura of four producers, compared with another report of the same run.

use std::collections::BTreeSet;

use metacov_formats::Scope;
use serde_json::Value;

use crate::sets::{Sets, assert_same, data, read, scope};

fn root(folder: &str) -> Scope {
    Scope { root: format!("/tmp/fixtures/{folder}").into(), ..Scope::default() }
}

/// Where functions start, without their names: gcovr's JSON has those of the linker.
fn places(sets: &Sets) -> Sets {
    let of = |set: &BTreeSet<String>| {
        let place = |site: &String| site.split(' ').take(2).collect::<Vec<_>>().join(" ");
        set.iter().map(place).collect()
    };
    let functions = sets.only("function");
    Sets { known: of(&functions.known), executed: of(&functions.executed) }
}

#[test]
fn gcovrs_json_agrees() {
    for (xml, json) in [("a", "a"), ("a-merged", "a"), ("b", "b")] {
        let xml = read(&scope(), &[data(&format!("cobertura/gcovr-8.7/{xml}.xml"))]).unwrap();
        let json = read(&scope(), &[data(&format!("gcovr_json/8.7/{json}.json"))]).unwrap();
        assert_same(&xml.only("line"), &json.only("line"), "lines");
        assert_same(&places(&xml), &places(&json), "functions");
        assert!(xml.only("branch").known.is_empty());
    }
}

#[test]
fn functions_have_their_names_and_signatures() {
    let xml = read(&scope(), &[data("cobertura/gcovr-8.7/a.xml")]).unwrap();
    let functions = xml.only("function");
    let int = "function shapes.h:13 int clamp_sum<int>(int const*, int, int)";
    let double = "function shapes.h:13 double clamp_sum<double>(double const*, int, double)";
    assert!(functions.executed.contains(int));
    assert!(functions.known.contains(double) && !functions.executed.contains(double));
}

#[test]
fn coverage_pys_json_agrees() {
    for run in ["a", "b"] {
        let path = data(&format!("cobertura/coverage_py-7.17.2/{run}.xml"));
        let xml = read(&root("parcel"), &[path]).unwrap();
        let json = std::fs::read(data(&format!("coverage_py/7.17.2/{run}.json"))).unwrap();
        let json: Value = serde_json::from_slice(&json).unwrap();
        let file = &json["files"]["parcel.py"];
        let lines = |key: &str| -> BTreeSet<String> {
            let lines = file[key].as_array().unwrap();
            lines.iter().map(|number| format!("line parcel.py:{number}")).collect()
        };
        let executed = lines("executed_lines");
        let known = &executed | &lines("missing_lines");
        assert_same(&xml, &Sets { known, executed }, run);
    }
}

#[test]
fn tracefiles_of_nyc_and_c8_agree() {
    for producer in ["nyc-18.0.0", "c8-12.0.0"] {
        for run in ["a", "b"] {
            let read = |extension| {
                let path = data(&format!("cobertura/{producer}/{run}.{extension}"));
                read(&root("jsparcel"), &[path]).unwrap()
            };
            let (xml, lcov) = (read("xml"), read("info"));
            assert_same(&xml.only("line"), &lcov.only("line"), producer);
            assert_same(&places(&xml), &places(&lcov), producer);
        }
    }
}

/// A report with these classes, whose files are below this folder.
fn report(source: &str, classes: &str) -> String {
    format!(
        "<coverage line-rate=\"0\"><sources>{source}</sources><packages><package name=\"p\">\
         <classes>{classes}</classes></package></packages></coverage>"
    )
}

fn read_text(text: &str) -> Result<Sets, String> {
    crate::sets::read_text(&Scope { root: "/home/me".into(), ..Scope::default() }, text)
}

#[test]
fn files_are_relative_to_the_only_source() {
    let line = "<lines><line number=\"3\" hits=\"1\"/></lines>";
    for (source, filename, path) in [
        ("", "src/a.py", "src/a.py"),
        ("<source/>", "src/a.py", "src/a.py"),
        ("<source>.</source>", "src/a.py", "src/a.py"),
        ("<source>/home/me</source>", "src/a.py", "src/a.py"),
        ("<source> /home/me/src </source>", "a.py", "src/a.py"),
        ("<source>/home/me/src</source>", "/usr/lib/a.py", "/usr/lib/a.py"),
        ("<source>/home/me/src</source><source>/opt</source>", "a.py", "a.py"),
        (r"<source>C:\work</source>", r"src\a.cs", "C:/work/src/a.cs"),
    ] {
        let class = format!("<class name=\"a\" filename=\"{filename}\">{line}</class>");
        let sets = read_text(&report(source, &class)).unwrap();
        assert_eq!(sets.executed, BTreeSet::from([format!("line {path}:3")]), "{source}");
    }
}

#[test]
fn a_class_without_lines_gets_those_of_its_methods() {
    let text = report(
        "",
        "<class filename=\"a.c\"><methods><method name=\"f\" signature=\"()\"><lines>\
         <line number=\"4\" hits=\"0\"/><line number=\"3\" hits=\"7\"/></lines></method>\
         <method name=\"g\" signature=\"()\"/></methods></class>",
    );
    let sets = read_text(&text).unwrap();
    let known = ["function a.c:3 f()", "line a.c:3", "line a.c:4"];
    let executed = ["function a.c:3 f()", "line a.c:3"];
    assert_eq!(sets.known, known.map(str::to_owned).into());
    assert_eq!(sets.executed, executed.map(str::to_owned).into());
}

#[test]
fn broken_reports_are_refused_with_their_position() {
    let line = |line: &str| format!("<class filename=\"a.c\"><lines>{line}</lines></class>");
    let class = |class: &str| class.to_owned();
    for (classes, at, message) in [
        (line("<line number=\"1\" hits=\"-1\"/>"), "<line ", "`hits` is `-1`, not a count"),
        (line("<line number=\"0\" hits=\"1\"/>"), "<line ", "`number` is not the number of a line"),
        (line("<line number=\"1\"/>"), "<line ", "`line` without `hits`"),
        (class("<class/>"), "<class/", "`class` without `filename`"),
        (
            class("<class filename=\"&#10;\"></class>"),
            "</class>",
            "the file name \"\\n\" is empty or has control characters",
        ),
        (
            line("<line number=\"1\" hits=\"1\"/>") + "</classes><sources /><classes>",
            "<sources />",
            "`sources` after `class`",
        ),
    ] {
        let text = report("", &classes);
        let message = format!("byte {}: {message}", text.find(at).unwrap());
        assert_eq!(read_text(&text).unwrap_err(), message);
    }
    let message = "the file lists no code, so the side was not measured";
    assert_eq!(read_text(&report("", "")).unwrap_err(), message);
}
