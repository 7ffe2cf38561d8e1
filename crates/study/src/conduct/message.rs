//! Messages for the user of a study.

/// A message for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// For users who want to know more.
    Detail(String),
    /// Worth knowing.
    Note(String),
    /// Needed to read the numbers right.
    Warning(String),
}
