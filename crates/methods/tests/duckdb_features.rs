//! The generator covers every feature of DuckDB that is listed here: each occurs in the text of some
//! databases and tests.
//!
//! Excluded, and why: `random`, `uuid`, `now`, `nextval` and sequences differ between the sides of a
//! pair without any fault; FIRST, `ANY_VALUE`, `ARG_MIN`, MODE, HISTOGRAM, SAMPLE, DISTINCT ON,
//! POSITIONAL JOIN and UPDATE FROM choose among rows; averages, PRODUCT and sums of DOUBLE depend on
//! the order of rows; approximate aggregates promise no result; collations make different values
//! equal; TIMESTAMPTZ depends on the time zone; COPY, ATTACH, EXPORT, INSTALL, settings and functions
//! that read files are refused by the target; foreign keys make nearly all changes of rows fail;
//! macros are replaced by their text before anything is planned; MERGE and TRUNCATE are what UPDATE
//! and DELETE are; MAP, UNION, ARRAY, BIT and VARIANT are not generated yet.

use metacov_core::{Facts, Rng};
use metacov_methods::sql::duckdb::{Database, Dialect, RELATIONS};
use regex::Regex;

const DATABASES: u64 = 2000;
const ROUNDS: usize = 3;

/// Features of statements.
const STATEMENTS: &[&str] = &[
    r"^CREATE TABLE t",
    r"^CREATE TEMP TABLE",
    r"^CREATE TABLE IF NOT EXISTS",
    r"^CREATE TABLE t\d+ AS ",
    r"c\d+ BOOLEAN\b",
    r"c\d+ TINYINT\b",
    r"c\d+ SMALLINT\b",
    r"c\d+ INTEGER\b",
    r"c\d+ BIGINT\b",
    r"c\d+ HUGEINT\b",
    r"c\d+ UINTEGER\b",
    r"c\d+ UBIGINT\b",
    r"c\d+ REAL\b",
    r"c\d+ DOUBLE\b",
    r"c\d+ DECIMAL\(18,3\)",
    r"c\d+ VARCHAR\b",
    r"c\d+ DATE\b",
    r"c\d+ TIMESTAMP\b",
    r"c\d+ TIME\b",
    r"c\d+ INTERVAL\b",
    r"c\d+ UUID\b",
    r"c\d+ BLOB\b",
    r"c\d+ ENUM\('a'",
    r"c\d+ INTEGER\[\]",
    r"c\d+ VARCHAR\[\]",
    r"c\d+ STRUCT\(",
    r" PRIMARY KEY",
    r" NOT NULL",
    r"c\d+ \w+ UNIQUE",
    r", UNIQUE \(",
    r" CHECK \(",
    r", CHECK \(",
    r" DEFAULT \(",
    r" GENERATED ALWAYS AS \(.*\) VIRTUAL",
    r"^CREATE INDEX i\d+ ON t\d+\(c\d+\)$",
    r"^CREATE INDEX i\d+ ON t\d+\(c\d+, c\d+\)$",
    r"^CREATE INDEX i\d+ ON t\d+\(lower\(",
    r"^CREATE UNIQUE INDEX",
    r"^CREATE VIEW v",
    r"^INSERT INTO t\d+\(.*VALUES",
    r"^INSERT .* FROM range\(2100\)",
    r"^INSERT .* ON CONFLICT DO NOTHING",
    r"^INSERT .* ON CONFLICT \(c\d+\) DO NOTHING",
    r"^INSERT .* DO UPDATE SET \w+ = excluded\.",
    r"^INSERT .* RETURNING ",
    r"^UPDATE .* WHERE ",
    r"^UPDATE .* RETURNING ",
    r"^DELETE .* WHERE ",
    r"^DELETE .* RETURNING ",
    r"^ALTER TABLE .* ADD COLUMN",
    r"^ALTER TABLE .* DROP COLUMN",
    r"^ALTER TABLE .* RENAME COLUMN",
    r"^ALTER TABLE .* RENAME TO",
    r"^ALTER TABLE .* ALTER COLUMN \w+ TYPE",
    r"^DROP TABLE ",
    r"^DROP INDEX ",
    r"^DROP VIEW ",
    r"^ANALYZE$",
    r"^CHECKPOINT$",
    r"^VACUUM$",
    r"^BEGIN$",
    r"^COMMIT$",
    r"^ROLLBACK$",
];

/// Features of the queries of tests.
const QUERIES: &[&str] = &[
    // Constants.
    r"CAST\('NaN' AS DOUBLE\)",
    r"170141183460469231731687303715884105727",
    r"'\d+ days' AS INTERVAL",
    r"\\x00",
    r"AS UUID\)",
    r"AS ENUM\(",
    r"CAST\(\[\] AS",
    r"CAST\(row\(",
    // Operators.
    r" AND ",
    r" OR ",
    r"\(NOT ",
    r" IS NULL\)",
    r" IS NOT NULL\)",
    r" IS TRUE\)",
    r" IS NOT FALSE\)",
    r" IS DISTINCT FROM ",
    r" IS NOT DISTINCT FROM ",
    r" BETWEEN ",
    r" NOT BETWEEN ",
    r" IN \([^S]",
    r" NOT IN \(",
    r" IN \(SELECT ",
    r" LIKE '",
    r" NOT LIKE ",
    r" ILIKE ",
    r" SIMILAR TO ",
    r" ESCAPE ",
    r"(=|<|>|!=|<=|>=) ANY \(SELECT",
    r"(=|<|>|!=|<=|>=) ALL \(SELECT",
    r"\(\(CAST\([^()]*\), CAST\([^()]*\)\) (=|<|>|!=|<=|>=) \(CAST",
    r"CASE WHEN ",
    r"CASE [^W]",
    r" ELSE ",
    r" \|\| ",
    r" % ",
    r" & ",
    r" \| ",
    r"\(~",
    r"\(-[a-z(]",
    r" - CAST\('-?\d+ days' AS INTERVAL\)",
    r"CAST\(\[[^\]]*\w\.c\d",
    // Queries in expressions, and sources.
    r"\(EXISTS \(SELECT",
    r"NOT EXISTS \(SELECT",
    r"\(SELECT CAST\((MIN|MAX)\(",
    r"FROM t\d+, ",
    r" INNER JOIN ",
    r" CROSS JOIN ",
    r" LEFT JOIN ",
    r" RIGHT JOIN ",
    r" FULL JOIN ",
    r" SEMI JOIN ",
    r" ANTI JOIN ",
    r" ASOF JOIN ",
    r" ASOF LEFT JOIN ",
    r"JOIN LATERAL \(SELECT",
    r", LATERAL \(SELECT",
    r"FROM \(SELECT ",
    r"FROM v\d",
    // Shapes.
    r"WITH RECURSIVE a\d+\(c0\) AS [A-Z ]*\(SELECT CAST\(1 AS INTEGER\) UNION ALL",
    r" AS MATERIALIZED \(",
    r" AS NOT MATERIALIZED \(",
    r" UNION ALL ",
    r" UNION SELECT",
    r" INTERSECT SELECT",
    r" EXCEPT SELECT",
    r" INTERSECT ALL ",
    r" EXCEPT ALL ",
    r"SELECT DISTINCT ",
    r" GROUP BY ",
    r" GROUP BY ROLLUP\(",
    r" GROUP BY CUBE\(",
    r" GROUP BY GROUPING SETS\(",
    r" HAVING ",
    r" ORDER BY .* DESC",
    r" ORDER BY .* NULLS FIRST",
    r" LIMIT \d+ OFFSET ",
    // Aggregates.
    r"COUNT\(\*\)",
    r"COUNT\(DISTINCT ",
    r"SUM\(DISTINCT ",
    r"bool_(and|or)\(",
    r"bit_(and|or|xor)\(",
    r"quantile_disc\(",
    r"list\(.* ORDER BY ",
    r"string_agg\(.* ORDER BY ",
    r"\) FILTER \(WHERE ",
    // Windows.
    r"row_number\(\) OVER",
    r"[^_]rank\(\) OVER",
    r"dense_rank\(\) OVER",
    r"percent_rank\(\) OVER",
    r"cume_dist\(\) OVER",
    r"ntile\(\d\) OVER",
    r"lag\(",
    r"lead\(",
    r"first_value\(",
    r"last_value\(",
    r"nth_value\(",
    r"OVER \(PARTITION BY ",
    r"RANGE BETWEEN ",
    r"ROWS BETWEEN \d PRECEDING AND \d FOLLOWING",
    r"GROUPS BETWEEN ",
    r"EXCLUDE CURRENT ROW",
    r"EXCLUDE GROUP",
    r"EXCLUDE TIES",
    r" QUALIFY \(",
    // Prepared statements.
    r"^PREPARE q AS SELECT .* CAST\(\? AS ",
    r"^EXECUTE q\(",
    r"^DEALLOCATE q$",
    // Single optimisers.
    r"^SET disabled_optimizers = '\w+'$",
    r"^SET disabled_optimizers = '\w+,\w+,\w+'$",
    r"window_rewriter",
];

/// Scalar functions.
const FUNCTIONS: &str = "abs array_to_string ascii atan bit_count bit_length ceil century coalesce concat concat_ws \
contains damerau_levenshtein date_diff date_part date_trunc dayname dayofyear encode epoch_ms even exp floor format gcd \
greatest hash hex hour instr isfinite isnan isodow last_day least left len length levenshtein list_append list_concat \
list_contains list_extract list_has_all list_has_any list_position list_prepend list_reverse list_slice list_sort ln \
lower lpad ltrim md5 month monthname nullif octet_length prefix radians regexp_extract regexp_extract_all \
regexp_full_match regexp_matches regexp_replace repeat replace reverse right round row rpad rtrim sign sqrt \
starts_with strftime string_split strip_accents strlen struct_extract substring suffix to_base64 to_days translate \
trim trunc unicode upper week xor year";

/// The statements and the queries of a database; every statement works.
fn texts(seed: u64, dialect: Dialect) -> (Vec<String>, Vec<String>) {
    let mut rng = Rng::new(seed);
    let mut database = Database::new(dialect);
    let (mut statements, mut queries) = (Vec::new(), Vec::new());
    while let Some(statement) = database.next_statement(&mut rng) {
        database.accept(true);
        statements.push(statement.sql);
    }
    for relation in RELATIONS.iter().flat_map(|relation| [relation; ROUNDS]) {
        let test = relation.derive(database.schema(), &mut rng);
        let inputs = test.sides.a.into_iter().chain(test.sides.b);
        queries.extend(inputs.flat_map(|input| input.statements));
    }
    (statements, queries)
}

#[test]
fn every_feature_is_generated() {
    let patterns = |texts: &[&str]| -> Vec<Regex> {
        texts.iter().map(|text| Regex::new(text).expect("a pattern")).collect()
    };
    let mut in_statements = patterns(STATEMENTS);
    let mut in_queries = patterns(QUERIES);
    let functions = FUNCTIONS.split_whitespace().map(|name| format!(r"[^\w]{name}\("));
    in_queries.extend(functions.map(|text| Regex::new(&text).expect("a pattern")));
    for seed in 0..DATABASES {
        let (statements, queries) = texts(seed, Dialect::NEWEST);
        for (missing, texts) in [(&mut in_statements, &statements), (&mut in_queries, &queries)] {
            missing.retain(|pattern| !texts.iter().any(|text| pattern.is_match(text)));
        }
        if in_statements.is_empty() && in_queries.is_empty() {
            return;
        }
    }
    let missing: Vec<&str> = in_statements.iter().chain(&in_queries).map(Regex::as_str).collect();
    panic!("{} are never generated: {missing:#?}", missing.len());
}

#[test]
fn the_same_seed_gives_the_same_text() {
    for seed in 0..50 {
        assert_eq!(texts(seed, Dialect::NEWEST), texts(seed, Dialect::NEWEST));
    }
    assert_ne!(texts(1, Dialect::NEWEST), texts(2, Dialect::NEWEST));
}

#[test]
fn old_versions_get_no_newer_features() {
    const YOUNG: &[&str] = &[
        "LATERAL",
        "ASOF",
        "SEMI JOIN",
        "QUALIFY",
        "ROLLUP",
        "MATERIALIZED",
        "IS TRUE",
        " ANY (",
        "ENUM(",
        "[]",
        "STRUCT(",
        "UUID",
        "ON CONFLICT",
        "GENERATED",
        "EXCLUDE",
        "EXCEPT ALL",
    ];
    const VERY_YOUNG: &[&str] =
        &["WITH RECURSIVE", "OVER (", "INTERVAL", "BLOB", "HUGEINT", "ILIKE"];
    let dialect = |version: &str| Dialect::of(&Facts::from([("version".into(), version.into())]));
    for seed in 0..200 {
        for (version, young) in [("0.5.1", &[][..]), ("0.1.6", VERY_YOUNG)] {
            let (statements, queries) = texts(seed, dialect(version));
            for text in statements.iter().chain(&queries) {
                let found = YOUNG.iter().chain(young).find(|word| text.contains(**word));
                assert_eq!(found, None, "{version}: {text}");
            }
        }
    }
}

/// Until 0.10, the functions return DOUBLE, whose sums depend on the order of rows.
#[test]
fn the_greatest_decimal_is_a_decimal() {
    let extreme =
        Regex::new(r"(.{5})(greatest|least)\(CAST\('[^']*' AS DECIMAL\(").expect("a pattern");
    let mut found = 0;
    for seed in 0..400 {
        let (statements, queries) = texts(seed, Dialect::NEWEST);
        for text in statements.iter().chain(&queries) {
            for call in extreme.captures_iter(text) {
                assert_eq!(&call[1], "CAST(", "{text}");
                found += 1;
            }
        }
    }
    assert!(found > 0);
}

/// 2.0.0 returns wrong rows for these, or ends (`docs/found-bugs-duckdb.md`).
#[test]
fn known_faults_are_avoided() {
    let exists = Regex::new(r"EXISTS \(SELECT ").expect("a pattern");
    let constant = Regex::new(r"nullif\('[^']*', ").expect("a pattern");
    let sum = Regex::new(r"\+ CAST\(\S+ AS UBIGINT\)").expect("a pattern");
    for seed in 0..300 {
        let (statements, queries) = texts(seed, Dialect::NEWEST);
        for text in statements.iter().chain(&queries) {
            assert!(!constant.is_match(text), "{text}");
            assert!(!sum.is_match(text), "{text}");
            assert!(!text.contains("cbrt("), "{text}");
            for found in exists.find_iter(text) {
                let query = inside(&text[found.end()..]);
                for join in ["LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "FROM v", "JOIN v"] {
                    assert!(!query.contains(join), "{join} in {text}");
                }
            }
        }
    }
}

/// The text up to the bracket that closes.
fn inside(text: &str) -> &str {
    let mut depth = 1;
    let end = text.find(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth == 0
    });
    &text[..end.unwrap_or(text.len())]
}
