//! The generator covers every feature of SQLite that is listed here: each occurs in the text of
//! some databases and tests.
//!
//! Excluded, and why: `random`, `randomblob`, `changes`, `total_changes`, `last_insert_rowid`,
//! `load_extension` and times that change (`now`) differ between the sides of a pair without any
//! fault; `case_sensitive_like`, `writable_schema`, `legacy_alter_table` and `journal_mode = off`
//! change what queries mean, or damage databases, once there are tables; `DISTINCT` in scalar
//! functions and `ALL` have no effect; `VACUUM INTO` and attached files would write to disk; a
//! content table of fts5 (`content = t`) that changes makes searches undefined.

use metacov_core::Rng;
use metacov_methods::sql::sqlite::{Database, Dialect, RELATIONS};
use regex::Regex;

const DATABASES: u64 = 2000;
const ROUNDS: usize = 3;

/// Features of statements: regular expressions that match the text of no other feature by chance.
const STATEMENTS: &[&str] = &[
    // Tables.
    r"^CREATE TABLE t",
    r"^CREATE TEMP TABLE",
    r"^CREATE TABLE IF NOT EXISTS",
    r"^CREATE TABLE (IF NOT EXISTS )?other\.",
    r"^CREATE (TEMP )?TABLE t\d+ AS ",
    r"\) STRICT$",
    r"\) WITHOUT ROWID$",
    r"\) WITHOUT ROWID, STRICT$",
    r"^CREATE TABLE t\d+ \(c0[^,]*\)$",
    r"^CREATE TABLE .*c1 [^,]*\)$",
    r"c\d+ INT\b",
    r"c\d+ INTEGER\b",
    r"c\d+ TEXT\b",
    r"c\d+ REAL\b",
    r"c\d+ BLOB\b",
    r"c\d+ NUMERIC\b",
    r"c\d+ ANY\b",
    r"c\d+ PRIMARY KEY|c\d+ \w+ PRIMARY KEY",
    r"INTEGER PRIMARY KEY( ASC)?( ON CONFLICT \w+)? AUTOINCREMENT",
    r"INTEGER PRIMARY KEY DESC",
    r"PRIMARY KEY( ASC| DESC)? ON CONFLICT",
    r", PRIMARY KEY \(",
    r"NOT NULL ON CONFLICT ROLLBACK",
    r"NOT NULL ON CONFLICT ABORT",
    r"NOT NULL ON CONFLICT FAIL",
    r"NOT NULL ON CONFLICT IGNORE",
    r"NOT NULL ON CONFLICT REPLACE",
    r"c\d+ \w+ UNIQUE",
    r", UNIQUE \(",
    r", UNIQUE \(c\d+ (ASC|DESC)",
    r" CHECK \(",
    r", CHECK \(",
    r" DEFAULT \(",
    r" COLLATE BINARY",
    r" COLLATE NOCASE",
    r" COLLATE RTRIM",
    r"GENERATED ALWAYS AS \(.*\) VIRTUAL",
    r"GENERATED ALWAYS AS \(.*\) STORED",
    r" c\d+ .* REFERENCES t",
    r", FOREIGN KEY \(",
    r"ON DELETE SET NULL",
    r"ON DELETE SET DEFAULT",
    r"ON DELETE CASCADE",
    r"ON UPDATE RESTRICT",
    r"ON UPDATE NO ACTION",
    r" DEFERRABLE INITIALLY DEFERRED",
    r" DEFERRABLE INITIALLY IMMEDIATE",
    r" NOT DEFERRABLE",
    // Virtual tables.
    r"USING fts4\(",
    r"USING fts4.*matchinfo=fts3",
    r"USING fts4.*tokenize=simple",
    r"USING fts4.*tokenize=porter",
    r"USING fts4.*tokenize=unicode61",
    r"USING fts4.*prefix=",
    r"USING fts4.*order=DESC",
    r"USING fts4.*languageid=",
    r"USING fts4.*compress=.*uncompress=",
    r"USING fts4.*notindexed=",
    r"USING fts5.* UNINDEXED",
    r"USING fts5.*tokenize = 'ascii'",
    r"USING fts5.*tokenize = 'porter'",
    r"USING fts5.*tokenize = 'unicode61 remove_diacritics 2'",
    r"USING fts5.*tokenize = 'unicode61 tokenchars",
    r"USING fts5.*tokenize = 'trigram'",
    r"USING fts5.*prefix =",
    r"USING fts5.*columnsize = 0",
    r"USING fts5.*detail = column",
    r"USING fts5.*detail = none",
    r"USING fts5.*content = ''",
    r"USING fts5.*contentless_delete = 1",
    r"USING rtree\(c0, c1, c2\)",
    r"USING rtree_i32\(",
    r"USING rtree\(.*c10",
    r"USING rtree.*\+c",
    r"USING dbstat",
    // Indexes, views, triggers.
    r"^CREATE UNIQUE INDEX",
    r"^CREATE INDEX IF NOT EXISTS",
    r"^CREATE INDEX i\d+ ON t\d+\(c\d+\)$",
    r"^CREATE INDEX i\d+ ON t\d+\(\(",
    r"^CREATE INDEX .* COLLATE NOCASE\)",
    r"^CREATE INDEX .* DESC",
    r"^CREATE INDEX .*\) WHERE ",
    r"^CREATE INDEX .*other\.",
    r"^CREATE VIEW v",
    r"^CREATE TEMP VIEW",
    r"^CREATE VIEW IF NOT EXISTS",
    r"TRIGGER r\d+ BEFORE INSERT",
    r"TRIGGER r\d+ AFTER UPDATE ON",
    r"TRIGGER r\d+ AFTER UPDATE OF",
    r"TRIGGER r\d+ BEFORE DELETE",
    r"TRIGGER r\d+ INSTEAD OF",
    r"^CREATE TEMP TRIGGER",
    r"FOR EACH ROW WHEN ",
    r"BEGIN.* INSERT OR IGNORE INTO.*END$",
    r"BEGIN.* UPDATE OR IGNORE .*END$",
    r"BEGIN.* DELETE FROM .*END$",
    r"RAISE\(IGNORE\)",
    r"RAISE\(ABORT",
    r"RAISE\(FAIL",
    // Rows.
    r"^INSERT INTO t",
    r"^INSERT OR IGNORE",
    r"^INSERT OR REPLACE",
    r"^INSERT OR ABORT",
    r"^INSERT OR FAIL",
    r"^INSERT OR ROLLBACK",
    r"^INSERT .* DEFAULT VALUES",
    r"^INSERT .*\) SELECT ",
    r"^INSERT .*\) WITH RECURSIVE n\(x\)",
    r"^INSERT .*x < 500",
    r"^INSERT .*printf\('%\.\*c', 5000",
    r"^INSERT .*zeroblob\(5000\)",
    r"ON CONFLICT DO NOTHING",
    r"ON CONFLICT \(.*\) DO NOTHING",
    r"ON CONFLICT \(.*\) DO UPDATE SET \w+ = excluded\.",
    r"DO UPDATE SET .* WHERE ",
    r"^INSERT .* RETURNING ",
    r"^UPDATE t",
    r"^UPDATE OR (IGNORE|REPLACE)",
    r"^UPDATE .* SET \(\w+, \w+\) = \(",
    r"^UPDATE .* WHERE ",
    r"^UPDATE .* FROM .* WHERE ",
    r"^UPDATE .* RETURNING ",
    r"^UPDATE t\d+ SET c1 = \(c1 \+ .*\), c2 = \(c2 \+ ",
    r"^DELETE FROM t",
    r"^DELETE .* RETURNING ",
    // Changes of the schema.
    r"^ALTER TABLE t\d+ RENAME TO",
    r"^ALTER TABLE t\d+ RENAME COLUMN",
    r"^ALTER TABLE t\d+ ADD COLUMN",
    r"^ALTER TABLE t\d+ ADD COLUMN .* DEFAULT",
    r"^ALTER TABLE t\d+ ADD COLUMN .* VIRTUAL",
    r"^ALTER TABLE t\d+ DROP COLUMN",
    r"^DROP TABLE ",
    r"^DROP INDEX ",
    r"^DROP VIEW ",
    r"^DROP TRIGGER ",
    r"^DROP \w+ IF EXISTS",
    // Maintenance.
    r"^ANALYZE$",
    r"^ANALYZE t",
    r"^ANALYZE i",
    r"^ANALYZE main$",
    r"^ANALYZE temp$",
    r"^ANALYZE sqlite_master$",
    r"^INSERT INTO sqlite_stat1",
    r"^UPDATE sqlite_stat1 .*unordered",
    r"^UPDATE sqlite_stat1 .*noskipscan",
    r"^UPDATE sqlite_stat1 .*sz=",
    r"^DELETE FROM sqlite_stat1",
    r"^REINDEX$",
    r"^REINDEX t",
    r"^REINDEX i",
    r"^REINDEX NOCASE$",
    r"^VACUUM$",
    r"^SELECT rtreecheck\(",
    r"VALUES \('optimize'\)",
    r"VALUES \('rebuild'\)",
    r"VALUES \('integrity-check'\)",
    r"VALUES \('merge', 16\)",
    r"VALUES \('merge=",
    r"VALUES \('automerge', 8\)",
    r"VALUES \('crisismerge'",
    r"VALUES \('usermerge'",
    r"VALUES \('pgsz'",
    r"VALUES \('rank', 'bm25",
    r"VALUES \('secure-delete'",
    r"^ATTACH ",
    r"^EXPLAIN (SELECT|WITH|VALUES)",
    r"^EXPLAIN QUERY PLAN ",
    r"^BEGIN$",
    r"^BEGIN DEFERRED$",
    r"^BEGIN IMMEDIATE$",
    r"^BEGIN EXCLUSIVE$",
    r"^COMMIT$",
    r"^ROLLBACK$",
    r"^SAVEPOINT ",
    r"^RELEASE ",
    r"^ROLLBACK TO ",
    r"^PRAGMA main\.",
    r"^PRAGMA temp\.",
    r"^PRAGMA encoding\('UTF-16be'\)",
    r"^PRAGMA case_sensitive_like",
    r"^PRAGMA optimize\(0xfffe\)",
];

/// The settings and commands that are generated.
const PRAGMAS: &[&str] = &[
    "analysis_limit",
    "application_id",
    "auto_vacuum",
    "automatic_index",
    "busy_timeout",
    "cache_size",
    "cache_spill",
    "cell_size_check",
    "checkpoint_fullfsync",
    "default_cache_size",
    "defer_foreign_keys",
    "encoding",
    "foreign_key_check",
    "foreign_keys",
    "ignore_check_constraints",
    "incremental_vacuum",
    "integrity_check",
    "journal_mode",
    "journal_size_limit",
    "legacy_file_format",
    "locking_mode",
    "mmap_size",
    "optimize",
    "page_size",
    "quick_check",
    "recursive_triggers",
    "reverse_unordered_selects",
    "secure_delete",
    "shrink_memory",
    "soft_heap_limit",
    "stats",
    "synchronous",
    "temp_store",
    "threads",
    "user_version",
    "wal_autocheckpoint",
    "wal_checkpoint",
];

/// Features of the queries of tests.
const QUERIES: &[&str] = &[
    // Constants.
    r"[ (]\d+[ ,)]",
    r"0x[0-9a-f]+",
    r"\d\.\d",
    r"9e999",
    r"'[^']+'",
    r"x'",
    r"NULL",
    r"TRUE",
    // Operators.
    r"\(-[a-z(]",
    r"\(\+",
    r"\(~",
    r"\(NOT ",
    r" ISNULL\)",
    r" NOTNULL\)",
    r" NOT NULL\)",
    r" IS NULL\)",
    r" IS TRUE\)",
    r" IS NOT FALSE\)",
    r" \|\| ",
    r" \* ",
    r" / ",
    r" % ",
    r" \+ ",
    r" - ",
    r" << ",
    r" >> ",
    r" & ",
    r" \| ",
    r" AND ",
    r" OR ",
    r" < ",
    r" <= ",
    r" > ",
    r" >= ",
    r" = ",
    r" == ",
    r" != ",
    r" <> ",
    r" IS ",
    r" IS NOT ",
    r" IS DISTINCT FROM ",
    r" IS NOT DISTINCT FROM ",
    r" LIKE ",
    r" NOT LIKE ",
    r" ESCAPE ",
    r" GLOB ",
    r" -> ",
    r" ->> ",
    r" MATCH ",
    r" BETWEEN .* AND ",
    r" NOT BETWEEN ",
    r" IN \(\)",
    r" IN \([^S)]",
    r" NOT IN \(",
    r" IN t\d",
    r" IN \(SELECT ",
    r"\(\w+\.\w+, [^()]*\) IN \(SELECT",
    r"AS INTEGER\)",
    r"AS REAL\)",
    r"AS TEXT\)",
    r"AS NUMERIC\)",
    r"AS BLOB\)",
    r" COLLATE NOCASE\)",
    r"CASE WHEN ",
    r"CASE [^W]",
    r" ELSE ",
    r"\(\w+\.\w+, \w+\.\w+\) (<|=|!=|IS) \(",
    r"\) BETWEEN \([^()]*, [^()]*\) AND \(",
    r"\.rowid\b",
    r"\._rowid_\b",
    r"\.oid\b",
    // Queries in expressions.
    r"\(SELECT (MIN|MAX|COUNT|SUM)\(",
    r"LIMIT 1\)",
    r"\(EXISTS \(SELECT",
    r"NOT EXISTS \(SELECT",
    r"MAX\(highlight\(",
    r"MAX\(snippet\(",
    r"MIN\(bm25\(",
    r"offsets\(",
    r"hex\(matchinfo\(",
    // Sources.
    r" INNER JOIN ",
    r" JOIN ",
    r" CROSS JOIN ",
    r" LEFT JOIN ",
    r" RIGHT JOIN ",
    r" FULL JOIN ",
    r" NATURAL ",
    r" USING \(",
    r" ON \(",
    r"FROM t\d+, ",
    r" NOT INDEXED",
    r" INDEXED BY ",
    r"FROM \(SELECT ",
    r"\(VALUES ",
    r"json_each\(",
    r"json_tree\(",
    r"t\d+\('[^']*'\) AS",
    r"pragma_table_info\(",
    r"FROM v\d",
    r"\.lid\b",
    r"\.pageno\b",
    // Shapes.
    r"SELECT DISTINCT ",
    r"COUNT\(\*\)",
    r"COUNT\(DISTINCT ",
    r"SUM\(",
    r"TOTAL\(",
    r"AVG\(",
    r"MIN\(",
    r"group_concat\(.* ORDER BY ",
    r"string_agg\(",
    r"json_group_array\(",
    r"json_group_object\(",
    r"(MIN|MAX|SUM)\(DISTINCT ",
    r"\) FILTER \(WHERE ",
    r" GROUP BY ",
    r" GROUP BY 1",
    r" HAVING ",
    r" ORDER BY .* NULLS LAST",
    r" ORDER BY .* NULLS FIRST",
    r" ORDER BY .* DESC",
    r" LIMIT \d+ OFFSET ",
    r" UNION ALL ",
    r" UNION ",
    r" INTERSECT ",
    r" EXCEPT ",
    r"WITH RECURSIVE \w+\(x\)",
    r" AS MATERIALIZED \(",
    r" AS NOT MATERIALIZED \(",
    // Windows.
    r"row_number\(\) OVER",
    r" rank\(\) OVER",
    r"dense_rank\(\) OVER",
    r"percent_rank\(\) OVER",
    r"cume_dist\(\) OVER",
    r"ntile\(\d\) OVER",
    r"lag\(",
    r"lead\(",
    r"first_value\(",
    r"last_value\(",
    r"nth_value\(",
    r"(SUM|COUNT|MIN|MAX|AVG)\([^()]*\) OVER",
    r"OVER \(PARTITION BY ",
    r"OVER w",
    r" WINDOW w\w+ AS \(",
    r"RANGE BETWEEN ",
    r"ROWS BETWEEN ",
    r"GROUPS BETWEEN ",
    r"\d PRECEDING",
    r"\d FOLLOWING",
    r"EXCLUDE CURRENT ROW",
    r"EXCLUDE GROUP",
    r"EXCLUDE TIES",
    r"EXCLUDE NO OTHERS",
];

/// Scalar functions.
const FUNCTIONS: &str = "abs acos asin atan atan2 ceil char coalesce concat concat_ws cos cosh date datetime degrees exp \
floor format glob hex if ifnull iif instr json json_array json_array_length json_error_position json_extract \
json_insert json_object json_patch json_pretty json_quote json_remove json_replace json_set json_type json_valid jsonb \
jsonb_array jsonb_extract jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set julianday length \
like likelihood likely ln log log2 lower ltrim max min mod nullif octet_length pi pow printf quote radians replace \
round rtreenode rtrim sign sin sinh soundex sqlite_compileoption_get sqlite_compileoption_used sqlite_source_id \
sqlite_version sqrt strftime substr substring tan tanh time timediff trim trunc typeof unhex unicode unistr unixepoch \
unlikely upper zeroblob";

#[test]
fn every_feature_is_generated() {
    let pragmas = PRAGMAS.iter().map(|name| format!(r"^PRAGMA (main\.|temp\.)?{name}\b"));
    let statements = STATEMENTS.iter().map(ToString::to_string);
    let functions = FUNCTIONS.split_whitespace().map(|name| format!(r"[^\w]{name}\("));
    let queries = QUERIES.iter().map(ToString::to_string);
    let mut in_statements = Missing::new(statements.chain(pragmas));
    let mut in_queries = Missing::new(queries.chain(functions));
    let dialect = Dialect { math: true, ..Dialect::SQLITE };
    for seed in 0..DATABASES {
        let mut rng = Rng::new(seed);
        let mut database = Database::new(dialect);
        while let Some(statement) = database.next_statement(&mut rng) {
            database.accept();
            in_statements.look_at(&statement.sql);
        }
        for relation in RELATIONS.iter().flat_map(|relation| [relation; ROUNDS]) {
            let test = relation.derive(database.schema(), &mut rng);
            // The second side repeats the expressions.
            let mut statements = test.sides.a[0].statements.iter();
            let query = statements.find(|statement| !statement.starts_with('.'));
            in_queries.look_at(query.expect("a side has a query"));
        }
        if in_statements.0.is_empty() && in_queries.0.is_empty() {
            return;
        }
    }
    let missing: Vec<&str> =
        in_statements.0.iter().chain(&in_queries.0).map(Regex::as_str).collect();
    panic!("{} are never generated: {missing:#?}", missing.len());
}

/// Patterns that have not matched yet.
struct Missing(Vec<Regex>);

impl Missing {
    fn new(patterns: impl IntoIterator<Item = String>) -> Self {
        Self(patterns.into_iter().map(|text| Regex::new(&text).expect("a pattern")).collect())
    }

    fn look_at(&mut self, text: &str) {
        self.0.retain(|pattern| !pattern.is_match(text));
    }
}
