"""Ten tasks of people who have never seen the site, with all that is shipped: how many clicks each takes, at most five.

Following a link, pressing a button or a key and choosing from a list are a click each; so is filling in a field, however long the
text. Each task begins on the home page.
"""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from webapp.tests.browser.conftest import CONTEXT, LINE, sign_in_links
from webapp.tests.browser.test_whole_job import until
from webapp.tests.serving import Server

MOST = 5
DRAWN = "document.querySelector('canvas[data-figure]')?.chart"
HOSTS = {"alpha": 1, "beta": 2}


CLICKS = {1: 4, 2: 4, 3: 5, 4: 5, 5: 4, 6: 3, 7: 2, 8: 4, 9: 5, 10: 4}
"""Task -> clicks."""


class Person:
    """Somebody at the site: does one thing at a time, and counts."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks, self.way = page, 0, []
        page.goto("/", wait_until="networkidle")

    def _count(self, what: str) -> None:
        self.clicks += 1
        self.way.append(what)

    def click(self, target: Locator, **how) -> None:
        self._count(target.inner_text().strip()[:40] or "the figure")
        target.click(**how)
        self.page.wait_for_load_state()

    def fill(self, target: Locator, text: str) -> None:
        target.fill(text)
        self._count(f"type “{text}”")

    def choose(self, target: Locator, label: str) -> None:
        target.select_option(label=label)
        self._count(f"choose “{label}”")

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self._count(key)
        self.page.wait_for_load_state()

    def link(self, name: str | re.Pattern) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=isinstance(name, str)).first)

    def button(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=True).first)

    def search(self, words: str) -> None:
        self.fill(self.page.get_by_label("Find results like yours"), words)
        self.press("Enter")
        self.page.wait_for_url("**/compare?**")

    def finish(self, task: int) -> None:
        print(f"task {task}: {self.clicks} clicks: {' > '.join(self.way)}")
        assert self.clicks <= MOST
        assert self.clicks == CLICKS[task]


@pytest.fixture(scope="module")
def links(shipped: Server) -> Iterator[str]:
    return sign_in_links(shipped)


@pytest.fixture
def address(shipped: Server) -> str:
    """Where the shipped studies are; `base_url` is the other modules' server."""
    return f"http://127.0.0.1:{shipped.port}"


@pytest.fixture
def page(browser: Browser, address: str, request) -> Iterator[Page]:
    context = browser.new_context(base_url=address, reduced_motion="reduce", **getattr(request.cls, "DEVICE", {}))
    yield context.new_page()
    context.close()


@pytest.fixture
def person(page: Page) -> Person:
    return Person(page)


def signed_in(page: Page, links: Iterator[str]) -> None:
    page.goto(next(links))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/")


@pytest.fixture
def owner(page: Page, links: Iterator[str], request, tmp_path: Path) -> Person:
    """The owner, who has an archive of two hosts `mine-TEST.tar.gz`; one of its labels is wrong."""
    signed_in(page, links)
    page.goto("/upload")
    page.set_input_files("#files", str(two_hosts(tmp_path / f"mine-{request.node.name}.tar.gz")))
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("link", name="Compare these")).to_be_visible()
    return Person(page)


def two_hosts(target: Path) -> Path:
    """Each host ran three compressions three times, as the shipped study of ZFS did; the seed of its numbers is the file's name."""
    with tarfile.open(target, "w:gz") as tar:
        for host, factor in HOSTS.items():
            lines = []
            for compression, ratio in {"off": 1.0, "lz4": 1.5, "gzip-9": 0.4}.items():
                for again in range(3):
                    write = int(99_328 * factor * ratio) + 1000 * again + len(target.name)
                    lines.append(f"atime=off dedup=off compression={compression}")
                    lines.append(
                        LINE.format(write=write, rewrite=write // 2, read=write * 2)
                        .replace("vm,", f"{host},")
                        .replace("2G", "256M")
                    )
            texts = {"bench.csv": "\n".join(lines) + "\n", "uname-a.txt": CONTEXT["uname-a.txt"].replace("vm", host)}
            for name, text in texts.items():
                entry = tarfile.TarInfo(f"mine/{host}/{name}")
                entry.size = len(text.encode())
                tar.addfile(entry, io.BytesIO(text.encode()))
    return target


def open_mine(owner: Person) -> None:
    owner.link("Archives")
    owner.link(re.compile("^mine-"))
    owner.page.wait_for_url(re.compile(r"/archives/\d+$"))


def review_mine(owner: Person) -> None:
    owner.link("Archives")
    owner.link(re.compile("^Review and publish mine-"))
    owner.page.wait_for_url(re.compile(r"/archives/\d+/review$"))


def read_again(page: Page) -> None:
    """Wait until what was saved is in the review."""
    expect(page.get_by_text("a value entered by hand").first).to_be_visible()


def test_1_was_zfs_lz4_faster_than_off_anywhere(person: Person):
    person.search("zfs lz4 off")
    expect(person.page.locator("#sentence")).to_contain_text(re.compile(r"lz4 took 4\.\d\s% longer than off on zfs"))
    person.click(person.page.locator(".found-in summary"))
    person.link("Extract, elapsed time")
    expect(person.page.locator("#sentence")).to_contain_text(re.compile(r"lz4 took \d+\s% less time than off on zfs"))
    expect(person.page.locator("#compare-title")).to_contain_text("Extract, elapsed time")
    person.finish(1)


def test_2_compare_mine_with_the_study(owner: Person):
    open_mine(owner)
    owner.choose(owner.page.get_by_label("Compare with"), "Compression and deduplication in a small ZFS pool")
    owner.button("Draw both")
    until(owner.page, DRAWN)
    values = owner.page.locator(".figure-table tbody tr").all_inner_texts()
    assert any("archive" in row for row in values) and any("others" in row for row in values)
    owner.finish(2)


def test_3_enter_the_memory_of_two_hosts(owner: Person):
    review_mine(owner)
    for host, memory in (("alpha", "16 GiB"), ("beta", "64 GiB")):
        owner.fill(owner.page.get_by_label(f"Memory of {host}"), memory)
    owner.button("Save for these hosts")
    read_again(owner.page)
    entered = owner.page.get_by_role("group", name="Values entered by hand").locator("tbody tr").all_inner_texts()
    assert sorted(re.findall(r"(\d+ GiB)\s+(?:mine/)(\w+)", " ".join(entered))) == [("16 GiB", "alpha"), ("64 GiB", "beta")]
    owner.finish(3)


def test_4_get_a_pdf_for_a_two_column_paper(page: Page, links: Iterator[str]):
    signed_in(page, links)
    person = Person(page)
    person.link("Compare")
    person.button("Freeze")
    person.click(page.locator("#freeze form button"))
    page.wait_for_url("**/p/*")
    person.button("Cite and download")
    expect(page.get_by_text("85 mm is one column of a two-column paper")).to_be_visible()
    with page.expect_download() as got:
        person.click(page.get_by_role("link", name="85 mm", exact=True).first)
    assert Path(got.value.path()).read_bytes().startswith(b"%PDF")
    person.finish(4)


def test_5_share_a_link_that_shows_what_i_see(person: Person, browser: Browser, address: str):
    person.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    person.link("Compare")
    person.click(person.page.locator("#menu-x-now"))
    person.link("compression")
    expect(person.page.locator("#compare-title")).to_contain_text("per compression")
    person.button("Copy link")
    other = browser.new_context(base_url=address).new_page()
    other.goto(person.page.evaluate("navigator.clipboard.readText()"))
    for part in ("#compare-title", "#sentence", ".figure-table"):
        assert other.locator(part).first.inner_text() == person.page.locator(part).first.inner_text()
    other.context.close()
    person.finish(5)


def test_6_find_all_freebsd_results(person: Person):
    person.search("FreeBSD")
    expect(person.page.locator(".found-in")).to_contain_text("is in 11 metrics")
    person.click(person.page.locator(".found-in").get_by_role("link", name="configurations"))
    rows = person.page.locator("main tbody tr").all_inner_texts()
    assert rows and all("FreeBSD" in row for row in rows)
    person.finish(6)


def test_7_see_the_raw_line_of_a_bar(person: Person):
    until(person.page, f"{DRAWN} && document.querySelector('canvas[data-figure]').state.marks.length")
    canvas = person.page.locator("canvas[data-figure]")
    left, top, width, height = person.page.evaluate("document.querySelector('canvas[data-figure]').state.marks[0].box")
    person.click(canvas, position={"x": left + width / 2, "y": top + height / 2})
    value = person.page.locator("[data-reading] a").first
    shown = float(value.inner_text())
    person.click(value)
    person.page.wait_for_url(re.compile(r"/raw/.*#L\d+$"))
    line = person.page.locator(f"#L{person.page.url.rsplit('#L', 1)[1]}")
    expect(line).to_be_in_viewport()
    # As the file has it, in the unit of the figure or in KiB; the figure shows three digits.
    numbers = [float(number) for number in re.findall(r"(?<![\d.])\d+(?:\.\d+)?", line.inner_text())]
    assert any(f"{number / unit:.3g}" == f"{shown:.3g}" for number in numbers for unit in (1, 1024))
    person.finish(7)


def test_8_delete_mine(owner: Person):
    open_mine(owner)
    address = owner.page.url
    owner.link("Delete")
    owner.button("Delete")
    owner.page.wait_for_url(re.compile(r"/archives(\?|$)"))
    assert owner.page.request.get(address).status == 404
    owner.finish(8)


def test_9_fix_a_wrong_label(owner: Person):
    review_mine(owner)
    wrong = owner.page.get_by_role("group", name="Configurations").locator("tr").filter(has_text="alpha").filter(has_text="gzip-9")
    owner.click(wrong.get_by_role("link", name="Correct"))
    owner.fill(owner.page.get_by_label("Compression", exact=True), "gzip-6")
    owner.button("Save")
    read_again(owner.page)
    configurations = owner.page.get_by_role("group", name="Configurations").locator("tbody tr").all_inner_texts()
    assert sorted(re.findall(r"alpha\s+(\S+)", "\n".join(configurations))) == ["gzip-6", "lz4", "off"]
    owner.finish(9)


class TestOnAPhone:
    DEVICE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

    def test_10_read_it_on_a_phone(self, person: Person):
        """From the home page to a figure, its claim, another axis and a raw line: nothing scrolls sideways, nothing is tiny."""
        person.link("Compare")
        until(person.page, DRAWN)
        assert_readable(person.page)
        expect(person.page.locator("#sentence")).to_be_visible()
        person.click(person.page.locator("#menu-x-now"))
        person.link("compression")
        expect(person.page.locator("#compare-title")).to_contain_text("per compression")
        assert_readable(person.page)
        person.click(person.page.locator(".figure-table .values a").first)
        person.page.wait_for_url(re.compile(r"/raw/.*#L\d+$"))
        assert_readable(person.page)
        person.finish(10)
        person.page.go_back()
        person.click(person.page.locator("#to-choices"))
        expect(person.page.locator("#choices")).to_be_visible()
        assert_readable(person.page)
        person.button("Done")


def assert_readable(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    smallest = """Math.min(...[...document.querySelectorAll('main p, main td, main li, main label')]
        .filter(one => one.checkVisibility() && one.innerText).map(one => parseFloat(getComputedStyle(one).fontSize)))"""
    assert page.evaluate(smallest) >= 12
