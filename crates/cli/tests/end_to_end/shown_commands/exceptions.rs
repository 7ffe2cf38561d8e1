//! The commands of the documents that are not run as they are shown, or do not end with exit code 0.

/// How a command is run, if not as it is shown.
#[derive(Debug)]
pub struct Exception {
    pub command: &'static str,
    pub run: Run,
    pub exit_code: i32,
    /// The reason, for readers of the table and of failed assertions.
    pub why: &'static str,
}

#[derive(Debug)]
pub enum Run {
    AsShown,
    /// In another form, usually a smaller one.
    Instead(&'static str),
    /// Not here: this file has this text, which runs it or a smaller form of it.
    By(&'static str, &'static str),
}

/// The exceptions of each document.
pub const EXCEPTIONS: &[(&str, &[Exception])] = &[
    (
        "README.md",
        &[
            scaled(
                "cargo run --release -- measure sqlite --criterion line",
                "metacov measure sqlite --criterion line --timeout 100",
                COMPILES,
            ),
            by_ci("metacov study run studies/sqlite.toml --quick", QUICK_STUDY, MINUTES),
            scaled(
                "metacov fuzz sqlite@3.29.0 --cpu-time 12m -o old.metacov",
                "metacov target build calculator && metacov target build calculator@1.0 &&
                 metacov fuzz calculator@1.0 --count 1500 -o old.metacov",
                MINUTES,
            )
            .violates(),
            by_solvers("metacov target build boolector", r#""target", "build", "boolector""#),
            by_solvers(
                "metacov measure boolector --relation yinyang-sat,yinyang-unsat,sae --count 20",
                r#""measure", "boolector""#,
            ),
            by_ci("cargo install --path crates/cli", "target/release/metacov", COMPILES),
            by_ci("scripts/test", "step scripts/test", TESTS),
        ],
    ),
    (
        "CONTRIBUTING.md",
        &[
            by_ci("scripts/test-fast", "step scripts/test", TESTS),
            by_ci("scripts/test", "step scripts/test", TESTS),
            by(".ci/run", "justfile", ".ci/run", TESTS),
        ],
    ),
    (
        "benches/README.md",
        &[
            by_ci("benches/run", "step benches/run --quick", MINUTES),
            by_ci("benches/run --quick", "step benches/run --quick", MINUTES),
            by_ci("benches/capture", "step benches/capture --quick", MINUTES),
            by_ci("benches/capture --quick", "step benches/capture --quick", MINUTES),
            by_ci("benches/capture --many 100000", "step benches/capture --quick", MINUTES),
            by("benches/duckdb", "crates/cli/tests/end_to_end/duckdb.rs", SHARE, MINUTES),
            by("benches/duckdb --quick", "crates/cli/tests/end_to_end/duckdb.rs", SHARE, MINUTES),
            by_ci("benches/fuzz", "step benches/fuzz --quick", MINUTES),
            by_ci("benches/fuzz --quick", "step benches/fuzz --quick", MINUTES),
            by_ci("benches/large", "step benches/large --quick", MINUTES),
            by_ci("benches/large --quick", "step benches/large --quick", MINUTES),
            by("benches/mutants", "crates/cli/tests/end_to_end/mutants.rs", MUTANTS, MINUTES),
            by("benches/mutants --quick", "crates/cli/tests/end_to_end/mutants.rs", MUTANTS, MINUTES),
            by_ci("benches/processes", "step benches/processes --quick", MINUTES),
            by_ci("benches/processes --quick", "step benches/processes --quick", MINUTES),
            by_ci("benches/solvers", "step benches/solvers --quick", MINUTES),
            by_ci("benches/solvers --quick", "step benches/solvers --quick", MINUTES),
        ],
    ),
    (
        "docs/adding-a-target.md",
        &[
            by_ci("cargo test -p metacov-methods --lib calculator", "step scripts/test", TESTS),
            by_ci("cargo test -p metacov --test end_to_end calculator", "step scripts/test", TESTS),
            violates("metacov fuzz calculator@1.0 --count 2000 -o calc.metacov"),
            violates("metacov replay calc.findings"),
            violates(
                "metacov measure calculator@1.0 --relation distribute --count 500 -o run.metacov",
            ),
            violates("metacov report run.metacov --html pages"),
            scaled(
                "metacov study run guidance.toml --out results",
                "sed -i 's/2000/300/' guidance.toml && metacov study run guidance.toml --out results",
                MINUTES,
            ),
        ],
    ),
    (
        "docs/comparing.md",
        &[
            scaled(
                "for seed in {1..10}; do metacov measure sqlite --databases 10 --seed $seed -o few-$seed.metacov; done",
                "metacov target build calculator && for seed in {1..10}; do \
                 metacov measure calculator --databases 2 --seed $seed -o few-$seed.metacov; done",
                MINUTES,
            ),
            scaled(
                "for seed in {1..10}; do metacov measure sqlite --databases 50 --seed $seed -o many-$seed.metacov; done",
                "for seed in {1..10}; do \
                 metacov measure calculator --databases 10 --seed $seed -o many-$seed.metacov; done",
                MINUTES,
            ),
            by_ci("metacov study run studies/sqlite.toml --quick", QUICK_STUDY, MINUTES),
            by_ci("metacov study run studies/sqlite.toml", QUICK_STUDY, HOURS),
            small_campaigns("metacov study run studies/guidance.toml --out guidance/"),
            by(
                "metacov study run studies/mutants.toml --quick",
                "crates/cli/tests/end_to_end/mutant_results.rs",
                r#""study", "run", "study.toml""#,
                MINUTES,
            ),
        ],
    ),
    (
        "docs/faults.md",
        &[
            by_ci("cargo test -p metacov --test faults", "step scripts/test", TESTS),
            by_ci(
                "METACOV_FAULTS=full cargo test -p metacov --test faults",
                "step scripts/test",
                TESTS,
            ),
        ],
    ),
    (
        "docs/fuzzing.md",
        &[
            scaled("metacov fuzz --duration 60s", "metacov fuzz --count 50", MINUTES),
            scaled(
                "metacov fuzz sqlite@3.29.0 --duration 10m -o old.metacov",
                "metacov fuzz sqlite@3.29.0 --count 1500 -o old.metacov",
                MINUTES,
            )
            .violates(),
            scaled(
                "metacov fuzz sqlite@3.29.0 --duration 8h -o old.metacov --resume",
                "metacov fuzz sqlite@3.29.0 --count 1600 -o old.metacov --resume",
                HOURS,
            )
            .violates(),
            violates("metacov report old.metacov"),
            violates("metacov replay old.findings"),
            scaled(
                "metacov fuzz sqlite@3.29.0 --guidance mcg --seed 1 --cpu-time 12m -j 1 -o mcg.metacov",
                "metacov fuzz sqlite@3.29.0 --guidance mcg --seed 1 --count 1500 -j 1 -o mcg.metacov",
                MINUTES,
            )
            .violates(),
            scaled(
                "scripts/in-shell sqlite3-3.29.0 mcg.findings",
                "scripts/in-shell sqlite3 mcg.findings || [ $? = 1 ]",
                "there is no shell of that version; in the installed one the bugs are fixed",
            ),
            small_campaigns("metacov study run studies/guidance.toml --out guidance/"),
        ],
    ),
    (
        "docs/getting-started.md",
        &[
            by_ci("cargo install --path crates/cli", "target/release/metacov", COMPILES),
            scaled(
                "metacov measure sqlite --criterion line",
                "metacov measure sqlite --criterion line --count 2 --databases 1",
                "the test of the README runs all of it",
            ),
        ],
    ),
    (
        "docs/mutants.md",
        &[scaled(
            "metacov measure sqlite --relation norec,tlp-where --count 20 -o run.metacov",
            "metacov target build calculator && metacov measure calculator --count 2 -o run.metacov",
            MINUTES,
        )],
    ),
    (
        "docs/locate.md",
        &[
            scaled(
                "metacov locate sqlite@3.29.0 --setup schema.sql --a query.sql --b rewritten.sql",
                "metacov locate sqlite@3.29.0 --setup schema.sql --a query.sql --b rewritten.sql \
                 --count 5 --variants 60",
                MINUTES,
            ),
            scaled(
                "metacov measure sqlite@3.29.0 --count 1000 -o run.metacov",
                "metacov measure calculator@1.0 --relation distribute --count 300 -o run.metacov",
                MINUTES,
            )
            .violates(),
            scaled(
                "metacov fuzz sqlite@3.29.0 --duration 1m -o campaign.metacov",
                "metacov fuzz calculator@1.0 --count 1500 -o campaign.metacov",
                MINUTES,
            )
            .violates(),
            scaled(
                "metacov locate --corpus sqlite-bugs.json",
                "metacov locate --corpus examples/bugs/paper.json --count 5 --variants 60",
                "that corpus is not part of the repository",
            ),
        ],
    ),
    (
        "docs/own-program.md",
        &[
            violates("examples/judged/check target/judged -DFAULT"),
            scaled(
                r#"make -C bzip2-1.0.8 CC="metacov cc" bzip2"#,
                r#"make -C bzip2-1.0.8 CC="metacov cc" CFLAGS="-O0 -D_FILE_OFFSET_BITS=64" bzip2"#,
                "optimised, it takes ten seconds; the test of the README does that",
            ),
        ],
    ),
    (
        "docs/reports.md",
        &[
            scaled(
                "metacov measure sqlite -o run.metacov",
                "metacov measure sqlite --count 20 --databases 2 -o run.metacov",
                MINUTES,
            ),
        ],
    ),
    (
        "docs/scaling-out.md",
        &[
            scaled(
                "metacov study run studies/guidance.toml --out guidance/ -j 8",
                "metacov study run STUDY.toml --out guidance/ -j 8",
                HOURS,
            ),
            scaled(
                "metacov study plan STUDY.toml --ids |\n    \
                 parallel --sshloginfile hosts --wd . metacov -q study run STUDY.toml --out DIR --trial {}",
                "metacov study plan STUDY.toml --ids |
                    xargs -I {} metacov -q study run STUDY.toml --out DIR --trial {}",
                "it needs GNU parallel and several machines",
            ),
            scaled(
                "trials=$(metacov study plan STUDY.toml --ids | wc -l) &&\n    \
                 sbatch --array=1-$trials%60 --time=24:00:00 scripts/campaign.sbatch STUDY.toml DIR",
                "trials=$(metacov study plan STUDY.toml --ids | wc -l) &&
                    SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=$trials \
                    sh scripts/campaign.sbatch STUDY.toml DIR",
                "it needs Slurm; this is its first task",
            ),
        ],
    ),
    (
        "docs/solvers.md",
        &[
            scaled(
                "metacov gen smt --relation yinyang-sat,yinyang-unsat,sae --count 100 --seed 1 --out smt-tests",
                "metacov gen smt --relation yinyang-sat,yinyang-unsat,sae --count 4 --seed 1 --out smt-tests",
                "the labels of all files are verified after this",
            ),
            scaled(
                "metacov check-rules --solver z3",
                "metacov check-rules --solver z3 --timeout 1",
                "some rules take z3 longer; crates/methods/tests/on_solvers proves them all",
            ),
            by_solvers("metacov target build boolector", r#""target", "build", "boolector""#),
            by_solvers("metacov measure boolector --count 100", r#""measure", "boolector""#),
            by_solvers(
                "metacov fuzz boolector --duration 10m -o boolector.metacov",
                r#""fuzz", "boolector""#,
            ),
            by_solvers("metacov target build z3 --no-coverage", r#"["z3", "z3@4.8.6"]"#),
            by_solvers("metacov measure z3 --no-coverage --count 100", r#""measure", "z3""#),
            by_solvers(
                "metacov fuzz z3 --no-coverage --guidance none --duration 10m -o z3.metacov",
                r#""fuzz", "z3", "--no-coverage", "--guidance", "none""#,
            ),
            by_solvers("metacov replay z3.findings --bisect", r#""replay", "finding""#),
            by_solvers(
                "metacov measure smt --command 'cvc5 --lang smt2 @@' --no-coverage --count 100",
                r#""measure", "smt", "--command""#,
            ),
            by(
                "metacov target build z3@4.8.6",
                "crates/targets/src/smt/z3/counting.rs",
                "build(\"4.8.6\", &options).unwrap()",
                "it compiles Z3; the test compiles a package of the same form",
            ),
            by(
                "metacov target build cvc4@1.8",
                "crates/targets/src/smt/cvc4/counting.rs",
                "what_cmake_lists_is_compiled_and_not_compiled_again",
                "it compiles CVC4; the test compiles a package of the same form",
            ),
            by_solvers(
                "metacov replay examples/bugs/found.json --fetch",
                r#""replay", "bugs.json""#,
            ),
        ],
    ),
    (
        "docs/sql-engines.md",
        &[
            scaled(
                "metacov measure sqlite --criterion line",
                "metacov measure sqlite --criterion line --count 2 --databases 1",
                "the test of the README runs all of it",
            ),
            scaled(
                "metacov measure sqlite --relation norec,tlp-where --count 1000 --databases 50 --seed 7",
                "metacov measure sqlite --relation norec,tlp-where --count 10 --databases 5 --seed 7",
                MINUTES,
            ),
            scaled(
                "metacov measure sqlite --count 1000 -o run.metacov",
                "metacov measure sqlite --count 2 --databases 1 -o run.metacov",
                MINUTES,
            ),
            scaled(
                "metacov measure sqlite@3.29.0 --no-coverage --relation norec --count 100000 --databases 500",
                "metacov measure sqlite@3.29.0 --no-coverage --relation norec --count 1000 --databases 5",
                MINUTES,
            )
            .violates(),
            scaled(
                "metacov measure duckdb@2.0.0 --no-coverage --count 1000 --databases 50",
                "metacov measure duckdb@2.0.0 --no-coverage --count 10 --databases 2",
                MINUTES,
            ),
            scaled(
                "metacov fuzz duckdb@2.0.0 --no-coverage --duration 10m -o duck.metacov",
                "metacov fuzz duckdb@2.0.0 --no-coverage --count 200 -o duck.metacov",
                MINUTES,
            ),
            by(
                "metacov target build duckdb@0.1.6",
                DUCKDB_COVERAGE,
                "\"target\", \"build\", &name",
                MINUTES,
            ),
            by(
                "metacov measure duckdb@0.1.6 --criterion line",
                DUCKDB_COVERAGE,
                "\"measure\", &name",
                MINUTES,
            ),
            by(
                "metacov replay corpus.json --bisect --fetch",
                DUCKDB_KNOWN_BUGS,
                "\"replay\", \"corpus.json\"",
                MINUTES,
            ),
            by(
                "metacov overlap --corpus corpus.json",
                DUCKDB_COVERAGE,
                "\"overlap\", \"--corpus\"",
                "it compiles DuckDB",
            ),
            by(
                "metacov fuzz duckdb@0.1.6 --guidance mcg --duration 10m -o old-duck.metacov",
                DUCKDB_COVERAGE,
                "\"measure\", \"duckdb\", \"--library\"",
                MINUTES,
            ),
        ],
    ),
];

const COMPILES: &str = "it compiles metacov, which the tests have done";
const HOURS: &str = "it runs for hours";
const MINUTES: &str = "it runs for minutes";
const TESTS: &str = "tests do not run tests";

const DUCKDB_COVERAGE: &str = "crates/cli/tests/end_to_end/duckdb/coverage.rs";
const DUCKDB_KNOWN_BUGS: &str = "crates/cli/tests/end_to_end/duckdb/known_bugs.rs";
const SHARE: &str = "benches/duckdb";
const MUTANTS: &str = "fn mutants_of_sqlite_are_killed_by_its_relations";
const QUICK_STUDY: &str = "study run studies/sqlite.toml --quick";

impl Exception {
    /// The relation is violated, which is exit code 6.
    const fn violates(mut self) -> Self {
        self.exit_code = 6;
        self
    }
}

const fn scaled(command: &'static str, instead: &'static str, why: &'static str) -> Exception {
    Exception { command, run: Run::Instead(instead), exit_code: 0, why }
}

const fn violates(command: &'static str) -> Exception {
    let why = "the version has a bug, or the program a planted fault";
    Exception { command, run: Run::AsShown, exit_code: 6, why }
}

/// A study of campaigns, with small ones instead.
const fn small_campaigns(command: &'static str) -> Exception {
    let small = "metacov target build calculator && metacov target build calculator@1.0 &&
        sed -e 's/sqlite@3.29.0/calculator@1.0/' -e 's/^cpu_time.*/pairs = 200/' -e 's/^repetitions.*/repetitions = 1/' \
            -e 's/, \"qpg\"//' studies/guidance.toml >small.toml &&
        metacov study run small.toml --out guidance/";
    scaled(command, small, HOURS)
}

const fn by_ci(command: &'static str, text: &'static str, why: &'static str) -> Exception {
    by(command, ".ci/run", text, why)
}

/// Solvers are compiled and fetched once for all tests.
const fn by_solvers(command: &'static str, text: &'static str) -> Exception {
    by(command, "crates/cli/tests/end_to_end/solvers.rs", text, COMPILES)
}

const fn by(
    command: &'static str,
    file: &'static str,
    text: &'static str,
    why: &'static str,
) -> Exception {
    Exception { command, run: Run::By(file, text), exit_code: 0, why }
}
