"""The scripts that draw marks, run by Node.js on a canvas that records what is drawn: bounds, unlike sessions, empty places."""

from __future__ import annotations

import json
import subprocess

import pytest

from ingest.tests.tools import needed
from webapp.figures import layout
from webapp.formatting import numbers
from webapp.tests.drawn import NOT_RUN, every_kind, figure, with_signs
from webapp.tests.serving import ROOT

SCRIPT = """
import { axes } from "./static/js/axes.js";
import { words } from "./static/js/reading.js";
const figures = JSON.parse(await new Response(process.stdin).text());
const record = (log) => new Proxy({}, {
  get: (kept, name) => name in kept ? kept[name] : name === "measureText" ? (text) => ({ width: 7 * text.length })
    : (...given) => { log.push([name, ...given]); },
  set: (kept, name, value) => { kept[name] = value; return true; },
});
const answers = [];
for (const figure of figures) {
  const kind = await import(`./static/js/marks/${figure.kind}.js`);
  const pen = { ink: "ink", paper: "paper", rule: "rule", muted: "muted", heat: "heat", onHeat: "onHeat",
    shown: String, series: (series) => `#${series.style}` };
  const datasets = kind.datasets(figure, pen);
  const scales = kind.scales(figure, axes(() => ""));
  const step = figure.row ?? (figure.kind === "heat" ? 20 : 1);
  const pixels = { getPixelForValue: (value) => 400 - step * value, type: "linear" };
  const chart = {
    width: 900, scales: { x: { ...pixels, getPixelForValue: (value) => 50 + 200 * value }, y: pixels },
    chartArea: { left: 0, right: 900, top: 0, bottom: 400 }, data: { datasets },
    getDatasetMeta: (series) => ({ data: figure.x.values.map((_, x) => ({ x: 100 * x + 50 * series, width: 40 })) }),
  };
  const log = [];
  const found = kind.draw(record(log), chart, figure, pen);
  const option = (value) => figure.x.values.map((_, dataIndex) => typeof value === "function" ? value({ dataIndex }) : value);
  answers.push({
    texts: log.filter(([name]) => name === "fillText").map(([, text]) => text),
    rectangles: log.filter(([name]) => name === "fillRect").map(([, ...box]) => box),
    marked: found.map(({ group }) => [group.x, group.series, group.text ?? ""]),
    fills: datasets.map((set) => option(set.backgroundColor)), edges: datasets.map((set) => option(set.borderSkipped)),
    moves: log.filter(([name]) => name === "moveTo" || name === "lineTo").map(([name, x, y]) => [name, x, y]),
    dots: log.filter(([name]) => name === "arc").map(([, x, y]) => [x, y]),
    places: datasets.map((set) => set.skipNull), end: scales.y.max,
    words: found.map(({ group }) => words(figure, group)),
  });
}
console.log(JSON.stringify(answers));
"""


def run(*figures: dict) -> list[dict]:
    needed("node")
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", SCRIPT],
        cwd=ROOT,
        input=json.dumps([layout.for_script(one) for one in figures]),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def drawn() -> dict[tuple[str, str], dict]:
    kinds = [(one["kind"], one["scale"]) for one in every_kind()]
    return dict(zip(kinds, run(*(with_signs(*kind) for kind in kinds)), strict=True))


@pytest.mark.parametrize("kind", ["bars", "box", "dots", "heat", "lines", "scatter"])
def it_labels_bounds_and_empty_places(drawn, kind):
    texts = drawn[kind, "linear"]["texts"]
    assert {text[0] for text in texts} >= {">", "<"}
    assert ("not run" in texts) == (kind not in ("lines", "scatter"))


@pytest.mark.parametrize("kind", ["bars", "box", "dots", "heat"])
def it_finds_an_empty_place_under_the_pointer_and_reads_its_whole_text(drawn, kind):
    answer = drawn[kind, "linear"]
    [x, _, text] = next(found for found in answer["marked"] if found[2])
    assert (x, text) == (3, NOT_RUN)
    assert sum(words.endswith(f": {NOT_RUN}") for words in answer["words"]) == 1


def it_reads_bounds_and_unlike_sessions(drawn):
    words = drawn["bars", "linear"]["words"]
    assert "4 KiB, Linux: > 100 MiB/s, n = 3" in words and "4 KiB, FreeBSD: < 101 MiB/s, n = 3" in words
    assert "64 KiB, FreeBSD: > 111 MiB/s, a single run" in words
    assert "64 KiB, Linux: 90; 130 MiB/s (centres of sessions that are too unlike for one), n = 3" in words


def it_fills_a_bar_up_to_a_bound_and_leaves_its_end_open():
    one = figure(["a", "b"], [""], kind="bars")
    one["groups"][0]["bound"] = "above"
    [answer] = run(one)
    assert "transparent" not in answer["fills"][0] and answer["edges"] == [[True, "start"]]


@pytest.mark.parametrize("sign", [{"parts": [60.0, 180.0]}, {"bound": "below"}, {"n": 1}])
def it_draws_a_line_for_each_centre_and_no_bar_where_one_group_can_be_none(sign):
    one = figure(["ext4", "xfs"], [""], kind="bars")
    one["groups"][0] |= sign
    [answer] = run(one)
    centers = [*sign.get("parts", [one["groups"][0]["center"]]), one["groups"][1]["center"]]
    assert [[box[1], box[3]] for box in answer["rectangles"]] == [[400 - center - 1.5, 3] for center in centers]
    assert answer["fills"] == [["transparent", "transparent"]] and answer["places"] == [True]


def it_leaves_room_above_a_bound():
    plain, bounded = figure(["a"], [""], kind="bars"), figure(["a"], [""], kind="bars")
    bounded["groups"][0] |= {"bound": "above"}
    ends = [answer["end"] for answer in run(plain, bounded)]
    assert ends == [120, 150], "ticks above 105 * 1.04 and 105 * 1.2"


def it_marks_a_bound_in_the_corner_of_a_cell_too_small_for_its_number():
    one = figure(["a", "b"], ["c", "d"], kind="heat", reach=[100.0, 111.0], row=10)
    one["groups"][0]["bound"] = "above"
    one["groups"][3]["parts"] = [101.0, 110.0]
    [answer] = run(one)
    assert answer["texts"] == ["MiB/s, higher is better", "100", "105", "110"], "the key of the colours alone"
    assert [name for name, *_ in answer["moves"]] == ["moveTo", "lineTo", "lineTo"]
    assert len(answer["rectangles"]) == 24 + 3 + 2 * 3 + 3


def it_ends_a_line_at_an_empty_place():
    one = figure(["1", "2", "3"], [""], kind="lines")
    one["x"] |= {"numbers": [1.0, 2.0, 3.0], "scale": "linear"}
    for group in one["groups"]:
        group |= {"low": None, "high": None}
    whole = json.loads(json.dumps(one))
    del one["groups"][1]
    one["empty"] = [{"x": 1, "series": 0, "text": NOT_RUN}]
    broken, joined = (answer["moves"] for answer in run(one, whole))
    assert broken[:2] == [["moveTo", 250, 300], ["moveTo", 650, 280]]
    assert joined[:3] == [["moveTo", 250, 300], ["lineTo", 450, 290], ["lineTo", 650, 280]]


LABELS = """
import { layOut } from "./static/js/labels.js";
import { shown } from "./static/js/axes.js";
const asked = JSON.parse(await new Response(process.stdin).text());
console.log(JSON.stringify({
  shown: asked.numbers.map(shown),
  labels: asked.texts.map(([texts, slot]) => layOut(texts, slot, (text) => 7 * text.length)),
}));
"""
NUMBERS = [0, 90, 99.96, 1234, 81.2, 0.00415, -3, 2930.4, 1e7, 0.5]


def it_writes_numbers_as_the_server_does_and_wraps_labels():
    needed("node")
    asked = {
        "numbers": NUMBERS,
        "texts": [[["off", "lz4"], 100], [["Debian 12", "FreeBSD 14.1"], 70], [["raidz2(7)", "mirror(2)"], 40]],
    }
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", LABELS], cwd=ROOT, input=json.dumps(asked), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["shown"] == [numbers.number(value) for value in NUMBERS]
    assert [made["level"] for made in told["labels"]] == [True, True, False]
    assert told["labels"][1]["labels"] == [["Debian 12"], ["FreeBSD", "14.1"]]


def it_places_runs_on_their_whisker():
    """Dots of three runs that do not cover each other stand at the place of the bar, at their values."""
    one = figure(["a"], [""], kind="bars", row=10)
    [answer] = run(one)
    assert answer["dots"] == [[0, 400 - 10 * value] for value in (96, 100, 105)]


def it_names_the_outermost_marks_of_a_crowded_scatter():
    made = figure([f"h{at}" for at in range(41)], ["Linux"], kind="scatter")
    made["x"] |= {"label": "Read", "unit": "MiB/s", "better": ""}
    for at, group in enumerate(made["groups"]):
        group |= {"center": float(at % 7), "low": None, "high": None, "across": {"center": at / 10, "low": None, "high": None}}
    [answer] = run(made)
    assert len(answer["marked"]) == 41
    assert 2 <= len(answer["texts"]) <= 10 and {"h0", "h40"} <= set(answer["texts"])
