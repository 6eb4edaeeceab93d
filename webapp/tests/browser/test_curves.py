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


FIO = """randread: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine={engine}, iodepth={depth}
fio-3.33
Starting 1 process

randread: (groupid=0, jobs=1): err= 0: pid=1: Tue Nov 24 18:11:43 2026
  read: IOPS={iops}, BW=11.7MiB/s (12.3MB/s)(70.3MiB/6001msec)
    clat percentiles (usec):
     | 50.000th=[   {p50}], 95.000th=[  {p95}], 99.000th=[ {p99}], 99.900th=[{p999}]

Run status group 0 (all jobs):
   READ: bw=11.7MiB/s (12.3MB/s), 11.7MiB/s-11.7MiB/s (12.3MB/s-12.3MB/s), io=70.3MiB (73.7MB), run=6001-6001msec
"""


def it_leads_from_a_percentile_to_all_of_them_and_to_the_load(page: Page, server: Server, tmp_path: Path):
    for engine, slow in (("libaio", 2), ("io_uring", 1)):
        for depth in (1, 4, 16):
            values = {"iops": 4000 * depth // slow, "p50": 40 * slow, "p95": 90 * slow, "p99": 200 * depth, "p999": 900 * depth}
            (tmp_path / f"{engine}-{depth}.txt").write_text(FIO.format(engine=engine, depth=depth, **values))
    done = manage(server.data, "ingest", str(tmp_path))
    archive = re.findall(r"/archives/(\d+)", done.stdout)[-1]
    page.goto(f"/compare?metric=random_read.latency&aggregate=p99&x=engine&archive={archive}")
    page.get_by_role("link", name="profile of all percentiles").click()
    until(page, f"{CANVAS}?.chart && {CANVAS}.state.figure.kind === 'lines'")
    labels = page.evaluate(f"{CANVAS}.chart.scales.x.ticks.map((tick) => tick.label)")
    assert labels == ["50 %", "90 %", "99 %", "99.9 %"]
    assert page.evaluate(f"{CANVAS}.state.figure.series.map((one) => one.name)") == ["io_uring", "libaio"]
    assert_drawn_alike(page, page.request.get(page.url.replace("/compare?", "/compare.svg?")).text())
    page.go_back()
    page.get_by_role("link", name="load-latency curve").click()
    until(page, f"{CANVAS}?.chart && {CANVAS}.state.figure.x.joined")
    assert page.evaluate(f"{CANVAS}.state.figure.x.values") == ["depth 1", "depth 4", "depth 16"]
    assert_drawn_alike(page, page.request.get(page.url.replace("/compare?", "/compare.svg?")).text())
