"""A collection made and read in a real browser: with and without JavaScript, on a phone, in the dark."""

from __future__ import annotations

import re

import pytest

from webapp.tests.browser.test_every_page import complaints


@pytest.fixture
def draft(signed_in, frozen) -> str:
    """The address of a permalink that is in the draft."""
    signed_in.goto(frozen)
    signed_in.get_by_role("button", name="Add to a collection").click()
    signed_in.wait_for_url("**/collections/new")
    return frozen


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark"), (320, "light")])
def it_has_pages_that_axe_likes(signed_in, draft, width, theme):
    page = signed_in
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=theme)
    page.get_by_label("Caption").fill("What the paper says.")
    seen = []
    for address in ("/permalinks", "/collections/new", None):
        if address:
            page.goto(address, wait_until="networkidle")
        else:
            page.get_by_role("button", name="Freeze this collection").click()
            page.wait_for_url(re.compile(r"/c/[2-9a-z]{10}$"))
        seen.append(page.url)
        assert complaints(page) == [] and page.evaluate("document.documentElement.scrollWidth") <= width, page.url
    assert len(set(seen)) == 3


def it_is_made_and_read_without_javascript(browser, base_url, signed_in, draft):
    context = browser.new_context(java_script_enabled=False, base_url=base_url, storage_state=signed_in.context.storage_state())
    page = context.new_page()
    page.goto("/collections/new")
    page.get_by_label("Caption").fill("Typed without a script.")
    page.get_by_label("Add by address").fill("nonsense")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("is mistyped").wait_for(state="visible")
    page.get_by_role("button", name="Freeze this collection").click()
    page.get_by_text("Typed without a script.").wait_for(state="visible")
    picture = page.locator(".collected-still").first
    picture.wait_for(state="visible")
    assert page.request.get(base_url + picture.get_attribute("src")).ok
    context.close()
