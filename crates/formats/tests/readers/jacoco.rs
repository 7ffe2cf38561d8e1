//! JaCoCo's XML, compared with the totals in JaCoCo's CSV report.

use std::collections::BTreeMap;

use metacov_formats::Scope;

use crate::sets::{Sets, data, read};

/// The sum over all classes, by column of the CSV report.
fn totals(run: &str) -> BTreeMap<String, usize> {
    let csv = std::fs::read_to_string(data(&format!("jacoco/0.8.6/{run}.csv"))).unwrap();
    let mut lines = csv.lines().map(|line| line.split(','));
    let names: Vec<&str> = lines.next().unwrap().collect();
    let mut totals = BTreeMap::new();
    for line in lines {
        for (name, value) in names.iter().zip(line).skip(3) {
            *totals.entry((*name).to_owned()).or_default() += value.parse::<usize>().unwrap();
        }
    }
    totals
}

#[test]
fn lines_and_methods_are_those_of_the_csv_report() {
    for run in ["a", "b"] {
        let totals = totals(run);
        for report in [format!("{run}.xml"), format!("{run}-flat.xml")] {
            let sets = read(&Scope::default(), &[data(&format!("jacoco/0.8.6/{report}"))]).unwrap();
            for (criterion, column) in [("line", "LINE"), ("function", "METHOD")] {
                let sets = sets.only(criterion);
                let covered = totals[&format!("{column}_COVERED")];
                let missed = totals[&format!("{column}_MISSED")];
                assert_eq!(sets.executed.len(), covered, "{report}: {criterion}");
                assert_eq!(sets.known.len(), covered + missed, "{report}: {criterion}");
            }
            assert!(sets.only("branch").known.is_empty());
        }
    }
}

#[test]
fn overloaded_methods_are_distinguished() {
    let sets = read(&Scope::default(), &[data("jacoco/0.8.6/a.xml")]).unwrap();
    for method in [
        "shop/Parcel.java:18 shop/Parcel.express(I)I",
        "shop/Parcel.java:22 shop/Parcel.express(ILjava/lang/String;)I",
        "shop/Parcel.java:51 shop/Parcel$Printer.<init>(I)V",
    ] {
        assert!(sets.executed.contains(&format!("function {method}")), "{method}");
    }
}

/// A report with these packages.
fn report(packages: &str) -> String {
    format!("<report name=\"r\">{packages}</report>")
}

fn read_text(text: &str) -> Result<Sets, String> {
    crate::sets::read_text(&Scope::default(), text)
}

#[test]
fn classes_compiled_without_debug_information_are_code_as_well() {
    let text = report(
        "<group name=\"g\"><group name=\"h\"><package name=\"\"><class name=\"A\">\
         <method name=\"f\" desc=\"()V\"><counter type=\"METHOD\" missed=\"0\" covered=\"1\"/></method>\
         </class><class name=\"I\" sourcefilename=\"A.java\"/><sourcefile name=\"A.java\">\
         <line nr=\"7\" mi=\"0\" ci=\"0\"/><line nr=\"8\" mi=\"2\" ci=\"0\"/></sourcefile>\
         </package></group></group>",
    );
    let sets = read_text(&text).unwrap();
    let function = "function A.class:0 A.f()V".to_owned();
    assert_eq!(sets.known, [function.clone(), "line A.java:8".to_owned()].into());
    assert_eq!(sets.executed, [function].into());
}

#[test]
fn broken_reports_are_refused_with_their_position() {
    let line = |line: &str| {
        format!("<package name=\"p\"><sourcefile name=\"A.java\">{line}</sourcefile></package>")
    };
    let package = |package: &str| package.to_owned();
    for (packages, at, message) in [
        (
            // As gcovr 8.7 writes it.
            line("<line nr=\"7\" mb=\"1\" cb=\"1\"/>"),
            "<line ",
            "a line without `ci`",
        ),
        (line("<line nr=\"x\" ci=\"1\"/>"), "<line ", "`nr` is `x`, not a count"),
        (line("<line nr=\"4294967296\" ci=\"1\"/>"), "<line ", "`nr` is not the number of a line"),
        (package("<package/>"), "<package/", "`package` without `name`"),
        (
            package("<package name=\"p\"><sourcefile name=\"A.java\">"),
            "</report>",
            "expected `</sourcefile>`, but `</report>` was found",
        ),
        (
            package("<package name=\"&lol;\"/>"),
            "<package ",
            "`name` is `&lol;`: not a predefined entity of XML",
        ),
    ] {
        let text = report(&packages);
        let message = format!("byte {}: {message}", text.find(at).unwrap());
        assert_eq!(read_text(&text).unwrap_err(), message);
    }
}
