"""A new user's task: an archive that does not tell its processor; fill it in once, see every run carry it, undo it."""

from __future__ import annotations

import io
import re
import tarfile
from time import monotonic

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from webapp.tests.serving import PATIENCE

DD = (
    "root@pond:~# dd if=/dev/zero of=/tank/f bs=1M count=1024\n1024+0 records in\n1024+0 records out\n"
    "1073741824 bytes (1.1 GB, 1.0 GiB) copied, {} s, 429 MB/s\n"
)
UNAME = "Linux pond 6.1.0-13-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1 (2023-09-29) x86_64 GNU/Linux\n"
RUNS = 6


@pytest.fixture
def no_processor(tmp_path):
    """Two folders of dd, and `uname`, but nothing that tells the processor. The seconds are the test's own."""

    def made(seconds: float):
        target = tmp_path / "pond.tar"
        files = {"uname.txt": UNAME} | {
            f"{name}/dd.txt": "".join(DD.format(seconds + n / 10) for n in range(RUNS // 2)) for name in ("lz4", "off")
        }
        with tarfile.open(target, "w") as tar:
            for name, text in files.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(text)
                tar.addfile(entry, io.BytesIO(text.encode()))
        return target

    return made


def upload(page: Page, path, by_itself: bool = True) -> None:
    page.goto("/upload")
    page.set_input_files("#files", str(path))
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url(re.compile(r"/archives/\d+$"))
    review = page.get_by_role("link", name="Review and publish")
    until_shown(page, review, by_itself)
    review.click()
    page.wait_for_url(re.compile(r"/review$"))


def until_shown(page: Page, wanted: Locator, by_itself: bool) -> None:
    """Wait until the page shows what tells that the archive was read; without JavaScript, look again."""
    end = monotonic() + PATIENCE
    while not by_itself and not wanted.count() and monotonic() < end:
        page.wait_for_timeout(200)
        page.reload()
    expect(wanted).to_be_visible()


def processors(page: Page, runs: list[str]) -> set[str]:
    """What the page of each run says of its processor."""
    found = set()
    for address in runs:
        page.goto(address)
        told = page.locator("dt", has_text=re.compile("^CPU$")).locator("+ dd")
        found.add(told.inner_text() if told.count() else "unknown")
    return found


def runs_of(page: Page) -> list[str]:
    """Addresses of the archive's runs, by the number of runs of each of its configurations."""
    review, addresses = page.url.split("?")[0].split("#")[0], []
    links = page.locator("td.number a[href^='?runs=']").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    for link in links:
        page.goto(review + link)
        addresses += page.locator("#runs td a[href^='/runs/']").evaluate_all("links => links.map(link => link.href)")
    return addresses


def the_task(page: Page, archive, by_itself: bool) -> None:
    upload(page, archive, by_itself)
    review = page.url
    expect(page.get_by_text("lscpu would print CPU and Cores")).to_be_visible()
    runs = runs_of(page)
    assert len(runs) == RUNS and processors(page, runs) == {"unknown"}

    page.goto(review)
    page.get_by_label("CPU", exact=True).fill("Intel(R) Xeon(R) CPU E3110 @ 3.00GHz")
    page.get_by_role("button", name="Show what changes").click()
    expect(page.get_by_text(f"Changes {RUNS} runs on")).to_be_visible()
    expect(page.get_by_label("CPU", exact=True)).to_have_value("Intel(R) Xeon(R) CPU E3110 @ 3.00GHz")
    page.locator("#fill").get_by_role("button", name="Save").click()
    page.wait_for_url(re.compile("/review#stated$"))
    until_shown(page, page.get_by_text(f"{RUNS} runs have a value entered by hand"), by_itself)
    page.goto(review)
    runs = runs_of(page)
    assert len(runs) == RUNS
    assert {text.split()[0:2] == ["Xeon", "E3110"] and text.endswith("stated") for text in processors(page, runs)} == {True}

    page.goto(review)
    page.get_by_role("button", name="Undo CPU").click()
    page.wait_for_url(re.compile("/review#stated$"))
    until_shown(page, page.get_by_text("lscpu would print CPU and Cores"), by_itself)
    page.goto(review)
    runs = runs_of(page)
    assert len(runs) == RUNS and processors(page, runs) == {"unknown"}
    page.goto(review)
    page.locator("summary", has_text="History").click()
    expect(page.get_by_text("undone on")).to_be_visible()


def it_fills_in_once_and_every_run_carries_it_and_undoes_it(signed_in: Page, no_processor):
    the_task(signed_in, no_processor(2.0), by_itself=True)


def it_has_nothing_that_axe_complains_about_and_fits_a_phone(signed_in: Page, no_processor):
    upload(signed_in, no_processor(4.0))
    for theme in ("light", "dark"):
        signed_in.emulate_media(color_scheme=theme)
        found = Axe().run(signed_in).response["violations"]
        assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found] == []
    signed_in.set_viewport_size({"width": 320, "height": 700})
    assert signed_in.evaluate("document.documentElement.scrollWidth") <= 320


class TestWithoutJavaScript:
    @pytest.fixture
    def browser_context_args(self, browser_context_args):
        return {**browser_context_args, "java_script_enabled": False}

    def it_is_the_same_task(self, signed_in: Page, no_processor):
        the_task(signed_in, no_processor(3.0), by_itself=False)
