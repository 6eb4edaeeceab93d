"""Mine against theirs, by mouse and by keyboard; and the presets that the shipped or constructed data can draw."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from webapp.tests.browser.test_compare_controls import METRIC, OF, START, arrived, more, start, unfolded, until
from webapp.tests.browser.test_filling_in import no_processor, upload  # noqa: F401 (a fixture)

pytestmark = pytest.mark.usefixtures("three_systems")


def it_lays_ones_own_archive_over_the_rest_by_mouse_and_by_keyboard(signed_in: Page, no_processor):  # noqa: F811
    upload(signed_in, no_processor(5.0))
    start(signed_in)
    before = signed_in.url
    unfolded(signed_in, "choose-overlay")
    box = signed_in.locator("#choose-overlay input").first
    box.check()
    signed_in.wait_for_url(re.compile(r"[?&]overlay=\d+$"))
    until(signed_in, "!document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling')")
    expect(box).to_be_checked()
    box.focus()
    signed_in.keyboard.press("Space")
    signed_in.wait_for_url(lambda url: "overlay=" not in url)
    until(signed_in, "!document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling')")
    expect(box).not_to_be_checked()
    expect(box).to_be_focused()
    assert "metric=write.throughput" in signed_in.url and "metric=write.throughput" in before


def it_follows_every_preset_that_tells_something(page: Page):
    """Each by mouse, then by Return; the others are pale and say why."""
    for key in ("click", "Enter"):
        start(page)
        names = page.locator(".presets a").all_inner_texts()
        assert len(names) >= 3
        for name in names:
            more(page)
            link = page.get_by_role("navigation", name="Presets").get_by_role("link", name=name, exact=True)
            address = link.get_attribute("href")
            if key == "click":
                link.click()
            else:
                link.focus()
                page.keyboard.press("Enter")
            arrived(page, address.partition("?")[2])
            expect(page.locator(".presets a[aria-current=true]")).to_have_text(name)
            start(page)
    assert page.locator(".presets .pale").count() + len(names) >= 8
    assert page.locator(".presets .pale").evaluate_all("all => all.every(one => one.title.length > 10)")
    assert METRIC in START and OF in START
