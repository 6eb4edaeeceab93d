"""Going back and forward on the comparison page: whole pages, the choices of the address, focus and what was open."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from webapp.tests.browser.test_compare_controls import more, unfolded
from webapp.tests.browser.test_whole_job import bars, until

START = "/compare?metric=write.throughput&x=compression&study=zfs-compression"


@pytest.fixture
def page(lasting_page: Page) -> Page:
    return lasting_page


def whole(page: Page) -> None:
    """A whole page stands there, not the part that htmx asks for."""
    expect(page.locator("header.site-head")).to_have_count(1)
    expect(page.locator("#compare")).to_have_count(1)
    expect(page.locator("link[rel=stylesheet]")).to_have_count(1)


def it_comes_back_from_elsewhere_to_a_whole_page(page: Page):
    page.goto(START)
    log = "document.querySelector('canvas[data-figure]')?.chart?.options.scales.y.type === 'logarithmic'"
    unfolded(page, "choose-drawing")
    page.locator("#scale").select_option("log")
    page.wait_for_url(re.compile("scale=log"))
    until(page, log)
    address = page.url
    page.goto("/archives")
    page.go_back()
    assert page.url == address
    whole(page)
    until(page, log)
    page.reload()
    whole(page)


def it_shows_the_choices_of_the_address_after_going_back_and_forward(page: Page):
    page.goto(START)
    bars(page)
    for control, value in (("axis-series", "dedup"), ("kind", "dots"), ("unit", "MB")):
        unfolded(page, "choose-drawing")
        page.locator(f"#{control}").select_option(value)
        page.wait_for_url(re.compile(f"={value}"))
    for control, usual, gone in (("unit", "MiB", "unit=MB"), ("kind", "bars", "kind=dots"), ("axis-series", "", "series=dedup")):
        page.go_back()
        until(page, f"!location.search.includes('{gone}') && document.getElementById('{control}')?.value === '{usual}'")
        whole(page)
    assert page.url.endswith(START)
    page.go_forward()
    until(page, "document.getElementById('axis-series')?.value === 'dedup'")
    assert "series=dedup" in page.url


def it_keeps_focus_and_what_was_open(page: Page):
    page.goto(START)
    bars(page)
    unfolded(page, "choose-dedup")
    box = page.locator("#choose-dedup input[type=checkbox]").first
    box.focus()
    page.keyboard.press("Space")
    page.wait_for_url(re.compile("dedup="))
    expect(page.locator("#choose-dedup input[type=checkbox]").first).to_be_focused()
    page.keyboard.press("Space")
    page.wait_for_url(lambda url: "dedup=" not in url)
    expect(page.locator("#choose-dedup")).to_have_attribute("open", "")


def it_keeps_what_was_open_when_an_answer_overtakes_the_settling_of_the_last_one(page: Page):
    """Answers come when they come; here every timer of htmx's length is so late that the next answer is there before it."""
    late = "(call, ms, ...more) => at(call, ms === 20 ? 3000 : ms, ...more)"
    page.add_init_script(f"const at = setTimeout; window.setTimeout = {late}")
    it_keeps_focus_and_what_was_open(page)
    page.wait_for_timeout(3500)
    expect(page.locator("#choose-dedup")).to_have_attribute("open", "")


def it_asks_once_for_each_change(page: Page):
    page.goto(START)
    bars(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "hx-request" in request.headers else None)
    more(page)
    page.get_by_label("Search", exact=True).fill("gzip-9")
    page.get_by_label("Search", exact=True).press("Enter")
    page.wait_for_url(re.compile("q=gzip-9"))
    assert page.url.endswith(START.replace("&study", "&q=gzip-9&study"))
    # Whatever else the first change asked for is sent before what the next one asks for.
    page.locator("#kind").select_option("dots")
    page.wait_for_url(re.compile("kind=dots"))
    assert ["kind=dots" in address for address in asked] == [False, True]


def it_opens_the_choices_as_a_sheet_on_a_phone(page: Page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(START)
    bars(page)
    page.get_by_role("button", name="More").click()
    rail = page.locator("#choices")
    expect(rail).to_be_focused()
    assert rail.evaluate("one => getComputedStyle(one).position") == "fixed"
    page.locator("#kind").select_option("box")
    page.wait_for_url(re.compile("kind=box"))
    assert page.locator("#choices").evaluate("one => getComputedStyle(one).position") == "fixed"
    page.keyboard.press("Escape")
    expect(page.locator("#to-choices")).to_be_focused()
    expect(rail).to_be_hidden()
