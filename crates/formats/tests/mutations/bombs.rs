//! Files that are designed to exhaust memory or stack. Each ends in a message.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use metacov_formats::detected_names;

use crate::probe::probe;

/// Starts of files that look like a format.
const HEADS: [(&str, &str); 9] = [
    ("gcovr JSON", "{\"gcovr/format_version\": \"0.14\", \"files\": ["),
    ("gcov JSON", "{\"format_version\": \"1\", \"gcc_version\": \"12\", \"files\": ["),
    ("LLVM JSON", "{\"data\":[{\"files\":["),
    (
        "coverage.py JSON",
        "{\"meta\": {\"branch_coverage\": true, \"show_contexts\": false}, \"files\": {",
    ),
    ("Istanbul JSON", "{\"a.js\": {\"path\": \"a.js\", \"statementMap\": {"),
    ("lcov", "TN:\nSF:"),
    ("Cobertura", "<coverage line-rate=\"1\">"),
    ("JaCoCo XML", "<!DOCTYPE report PUBLIC \"-//JACOCO//DTD Report 1.1//EN\" \"\"><report>"),
    ("Go coverage profile", "mode: set\n"),
];

#[track_caller]
fn check(what: &str, bytes: Vec<u8>, expected: &str) {
    let message = probe(bytes).unwrap_or_else(|complaint| panic!("{what} {complaint}"));
    let message = message.unwrap_or_else(|| panic!("{what} is accepted"));
    assert!(message.contains(expected), "{what}: {message}");
}

fn head(format: &str) -> String {
    let (_, head) = HEADS.iter().find(|(name, _)| *name == format).unwrap();
    assert_eq!(detected_names(head.as_bytes()).collect::<Vec<_>>(), [format]);
    (*head).to_owned()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

#[track_caller]
fn check_growth(compress: fn(&[u8]) -> Vec<u8>) {
    // Compressed members may be concatenated: one mebibyte is compressed, not 400.
    let spaces = compress(&vec![b' '; 1 << 20]).repeat(400);
    for (format, expected) in [
        ("gcovr JSON", "decompresses to more than 300 times its size"),
        ("lcov", "of over 1048576 bytes"),
        ("Cobertura", "of over 1048576 bytes"),
        ("Go coverage profile", "of over 1048576 bytes"),
    ] {
        let start = compress(head(format).as_bytes());
        check(format, [start, spaces.clone()].concat(), expected);
    }
    check("zeros", compress(&vec![0; 1 << 20]).repeat(400), "not a recognised coverage format");
}

#[test]
fn gzip_bombs_are_an_error() {
    check_growth(gzip);
}

#[test]
fn zstd_bombs_are_an_error() {
    check_growth(zstd);
}

#[test]
fn deep_nesting_is_an_error() {
    for (format, level) in [
        ("gcovr JSON", "["),
        ("gcov JSON", "["),
        ("LLVM JSON", "["),
        ("LLVM JSON", "{\"segments\":["),
        ("coverage.py JSON", "\"a.py\": {"),
        ("Istanbul JSON", "\"0\": {"),
        ("Cobertura", "<x>"),
        ("Cobertura", "<package>"),
        ("JaCoCo XML", "<x>"),
        ("JaCoCo XML", "<group name=\"g\">"),
    ] {
        let text = head(format) + &level.repeat(1_000_000);
        check(format, text.into_bytes(), "");
    }
    let text = format!("{{\"gcovr/format_version\": {}", "{\"x\":[".repeat(1_000_000));
    check("a version", text.into_bytes(), "expected a string");
    let text = format!("{{\"gcovr/x\": {}", "{\"x\":[".repeat(1_000_000));
    check("an unknown key", text.into_bytes(), "nested deeper than 128 levels");
}

#[test]
fn overlong_tokens_are_an_error() {
    let long = "x".repeat(10 << 20);
    for (format, start) in [
        ("gcovr JSON", "{\"file\": \""),
        ("gcovr JSON", "{\""),
        ("gcovr JSON", "{\"lines\": [{\"gcovr/md5\": \""),
        ("gcov JSON", "{\"file\": \""),
        ("LLVM JSON", "{\"filename\": \""),
        ("coverage.py JSON", "\""),
        ("Istanbul JSON", "\""),
        ("lcov", ""),
        ("lcov", "a.c\nFN:1,"),
        ("Cobertura", "<class filename=\""),
        ("Cobertura", "<!--"),
        ("Cobertura", "<![CDATA["),
        ("Cobertura", "<"),
        ("Cobertura", "</"),
        ("Cobertura", "&"),
        ("JaCoCo XML", "<package name='"),
        ("JaCoCo XML", "<?"),
        ("Go coverage profile", ""),
    ] {
        let text = head(format) + start + &long;
        check(&format!("{format} {start}"), text.into_bytes(), "of over 1048576 bytes");
    }
    // A value that is not needed is skipped, however long it is.
    let text = head("gcovr JSON") + "{\"lines\": [{\"function_name\": \"" + &long;
    check("skipped", text.into_bytes(), "the file ends within a string");
}

#[test]
fn overlong_numbers_are_an_error() {
    let long = "9".repeat(10 << 20);
    for (format, start) in [
        ("gcovr JSON", "{\"lines\": [{\"count\": "),
        ("lcov", "a.c\nDA:1,"),
        ("Cobertura", "<class filename='a'><lines><line number='"),
        ("Go coverage profile", "a.go:1.1,2.2 1 "),
    ] {
        check(format, (head(format) + start + &long).into_bytes(), "");
    }
    // A number that is skipped may have any length, and takes no memory.
    let text = head("gcovr JSON") + "{\"x\": " + &long;
    check("a number", text.into_bytes(), "unexpected end of file");
}

#[test]
fn tags_with_many_attributes_are_read_in_linear_time() {
    // Comparing all pairs of attributes would take 10^10 steps per tag.
    let mut text = head("Cobertura") + "<class filename='a'><lines><line";
    for number in 0..100_000 {
        write!(text, " a{number}=''").unwrap();
    }
    text += "/>";
    check("attributes", text.into_bytes(), "`line` without `number`");
}

#[test]
fn nested_entities_are_harmless() {
    let mut text = "<!DOCTYPE report [<!ENTITY a0 'lol'>".to_owned();
    for level in 1..30 {
        let ten = format!("&a{};", level - 1).repeat(10);
        write!(text, "<!ENTITY a{level} '{ten}'>").unwrap();
    }
    text += "]><report><package name='&a29;'/></report>";
    check("billion laughs", text.into_bytes(), "not a predefined entity of XML");
}

#[test]
fn missing_lines_take_no_memory() {
    // A few bytes must not stand for millions of lines.
    let text = head("Go coverage profile") + &"f.go:1.1,100000.1 1 1\n".repeat(100);
    check("Go", text.into_bytes(), "more lines than code has");
    let text = r#"{"data":[{"files":[{"filename":"a.c","segments":[[1,1,1,true,true,false],[4000000,1,1,true,true,false]]}],"functions":[]}],"type":"llvm.coverage.json.export","version":"3.1.0"}"#;
    check("LLVM", text.into(), "far more lines than segments");
}
