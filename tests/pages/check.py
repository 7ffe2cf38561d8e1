"""Compares the pages of a run with its file, in a browser.

usage: check.py RUN.metacov PAGES
"""

import random
import re
import sys

from browser import pages, until
from stored import Stored

stored = Stored(sys.argv[1])
folder = sys.argv[2]
path = stored.paths[0]
percent = lambda part, whole: f"{100 * part / whole:.2f} %"
grouped = lambda number: f"{number:,}"
rows = lambda page, selector: page.eval_on_selector_all(selector + " tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText))")


def overview(page, go):
    go("index.html")
    found = {row[0]: row for row in rows(page, "#relation-table")}
    sites = len(stored.lines)
    for relation in stored.relations():
        executed, mc_sites = stored.executed(relation), stored.mc_sites(relation)
        pairs = sum(pair.relation == relation for pair in stored.measured)
        row = found[relation]
        assert row[1] == grouped(pairs), row
        assert row[7] == percent(executed.bit_count(), sites), row
        assert row[8] == grouped(mc_sites.bit_count()), row
        assert row[9] == percent(mc_sites.bit_count(), sites), row
        unique = mc_sites
        for other in stored.relations():
            if other != relation:
                unique &= ~stored.mc_sites(other)
        assert row[11] == grouped(unique.bit_count()), row
    text = page.inner_text("main")
    both = stored.executed() & ~stored.mc_sites()
    assert grouped(both.bit_count()) in text and percent(stored.mc_sites().bit_count(), sites) in text
    assert page.evaluate("document.querySelector('figure img').naturalWidth") > 0


def code(page, go):
    go("code.html")
    page.wait_for_selector("#grid tbody tr")
    top = rows(page, "#grid")[0]
    executed, mc_sites = stored.executed().bit_count(), stored.mc_sites().bit_count()
    sites = len(stored.lines)
    assert [cell.strip() for cell in top[1:] if cell.strip()] == [
        grouped(sites), percent(executed, sites), percent(mc_sites, sites), percent(mc_sites, executed), grouped(executed - mc_sites),
    ], top
    number = lambda row: int(row[-1].replace(",", ""))
    falling = [number(row) for row in rows(page, "#grid")[1:]]
    assert falling == sorted(falling, reverse=True) and falling[0] > 0
    page.click("#grid thead button:has-text('never checked')")
    rising = [number(row) for row in rows(page, "#grid")[1:]]
    assert rising == sorted(rising) and rising != falling
    assert page.get_attribute("#grid thead th[aria-sort]", "aria-sort") == "ascending"
    # A column group for each relation.
    page.click("#relations button:has-text('norec')")
    assert "norec" in page.inner_text("#grid thead")
    mc_sites = stored.mc_sites("norec").bit_count()
    assert percent(mc_sites, sites) in page.inner_text("#grid tbody tr:first-child")
    # Filtering leaves the matching rows and their parents.
    page.keyboard.press("/")
    page.keyboard.type("sqlite3VdbeExec")
    until(page, "document.querySelectorAll('#grid tbody tr').length === 2")
    page.keyboard.press("Escape")
    until(page, "document.querySelectorAll('#grid tbody tr').length > 100")
    # The table grows while scrolling.
    before = page.locator("#grid tbody tr").count()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    until(page, f"document.querySelectorAll('#grid tbody tr').length > {before}")
    page.select_option("#criterion", "function")
    until(page, "document.querySelector('#grid thead').innerText.includes('functions')")


def lines_shown(page, chunk=None):
    """The gutter and the text of each line."""
    which = ".chunk" if chunk is None else f".chunk[data-chunk='{chunk}']"
    script = """chunks => chunks.flatMap(chunk => {
        const column = kind => chunk.querySelector('pre.' + kind).textContent.split('\\n').slice(0, -1);
        const [num, glyph, val, ran] = ['num', 'glyph', 'val', 'ran'].map(column);
        return num.map((line, i) => [Number(line), glyph[i], Number(val[i]), Number(ran[i])]);
    })"""
    return page.eval_on_selector_all(which, script)


def source(page, go):
    go("source.html#f=0")
    # The whole file, which searching in the page requires.
    page.wait_for_selector("#code[data-whole]")
    expected = stored.counts(path)
    shown = lines_shown(page)
    assert [line for line, *_ in shown] == list(range(1, len(shown) + 1))
    assert len(shown) >= max(expected)
    for line, glyph, mc_sites, ran in shown:
        right = expected.get(line, (" ", 0, 0))
        assert (glyph.strip(), mc_sites, ran) == (right[0].strip(), right[1], right[2]), (line, glyph, mc_sites, ran, right)
    counts = {state: sum(glyph in state for glyph, _, _ in expected.values()) for state in ("◂▸◆", "●", "○")}
    chips = page.eval_on_selector_all("#legend button .count", "all => all.map(of => of.textContent)")
    assert chips[:3] == [grouped(count) for count in counts.values()], chips
    keyboard(page, expected)


def keyboard(page, expected):
    """n and p move from the start of one stretch to that of the next."""
    in_order = sorted(expected)
    starts = [
        line for before, line in zip([0] + in_order, in_order)
        if expected[line][0] == "●" and (before == 0 or expected[before][0] != "●")
    ]
    current = lambda: int(re.search(r"[#&]l=(\d+)", page.evaluate("location.hash")).group(1))
    page.click("#code", position={"x": 400, "y": 5})
    first = current()
    after = [line for line in starts if line > first][:3]
    for line in after:
        page.keyboard.press("n")
        assert current() == line, (current(), line)
    page.keyboard.press("p")
    assert current() == after[-2]
    page.keyboard.press("1")
    page.keyboard.press("n")
    assert expected[current()][0] in "◂▸◆"


def line_to_pair(page, go):
    """Follows the links from a line to its pairs, to one of them, and to the view of that pair."""
    counts = stored.counts(path)
    some = [line for line, (glyph, mc_sites, _) in counts.items() if 0 < mc_sites <= 100]
    line = random.Random(1).choice(some)
    bit = 1 << stored.lines[path, line]
    right = {f"{pair.relation} {pair.name}": pair for pair in stored.measured if (pair.a_only | pair.b_only) & bit}
    go(f"source.html#f=0&l={line}")
    page.wait_for_selector("#panel ol.pairs li")
    assert f"Line {line}" in page.inner_text("#panel h2")
    listed = page.eval_on_selector_all("#panel ol.pairs li a:first-of-type", "links => links.map(link => link.textContent)")
    assert sorted(listed) == sorted(right), (line, listed)
    name = listed[0]
    relation = right[name].relation
    page.fill("#panel input", relation)
    listed = page.eval_on_selector_all("#panel ol.pairs li a:first-of-type", "links => links.map(link => link.textContent)")
    assert listed == [of for of in right if right[of].relation == relation] or set(listed) == {of for of in right if relation in of}
    # The pair itself.
    page.click(f"#panel ol.pairs a:text-is('{name}')")
    pair = right[name]
    page.wait_for_selector("#case .sides pre")
    assert page.inner_text("h1") == f"Pair {pair.name} of {relation}"
    a, b = (part & stored.line_mask for part in (pair.a_only, pair.b_only))
    text = page.inner_text("#case")
    assert f"a only: {a.bit_count():,} line" in text and f"b only: {b.bit_count():,} line" in text, text[:300]
    assert "SELECT" in page.inner_text("#case .sides")
    page.click("#case summary")
    page.wait_for_selector("#case details pre")
    assert "CREATE" in page.inner_text("#case details pre")
    # Its own four states, in the chunk of the line.
    index = stored.pairs.index(pair)
    go(f"source.html#f=0&l={line}&p={index}")
    chunk = (line - 1) // 1000
    page.wait_for_selector(f".chunk[data-chunk='{chunk}']:not(.empty)")
    glyph = lambda bit: " " if not bit else "◂" if pair.a_only & bit else "▸" if pair.b_only & bit else "●" if pair.any & bit else "○"
    for shown, found, *_ in lines_shown(page, chunk):
        right = glyph(1 << stored.lines[path, shown] if (path, shown) in stored.lines else 0)
        assert found.strip() == right.strip(), (shown, found, right)
    starts = {of for of in (line for (_, line), site in stored.lines.items() if (pair.a_only | pair.b_only) >> site & 1)}
    page.keyboard.press("n")
    assert int(re.search(r"l=(\d+)", page.evaluate("location.hash")).group(1)) in starts


def lists(page, go):
    go("gaps.html")
    page.wait_for_selector("#functions tbody tr")
    whole = rows(page, "#functions")
    assert whole and rows(page, "#blocks")
    executions = [int(row[4].replace(",", "")) for row in whole]
    assert executions == sorted(executions, reverse=True)
    go("pairs.html")
    page.wait_for_selector("#grid tbody tr")
    shown = rows(page, "#grid")
    assert len(shown) == min(200, len(stored.pairs)) and grouped(len(stored.pairs)) in page.inner_text("#more")
    row = shown[0]
    pair = next(pair for pair in stored.pairs if [pair.relation, pair.name] == row[:2])
    assert row[4] == grouped((pair.a_only & stored.line_mask).bit_count())
    for kind, is_so in {
        "empty": lambda pair: pair.sides[0] == pair.sides[1],
        "one-sided": lambda pair: bool(pair.a_only) != bool(pair.b_only),
    }.items():
        page.select_option("#kind", kind)
        some = sum(is_so(pair) for pair in stored.measured)
        until(page, f"document.querySelectorAll('#grid tbody tr').length === {min(200, some)}")


def narrow_and_dark():
    for options in ({"viewport": {"width": 390, "height": 844}}, {"color_scheme": "dark"}):
        with pages(folder, **options) as (page, go):
            for address in ("index.html", "code.html", "gaps.html", "pairs.html", "pairs.html#p=0", "source.html#f=0&l=99006"):
                go(address)
                page.wait_for_selector("tbody tr, .chunk:not(.empty)")
                wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                assert wider <= 0, (address, options, wider)
                background = page.evaluate("getComputedStyle(document.body).backgroundColor")
                light = sum(int(part) for part in re.findall(r"\d+", background)[:3]) > 384
                assert light == ("color_scheme" not in options), (address, background)


with pages(folder) as (page, go):
    for check in (overview, code, source, line_to_pair, lists):
        check(page, go)
narrow_and_dark()
