"""Tokens in the browser: made, copied, used, revoked."""

from __future__ import annotations

import re
import urllib.error
import urllib.request

import pytest


def ask(base_url: str, token: str) -> int:
    request = urllib.request.Request(f"{base_url}/api/v1/archives?mine=true", headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize("width", [390, 1280])
def it_makes_a_token_that_works_until_it_is_revoked(signed_in, base_url, width):
    signed_in.set_viewport_size({"width": width, "height": 844})
    signed_in.goto("/")
    signed_in.get_by_role("link", name="Tokens").click()
    name = f"nightly {width}"
    signed_in.get_by_label("Name").fill(name)
    signed_in.get_by_role("button", name="Make a token").click()
    token = signed_in.locator("[data-token]").inner_text()
    assert re.fullmatch(r"poolmark_[\w-]{43}", token)
    assert signed_in.evaluate("document.documentElement.scrollWidth") <= width
    assert ask(base_url, token) == 200
    signed_in.goto("/settings/tokens")
    assert token not in signed_in.content()
    signed_in.get_by_role("button", name=f"Revoke {name}").click()
    signed_in.get_by_text(f"The token {name} is revoked.").wait_for()
    assert ask(base_url, token) == 401
