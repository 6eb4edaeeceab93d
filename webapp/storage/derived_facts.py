"""The derived facts of a run: merged from those of its values, and formatted for pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ingest import derived
from ingest.keys import SIZE
from ingest.records import MovedBytes
from webapp.formatting import numbers
from webapp.storage.pg_copy import to_json
from webapp.storage.spill import RunBatch

CACHE_SOURCE, FROM_MEMORY, MOVED, MOVED_FROM = "cache_from", "from_memory", "moved", "moved_from"
CACHE_STATE_LABELS = {
    "dropped": "dropped by drop_caches",
    "rebooted": "emptied by a reboot",
    "reimported": "pool exported and imported",
    "remounted": "unmounted and mounted",
    "direct": "bypassed: direct I/O",
}


class FactDeriver:
    """Derives the facts of the runs of one archive, once for equal workloads on one configuration.

    Caches are by identity: a `Batch` keeps equal workloads and equal details as one object each.
    """

    def __init__(self) -> None:
        self._facts: dict[tuple, dict[str, Any]] = {}
        self._json: dict[int, str] = {}

    def as_json(self, run: RunBatch) -> str:
        """Name -> value, or [least, most] where the values of the run differ; `cache_from`: the line with the cache state;
        `from_memory`: operation -> whether what it moved was from or in memory; `moved`: `read` and `write` -> bytes that the disks
        moved, and that the tools claim, with `moved_from`, the line that shows it."""
        facts, cache_source = self._derive(run)
        values = [m for part in run.parts for m in part[2]]
        title = next((m.title for m in values if m.title), None)
        from_memory = derived.find_from_memory(values)
        moved = next((m.moved for m in values if m.moved), None)
        if len(facts) != 1 or cache_source or title or from_memory or moved:
            return to_json(
                ({CACHE_SOURCE: cache_source} if cache_source else {})
                | _merge(facts)
                | ({derived.TITLE: title} if title else {})
                | ({FROM_MEMORY: from_memory} if from_memory else {})
                | (_moved(moved) if moved else {})
            )
        (only,) = facts
        text = self._json.get(id(only))
        if text is None:
            text = self._json[id(only)] = to_json(only)
        return text

    def _derive(self, run: RunBatch) -> tuple[list[dict[str, Any]], str]:
        """The distinct facts of the run's values, and the first line that states the state of the caches."""
        distinct: dict[int, dict[str, Any]] = {}
        seen: set[tuple[int, str]] = set()
        cache_source, last_params, last_kind = "", None, ""
        for workload, details, values in run.parts:
            for m in values:
                kind = derived.kind(m.metric)
                if m.params is last_params and kind == last_kind:
                    continue
                last_params, last_kind = m.params, kind
                if (params_kind := (id(last_params), kind)) in seen:
                    continue
                seen.add(params_kind)
                state, source = m.cache or (None, "")
                cache_source = cache_source or source
                key = (id(workload), id(details), kind, id(m.config), state)
                facts = self._facts.get(key)
                if facts is None:
                    facts = self._facts[key] = derived.derive_quantities(m.tool, m.metric, m.params, m.config, state)
                distinct[id(facts)] = facts
        return list(distinct.values()), cache_source


def _moved(moved: MovedBytes) -> dict[str, Any]:
    both = {"read": (moved.read, moved.claimed_read), "write": (moved.written, moved.claimed_written)}
    return {MOVED: {name: pair for name, pair in both.items() if pair[1]}, MOVED_FROM: moved.place}


def _merge(distinct: list[dict[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for name in derived.DERIVED_QUANTITIES:
        if values := [facts[name] for facts in distinct if name in facts]:
            least, most = min(values), max(values)
            merged[name] = least if least == most else [least, most]
    return merged


@dataclass(frozen=True, slots=True)
class DerivedFact:
    """One fact as text: `how` it is derived, and the FILE:LINE (`place`) that states it, if one does."""

    name: str
    label: str
    text: str
    how: str
    place: str = ""


def list_facts(facts: dict[str, Any]) -> list[DerivedFact]:
    """The stored facts of a run, in the order of their registry."""
    cache_source = facts.get(CACHE_SOURCE, "")
    states = facts.get(FROM_MEMORY, {})
    moved = [
        DerivedFact(
            MOVED,
            "Moved by the disks",
            f"{numbers.size(there)} {name} of {numbers.size(claimed)} ({_percent(there / claimed)}){_conclusion(name, states)}",
            "their counters right before and after the run, beside what its tool claims",
            facts.get(MOVED_FROM, ""),
        )
        for name, (there, claimed) in facts.get(MOVED, {}).items()
    ]
    return moved + [
        DerivedFact(
            name, quantity.label, _text(quantity.type, facts[name]), quantity.how, cache_source if name == "cache_state" else ""
        )
        for name, quantity in derived.DERIVED_QUANTITIES.items()
        if name in facts
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 or not share else f"{100 * share:.1g} %"


def _conclusion(name: str, states: Mapping[str, str]) -> str:
    """What follows for the operations that read, or write: `: from memory`."""
    found = {state for operation, state in states.items() if (operation in derived.READ_FROM) == (name == "read")}
    if found == {derived.FROM_MEMORY}:
        return ": from memory" if name == "read" else ": in memory"
    return (": from the device" if name == "read" else ": to the device") if found == {derived.FROM_DEVICE} else ""


def _text(kind: str, value: Any) -> str:
    if isinstance(value, list):
        return " to ".join(_text(kind, bound) for bound in value)
    if kind == SIZE:
        return numbers.size(value)
    if kind == derived.RATIO:
        return numbers.ratio(value)
    return CACHE_STATE_LABELS.get(str(value), str(value))
