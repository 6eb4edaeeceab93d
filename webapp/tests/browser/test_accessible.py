"""Every address that a person can meet, in both themes and two widths, at 200 % and 400 % zoom, by finger and in forced colours."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from django.urls import get_resolver
from playwright.sync_api import Page, expect

from webapp.tests.browser.test_every_page import PAGES, complaints
from webapp.tests.browser.test_whole_job import until

TOUCH = 44
FIGURE = "/compare?metric=write.throughput&x=compression"
OWNERS = [
    "/upload",
    "/archives/1/review",
    "/archives/1/publish",
    "/settings/tokens",
    "/settings/webhooks",
    "/archives/1/unpublish",
    "/archives/1/withdraw",
    "/archives/1/delete",
    "/archives/1/withdraw/file/rep1/bench.csv",
    "/permalinks",
    "/collections/new",
    "/staff/archives",
    "/staff/users",
    "/staff/blocks",
    "/staff/audit",
    "/staff/block?archive=1",
]
READERS = [
    *PAGES,
    "/compare?x=compression&series=os",
    "/compare?metric=no.such",
    "/rankings/write.throughput",
    "/compare/values?dimension=compression&metric=write.throughput",
    "/archives/1/notes/disagree",
    "/archives/1/readings",
    "/log",
    "/models/raidz",
    "/series",
    "/series?run=1",
    "/series/distribution",
    "/series/distribution?run=1",
    "/data",
    "/status",
    "/compare/arrange?metric=write.throughput&x=compression",
    "/verify",
]
OF_PERMALINK = ["", "/history"]
ELSEWHERE = {
    "archive-deleted": "a page of its own in test_history",
    "collection": "test_collections",
    "collection-doi": "test_collections",
    "permalink-doi": "test_permalink_export",
    "permalink-embed": "shown inside of other pages: test_permalink_export",
    "sign-in-link": "test_whole_job",
    "archive-withdraw-value": "the form of archive-withdraw-file",
    "archive-raw-named": "the page of archive-raw",
    "archive-withdraw-file-named": "the page of archive-withdraw-file",
    "staff": "leads to staff-archives",
    "staff-unpublish-all": "the form of archive-unpublish",
    "run-series": "leads to series",
    "archive-series": "leads to series",
    "permalink-files": "a part of the permalink's page",
    "permalink-live": "leads to compare",
    "difference": "leads to versus",
    "webhook": "test_webhooks",
    "archive-table": "a form in webapp/archives/tests/test_takes.py",
}
"""Pages that are looked at in other tests, or that look like one that is here."""
POSTED = re.compile(
    r"freeze|-again|-details|-state|-numbered|-take|-join|-undo|-restore|-reread|-unwithdraw|-accept|-unaccept|-revoke|unblock|sign-out|archive-block|webhook-"
)
FILES = re.compile(
    r"json|csv|svg|png|pdf|bib|ris|csl|zip|tex|datacite|zenodo|cite|oembed|download|robots|llms|sitemap|atom|healthz|-pdf|cff|codemeta"
    r"|capture-kit|data-file|data-latest|xlsx|script|vega|caption|metrics|readyz|permalink-figure"
)


@pytest.fixture
def page(lasting_page: Page) -> Page:
    return lasting_page


def test_every_page_of_the_site_is_looked_at():
    """Each URL pattern is opened here or in a test that is named; the others take forms or give files."""
    opened = {*READERS, *OWNERS, *(f"/p/2222222222{end}" for end in OF_PERMALINK)}
    resolver = get_resolver()
    reached = {resolver.resolve(address.split("?")[0]).url_name for address in opened if address != "/no-such-page"}
    names = {pattern.name for pattern in resolver.url_patterns if getattr(pattern, "name", "")}  # the API has none
    missing = {name for name in names - reached - ELSEWHERE.keys() if not POSTED.search(name) and not FILES.search(name)}
    assert missing == set()


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_complains_of_nothing(page: Page, sign_in, frozen, width, theme):
    """For readers, then for the owner."""
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=theme)
    found = {}
    for address in (*READERS, *(frozen + end for end in OF_PERMALINK)):
        page.goto(address)
        found[address] = complaints(page)
    sign_in(page)
    for address in OWNERS:
        page.goto(address)
        found[address] = complaints(page)
    assert {address: said for address, said in found.items() if said} == {}


@pytest.mark.parametrize("width", [640, 320], ids=["200 % of 1280", "400 % of 1280"])
def test_zoomed_in_nothing_is_cut(page: Page, sign_in, frozen, width):
    """A page is never wider than the window; only tables and lines of files scroll, in boxes of their own."""
    sign_in(page)
    page.set_viewport_size({"width": width, "height": 700})
    wide = {}
    for address in (*READERS, *OWNERS, *(frozen + end for end in OF_PERMALINK)):
        page.goto(address)
        wide[address] = page.evaluate("document.documentElement.scrollWidth")
    assert {address: found for address, found in wide.items() if found > width} == {}


@pytest.mark.parametrize("width", [320, 390])
def test_the_navigation_of_who_is_signed_in_wraps(page: Page, sign_in, width):
    """Every entry is in the window, Sign out too."""
    sign_in(page)
    page.set_viewport_size({"width": width, "height": 844})
    page.goto("/archives")
    edges = page.locator(".site-nav li").evaluate_all("all => all.map(one => one.getBoundingClientRect().right)")
    assert len(edges) >= 6 and max(edges) <= width


def test_a_finger_hits_what_stands_alone(page: Page, sign_in, frozen):
    sign_in(page)
    page.set_viewport_size({"width": 390, "height": 844})
    small = {}
    for address in (*READERS, *OWNERS, *(frozen + end for end in OF_PERMALINK)):
        page.goto(address)
        small[address] = page.evaluate(
            """least => [...document.querySelectorAll("button, .button, select, summary, .site-nav a, .pagination a, "
                + "main h2 > a:only-child, input:not([type=checkbox], [type=radio], [type=range], [type=hidden])")].filter(one =>
                one.checkVisibility() && !one.closest('table, .visually-hidden')
                && one.getBoundingClientRect().height < least - 0.5).map(one => one.outerHTML.slice(0, 120))""",
            TOUCH,
        )
    assert {address: found for address, found in small.items() if found} == {}


def test_forced_colours_leave_marks_buttons_and_focus_visible(page: Page):
    page.emulate_media(forced_colors="active")
    page.goto("/compare?x=compression&os=Debian&q=zfs")
    until(page, "document.querySelector('canvas[data-figure]')?.chart")
    edges = page.evaluate(
        """[...document.querySelectorAll('main button, main .button, .badge, .chip, .chosen a:not(.chosen-reset)')]
            .filter(one => one.checkVisibility() && !one.matches('.visually-hidden, .button-link, .sort'))
            .map(one => getComputedStyle(one).borderTopWidth)"""
    )
    assert edges and all(edge != "0px" for edge in edges)
    expect(page.locator(".chip, .chosen a")).not_to_have_count(0)
    page.locator("canvas[data-figure]").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    inked = page.evaluate(
        """(() => { const canvas = document.querySelector('canvas[data-figure]'), all = canvas.getContext('2d')
            .getImageData(0, 0, canvas.width, canvas.height).data; const colours = new Set();
            for (let at = 0; at < all.length; at += 4) if (all[at + 3] > 200) colours.add(all[at] >> 5 | all[at + 1] >> 5 << 3);
            return colours.size; })()"""
    )
    assert inked >= 2


def test_reduced_motion_moves_nothing(page: Page):
    page.emulate_media(reduced_motion="reduce")
    page.goto("/compare")
    assert page.evaluate(
        """[...document.querySelectorAll('*')].every(one => { const style = getComputedStyle(one);
            return parseFloat(style.transitionDuration) === 0 && parseFloat(style.animationDuration) === 0; })"""
    )


@pytest.mark.parametrize("address", ["/", FIGURE, "/archives/1", "/studies/zfs-compression"])
def test_a_screen_reader_finds_its_way(page: Page, address: str):
    """Landmarks once each, headings without a gap, a figure with a summary in words and the same numbers in a table."""
    page.goto(address, wait_until="networkidle")
    for landmark in ("banner", "main", "contentinfo"):
        expect(page.get_by_role(landmark)).to_have_count(1)
    levels = page.locator("h1, h2, h3, h4").evaluate_all("all => all.filter(o => o.checkVisibility()).map(o => +o.tagName[1])")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    named = page.get_by_role("navigation").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert len(named) == len(set(named)) and all(named)
    for figure in page.locator("canvas[data-figure]").all():
        assert re.search(r": .+ \d", figure.get_attribute("aria-label") or "")
        assert figure.get_attribute("role") == "img"
    if address == FIGURE:
        expect(
            page.locator(".figure-table caption, .figure-table[aria-label], [aria-label] > .figure-table").first
        ).to_be_attached()
        expect(page.locator("[data-reading]").first).to_have_attribute("aria-live", "polite")


class TestWithoutJavaScript:
    """Figures are pictures of the server, filters and lists are forms; upload is in test_filling_in."""

    @pytest.fixture
    def page(self, browser, base_url):
        context = browser.new_context(base_url=base_url, java_script_enabled=False)
        yield context.new_page()
        context.close()

    def test_a_filter_changes_the_picture(self, page: Page):
        page.goto("/compare?metric=write.throughput&x=compression&study=zfs-compression")
        before = assert_drawn(page)
        page.locator("#to-choices").click()
        page.locator("#axis-x").select_option("dedup")
        page.get_by_role("button", name="Show").last.click()
        page.wait_for_url(re.compile("x=dedup"))
        assert assert_drawn(page) != before

    def test_a_permalink_has_its_picture_and_table(self, page: Page, frozen: str):
        page.goto(frozen)
        assert_drawn(page)
        expect(page.locator("main table tbody tr").first).to_be_visible()

    def test_a_list_is_searched_and_filtered(self, page: Page):
        page.goto("/configurations")
        page.get_by_label("Search", exact=True).fill("gzip-9")
        page.get_by_role("button", name="Search").click()
        rows = page.locator("main tbody tr").all_inner_texts()
        assert rows and all("gzip-9" in row for row in rows)

    @pytest.mark.parametrize(
        ("address", "label", "value"), [("/configurations", "Compression", "lzjb"), ("/runs", "Compression", "lzjb")]
    )
    def test_a_facet_narrows_a_list(self, page: Page, address: str, label: str, value: str):
        page.goto(address)
        every = page.locator("main tbody tr").count()
        if not page.get_by_label(label, exact=True).is_visible():
            page.locator(".list-fold summary").click()
        page.get_by_label(label, exact=True).select_option(value)
        page.get_by_role("button", name="Apply").click()
        page.wait_for_url(re.compile(f"compression={value}"))
        assert 0 < page.locator("main tbody tr").count() < every

    def test_the_model_of_layouts_is_calculated(self, page: Page):
        page.goto("/models/raidz")
        page.get_by_label("Disks", exact=True).fill("24")
        page.get_by_role("button", name="Calculate").click()
        expect(page.get_by_role("heading", name="The 24 disks in each layout")).to_be_visible()
        expect(page.locator("main svg, main figure img").first).to_be_visible()


def assert_drawn(page: Page) -> str:
    """The address of the first figure's picture, which has arrived."""
    picture = page.locator("figure img.figure-picture, main figure img, main noscript img").first
    picture.scroll_into_view_if_needed()
    expect(picture).to_be_visible()
    address = picture.get_attribute("src") or ""
    answer = page.request.get(address)
    assert answer.status == 200 and (b"<svg" in answer.body()[:200] or answer.body().startswith(b"\x89PNG"))
    return address
