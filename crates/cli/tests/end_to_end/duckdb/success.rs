//! Of each kind of statement, and of each side of a relation, at least 90 % succeed.

use super::{CACHE, metacov};

/// `cargo test -p metacov --test end_to_end duckdb::success -- --nocapture` prints the table.
#[test]
#[expect(clippy::print_stdout, reason = "the table is what one looks at")]
fn nearly_all_statements_succeed() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["-v", "measure", "duckdb", "--no-coverage", "--count", "60", "--databases", "20"];
    let run = metacov(folder.path(), &CACHE, &args);
    let mut kinds = Vec::new();
    for line in run.stderr.lines() {
        let Some((kind, numbers)) = line.strip_prefix("note: ").and_then(|it| it.split_once(": "))
        else {
            continue;
        };
        let Some((worked, tried)) =
            numbers.strip_suffix(" worked").and_then(|it| it.split_once(" of "))
        else {
            continue;
        };
        let [worked, tried] = [worked, tried].map(|number| number.parse::<u32>().unwrap());
        println!("{kind:32} {worked:6} of {tried:6} {:4} %", 100 * worked / tried);
        assert!(worked * 100 >= tried * 90, "{kind}: {worked} of {tried}");
        kinds.push(kind.to_owned());
    }
    for kind in ["CREATE TABLE", "INSERT", "norec a", "optimizer b", "tlp-having b"] {
        assert!(kinds.iter().any(|known| known == kind), "{kind}: {run:?}");
    }
}
