"""`poolmark.toml`: what the uploader states about the archive. The file's form is described in docs/manifest.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.keys import KEYS
from ingest.lazy_regex import lazy
from ingest.plugin_api import Reader
from ingest.records import Clue, Doubt
from ingest.spelling import spell_value
from ingest.text.lines import Text

FILE_NAME = "poolmark.toml"
_ABOUT = ("title", "authors", "year", "licence", "license", "doi", "published_in", "caveat", "study")
_HEADER = lazy(r"\s*\[([^\[\]].*?)\]\s*(?:#.*)?\Z")
_KEY = lazy(r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=")

_Places = dict[tuple[str, ...], int]  # dotted path -> line


def read(text: Text) -> Iterator[Clue | Doubt]:
    """Clues of kind `stated`; `subject` is the folder or glob. Nothing for any other file."""
    if text.name.lower() != FILE_NAME:
        return
    import tomllib  # few uploads have a manifest

    try:
        told = tomllib.loads(text.body)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        at = re.search(r"line (\d+)", str(error))
        yield Doubt(min(int(at[1]), len(text.lines)) if at else 1, "bad-manifest", f"Not valid TOML: {error}"[:300])
        return
    lines = _lines(text)
    for key, value in told.items():
        if key in _ABOUT:
            yield from _about(key, value, lines, text)
        elif key == "configuration" and isinstance(value, Mapping):
            yield from _configuration("", value, (key,), lines, text)
        elif key == "files" and isinstance(value, Mapping):
            for glob, table in value.items():
                if isinstance(table, Mapping):
                    yield from _configuration(glob, table, (key, glob), lines, text)
                else:
                    yield Doubt(lines.get((key, glob), 1), "bad-manifest", f'[files."{glob}"] is no table of keys.')
        elif key == "configurations" and isinstance(value, list):
            yield from _without_results(value, text)
        else:
            yield Doubt(lines.get((key,), 1), "bad-manifest", f"{key} is not known; see docs/manifest.md.")


def _about(key: str, value: Any, lines: _Places, text: Text) -> Iterator[Clue | Doubt]:
    line = lines.get((key,), 1)
    shown = ", ".join(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else value
    if key == "year" and isinstance(value, int) and not isinstance(value, bool):
        shown = str(value)
    if isinstance(shown, str) and shown.strip():
        yield Clue(line, "licence" if key == "license" else key, shown.strip(), text.lines[line - 1].strip(), kind="stated")
    else:
        yield Doubt(line, "bad-manifest", f"{key} is no text.")


def _configuration(
    glob: str, table: Mapping[str, Any], path: tuple[str, ...], lines: _Places, text: Text
) -> Iterator[Clue | Doubt]:
    for parts, value in _flat(table):
        key = ".".join(parts)
        line = lines.get((*path, *parts)) or lines.get((*path, key)) or lines.get(path, 1)
        if key not in KEYS:
            yield Doubt(line, "bad-manifest", f"{key} is no configuration key; see docs/manifest.md.")
            continue
        spelled = spell_value(key, value)
        if spelled is None:
            yield Doubt(line, "bad-manifest", f"{value!r} is no value of {key}."[:300])
        else:
            yield Clue(line, key, spelled, text.lines[line - 1].strip(), kind="stated", subject=glob)


def _without_results(tables: list[Any], text: Text) -> Iterator[Clue | Doubt]:
    """Configurations that were measured with results the archive does not hold: one clue each, which no file takes up.

    Its value is a JSON object of `name` and configuration keys as the registry spells them.
    """
    starts = [at for at, line in enumerate(text.lines, 1) if re.match(r"\s*\[\[\s*configurations\s*\]\]", line)]
    for number, (table, line) in enumerate(zip(tables, starts or [1] * len(tables), strict=False), 1):
        if not isinstance(table, Mapping):
            yield Doubt(line, "bad-manifest", "[[configurations]] is no table of keys.")
            continue
        told: dict[str, Any] = {}
        for parts, value in _flat(table):
            key = ".".join(parts)
            spelled = spell_value(key, value) if key in KEYS else value if key == "name" and isinstance(value, str) else None
            if spelled is None:
                yield Doubt(line, "bad-manifest", f"{key} = {value!r} is nothing that a configuration holds."[:300])
            else:
                told[key] = spelled
        raw = text.lines[line - 1].strip()
        yield Clue(line, f"configuration.{number:03}", json.dumps(told, ensure_ascii=False), raw, kind="stated")


def _flat(table: Mapping[str, Any], front: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, (*front, key))
        else:
            yield (*front, *key.split(".")), value


def _lines(text: Text) -> _Places:
    """Where tables and keys stand: dotted path -> line. For display: a line of a longer text may be taken for a key."""
    found: _Places = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.lines, 1):
        header = _HEADER.match(line) if len(line) < 500 else None
        if header:
            table = _parts(header[1])
            found.setdefault(table, number)
        elif key := _KEY.match(line[:500]):
            found.setdefault((*table, *_parts(key[1])), number)
    return found


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[\w-]+", text))


READER = Reader(FILE_NAME, 2, None, read, "docs/manifest.md", alone=True)
