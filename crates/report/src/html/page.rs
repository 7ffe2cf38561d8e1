//! The HTML of the pages.

use std::io;

use maud::{DOCTYPE, Markup, html};
use metacov_core::{counted, thousands as grouped};

use super::mutants::MutantPages;
use super::{WritePage, overview};
use crate::digest::{Digest, Gaps, Outline};
use crate::never_checked::unchecked;

/// What a page may load: scripts and styles beside it, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/// A page: its file, name and script.
type Page = (&'static str, &'static str, Option<&'static str>);

/// The pages in the order of the navigation.
const PAGES: [Page; 4] = [
    ("index.html", "Overview", None),
    ("code.html", "Code", Some("code")),
    ("gaps.html", "Gaps", Some("gaps")),
    ("pairs.html", "Pairs", Some("pairs")),
];

/// The last page of the navigation, if pairs were run with mutants.
const MUTANTS: Page = ("mutants.html", "Mutants", Some("mutants"));

/// A page that others link to.
const SOURCE: Page = ("source.html", "Source", Some("source"));

/// Writes all pages.
pub(crate) fn write(
    digest: &Digest,
    outline: &Outline,
    gaps: &Gaps,
    mutants: Option<&MutantPages<'_>>,
    write_page: WritePage<'_>,
) -> io::Result<()> {
    let target = target(digest);
    let mut shown = PAGES.to_vec();
    shown.extend(mutants.map(|_| MUTANTS));
    let bodies = [
        overview::body(digest, outline, gaps, mutants),
        code(digest),
        self::gaps(digest, gaps),
        pairs(digest),
    ];
    let bodies = bodies.into_iter().chain(mutants.map(MutantPages::page));
    let bodies = shown.iter().zip(bodies).chain([(&SOURCE, source(digest))]);
    for (page, body) in bodies {
        write_page(page.0, shell(&target, *page, &shown, &body).into_string().as_bytes())?;
    }
    Ok(())
}

/// What was measured, in a few words.
pub(crate) fn target(digest: &Digest) -> String {
    let setting = |key: &str| digest.header.settings.get(key).filter(|value| !value.is_empty());
    let target = setting("--library").or_else(|| setting("the engine"));
    let target = target.or_else(|| setting("the command")).cloned();
    target.unwrap_or_else(|| digest.name.clone())
}

/// The metadata of all pages, and what they may load.
pub(crate) fn rules(policy: &str) -> Markup {
    html! {
        meta charset="utf-8";
        meta http-equiv="Content-Security-Policy" content=(policy);
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        meta name="referrer" content="no-referrer";
    }
}

fn shell(target: &str, (_, name, script): Page, shown: &[Page], body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                (rules(POLICY))
                title { (name) " · " (target) " · metacov" }
                link rel="stylesheet" href="assets/style.css";
                @if let Some(script) = script {
                    script src="assets/metacov.js" defer {}
                    script src={ "assets/" (script) ".js" } defer {}
                }
            }
            body class={ "page-" (name.to_lowercase()) } {
                header.top {
                    span.brand { "metacov" }
                    span.target title=(target) { (target) }
                    nav aria-label="Pages" {
                        @for (file, label, _) in shown {
                            @if *label == name {
                                a href=(file) aria-current="page" { (label) }
                            } @else {
                                a href=(file) { (label) }
                            }
                        }
                    }
                }
                (body)
                @if script.is_some() {
                    noscript { p.note { "This page needs scripts; the overview does not." } }
                }
            }
        }
    }
}

/// The names of the states of code.
#[derive(Clone, Copy)]
pub(crate) struct StateWords {
    /// In the difference of at least one pair.
    pub(crate) mc: &'static str,
    /// Executed, and in the difference of no pair.
    pub(crate) never: &'static str,
}

impl StateWords {
    /// Without a judge, sides differ and nothing is checked.
    pub(crate) fn of(digest: &Digest) -> Self {
        if digest.total.is_checked() {
            StateWords { mc: "checked", never: "never checked" }
        } else {
            StateWords { mc: "differ", never: "never differ" }
        }
    }
}

/// Explains the glyphs and colours of lines.
fn legend(digest: &Digest) -> Markup {
    let StateWords { mc, never } = StateWords::of(digest);
    let states = [
        (
            "v",
            "◂ ▸ ◆",
            mc,
            "executed by a only, by b only, or by either: in the difference of at least one pair",
        ),
        ("x", "●", never, "executed, but in the difference of no pair"),
        ("n", "○", "not executed", "executed in no pair"),
        ("f", "~", "flaky", "the same input does not run it every time"),
    ];
    let of_mutants = [
        ("s", "□", "survivor", "a mutant survives, and the line is in the difference of a pair"),
        ("k", "■", "miss", "a mutant is killed, and the line is in the difference of no pair"),
    ];
    let of_mutants = of_mutants.iter().filter(|_| digest.mutants.is_some());
    html! {
        div.legend #legend role="group" aria-label="States: n and p go from place to place" {
            @for (class, glyph, name, title) in states.iter().chain(of_mutants) {
                button type="button" data-state=(class) class={ "chip s-" (class) } title=(title) {
                    span.glyph aria-hidden="true" { (glyph) } " " span.word { (name) } " " span.count {}
                }
            }
        }
    }
}

fn filter(label: &str) -> Markup {
    html! {
        input #filter type="search" placeholder=(label) aria-label=(label) autocomplete="off" spellcheck="false";
    }
}

fn code(digest: &Digest) -> Markup {
    html! {
        main {
            h1 { "Code" }
            div.tools {
                (filter("Filter files and functions"))
                label { "count " select #criterion {
                    @for criterion in digest.criteria.iter() { option { (criterion.name()) } }
                } }
                div.chips #relations role="group" aria-label="Columns of relations" {}
            }
            div.scroll { table.grid #grid { thead {} tbody {} } }
            p.note #more {}
        }
    }
}

fn gaps(digest: &Digest, gaps: &Gaps) -> Markup {
    let shown = |shown: usize, all: usize| match all {
        0 => "none".to_owned(),
        _ if shown < all => format!("the first {shown} of {}", grouped(all as u64)),
        _ => format!("all {}", grouped(all as u64)),
    };
    let words = StateWords::of(digest);
    html! {
        main {
            h1 { "Gaps" }
            p.lead {
                "Code that is executed and in the difference of no pair: a fault there is likely to go unnoticed, so write the next \
                 relation for it. The most often executed code comes first; the relations with the nearest MC "
                (digest.primary.plural()) " are named with the distance. Code that only the setup executes is included."
                @if let Some(why) = unchecked(&digest.total) { " " (why) }
            }
            div.tools {
                (filter("Filter functions and files"))
            }
            h2 { "Functions " (words.never) }
            p.note { (shown(gaps.functions.len(), gaps.all_functions)) }
            div.scroll { table.grid #functions { thead {} tbody {} } }
            h2 { "Stretches of " (digest.primary.plural()) " " (words.never) ", in other functions" }
            p.note { (shown(gaps.blocks.len(), gaps.all_blocks)) }
            div.scroll { table.grid #blocks { thead {} tbody {} } }
        }
    }
}

fn pairs(digest: &Digest) -> Markup {
    let (kept, all) = (digest.cases.len() as u64, digest.total.all_groups());
    html! {
        main {
            h1 #title { "Pairs" }
            section #list {
                @if kept < all {
                    p.note { "Details are kept of " (grouped(kept)) " of " (counted(all, "pair", "pairs")) "; all numbers are of all." }
                }
                div.tools {
                    (filter("Filter pairs"))
                    label { "relation " select #relation { option value="" { "all" } } }
                    label { "show " select #kind {
                        option value="" { "all" }
                        option value="violated" { "violated" }
                        option value="failed" { "not measured" }
                        option value="empty" { "no difference" }
                        option value="one-sided" { "one-sided difference" }
                    } }
                }
                div.scroll { table.grid #grid { thead {} tbody {} } }
                p.note #more {}
            }
            section #case hidden {}
        }
    }
}

fn source(digest: &Digest) -> Markup {
    html! {
        main.source {
            div.head {
                div.where { a #back href="code.html" { "Code" } " › " span #path {} " " span #function {} }
                div #of-pair hidden {}
                (legend(digest))
                span.hint { kbd { "n" } " next " kbd { "p" } " previous" }
            }
            div.panes {
                div.column {
                    div.heads aria-hidden="true" { div.gutter {
                        span.num { "line" } span.glyph { "state" }
                        span.val title="pairs that differ in it" { "differ" }
                        span.ran title="pairs that run it" { "run" }
                        span.ways title="the state of each branch" { "branches" }
                        @if digest.mutants.is_some() {
                            span.mutants title="mutants that are killed / survive / are not reached, + those with another verdict" { "mutants" }
                        }
                    } }
                    div.code #code tabindex="0" role="region" aria-label="Source" {}
                }
                canvas #map aria-hidden="true" {}
                aside #panel aria-label="Line" aria-live="polite" {}
            }
        }
    }
}
