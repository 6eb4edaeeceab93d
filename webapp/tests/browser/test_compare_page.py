"""The comparison page on a phone and on a desk: its height, the sheet of filters, sliders, the search of values, what is copied."""

from __future__ import annotations

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from webapp.tests.browser.test_compare_controls import AXIS, METRIC, OF, START, TOOL, arrived, more, start, unfolded
from webapp.tests.browser.test_whole_job import until

pytestmark = pytest.mark.usefixtures("three_systems")
HIGHEST, TOUCH = 2600, 44


@pytest.fixture
def page(lasting_page: Page) -> Page:
    return lasting_page


def on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})


class TestOnAPhone:
    def it_is_at_most_2600_px_tall_and_nothing_is_cut(self, page: Page):
        """/compare and the presets that draw something."""
        on_a_phone(page)
        page.goto("/compare")
        addresses = ["/compare", *page.locator(".presets a").evaluate_all("all => all.map(one => one.getAttribute('href'))")]
        addresses += [f"/compare?x={axis}" for axis in ("os", "cpu", "compression", "fs")]
        assert len(addresses) >= 8
        for address in addresses:
            page.goto(address)
            until(page, "!document.querySelector('canvas[data-figure]') || document.querySelector('canvas[data-figure]').chart")
            height, width = page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
            assert height <= HIGHEST and width <= 390, address

    def it_has_controls_that_a_finger_hits(self, page: Page):
        on_a_phone(page)
        start(page)
        page.locator("#to-choices").click()
        small = page.evaluate(
            """(least) => [...document.querySelectorAll(
                '#to-choices, .menu > summary, .compare-actions > button, .presets a, .chosen a, .map-lines a, '
                + '#choices summary, #choices select, '
                + '#choices button:not(.visually-hidden), #choices input:not([type=checkbox], [type=hidden], [type=range])'
            )].filter(one => one.checkVisibility() && one.getBoundingClientRect().height < least).map(one => one.outerHTML)""",
            TOUCH,
        )
        assert small == []

    def it_has_choices_figure_sentence_notes_and_table(self, page: Page):
        on_a_phone(page)
        start(page)
        tops = [
            page.locator(one).first.bounding_box()["y"]
            for one in (
                "#to-choices",
                "#compare-title",
                "canvas[data-figure]",
                "#sentence",
                "#notes",
                ".compare-actions",
                ".figure-table",
            )
        ]
        assert tops == sorted(tops)

    def it_keeps_its_sheet_of_filters_open_while_one_chooses(self, page: Page):
        on_a_phone(page)
        start(page)
        expect(page.locator("#choices")).to_be_hidden()
        page.locator("#to-choices").click()
        expect(page.locator("#choices")).to_be_visible()
        page.locator("#axis-series").select_option("os")
        arrived(page, METRIC + AXIS + "&series=os" + TOOL + OF)
        expect(page.locator("#choices")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#choices")).to_be_hidden()

    @pytest.mark.parametrize("theme", ["light", "dark"])
    def it_has_nothing_that_axe_complains_of(self, page: Page, theme):
        on_a_phone(page)
        page.emulate_media(color_scheme=theme)
        start(page, METRIC + AXIS + TOOL + "&memory=10GiB.." + OF + "&compresion=off")
        page.locator("#to-choices").click()
        page.locator("#choices details").evaluate_all("all => { for (const one of all) one.open = true }")
        found = Axe().run(page).response["violations"]
        assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found] == []


class TestSliders:
    def it_writes_the_range_by_keyboard(self, page: Page):
        start(page)
        unfolded(page, "choose-memory")
        lower = page.locator("#memory-lower")
        labels = page.locator("[data-range=memory-range]").get_attribute("data-labels").split("|")
        assert len(labels) == 3
        lower.focus()
        page.keyboard.press("ArrowRight")
        until(page, "/[?&]memory=[0-9A-Za-z]+[.][.](&|$)/.test(location.search)")
        expect(page.locator("#memory-range")).to_have_value(re.compile(r"^\w+\.\.$"))
        expect(lower).to_be_focused()
        expect(page.locator("[data-range=memory-range] output")).to_have_text(f"{labels[1]} to {labels[2]}")
        page.keyboard.press("ArrowLeft")
        arrived(page, START)

    def it_never_crosses_its_ends(self, page: Page):
        start(page)
        unfolded(page, "choose-memory")
        page.locator("#memory-upper").focus()
        page.keyboard.press("Home")
        until(page, "/[?&]memory=[.][.]/.test(location.search)")
        assert page.locator("#memory-lower").input_value() == "0" == page.locator("#memory-upper").input_value()


def it_repeats_the_judged_claim_in_its_sentence(page: Page):
    start(page)
    said = page.locator("#sentence").inner_text()
    data = json.loads(page.request.get(f"/compare.json?{START}").text())
    judged = [group["verdict"] for panel in data["panels"] for group in panel["groups"] if group["verdict"]]
    assert judged
    claims = {verdict["word"] for verdict in judged}
    if any(word and not word.startswith("no ") for word in claims):
        scope = re.search(r"(in this session|on this system|on these machines)", said)[1]
        assert any(scope in word for word in claims)
        number, sign = re.search(r"([\d.]+)(\u00d7|\s% (?:faster|slower))", said).groups()
        ratio = float(number) if sign == "\u00d7" else 1 + float(number) / (100 if sign.endswith("faster") else -100)
        assert any(verdict["ratio"] == pytest.approx(ratio, rel=0.01, abs=0.006) for verdict in judged if verdict["word"])
    else:
        assert "no claim" in said or said.startswith("No difference")


def it_swaps_a_link_in_but_leaves_a_click_for_another_tab_alone(page: Page):
    start(page)
    page.evaluate("window.mark = 1")
    more(page)
    page.locator(".presets a").first.click()
    until(page, "document.querySelector('.presets a[aria-current]') && !document.querySelector('.htmx-request')")
    assert page.evaluate("window.mark") == 1
    more(page)
    with page.context.expect_page() as opened:
        page.locator(".presets a").last.click(modifiers=["ControlOrMeta"])
    opened.value.close()
    assert page.evaluate("window.mark") == 1


def it_copies_the_link_that_shows_what_one_sees(page: Page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    start(page)
    more(page)
    page.locator("#axis-series").select_option("os")
    arrived(page, METRIC + AXIS + "&series=os" + TOOL + OF)
    page.get_by_role("button", name="Copy link").click()
    until(page, "navigator.clipboard.readText().then(text => text === location.href)")


class TestWithoutJavaScript:
    @pytest.fixture
    def browser_context_args(self, browser_context_args):
        return {**browser_context_args, "java_script_enabled": False}

    @pytest.fixture
    def page(self, context):
        return context.new_page()

    def it_opens_the_sheet_and_filters_by_a_range(self, page: Page):
        on_a_phone(page)
        page.goto(f"/compare?{START}")
        page.locator("#to-choices").click()
        page.locator(".rail-group > summary").filter(has_text="Hardware").click()
        page.locator("#choose-memory > summary").click()
        page.locator("#memory-range").fill("10GiB..64GiB")
        page.get_by_role("button", name="Show").last.click()
        page.wait_for_url(re.compile(r"memory=10GiB\.\.64GiB"))
        expect(page.get_by_role("link", name=re.compile("^Remove Memory"))).to_be_visible()

    def it_sorts_by_a_link_in_the_head(self, page: Page):
        page.goto(f"/compare?{START}")
        page.locator(".figure-table thead a.sort").filter(has_text=re.compile("mean|Median")).click()
        page.wait_for_url(re.compile("sort=value"))
        values = page.locator(".figure-table tbody tr td.number:nth-of-type(1)").evaluate_all("all => all.map(one => +one.title)")
        assert values == sorted(values, reverse=True)
