"""From a dropped file to a public archive: title, licence, what becomes public; a second tab; bad input; without JavaScript."""

from __future__ import annotations

import io
import random
import re
import tarfile

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from webapp.tests.browser.test_filling_in import until_shown

DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, {} s, {} MB/s\n"
MACHINE = "ann@web01:~$ ip a\n    inet 192.168.1.5/24\nSerial Number: WD-WCC4N1234567\n"


def archive(folder, runs: int = 3):
    """A tar file of its own: nobody has uploaded these seconds."""
    chosen = random.SystemRandom()
    seconds = [chosen.uniform(2, 9) for _ in range(runs)]
    files = {"dd.txt": "".join(DD.format(round(s, 6), round(1073.741824 / s)) for s in seconds), "machine.txt": MACHINE}
    target = folder / f"pond-{chosen.randrange(10**9)}.tar"
    with tarfile.open(target, "w") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
    return target


def upload(page: Page, path) -> str:
    page.goto("/upload")
    page.set_input_files("#files", str(path))
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url(re.compile(r"/archives/\d+$"))
    return page.url


def publish(page: Page, by_itself: bool) -> None:
    """From the archive's page over the review, with a licence."""
    until_shown(page, page.get_by_role("link", name="Review and publish"), by_itself)
    page.get_by_role("link", name="Review and publish").click()
    page.wait_for_url(re.compile(r"/review$"))
    page.get_by_role("link", name="Publish", exact=True).click()
    page.wait_for_url(re.compile(r"/publish$"))
    expect(page.get_by_text("192.168.1.5")).to_be_visible()
    page.get_by_role("link", name="machine.txt:2").first.wait_for()
    page.get_by_role("radio", name="CC BY 4.0").check()
    page.get_by_role("button", name="Publish", exact=True).click()


@pytest.mark.parametrize("by_itself", [True, False], ids=["with JavaScript", "without JavaScript"])
def it_publishes_with_a_licence_and_a_second_tab_says_so(browser: Browser, base_url, sign_in, tmp_path, by_itself):
    context = browser.new_context(base_url=base_url, java_script_enabled=by_itself)
    page = sign_in(context.new_page())
    there = upload(page, archive(tmp_path))
    until_shown(page, page.get_by_role("link", name="Review and publish"), by_itself)
    second = context.new_page()
    second.goto(f"{there}/publish")
    publish(page, by_itself)
    expect(page.get_by_text("is public under CC BY 4.0.")).to_be_visible()
    expect(page.get_by_role("link", name="Unpublish")).to_be_visible()
    expect(page.locator("dl.facts").get_by_role("link", name="CC BY 4.0")).to_be_visible()
    second.get_by_role("radio", name="CC0 1.0").check()
    second.get_by_role("button", name="Publish", exact=True).click()
    expect(second.get_by_text("Nothing was changed: it is public since")).to_be_visible()
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def it_can_be_read_by_everyone(signed_in: Page, tmp_path, width, theme):
    signed_in.emulate_media(color_scheme=theme)
    signed_in.set_viewport_size({"width": width, "height": 844})
    there = upload(signed_in, archive(tmp_path))
    until_shown(signed_in, signed_in.get_by_role("link", name="Review and publish"), True)
    signed_in.goto(f"{there}/publish", wait_until="networkidle")
    assert not Axe().run(signed_in).response["violations"]
    assert signed_in.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")


def it_says_what_is_wrong_with_a_picture(signed_in: Page, tmp_path):
    picture = tmp_path / "chart.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + random.SystemRandom().randbytes(60))
    upload(signed_in, picture)
    expect(signed_in.locator(".empty")).to_contain_text("This is a picture (PNG): numbers in pictures are not read.")
    assert signed_in.get_by_role("link", name="Publish", exact=True).get_attribute("class") == "button"


def it_keeps_what_is_typed_when_the_archive_is_read(signed_in: Page, tmp_path):
    held = []

    def hold(route):
        """The page asks how far the reading is: no answer before the title is typed."""
        if route.request.headers.get("hx-request") and "typed=1" not in route.request.url:
            held.append(route.request.url)
            route.fulfill(status=204)
        else:
            route.continue_()

    signed_in.route(re.compile(r"/archives/\d+(\?.*)?$"), hold)
    upload(signed_in, archive(tmp_path, runs=4000))
    signed_in.locator("#title").fill("A pond")
    signed_in.get_by_role("button", name="Save and review").click(timeout=60_000)
    signed_in.wait_for_url(re.compile(r"/review$"))
    expect(signed_in.locator("#title")).to_have_value("A pond")
