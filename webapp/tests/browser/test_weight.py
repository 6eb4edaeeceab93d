"""What the comparison page weighs as it travels, with all that is shipped, and that thousands of groups do not freeze it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Request, expect

from webapp.http.tests.test_page_weight import LINE
from webapp.tests.browser.test_compare_controls import more, unfolded, unfolded_by_keys
from webapp.tests.browser.test_whole_job import until
from webapp.tests.serving import Server, manage

KB = 1000
HOSTS, COMPRESSIONS = 200, 10
GROUPS = HOSTS * COMPRESSIONS
MARKS = "document.querySelector('canvas[data-figure]')?.chart && document.querySelector('canvas[data-figure]').state.marks"


@pytest.fixture(scope="module")
def crowd(shipped: Server) -> str:
    """The address of an archive of bonnie++ lines by 200 hosts with ten settings of compression, twice each."""
    lines = []
    for at in range(1, 1 + COMPRESSIONS):
        lines.append(f"atime=off dedup=off compression=zstd-{at}")
        lines += [
            LINE.format(host=f"node{host:03}", size=2, write=100_000 + 500 * host + 7919 * at + again, rewrite=50_000, read=200_000)
            for host in range(HOSTS)
            for again in (0, 40)
        ]
    folder = shipped.data / "crowd"
    folder.mkdir()
    (folder / "bench.csv").write_text("\n".join(lines) + "\n")
    done = manage(shipped.data, "ingest", str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(r"/archives/(\d+)", done.stdout)
    return f"http://127.0.0.1:{shipped.port}/compare?metric=write.throughput&x=host&series=compression&archive={found[1]}"


class Scale:
    """Weighs what a page asks for: bytes with headers, as they travel; nothing for what the browser still had."""

    def __init__(self, page: Page) -> None:
        self.page, self.asked = page, []
        page.on("requestfinished", lambda request: self.asked.append(request))

    def weigh(self) -> tuple[list[Request], int]:
        """All requests since the last time, and their bytes together."""
        self.page.wait_for_load_state("networkidle")
        asked = list(self.asked)
        self.asked.clear()
        sizes = [request.sizes() for request in asked]
        return asked, sum(one["responseBodySize"] + one["responseHeadersSize"] for one in sizes)


def test_home_weighs_little(page: Page, shipped: Server):
    scale = Scale(page)
    page.goto(f"http://127.0.0.1:{shipped.port}/")
    until(page, MARKS)
    asked, weight = scale.weigh()
    assert len(asked) <= 10
    assert 50 * KB < weight <= 150 * KB


def test_the_comparison_weighs_little(page: Page, shipped: Server):
    """First visit, with scripts and fonts; second visit; a change of filter."""
    scale, address = Scale(page), f"http://127.0.0.1:{shipped.port}/compare"
    page.goto(address)
    until(page, MARKS)
    asked, weight = scale.weigh()
    kinds = {request.resource_type for request in asked}
    assert kinds >= {"document", "script", "stylesheet", "font"}
    assert len(asked) <= 10
    assert 50 * KB < weight <= 150 * KB
    page.goto(address)
    until(page, MARKS)
    assert scale.weigh()[1] <= 10 * KB
    unfolded(page, "choose-os")
    page.locator("#choose-os input[type=checkbox]").first.check()
    page.wait_for_url(re.compile("[?&]os="))
    until(page, MARKS)
    asked, weight = scale.weigh()
    assert [request.resource_type for request in asked if request.resource_type != "other"] == ["xhr"]
    assert 1 * KB < weight <= 30 * KB


def test_two_thousand_groups_are_drawn_and_answer(page: Page, crowd: str):
    """Drawn as a heat map, with a bounded page; a pointer finds its cell, the next choice is drawn too."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    scale = Scale(page)
    page.goto(crowd)
    until(page, f"{MARKS}.length === {GROUPS}")
    assert page.evaluate("document.querySelector('canvas[data-figure]').state.figure.kind") == "heat"
    assert page.locator(".figure-table tbody tr").count() == GROUPS
    assert page.evaluate("document.querySelectorAll('*').length") <= 20 * GROUPS
    asked, weight = scale.weigh()
    assert len(asked) <= 10
    assert weight <= 300 * KB
    page.locator("canvas[data-figure]").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.locator("[data-reading]")).to_contain_text(f"node{HOSTS - 1}, zstd-{COMPRESSIONS}")
    expect(page.locator("[data-reading] a").first).to_have_attribute("href", re.compile(r"/raw/.*bench\.csv.*#L\d+"))
    more(page)
    page.locator("#kind").select_option("dots")
    page.wait_for_url(re.compile("kind=dots"))
    until(page, f"document.querySelector('canvas[data-figure]')?.state?.figure.kind === 'dots' && {MARKS}.length === {GROUPS}")
    unfolded(page, "choose-compression")
    page.locator("#choose-compression input[type=checkbox]").first.check()
    page.wait_for_url(re.compile("compression="))
    until(page, f"{MARKS}.length === {HOSTS}")
    assert errors == []


def test_a_value_beyond_the_offered_ones_is_searched(page: Page, crowd: str):
    """The list of hosts offers some; another is found and ticked by keyboard alone."""
    page.goto(crowd)
    until(page, MARKS)
    unfolded_by_keys(page, "choose-host")
    page.locator("#find-host").focus()
    page.keyboard.type("node150")
    expect(page.locator("#choose-host li")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.wait_for_url(re.compile(r"[?&]host=node150(&|$)"))
    expect(page.locator("#choose-host input[value=node150]")).to_be_checked()
