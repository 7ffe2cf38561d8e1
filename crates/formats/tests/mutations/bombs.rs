//! Files that are made to eat memory or stack. Each ends in a message.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::probe::probe;

/// Starts of files that look like a format's.
const HEADS: [(&str, &str); 6] = [
    ("gcovr JSON", "{\"gcovr/format_version\": \"0.14\", \"files\": ["),
    ("gcov JSON", "{\"format_version\": \"1\", \"gcc_version\": \"12\", \"files\": ["),
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
    HEADS.iter().find(|(name, _)| *name == format).unwrap().1.to_owned()
}

#[test]
fn content_that_grows_out_of_proportion_ends_in_a_message() {
    // Members of a compressed file may follow each other: one mebibyte is compressed, not 400.
    let gzip = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 1).unwrap();
    let compressions: [(&str, &dyn Fn(&[u8]) -> Vec<u8>); 2] = [("gzip", &gzip), ("zstd", &zstd)];
    for (compression, compress) in compressions {
        let spaces = compress(&vec![b' '; 1 << 20]);
        for (format, start) in HEADS {
            let mut bomb = compress(start.as_bytes());
            (0..400).for_each(|_| bomb.extend_from_slice(&spaces));
            let expected = match format {
                "gcovr JSON" | "gcov JSON" => "decompresses to more than 300 times its size",
                _ => "of over 1048576 bytes",
            };
            check(&format!("{format} in {compression}"), bomb, expected);
        }
        let zeros = compress(&vec![0; 1 << 20]).repeat(400);
        check(compression, zeros, "of no coverage format");
    }
}

#[test]
fn deep_nesting_ends_in_a_message() {
    for (format, level) in [
        ("gcovr JSON", "["),
        ("gcov JSON", "["),
        ("Cobertura", "<x>"),
        ("Cobertura", "<package>"),
        ("JaCoCo XML", "<x>"),
        ("JaCoCo XML", "<group name=\"g\">"),
    ] {
        let text = head(format) + &level.repeat(1_000_000);
        check(format, text.into_bytes(), "");
    }
    let text = format!("{{\"gcovr/format_version\": {}", "{\"x\":[".repeat(1_000_000));
    check("a version", text.into_bytes(), "a string should stand here");
    let text = format!("{{\"gcovr/x\": {}", "{\"x\":[".repeat(1_000_000));
    check("an unknown key", text.into_bytes(), "nested deeper than 128 levels");
}

#[test]
fn what_is_too_long_ends_in_a_message() {
    let long = "x".repeat(10 << 20);
    for (format, start) in [
        ("gcovr JSON", "{\"file\": \""),
        ("gcovr JSON", "{\""),
        ("gcovr JSON", "{\"lines\": [{\"count\": \""),
        ("gcov JSON", "{\"file\": \""),
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
}

#[test]
fn numbers_without_end_end_in_a_message() {
    let long = "9".repeat(10 << 20);
    for (format, start) in [
        ("gcovr JSON", "{\"lines\": [{\"count\": "),
        ("lcov", "a.c\nDA:1,"),
        ("Cobertura", "<class filename='a'><lines><line number='"),
        ("Go coverage profile", "a.go:1.1,2.2 1 "),
    ] {
        check(format, (head(format) + start + &long).into_bytes(), "");
    }
    // A number that is passed over may have any length, and takes no memory.
    let text = head("gcovr JSON") + "{\"x\": " + &long;
    check("a number", text.into_bytes(), "the file ends in the middle");
}

#[test]
fn tags_with_very_many_attributes_are_read_in_time() {
    // Comparing each with each would take 10^10 steps a tag.
    let attributes: String = (0..100_000).map(|number| format!(" a{number}=''")).collect();
    let line = format!("<line{attributes}/>");
    let text = head("Cobertura") + "<class filename='a'><lines>" + &line;
    check("attributes", text.into_bytes(), "`line` without `number`");
}

#[test]
fn entities_that_multiply_stay_harmless() {
    let mut text = "<!DOCTYPE report [<!ENTITY a0 'lol'>".to_owned();
    for level in 1..30 {
        text += &format!("<!ENTITY a{level} '{}'>", format!("&a{};", level - 1).repeat(10));
    }
    text += "]><report><package name='&a29;'/></report>";
    check("billion laughs", text.into_bytes(), "not an entity of XML's own");
}

#[test]
fn lines_that_are_not_there_take_no_memory() {
    // A few bytes must not stand for millions of lines.
    let block = |file: u32| format!("f{file}.go:1.1,100000.1 1 1\n");
    let text = head("Go coverage profile") + &(0..100).map(block).collect::<String>();
    check("Go", text.into_bytes(), "more lines than code has");
}
