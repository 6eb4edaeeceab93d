"""Webhooks in the browser: made, tested, deleted."""

from __future__ import annotations

import re

import pytest

from webapp.tests.browser.test_every_page import complaints


@pytest.mark.parametrize("width", [390, 1280])
def it_makes_one_shows_its_secret_once_and_deletes_it(signed_in, width):
    signed_in.set_viewport_size({"width": width, "height": 844})
    signed_in.goto("/settings/tokens")
    signed_in.get_by_role("link", name="webhook").click()
    address = f"https://poolmark.invalid/{'long/' * 40}{width}"
    signed_in.get_by_label("Address").fill(address)
    signed_in.get_by_label("claim.turned").uncheck()
    signed_in.get_by_role("button", name="Make a webhook").click()
    secret = signed_in.locator("[data-secret]").inner_text()
    assert re.fullmatch(r"[0-9a-f]{64}", secret)
    assert complaints(signed_in) == []
    assert signed_in.evaluate("document.documentElement.scrollWidth") <= width
    signed_in.get_by_role("link", name="Send it a test").click()
    assert secret not in signed_in.content() and address in signed_in.locator("main").inner_text()
    assert "claim.turned" not in signed_in.locator("main").inner_text()
    signed_in.get_by_role("button", name="Send a test").click()
    signed_in.get_by_role("rowheader", name="test").wait_for()
    for theme in ("light", "dark"):
        signed_in.emulate_media(color_scheme=theme)
        assert complaints(signed_in) == [], theme
    assert signed_in.evaluate("document.documentElement.scrollWidth") <= width
    signed_in.get_by_role("button", name="Delete").click()
    signed_in.get_by_text(re.compile("The webhook .* is deleted")).wait_for()
    assert signed_in.get_by_role("link", name=address[:60]).count() == 0
