"""What holds for each page: nothing for axe, no error, no sideways scrolling, small, readable without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from axe_playwright_python.sync_playwright import Axe

PAGES = [
    "/",
    "/compare",
    "/compare?q=zfs+lzjb",
    "/compare/arrange?q=zfs+lzjb",
    "/honesty",
    "/archives",
    "/archives?q=zfs&tool=bonnie%2B%2B",
    "/systems",
    "/systems?cores=~&sort=cpu",
    "/hardware",
    "/hardware/cpu/no-such",
    "/configurations",
    "/configurations?q=lz4&fs=zfs",
    "/studies",
    "/studies/zfs-compression",
    "/sign-in",
    "/no-such-page",
    "/archives/1",
    "/archives/1/raw/rep1/bench.csv",
    "/systems/1",
    "/configurations/1",
    "/versus?a=configuration:1&b=configuration:2",
    "/versus?a=archive:1",
    "/normal?a=archive:1",
    "/rankings",
    "/runs",
    "/runs?archive=1&q=dd",
    "/runs/1",
    "/runs/1/figure?metric=write.throughput",
]


SIDE_PAGES = ["/models/raidz", "/series", "/series?run=1", "/series/distribution", "/data", "/status", "/log", "/verify"]
"""Further pages that readers need no script for."""


def complaints(page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"][:3]]


@pytest.fixture
def page(lasting_page):
    return lasting_page


@pytest.fixture
def errors(page) -> Iterator[list[str]]:
    """What the page logs as an error; the 404 of a page that is not there is none."""
    said: list[str] = []

    def console(message) -> None:
        if message.type == "error":
            said.append(message.text)

    def fault(error) -> None:
        said.append(str(error))

    page.on("console", console)
    page.on("pageerror", fault)
    yield said
    page.remove_listener("console", console)
    page.remove_listener("pageerror", fault)


@pytest.mark.parametrize("address", PAGES)
def it_has_nothing_that_axe_complains_about_and_fits_a_phone(page, errors, address):
    page.goto(address, wait_until="networkidle")
    for theme in ("light", "dark"):  # a theme is another set of colours, which a page changes without loading again
        page.emulate_media(color_scheme=theme)
        assert complaints(page) == [], theme
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert [text for text in errors if "404" not in text] == []


@pytest.mark.parametrize("address", ["/upload", "/settings/tokens", "/settings/webhooks"])
def it_shows_a_page_to_whoever_is_signed_in(signed_in, errors, address):
    signed_in.goto(address, wait_until="networkidle")
    assert complaints(signed_in) == []
    signed_in.set_viewport_size({"width": 390, "height": 844})
    assert signed_in.evaluate("document.documentElement.scrollWidth") <= 390
    assert errors == []


class TestFirstView:
    """With a page of its own, whose cache is cold."""

    @pytest.fixture
    def page(self, context):
        return context.new_page()

    @pytest.mark.parametrize("address", ["/", "/compare", "/archives/1"])
    def it_weighs_little(self, page, address):
        """At most 150 KB and 10 requests at the first view, everything included, as it travels."""
        travelled: list[int] = []

        def note(request):
            sizes = request.sizes()
            travelled.append(sizes["responseBodySize"] + sizes["responseHeadersSize"])

        page.on("requestfinished", note)
        page.goto(address, wait_until="networkidle")
        assert 3 <= len(travelled) <= 10
        assert sum(travelled) <= 150 * 1000


class TestWithoutJavaScript:
    @pytest.fixture
    def browser_context_args(self, browser_context_args):
        return {**browser_context_args, "java_script_enabled": False}

    @pytest.fixture
    def page(self, context):
        return context.new_page()

    @pytest.mark.parametrize("address", [*PAGES, *SIDE_PAGES])
    def it_can_be_read(self, page, address):
        page.goto(address)
        levels = [int(level) for level in re.findall(r"<h([1-6])\b", page.content())]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
        assert page.locator("main").inner_text().strip()
        assert page.locator("[data-theme-toggle]").is_hidden()

    def it_shows_the_values_of_a_line_beside_it(self, page):
        page.goto("/archives/1/raw/rep1/bench.csv#L2")
        line = page.locator("#L2")
        assert "191646" in line.inner_text()
        assert "187\u00a0MiB/s" in line.inner_text()


class TestByKeyboard:
    def it_skips_to_the_content(self, page):
        page.goto("/archives")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to content"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.querySelector('main').contains(document.activeElement)")

    def it_changes_the_theme_and_remembers_it(self, page):
        page.emulate_media(color_scheme="light")
        page.goto("/")
        paper = "getComputedStyle(document.documentElement).backgroundColor"
        before = page.evaluate(paper)
        page.get_by_role("button", name="Use the dark theme").press("Enter")
        assert page.evaluate(paper) != before
        page.goto("/archives")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        page.get_by_role("button", name="Use the light theme").press("Enter")
        assert page.evaluate(paper) == before


class TestRawLines:
    def it_marks_a_range_of_lines(self, page):
        page.goto("/archives/1/raw/rep1/bench.csv#L3-L6")
        assert page.locator("tr.is-picked").count() == 4
        page.locator("#L8 .line-number a").click()
        page.locator("#L10 .line-number a").click(modifiers=["Shift"])
        assert page.evaluate("location.hash") == "#L8-L10"
        assert page.locator("tr.is-picked").count() == 3
