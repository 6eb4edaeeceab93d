"""After an upload its own figure and the nearest published run stand on its page at once, with scripts and without."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from webapp.tests.browser.test_filling_in import until_shown
from webapp.tests.browser.test_publishing import archive, upload


@pytest.mark.parametrize("by_itself", [True, False], ids=["with JavaScript", "without JavaScript"])
def it_shows_a_single_dd_beside_the_nearest_published_run(browser: Browser, base_url, sign_in, tmp_path, by_itself):
    context = browser.new_context(base_url=base_url, java_script_enabled=by_itself)
    page = sign_in(context.new_page())
    address = upload(page, archive(tmp_path))
    until_shown(page, page.get_by_role("heading", name="beside the nearest published run"), by_itself)
    if by_itself:
        page.wait_for_function("[...document.querySelectorAll('canvas[data-figure]')].filter((one) => one.chart).length == 2")
        assert page.locator("canvas").nth(1).get_attribute("aria-label").count(": ") >= 3  # the title, and a value on each side
    else:
        expect(page.locator("#nearest svg")).to_be_visible()
    expect(page.get_by_text("no ratio and no claim")).to_be_visible()
    expect(page.get_by_role("heading", name="Is it normal?")).to_be_visible()
    assert "pool layout" not in page.locator("main").inner_text().split("Differs in")[0].lower()
    page.goto(f"{address}/review")
    assert page.locator("#complete ~ ul").get_by_text("Pool layout").count() == 0
    context.close()
