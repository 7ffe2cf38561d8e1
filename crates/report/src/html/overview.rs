//! The first page: what was measured, and the results.

use maud::{Markup, html};
use metacov_core::{
    Criterion, Failure, SiteTable, Summary, Tally, counted, thousands as grouped, total,
};

use super::mutants::MutantPages;
use super::page::{StateWords, target};
use crate::address::percent_encoded;
use crate::digest::{Digest, Gaps, Outline, Overlap};
use crate::never_checked::unchecked;
use crate::rows::percentage as percent;

pub(crate) fn body(
    digest: &Digest,
    outline: &Outline,
    gaps: &Gaps,
    mutants: Option<&MutantPages<'_>>,
) -> Markup {
    let all = mc_summary(&digest.suite.table, &digest.total, digest.primary);
    html! {
        main {
            h1 { (target(digest)) }
            (incomplete(digest))
            (headline(digest, &all, gaps))
            p.lead {
                "A fault in code that both sides of a pair execute tends to change both results alike, and goes \
                 unnoticed. A fault in code that only one side executes changes one result. MC, metamorphic coverage, \
                 is the share of such code. "
                @if let Some(why) = unchecked(&digest.total) {
                    "In this run, such code differs. " (why)
                } @else {
                    "A judge compared the results of each pair, so such code is checked."
                }
            }
            h2 #relations { "Relations" }
            (relations(digest, &all))
            @if digest.total.groups > 1 {
                h2 #curve { "What more pairs bring" }
                p.lead { "MC against the number of measured pairs. If a curve still rises, more pairs of this relation bring more; if it is flat, they do not." }
                figure.scroll { img src="curve.svg" width="760" height="420" alt="Metamorphic coverage against pairs, a curve for each relation"; }
            }
            @if (2..=MATRIX_MAX).contains(&digest.relations.len()) {
                h2 #overlap { "Overlap" }
                (overlap(digest))
            }
            h2 #criteria { "Criteria" }
            (criteria(digest))
            @if let Some(mutants) = mutants { (mutants.overview()) }
            @if !digest.reasons.is_empty() {
                h2 #invalid { "Pairs that say nothing" }
                (reasons(digest))
            }
            h2 #run { "The run" }
            (facts(digest, outline))
        }
    }
}

fn incomplete(digest: &Digest) -> Markup {
    let groups = digest.total.all_groups();
    html! {
        @if !digest.header.complete {
            p.warning {
                "The run is not complete: the numbers are of "
                @if let Some(planned) = digest.header.planned {
                    (grouped(groups)) " of " (counted(planned, "pair", "pairs"))
                } @else {
                    (counted(groups, "pair", "pairs"))
                }
                "."
            }
        }
    }
}

fn headline(digest: &Digest, all: &Summary, gaps: &Gaps) -> Markup {
    let sites = |count| counted(count, digest.primary.name(), digest.primary.plural());
    let words = StateWords::of(digest);
    let violated: u64 = digest.relations.iter().map(|relation| relation.violated).sum();
    let card = |label: &str, value: String, of: String| {
        html! { div.card { div.label { (label) } div.value { (value) } div.of { (of) } } }
    };
    let known = lists_all_code(digest);
    let base = |part: u64| {
        if known {
            format!("{} of {}", grouped(part), sites(all.sites))
        } else {
            format!("{}; the files do not list all code", sites(part))
        }
    };
    let share = |percent: Option<f64>| if known { self::percent(percent) } else { "?".to_owned() };
    html! {
        section.cards {
            (card("Cov: executed", share(all.cov()), base(all.executed())))
            (card(&format!("MC: {}", words.mc), share(all.result_of_sites()), base(all.result)))
            (card("MC/Cov", percent(all.result_of_executed()), format!("{} of {}", grouped(all.result), grouped(all.executed()))))
            a.card href="gaps.html" {
                div.label { "executed, " (words.never) }
                div.value { (grouped(all.both)) }
                div.of { (if all.both == 1 { digest.primary.name() } else { digest.primary.plural() }) "; " (counted(gaps.all_functions as u64, "whole function", "whole functions")) }
            }
            @if digest.total.judged == 0 {
                div.card {
                    div.label { "violations" }
                    div.value { "–" }
                    div.of { "nothing was checked" }
                }
            } @else {
                a class={ "card" @if violated > 0 { " bad" } } href="pairs.html#show=violated" {
                    div.label { "violations" }
                    div.value { (grouped(violated)) }
                    div.of { "of " (counted(digest.total.judged, "checked pair", "checked pairs")) }
                }
            }
        }
    }
}

/// Whether the share of all code is known.
fn lists_all_code(digest: &Digest) -> bool {
    !digest.suite.table.partial().contains(digest.primary)
}

/// The summary with the MC sites as its result, whatever the operation of the run is.
fn mc_summary(table: &SiteTable, tally: &Tally, criterion: Criterion) -> Summary {
    let summary = total(table, tally)[criterion];
    Summary { result: summary.mc_sites(), ..summary }
}

fn relations(digest: &Digest, all: &Summary) -> Markup {
    let table = &digest.suite.table;
    let overlap = Overlap::of(digest);
    let words = StateWords::of(digest);
    let known = lists_all_code(digest);
    let share = |of: Option<f64>| if known { percent(of) } else { "?".to_owned() };
    let failed = |tally: &Tally| tally.all_groups() - tally.groups;
    let row = |name: &str,
               tally: &Tally,
               summary: &Summary,
               cells: [u64; 3],
               unique: Option<u64>| {
        let link = |show: &str, number: u64| {
            let href = if name == "all" {
                format!("pairs.html#show={show}")
            } else {
                format!("pairs.html#show={show}&relation={}", percent_encoded(name, b"-_."))
            };
            html! { @if number > 0 { a href=(href) { (grouped(number)) } } @else { span.zero { "0" } } }
        };
        html! {
            th scope="row" { (name) }
            td { (grouped(tally.groups)) }
            td { (link("failed", failed(tally))) }
            td { (link("violated", cells[0])) }
            td { (link("empty", cells[1])) }
            td { (link("one-sided", cells[2])) }
            td.bar { @if known { (bar(summary, words)) } }
            td { (share(summary.cov())) }
            td { (grouped(summary.result)) }
            td.strong { (share(summary.result_of_sites())) }
            td { (percent(summary.result_of_executed())) }
            td { @if let Some(unique) = unique { (grouped(unique)) } }
        }
    };
    let sums = digest.relations.iter().fold([0; 3], |sums: [u64; 3], of| {
        [sums[0] + of.violated, sums[1] + of.empty, sums[2] + of.one_sided]
    });
    html! {
        div.scroll { table.plain #relation-table {
            thead { tr {
                th.text scope="col" { "relation" }
                th scope="col" { "pairs" }
                th scope="col" title="pairs with a side that crashed, timed out, was invalid or left no counters" { "not measured" }
                th scope="col" { "violated" }
                th scope="col" title="pairs whose sides ran the same code" { "no difference" }
                th scope="col" title="pairs of which one side ran all that the other ran" { "one-sided" }
                th.bar.text scope="col" { (words.mc) ", " (words.never) ", not executed" }
                th scope="col" { "Cov" }
                th scope="col" { "MC sites" }
                th scope="col" { "MC" }
                th scope="col" { "MC/Cov" }
                th scope="col" title={ "MC " (digest.primary.plural()) " that no other relation has" } { "unique" }
            } }
            tbody {
                @for (at, (relation, tally)) in digest.relations.iter().zip(digest.suite.relations.values()).enumerate() {
                    tr {
                        (row(&relation.name, tally, &mc_summary(table, tally, digest.primary), [relation.violated, relation.empty, relation.one_sided], Some(overlap.unique[at])))
                    }
                }
            }
            @if digest.relations.len() > 1 {
                tfoot { tr { (row("all", &digest.total, all, sums, None)) } }
            }
        } }
    }
}

/// A bar of three parts: MC sites, other executed sites, not executed.
fn bar(summary: &Summary, words: StateWords) -> Markup {
    let share = |part: u64| format!("{:.2}", permyriad(part, summary.sites));
    let (mc_sites, executed) = (summary.result, summary.executed());
    html! {
        svg.stack viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={ (mc_sites) " " (words.mc) ", " (summary.both) " executed, " (words.never) ", " (summary.not_executed()) " not executed" } {
            rect.n width="100" height="10" {}
            rect.x width=(share(executed)) height="10" {}
            rect.v width=(share(mc_sites)) height="10" {}
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "fewer than 2^32 sites: exact in an f64")]
fn permyriad(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

fn overlap(digest: &Digest) -> Markup {
    let overlap = Overlap::of(digest);
    let share =
        |row: usize, column: usize| permyriad(overlap.shared[row][column], overlap.mc_sites[row]);
    html! {
        p.lead {
            "Of the MC " (digest.primary.plural()) " of a relation (row), how many another (column) has too, in percent. "
            "A relation whose row has low numbers reaches code that others do not."
        }
        div.scroll { table.plain.matrix {
            thead { tr {
                th.text scope="col" { "relation" }
                th scope="col" { "MC sites" }
                th scope="col" { "unique" }
                @for relation in &digest.relations { th scope="col" { (relation.name) } }
            } }
            tbody {
                @for (row, relation) in digest.relations.iter().enumerate() {
                    tr {
                        th scope="row" { (relation.name) }
                        td { (grouped(overlap.mc_sites[row])) }
                        td { (grouped(overlap.unique[row])) }
                        @for column in 0..digest.relations.len() {
                            @if row == column {
                                td.same { "·" }
                            } @else if overlap.mc_sites[row] == 0 {
                                td { "–" }
                            } @else {
                                td class={ "heat h" (heat(share(row, column))) } { (format!("{:.0}", share(row, column))) }
                            }
                        }
                    }
                }
            }
        } }
    }
}

/// A share as one of ten steps.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share is from 0 to 100"
)]
fn heat(share: f64) -> u8 {
    (share / 10.0).clamp(0.0, 9.0) as u8
}

fn criteria(digest: &Digest) -> Markup {
    let table = &digest.suite.table;
    let partial = table.partial();
    let rows: Vec<(&str, &Tally)> = digest
        .suite
        .relations
        .iter()
        .map(|(name, tally)| (name.as_str(), tally))
        .chain((digest.suite.relations.len() > 1).then_some(("all", &digest.total)))
        .collect();
    let all = total(table, &digest.total);
    html! {
        div.scroll { table.plain {
            thead {
                tr {
                    th.text scope="col" rowspan="2" { "relation" }
                    @for criterion in digest.criteria.iter() {
                        th.group scope="colgroup" colspan="3" { (criterion.name()) " " span.count { (if partial.contains(criterion) { "?".to_owned() } else { grouped(all[criterion].sites) }) } }
                    }
                }
                tr { @for _ in digest.criteria.iter() {
                    th.first scope="col" { "Cov" } th scope="col" { "MC" } th scope="col" { "MC/Cov" }
                } }
            }
            tbody {
                @for (name, tally) in rows {
                    tr {
                        th scope="row" { (name) }
                        @for criterion in digest.criteria.iter() {
                            @let of = mc_summary(table, tally, criterion);
                            @let known = !partial.contains(criterion);
                            td.first title={ (grouped(of.executed())) " executed" } { (if known { percent(of.cov()) } else { grouped(of.executed()) }) }
                            td title={ (counted(of.result, "MC site", "MC sites")) } { (if known { percent(of.result_of_sites()) } else { grouped(of.result) }) }
                            td { (percent(of.result_of_executed())) }
                        }
                    }
                }
            }
        } }
    }
}

fn reasons(digest: &Digest) -> Markup {
    let mut rows: Vec<_> = digest.reasons.iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let rest: u64 = rows.iter().skip(REASONS_MAX).map(|(_, count)| **count).sum();
    html! {
        div.scroll { table.plain.words {
            thead { tr { th.text scope="col" { "relation" } th.text scope="col" { "how" } th.text scope="col" { "in its words" } th scope="col" { "pairs" } } }
            tbody {
                @for ((relation, failure, words), count) in rows.iter().take(REASONS_MAX) {
                    tr { th scope="row" { (relation) } td.text { (Failure::name(*failure)) } td.text { (words) } td { (grouped(**count)) } }
                }
                @if rest > 0 { tr { th scope="row" { "others" } td {} td {} td { (grouped(rest)) } } }
            }
        } }
    }
}

/// The largest number of relations for which a matrix is readable.
const MATRIX_MAX: usize = 20;

/// How many reasons are shown.
const REASONS_MAX: usize = 30;

fn facts(digest: &Digest, outline: &Outline) -> Markup {
    let header = &digest.header;
    let functions = outline.functions.iter().filter(|function| function.line > 0).count();
    html! {
        dl.facts {
            dt { "run file" } dd { (digest.name) }
            @if !header.command.is_empty() { dt { "command" } dd { code { (header.command) } } }
            dt { "build" } dd { code { (digest.suite.table.build_id()) } }
            dt { "code" } dd { (counted(outline.files.len() as u64, "file", "files")) ", " (counted(functions as u64, "function", "functions")) ", " (counted(digest.suite.table.len() as u64, "site", "sites")) }
            dt { "pairs" } dd { (grouped(digest.total.all_groups())) @if let Some(planned) = header.planned { " of " (grouped(planned)) " planned" } ", " (grouped(digest.total.groups)) " measured" }
            dt { "relations" } dd { (digest.relations.iter().map(|of| of.name.as_str()).collect::<Vec<_>>().join(", ")) }
            @for (key, value) in &header.settings {
                @if key != "the command" { dt { (key) } dd { (value) } }
            }
            // The seed is among the settings.
            @for (key, value) in header.provenance.rows() { @if key != "seed" { dt { (key) } dd { (value) } } }
            @if let Some(begun) = &header.provenance.begun { dt { "begun" } dd { (begun) " UTC" } }
        }
        @let warnings = digest.suite.warnings();
        @if !warnings.is_empty() {
            ul.warnings { @for warning in warnings { li { (warning.to_string()) } } }
        }
    }
}
