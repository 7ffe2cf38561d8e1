//! Where results are shown.

use metacov_run::RunError;
use metacov_study::conduct::Message;

use crate::Table;

/// Shows results to a user.
pub trait Screen {
    /// Prints data.
    fn print(&self, text: &str) -> Result<(), RunError>;

    /// Whether data are printed in colours.
    fn has_colors(&self) -> bool;

    /// Shows a message, apart from the data.
    fn message(&self, message: Message);

    /// Prints a table.
    fn print_table(&self, table: &Table) -> Result<(), RunError> {
        self.print(&table.to_terminal(self.has_colors()))
    }

    /// Shows something useful to know.
    fn note(&self, what: &str) {
        self.message(Message::Note(what.to_owned()));
    }
}

/// What results mean for the exit code; of several, the greatest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conclusion {
    /// Nothing is wrong.
    Passed,
    /// A relation is violated.
    Violated,
    /// A condition of the user is not met.
    UnderThreshold,
}
