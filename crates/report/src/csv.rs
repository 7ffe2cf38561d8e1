//! CSV for spreadsheets and statistics programs: a heading, plain numbers, one row for each
//! relation and criterion.

use std::io::{self, Write};

use metacov_core::{Failure, Operation, Summary, Tally, total};
use metacov_formats::{Export, Writer};

/// The numbers of a suite as comma-separated values.
pub struct Csv;

impl Writer for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["csv"]
    }

    fn write(&self, export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Export { suite, criteria, .. } = *export;
        let mut headings: Vec<String> =
            ["relation", "criterion", "pairs", "judged", "violated"].map(str::to_owned).into();
        headings.extend(Failure::ALL.map(|failure| failure.name().replace(' ', "_")));
        // Only the difference is metamorphic coverage.
        let result = if suite.operation == Operation::Xor { "mc_sites" } else { "result" };
        headings.extend(
            ["sites", "executed", "a_only", "b_only", "either", "both", result, "flaky"]
                .map(str::to_owned),
        );
        out.write_all(line(&headings).as_bytes())?;
        let mut write = |name: &str, tally: &Tally| -> io::Result<()> {
            let summaries = total(&suite.table, tally);
            for criterion in criteria.iter().filter(|criterion| summaries[*criterion].sites > 0) {
                let Summary { a_only, b_only, either, both, result, flaky, .. } =
                    summaries[criterion];
                // The files list only what ran, so the amount of code is not known.
                let partial = suite.table.partial().contains(criterion);
                let sites = summaries[criterion].sites;
                let sites = if partial { String::new() } else { sites.to_string() };
                let mut cells = vec![name.to_owned(), criterion.to_string()];
                let counts = [tally.pairs, tally.judged, tally.violated];
                cells.extend(counts.map(|count| count.to_string()));
                cells.extend(Failure::ALL.map(|failure| tally.failed(failure).to_string()));
                cells.push(sites);
                let executed = summaries[criterion].executed();
                let counts = [executed, a_only, b_only, either, both, result, flaky];
                cells.extend(counts.map(|count| count.to_string()));
                out.write_all(line(&cells).as_bytes())?;
            }
            Ok(())
        };
        for (name, tally) in &suite.relations {
            write(name, tally)?;
        }
        if suite.relations.len() > 1 {
            write("all", export.total)?;
        }
        Ok(())
    }
}

/// A line of cells, quoted if necessary (RFC 4180, but with plain line ends).
pub(crate) fn line(cells: &[String]) -> String {
    let cells = cells.iter().map(|cell| {
        if cell.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.clone()
        }
    });
    cells.collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_if_necessary() {
        let cells = ["f<int, long>", "say \"a\"", "plain"].map(str::to_owned);
        assert_eq!(line(&cells), "\"f<int, long>\",\"say \"\"a\"\"\",plain\n");
    }
}
