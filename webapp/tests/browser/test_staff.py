"""Staff at work: the list of archives, a block and its removal, the audit log; nothing for axe, nothing wider than a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from webapp.tests.browser.test_every_page import complaints
from webapp.tests.serving import manage

PAGES = ("/staff/archives", "/staff/users", "/staff/blocks", "/staff/audit", f"/staff/block?what={'0' * 64}")


def it_is_done_by_whoever_started_the_copy(signed_in, server):
    page = signed_in
    assert manage(server.data, "sign_in_link", "--user", "mallory").returncode == 0
    page.goto("/")
    page.get_by_role("link", name="Staff").click()
    expect(page.get_by_role("heading", name="All archives")).to_be_visible()
    page.get_by_label("State").select_option("public")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("group", name="Archives").locator("tbody tr").first).to_contain_text("public")

    page.get_by_role("link", name="Users").click()
    page.get_by_role("link", name="Block mallory").click()
    page.get_by_label("Reason").fill("Uploads the results of others.")
    page.get_by_role("button", name="Block").click()
    expect(page.get_by_role("status")).to_have_text("mallory is blocked.")
    assert "is blocked: Uploads the results of others." in manage(server.data, "sign_in_link", "--user", "mallory").stderr
    page.get_by_role("button", name="Unblock mallory").click()
    expect(page.get_by_role("status")).to_contain_text("the block is removed")

    page.get_by_role("link", name="Audit log").click()
    first = page.get_by_role("group", name="Audit log").locator("tbody tr")
    expect(first.nth(0)).to_contain_text("unblock")
    expect(first.nth(1)).to_contain_text("Uploads the results of others.")


@pytest.mark.parametrize("theme", ["light", "dark"])
def it_can_be_read_by_all_and_on_a_phone(signed_in, theme):
    signed_in.emulate_media(color_scheme=theme)
    signed_in.set_viewport_size({"width": 390, "height": 844})
    for address in PAGES:
        signed_in.goto(address, wait_until="networkidle")
        assert signed_in.evaluate("document.documentElement.scrollWidth") <= 390, address
        assert complaints(signed_in) == [], address
