"""The first view of the comparison page: what it asks of a reader before the first answer, and its sentence of choices."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from webapp.tests.browser.test_accessible import assert_drawn
from webapp.tests.browser.test_compare_controls import arrived
from webapp.tests.browser.test_weight import KB, MARKS, Scale
from webapp.tests.browser.test_whole_job import until
from webapp.tests.serving import Server

MAX_CONTROLS, MAX_WORDS, MAX_REQUESTS, MAX_WEIGHT = 14, 350, 10, 150 * KB
SEEN = """one => {
    const box = one.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && box.top < innerHeight && box.bottom > 0 && box.left < innerWidth
        && one.checkVisibility({contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true});
}"""
COUNTED = f"""() => {{
    const seen = {SEEN};
    const controls = 'a[href], button, select, textarea, summary, input:not([type=hidden]), [tabindex="0"]';
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
    let words = 0;
    while (texts.nextNode()) {{
        range.selectNodeContents(texts.currentNode);
        const lines = [...range.getClientRects()].filter(line => line.width && line.top < innerHeight && line.bottom > 0);
        if (lines.length && seen(texts.currentNode.parentElement)) words += texts.currentNode.data.trim().split(/\\s+/).length;
    }}
    return [[...document.querySelectorAll('main :is(' + controls + ')')].filter(seen).map(one => one.innerText || one.id), words];
}}"""


@pytest.fixture
def address(shipped: Server) -> str:
    return f"http://127.0.0.1:{shipped.port}"


@pytest.fixture
def page(lasting_page: Page) -> Page:
    lasting_page.set_viewport_size({"width": 1280, "height": 800})
    return lasting_page


def test_the_first_view_asks_little(browser, address: str):
    """Links, buttons, menus, fields and the figure in `main`, and every word of the window, those of the head included."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    scale = Scale(page)
    page.goto(f"{address}/compare")
    until(page, MARKS)
    asked, weight = scale.weigh()
    controls, words = page.evaluate(COUNTED)
    assert {"Freeze", "More"} <= set(controls) and len(controls) <= MAX_CONTROLS, controls
    assert 50 < words <= MAX_WORDS
    assert len(asked) <= MAX_REQUESTS and 50 * KB < weight <= MAX_WEIGHT
    page.context.close()


def test_the_default_figure_is_one_that_people_ask_about(page: Page, address: str):
    data = page.request.get(f"{address}/compare.json").json()
    groups = [group for panel in data["panels"] for group in panel["groups"]]
    assert {group["x"] for group in groups} >= {"ext4", "xfs", "btrfs"} and all(group["sessions"] >= 3 for group in groups)


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_each_menu_is_one_choice_and_is_left_where_it_was(page: Page, address: str, by: str):
    page.goto(f"{address}/compare")
    for name, label in (("x", "compression"), ("metric", "Sequential read, throughput"), ("machine", ""), ("workload", "")):
        menu = page.locator(f"#menu-{name}")
        if not menu.count():  # of one workload there is nothing to choose
            assert name == "workload"
            continue
        until(page, MARKS)
        link = menu.locator("a").filter(has_text=re.compile(f"^{label}$")) if label else menu.locator("a").last
        query = link.get_attribute("href").partition("?")[2]
        if by == "mouse":
            menu.locator("summary").click()
            link.click()
        else:
            menu.locator("summary").press("Enter")
            link.press("Enter")
        arrived(page, query)
        expect(page.locator(f"#menu-{name}-now")).to_be_focused()
        expect(page.locator(".menu[open]")).to_have_count(0)
        if label:
            expect(page.locator(f"#menu-{name}-now")).to_have_text(label)
        assert page.locator("canvas[data-figure]").count(), query


def test_a_menu_closes_by_escape_by_a_click_beside_it_and_by_the_next(page: Page, address: str):
    page.goto(f"{address}/compare")
    opened = page.locator(".menu[open]")
    page.locator("#menu-metric-now").press("Enter")
    expect(opened).to_have_count(1)
    page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    expect(page.locator("#menu-metric-now")).to_be_focused()
    page.locator("#menu-metric-now").click()
    page.locator("#compare-title").click()
    expect(opened).to_have_count(0)
    page.locator("#menu-metric-now").click()
    page.locator("#menu-workload-now").click()
    expect(opened).to_have_id("menu-workload")


@pytest.mark.parametrize("width", [320, 390])
def test_a_menu_stays_within_a_phone(page: Page, address: str, width: int):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{address}/compare")
    for at in range(page.locator(".menu").count()):
        page.locator(".menu summary").nth(at).click()
        box = page.locator(".menu[open] .choices").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.keyboard.press("Escape")


def test_a_menu_is_a_list_of_links_without_scripts(browser, address: str):
    page = browser.new_page(java_script_enabled=False, base_url=address)
    page.goto(f"{address}/compare")
    page.locator("#menu-x-now").click()
    page.locator("#menu-x").get_by_role("link", name="compression", exact=True).click()
    page.wait_for_url(re.compile("x=compression"))
    expect(page.locator("#menu-x-now")).to_have_text("compression")
    assert_drawn(page)
    page.context.close()
