"""Compares the mutants on the pages of a run with its kill matrix, in a browser.

usage: mutants.py MATRIX.json PAGES
"""

import json
import sys
from collections import Counter

from browser import pages, until

matrix = json.load(open(sys.argv[1]))
mutants, folder = matrix["mutants"], sys.argv[2]
IN_MC = ("a_only", "b_only", "either")
count = lambda verdict, mutants: sum(mutant["verdict"] == verdict for mutant in mutants)
rows = lambda page, selector: page.eval_on_selector_all(selector + " tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))")
assert any(mutant["verdict"] == "killed" for mutant in mutants), "nothing to compare"
states = {mutant["line_state"] for mutant in mutants}
assert states & set(IN_MC) and "both" in states, states


def lists(page, go):
    go("mutants.html")
    page.wait_for_selector("#functions tbody tr")
    places = lambda found: sorted((row[0], row[1], row[2]) for row in found)
    wanted = lambda verdict, is_in_mc: sorted(
        (mutant["function"], str(mutant["line"]), str(mutant["column"]))
        for mutant in mutants
        if mutant["verdict"] == verdict and mutant["line_state"] is not None and (mutant["line_state"] in IN_MC) == is_in_mc
    )
    assert places(rows(page, "#survivors")) == wanted("survived", True)
    assert places(rows(page, "#missed")) == wanted("killed", False)
    by_function = Counter(mutant["function"] for mutant in mutants if mutant["verdict"] == "survived")
    found = rows(page, "#functions")
    assert {row[0]: int(row[2]) for row in found if row[2] != "0"} == dict(by_function)
    assert [int(row[2]) for row in found] == sorted((int(row[2]) for row in found), reverse=True)
    page.fill("#filter", "nothing is called that")
    until(page, "document.querySelectorAll('#functions tbody tr').length === 0")


def source(page, go):
    lines = {}
    for mutant in mutants:
        lines.setdefault(mutant["line"], []).append(mutant)
    # The line with most verdicts, and a line without mutants.
    line = max(lines, key=lambda line: (len({mutant["verdict"] for mutant in lines[line]}), len(lines[line])))
    go(f"source.html#f=0&l={line}")
    page.wait_for_selector("aside.open details.mutants")
    found = rows(page, "aside details.mutants")
    assert len(found) == len(lines[line]), found
    shown = Counter(row[2].split(" by ")[0] for row in found)
    assert shown == Counter(mutant["verdict"] or "not reached" for mutant in lines[line]), shown
    # The column: killed / survived / not reached, + others.
    page.wait_for_selector(".chunk pre.mutants", state="attached")  # hidden on a phone
    column = page.eval_on_selector(".chunk pre.mutants", "pre => pre.textContent").split("\n")
    for number, of in lines.items():
        main = [count("killed", of), count("survived", of), count(None, of)]
        others = len(of) - sum(main)
        assert column[number - 1] == "/".join(map(str, main)) + (f"+{others}" if others else ""), (number, column[number - 1])
    assert column[0] == ""
    # Chips lead to the lists' lines.
    first = min(mutant["line"] for mutant in mutants if mutant["verdict"] == "killed" and mutant["line_state"] == "both")
    go("source.html#f=0")
    page.click("#legend button[data-state='k']")
    until(page, f"location.hash.includes('l={first}')")


def overview(page, go):
    go("index.html")
    text = page.inner_text("main")
    reached = [mutant for mutant in mutants if mutant["verdict"] is not None and mutant["line_state"] in IN_MC]
    assert f"On MC lines, {count('killed', reached)} of {len(reached)} reached" in text, text


for options in [{}, {"viewport": {"width": 390, "height": 844}}]:
    with pages(folder, **options) as (page, go):
        overview(page, go)
        lists(page, go)
        source(page, go)
        for name in ["index.html", "mutants.html"]:
            go(name)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, options)
