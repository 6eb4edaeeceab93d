"""Title, axis, sentence, caption and data of a figure name the same metrics, workload and groups: of every kind, over the
shipped data, for addresses that hypothesis draws."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlencode

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.catalogue import METRICS
from ingest.series_catalogue import SERIES_METRICS
from ingest.tests.thinning import examples
from webapp.comparison.compare import compare
from webapp.comparison.dimensions import DIMENSIONS, in_sentence, value_label
from webapp.comparison.model import Comparison
from webapp.comparison.selection import CURVES, KINDS, parse
from webapp.figures import naming
from webapp.formats.canonical import canonical_json
from webapp.formatting import numbers
from webapp.pages import sentences
from webapp.pages.comparison_page import comparison_context, make_plate
from webapp.permalinks import freeze
from webapp.studies import registry

pytestmark = pytest.mark.django_db
LATENCIES = ("random_read.latency", "write.latency", "read.latency", "random_write.latency")
NAMES = (
    "write.throughput",
    "read.throughput",
    "rewrite.throughput",
    "random_read.rate",
    "file_create.rate",
    "copy.elapsed",
    *LATENCIES,
)
NAMES += ("random_write.throughput", "io500.score", "rewrite.cpu", "copy.size", "create_seq.latency")
PAIRS = (
    NAMES[:2],
    NAMES[1:3],
    ("random_read.rate", "random_read.throughput"),
    ("io500.score", "write.throughput"),
    ("copy.elapsed", "copy.size"),
)
USUAL = ("compression", "fs", "os", "host", "cpu", "layout")
NUMERIC = ("record_size", "threads", "block_size", "month", "nodes", "file_size")
AXES = ("", "tool", "archive", *USUAL, *NUMERIC)
BASELINES = {"compression": ("off",), "fs": ("ext4", "zfs"), "os": ("Debian", "SunOS")}
CAPTURED = "captured-file-systems"
"""The study with numbers over time."""


@st.composite
def addresses(draw: Callable) -> str:
    """The address of a comparison: of any kind, mostly with the axes, metrics and baseline that it needs."""
    kind, is_fitting = draw(st.sampled_from(KINDS)), draw(st.integers(0, 4)) > 0
    most = 2 if kind == "scatter" else 1 if kind == "percentiles" else 3
    metrics = st.lists(
        st.sampled_from(LATENCIES if is_fitting and kind == "percentiles" else NAMES), min_size=1, max_size=most, unique=True
    )
    pairs = [("metric", name) for name in draw(metrics)]
    if is_fitting and kind == "scatter":
        pairs = [("metric", name) for name in draw(st.sampled_from(PAIRS))]
    x = draw(st.sampled_from(NUMERIC if is_fitting and kind == "lines" else USUAL if is_fitting else AXES))
    series = draw(st.sampled_from(USUAL + NUMERIC if is_fitting and kind == "heat" else ("", "", "metric", *AXES)))
    baseline = draw(st.sampled_from(BASELINES.get(x, ("",)) if is_fitting and kind == "ratio" else ("", "", "off", "ext4")))
    studies = [CAPTURED] * 4 if kind in CURVES else ["", *registry.shipped_studies()]
    some = {
        "x": (x,),
        "series": (series,),
        "facet": ("", "", "", *AXES),
        "baseline": (baseline,),
        "study": studies,
        "kind": (kind,),
        "control": ("", "", "off"),
        "scale": ("", "log"),
        "sort": ("", "value"),
        "compression": ("", "", "", "off"),
        "normalise": ("", "", "", "baseline", "disk"),
    }
    pairs += [(name, draw(st.sampled_from(values))) for name, values in some.items()]
    return urlencode([pair for pair in pairs if pair[1]])


@dataclass
class Shown:
    """A comparison with everything that shows it: JSON, context and HTML of the page, CSV, the text of the picture, the record."""

    comparison: Comparison
    data: dict
    page: dict
    html: str
    rows: list[dict]
    picture: str
    record: dict | None

    def groups(self, panel: dict | None = None) -> list[dict]:
        """The groups that are drawn."""
        panels = self.data["panels"] if panel is None else [panel]
        return [group for one in panels for group in one["groups"] if group["center"] is not None or group["parts"]]

    @property
    def metrics(self) -> list[str]:
        return list(dict.fromkeys(metric for panel in self.data["panels"] for metric in panel["metrics"]))

    @property
    def curves(self) -> list[dict]:
        return self.data.get("curves", {}).get("figures", [])


def show(query: str) -> Shown:
    client, selection = Client(), parse(parse_qsl(query))
    comparison = compare(selection, AnonymousUser(), exact=True)
    plate = make_plate(comparison)
    draft = freeze.draft_comparison(selection, AnonymousUser(), "", "")
    return Shown(
        comparison,
        client.get(f"/compare.json?{query}").json(),
        comparison_context(comparison),
        unescape(client.get(f"/compare?{query}").text),
        list(csv.DictReader(io.StringIO(client.get(f"/compare.csv?{query}").text))),
        f"{plate.title} {plate.description}",
        json.loads(canonical_json(draft.content)) if draft.values else None,
    )


def x_name(shown: Shown, group: dict) -> str:
    return naming.x_label(shown.comparison.selection, group["x"])


def series_name(shown: Shown, group: dict) -> str:
    return naming.series_label(shown.comparison.selection, group["series"])


def named(metric: str, several: bool) -> str:
    """How a title names a metric: by its label, of several in one figure at least by its operation."""
    return METRICS[metric].label.split(",")[0] if several else METRICS[metric].label


def titles_name_metrics_and_workload(shown: Shown) -> None:
    """Every figure, the heading of the page and that of the picture."""
    titles = [table.title for table in shown.page["tables"]]
    heading, workload = shown.page["heading"], shown.data["workload"]
    assert shown.picture.startswith(heading) and f'<h1 id="compare-title" tabindex="-1">{heading}</h1>' in shown.html
    assert len(titles) == len(shown.data["panels"])
    for panel, title in zip(shown.data["panels"], titles, strict=True):
        for metric in panel["metrics"]:
            assert named(metric, len(panel["metrics"]) > 1) in title
        others = {named(metric, several=False) for metric in METRICS} - {named(metric, several=False) for metric in shown.metrics}
        assert not any(title.startswith((f"{label}:", f"{label};")) for label in others)
        if workload and "tool" in workload:
            assert workload["tool"] in title and workload["tool"] in heading
    for table in shown.page["tables"][:3]:
        assert table.title.partition(":")[0].partition(";")[0].partition(", against")[0] in heading


def axes_name_the_dimensions(shown: Shown) -> None:
    selection = shown.comparison.selection
    wanted = DIMENSIONS[selection.x].label if selection.x in DIMENSIONS else ""
    for table in shown.page["tables"]:
        figure = table.figure
        assert table.x == (wanted or "Group")
        if figure["kind"] == "scatter":
            assert named(selection.metrics[1], several=False) in figure["x"]["label"]
        else:
            assert figure["x"]["label"] == wanted
        if selection.series in DIMENSIONS:
            assert figure["legend"] == DIMENSIONS[selection.series].label == table.series


def marks_are_the_groups_of_the_data(shown: Shown) -> None:
    """Each mark of a figure, and each row of its table, is a group of the JSON with its number; no group is left out unsaid."""
    for panel, table in zip(shown.data["panels"], shown.page["tables"], strict=True):
        figure, groups = table.figure, shown.groups(panel)
        places = {(x_name(shown, group), series_name(shown, group)): group for group in groups}
        assert len(places) == len(groups)
        values = figure["x"]["values"]
        marks = [(values[mark["x"]], figure["series"][mark["series"]]["name"]) for mark in figure["groups"]]
        assert len(set(marks)) == len(marks) and set(marks) <= set(places)
        if set(marks) != set(places):
            assert figure["kind"] in ("scatter", "ratio")
            assert figure["kind"] == "ratio" or any(note.startswith("Not drawn: ") for note in figure["notes"])
        factors = set()
        for place, mark in zip(marks, figure["groups"], strict=True):
            group = places[place]
            assert mark["n"] == group["n"]
            if figure["kind"] == "ratio":
                assert mark["center"] == group["verdict"]["ratio"]
            elif group["center"]:
                factors.add(f"{group['center'] / mark['center']:.6g}")
        assert len(factors) <= 1, "one unit a figure"
        rows = {(row.x, row.series) for row in table.rows if not row.reason}
        assert rows == set(places)


def the_csv_has_the_groups(shown: Shown) -> None:
    if shown.curves:
        return
    of_rows = {(row["metric"], row["x"], row["series"], row["facet"]) for row in shown.rows}
    groups = {tuple(group[name] for name in ("metric", "x", "series", "facet")) for group in shown.groups()}
    assert {tuple(name.removeprefix("'") for name in row) for row in of_rows} == groups


def a_design_is_of_what_is_drawn(shown: Shown) -> None:
    """One bar is no comparison, and nothing that is called controlled is called not controlled."""
    places = Counter(group["metric"] for group in shown.groups())
    several = max(places.values(), default=0) > 1
    assert (shown.data["design"] is not None) == several and shown.data["sought"]
    said = [shown.page["sentence"], shown.page["design"], shown.picture, *re.findall(r'content="([^"]*)"', shown.html)]
    if shown.record:
        assert shown.record["design"] == shown.data["design"]
        said += [shown.record["caption"], shown.record["title"], *(flag["sentence"] for flag in shown.record["flags"])]
    if not several:
        assert not any(re.search("controlled|comparison| times as| as they stand", text, re.IGNORECASE) for text in said)
        assert not any(group["verdict"] for group in shown.groups())
    if shown.data["design"] == "controlled":
        words = [*said, *(str(group["withheld"]) for group in shown.groups())]
        assert not any("not controlled" in text.lower() for text in words)
    if shown.page["design"].startswith("Controlled"):
        selection = shown.comparison.selection
        for axis in selection.axes:
            at = next(name for name in ("x", "series", "facet") if getattr(selection, name) == axis)
            by_metric = [{group[at] for group in shown.groups() if group["metric"] == metric} for metric in shown.metrics]
            differs = re.search(r"only (.*?) differs?\.", shown.page["design"])
            assert differs
            assert (in_sentence(DIMENSIONS[axis].label) in differs[1].split(" and ")) == any(len(some) > 1 for some in by_metric)


ENDS = re.compile(r"owest (.+?)(?: \(.*?\))?, highest (.+?)(?: \(.*?\))?, of ([\d\N{NARROW NO-BREAK SPACE}]+) groups; ")


def sentences_are_of_what_is_drawn(shown: Shown) -> None:
    """The claim, ratio or ends of the sentence are those of groups of the data, and its metric can be told."""
    sentence, selection = shown.page["sentence"], shown.comparison.selection
    if not sentence:
        assert not shown.groups()
        return
    if "curves" not in shown.data or not shown.curves:
        assert sentence in shown.picture
    assert sentence in shown.html
    judged = [group for group in shown.groups() if group["verdict"] and group["verdict"]["ratio"] is not None]
    claimed = [group for group in judged if group["claim"]]
    if claimed:
        scopes = {group["verdict"]["scope"] for group in claimed}
        texts = {
            "session": "in this session",
            "sessions": "sessions",
            "system": "on this system",
            "machines": "on these machines",
            "systems": "stand",
        }
        assert any(texts[scope] in sentence for scope in scopes)
    elif judged:
        assert "no claim" in sentence
    elif ends := ENDS.search(sentence):
        largest = max(shown.data["panels"], key=lambda panel: len(shown.groups(panel)))["metrics"]
        alike = [at for at, panel in enumerate(shown.data["panels"]) if panel["metrics"] == largest]
        if len(alike) < len(shown.data["panels"]):
            assert all(
                table.title.startswith(sentence.partition(": lowest")[0]) for table in [shown.page["tables"][at] for at in alike]
            )
        groups = [group for at in alike for group in shown.groups(shown.data["panels"][at])]
        values = [number for group in groups for number in group["parts"] or [group["center"]]]
        factors = [naming.panel_unit(selection, shown.comparison.panels[at])[1] for at in alike]
        for text, number in ((ends[1], min(values)), (ends[2], max(values))) if selection.kind != "scatter" else ():
            assert any(numbers.number(number / factor) in text for factor in factors)
    else:
        assert re.search(r"[\d\N{NARROW NO-BREAK SPACE}]+ runs?( of .+)?, .*; there is nothing to compare it with", sentence)
    if judged and len(shown.metrics) > 1:
        thrice = SimpleNamespace(ratio=3.0, ratio_bound="")
        phrase_of = {metric: sentences._relation(metric, thrice) for metric in shown.metrics}
        phrases = Counter(phrase_of.values())
        assert (
            any(sentence.startswith(f"{METRICS[metric].label}: ") or phrases[phrase_of[metric]] == 1 for metric in shown.metrics)
            or "No difference" in sentence
        )


def captions_count_what_is_drawn(shown: Shown) -> None:
    if not shown.record:
        return
    record = shown.record
    runs = sum(group["n"] for group in shown.groups())
    assert record["caption"].startswith(f"{numbers.count(runs)} run{'' if runs == 1 else 's'} of ")
    assert [panel["metrics"] for panel in record["panels"]] == [panel["metrics"] for panel in shown.data["panels"]]
    assert record["workload"] == dict(shown.comparison.workload)
    assert {(g["metric"], g["x"], g["series"], g["facet"]) for panel in record["panels"] for g in panel["groups"]} == {
        (g["metric"], g["x"], g["series"], g["facet"]) for g in shown.groups()
    }
    assert [figure["title"] for figure in record["figures"]] == [drawing.title for drawing in shown.page["drawings"]]
    assert [figure["x"]["label"] for figure in record["figures"]] == [
        drawing.figure["x"]["label"] for drawing in shown.page["drawings"]
    ]
    assert {value["metric"] for value in record["values"]} <= set(shown.metrics)


OF_LABEL = {metric.label: name for name, metric in SERIES_METRICS.items()}


def curves_are_of_the_metric(shown: Shown) -> None:
    """Of the quantity and direction of a metric that is compared, and of runs of its groups; else the page says so."""
    kind, figures = shown.comparison.selection.kind, shown.curves
    if kind not in CURVES:
        assert not figures
        return
    assert bool(figures) != ("Bars are drawn instead." in shown.html)
    metrics = [METRICS[name] for name in shown.metrics]
    groups = {", ".join(filter(None, naming_of(shown, group))) for group in shown.groups()}
    for figure in figures:
        if kind == "percentiles":
            assert any(metric.quantity == "latency" and figure["title"].startswith(metric.label) for metric in metrics)
        else:
            name = OF_LABEL[figure["title"].partition(": ")[0]]
            quantity = name.rpartition(".")[2]
            of_quantity = [metric for metric in metrics if metric.quantity == quantity]
            assert of_quantity
            directed = [metric for metric in of_quantity if "read" in metric.operation or "write" in metric.operation]
            for way in ("read", "write"):
                if f".{way}." in name and len(directed) == len(of_quantity):
                    assert any(way in metric.operation for metric in of_quantity)
        if not any("whole run" in note for note in shown.data["curves"]["notes"]) and any(groups):
            for series in figure["series"]:
                parts = series["name"].split(", ")
                assert any(group in series["name"] for group in groups), (parts, groups)


def naming_of(shown: Shown, group: dict) -> list[str]:
    selection = shown.comparison.selection
    series = series_name(shown, group) if selection.series in DIMENSIONS else ""
    facet = value_label(DIMENSIONS[selection.facet], group["facet"]) if selection.facet in DIMENSIONS else ""
    return [x_name(shown, group) if selection.x else "", series, facet]


def reasons_are_true(shown: Shown) -> None:
    """A kind that is not drawn has a reason that holds."""
    selection = shown.comparison.selection
    for table in shown.page["tables"]:
        notes = " ".join(table.figure["notes"])
        assert not (len(selection.metrics) == 2 and "exactly two metrics" in notes)
        assert not (table.baseline and "Ratios need a baseline" in notes)


SUPPRESSED = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture)
CHECKS = (
    titles_name_metrics_and_workload,
    axes_name_the_dimensions,
    marks_are_the_groups_of_the_data,
    the_csv_has_the_groups,
    a_design_is_of_what_is_drawn,
    sentences_are_of_what_is_drawn,
    captions_count_what_is_drawn,
    curves_are_of_the_metric,
    reasons_are_true,
)


def agrees(query: str) -> bool:
    """Whether anything is drawn; what is drawn agrees."""
    shown = show(query)
    if shown.data["panels"]:
        for check in CHECKS:
            check(shown)
    return bool(shown.data["panels"])


@pytest.mark.thorough
@pytest.mark.usefixtures("first_start")
@settings(deadline=None, max_examples=examples(15), suppress_health_check=SUPPRESSED)
@given(addresses())
def it_names_the_same_everywhere(query):
    agrees(query)
