"""Opens all pages of runs that are full of hostile strings: none of them has any effect.

usage: harmless.py PAGES...
"""

import sys

from browser import pages

for folder in sys.argv[1:]:
    with pages(folder) as (page, go):

        def look():
            page.wait_for_selector(":is(tbody tr, .chunk:not(.empty), .sides):visible")
            assert page.evaluate("window.pwned") is None, page.url
            for tag in ("iframe", "object", "base", "video", "math", "style", "main script", "svg script", "main link"):
                assert page.locator(tag).count() == 0, (page.url, tag)

        for address in ("index.html", "code.html", "gaps.html", "pairs.html"):
            go(address)
            look()
        go("code.html")
        page.wait_for_selector("#grid tbody tr")
        while page.locator(".fold[aria-expanded=false]").count():
            page.locator(".fold[aria-expanded=false]").first.click()
        look()
        go("pairs.html")
        page.wait_for_selector("#grid tbody tr")
        count = page.locator("#grid tbody tr").count()
        for index in range(count):
            page.evaluate(f"location.hash = 'p={index}'")
            page.wait_for_timeout(10)
        page.wait_for_selector("#case .step")
        look()
        if page.locator("#case summary").count():
            page.click("#case summary")
            page.wait_for_selector("#case details pre")
        go("source.html#f=0&l=2")
        look()
        files = page.evaluate("metacov.load('run').then(run => run.files.length)")
        for file in range(files):
            page.evaluate(f"location.hash = 'f={file}&l=2'")
            page.wait_for_timeout(30)
        page.wait_for_selector("#panel ol.pairs li")
        look()
