//! Mutation scores as tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use metacov_core::{counted, thousands};
use metacov_mutants::{Mutant, MutantVerdict, Operator};
use metacov_study::{Kills, LineKills, MutantOutcomes, MutantTally};

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
        let mutants = self.0.mutants().count() as u64;
        let MutantOutcomes { relations, all, .. } = &self.0;
        let mut rows: Vec<_> =
            relations.iter().map(|(relation, of)| score_row(relation, of, mutants)).collect();
        if rows.len() > 1 {
            rows.push(score_row("all", all, mutants));
        }
        Table { columns, rows }
    }

    /// The score of each operator.
    pub fn by_operator(&self) -> Table {
        let mut counts: BTreeMap<Operator, [u64; 3]> = BTreeMap::new();
        for (number, mutant) in self.0.mutants() {
            let [all, reached, killed] = counts.entry(mutant.operator).or_default();
            *all += 1;
            *reached += u64::from(self.0.all.verdict(number).is_some());
            *killed += u64::from(self.0.all.verdict(number) == Some(MutantVerdict::Killed));
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
        for (number, mutant) in self.0.mutants() {
            let Some(verdict) = self.0.all.verdict(number) else { continue };
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
        let LineKills { mc, other } = self.0.by_line(&self.0.all);
        let mut text = String::new();
        if mc.reached + other.reached == 0 {
            return text;
        }
        let share = |Kills { killed, reached }: Kills| {
            format!(
                "{} of {} killed ({})",
                thousands(killed),
                thousands(reached),
                percent(killed, reached)
            )
        };
        let _ = writeln!(text, "Mutants reached on MC lines: {}.", share(mc));
        let _ = writeln!(text, "Mutants reached on other executed lines: {}.", share(other));
        let survivors: Vec<_> =
            self.0.survivors_on_checked_lines().map(|(_, mutant)| mutant).collect();
        let missed: Vec<_> = self.0.killed_outside_mc().map(|(_, mutant)| mutant).collect();
        list(&mut text, "survives on a checked line", "survive on checked lines", &survivors);
        list(&mut text, "is killed outside of MC", "are killed outside of MC", &missed);
        text
    }

    /// How much processor time the pairs took.
    pub fn cost_note(&self) -> String {
        let MutantTally { pairs, unusable, mutant_micros, plain_micros, .. } = self.0.all;
        #[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
        let seconds = |micros: u64| micros as f64 / 1e6;
        let all = seconds(mutant_micros + plain_micros);
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

fn score_row(name: &str, of: &MutantTally, all: u64) -> Vec<String> {
    use MutantVerdict as V;
    let count = |wanted: V| of.verdicts().filter(|verdict| *verdict == wanted).count() as u64;
    let Kills { killed, reached } = of.kills();
    let mut row = vec![name.to_owned(), thousands(of.pairs - of.unusable), thousands(reached)];
    let order = [V::Killed, V::Error, V::Crash, V::Timeout, V::Invalid, V::Survived];
    row.extend(order.map(|verdict| thousands(count(verdict))));
    row.extend([percent(killed, all), percent(killed, reached)]);
    row
}

#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.2} %", 100.0 * part as f64 / whole as f64) }
}
