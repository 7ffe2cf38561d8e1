//! Readers of the syntax that several formats share: JSON, XML, and text by lines.

pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod xml;
