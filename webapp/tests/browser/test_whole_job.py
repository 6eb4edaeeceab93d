"""The main job: upload, watch, compare, check a bar against its line, freeze, delete, and the figure stays."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean
from time import monotonic

import pytest
from playwright.sync_api import Error, Page, expect

from webapp.tests.browser.conftest import MEASURED
from webapp.tests.serving import PATIENCE

KIB_PER_MIB = 1024
COLUMN = {"Sequential write": 0, "Rewrite": 1, "Sequential read": 2}


def choose_metrics(page: Page) -> None:
    """Tick rewrite and read beside write; each is one request that changes the address."""
    if not page.locator("#choices").is_visible():
        page.locator("#to-choices").click()
    if page.locator("#choose-metric").get_attribute("open") is None:
        page.locator("#choose-metric > summary").click()
    for metric in ("rewrite.throughput", "read.throughput"):
        page.locator(f"[id='metric-{metric}']").check()
        page.wait_for_url(re.compile(re.escape(f"metric={metric}")))
        expect(page.locator(f"[id='metric-{metric}']")).to_be_checked()


def until(page: Page, expression: str) -> None:
    """Wait until the expression is true. Playwright's own way evaluates in the page, which our policy forbids."""
    end = monotonic() + PATIENCE
    while not holds(page, f"Boolean({expression})"):
        assert monotonic() < end, expression
        page.wait_for_timeout(50)


def holds(page: Page, expression: str) -> bool:
    """False also while the page is being replaced: going back loads it anew."""
    try:
        return page.evaluate(expression)
    except Error as error:
        if "context was destroyed" not in str(error):
            raise
        return False


def bars(page: Page) -> dict[tuple[str, str], float]:
    """(series, compression) -> what the canvas draws, in MiB/s."""
    until(page, "document.querySelector('canvas[data-figure]')?.chart")
    drawn = page.evaluate("""() => { const chart = document.querySelector('canvas[data-figure]').chart;
        return chart.data.datasets.map(d => [d.label, chart.data.labels.map((x, i) => [x, d.data[i]])]); }""")
    return {(series, x): value for series, values in drawn for x, value in values}


def cells(page: Page) -> list[list[str]]:
    return page.locator(".figure-table tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )


class WholeJob:
    """Its steps, for who is signed in on `page`; `other` is the page of a stranger. Each step waits for what it leads to."""

    def __init__(self, page: Page, other: Page, file: Path) -> None:
        self.page, self.other, self.file = page, other, file
        self.expected = {
            (series, compression): geometric_mean([run[at] for run in runs]) / KIB_PER_MIB
            for series, at in COLUMN.items()
            for compression, runs in MEASURED.items()
        }

    def run(self, **after: Callable[[], object]) -> None:
        """All steps; `after`: what is to be done after a step of that name."""
        for step in (self.send, self.watch, self.compare, self.check, self.freeze, self.look, self.delete, self.look_again):
            step()
            after.pop(step.__name__, lambda: None)()
        assert not after

    def send(self) -> None:
        self.page.goto("/upload")
        self.page.set_input_files("#files", str(self.file))
        self.page.get_by_role("button", name="Upload").click()
        self.page.wait_for_url(re.compile(r"/archives/\d+$"))
        self.archive = self.page.url

    def watch(self) -> None:
        """Until it is read: the page says so by itself."""
        expect(self.page.get_by_role("link", name="Compare these")).to_be_visible()
        assert self.page.locator("tr").filter(has_text="sweep/bench.csv").get_by_text("bonnie++").is_visible()

    def compare(self) -> None:
        self.page.get_by_role("link", name="Compare these").click()
        choose_metrics(self.page)
        assert bars(self.page) == pytest.approx(self.expected)

    def check(self) -> None:
        """A bar against the line that it comes from."""
        page = self.page
        row = page.locator(".figure-table tbody tr").filter(has_text="lz4").filter(has_text="Sequential write")
        assert row.locator("td.number").first.inner_text() == "148"
        live = page.url
        row.locator(".values a").nth(1).click()
        page.wait_for_url(re.compile(r"/raw/sweep/bench\.csv#L\d+$"))
        line = page.locator(f"#L{page.url.rsplit('#L', 1)[1]}")
        assert "151552" in line.inner_text()
        page.goto(live)

    def freeze(self) -> None:
        page = self.page
        page.get_by_role("button", name="Freeze", exact=True).click()
        page.get_by_label("Title").fill("Write, rewrite and read per compression")
        page.get_by_label("Authors").fill("A. Reader")
        page.locator("#freeze form button").click()
        expect(page.get_by_role("heading", name="This publishes private values")).to_be_visible()
        page.get_by_role("button", name="Freeze and publish these values").click()
        page.wait_for_url(re.compile(r"/p/[2-9a-z]{10}$"))
        self.permalink = page.url

    def look(self) -> None:
        """What anybody sees of it, and that the archive stays private."""
        self.other.goto(self.permalink)
        assert bars(self.other) == pytest.approx(self.expected)
        self.cells, self.record = cells(self.other), self.other.request.get(self.permalink + ".json").body()
        assert self.other.locator("code.digest").first.inner_text() == hashlib.sha256(self.record).hexdigest()
        assert len(json.loads(self.record)["panels"][0]["groups"]) == 9
        assert self.other.request.get(self.archive).status == 404

    def delete(self) -> None:
        self.page.goto(self.archive)
        self.page.get_by_role("link", name="Delete").click()
        self.page.get_by_role("button", name="Delete").click()
        self.page.wait_for_url(re.compile(r"/archives(\?|$)"))
        assert self.page.request.get(self.archive).status == 404

    def look_again(self) -> None:
        self.other.goto(self.permalink)
        assert bars(self.other) == pytest.approx(self.expected)
        assert cells(self.other) == self.cells
        assert self.other.request.get(self.permalink + ".json").body() == self.record
        expect(self.other.get_by_text("was deleted on")).to_be_visible()


def it_takes_a_folder_to_a_permalink_that_outlives_it(signed_in: Page, upload_me, browser, base_url):
    stranger = browser.new_context(base_url=base_url)
    WholeJob(signed_in, stranger.new_page(), upload_me).run()
    stranger.close()


def it_draws_again_for_each_choice_and_goes_back(page: Page):
    page.goto("/compare?metric=write.throughput&x=compression&study=zfs-compression")
    first = bars(page)
    page.locator("#to-choices").click()
    page.get_by_label("X axis").select_option("dedup")
    page.wait_for_url(re.compile("x=dedup"))
    # Both figures have a bar `on`; only the first has `lzjb`.
    until(page, "document.querySelector('canvas[data-figure]')?.chart?.data.labels.includes('lzjb') === false")
    assert bars(page) != first
    page.go_back()
    until(page, "document.querySelector('canvas[data-figure]')?.chart?.data.labels.includes('lzjb')")
    assert bars(page) == first


def it_reads_the_configuration_beside_a_name_of_the_author(page: Page):
    page.goto(
        "/compare?metric=write.throughput&x=compression&study=zfs-compression&order=compression:lzjb&label=compression:lzjb:old"
    )
    bars(page)
    page.locator("canvas[data-figure]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-reading]")).to_contain_text("old (lzjb)")


def it_reads_a_bar_by_keyboard(page: Page):
    page.goto("/compare?metric=write.throughput&x=compression&study=zfs-compression")
    bars(page)
    page.locator("canvas[data-figure]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-reading]")).to_contain_text("off")
    expect(page.locator("[data-reading]")).to_contain_text("MiB/s")
    page.keyboard.press("Enter")
    expect(page.locator("[data-reading] a").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/raw/.*#L\d+$"))


class TestWithoutJavaScript:
    @pytest.fixture
    def browser_context_args(self, browser_context_args):
        return {**browser_context_args, "java_script_enabled": False}

    def it_compares_by_forms_and_tables(self, page: Page):
        page.goto("/compare?metric=write.throughput&x=compression&study=zfs-compression")
        assert len(cells(page)) > 10
        page.locator("#to-choices").click()
        page.locator("#axis-x").select_option("dedup")
        page.get_by_role("button", name="Show").click()
        page.wait_for_url(re.compile("x=dedup"))
        assert {row[0] for row in cells(page)} == {"off", "on"}
