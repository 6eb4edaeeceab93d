"""Curves over time on their page: drawn, zoomed by dragging, and from a point to its raw line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from webapp.tests.browser.test_accessible import assert_drawn
from webapp.tests.browser.test_figures import assert_drawn_alike
from webapp.tests.browser.test_whole_job import until
from webapp.tests.serving import Server, manage

CANVAS = "document.querySelector('canvas[data-figure]')"
DRAWN = f"{CANVAS}?.chart && {CANVAS}.state.figure.kind === 'time'"
DD = "# dd if=/dev/zero of=/tank/f bs=1M count=1024\n1073741824 bytes (1.1 GB) copied, 5.4 s, 199 MB/s\n"


@pytest.fixture
def page(lasting_page: Page) -> Page:
    return lasting_page


@pytest.fixture(scope="module")
def curves(server: Server, tmp_path_factory) -> str:
    """The address of the curves of a run of dd beside a log of fio, of four seconds."""
    folder: Path = tmp_path_factory.mktemp("timed")
    (folder / "dd.txt").write_text(DD)
    log = "".join(f"{at * 100}, {1000 + at * 379 % 700}, 1, 131072, 0\n" for at in range(1, 41))
    (folder / "log_bw.1.log").write_text(log)
    done = manage(server.data, "ingest", str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    archive = re.findall(r"/archives/(\d+)", done.stdout)[-1]
    return f"/archives/{archive}/series?file=log_bw.1.log"


def it_draws_zooms_by_dragging_and_leads_to_raw_lines(page: Page, curves: str):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(curves)
    until(page, DRAWN)
    assert not any("/all-" in address for address in asked)
    assert_drawn_alike(page, page.request.get(page.url.replace("/series?", "/series.svg?")).text())
    whole = page.evaluate(f"{CANVAS}.state.figure.curves[0].t")
    assert len(whole) == 40
    box = page.locator("canvas[data-figure]").bounding_box()
    left, right, top = page.evaluate(f"(() => {{ const a = {CANVAS}.chart.chartArea; return [a.left, a.right, a.top]; }})()")
    at = lambda share: (box["x"] + left + (right - left) * share, box["y"] + top + 60)  # noqa: E731
    page.mouse.move(*at(0.25))
    page.mouse.down()
    page.mouse.move(*at(0.5))
    page.mouse.move(*at(0.75))
    page.mouse.up()
    page.wait_for_url(re.compile(r"[?&]from=[-\d.]+&to=[-\d.]+"))
    until(page, DRAWN)
    low, high = page.evaluate(f"[{CANVAS}.chart.scales.x.min, {CANVAS}.chart.scales.x.max]")
    middle = (whole[0] + whole[-1]) / 2
    assert whole[0] < low < middle < high < whole[-1]
    shown = page.evaluate(f"{CANVAS}.state.figure.curves[0].t")
    assert shown == [time for time in whole if low <= time <= high]
    page.locator("canvas[data-figure]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-reading] a")).to_have_attribute("href", re.compile(r"/raw/log_bw\.1\.log#L\d+$"))
    page.get_by_role("link", name="Zoom out").click()
    until(page, DRAWN)
    assert page.evaluate(f"{CANVAS}.state.figure.curves[0].t") == whole


def it_is_a_picture_and_a_form_without_scripts(browser, base_url: str, curves: str):
    context = browser.new_context(base_url=base_url, java_script_enabled=False)
    page = context.new_page()
    page.goto(curves)
    before = assert_drawn(page)
    page.get_by_label("From, s").fill("1")
    page.get_by_role("button", name="Draw").click()
    page.wait_for_url(re.compile("[?&]from=1"))
    assert assert_drawn(page) != before
    context.close()


def it_shows_a_point_at_the_pointer(page: Page, curves: str):
    page.goto(curves)
    until(page, DRAWN)
    box = page.locator("canvas[data-figure]").bounding_box()
    x, y = page.evaluate(
        f"(() => {{ const c = {CANVAS}, [k] = c.state.figure.curves;"
        " return [c.chart.scales.x.getPixelForValue(k.t[2]), c.chart.scales.y.getPixelForValue(k.v[2])]; })()"
    )
    page.mouse.move(box["x"] + x, box["y"] + y)
    expect(page.locator(".figure-tip")).to_contain_text("Click: the raw line")
    page.mouse.down()
    page.mouse.up()
    expect(page.locator("[data-reading] a")).to_have_attribute("href", re.compile(r"#L\d+$"))
    assert "from=" not in page.url
