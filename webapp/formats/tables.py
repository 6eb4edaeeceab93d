"""A comparison as JSON and CSV with every repetition. Numbers are those of the figure, in base units."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict

from webapp.comparison import search
from webapp.comparison.model import Comparison, Group, SearchResult
from webapp.comparison.selection import Selection, query_string
from webapp.formats.sheets import escape_formula, escape_row

COLUMNS = (
    "metric",
    "x",
    "series",
    "facet",
    "value",
    "file_line",
    "raw",
    "address",
    "group_center",
    "group_low",
    "group_high",
    "group_interval",
    "group_runs",
    "group_configurations",
    "verdict",
    "ratio",
    "ratio_low",
    "ratio_high",
    "effect",
    "group_flags",
)


def group_data(group: Group) -> dict:
    """One group with its points, JSON-ready."""
    return {
        "metric": group.metric,
        "x": group.x,
        "series": group.series,
        "facet": group.facet,
        "runs": group.runs,
        "configurations": group.configurations,
        "center": group.center,
        "low": group.low,
        "high": group.high,
        "interval": group.interval,
        "rough": group.rough,
        "flags": list(group.flags),
        "verdict": asdict(group.verdict) if group.verdict else None,
        "points": [{"value": p.value, "file_line": p.place, "raw": p.raw, "address": p.address} for p in group.points],
    }


def search_data(selection: Selection, result: SearchResult) -> dict:
    """What a search means and what has it, JSON-ready; each `query` is a query string of /compare."""
    return {
        "words": [
            {
                "text": word.text,
                "count": word.count,
                "left_out_by_filters": word.elsewhere,
                "readings": [
                    {
                        "dimension": reading.dimension,
                        "label": reading.label,
                        "value": reading.value,
                        "count": reading.count,
                        "equal": reading.equal,
                        "query": query_string(search.narrow_to(selection, result, word, reading)),
                    }
                    for reading in word.readings
                ],
                "more_readings": word.more,
                "without": query_string(search.remove_word(selection, result, word)),
            }
            for word in result.words
        ],
        "metrics": [asdict(found) for found in result.metrics],
        "not_searched": list(result.not_searched),
    }


def to_json(comparison: Comparison) -> str:
    """The JSON form of the comparison page."""
    return json.dumps(
        {
            "query": query_string(comparison.selection),
            "method": comparison.method,
            "runs": comparison.runs,
            "configurations": comparison.configurations,
            "flags": [
                {"id": flag.id, "sentence": flag.sentence, "docs": flag.docs, "place": flag.place} for flag in comparison.flags
            ],
            "search": search_data(comparison.selection, comparison.search) if comparison.search else None,
            "differs": [{"dimension": d.name, "values": list(d.values), "between_groups": d.between} for d in comparison.differs],
            "panels": [
                {
                    "title": p.title,
                    "metrics": list(p.metrics),
                    "unit": p.unit,
                    "better": p.better,
                    "baseline": p.baseline,
                    "overall": [asdict(row) for row in p.overall],
                    "groups": [group_data(g) for g in p.groups],
                }
                for p in comparison.panels
            ],
        },
        ensure_ascii=False,
        indent=1,
    )


def _plain(value: float | None) -> str:
    return "" if value is None else repr(value)


def to_csv(groups: list[Group]) -> str:
    """One row per repetition, with its group's centre and interval."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    write.writerow(COLUMNS)
    for g in groups:
        named = escape_row([g.metric, g.x, g.series, g.facet])
        tail = [*map(_plain, (g.center, g.low, g.high)), g.interval, g.runs, g.configurations]
        v = g.verdict
        tail += [v.word, *map(_plain, (v.ratio, v.low, v.high, v.effect))] if v else [""] * 5
        tail.append(" ".join(g.flags))
        for p in g.points:
            write.writerow([*named, repr(p.value), escape_formula(p.place), escape_formula(p.raw), p.address, *tail])
    return out.getvalue()
