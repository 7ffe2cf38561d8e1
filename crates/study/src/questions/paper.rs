//! The numbers of the paper, to compare with measured ones.

/// The numbers of a program in the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// The target that is this program.
    pub target: &'static str,
    /// Table "The average number of line coverage, mutation score, and MC": relation, line coverage
    /// and MC in percent, for suites of 100 pairs.
    pub averages: &'static [(&'static str, f64, f64)],
    /// The same table: relation and mutation score in percent.
    pub scores: &'static [(&'static str, f64)],
    /// Table "Coefficient of variation": that of the mutation score, if the table has it.
    pub variation_of_score: Option<f64>,
    /// Table "Average time consumption": seconds for the mutation score of 100 pairs.
    pub seconds_of_score: f64,
    /// Tables "Coefficient of variation": criterion, pairs in a suite, and the coefficients of
    /// coverage and of MC.
    pub variations: &'static [(&'static str, u64, f64, f64)],
    /// Table "Average time consumption": seconds for 100 pairs, for line coverage and for MC.
    pub seconds: (f64, f64),
    /// Table "Pearson Correlation Coefficient": of line coverage and of MC with the number of bugs,
    /// unless there are too few.
    pub correlations: Option<(f64, f64)>,
    /// Table "Previously found bugs and their relations to MC": fixes that overlap, and all.
    pub overlaps: (u32, u32),
}

/// The programs of the paper for which metacov has relations.
pub const PROGRAMS: &[Program] = &[SQLITE, DUCKDB, Z3, CVC4];

const SQLITE: Program = Program {
    name: "SQLite",
    target: "sqlite",
    averages: &[
        ("norec", 22.68, 2.94),
        ("tlp-aggregate", 22.79, 2.56),
        ("tlp-distinct", 22.14, 2.14),
        ("tlp-groupby", 22.49, 1.87),
        ("tlp-having", 22.61, 1.42),
        ("tlp-where", 21.84, 1.96),
    ],
    scores: &[
        ("norec", 1.59),
        ("tlp-aggregate", 2.47),
        ("tlp-distinct", 1.70),
        ("tlp-groupby", 1.83),
        ("tlp-having", 1.70),
        ("tlp-where", 1.91),
    ],
    variation_of_score: Some(0.17),
    seconds_of_score: 59.0 * 3600.0 + 20.0 * 60.0 + 45.0,
    variations: &[
        ("line", 100, 0.02, 0.25),
        ("branch", 100, 0.02, 0.37),
        ("function", 100, 0.01, 0.50),
        ("line", 50, 0.02, 0.36),
        ("line", 200, 0.02, 0.37),
    ],
    seconds: (33.0 * 60.0 + 24.0, 36.0 * 60.0 + 1.0),
    correlations: Some((0.71, 0.94)),
    overlaps: (18, 27),
};

const DUCKDB: Program = Program {
    name: "DuckDB",
    target: "duckdb",
    averages: &[
        ("norec", 20.35, 5.97),
        ("tlp-aggregate", 20.99, 4.31),
        ("tlp-distinct", 21.29, 3.52),
        ("tlp-groupby", 21.47, 3.82),
        ("tlp-having", 21.17, 3.45),
        ("tlp-where", 20.45, 3.37),
    ],
    scores: &[
        ("norec", 1.68),
        ("tlp-aggregate", 2.64),
        ("tlp-distinct", 2.13),
        ("tlp-groupby", 2.55),
        ("tlp-having", 2.39),
        ("tlp-where", 2.33),
    ],
    variation_of_score: Some(0.15),
    seconds_of_score: 69.0 * 3600.0 + 51.0 * 60.0 + 2.0,
    variations: &[
        ("line", 100, 0.02, 0.24),
        ("branch", 100, 0.02, 0.32),
        ("function", 100, 0.02, 0.35),
        ("line", 50, 0.04, 0.38),
        ("line", 200, 0.02, 0.37),
    ],
    seconds: (76.0 * 60.0 + 6.0, 82.0 * 60.0 + 27.0),
    correlations: Some((0.86, 0.94)),
    overlaps: (15, 20),
};

const Z3: Program = Program {
    name: "Z3",
    target: "z3",
    averages: &[("yinyang-sat", 14.89, 2.84), ("yinyang-unsat", 16.49, 4.13), ("sae", 14.80, 3.75)],
    scores: &[("yinyang-sat", 0.01), ("yinyang-unsat", 0.01)],
    variation_of_score: None,
    seconds_of_score: (11.0 * 24.0 + 21.0) * 3600.0 + 9.0 * 60.0 + 55.0,
    variations: &[
        ("line", 100, 0.06, 0.19),
        ("branch", 100, 0.19, 0.20),
        ("function", 100, 0.07, 0.22),
        ("line", 50, 0.13, 0.28),
        ("line", 200, 0.11, 0.22),
    ],
    seconds: (7.0 * 3600.0 + 26.0 * 60.0 + 27.0, 7.0 * 3600.0 + 46.0 * 60.0 + 47.0),
    correlations: Some((0.71, 0.78)),
    overlaps: (14, 14),
};

const CVC4: Program = Program {
    name: "CVC4",
    target: "cvc4",
    averages: &[("yinyang-sat", 22.89, 2.85), ("yinyang-unsat", 25.21, 1.86), ("sae", 19.67, 2.17)],
    scores: &[("yinyang-sat", 0.01), ("yinyang-unsat", 0.01)],
    variation_of_score: None,
    seconds_of_score: (240.0 * 24.0 + 1.0) * 3600.0 + 31.0 * 60.0 + 40.0,
    variations: &[
        ("line", 100, 0.12, 0.22),
        ("branch", 100, 0.33, 0.35),
        ("function", 100, 0.09, 0.50),
        ("line", 50, 0.21, 0.43),
        ("line", 200, 0.17, 0.37),
    ],
    seconds: (5.0 * 3600.0 + 11.0 * 60.0 + 10.0, 5.0 * 3600.0 + 28.0 * 60.0 + 45.0),
    correlations: None,
    overlaps: (1, 1),
};

/// Q.4: the mean number of bugs in 24 hours, over 11 pairs of a relation and a program (SQLite and
/// `DuckDB`), by guidance.
pub const BUGS_BY_GUIDANCE: &[(&str, f64)] = &[("ccg", 4.4), ("mcg", 6.2), ("qpg", 6.5)];

impl Program {
    /// Returns the program of this name.
    pub fn find(name: &str) -> Option<&'static Program> {
        PROGRAMS.iter().find(|program| program.name == name)
    }

    /// Returns the program of a target, such as `sqlite@3.29.0`.
    pub fn of_target(name: &str) -> Option<&'static Program> {
        let target = name.split('@').next();
        PROGRAMS.iter().find(|program| Some(program.target) == target)
    }

    /// Returns line coverage and MC of a relation, in percent.
    pub fn average(&self, relation: &str) -> Option<(f64, f64)> {
        let of = self.averages.iter().find(|(name, ..)| *name == relation)?;
        Some((of.1, of.2))
    }

    /// Returns the mutation score of a relation, in percent.
    pub fn score(&self, relation: &str) -> Option<f64> {
        self.scores.iter().find(|(name, _)| *name == relation).map(|of| of.1)
    }

    /// Returns the coefficients of variation of coverage and of MC.
    pub fn variation(&self, criterion: &str, size: u64) -> Option<(f64, f64)> {
        let is = |of: &&(&str, u64, f64, f64)| of.0 == criterion && of.1 == size;
        self.variations.iter().find(is).map(|of| (of.2, of.3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::coefficient_of_variation;

    #[test]
    fn the_papers_tables_agree_with_each_other() {
        assert_eq!(Program::of_target("duckdb@0.5.1").map(|program| program.name), Some("DuckDB"));
        for program in PROGRAMS {
            let of = |column: fn(&(&str, f64, f64)) -> f64| {
                let values: Vec<f64> = program.averages.iter().map(column).collect();
                format!("{:.2}", coefficient_of_variation(&values).unwrap())
            };
            let (coverage, mc) = program.variation("line", 100).unwrap();
            assert_eq!(of(|row| row.1), format!("{coverage:.2}"));
            assert_eq!(of(|row| row.2), format!("{mc:.2}"));
            let scores: Vec<f64> = program.scores.iter().map(|row| row.1).collect();
            if let Some(variation) = program.variation_of_score {
                let of_scores = coefficient_of_variation(&scores).unwrap();
                assert_eq!(format!("{of_scores:.2}"), format!("{variation:.2}"));
            }
        }
    }
}
