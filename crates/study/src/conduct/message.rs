//! Messages for the user of a study.

/// A message for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Details for users who want to know more.
    Detail(String),
    /// Useful to know.
    Note(String),
    /// Required to interpret the numbers.
    Warning(String),
    /// A requirement that does not hold.
    Failure(String),
}
