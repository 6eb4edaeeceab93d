"""Six smoke tests in Firefox, driven over WebDriver BiDi."""

from __future__ import annotations

import os
import shutil

import pytest

from ingest.tests.tools import needed
from webapp.tests.browser.conftest import sign_in_links
from webapp.tests.browser.firefox import Firefox
from webapp.tests.serving import Server

pytestmark = pytest.mark.slow
FIGURE = "/compare?metric=write.throughput&x=compression&study=zfs-compression"
CANVAS = "document.querySelector('canvas[data-figure]')"


@pytest.fixture(scope="module")
def program() -> str:
    """Debian's Firefox, or that of FIREFOX."""
    if "FIREFOX" not in os.environ:
        needed("firefox-esr")
    return os.environ.get("FIREFOX") or shutil.which("firefox-esr") or ""


@pytest.fixture(scope="module")
def firefox(program):
    opened = Firefox(program)
    yield opened
    opened.close()


def it_shows_the_home_page(firefox: Firefox, base_url: str):
    firefox.goto(base_url)
    assert firefox.run("document.querySelector('h1').textContent.length > 10")
    assert firefox.run("[...document.querySelectorAll('a')].some((a) => a.getAttribute('href') === '/upload')")
    assert firefox.run("document.documentElement.scrollWidth <= innerWidth")


def it_draws_a_figure_and_reads_it_by_pointer_and_keyboard(firefox: Firefox, base_url: str):
    firefox.goto(base_url + FIGURE)
    firefox.wait_for(f"{CANVAS}?.state?.marks?.length > 1")
    firefox.run(f"{CANVAS}.scrollIntoView({{block: 'center'}})")
    place = f"(({CANVAS}).getBoundingClientRect())"
    mark = f"({CANVAS}).state.marks[0].box"
    x, y = (
        int(firefox.run(f"Math.round({place}.{edge} + {mark}[{at}] + {mark}[{at + 2}] / 2)"))
        for edge, at in (("left", 0), ("top", 1))
    )
    firefox.move_to(x, y)
    assert "MiB/s" in firefox.wait_for("document.querySelector('.figure-tip:not([hidden])')?.textContent")
    firefox.run(f"{CANVAS}.focus()")
    firefox.press("\ue014")  # the right arrow
    first = firefox.wait_for("document.querySelector('[data-reading]').textContent")
    firefox.press("\ue014")
    assert firefox.wait_for(f"document.querySelector('[data-reading]').textContent !== {first!r}")


def it_filters_a_comparison(firefox: Firefox, base_url: str):
    firefox.goto(base_url + FIGURE)
    firefox.wait_for(f"{CANVAS}?.state?.marks?.length > 1")
    firefox.run("document.querySelector('#axis-x').value = 'dedup'")
    firefox.run("document.querySelector('#axis-x').dispatchEvent(new Event('change', {bubbles: true}))")
    assert firefox.wait_for("location.search.includes('x=dedup')")
    assert firefox.wait_for("document.querySelector('.figure-table tbody th')?.textContent.match(/^(on|off)$/)?.[0]")


def it_takes_an_upload_to_its_review(firefox: Firefox, base_url: str, server: Server, upload_me):
    firefox.goto(base_url + next(sign_in_links(server)))
    firefox.click("main form button")
    firefox.wait_for("location.pathname === '/'")
    firefox.goto(f"{base_url}/upload")
    firefox.choose_file("#files", upload_me)
    firefox.wait_for("document.querySelector('#files').files.length === 1 || location.pathname.startsWith('/archives/')")
    firefox.run("location.pathname === '/upload' && document.querySelector('main form button').click()")
    firefox.wait_for("/^.archives.\\d+$/.test(location.pathname)")
    firefox.wait_for(
        "[...document.querySelectorAll('a')].find((a) => a.textContent.trim() === 'Review and publish')?.click() ?? true"
    )
    firefox.wait_for("[...document.querySelectorAll('a')].some((a) => a.pathname.endsWith('/review'))")
    firefox.goto(
        firefox.run("location.origin + [...document.querySelectorAll('a')].find((a) => a.pathname.endsWith('/review')).pathname")
    )
    assert firefox.run("document.querySelector('main').textContent.includes('bench.csv')")


def it_shows_a_permalink_whose_files_can_be_had(firefox: Firefox, frozen: str):
    firefox.goto(frozen)
    assert firefox.run("/[0-9a-f]{64}/.test(document.body.textContent)")
    assert firefox.wait_for(f"fetch({frozen!r} + '.json').then((answer) => answer.status)") == 200


def it_shows_and_filters_without_javascript(program: str, base_url: str):
    plain = Firefox(program, {"javascript.enabled": False})
    try:
        plain.goto(base_url + FIGURE)
        (picture,) = plain.find("figure noscript img")
        assert picture["value"]["attributes"]["src"].startswith("/compare.svg?")
        assert not plain.find("figure canvas[width]")  # no script has touched it
        every = len(plain.find(".figure-table tbody tr"))
        plain.goto(f"{base_url}{FIGURE}&compression=off&compression=gzip-6")
        assert len(plain.find(".figure-table tbody tr")) == 2 < every
        assert len(plain.screenshot()) > 10_000
    finally:
        plain.close()
