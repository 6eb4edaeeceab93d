"""The comparison page's links, table and numbers: addresses after each, and one value the same in all four places."""

from __future__ import annotations

import csv
import io
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from webapp.tests.browser.test_compare_controls import AXIS, METRIC, OF, START, TOOL, arrived, more, start, unfolded
from webapp.tests.browser.test_whole_job import bars, cells, until
from webapp.tests.browser.three_systems import kib_per_second

pytestmark = pytest.mark.usefixtures("three_systems")
LINKS = [
    ("per CPU", METRIC + "&x=cpu&sort=value" + TOOL + OF),
    ("Rewrite, throughput", "metric=rewrite.throughput" + AXIS + TOOL + OF),
    ("iozone surface", METRIC + "&x=record_size&series=file_size&kind=heat&tool=iozone" + OF),
    ("Draw all runs", METRIC + AXIS + "&control=off" + TOOL + OF),
]


@pytest.fixture
def page(lasting_page: Page) -> Page:
    return lasting_page


def shown(page: Page) -> None:
    """Every link: of the menus, of the notes, and of the sheet, which a click beside it would close."""
    page.locator("#compare").evaluate(
        "one => { for (const fold of one.querySelectorAll('.notes, .menu')) { fold.name = ''; fold.open = true } }"
    )


class TestLinks:
    @pytest.mark.parametrize("by", ["mouse", "keyboard"])
    @pytest.mark.parametrize(("name", "query"), LINKS)
    def it_follows_a_link_and_comes_back(self, page: Page, name, query, by):
        start(page)
        shown(page)
        link = page.locator("#compare").get_by_role("link", name=name, exact=True).last
        if not link.is_visible():
            more(page)
        if by == "mouse":
            link.click()
        else:
            link.focus()
            page.keyboard.press("Enter")
        arrived(page, query)
        assert page.evaluate("document.getElementById('compare').contains(document.activeElement)")
        page.go_back()
        arrived(page, START)
        page.go_forward()
        arrived(page, query)

    def it_shows_what_belongs_to_a_step_made_before_the_scripts_ran(self, page: Page):
        log = METRIC + AXIS + "&scale=log" + TOOL + OF
        start(page)
        unfolded(page, "choose-drawing")
        page.locator("#scale").select_option("log")
        arrived(page, log)
        held = []
        page.route(re.compile(r"/app[^/]*\.js"), lambda route: route.continue_() if held else held.append(route))
        page.evaluate("history.back()")
        until(page, f"document.querySelector('.actions a[download]')?.getAttribute('href') === '/compare.csv?{START}'")
        page.evaluate("history.forward()")
        until(page, f"location.search === '?{log}'")
        held[0].continue_()
        arrived(page, log)
        page.unroute_all()

    def it_holds_equal_and_draws_all_again(self, page: Page):
        everything = METRIC + AXIS + "&control=off" + TOOL + OF
        start(page, everything)
        row = page.locator("section[aria-labelledby=differs] tr").filter(has_text="Memory")
        row.get_by_role("link", name="hold equal").click()
        arrived(page, METRIC + AXIS + "&control=off&hold=memory" + TOOL + OF)
        page.locator("#notes > summary").click()
        page.get_by_role("link", name="Draw them again").click()
        arrived(page, everything)

    def it_draws_another_workload(self, page: Page):
        start(page, METRIC + "&x=host" + OF)
        page.locator("#menu-workload-now").click()
        page.locator("#menu-workload a").filter(has_text=re.compile("^dd")).click()
        until(page, "/[?&]tool=dd(&|$)/.test(location.search) && !document.querySelector('.htmx-request')")
        drawn = bars(page)
        # Names that installers give identify no host.
        assert {x for _, x in drawn} == {"unknown (debian)", "unknown (freebsd)", "unknown (omnios)"}
        assert {round(value) for value in drawn.values()} == {round(1024 / 2.6)}

    def it_shows_the_boxes_and_words_of_the_address_after_going_back(self, page: Page):
        start(page)
        unfolded(page, "choose-os")
        page.locator("#os-2").click()
        arrived(page, METRIC + AXIS + TOOL + "&os=FreeBSD" + OF)
        page.locator("#search").fill("lz4")
        page.locator("#search").press("Enter")
        arrived(page, METRIC + AXIS + TOOL + "&os=FreeBSD&q=lz4" + OF)
        page.go_back()
        arrived(page, METRIC + AXIS + TOOL + "&os=FreeBSD" + OF)
        expect(page.locator("#search")).to_have_value("")
        expect(page.locator("#os-2")).to_be_checked()
        page.go_back()
        arrived(page, START)
        expect(page.locator("#os-2")).not_to_be_checked()


class TestTable:
    @pytest.mark.parametrize("by", ["mouse", "keyboard"])
    def it_sorts_by_a_head_in_the_address(self, page: Page, by):
        """What a reload and a shared link show too."""
        start(page)
        for sort, first, way in (("value", "lz4", "descending"), ("-value", "gzip-9", "ascending")):
            head = page.locator(".figure-table thead a.sort").filter(has_text=re.compile("mean|Median"))
            if by == "mouse":
                head.click()
            else:
                head.focus()
                page.keyboard.press("Enter")
            arrived(page, METRIC + AXIS + f"&sort={sort}" + TOOL + OF)
            for _ in "before and after a reload":
                expect(page.locator(".figure-table th[aria-sort]")).to_have_attribute("aria-sort", way)
                expect(page.locator(".figure-table tbody tr > *").first).to_have_text(first, use_inner_text=True)
                page.reload()
                until(page, "document.querySelector('canvas[data-figure]')?.chart")

    @pytest.mark.parametrize("by", ["mouse", "keyboard"])
    def it_copies_its_exact_numbers(self, page: Page, by):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        start(page)
        page.get_by_role("button", name="Download").click()
        button = page.get_by_role("button", name="Copy as TSV")
        if by == "mouse":
            button.click()
        else:
            button.focus()
            page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        rows = list(csv.reader(io.StringIO(page.evaluate("navigator.clipboard.readText()")), delimiter="\t"))
        assert [row[0] for row in rows] == ["Compression", "off", "lz4", "gzip-9"]
        assert [float(row[1]) for row in rows[1:]] == pytest.approx(list(bars(page).values()))


def it_shows_one_value_the_same_on_the_canvas_in_the_table_in_the_csv_and_in_its_line(page: Page):
    """omnios writes with lz4: three repetitions, the middle one of them is what is drawn."""
    start(page, METRIC + AXIS + "&series=host&stat=median" + TOOL + OF)
    middle = kib_per_second("omnios", "lz4")[1]
    drawn = bars(page)["unknown (omnios)", "lz4"]
    row = page.locator(".figure-table tbody tr").filter(has_text="lz4").filter(has_text="omnios")
    table = float(row.locator("td.number").first.get_attribute("title"))
    link = row.locator(".values a").nth(1)
    address = link.get_attribute("href")

    text = page.request.get(page.locator(".actions a[download]").first.get_attribute("href")).text()
    [told] = [one for one in csv.DictReader(io.StringIO(text)) if one["address"] == address]
    assert float(told["group_center"]) == float(told["value"])

    link.click()
    page.wait_for_url(re.compile(re.escape(address)))
    line = page.locator(f"#L{address.rsplit('#L', 1)[1]}")
    expect(line).to_have_class(re.compile("is-picked"))
    raw = int(line.inner_text().split("8192,5,,,")[1].split(",")[0])
    assert drawn == table == float(told["value"]) / 2**20 == raw / 1024 == middle / 1024


class TestWhatGivesNothing:
    def it_has_no_box(self, page: Page):
        start(page, METRIC + AXIS + TOOL + "&memory=10GiB.." + OF)
        unfolded(page, "choose-os")
        labels = page.locator("#choose-os li label").all_inner_texts()
        assert labels and not any(label.startswith("Debian") for label in labels)

    def it_can_be_chosen_by_address_and_taken_back(self, page: Page):
        nothing = METRIC + AXIS + TOOL + "&memory=8589934592&os=FreeBSD" + OF
        page.goto(f"/compare?{nothing}")
        expect(page.get_by_role("heading", name="No run passes these choices")).to_be_visible()
        page.get_by_role("list", name="What is set").get_by_role("link", name="Remove Memory: 8 GiB").click()
        arrived(page, METRIC + AXIS + TOOL + "&os=FreeBSD" + OF)

    def it_names_what_it_does_not_understand_and_keeps_it(self, page: Page):
        start(page, METRIC + AXIS + TOOL + OF + "&compresion=off&memory=abc")
        unknown = page.get_by_role("list", name="Not understood in the address")
        expect(unknown).to_contain_text("compresion=off: no such key; ignored")
        expect(unknown).to_contain_text("memory=abc: a number or a range such as 8GiB..64GiB is expected; ignored")
        more(page)
        page.locator("#axis-series").select_option("os")
        arrived(page, METRIC + AXIS + "&series=os" + TOOL + OF + "&compresion=off&memory=abc")
        unknown.get_by_role("link", name="compression").click()
        until(page, "location.search.includes('&compression=off') && !location.search.includes('compresion')")


def it_keeps_what_is_typed_while_an_answer_is_on_its_way(page: Page):
    start(page)
    held = []
    page.route(re.compile(r"/compare\?.*series=os"), lambda route: held.append(route))
    more(page)
    page.locator("#axis-series").select_option("os")
    until(page, "document.querySelector('.htmx-request')")
    page.locator("#search").press_sequentially("lz4")
    held[0].continue_()
    arrived(page, METRIC + AXIS + "&series=os" + TOOL + OF)
    expect(page.locator("#search")).to_have_value("lz4")
    expect(page.locator("#search")).to_be_focused()
    page.unroute_all()
    page.locator("#search").press("Enter")
    arrived(page, METRIC + AXIS + "&series=os" + TOOL + "&q=lz4" + OF)


def it_shows_that_an_answer_is_on_its_way(page: Page):
    start(page)
    held = []
    page.route(re.compile(r"/compare\?.*series=os"), lambda route: held.append(route))
    more(page)
    page.locator("#axis-series").select_option("os")
    until(page, "document.querySelector('#compare').getAttribute('aria-busy') === 'true'")
    assert page.evaluate("Number(getComputedStyle(document.querySelector('#compare .figure')).opacity)") < 1
    held[0].continue_()
    arrived(page, METRIC + AXIS + "&series=os" + TOOL + OF)
    until(page, "!document.querySelector('#compare').hasAttribute('aria-busy')")
    page.unroute_all()


@pytest.mark.parametrize(("fail", "words"), [("offline", "cannot be reached"), ("fulfill", "error (503)")])
def it_says_that_no_answer_came_and_puts_the_choice_back(page: Page, fail, words):
    start(page)
    before = page.locator("#axis-series").input_value()
    if fail == "offline":
        page.context.set_offline(True)
    else:
        page.route(re.compile(r"/compare\?.*series=os"), lambda route: route.fulfill(status=503, body=""))
    more(page)
    page.locator("#axis-series").select_option("os")
    expect(page.get_by_role("alert")).to_contain_text(words)
    expect(page.locator("#axis-series")).to_have_value(before)
    assert page.locator("#compare .figure").count() and not page.locator("#compare").get_attribute("aria-busy")
    page.unroute_all()
    page.context.set_offline(False)
    more(page)
    page.locator("#axis-series").select_option("os")
    arrived(page, METRIC + AXIS + "&series=os" + TOOL + OF)
    expect(page.get_by_role("alert")).to_have_count(0)


class TestAnAnswerThatComesWhileTheNextChoiceIsMade:
    def it_waits_until_the_pointer_is_let_go(self, page: Page):
        start(page, METRIC + AXIS + "&series=os" + TOOL + OF)
        unfolded(page, "choose-os")
        held = []
        page.route(re.compile(r"/compare\?.*os=Debian"), lambda route: route.continue_() if held else held.append(route))
        page.locator("#os-1").click()
        until(page, "document.querySelector('.htmx-request')")
        page.locator("#os-3").hover()
        page.mouse.down()
        held[0].continue_()
        until(page, "!document.querySelector('.htmx-request')")
        page.mouse.up()
        arrived(page, METRIC + AXIS + "&series=os" + TOOL + "&os=Debian&os=OmniOS" + OF)
        expect(page.locator("#os-1")).to_be_checked()
        expect(page.locator("#os-3")).to_be_checked()

    def it_is_shown_after_a_press_that_chose_nothing(self, page: Page):
        start(page)
        held = []
        page.route(re.compile(r"/compare\?.*series=os"), lambda route: route.continue_() if held else held.append(route))
        more(page)
        page.locator("#axis-series").select_option("os")
        until(page, "document.querySelector('.htmx-request')")
        page.locator("label[for='axis-series']").hover()
        page.mouse.down()
        held[0].continue_()
        until(page, "!document.querySelector('.htmx-request')")
        assert "series=os" not in page.url
        page.mouse.up()
        arrived(page, METRIC + AXIS + "&series=os" + TOOL + OF)

    @pytest.mark.parametrize(("place", "button"), [("#axis-series", 0), ("#search", 2)])
    def it_is_shown_after_a_press_that_opened_a_menu_and_of_whose_end_nobody_tells(self, page: Page, place, button):
        start(page)
        page.locator(place).dispatch_event("pointerdown", {"button": button})
        more(page)
        page.locator("#axis-series").select_option("os")
        arrived(page, METRIC + AXIS + "&series=os" + TOOL + OF)

    def it_gives_way_to_a_choice_of_the_same_moment(self, page: Page):
        start(page, METRIC + AXIS + "&series=os" + TOOL + OF)
        unfolded(page, "choose-os")
        page.evaluate(
            "addEventListener('htmx:beforeSwap', () => document.getElementById('os-3').click(), {capture: true, once: true})"
        )
        page.locator("#os-1").click()
        arrived(page, METRIC + AXIS + "&series=os" + TOOL + "&os=Debian&os=OmniOS" + OF)
        expect(page.locator("#os-3")).to_be_checked()


@pytest.mark.parametrize(
    "query",
    [
        METRIC + "&x=cpu&normalise=euro&price=Xeon+E3110:400" + TOOL + OF,
        METRIC + AXIS + "&baseline=lz4&pool=tool_version&hold=memory" + TOOL + "&compression=lz4" + OF,
        METRIC + "&series=compression" + TOOL + OF,
    ],
)
def it_loses_nothing_of_the_address_by_the_next_choice(page: Page, query):
    page.goto(f"/compare?{query}")
    until(page, "document.querySelector('canvas[data-figure]')?.chart")
    before = dict(part.split("=") for part in page.url.split("?")[1].split("&"))
    unfolded(page, "choose-drawing")
    page.locator("#scale").select_option("log")
    until(page, "location.search.includes('scale=log') && !document.querySelector('.htmx-request')")
    assert dict(part.split("=") for part in page.url.split("?")[1].split("&")) == before | {"scale": "log"}


def it_leaves_only_figure_and_table_on_paper(page: Page):
    page.emulate_media(media="print", color_scheme="dark")
    start(page)
    for gone in (".rail", ".site-head", ".actions", "[data-copy-table]", ".figure-toggles", ".choosing"):
        expect(page.locator(gone).first).to_be_hidden()
    for kept in ("canvas[data-figure]", ".figure-table table", "#compare-title", ".flags", ".caption-line"):
        expect(page.locator(kept).first).to_be_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--ink').trim()") in ("#000", "black")
    # What can only be clicked says nothing on paper.
    assert "hold equal" not in page.locator("main").inner_text()


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize(
    "query",
    [
        METRIC + AXIS + "&series=os&baseline=off" + TOOL + OF,
        METRIC + "&x=os&facet=compression&kind=dots" + TOOL + "&memory=10GiB.." + OF,
    ],
)
def it_fits_every_width_and_axe_complains_of_nothing(page: Page, query, width):
    page.set_viewport_size({"width": width, "height": 800})
    start(page, query)
    more(page)
    page.locator("#choices details").evaluate_all("all => { for (const one of all) one.open = true }")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        found = Axe().run(page).response["violations"]
        assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found] == [], theme


class TestWithoutJavaScript:
    @pytest.fixture
    def browser_context_args(self, browser_context_args):
        return {**browser_context_args, "java_script_enabled": False}

    @pytest.fixture
    def page(self, context):
        return context.new_page()

    def it_gives_the_same_page_by_the_button(self, page: Page, browser, base_url):
        page.goto(f"/compare?{START}")
        more(page)
        page.locator("#axis-series").select_option("os")
        page.locator(".rail-group > summary").filter(has_text="Hardware").click()
        page.locator("#choose-memory > summary").click()
        page.locator("#memory-range").fill("10GiB..")
        page.locator("#search").fill("lz4")
        page.get_by_role("button", name="Show").click()
        page.wait_for_url(re.compile("series=os"))
        scripted = browser.new_context(base_url=base_url)
        other = scripted.new_page()
        start(other)
        more(other)
        other.locator("#axis-series").select_option("os")
        arrived(other, METRIC + AXIS + "&series=os" + TOOL + OF)
        unfolded(other, "choose-memory")
        other.locator("#memory-range").fill("10GiB..")
        other.locator("#memory-range").press("Enter")
        arrived(other, METRIC + AXIS + "&series=os" + TOOL + "&memory=10GiB.." + OF)
        other.locator("#search").fill("lz4")
        other.locator("#search").press("Enter")
        query = METRIC + AXIS + "&series=os" + TOOL + "&memory=10GiB..&q=lz4" + OF
        arrived(other, query)
        assert page.locator(".actions a[download]").first.get_attribute("href") == f"/compare.csv?{query}"
        assert cells(page) == cells(other)
        assert page.locator("h1").inner_text() == other.locator("h1").inner_text()
        scripted.close()
