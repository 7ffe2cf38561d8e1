# The one list of commands. Each is a script or a line that works without `just` too.

# All tests, with all that they need
test *args:
    scripts/test {{args}}

# The tests to run while editing: no compiler, no target, under a minute once built
test-fast *args:
    scripts/test-fast {{args}}

# What must hold before anything lands
ci:
    .ci/run

# Format and lint
lint:
    cargo fmt --all
    cargo clippy --workspace --all-targets -- -D warnings

# Accept changed snapshots after having looked at them (needs cargo-insta)
snapshots:
    cargo insta test --workspace --review

# metacov and gcovr side by side, with the ratios
bench *args:
    benches/run {{args}}

# From inputs to difference: the pipelines of gcovr and gcov, and metacov in all its modes
bench-capture *args:
    benches/capture {{args}}

# checks of relations per second of processor time, beside SQLite in a bare loop
bench-checks *args:
    benches/checks {{args}}

# Campaigns by what guides them: pairs per second of processor time
bench-fuzz *args:
    benches/fuzz {{args}}

# How much of the processor time of testing solvers is spent in the solvers
bench-solvers *args:
    benches/solvers {{args}}

# The README's example with a real program
example:
    cargo build --release -p metacov
    METACOV=$PWD/target/release/metacov scripts/example-bzip2

# The documentation of all crates
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --open

# Licences and sources of all dependencies (needs cargo-deny)
deny:
    cargo deny check
