"""The home page answers what this is, whether mine is in it, and how to add it, without scrolling."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from webapp.tests.serving import Server


@pytest.fixture
def page(lasting_page):
    lasting_page.set_viewport_size({"width": 1280, "height": 800})
    return lasting_page


def test_what_it_is_whether_mine_is_in_it_and_how_to_add_it_need_no_scrolling(page, shipped: Server):
    page.goto(f"http://127.0.0.1:{shipped.port}/", wait_until="networkidle")
    what, search, upload = page.locator("h1"), page.get_by_label("Find results like yours"), page.locator("main a[href='/upload']")
    totals = page.get_by_role("list", name="How much is here")
    expect(what).to_contain_text("database of storage benchmark results")
    findings = page.get_by_role("region", name="What the data show")
    expect(findings.get_by_role("listitem")).to_have_count(3)
    for part in (what, search, page.locator("#search-example a"), upload, totals, findings):
        expect(part).to_be_in_viewport(ratio=1)
    for noun in ("system", "configuration", "measurement"):
        expect(totals).to_contain_text(re.compile(rf"[1-9][\d\u202f]* {noun}"))
    expect(page.locator("canvas[data-figure]")).to_be_in_viewport(ratio=0.3)
    box = upload.bounding_box()
    assert box["y"] + box["height"] < 300 and box["height"] >= 44


def test_the_search_works_on_its_own_example(page):
    page.goto("/")
    example = page.locator("#search-example a").inner_text()
    page.get_by_label("Find results like yours").fill(example)
    page.get_by_role("button", name="Search").click()
    expect(page.locator("main figure").first).to_be_visible()
    page.goto("/")
    page.locator("#search-example a").click()
    expect(page.locator("main figure").first).to_be_visible()


def test_a_phone_has_all_of_it_too(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/", wait_until="networkidle")
    for part in (page.locator("h1"), page.get_by_label("Find results like yours"), page.locator("main a[href='/upload']")):
        expect(part).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
