//! The shells of pages.

use std::io;

use maud::{DOCTYPE, Markup, html};

use super::{Shelf, overview};
use crate::digest::{Digest, Gaps, Outline};
use crate::rows::thousands as grouped;

/// What a page may load: scripts and styles that lie beside it, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/// The pages in the order of the navigation: file, name, and its own script.
const PAGES: [(&str, &str, Option<&str>); 5] = [
    ("index.html", "Overview", None),
    ("code.html", "Code", Some("code")),
    ("gaps.html", "Gaps", Some("gaps")),
    ("pairs.html", "Pairs", Some("pairs")),
    ("source.html", "Source", Some("source")),
];

/// Writes all pages.
pub(crate) fn write(
    digest: &Digest,
    outline: &Outline,
    gaps: &Gaps,
    shelf: Shelf<'_>,
) -> io::Result<()> {
    let target = target(digest);
    let bodies = [
        overview::body(digest, outline, gaps),
        code(digest),
        self::gaps(digest, gaps),
        pairs(digest),
        source(),
    ];
    for ((file, name, script), body) in PAGES.iter().zip(bodies) {
        let text = shell(&target, name, *script, &body).into_string();
        shelf(file, text.as_bytes())?;
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

/// What holds for all that a browser shows of ours, and what it may load.
pub(crate) fn rules(policy: &str) -> Markup {
    html! {
        meta charset="utf-8";
        meta http-equiv="Content-Security-Policy" content=(policy);
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        meta name="referrer" content="no-referrer";
    }
}

fn shell(target: &str, name: &str, script: Option<&str>, body: &Markup) -> Markup {
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
                        @for (file, label, _) in &PAGES[..4] {
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
                    noscript { p.note { "This page shows data by script; the overview does without." } }
                }
            }
        }
    }
}

/// What the glyphs and colours of lines mean.
fn legend() -> Markup {
    let states = [
        ("v", "◂ ▸ ◆", "validated", "one side alone ran it in at least one pair: a, b, or either"),
        ("x", "●", "never validated", "executed, but by both sides alike in every pair"),
        ("n", "○", "not executed", "no pair ran it"),
        ("f", "~", "flaky", "the same input does not run it every time"),
    ];
    html! {
        div.legend #legend role="group" aria-label="States: n and p go from place to place" {
            @for (class, glyph, name, title) in states {
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
    html! {
        main {
            h1 { "Gaps" }
            p.lead {
                "Code that tests run and could never have caught lying: what to design the next relation for. \
                 The most often executed first; the relations that validate something nearby are named with the \
                 distance. Code that only the setup runs is among it."
            }
            div.tools {
                (filter("Filter functions and files"))
            }
            h2 { "Functions of which nothing is validated" }
            p.note { (shown(gaps.functions.len(), gaps.all_functions)) }
            div.scroll { table.grid #functions { thead {} tbody {} } }
            h2 { "Stretches of " (digest.primary.plural()) " in functions of which something is" }
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
                    p.note { "Details are kept of " (kept) " of " (all) " pairs; all numbers are of all." }
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

fn source() -> Markup {
    html! {
        main.source {
            div.head {
                div.where { a #back href="code.html" { "Code" } " › " span #path {} " " span #function {} }
                div #of-pair hidden {}
                (legend())
                span.hint { kbd { "n" } " next " kbd { "p" } " previous" }
            }
            div.panes {
                div.column {
                    div.heads aria-hidden="true" { div.gutter {
                        span.num { "line" } span.glyph { "state" }
                        span.val title="pairs that validate it" { "validate" }
                        span.ran title="pairs that run it" { "run" }
                        span.ways title="the state of each branch" { "branches" }
                    } }
                    div.code #code tabindex="0" role="region" aria-label="Source" {}
                }
                canvas #map aria-hidden="true" {}
                aside #panel aria-label="Line" aria-live="polite" {}
            }
        }
    }
}
