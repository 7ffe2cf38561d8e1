//! Addresses of links.

use std::fmt::Write as _;

/// A path as the address of a link in Markdown, which ends at a space or a parenthesis.
pub(crate) fn address(path: &str) -> String {
    percent_encoded(path, b"-_./~")
}

/// A text as part of an address: as it is are letters, digits and `plain`.
pub(crate) fn percent_encoded(text: &str, plain: &[u8]) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
