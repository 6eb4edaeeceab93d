"""What a search lands on: where its words have one bar alone, the set that has their value beside others; where they name two
sides that no axis has, these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

from webapp.accounts import access
from webapp.comparison import search
from webapp.comparison.compared_set import choose_axes, choose_rows, choose_set, find_set, places
from webapp.comparison.dimensions import DIMENSIONS, is_open
from webapp.comparison.groups import make_groups
from webapp.comparison.question import MAX_OFFERED_ARCHIVES
from webapp.comparison.rows import Rows, filter_rows
from webapp.comparison.search.vocabulary import read_meaning, without_separators
from webapp.comparison.selection import Selection, parse, passes_filter
from webapp.comparison.sets.core_keys import MAP_AXES
from webapp.comparison.summary.columns import Columns
from webapp.models import Archive

MAX_TRIED = 40
"""Metrics among which a set is looked for."""
_BETWEEN = re.compile(r"\s(?:vs\.?|versus|against|or|compared (?:to|with)|than|gegen)\s", re.IGNORECASE)
_NAMED = re.compile(r"(archive|upload|system|configuration|study|host)s?[ :]*#?(\S+)")
_OF_READER = re.compile(r"\b(?:my|the|upload|archive|session|runs?|of|from|on)\b")


def land(rows: Rows) -> Rows:
    """The rows. Where what was typed would be one bar, those of the first set that answers it: one that has the value beside others
    of its dimension, else one of another metric that fits the words. Where there is none, with the two sides that are named."""
    result = rows.search
    if result is None or any(rows.question.selection.named_axes) or rows.source.only is not None:
        return rows
    if result.count and _draws_set(rows):
        return rows
    names = dict.fromkeys([*rows.selection.metrics, *(found.metric for found in result.metrics)]) if result.count else ()
    for name in list(names)[:MAX_TRIED]:
        for selection, value in _find_ways(rows, rows.selection.changed(metrics=(name,))):
            if _may_be_set(rows, selection):
                absent = rows.absent if name in rows.selection.metrics else rows.source.read_absent((name,), rows.others)
                landed = replace(rows, selection=search.choose_metric(selection, rows.available), absent=absent)
                if _draws_set(landed, value):
                    return landed
    return replace(rows, search=replace(result, sides=_find_sides(rows, result.typed)))


def _may_be_set(rows: Rows, selection: Selection) -> bool:
    passing = filter_rows(rows.source, selection).passing
    drawn = choose_axes(selection, passing)
    return drawn.x in DIMENSIONS and len(choose_rows(drawn, passing).rows.distinct(drawn.x)) > 1


def _draws_set(rows: Rows, value: str = "") -> bool:
    """Whether several values of an axis are drawn, this one among them; of a run without a usable number nothing is."""
    groups = [group for panel in make_groups(choose_set(rows)).panels for group in panel.groups]
    return places(groups) > 1 and (not value or value in {group.x for group in groups})


def _find_ways(rows: Rows, selection: Selection) -> Iterator[tuple[Selection, str]]:
    """Sets that have a value which was typed, with that value; then all that has the words."""
    typed = search.read_words(selection.q, filter_rows(rows.source, selection.changed(q="")).passing) if selection.q else []
    values = [
        (selection.changed(q=word.rest), reading.dimension, reading.value)
        for word in typed
        for reading in word.readings
        if reading.dimension in (*MAP_AXES, "os_family")
    ]
    for name, wanted in selection.filters:
        if len(wanted) == 1 and not rows.question.selection.values(name) and name != "aggregate":
            known = filter_rows(rows.source, selection).passing.distinct(name)
            values += [(selection.having(name, []), name, text) for text in known if passes_filter(selection, name, text)]
    for without, name, value in values:
        if selection.x in ("", name) and (query := find_set(without, filter_rows(rows.source, without).passing, name, value)):
            yield parse(parse_qsl(query)), value
    yield selection, ""
    if not selection.x:
        hosts = filter_rows(rows.source, selection).passing.known("host")
        found = (
            find_set(selection.changed(q=""), filter_rows(rows.source, selection.changed(q="")).passing, "host", hosts[0])
            if len(hosts) == 1
            else ""
        )
        yield from ((selection.changed(x=axis), "") for axis in MAP_AXES)
        yield from ((parse(parse_qsl(query)), hosts[0]) for query in filter(None, [found]))


# Two sides in words: `zfs lz4 vs ext4`, `my Tuesday upload or Monday`, `archive 12 against 9`.


def _find_sides(rows: Rows, typed: str) -> str:
    """The query of the scorecard of the sides on the left and the right of *vs*, *against* or *or*; empty where they are none."""
    parts = _BETWEEN.split(typed.lower())
    if len(parts) != 2:
        return ""
    columns, _ = rows.source.read_all(rows.available)
    studies = ["-".join(part.split()) for part in parts]
    archives = access.find_comparison_archives(rows.question.viewer, (), studies, MAX_OFFERED_ARCHIVES)
    kind = match[1] if (match := _NAMED.search(parts[0])) else ""
    sides = []
    for part, study in zip(parts, studies, strict=True):
        named = _NAMED.search(part) or (_NAMED.search(f"{kind} {part}") if part.isdecimal() else None)
        if named and (named[2].isdecimal() or named[1] in ("study", "host")):
            sides.append(f"{named[1].replace('upload', 'archive')}:{named[2]}")
        elif any(archive.study == study for archive in archives):
            sides.append(f"study:{study}")
        else:
            sides.append(_find_upload(rows.source.scopes.own, archives, part) or _find_filters(columns, part, rows.available))
    if not all(sides) or sides[0] == sides[1]:
        return ""
    meant = read_meaning(without_separators(typed.lower().split()), rows.available)
    return urlencode([*zip("ab", sides, strict=True), *(("metric", name) for name in meant.metrics)], safe=":,=")


def _find_upload(own: Mapping[int, str], archives: Sequence[Archive], part: str) -> str:
    """The newest archive of the reader's own of which title and day have all words (`my Tuesday upload`)."""
    words = _OF_READER.sub(" ", part).split()
    for archive in archives:
        about = f"{own.get(archive.pk, '')} {archive.uploaded_at:%A %Y-%m-%d %B}".lower()
        if words and archive.pk in own and all(word in about for word in words):
            return f"archive:{archive.pk}"
    return ""


def _find_filters(columns: Columns, part: str, available: Mapping[str, int]) -> str:
    """The filters that the words mean: each the likeliest value of a dimension, or all values of it that have the word."""
    meant = read_meaning(without_separators(part.split()), available)
    filters = [f"{name}={value}" for name, value in meant.settings]
    for word in search.read_words(search.join_words(meant.rest), columns):
        readings = [one for one in word.readings if not is_open(one.dimension)]
        if not readings:
            return ""
        first = readings[0]
        filters += [
            f"{one.dimension}={one.value}"
            for one in readings
            if one == first or (not first.equal and one.dimension == first.dimension)
        ]
    return ",".join(filters)
