"""Plain figures -> SVG by strings and PNG: well-formed, true to the values, safe with any text."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.tests.thinning import examples
from webapp.drawing import frame, looks, png, shapes
from webapp.drawing import text as texts
from webapp.drawing.plate import Plate, draw, draw_card
from webapp.figures import ticks
from webapp.figures.scales import LOG, Scale
from webapp.tests.drawn import NOT_RUN, SUBTITLE, every_kind, figure, with_signs
from webapp.tests.serving import ROOT

SVG = "{http://www.w3.org/2000/svg}"
KINDS = {f"{made['kind']} {made['scale']}": made for made in every_kind()}
SIGNED = [(kind, scale) for kind, scale in ((made["kind"], made["scale"]) for made in every_kind())]


def parsed(*figures: dict, drawing=draw, **changes) -> ET.Element:
    return ET.fromstring(drawing(Plate(**{"title": "Write, per OS", "description": "All of it.", "panels": figures} | changes)))


def words(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def marks(root: ET.Element) -> dict[str, ET.Element]:
    """Title -> group of elements of every mark."""
    return {title.text or "": group for group in root.iter(f"{SVG}g") if (title := group.find(f"{SVG}title")) is not None}


@pytest.mark.parametrize("drawing", [draw, draw_card])
@pytest.mark.parametrize("kind", KINDS)
def it_draws_every_kind_with_all_of_its_names(kind, drawing):
    made = KINDS[kind]
    root = parsed(made, drawing=drawing)
    shown = " ".join(words(root))
    assert root.find(f"{SVG}title").text == "Write, per OS" and root.find(f"{SVG}desc").text == "All of it."
    placed = [at for at, number in enumerate(made["x"].get("numbers", [])) if number is None]
    for at, name in enumerate(made["x"]["values"]):
        assert at in placed or name.split()[0] in shown
    for series in made["series"]:
        assert series["name"] in shown
    drawn = [mark for mark in made["groups"] if mark["x"] not in placed]
    assert len(marks(root)) == len(drawn)
    assert all(f"n = {mark['n']}" in " ".join(marks(root)) for mark in drawn)


@pytest.mark.parametrize(("kind", "scale"), [pair for pair in SIGNED if pair[0] not in ("ratio", "scatter")])
def it_draws_bounds_unlike_sessions_and_empty_places(kind, scale):
    made = with_signs(kind, scale)
    root = parsed(made)
    shown = words(root)
    assert any(text.startswith(">\u00a0") for text in shown) and any(text.startswith("<\u00a0") for text in shown)
    assert SUBTITLE in " ".join(shown)
    assert any(NOT_RUN in text for text in shown)
    if kind != "lines":
        assert "not run" in shown


def it_draws_bars_as_high_as_their_values():
    made = figure(["a", "b", "c"], ["one", "two"])
    root = parsed(made)
    heights = {title: float(group.find(f"{SVG}rect").get("height")) for title, group in marks(root).items()}
    for mark in made["groups"]:
        name = f"{made['x']['values'][mark['x']]}, {made['series'][mark['series']]['name']}"
        [height] = [height for title, height in heights.items() if title.startswith(f"{name}:")]
        assert height / mark["center"] == pytest.approx(max(heights.values()) / 121, rel=1e-3)


def it_places_runs_on_their_whisker_at_their_values():
    root = parsed(figure(["a"], ["one"]))
    [group] = marks(root).values()
    bar = group.find(f"{SVG}rect")
    middle = float(bar.get("x")) + float(bar.get("width")) / 2
    dots = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in group.iter(f"{SVG}circle")][:3]
    assert [x for x, _ in dots] == pytest.approx([middle] * 3, abs=0.02)
    # 96, 100 and 105: the dots are as far apart as the values.
    assert (dots[0][1] - dots[1][1]) / (dots[1][1] - dots[2][1]) == pytest.approx(4 / 5, rel=1e-2)


@pytest.mark.parametrize(("lowest", "marked"), [(96.0, True), (2.0, False)])
def it_puts_no_marker_on_a_run_at_the_foot_of_a_bar(lowest, marked):
    made = figure(["a"], ["one", "two"])
    made["groups"][0] |= {"low": lowest, "points": [[lowest, ""], [100.0, ""], [105.0, ""]]}
    first, second = marks(parsed(made)).values()
    # The whisker is two paths, the marker of the series the third.
    assert [len(group.findall(f"{SVG}path")) for group in (first, second)] == [3 if marked else 2, 3]


@pytest.mark.parametrize("kind", KINDS)
def it_keeps_a_log_axis_true_to_ratios(kind):
    scale = Scale(LOG, 1.0, 1000.0, 0.0, 300.0)
    assert [scale(value) for value in (1, 10, 100, 1000)] == pytest.approx([0, 100, 200, 300])


HOSTILE = "<script>alert(1)</script> & \"quoted\" 'x' \x00\x08 \ud800 \u202e ]]> --> &amp; " + "w" * 90


@pytest.mark.parametrize("drawing", [draw, draw_card])
@pytest.mark.parametrize("kind", KINDS)
def it_escapes_any_text(kind, drawing):
    made = KINDS[kind] | {"title": HOSTILE, "subtitle": HOSTILE, "unit": HOSTILE, "legend": HOSTILE, "notes": [HOSTILE]}
    made["x"] = made["x"] | {"label": HOSTILE, "values": [f"{HOSTILE}{at}" for at, _ in enumerate(made["x"]["values"])]}
    made["series"] = [series | {"name": HOSTILE + str(at)} for at, series in enumerate(made["series"])]
    root = parsed(made, drawing=drawing, title=HOSTILE, description=HOSTILE, footer=HOSTILE)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "title", "desc", "style", "rect", "path", "circle", "text", "g"),
    }
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on") or "href" in name]


@given(st.text(max_size=60))
@settings(max_examples=examples(100))
def it_stays_well_formed_with_any_name(name):
    made = figure([name, "other"], [name, name])
    parsed(made | {"legend": name}, title=name, description=name, footer=name)


def it_refers_to_nothing_outside():
    text = draw(Plate("t", "d", every_kind()))
    assert "url(" not in text and "@import" not in text and not re.search(r"(?<!xmlns=\")https?://", text)


@pytest.mark.parametrize("name", looks.THEMES)
def it_has_the_colours_of_the_site(name):
    css = (ROOT / "static/css/tokens.css").read_text()
    blocks = {"light": css.split("}")[0], "dark": css.split('[data-theme="dark"]')[1].split("}")[0]}
    for made, colours in (("light", looks.LIGHT), ("dark", looks.DARK)):
        for token in ("paper", "ink", "muted", "rule", "rule-strong", "heat", "on-heat"):
            assert f"--{token}: {getattr(colours, token.replace('-', '_'))};" in blocks[made]
        for number, colour in enumerate(colours.series, 1):
            assert f"--series-{number}: {colour};" in blocks[made]
    sheet = looks.style_sheet(name)
    assert (looks.LIGHT.paper in sheet) == (name != "dark") and (looks.DARK.paper in sheet) == (name != "light")
    assert ("prefers-color-scheme" in sheet) == (name == "auto")


def it_aligns_small_panels_and_names_the_series_once():
    made = figure(["off", "lz4"], ["Linux", "FreeBSD"], legend="OS", top=120.0)
    other = made | {"title": "Other", "x": {"label": "Compression", "values": ["off", "a rather long value of two lines"]}}
    shown = words(root := parsed(made, other))
    assert [shown.count(text) for text in ("OS:", "Linux", made["title"], "Other")] == [1, 1, 1, 1]
    bases = {
        round(float(rect.get("y")) + float(rect.get("height")), 1)
        for group in marks(root).values()
        for rect in group.iter(f"{SVG}rect")
    }
    assert len(bases) == 1, "the bars of both stand on one line"


def it_names_many_lines_at_their_ends_with_what_fits():
    names = [f"storage-node-{at:02}.example of a long name" for at in range(40)]
    made = figure(["1", "2"], names, kind="lines")
    made["x"] |= {"numbers": [1.0, 2.0], "scale": "linear"}
    for mark in made["groups"]:
        mark["center"] += 7 * (mark["series"] % 9)
    root = parsed(made)
    named = [text for text in root.iter(f"{SVG}text") if text.get("paint-order")]
    places = sorted(float(text.get("y")) for text in named)
    assert 5 < len(places) < 40 and all(below - above >= 13 for above, below in pairwise(places))
    assert all(float(text.get("x")) + texts.width(text.text, 12) <= 800 for text in named)


@pytest.mark.parametrize("count", [2, 14, 60])
def it_keeps_slanted_labels_on_the_sheet(count):
    root = parsed(figure([f"storage-node-{at:02}.example" for at in range(count)], [""], kind="bars"))
    for text in root.iter(f"{SVG}text"):
        if (turned := text.get("transform")) and "-40" in turned:
            assert float(text.get("x")) - texts.width(text.text, 12) * 0.77 >= 0


def it_says_on_a_card_that_it_shows_a_part():
    many = figure([f"host {at}" for at in range(80)], [""], kind="dots")
    shown = words(parsed(many, many, drawing=draw_card, footer="Poolmark"))
    assert re.fullmatch(r"Poolmark · the first \d+ of 80 · 1 of 2 figures", shown[-1])


def it_draws_a_figure_without_groups_and_a_plate_without_figures():
    made = figure(["a"], ["one"]) | {"groups": []}
    assert "nothing to draw" in words(parsed(made))
    for drawing in (draw, draw_card):
        assert words(parsed(title="Nothing to compare", drawing=drawing))[0] == "Nothing to compare"


@pytest.mark.parametrize("theme_name", ["light", "dark"])
def it_makes_a_picture_of_the_size_of_link_previews(theme_name):
    image = pytest.importorskip("PIL.Image")
    data = png.to_png(draw_card(Plate("Write", "d", every_kind()[:1]), theme_name))
    picture = image.open(io.BytesIO(data)).convert("RGB")
    assert picture.size == (1200, 630)
    paper = (looks.LIGHT if theme_name == "light" else looks.DARK).paper
    assert picture.getpixel((2, 2)) == tuple(int(paper[at : at + 2], 16) for at in (1, 3, 5))
    assert len(picture.getcolors(1 << 20)) > 50, "letters and marks are drawn"


@pytest.mark.parametrize(
    ("texts_", "slot", "angle", "lines"),
    [
        (["off", "lz4"], 100, 0, [["off"], ["lz4"]]),
        (["Debian 12", "FreeBSD 14.1"], 70, 0, [["Debian 12"], ["FreeBSD", "14.1"]]),
        (["raidz2(7)", "mirror(2)"], 40, -40, [["raidz2(7)"], ["mirror(2)"]]),
        (["gzip-6"] * 3, 16, -90, [["gzip-6"]] * 3),
        (["a", "b", "c", "d"], 5, -90, [["a"], [], [], ["d"]]),
    ],
)
def it_wraps_labels_or_turns_them(texts_, slot, angle, lines):
    made = texts.lay_out_labels(texts_, slot, 12)
    assert (made.angle, made.lines) == (angle, lines)


@given(st.text(max_size=80), st.floats(20, 400))
@settings(max_examples=examples(100))
def it_wraps_within_the_room(text, room):
    lines = texts.wrap(text, room, 12)
    assert "".join(lines).replace(" ", "") == texts.printable(text).replace(" ", "")
    assert all(texts.width(line, 12) <= room for line in lines if len(line) > 1)


@pytest.mark.parametrize("fit", [texts.wrap, texts.shorten])
def it_measures_the_letters_of_a_long_word_a_few_times(fit):
    def measured():
        counts = texts._letter.cache_info()
        return counts.hits + counts.misses

    before, word = measured(), "xW" * 5_000
    fit(word, 300, 12)
    assert measured() - before <= 10 * len(word)


def it_names_the_dimension_in_the_legend_and_counts_what_has_no_room():
    made = figure(["a"], [f"series {at}" for at in range(40)], legend="Host")
    entries = frame.lay_out_legend(made, 400, 2)
    assert entries[0].text == "Host:" and re.fullmatch(r"and \d+ more", entries[-1].text)
    assert max(entry.row for entry in entries) == 1
    assert len(entries) - 2 + int(entries[-1].text.split()[1]) == 40
    assert frame.lay_out_legend(figure(["a"], ["alone"]), 400) == []


def it_moves_runs_aside_only_where_they_would_cover_each_other():
    assert shapes.spread([10, 50, 90], 2.5, 20) == [0, 0, 0]
    offsets = shapes.spread([10, 10, 10], 2.5, 20)
    assert len(set(offsets)) == 3 and offsets[0] == 0
    assert shapes.spread([10] * 9, 2.5, 4).count(0.0) >= 1
    assert max(map(abs, shapes.spread([10] * 99, 2.5, 12))) <= 12


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0, 100, ["0", "20", "40", "60", "80", "100"]),
        (0, 1, ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0, 33000, ["0", "10\u202f000", "20\u202f000", "30\u202f000"]),
        (0, 0.00003, ["0", "0.000005", "0.000010", "0.000015", "0.000020", "0.000025", "0.000030"]),
        (-5, 5, ["−4", "−2", "0", "2", "4"]),
    ],
)
def it_has_round_ticks(low, high, shown):
    assert ticks.labels(ticks.linear(low, high)) == shown


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (80, 160, ["80", "90", "100", "110", "120", "130", "140", "150", "160"]),
        (1, 100, ["1", "2", "5", "10", "20", "50", "100"]),
        (0.5, 90, ["0.5", "1", "2", "5", "10", "20", "50"]),
        (0.0001, 1000, ["0.0001", "0.001", "0.01", "0.1", "1", "10", "100", "1\u202f000"]),
        (1, 1e18, None),
    ],
)
def it_has_few_ticks_on_a_log_axis(low, high, shown):
    made = ticks.logarithmic(low, high)
    assert len(made) <= 11
    assert shown is None or ticks.labels(made) == shown


@given(st.floats(1e-9, 1e15), st.floats(1.0001, 1e9))
@settings(max_examples=examples(300))
def it_never_prints_zero_for_another_number(low, ratio):
    for values in (ticks.logarithmic(low, low * ratio), ticks.linear(0, low * ratio), ticks.linear(low, low * ratio)):
        labels = ticks.labels(values)
        assert len(set(labels)) == len(labels)
        assert all(value == 0 or re.search("[1-9]", label) for value, label in zip(values, labels, strict=True))
        assert len(values) <= 12


@pytest.mark.parametrize(("marks_in_all", "named"), [(40, 40), (41, 10)])
def it_names_the_outermost_marks_of_a_crowded_scatter(marks_in_all, named):
    names = [f"h{at}" for at in range(marks_in_all)]
    made = figure(names, ["Linux"], kind="scatter")
    made["x"] |= {"label": "Read", "unit": "MiB/s", "better": ""}
    for at, group in enumerate(made["groups"]):
        group |= {"center": float(at % 7), "low": None, "high": None, "across": {"center": float(at), "low": None, "high": None}}
    shown = {word for word in words(parsed(made)) if word in names}
    assert 2 <= len(shown) <= named
    assert any(9 < int(name[1:]) < 31 for name in shown) == (named == 40)
