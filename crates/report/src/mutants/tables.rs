//! Mutation scores as tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use metacov_core::{counted, thousands};
use metacov_mutants::{Mutant, MutantVerdict, Operator};

use super::MutantScores;
use crate::{Column, Table};

/// How many mutants and functions a list shows.
const LISTED_MAX: usize = 10;

impl MutantScores<'_> {
    /// The score of each relation. Killed is by the relation, as in the paper; errors, crashes and time-outs are not.
    pub fn by_relation(&self) -> Table {
        let counts =
            ["pairs", "reached", "killed", "error", "crash", "timeout", "invalid", "survived"];
        let columns = [Column::word("relation")].into_iter();
        let columns = columns.chain(counts.map(Column::number));
        let columns = columns
            .chain([Column::number("killed/all").emphasized(), Column::number("killed/reached")])
            .collect();
        let all = self.mutants().count() as u64;
        let mut rows = Vec::new();
        for (relation, score) in &self.relations {
            let used = score.pairs - score.unusable;
            rows.push(score_row(
                relation,
                used,
                &score.best.values().copied().collect::<Vec<_>>(),
                all,
            ));
        }
        if rows.len() > 1 {
            let pairs = self.relations.values().map(|score| score.pairs - score.unusable).sum();
            let verdicts: Vec<_> =
                self.mutants().filter_map(|(number, _)| self.verdict(number)).collect();
            rows.push(score_row("all", pairs, &verdicts, all));
        }
        Table { columns, rows }
    }

    /// The score of each operator.
    pub fn by_operator(&self) -> Table {
        let mut counts: BTreeMap<Operator, [u64; 3]> = BTreeMap::new();
        for (number, mutant) in self.mutants() {
            let [all, reached, killed] = counts.entry(mutant.operator).or_default();
            *all += 1;
            *reached += u64::from(self.verdict(number).is_some());
            *killed += u64::from(self.verdict(number) == Some(MutantVerdict::Killed));
        }
        let columns = vec![
            Column::word("operator"),
            Column::number("mutants"),
            Column::number("reached"),
            Column::number("killed"),
            Column::number("killed/all").emphasized(),
            Column::number("killed/reached"),
        ];
        let row = |(operator, [all, reached, killed]): (Operator, [u64; 3])| {
            let mut row = vec![operator.name().to_owned()];
            row.extend([all, reached, killed].map(thousands));
            row.extend([percent(killed, all), percent(killed, reached)]);
            row
        };
        Table { columns, rows: counts.into_iter().map(row).collect() }
    }

    /// The functions with the most survivors.
    pub fn by_function(&self) -> Table {
        let mut counts: BTreeMap<(&str, &str), [u64; 3]> = BTreeMap::new();
        for (number, mutant) in self.mutants() {
            let Some(verdict) = self.verdict(number) else { continue };
            let [survived, killed, reached] =
                counts.entry((&mutant.file, &mutant.function)).or_default();
            *survived += u64::from(verdict == MutantVerdict::Survived);
            *killed += u64::from(verdict == MutantVerdict::Killed);
            *reached += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, [survived, ..])| std::cmp::Reverse(*survived));
        let columns = [Column::word("function"), Column::word("file")].into_iter();
        let numbers = ["survived", "killed", "reached"].map(Column::number);
        let row = |((file, function), numbers): &((&str, &str), [u64; 3])| {
            let mut row = vec![(*function).to_owned(), (*file).to_owned()];
            row.extend(numbers.map(thousands));
            row
        };
        let rows = counts.iter().take(LISTED_MAX).map(row).collect();
        Table { columns: columns.chain(numbers).collect(), rows }
    }

    /// What the mutants say about MC, in a few lines, with the first entries of both lists.
    pub fn lines_note(&self) -> String {
        let [inside, outside] = self.killed_by_line();
        let mut text = String::new();
        if inside.1 + outside.1 == 0 {
            return text;
        }
        let share = |(killed, reached): (u64, u64)| {
            format!(
                "{} of {} killed ({})",
                thousands(killed),
                thousands(reached),
                percent(killed, reached)
            )
        };
        let _ = writeln!(text, "Mutants reached on MC lines: {}.", share(inside));
        let _ = writeln!(text, "Mutants reached on other executed lines: {}.", share(outside));
        let survivors: Vec<_> =
            self.survivors_on_checked_lines().map(|(_, mutant)| mutant).collect();
        let missed: Vec<_> = self.killed_outside_mc().map(|(_, mutant)| mutant).collect();
        list(&mut text, "survives on a checked line", "survive on checked lines", &survivors);
        list(&mut text, "is killed outside of MC", "are killed outside of MC", &missed);
        text
    }

    /// How much processor time the pairs took.
    pub fn cost_note(&self) -> String {
        let sum =
            |of: fn(&super::RelationScore) -> u64| self.relations.values().map(of).sum::<u64>();
        let (pairs, unusable) = (sum(|score| score.pairs), sum(|score| score.unusable));
        #[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
        let seconds = |micros: u64| micros as f64 / 1e6;
        let all = seconds(sum(|score| score.mutant_micros + score.plain_micros));
        #[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
        let each = all / (pairs - unusable).max(1) as f64;
        let unusable = match unusable {
            0 => String::new(),
            pairs => format!("; {} not used", counted(pairs, "pair was", "pairs were")),
        };
        let pairs = counted(pairs, "pair", "pairs");
        format!("{pairs}, {all:.1} s of processor time, {each:.2} s for each{unusable}")
    }
}

fn list(text: &mut String, one: &str, many: &str, mutants: &[&Mutant]) {
    let what = if mutants.len() == 1 { one } else { many };
    let _ = writeln!(text, "{} {what}", counted(mutants.len() as u64, "mutant", "mutants"));
    for mutant in mutants.iter().take(LISTED_MAX) {
        let Mutant { file, line, column, operator, function } = mutant;
        let (from, to) = (operator.original(), operator.replacement());
        let to = if to.is_empty() { "nothing" } else { to };
        let _ = writeln!(text, "  {file}:{line}:{column}: {from} to {to}, in {function}");
    }
    if mutants.len() > LISTED_MAX {
        let _ = writeln!(text, "  ... (--csv FILE has all)");
    }
}

fn score_row(name: &str, pairs: u64, verdicts: &[MutantVerdict], all: u64) -> Vec<String> {
    use MutantVerdict as V;
    let count = |wanted: V| verdicts.iter().filter(|verdict| **verdict == wanted).count() as u64;
    let (reached, killed) = (verdicts.len() as u64, count(V::Killed));
    let mut row = vec![name.to_owned(), thousands(pairs), thousands(reached)];
    let order = [V::Killed, V::Error, V::Crash, V::Timeout, V::Invalid, V::Survived];
    row.extend(order.map(|verdict| thousands(count(verdict))));
    row.extend([percent(killed, all), percent(killed, reached)]);
    row
}

#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.2} %", 100.0 * part as f64 / whole as f64) }
}
