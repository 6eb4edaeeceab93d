"""Comparisons and standings as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from poolmark import cards, units
from poolmark.http import Site

PLACES = ("x", "series", "facet")
"""Where the names of a group stand."""
HEADS = ("metric", "facet", "group", "centre", "spread", "runs", "sessions", "claim", "doubts")


def read(site: Site, query: str) -> tuple[dict[str, Any], str]:
    """The comparison of a query or of an address of the server, as /compare.json has it, and its address."""
    if "://" in query:
        cards.inside(site, query)
        query = urlsplit(query).query
    query = query.lstrip("?")
    return site.get("/compare", query_of(query)), f"{site.url}/compare?{query}"


def query_of(text: str) -> dict[str, list[str]]:
    """The parts of a query, or of that of an address."""
    return parse_qs(urlsplit(text).query if "://" in text else text, keep_blank_values=True)


def rows(found: Mapping[str, Any]) -> Iterator[list[str]]:
    """A row for each group that has a value or a bound, and what its name is a value of: `compression off`."""
    axes = axes_of(found.get("query"))
    for panel in found.get("panels") or ():
        for group in panel.get("groups") or ():
            unit = str(panel.get("unit") or units.unit_of(str(group.get("metric"))))
            if not (center := center_of(group, unit)):
                continue
            spread = [units.quantity(group[end], unit) for end in ("low", "high") if group.get(end) is not None]
            yield [
                str(group.get("metric")),
                ", ".join(names_of(group, axes, "facet")),
                ", ".join(names_of(group, axes, "x", "series")),
                center,
                " to ".join(spread),
                str(group.get("n", "")),
                str(group.get("sessions", "")),
                str(group.get("claim") or ""),
                ", ".join(group.get("doubts") or ()),
            ]


def axes_of(query: object) -> dict[str, str]:
    """Place of a group's name -> dimension: the same `off` is of compression, or of deduplication."""
    asked = query_of(str(query or ""))
    return {place: asked[place][0] for place in PLACES if place in asked}


def names_of(group: Mapping[str, Any], axes: Mapping[str, str], *places: str) -> list[str]:
    """`fs zfs`, `memory 8 GiB`, ...: at all places, or at these."""
    found = [(axes.get(place, ""), str(group[place])) for place in places or PLACES if group.get(place)]
    return [units.parameter(axis, _value(axis, value)).strip() for axis, value in found]


def _value(axis: str, value: str) -> object:
    return int(value) if axis in units.SIZES and value.isdigit() else "not recorded" if value == "~" else value


def center_of(group: Mapping[str, Any], unit: str) -> str:
    """The centre with its unit, `>` or `<` where it is a bound, those of sessions that are apart; empty without any."""
    sign = {"above": "> ", "below": "< "}.get(str(group.get("bound")), "")
    if group.get("center") is not None:
        return sign + units.quantity(group["center"], unit)
    return " and ".join(units.quantity(float(one), unit) for one in group.get("parts") or ())


def notes(found: Mapping[str, Any]) -> Iterator[str]:
    """What stands beside the figure: the workload, why there is no claim, the doubts of the figure."""
    workload = found.get("workload")
    if workload:
        yield ", ".join(cards.workload_words(workload, found.get("tool_versions") or ()))
    else:
        yield "Nothing is drawn: no run fits the query."
    groups = [group for panel in found.get("panels") or () for group in panel.get("groups") or ()]
    for reason in dict.fromkeys(str(group["withheld"]) for group in groups if group.get("withheld")):
        yield f"no claim: {reason}"
    for flag in found.get("flags") or ():
        yield str(flag.get("sentence"))


def standing_rows(found: Mapping[str, Any]) -> Iterator[list[str]]:
    """A row for each result of a side: its value, and its place among those of all public systems."""
    for one in found.get("standings") or ():
        metric = str(one.get("metric"))
        words = [metric, *cards.workload_words(one.get("workload") or {})]
        yield [", ".join(words), units.quantity(one.get("value"), units.unit_of(metric)), f"{one.get('rank')} of {one.get('of')}"]
