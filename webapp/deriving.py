"""The derived facts of a run: those of its values together, and how they are shown."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ingest.derived import FACTS, RATIO, facts, kind
from ingest.keys import SIZE
from webapp import shown
from webapp.batch import RunBatch

FROM = "cache_from"
WORDS = {
    "dropped": "dropped by drop_caches", "rebooted": "emptied by a reboot", "reimported": "pool exported and imported",
    "remounted": "unmounted and mounted", "direct": "passed by: direct I/O",
}


def of_run(run: RunBatch) -> dict[str, Any]:
    """Name -> value, or [least, most] where the values of the run differ; `cache_from` where the transcript tells."""
    found: dict[str, list[Any]] = {}
    seen: set[tuple[int, str]] = set()
    told: dict[str, Any] = {}
    for m, _, _ in run.values:
        if (key := (id(m.params), kind(m.metric))) in seen:
            continue
        seen.add(key)
        if m.cache and FROM not in told:
            told[FROM] = m.cache[1]
        for name, value in facts(m.tool, m.metric, m.params, m.config, m.cache[0] if m.cache else None).items():
            found.setdefault(name, []).append(value)
    for name in FACTS:
        if name in found:
            least, most = min(found[name]), max(found[name])
            told[name] = least if least == most else [least, most]
    return told


@dataclass(frozen=True, slots=True)
class Derived:
    """One fact for people: `how` says from what it follows, `place` is FILE:LINE where a line tells it."""

    name: str
    label: str
    text: str
    how: str
    place: str = ""


def listed(derived: dict[str, Any]) -> list[Derived]:
    """The stored facts of a run, in the order of their registry."""
    place = derived.get(FROM, "")
    return [Derived(name, fact.label, _text(fact.type, derived[name]), fact.how, place if name == "cache_state" else "")
            for name, fact in FACTS.items() if name in derived]


def _text(kind: str, value: Any) -> str:
    if isinstance(value, list):
        return " to ".join(_text(kind, one) for one in value)
    if kind == SIZE:
        return shown.size(value)
    if kind == RATIO:
        return shown.ratio(value)
    return WORDS.get(str(value), str(value))
