"""Every control of the comparison page, by mouse and by keyboard: the address after each step, and where focus stands."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from webapp.tests.browser.test_whole_job import bars, until
from webapp.tests.browser.three_systems import STUDY

pytestmark = pytest.mark.usefixtures("three_systems")

METRIC, AXIS, TOOL, OF = "metric=write.throughput", "&x=compression", "&tool=bonnie%2B%2B", f"&study={STUDY}"
START = METRIC + AXIS + TOOL + OF
SELECTS = [
    ("kind", "dots", METRIC + AXIS + "&kind=dots" + TOOL + OF),
    ("axis-x", "os", METRIC + "&x=os" + TOOL + OF),
    ("axis-series", "os", METRIC + AXIS + "&series=os" + TOOL + OF),
    ("axis-facet", "cpu", METRIC + AXIS + "&facet=cpu" + TOOL + OF),
    ("baseline", "off", METRIC + AXIS + "&baseline=off" + TOOL + OF),
    ("sort", "value", METRIC + AXIS + "&sort=value" + TOOL + OF),
    ("stat", "mean", METRIC + AXIS + "&stat=mean" + TOOL + OF),
    ("scale", "log", METRIC + AXIS + "&scale=log" + TOOL + OF),
    ("unit", "MB", METRIC + AXIS + "&unit=MB" + TOOL + OF),
    ("normalise", "core", METRIC + AXIS + "&normalise=core" + TOOL + OF),
]
BOXES = [
    ("metric-rewrite.throughput", "choose-metric", METRIC + "&metric=rewrite.throughput" + AXIS + "&series=metric" + TOOL + OF),
    ("os-2", "choose-os", METRIC + AXIS + TOOL + "&os=FreeBSD" + OF),
    ("memory-1", "choose-memory", METRIC + AXIS + TOOL + "&memory=8589934592" + OF),
    ("compression-2", "choose-compression", METRIC + AXIS + TOOL + "&compression=lz4" + OF),
    ("disks-3", "choose-disks", METRIC + AXIS + TOOL + "&disks=~" + OF),
]
TYPED = [
    ("search", "", "gzip-9", METRIC + AXIS + TOOL + "&q=gzip-9" + OF),
    ("memory-range", "choose-memory", "10GiB..", METRIC + AXIS + TOOL + "&memory=10GiB.." + OF),
    ("cores-range", "choose-cores", "2..8", METRIC + AXIS + TOOL + "&cores=2..8" + OF),
]


@pytest.fixture
def page(lasting_page: Page) -> Page:
    return lasting_page


def start(page: Page, query: str = START) -> None:
    page.goto(f"/compare?{query}")
    until(page, "document.querySelector('canvas[data-figure]')?.chart")


def arrived(page: Page, query: str) -> None:
    """The address is this one, letter for letter, and what htmx brought for it stands there.

    A step in the history changes the address first; htmx asks for what belongs to it later.
    """
    until(
        page,
        f"location.search === '?{query}' && document.querySelector('link[rel=alternate]') && "
        f"document.querySelector('.actions a[download]')?.getAttribute('href') === '/compare.csv?{query}' && "
        "!document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling')",
    )


def more(page: Page) -> None:
    """The sheet of all choices is open."""
    if not page.locator("#choices").is_visible():
        page.locator("#to-choices").click()


def group_opened(page: Page, fold: str) -> None:
    """The sheet and the group in which the choices stand are open."""
    more(page)
    page.locator(f"#{fold}").evaluate(
        "one => { for (let at = one.parentElement; at; at = at.parentElement) if (at.matches('details')) at.open = true }"
    )


def unfolded(page: Page, fold: str) -> None:
    more(page)
    if fold:
        group_opened(page, fold)
    if fold and page.locator(f"#{fold}").get_attribute("open") is None:
        page.locator(f"#{fold} > summary").click()


def fold_of(control: str) -> str:
    return "choose-drawing" if control in ("sort", "stat", "scale", "unit", "normalise") else ""


def tabbed_to(page: Page, control: str) -> None:
    """Tab, from the button that opens the sheet on, until that control has the focus: every one can be reached."""
    if not page.locator("#choices").is_visible():
        page.locator("#to-choices").press("Enter")
    page.locator("#to-choices").focus()
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == control:
            return
    raise AssertionError(f"Tab never reaches {control}")


def unfolded_by_keys(page: Page, fold: str) -> None:
    page.locator("#to-choices").press("Enter")
    if fold:
        group_opened(page, fold)
    if fold and page.locator(f"#{fold}").get_attribute("open") is None:
        page.locator(f"#{fold} > summary").focus()
        page.keyboard.press("Enter")
        expect(page.locator(f"#{fold}")).to_have_attribute("open", "")


class TestByMouse:
    @pytest.mark.parametrize(("control", "value", "query"), SELECTS)
    def it_chooses_from_a_list(self, page: Page, control, value, query):
        start(page)
        unfolded(page, fold_of(control))
        usual = page.locator(f"#{control}").input_value()
        page.locator(f"#{control}").select_option(value)
        arrived(page, query)
        expect(page.locator(f"#{control}")).to_have_value(value)
        expect(page.locator(f"#{control}")).to_be_visible()
        page.locator(f"#{control}").select_option(usual)
        arrived(page, START)

    @pytest.mark.parametrize(("box", "fold", "query"), BOXES)
    def it_ticks_and_unticks(self, page: Page, box, fold, query):
        start(page)
        unfolded(page, fold)
        page.locator(f"[id='{box}']").click()
        arrived(page, query)
        again = page.locator(f"#choices input[name='{box.rsplit('-', 1)[0]}']:checked").last
        expect(again).to_be_visible()
        again.click()
        arrived(page, START)

    @pytest.mark.parametrize(("field", "fold", "text", "query"), TYPED)
    def it_types_and_leaves_the_field(self, page: Page, field, fold, text, query):
        start(page)
        unfolded(page, fold)
        page.locator(f"#{field}").fill(text)
        page.locator(f"#{field}").blur()
        arrived(page, query)

    def it_has_several_choices_at_once_in_one_short_address(self, page: Page):
        start(page)
        more(page)
        page.locator("#axis-series").select_option("os")
        arrived(page, METRIC + AXIS + "&series=os" + TOOL + OF)
        unfolded(page, "choose-os")
        for box in ("os-1", "os-3"):
            page.locator(f"#{box}").click()
            expect(page.locator(f"#{box}")).to_be_checked()
        arrived(page, METRIC + AXIS + "&series=os" + TOOL + "&os=Debian&os=OmniOS" + OF)
        page.locator("#baseline").select_option("off")
        arrived(page, METRIC + AXIS + "&series=os&baseline=off" + TOOL + "&os=Debian&os=OmniOS" + OF)
        unfolded(page, "choose-drawing")
        page.locator("#normalise").select_option("baseline")
        arrived(page, METRIC + AXIS + "&series=os&baseline=off&normalise=baseline" + TOOL + "&os=Debian&os=OmniOS" + OF)
        assert len(page.url) < 200
        assert {series for series, _ in bars(page)} == {"Debian"}, "another system has another processor"


class TestByKeyboard:
    @pytest.mark.parametrize(("control", "value", "query"), SELECTS)
    def it_chooses_from_a_list_and_keeps_the_focus(self, page: Page, control, value, query):
        start(page)
        unfolded_by_keys(page, fold_of(control))
        tabbed_to(page, control)
        keys = page.locator(f"#{control}").evaluate(
            "(one, wanted) => [...one.options].findIndex(option => option.value === wanted) - one.selectedIndex", value
        )
        for _ in range(abs(keys)):
            # Each arrow draws; the last one is the address that is checked.
            with page.expect_response(lambda answer: "/compare" in answer.url):
                page.keyboard.press("ArrowDown" if keys > 0 else "ArrowUp")
            until(page, "!document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling')")
            expect(page.locator(f"#{control}")).to_be_focused()
        arrived(page, query)
        expect(page.locator(f"#{control}")).to_have_value(value)
        expect(page.locator(f"#{control}")).to_be_focused()

    @pytest.mark.parametrize(("box", "fold", "query"), BOXES)
    def it_ticks_and_unticks_with_space(self, page: Page, box, fold, query):
        start(page)
        unfolded_by_keys(page, fold)
        tabbed_to(page, box)
        for expected in (query, START):
            page.keyboard.press("Space")
            arrived(page, expected)
            expect(page.locator(f"[id='{box}']")).to_be_focused()

    @pytest.mark.parametrize(("field", "fold", "text", "query"), TYPED)
    def it_types_and_presses_return(self, page: Page, field, fold, text, query):
        start(page)
        unfolded_by_keys(page, fold)
        tabbed_to(page, field)
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        arrived(page, query)
        expect(page.locator(f"#{field}")).to_be_focused()

    def it_takes_back_a_search_and_a_range(self, page: Page):
        start(page, METRIC + AXIS + TOOL + "&memory=10GiB..&q=gzip-9" + OF)
        tabbed_to(page, "search")
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        page.keyboard.press("Enter")
        arrived(page, METRIC + AXIS + TOOL + "&memory=10GiB.." + OF)
        field = page.locator("#memory-range")
        expect(field).to_have_value("10GiB..")
        field.focus()
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        page.keyboard.press("Enter")
        arrived(page, START)
