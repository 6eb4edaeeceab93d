"""The dashboard and the alert rules name metrics, labels and values that there are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from prometheus_client.metrics import MetricWrapperBase

from webapp.monitoring import metrics
from webapp.views.site import health

pytestmark = pytest.mark.django_db
DEPLOY = Path(settings.BASE_DIR) / "deploy"
_NAME = re.compile(r"\bpoolmark_[a-z0-9_]+")


def dashboard_expressions() -> list[str]:
    board = json.loads((DEPLOY / "grafana/poolmark.json").read_text())
    asked = [variable["query"] for variable in board["templating"]["list"] if variable["type"] == "query"]
    return asked + [target["expr"] for panel in board["panels"] for target in panel["targets"]]


def alerts() -> list[dict]:
    return [rule for group in yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text())["groups"] for rule in group["rules"]]


@pytest.fixture
def exposed() -> dict[str, set[str]]:
    """Name of each sample -> names of its labels."""
    known: dict[str, set[str]] = {}
    for metric in vars(metrics).values():
        if isinstance(metric, MetricWrapperBase):
            suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}[metric._type]
            for suffix in suffixes:
                known[metric._name + suffix] = {*metric._labelnames, *(["le"] if suffix == "_bucket" else [])}
    for name, _, value in health._gauges():
        known[name] = {"kind"} if isinstance(value, dict) else set()
    return known


def test_every_metric_that_is_named_exists(exposed):
    expressions = dashboard_expressions() + [rule["expr"] for rule in alerts()]
    named = {name for expression in expressions for name in _NAME.findall(expression)}
    assert named <= set(exposed), named - set(exposed)
    assert len(named) > 10


def test_every_metric_is_on_the_dashboard(exposed):
    shown = set(_NAME.findall(" ".join(dashboard_expressions())))
    bases = {name.removesuffix("_bucket").removesuffix("_count").removesuffix("_sum") for name in exposed}
    assert bases <= {name.removesuffix("_bucket") for name in shown}


def test_every_label_exists(exposed):
    for expression in dashboard_expressions() + [rule["expr"] for rule in alerts()]:
        there = set().union(*(exposed[name] for name in _NAME.findall(expression)), {"instance", "job"})
        asked = {label for part in re.findall(r"\{([^}]*)\}", expression) for label in re.findall(r"(\w+)(?==|!=)", part)}
        asked |= {label.strip() for part in re.findall(r"\bby \(([^)]*)\)", expression) for label in part.split(",")}
        assert asked <= there, (expression, asked - there)


def test_every_alert_says_what_is_wrong_and_what_to_do():
    text = (Path(settings.BASE_DIR) / "docs/operating.md").read_text()
    for rule in alerts():
        assert rule["annotations"].keys() >= {"summary", "action"} and rule["labels"]["severity"] in ("page", "warn")
        chapter = re.search(r"docs/operating\.md, ([^.]+)\.", rule["annotations"]["action"])
        assert not chapter or f"### {chapter[1]}\n" in text, rule["alert"]


def test_panels_do_not_overlap():
    taken: set[tuple[int, int]] = set()
    for panel in json.loads((DEPLOY / "grafana/poolmark.json").read_text())["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken and max(x for x, _ in cells) < 24
        taken |= cells
