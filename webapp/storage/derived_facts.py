"""The derived facts of a run: those of its values together, and how they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ingest import derived
from ingest.keys import SIZE
from webapp.formatting import numbers
from webapp.storage.pg_copy import to_json
from webapp.storage.spill import RunBatch

CACHE_SOURCE = "cache_from"
CACHE_STATE_LABELS = {
    "dropped": "dropped by drop_caches",
    "rebooted": "emptied by a reboot",
    "reimported": "pool exported and imported",
    "remounted": "unmounted and mounted",
    "direct": "passed by: direct I/O",
}


class FactDeriver:
    """Derives those of the runs of one archive; of equal workloads on one configuration they are worked out once.

    By identity: a `Batch` has equal workloads and equal details as one object each, and holds them.
    """

    def __init__(self) -> None:
        self._known: dict[tuple, dict[str, Any]] = {}
        self._json: dict[int, str] = {}

    def as_json(self, run: RunBatch) -> str:
        """Name -> value, or [least, most] where the values of the run differ; `cache_from` where the transcript tells."""
        found, place = self._of_values(run)
        title = next((m.title for _, _, values in run.parts for m in values if m.title), None)
        if len(found) > 1 or place or title:
            return to_json(({CACHE_SOURCE: place} if place else {}) | _together(found) | ({derived.TITLE: title} if title else {}))
        (only,) = found
        known = self._json.get(id(only))
        if known is None:
            known = self._json[id(only)] = to_json(only)
        return known

    def _of_values(self, run: RunBatch) -> tuple[list[dict[str, Any]], str]:
        """The different facts of the run's values, and the first line that tells the state of the caches."""
        found: dict[int, dict[str, Any]] = {}
        seen: set[tuple[int, str]] = set()
        place, params, before = "", None, ""
        for did, details, values in run.parts:
            for m in values:
                what = derived.kind(m.metric)
                if m.params is params and what == before:
                    continue
                params, before = m.params, what
                if (key := (id(params), what)) in seen:
                    continue
                seen.add(key)
                state, at = m.cache or (None, "")
                place = place or at
                like = (id(did), id(details), what, id(m.config), state)
                one = self._known.get(like)
                if one is None:
                    one = self._known[like] = derived.derive_quantities(m.tool, m.metric, m.params, m.config, state)
                found[id(one)] = one
        return list(found.values()), place


def _together(found: list[dict[str, Any]]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name in derived.DERIVED_QUANTITIES:
        if values := [one[name] for one in found if name in one]:
            least, most = min(values), max(values)
            told[name] = least if least == most else [least, most]
    return told


@dataclass(frozen=True, slots=True)
class DerivedFact:
    """One fact for people: `how` says from what it follows, `place` is FILE:LINE where a line tells it."""

    name: str
    label: str
    text: str
    how: str
    place: str = ""


def list_facts(found: dict[str, Any]) -> list[DerivedFact]:
    """The stored facts of a run, in the order of their registry."""
    place = found.get(CACHE_SOURCE, "")
    return [
        DerivedFact(name, fact.label, _text(fact.type, found[name]), fact.how, place if name == "cache_state" else "")
        for name, fact in derived.DERIVED_QUANTITIES.items()
        if name in found
    ]


def _text(kind: str, value: Any) -> str:
    if isinstance(value, list):
        return " to ".join(_text(kind, one) for one in value)
    if kind == SIZE:
        return numbers.size(value)
    if kind == derived.RATIO:
        return numbers.ratio(value)
    return CACHE_STATE_LABELS.get(str(value), str(value))
