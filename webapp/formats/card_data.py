"""A scorecard as JSON and CSV. Numbers are in base units, names and fields as in a comparison's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ingest.catalogue import METRICS
from webapp.comparison.dimensions import UNKNOWN
from webapp.comparison.model import EmptyPlace, Group
from webapp.formats.sheets import Columns, make_rows, to_csv
from webapp.formats.tables import describe_unmeasured, key_name, typed
from webapp.scorecard.card import ORDER, Card, Line
from webapp.scorecard.normal import Standing
from webapp.systems.system_index import say_name


def to_json(card: Card) -> str:
    """The JSON form of the page."""
    data = {
        "a": card.a.text,
        "b": card.b.text,
        "archives": {"a": list(card.a.archives), "b": list(card.b.archives)},
        "notes": [*card.a.notes, *card.b.notes],
        "counts": {says: card.count(says) for says in ORDER},
        "lines_left_out": card.more,
        "metrics_left_out": card.crowded,
        "tests": card.judged,
        "apart": card.apart,
        "apart_by_chance": card.by_chance,
        "differs": [{"label": label, "a": list(a), "b": list(b)} for label, a, b in card.differs],
        "only_a": list(card.only_a),
        "only_b": list(card.only_b),
        "lines": list(map(_line_data, card.lines)),
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


def _line_data(line: Line) -> dict[str, Any]:
    """One line. Ratio, interval, level and p are of this line alone; claim, doubts and what is withheld are of the card."""
    own = line.own
    workload = {name: text for name, text in line.workload if text != UNKNOWN and name != "tool_version"}
    return {
        "metric": line.metric,
        "workload": {"stat" if name == "aggregate" else name: typed(name, text) for name, text in workload.items()},
        "workload_b": {name: typed(name, text) for name, text in line.beside if text != UNKNOWN} or None,
        "tool_versions": list(line.versions),
        "configuration": {key_name(name): typed(name, text) for name, text in line.matched},
        "says": line.says,
        "better": line.is_better,
        "better_is": METRICS[line.metric].better,
        "a": _side_data(line.a),
        "b": _side_data(line.b),
        "ratio": own.ratio if own else None,
        "ratio_bound": own.ratio_bound or None if own else None,
        "low": own.low if own else None,
        "high": own.high if own else None,
        "level": own.level if own else None,
        "p": own.p if own else None,
        "test": own.test or None if own else None,
        "earlier_sessions": own.earlier if own else None,
        "needed": own.needed if own else None,
        "design": line.design,
        "axis": line.axis or None,
        "tested": line.tested,
        "claim": line.claim or None,
        "doubts": list(line.doubts),
        "withheld": line.withheld or None,
        "query": line.query or None,
    }


def _side_data(group: Group | EmptyPlace) -> dict[str, Any]:
    unmeasured = [
        {"reason": one.reason, "count": one.count, "bound": one.bound, "side": one.side, "error": one.error}
        for one in group.unmeasured
    ]
    if isinstance(group, EmptyPlace):
        return {"n": sum(one.count for one in group.unmeasured), "center": None, "unmeasured": unmeasured}
    return {
        "n": group.n,
        "center": group.center if len(group.parts) < 2 else None,
        "parts": list(group.parts),
        "bound": group.bound or None,
        "stat": group.stat,
        "sessions": group.sessions,
        "machines": group.machines,
        "flags": list(group.flags),
        "unmeasured": unmeasured,
    }


def _of_side(side: str, name: str) -> Any:
    return lambda line: getattr(getattr(line, side), name, None)


_COLUMNS: Columns = {
    "says": lambda line: line.says,
    "metric": lambda line: line.metric,
    "workload": lambda line: line.label,
    "configuration": lambda line: " ".join(f"{name}={text}" for name, text in line.matched),
    **{f"{side}_{name}": _of_side(side, name) for side in ("a", "b") for name in ("center", "bound", "stat", "n", "sessions")},
    **{
        f"{side}_unmeasured": (lambda line, side=side: " ".join(map(describe_unmeasured, getattr(line, side).unmeasured)))
        for side in ("a", "b")
    },
    **{
        name: (lambda line, name=name: getattr(line.own, name) if line.own else None)
        for name in ("ratio", "ratio_bound", "low", "high", "level", "p")
    },
    "design": lambda line: line.design,
    "claim": lambda line: line.claim,
    "doubts": lambda line: "; ".join(line.doubts),
    "withheld": lambda line: line.withheld,
    "query": lambda line: line.query,
}


def to_table(card: Card) -> str:
    """A row for each line."""
    return to_csv(make_rows(_COLUMNS, card.lines))


def standings_json(side: str, standings: Sequence[Standing]) -> str:
    """Where a side lies among all public systems: each value in the base unit, the side's own and one of each other system."""
    data = [
        {
            "metric": one.metric,
            "workload": {name: typed(name, text) for name, text in one.workload if text != UNKNOWN},
            "value": one.own.value,
            "n": one.own.n,
            "rank": one.rank,
            "of": one.count,
            "better": METRICS[one.metric].better,
            "quartiles": one.quartiles,
            "systems": [
                {"system": int(other.system), "name": say_name(other.texts), "value": other.value, "n": other.n}
                for other in one.others
            ],
        }
        for one in standings
    ]
    return json.dumps({"side": side, "standings": data}, ensure_ascii=False, indent=1)
