"""`poolmark.toml`: what the uploader states about the archive. Its format is described in docs/manifest.md.

Source: docs/manifest.md
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from ingest.keys import is_key, spell_value
from ingest.lazy_regex import lazy
from ingest.plugin_api import Reader
from ingest.records import MANIFEST_NAME, Clue, Doubt
from ingest.text.lines import Text

# `[[runs]]` of a manifest: what was run when, in which round of which session, with which setting, and how it ended.

RUN_KEY = "runs."
"""Begins the keys of the clues of runs. Their subject is the file or glob; their value a JSON object of `Fields`' names."""
CHAIN_KEY = f"{RUN_KEY}chain"
"""Key of the clue of `[chain]`: how many runs were planned and made, and the SHA-256 of the last one's record."""
MAX_RUNS = 20_000
_COUNTS = ("line", "session", "round", "boot", "status", "number")
_TEXTS = ("setting", "command", "caches")
_TIMES = ("started_at", "ended_at")
_MAX_TEXT = 300
_MAX_OUTPUTS = 1000
_DIGEST = lazy(r"(?:[0-9a-f]{64})?\Z")
_ABOUT_CHAIN = {"planned": int, "made": int, "last": str}


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
        run: dict[str, Any] = {"record": _digest_of_table(text, line)} if "number" in table else {}
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


def _digest_of_table(text: Text, line: int) -> str:
    """SHA-256 of the lines of a table up to the next empty one, as the capture kit chains them."""
    end = next((number for number in range(line, len(text.lines)) if not text.lines[number].strip()), len(text.lines))
    return hashlib.sha256("".join(f"{one}\n" for one in text.lines[line - 1 : end]).encode()).hexdigest()


def _chain(table: Any, line: int) -> Clue | Doubt:
    is_known = isinstance(table, Mapping) and all(
        isinstance(value, _ABOUT_CHAIN.get(key, ())) and not isinstance(value, bool) for key, value in table.items()
    )
    if not is_known:
        message = "[chain] must have `planned` and `made`, numbers of runs, and `last`, a SHA-256; it was left out."
        return Doubt(line, "bad-manifest", message)
    return Clue(line, CHAIN_KEY, json.dumps(dict(table)), "[chain]", kind="stated")


def _spell(key: str, value: Any) -> Any:
    """The value of a key of a run as it is kept; None where key or value is not understood."""
    if key in _COUNTS:
        return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None
    if key in _TEXTS:
        return value[:_MAX_TEXT] if isinstance(value, str) and value else None
    if key in _TIMES:
        return _spell_time(value)
    if key in ("before", "stopped"):
        is_valid = value is True if key == "stopped" else isinstance(value, str) and _DIGEST.match(value)
        return value if is_valid else None
    if key == "outputs":
        return _spell_outputs(value)
    if key == "seconds":
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if is_number and 0 <= value < 1e9 else None
    return None


def _spell_outputs(value: Any) -> dict[str, str] | None:
    """File, from the folder of the run's own on -> SHA-256."""
    if not isinstance(value, Mapping) or len(value) > _MAX_OUTPUTS:
        return None
    return dict(value) if all(isinstance(one, str) and _DIGEST.match(one) for one in value.values()) else None


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


_ABOUT = ("title", "authors", "year", "licence", "license", "doi", "published_in", "caveat", "study")
_OF_CAPTURES = ("capture", "settings")
"""What the capture kit notes for people; it changes nothing that is read."""
_HEADER = lazy(r"\s*\[([^\[\]].*?)\]\s*(?:#.*)?\Z")
_KEY = lazy(r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=")

_Lines = dict[tuple[str, ...], int]  # dotted path -> line


def read(text: Text) -> Iterator[Clue | Doubt]:
    """Clues of kind `stated`, whose subject is the folder or glob, and doubts of what is invalid; nothing of any other file."""
    if text.name.lower() != MANIFEST_NAME:
        return
    import tomllib  # few uploads have a manifest

    try:
        manifest = tomllib.loads(text.body)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        number = re.search(r"line (\d+)", str(error))
        line = min(int(number[1]), len(text.lines)) if number else 1
        yield Doubt(line, "bad-manifest", f"Not valid TOML: {error}"[:300])
        return
    lines = _lines(text)
    for key, value in manifest.items():
        if key in _ABOUT:
            yield from _about(key, value, lines, text)
        elif key == "configuration" and isinstance(value, Mapping):
            yield from _configuration("", value, (key,), lines, text)
        elif key == "files" and isinstance(value, Mapping):
            yield from _files(value, lines, text)
        elif key == "configurations" and isinstance(value, list):
            yield from _without_results(value, text)
        elif key in ("runs", "chain"):
            yield from read_runs(value, text) if key == "runs" else (_chain(value, lines.get((key,), 1)),)
        elif key not in _OF_CAPTURES:
            yield Doubt(lines.get((key,), 1), "bad-manifest", f"{key} is not a known key; see docs/manifest.md.")


def _about(key: str, value: Any, lines: _Lines, text: Text) -> Iterator[Clue | Doubt]:
    """A fact about the archive; lists of texts are joined by commas."""
    line = lines.get((key,), 1)
    fact = ", ".join(value) if isinstance(value, list) and all(isinstance(item, str) for item in value) else value
    if key == "year" and isinstance(value, int) and not isinstance(value, bool):
        fact = str(value)
    if isinstance(fact, str) and fact.strip():
        yield Clue(line, "licence" if key == "license" else key, fact.strip(), text.lines[line - 1].strip(), kind="stated")
    else:
        yield Doubt(line, "bad-manifest", f"{key} must be text.")


def _files(tables: Mapping[str, Any], lines: _Lines, text: Text) -> Iterator[Clue | Doubt]:
    for glob, table in tables.items():
        if isinstance(table, Mapping):
            yield from _configuration(glob, table, ("files", glob), lines, text)
        else:
            yield Doubt(lines.get(("files", glob), 1), "bad-manifest", f'[files."{glob}"] must be a table of keys.')


def _configuration(glob: str, table: Mapping[str, Any], path: tuple[str, ...], lines: _Lines, text: Text) -> Iterator[Clue | Doubt]:
    """Configuration keys of the table at that path, for the files of the glob."""
    for parts, value in _flat(table):
        key = ".".join(parts)
        line = lines.get((*path, *parts)) or lines.get((*path, key)) or lines.get(path, 1)
        if not is_key(key):
            yield Doubt(line, "bad-manifest", f"{key} is not a configuration key; see docs/manifest.md.")
            continue
        spelled = spell_value(key, value)
        if spelled is None:
            yield Doubt(line, "bad-manifest", f"{value!r} is not a valid value of {key}."[:300])
        else:
            yield Clue(line, key, spelled, text.lines[line - 1].strip(), kind="stated", subject=glob)


def _without_results(tables: list[Any], text: Text) -> Iterator[Clue | Doubt]:
    """Configurations whose results are not in the archive: one clue each, which is attached to no file.

    Its value is a JSON object of `name` and configuration keys as the registry spells them.
    """
    starts = [number for number, line in enumerate(text.lines, 1) if re.match(r"\s*\[\[\s*configurations\s*\]\]", line)]
    for number, (table, line) in enumerate(zip(tables, starts or [1] * len(tables), strict=False), 1):
        if not isinstance(table, Mapping):
            yield Doubt(line, "bad-manifest", "[[configurations]] must be a table of keys.")
            continue
        configuration: dict[str, Any] = {}
        for parts, value in _flat(table):
            key = ".".join(parts)
            spelled = spell_value(key, value) if is_key(key) else value if key == "name" and isinstance(value, str) else None
            if spelled is None:
                yield Doubt(line, "bad-manifest", f"{key} = {value!r} cannot be part of a configuration."[:300])
            else:
                configuration[key] = spelled
        raw = text.lines[line - 1].strip()
        yield Clue(line, f"configuration.{number:03}", json.dumps(configuration, ensure_ascii=False), raw, kind="stated")


def _flat(table: Mapping[str, Any], prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """(parts of the dotted key, value) of every value in a table and its subtables."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, (*prefix, key))
        else:
            yield (*prefix, *key.split(".")), value


def _lines(text: Text) -> _Lines:
    """Dotted path -> line of tables and keys. For display only: a line of a multi-line string may be taken for a key."""
    lines: _Lines = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.lines, 1):
        header = _HEADER.match(line) if len(line) < 500 else None
        if header:
            table = _parts(header[1])
            lines.setdefault(table, number)
        elif key := _KEY.match(line[:500]):
            lines.setdefault((*table, *_parts(key[1])), number)
    return lines


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[\w-]+", dotted))


READER = Reader(MANIFEST_NAME, 4, None, read, alone=True)
