"""The home page answers what this is, whether mine is in it, and how to add it, without scrolling."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from webapp.tests.serving import manage


@pytest.fixture
def accepted(server):
    """The archive of the copy, accepted for front pages while the test runs."""
    change = "from webapp.models import Archive; from webapp.storage import load; load.{}(Archive.objects.earliest('pk').pk{})"
    assert manage(server.data, "shell", "-v", "0", "-c", change.format("accept", ", 'a test'")).returncode == 0
    yield
    assert manage(server.data, "shell", "-v", "0", "-c", change.format("revoke_acceptance", "")).returncode == 0


@pytest.fixture
def page(lasting_page):
    lasting_page.set_viewport_size({"width": 1280, "height": 800})
    return lasting_page


def test_what_it_is_whether_mine_is_in_it_and_how_to_add_it_need_no_scrolling(page, accepted):
    page.goto("/", wait_until="networkidle")
    what, search, upload = page.locator("h1"), page.get_by_label("Find results like yours"), page.locator("main a[href='/upload']")
    totals = page.get_by_role("list", name="How much is here")
    expect(what).to_contain_text("database of storage benchmark results")
    for part in (what, search, page.locator("#search-example a"), upload, totals):
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
