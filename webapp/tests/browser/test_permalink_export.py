"""The dialog of a permalink and its frame, in a real browser: with and without JavaScript, on a phone, in the dark."""

from __future__ import annotations

import os
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from webapp.tests.browser.test_every_page import complaints
from webapp.tests.serving import manage


def picture(page, name: str) -> None:
    """A picture to look at, where SHOTS names a folder."""
    if os.environ.get("SHOTS"):
        page.screenshot(path=Path(os.environ["SHOTS"]) / f"{name}.png")


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark"), (320, "light")])
def it_opens_a_dialog_that_axe_likes(signed_in, frozen, width, theme):
    page = signed_in
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=theme)
    page.goto(frozen, wait_until="networkidle")
    picture(page, f"page-{width}-{theme}")
    page.get_by_role("button", name="Cite and download").click()
    dialog = page.get_by_role("dialog", name="Cite and download")
    assert dialog.is_visible() and complaints(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture(page, f"dialog-{width}-{theme}")
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


def it_copies_and_downloads(signed_in, frozen, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    signed_in.goto(frozen)
    signed_in.get_by_role("button", name="Cite and download").click()
    signed_in.get_by_role("button", name="Copy the line for LaTeX").click()
    line = signed_in.evaluate("navigator.clipboard.readText()")
    with signed_in.expect_download() as got:
        signed_in.get_by_role("link", name="85 mm", exact=True).first.click()
    assert line == rf"\includegraphics[width=85mm]{{{got.value.suggested_filename}}}"
    assert Path(got.value.path()).read_bytes().startswith(b"%PDF")


def it_works_without_javascript(browser, frozen, base_url):
    page = browser.new_context(java_script_enabled=False, base_url=base_url).new_page()
    page.goto(frozen)
    page.get_by_role("button", name="Cite and download").click()
    assert page.get_by_role("link", name="85 mm", exact=True).first.is_visible()
    page.context.close()


@contextmanager
def another_site(body: str):
    """The address of a page on an origin of its own. Chromium keeps pages that came from nowhere away from this machine."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *told):
            pass

    site = HTTPServer(("127.0.0.1", 0), Page)
    Thread(target=site.serve_forever, daemon=True).start()
    yield f"http://localhost:{site.server_port}/"
    site.shutdown()
    site.server_close()


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (320, "dark")])
def it_can_be_framed_by_another_site(browser, frozen, width, theme):
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme).new_page()
    body = (
        f'<!doctype html><html lang="en"><title>A blog</title><main><h1>A blog</h1><iframe src="{frozen}/embed" '
        f'width="{width - 40}" height="700" title="figure"></iframe><img src="{frozen}.svg?width=85" alt="the same">'
    )
    with another_site(body) as address:
        page.goto(address, wait_until="networkidle")
    frame = page.frame_locator("iframe")
    assert frame.locator("img").evaluate("image => image.naturalWidth") > 200
    assert page.locator("main > img").evaluate("image => image.naturalWidth") > 200
    assert frame.locator("html").evaluate("root => root.scrollWidth - root.clientWidth") <= 0
    assert page.context.cookies() == []
    picture(page, f"embed-{width}-{theme}")
    page.context.close()


FRAMED = {
    "bars": "metric=write.throughput&x=compression",
    "facets": "metric=write.throughput&metric=read.throughput&metric=rewrite.throughput&x=compression",
    "heat map": "metric=write.throughput&x=compression&series=dedup&kind=heat&control=off",
    "many labels": "metric=write.throughput&metric=read.throughput&x=configuration&control=off",
}
FREEZE = """
from urllib.parse import parse_qsl
from django.contrib.auth import get_user_model
from webapp.comparison.selection import parse
from webapp.permalinks import freeze, frozen_addresses
user = get_user_model().objects.order_by("pk").first()
draft = freeze.draft_comparison(parse(parse_qsl({query!r})), user, {title!r}, "")
print(freeze.freeze_draft(draft, user, frozen_addresses.Origin({site!r}, True)).pk)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("kind", FRAMED)
def it_fits_into_the_frame_that_it_gives(browser, server, base_url, kind):
    """At the size that oEmbed and the dialog tell, nothing is cut off and nothing scrolls; at half of it neither,
    unless the figure would be less than 8rem high."""
    title = f"A title of some length, as authors write them, of a figure with {kind} on several machines"
    code = FREEZE.format(query=FRAMED[kind], title=title, site=base_url)
    name = manage(server.data, "shell", "-v", "0", "-c", code).stdout.split()[-1]
    page = browser.new_context().new_page()
    page.goto(f"{base_url}/p/{name}/embed")
    told = page.request.get(f"{base_url}/oembed?url={base_url}/p/{name}").json()
    for share in (1, 0.5):
        page.set_viewport_size({"width": told["width"], "height": round(told["height"] * share)})
        page.goto(f"{base_url}/p/{name}/embed", wait_until="networkidle")
        picture(page, f"frame-{kind}-{share}")
        rest = page.evaluate("innerHeight - document.querySelector('.embed-foot').getBoundingClientRect().bottom")
        least = share < 1 and page.locator("img").bounding_box()["height"] == 128
        assert least or (page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0 and 0 <= rest < 90)
    assert page.locator("img").get_attribute("alt")
    page.goto(f"{base_url}/p/{name}")
    copied = page.locator("[data-copy*='<iframe']").get_attribute("data-copy")
    assert f'height="{told["height"]}"' in copied and title in copied
    image = page.locator("[data-copy*='<img']").get_attribute("data-copy")
    assert 'alt="Sequential' in image
    page.context.close()


def it_is_a_drawing_that_can_be_opened_by_itself(page, frozen):
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.goto(f"{frozen}.svg")
    assert said == [] and page.locator("svg > title").first.text_content() == "Compression of a pool"
    picture(page, "svg")
