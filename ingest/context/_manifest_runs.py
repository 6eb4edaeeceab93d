"""`[[runs]]` of a manifest: what was run when, in which round of which session, with which setting, and how it ended."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from ingest.records import Clue, Doubt
from ingest.text.lines import Text

RUN_KEY = "runs."
"""Begins the keys of the clues of runs. Their subject is the file or glob; their value a JSON object of `Fields`' names."""
MAX_RUNS = 20_000
_COUNTS = ("line", "session", "round", "boot", "status")
_TEXTS = ("setting", "command", "caches")
_TIMES = ("started_at", "ended_at")
_MAX_TEXT = 300


def read_runs(tables: Any, text: Text) -> Iterator[Clue | Doubt]:
    """One clue for each run, and doubts about what is invalid in it; the rest of a run is kept."""
    starts = [number for number, line in enumerate(text.lines, 1) if re.match(r"\s*\[\[\s*runs\s*\]\]", line)]
    if not isinstance(tables, list):
        yield Doubt(starts[0] if starts else 1, "bad-manifest", "[[runs]] must be tables, one for each run; see docs/manifest.md.")
        return
    if len(tables) > MAX_RUNS:
        yield Doubt(1, "limit", f"[[runs]]: more than {MAX_RUNS:,} runs; those after them were not read.")
    for number, (table, line) in enumerate(zip(tables[:MAX_RUNS], starts or [1] * len(tables), strict=False), 1):
        name = table.get("file") if isinstance(table, Mapping) else None
        if not isinstance(name, str) or not name:
            yield Doubt(line, "bad-manifest", '[[runs]] must have a `file`: file = "lz4/out1.txt"; this run was left out.')
            continue
        run: dict[str, Any] = {}
        for key, value in table.items():
            if key == "file":
                continue
            spelled = _spell(key, value)
            if spelled is None:
                yield Doubt(line, "bad-manifest", f"{key} = {value!r} is not understood in [[runs]]; see docs/manifest.md."[:300])
            else:
                run[key] = spelled
        if seconds := _length(run):
            run.setdefault("seconds", seconds)
        yield Clue(line, f"{RUN_KEY}{number:05}", json.dumps(run, ensure_ascii=False), name[:200], kind="stated", subject=name)


def _spell(key: str, value: Any) -> Any:
    """The value of a key of a run as it is kept; None where key or value is not understood."""
    if key in _COUNTS:
        return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None
    if key in _TEXTS:
        return value[:_MAX_TEXT] if isinstance(value, str) and value else None
    if key in _TIMES:
        return _spell_time(value)
    if key == "seconds":
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if is_number and 0 <= value < 1e9 else None
    return None


def _spell_time(value: Any) -> str | None:
    """A date with a time, of TOML or as text, in ISO 8601."""
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) and "T" in value else value
    except ValueError:
        return None
    return time.isoformat() if isinstance(time, datetime) else None


def _length(run: Mapping[str, Any]) -> float | None:
    """Seconds between start and end; None where one is unknown, or they cannot be compared."""
    if "started_at" not in run or "ended_at" not in run:
        return None
    start, end = datetime.fromisoformat(run["started_at"]), datetime.fromisoformat(run["ended_at"])
    if (start.tzinfo is None) != (end.tzinfo is None) or end < start:
        return None
    return (end - start).total_seconds()
