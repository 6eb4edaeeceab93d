"""What the page of a scorecard prints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingest.catalogue import LESS, METRICS
from webapp.comparison.dimensions import DIMENSIONS, in_sentence, value_label
from webapp.comparison.model import EmptyPlace, Group
from webapp.formatting import numbers
from webapp.models import Archive, Configuration, Run, System
from webapp.scorecard.card import BETTER, CANNOT_TELL, ORDER, SAME, SHOWN, WORSE, Card, Line
from webapp.scorecard.sides import Side
from webapp.systems.describe import compare_configurations, configuration_heading, find_newest_run

WIDTH, HEIGHT = 120, 20
"""Pixels of the runs of a line: side a above, side b below."""
_MAX_DOTS = 60
_ARROWS = {WORSE: "▼", BETTER: "▲", CANNOT_TELL: "?", SAME: "=", SHOWN: ""}
_SPEEDS = ("B/s", "1/s")
_HEADINGS = {
    WORSE: "Worse",
    BETTER: "Better",
    CANNOT_TELL: "Cannot tell",
    SAME: "No difference seen",
    SHOWN: "Other numbers of the same runs, not tested",
}


@dataclass(frozen=True, slots=True)
class CardRow:
    """A line as it is printed."""

    line: Line
    arrow: str
    metric: str
    workload: str
    a: str
    b: str
    n: str
    ratio: str
    interval: str
    says: str
    runs: SafeString


def card_context(card: Card, user: Any) -> dict[str, Any]:
    """The context of the page; of two configurations with every key, each with the line that it was read from."""
    pair = [_one_configuration(side, user) for side in (card.a, card.b)]
    counted = [(says, card.count(says)) for says in ORDER]
    return {
        "card": card,
        "difference": compare_configurations(pair[0], pair[1]) if pair[0] and pair[1] else None,
        "pair": [configuration for configuration, _ in filter(None, pair)],
        "title_a": side_title(card.a),
        "title_b": side_title(card.b),
        "count": ", ".join(f"{numbers.count(count)} {says}" for says, count in counted if count and says != SHOWN),
        "chance": _chance(card),
        "parts": [
            (_HEADINGS[says], says, [_make_row(line) for line in card.lines if line.says == says])
            for says, count in counted
            if count
        ],
    }


def _one_configuration(side: Side, user: Any) -> tuple[Configuration, Run] | None:
    """The only configuration that a side names, with the newest run on it that the user may see."""
    values = side.selection.values("configuration")
    configuration = Configuration.objects.select_related("open").filter(pk__in=values).first() if len(values) == 1 else None
    run = find_newest_run(configuration, user) if configuration else None
    return (configuration, run) if configuration and run else None


def side_title(side: Side) -> str:
    """A side as a person would say it."""
    asked = side.selection
    named = dict(asked.filters)
    if asked.archives and not named:
        return " and ".join(str(archive) for archive in Archive.objects.filter(pk__in=asked.archives).order_by("pk"))
    if len(named) == 1 and not asked.archives:
        [(name, values)] = named.items()
        found: list[Any] = []
        if name == "configuration":
            found = [configuration_heading(one) for one in Configuration.objects.filter(pk__in=values).order_by("pk")]
        elif name == "system":
            found = [one.cpu_model or f"System {one.pk}" for one in System.objects.filter(pk__in=values).order_by("pk")]
        if found:
            return " and ".join(found)
    words = [f"study {name}" for name in asked.studies] + [f"archive {pk}" for pk in asked.archives]
    words += [
        f"{in_sentence(DIMENSIONS[name].label)} {' or '.join(value_label(DIMENSIONS[name], text) for text in values)}"
        for name, values in asked.filters
    ]
    return ", ".join(words)


def _chance(card: Card) -> str:
    """`24 tests, 5 apart at 5 % each, about 1 by chance.`"""
    if not card.judged:
        return ""
    chance = round(card.by_chance)
    tests = "test" if card.judged == 1 else "tests"
    return (
        f"{numbers.count(card.judged)} {tests}, {numbers.count(card.apart)} apart at 5 % each taken alone, "
        f"{f'about {chance}' if chance else 'fewer than 1'} by chance; words hold over all of them (Holm)."
    )


def _make_row(line: Line) -> CardRow:
    matched = [f"{DIMENSIONS[name].label.lower()} {value_label(DIMENSIONS[name], text)}" for name, text in line.matched]
    said = line.claim or line.withheld
    if line.doubts and line.tested:
        said = f"{said}; {', '.join(line.doubts)}"
    evidence = apart(line.a, line.b)
    return CardRow(
        line,
        _ARROWS[line.says],
        METRICS[line.metric].label,
        ", ".join([line.label, *(text for text in matched if not text.startswith("machine "))]),
        _value(line.a, line.metric),
        _value(line.b, line.metric),
        f"{line.a.n if isinstance(line.a, Group) else 0} / {line.b.n if isinstance(line.b, Group) else 0}",
        relative(line),
        f"{numbers.ratio(line.own.low)} to {numbers.ratio(line.own.high)}" if line.own and line.own.low is not None else "",
        "; ".join(part for part in (evidence, said) if part),
        draw_runs(line.a, line.b),
    )


def _value(group: Group | EmptyPlace, metric: str) -> str:
    if isinstance(group, EmptyPlace):
        return "no number"
    if len(group.parts) > 1:
        return " | ".join(numbers.quantity(part, metric) for part in group.parts)
    sign = {"above": "> ", "below": "< "}.get(group.bound, "")
    return f"{sign}{numbers.quantity(group.center, metric)}"


def relative(line: Line) -> str:
    """The ratio of a to b in words: `38 % slower`, `2.4 times as fast`, `12 % longer`."""
    own, metric = line.own, METRICS[line.metric]
    if own is None or own.ratio is None:
        return ""
    sign = {"above": "more than ", "below": "less than "}.get(own.ratio_bound, "")
    if not 0.5 <= own.ratio < 2:
        return f"{sign}{numbers.ratio(own.ratio)}"
    share = abs(own.ratio - 1) * 100
    if share < 0.05:
        return "equal"
    if metric.unit in _SPEEDS:
        word = "faster" if own.ratio > 1 else "slower"
    elif metric.better == LESS and metric.unit == "s":
        word = "longer" if own.ratio > 1 else "shorter"
    else:
        word = "higher" if own.ratio > 1 else "lower"
    return f"{sign}{numbers.number(share, 2)} % {word}"


def apart(a: Group | EmptyPlace, b: Group | EmptyPlace) -> str:
    """`all 3 below all 3`; empty where ranges overlap, for one run a side, or where not every run is known."""
    if isinstance(a, EmptyPlace) or isinstance(b, EmptyPlace) or a.unmeasured or b.unmeasured:
        return ""
    ones, others = ([value for value, _ in group.values] for group in (a, b))
    if len(ones) < 2 or len(others) < 2:
        return ""
    if max(ones) < min(others):
        return f"all {len(ones)} below all {len(others)}"
    return f"all {len(ones)} above all {len(others)}" if min(ones) > max(others) else ""


def draw_runs(a: Group | EmptyPlace, b: Group | EmptyPlace) -> SafeString:
    """The runs of both sides as dots on one logarithmic scale."""
    rows = [[value for value, _ in group.values][:_MAX_DOTS] if isinstance(group, Group) else [] for group in (a, b)]
    every = [value for row in rows for value in row if value > 0]
    if not every:
        return SafeString("")
    low, high = math.log(min(every)), math.log(max(every))
    span = max(high - low, 0.01)
    middle = (low + high) / 2
    dots = [
        (round(WIDTH / 2 + (math.log(value) - middle) / span * (WIDTH - 8), 1), 5 + 10 * at, "ab"[at])
        for at, row in enumerate(rows)
        for value in row
        if value > 0
    ]
    drawn = format_html_join("", '<circle cx="{}" cy="{}" r="2.5" class="runs-{}"/>', dots)
    return format_html(
        '<svg class="runs" viewBox="0 0 {} {}" width="{}" height="{}" aria-hidden="true">{}</svg>',
        WIDTH,
        HEIGHT,
        WIDTH,
        HEIGHT,
        drawn,
    )
