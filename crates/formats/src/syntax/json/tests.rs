use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// Returns one byte at a time, so that every token is split.
struct Drip<'b>(&'b [u8]);

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.len().min(1).min(buffer.len());
        let (now, later) = self.0.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.0 = later;
        Ok(count)
    }
}

fn value<R: Read>(json: &mut Json<R>) -> Result<Value, Fault> {
    Ok(match json.peek()? {
        Next::Object => {
            let mut object = serde_json::Map::new();
            json.begin_object()?;
            while let Some(key) = json.next_name()? {
                let key = key.to_owned();
                object.insert(key, value(json)?);
            }
            Value::Object(object)
        }
        Next::Array => {
            let mut array = Vec::new();
            json.begin_array()?;
            while json.next_element()? {
                array.push(value(json)?);
            }
            Value::Array(array)
        }
        Next::String => Value::String(json.string()?.to_owned()),
        Next::Number => Value::from(json.int()?),
        Next::Bool => Value::Bool(json.bool()?),
        Next::Null => {
            json.null()?;
            Value::Null
        }
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (i64::MIN + 1..i64::MAX).prop_map(Value::from),
        any::<String>().prop_map(Value::String),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            prop::collection::vec((any::<String>(), inner), 0..8)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn values_of_serde_json_are_read(expected in any_value(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&expected) } else { serde_json::to_string(&expected) };
        let text = text.unwrap();
        let mut json = Json::new(Drip(text.as_bytes()));
        prop_assert_eq!(value(&mut json).unwrap(), expected);
        prop_assert!(json.at_end().unwrap());
    }

    #[test]
    fn exactly_the_documents_of_serde_json_are_skipped(text in r#"[\[\]{}:,"\\u0-9a-fnrtlse.+\- ]{0,24}"#) {
        let mut json = Json::new(text.as_bytes());
        let accepted = json.skip().is_ok() && json.at_end().unwrap();
        // serde_json refuses numbers beyond f64; skipping them has no reason to.
        if let Err(error) = serde_json::from_str::<Value>(&text) {
            prop_assert!(!accepted || error.to_string().contains("out of range"), "{}", error);
        } else {
            prop_assert!(accepted);
        }
    }
}

#[test]
fn invalid_counts_are_refused_with_their_position() {
    for (text, message) in [
        ("[-3]", "byte 1: a negative number (were counters updated by several threads?)"),
        ("[1.5]", "byte 1: expected a whole number"),
        ("[99999999999999999999]", "byte 1: a number beyond 64 bits"),
        ("[", "byte 1: unexpected end of file"),
    ] {
        let mut json = Json::new(text.as_bytes());
        json.begin_array().unwrap();
        let fault = json.next_element().and_then(|_| json.uint()).unwrap_err();
        assert_eq!(fault.to_string(), message);
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let text = "[".repeat(1_000_000);
    let fault = Json::new(text.as_bytes()).skip().unwrap_err();
    assert_eq!(fault.to_string(), "byte 128: nested deeper than 128 levels");
}

#[test]
fn overlong_strings_are_an_error() {
    let text = io::repeat(b'x').take(1 << 40);
    let fault = Json::new(b"\"".chain(text)).string().unwrap_err().to_string();
    assert_eq!(fault, "byte 0: a string of over 1048576 bytes");
}

#[test]
fn skipped_strings_may_be_long() {
    let text = io::repeat(b'x').take(1 << 24);
    let mut json = Json::new(b"\"".chain(text).chain(&b"\\n\" 7"[..]));
    json.skip().unwrap();
    assert_eq!(json.uint().unwrap(), 7);
    assert!(json.buffer.len() <= 2 * BUFFER_BYTES);
}

proptest! {
    #[test]
    fn plain_length_equals_a_byte_by_byte_scan(text in prop::collection::vec(any::<u8>(), 0..40)) {
        let ends = |byte: &u8| *byte == b'"' || *byte == b'\\' || *byte < b' ';
        let expected = text.iter().position(ends).unwrap_or(text.len());
        prop_assert_eq!(plain_length(&text), expected);
    }
}
