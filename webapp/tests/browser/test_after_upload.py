"""After an upload its own figure stands on its page at once, with scripts and without."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from webapp.tests.browser.test_filling_in import until_shown
from webapp.tests.browser.test_publishing import archive, upload


@pytest.mark.parametrize("by_itself", [True, False], ids=["with JavaScript", "without JavaScript"])
def it_shows_the_figure_of_a_single_dd(browser: Browser, base_url, sign_in, tmp_path, by_itself):
    context = browser.new_context(base_url=base_url, java_script_enabled=by_itself)
    page = sign_in(context.new_page())
    upload(page, archive(tmp_path))
    until_shown(page, page.get_by_role("heading", name="Is it normal?"), by_itself)
    if by_itself:
        page.wait_for_function("document.querySelector('canvas[data-figure=own-figure-0-data]')?.chart")
    else:
        expect(page.locator("#own-figure-0 img, #own-figure-0 svg")).not_to_have_count(0)
    context.close()
