"""What the page of a scorecard prints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingest.catalogue import LESS, METRICS
from webapp.accounts import access
from webapp.comparison.dimensions import DIMENSIONS, MACHINE, UNKNOWN, in_sentence, named_value, value_label
from webapp.comparison.model import EmptyPlace, Group
from webapp.comparison.selection import Selection, parse
from webapp.comparison.summary.row import RowKey
from webapp.figures import naming
from webapp.formatting import numbers
from webapp.models import Archive, Configuration, System
from webapp.models.archive import ArchiveQuerySet
from webapp.scorecard.card import BESIDE, BETTER, CANNOT_TELL, ORDER, SAME, SHOWN, WORSE, Card, Line, make_card
from webapp.scorecard.normal import Standing, find_standings
from webapp.scorecard.sides import BadSide, CardSide, read_side, read_sides
from webapp.systems import system_queries
from webapp.systems.configuration_list import tell_apart
from webapp.systems.describe import compare_configurations, configuration_heading, find_newest_run
from webapp.systems.system_index import BETWEEN, say_name, system_name

WIDTH, HEIGHT = 120, 20
"""Pixels of the runs of a line: side a above, side b below."""
_MAX_DOTS = 60
MAX_SIDE = 500
"""Characters of a side in an address."""
MIN_NEAR = 3
"""Other systems from which a place among them is said beside a result."""
_MAX_PARTNERS = 20
_ARROWS = {WORSE: "▼", BETTER: "▲", CANNOT_TELL: "?", SAME: "=", BESIDE: "", SHOWN: ""}
_HEADINGS = {
    WORSE: "Worse",
    BETTER: "Better",
    CANNOT_TELL: "Cannot tell",
    SAME: "No difference seen",
    BESIDE: "Beside each other: the nearest workloads, which are unlike",
    SHOWN: "Other numbers of the same runs, not tested",
}


def read_card(asked: QueryDict, user: Any, version: int, *, exact: bool = False) -> Card:
    """The card of an address. BadSide where a side is missing or names nothing."""
    sides = [" ".join(asked.get(name, "").split())[:MAX_SIDE] for name in ("a", "b")]
    if not all(sides):
        raise BadSide("")
    metrics = [name for name in asked.getlist("metric") if name in METRICS]
    return make_card(*read_sides(sides[0], sides[1], user, version, exact=exact), metrics)


def read_standings(asked: QueryDict, user: Any, version: int) -> tuple[str, list[Standing]]:
    """The side of an address, and where it lies. `a=SIDE`, or `archive=ID`; other filters are of the systems
    beside it. BadSide where it names nothing."""
    text = " ".join(asked.get("a", "").split())[:MAX_SIDE]
    if not text and asked.get("archive"):
        text = f"archive:{asked['archive']}"[:MAX_SIDE]
    side = read_side(text, user, version)
    pairs = [(name, value) for name, values in asked.lists() if name in DIMENSIONS for value in values]
    metrics = [name for name in asked.getlist("metric") if name in METRICS]
    return text, find_standings(side, metrics, parse(pairs))


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
    named = _read_named(card)
    titles = [side_title(side, named) for side in (card.a, card.b)]
    counted = [(says, card.count(says)) for says in ORDER]
    return {
        "card": card,
        **_compare_keys(card, named, user),
        "title_a": titles[0],
        "title_b": titles[1],
        "short_a": _without_common(titles[0], titles[1]),
        "short_b": _without_common(titles[1], titles[0]),
        "notes": [*card.a.notes, *card.b.notes],
        "count": ", ".join(f"{numbers.count(count)} {says}" for says, count in counted if count and says not in (BESIDE, SHOWN)),
        "chance": _chance(card),
        "parts": [
            (_HEADINGS[says], says, [_make_row(line) for line in card.lines if line.says == says])
            for says, count in counted
            if count
        ],
    }


def side_title(side: CardSide, named: Mapping[int, Any] | None = None) -> str:
    """A side as a person would say it. `named`: configurations, systems or archives by id, where they were read before."""
    asked = side.selection
    filters = dict(asked.filters)
    if side.is_named:
        return side.text
    if asked.archives and not filters:
        found = Archive.objects.in_bulk(asked.archives) if named is None else named
        return " and ".join(str(found[pk]) for pk in asked.archives if pk in found)
    if len(filters) == 1 and not asked.archives:
        [(name, values)] = filters.items()
        if name == "configuration":
            known = Configuration.objects.in_bulk(map(int, values)) if named is None else named
            return " and ".join(configuration_heading(one) for pk in values if (one := known.get(int(pk))))
        if name == "system":
            return " and ".join(system_name(one) for one in System.objects.in_bulk(map(int, values)).values())
    words = [f"study {name}" for name in asked.studies] + [f"archive {pk}" for pk in asked.archives]
    words += [
        f"{in_sentence(DIMENSIONS[name].label)} {' or '.join(value_label(DIMENSIONS[name], text) for text in values)}"
        for name, values in asked.filters
    ]
    return ", ".join(words)


def _without_common(title: str, other: str) -> str:
    """What a title has that the other has not: `file system ext4`; the title where that is nothing."""
    between = BETWEEN if BETWEEN in title else ", "
    common = other.split(between)
    return between.join(part for part in title.split(between) if part not in common) or title


def _read_named(card: Card) -> Mapping[int, Any] | None:
    """The archives, or the configurations, that both sides name, by id; None where they name unlike things. One query."""
    sides = [side.selection for side in (card.a, card.b)]
    if all(side.archives and not side.filters for side in sides):
        return Archive.objects.in_bulk({pk for side in sides for pk in side.archives})
    if all([name for name, _ in side.filters] == ["configuration"] and not side.archives for side in sides):
        wanted = {int(pk) for side in sides for pk in side.values("configuration")}
        return Configuration.objects.select_related("open").in_bulk(wanted)
    return None


def _compare_keys(card: Card, named: Mapping[int, Any] | None, user: Any) -> dict[str, Any]:
    """Of two configurations every key beside the other, with its line of the newest run that the user may see."""
    ids = [side.selection.values("configuration") for side in (card.a, card.b)]
    if not named or any(len(values) != 1 for values in ids):
        return {}
    pair = [named[int(values[0])] for values in ids if int(values[0]) in named]
    runs = [run for run in (find_newest_run(one, user) for one in dict.fromkeys(pair)) if run is not None]
    by_configuration = {run.configuration_id: run for run in runs}
    if len(pair) < 2 or any(one.pk not in by_configuration for one in pair):
        return {}
    a, b = ((one, by_configuration[one.pk]) for one in pair)
    return {"difference": compare_configurations(a, b), "pair": pair}


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
    matched = [named_value(name, text) for name, text in line.matched if text != UNKNOWN and name != MACHINE]
    said = line.claim or line.withheld
    if line.doubts and line.tested:
        said = f"{said}; {', '.join(line.doubts)}"
    evidence = apart(line.a, line.b)
    return CardRow(
        line,
        _ARROWS[line.says],
        METRICS[line.metric].label,
        ", ".join([line.label, *matched]),
        _value(line.a, line.metric),
        _value(line.b, line.metric),
        f"{line.a.n if isinstance(line.a, Group) else 0} / {line.b.n if isinstance(line.b, Group) else 0}",
        relative(line),
        naming.interval_words(line.own.ratio, line.own.low, line.own.high) if line.own else "",
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
    """The ratio of a to b in words."""
    own = line.own
    return naming.relative_words(line.metric, own.ratio, own.ratio_bound) if own is not None and own.ratio is not None else ""


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


# What a side can be put beside: the first things that a person would name.


def earlier_uploads(archive: int, user: Any) -> list[Archive]:
    """The archives of its owner with runs on a machine of this one, uploaded before it, newest first, that the user may read. One
    query."""
    readable = Archive.objects.readable_by(user).of_owner_of(archive).filter(pk__lt=archive)
    return list(readable.on_machines_of([archive]).order_by("-pk")[:_MAX_PARTNERS])


def compare_own_uploads(of: str, shown: Iterable[Archive], every: ArchiveQuerySet | None, user: Any) -> tuple[str, Archive] | None:
    """The query of the newest of the user's own uploads against the one before it, and that one; None where there are not two.

    `of`: the system or configuration that both have, as filters of a side; `shown`: archives with it, `every`: all of them where
    these are not all, which are looked for by one query.
    """
    if not user.is_authenticated:
        return None
    own = list({one.pk: one for one in shown if access.owns(user, one) and not one.is_withdrawn}.values())
    if every is not None:
        own = list(every.standing_of(user).order_by("-pk")[:2])
    if len(own) < 2:
        return None
    return urlencode({side: f"archive={one.pk},{of}" for side, one in zip("ab", own[:2], strict=True)}, safe="=,"), own[1]


def find_partners(side: CardSide, user: Any) -> list[tuple[str, str]]:
    """(what it is, text of the side) that a side can be put beside."""
    asked = side.selection
    if len(asked.archives) == 1 and not asked.filters:
        earlier = earlier_uploads(asked.archives[0], user)
        found = [(f"earlier upload of the same machine: {archive}", f"archive:{archive.pk}") for archive in earlier]
        if len(earlier) > 1:
            every = ",".join(str(archive.pk) for archive in earlier)
            found.append((f"all {len(earlier)} earlier uploads of the same machine", f"archive:{every}"))
        return found
    configuration = Configuration.objects.filter(pk__in=asked.values("configuration")).first()
    if configuration is None or find_newest_run(configuration, user) is None:
        return []
    scopes = Archive.objects.scopes_of(user)
    others, _ = system_queries.read_configurations(configuration.system_id, scopes, None, _MAX_PARTNERS)
    named = [(configuration_heading(one), one) for one in others if one.pk != configuration.pk]
    apart = tell_apart(named)
    return [(", ".join(filter(None, (name, apart.get(one.pk)))), f"configuration:{one.pk}") for name, one in named]


# Where a result lies among all public systems.


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A standing as it is printed. `place`: `2nd of 8 systems`; `systems`: (value, runs, name, id, whether it is this one)."""

    standing: Standing
    metric: str
    place: str
    value: str
    quartiles: str
    strip: SafeString
    systems: list[tuple[str, int, str, str, bool]]

    @property
    def is_few(self) -> bool:
        """Whether too few other systems are near to say what is normal."""
        return len(self.standing.others) < MIN_NEAR


def list_standings(side: CardSide, only: Mapping[RowKey, Sequence[float]] | None = None) -> dict[str, Any]:
    """The context of `versus/_standings.html`: where a side, or a single run of it, lies in its main metrics. Six queries."""
    try:
        return {"standings": [standing_row(one) for one in find_standings(side, (), Selection(), only)], "side": side.text}
    except BadSide:
        return {"standings": []}


def standing_row(standing: Standing) -> StandingRow:
    every = [(standing.own, True), *((other, False) for other in standing.others)]
    is_less = METRICS[standing.metric].better == LESS
    every.sort(key=lambda item: item[0].value if is_less else -item[0].value)
    found = standing.quartiles
    quarters = [numbers.quantity(value, standing.metric) for value in found] if found else []
    return StandingRow(
        standing,
        METRICS[standing.metric].label,
        f"{ordinal(standing.rank)} of {standing.count} systems" if standing.others else "",
        numbers.quantity(standing.own.value, standing.metric),
        f"half of all lie between {quarters[0]} and {quarters[2]}, the middle is {quarters[1]}" if quarters else "",
        draw_strip([standing.own.value], [other.value for other in standing.others]),
        [(numbers.quantity(one.value, standing.metric), one.n, say_name(one.texts), one.system, own) for one, own in every],
    )


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{numbers.count(number)}{ending}"


def draw_strip(own: Sequence[float], others: Sequence[float]) -> SafeString:
    """A dot for each system on a logarithmic scale, the own ones last, so that they lie on top."""
    dots = [(value, mark) for values, mark in ((others, "b"), (own, "a")) for value in values if value > 0]
    if len(dots) < 2:
        return SafeString("")
    low, high = (math.log(edge(value for value, _ in dots)) for edge in (min, max))
    span = max(high - low, 0.01)
    drawn = format_html_join(
        "",
        '<circle cx="{}" cy="10" r="4" class="runs-{}"/>',
        ((round(6 + (math.log(value) - low) / span * 388, 1), mark) for value, mark in dots),
    )
    return format_html('<svg class="runs" viewBox="0 0 400 20" width="400" height="20" aria-hidden="true">{}</svg>', drawn)
