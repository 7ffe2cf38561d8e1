"""A browser that checks the promises of pages: no errors, and nothing loaded from elsewhere."""

import contextlib
import pathlib
import shutil

from playwright.sync_api import sync_playwright


class Watch:
    """The violations of a page."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder).resolve().as_uri() + "/"
        self.faults = []

    def of(self, page):
        page.on("console", lambda said: said.type in ("error", "warning") and self.faults.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: request.url.startswith((self.root, "about:")) or self.faults.append(f"request: {request.url}"))
        page.on("popup", lambda popup: self.faults.append(f"popup: {popup.url}"))

    def check(self):
        assert not self.faults, self.faults[:5]


def until(page, condition):
    """Waits for a condition. The browser's own way of waiting is forbidden by the pages' policy."""
    for _ in range(300):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never: {condition}")


@contextlib.contextmanager
def pages(folder, **options):
    """A page of a browser, and a function that opens one of the files of a folder in it."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "no chromium: run scripts/oracles first"
    watch = Watch(folder)
    with sync_playwright() as playwright:
        # As root, the usual user in containers, there is no sandbox.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
        page = context.new_page()
        page.set_default_timeout(60000)
        watch.of(page)

        def go(address):
            # Via another page, since a new # alone loads nothing.
            page.goto("about:blank")
            page.goto(watch.root + address)

        yield page, go
        watch.check()
        browser.close()
