"""What a figure shows on a page: the tooltip at the pointer, one of many series, full screen, and the picture without scripts."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from webapp.tests.browser.test_whole_job import until

STUDY = "study=zfs-compression&control=off"
BARS = f"/compare?metric=write.throughput&x=compression&series=dedup&{STUDY}"
CANVAS = "document.querySelector('canvas[data-figure]')"
KINDS = ("bars", "box", "dots", "heat", "ratio&baseline=off", "lines&x=file_size", "scatter&metric=rewrite.throughput")


@pytest.fixture
def page(lasting_page: Page) -> Page:
    return lasting_page


def start(page: Page, address: str = BARS) -> None:
    page.goto(address)
    until(page, f"{CANVAS}?.chart && {CANVAS}.state.marks.length > 0")


def point_at(page: Page, mark: int) -> None:
    box = page.locator("canvas[data-figure]").bounding_box()
    left, top, width, height = page.evaluate(f"{CANVAS}.state.marks[{mark}].box")
    page.mouse.move(box["x"] + left + width / 2, box["y"] + top + height / 2)


def it_names_value_unit_n_and_configuration_at_the_pointer(page: Page):
    start(page)
    tip = page.locator(".figure-tip")
    expect(tip).to_be_hidden()
    point_at(page, 0)
    expect(tip).to_be_visible()
    expect(tip).to_have_text(re.compile(r"[\d.]+ MiB/s \([\d.]+ to [\d.]+\)n = \d+Compression off · Deduplication off.*raw lines"))
    box, canvas = tip.bounding_box(), page.locator("canvas[data-figure]").bounding_box()
    assert canvas["x"] <= box["x"] and box["x"] + box["width"] <= canvas["x"] + canvas["width"]
    page.locator("h1").hover()
    expect(tip).to_be_hidden()


def it_leads_to_the_raw_lines_by_a_click(page: Page):
    start(page)
    point_at(page, 0)
    page.mouse.down()
    page.mouse.up()
    expect(page.locator(".figure-tip")).to_be_hidden()
    expect(page.locator("[data-reading] a").first).to_have_attribute("href", re.compile(r"/raw/.*#L\d+"))


def it_has_a_legend_with_the_name_of_its_dimension(page: Page):
    start(page)
    expect(page.locator("[data-legend]")).to_have_text(re.compile(r"^Deduplication:\s*off\s*on\s*$"))


def it_fills_the_screen_and_leaves_it(page: Page):
    start(page)
    button = page.locator("[data-full-screen]")
    button.click()
    expect(button).to_have_text("Leave full screen")
    assert page.evaluate("document.fullscreenElement?.matches('figure')")
    button.click()
    expect(button).to_have_text("Full screen")


def assert_drawn_alike(page: Page, svg: str) -> None:
    """The canvas has the axes of the picture: the same numbers and names, at the same ticks, in the same order and colours."""
    words = [text.text or "" for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    drawn = page.evaluate(
        f"""(() => {{
          const {{ chart, state }} = {CANVAS};
          const labels = (axis) => axis.ticks.map((tick) => [tick.label].flat().join(" "));
          return {{
            axes: [labels(chart.scales.x), labels(chart.scales.y), state.figure.axes.key?.labels ?? []],
            colours: state.figure.series.map((series) => series.style),
          }};
        }})()"""
    )
    for labels in drawn["axes"]:
        assert any(words[at : at + len(labels)] == labels for at in range(len(words))), (labels, words)
    assert len(drawn["axes"][0]) > 1 and len(drawn["axes"][1]) > 1
    marked = re.findall(r'class="f(\d) lp"', svg.split("<g", 1)[0])
    assert not marked or [int(style) for style in marked] == drawn["colours"]


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("kind", KINDS)
def it_has_the_ticks_labels_and_colours_of_the_picture(page: Page, kind: str, scale: str):
    address = f"{BARS}&kind={kind}&scale={scale}"
    start(page, address.replace("&series=dedup", "") if kind.startswith(("scatter", "ratio")) else address)
    query = page.evaluate("location.search")
    assert_drawn_alike(page, page.request.get(f"/compare.svg{query}").text())


@pytest.mark.parametrize("kind", KINDS)
def it_draws_every_kind_and_loads_no_marks_that_it_does_not_draw(page: Page, kind: str):
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    start(page, f"{BARS}&kind={kind}".replace("&series=dedup", "" if kind.startswith(("scatter", "ratio")) else "&series=dedup"))
    loaded = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name).filter((one) => one.includes('/all-'))")
    assert bool(loaded) == (page.evaluate(f"{CANVAS}.state.figure.kind") != "bars")
    assert errors == []


def it_lays_labels_out_anew_for_another_width(page: Page):
    start(page)
    labels = f"{CANVAS}.chart.scales.x.ticks.length"
    wide = page.evaluate(labels)
    page.set_viewport_size({"width": 390, "height": 800})
    until(page, f"{CANVAS}.chart.scales.x.labelRotation >= 40")
    assert page.evaluate(labels) == wide
    page.set_viewport_size({"width": 1280, "height": 800})
    until(page, f"{CANVAS}.chart.scales.x.labelRotation === 0")


def it_draws_in_the_colours_of_the_reader_where_these_are_forced(page: Page):
    start(page)
    page.emulate_media(forced_colors="active")
    ink = f"getComputedStyle({CANVAS}).getPropertyValue('--ink').trim()"
    until(page, f"{ink} === 'CanvasText'")
    page.emulate_media(forced_colors="none")


class TestWithoutJavaScript:
    @pytest.fixture
    def browser_context_args(self, browser_context_args):
        return {**browser_context_args, "java_script_enabled": False}

    @pytest.fixture
    def page(self, context):
        return context.new_page()

    @pytest.mark.parametrize("kind", KINDS)
    def it_shows_the_picture_in_the_place_of_the_canvas(self, page: Page, kind: str):
        page.goto(f"{BARS}&kind={kind}".replace("&series=dedup", "" if kind.startswith(("scatter", "ratio")) else "&series=dedup"))
        picture = page.locator(".figure-picture").first
        picture.scroll_into_view_if_needed()
        expect(picture).to_be_visible()
        expect(picture).to_have_js_property("complete", True)
        box = picture.bounding_box()
        assert box["width"] > 600 and box["height"] > 100
        assert picture.get_attribute("alt")
        expect(page.locator(".figure-canvas").first).to_be_hidden()
        expect(page.locator("[data-full-screen]").first).to_be_hidden()


def it_shows_the_figure_of_the_server_until_a_script_has_drawn_it(page: Page):
    """Without a jump; where the scripts never arrive it stays."""
    page.route("**/*.js", lambda route: route.abort())
    page.goto(BARS)
    still = page.locator(".figure-canvas svg")
    expect(still).to_be_visible()
    place, height = still.bounding_box(), page.locator("figure").first.bounding_box()["height"]
    assert place["width"] > 500 and place["height"] > 200
    assert "lzjb" in still.text_content()
    page.unroute_all()
    start(page)
    expect(still).to_have_count(0)
    assert page.locator("figure").first.bounding_box()["height"] == height
