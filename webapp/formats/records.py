"""Records of the contract as lines of CSV and JSON, joined from formatted fields that many records share."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring
from operator import itemgetter
from typing import Any, NamedTuple

from ingest import keys
from webapp.claims.observations import Observed
from webapp.claims.rounds import find_rounds
from webapp.formats.sheets import escape_formula

FIELDS = (
    "file", "line", "tool", "tool_version", "metric", "native", "value", "unit", "raw", "raw_unit", "stat", "repetition",
    "duplicate_of", "params", "params_from", "config", "config_from", "origin", "source_note", "started_at", "implied",
)  # fmt: skip
"""Of a measurement."""
_OF_UNMEASURED = ("reason", "bound", "side")
_ALL_FIELDS = (*FIELDS, *_OF_UNMEASURED)
PARAM_COLUMNS = (*keys.PARAMS, "command", "timer")
"""Parameters with a CSV column of their own; the others, specific to a tool, share a JSON column."""


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """A file format: a formatter for each kind of field, and `line`, which joins the fields of a record.

    `line` takes the formatted fields of a measurement in the order of `FIELDS` and ends with a line feed; `unmeasured` takes
    these (value and raw unit empty), then reason, bound and side. `head` is the text before all records.
    """

    head: str
    text: Callable[[str | None], str]
    number: Callable[[float], str]
    params: Callable[[Mapping[str, Any]], str]
    config: Callable[[Mapping[str, Any]], str]
    places: Callable[[Mapping[str, str]], str]
    implied: Callable[[list[str]], str]
    line: Callable[[tuple[object, ...]], str]
    unmeasured: Callable[[tuple[object, ...]], str]


_needs_quotes = re.compile('[",\r\n]').search


def _cell(text: str | None) -> str:
    if not text:
        return ""
    text = escape_formula(text)
    return text if not _needs_quotes(text) else '"' + text.replace('"', '""') + '"'


_json = json.JSONEncoder(ensure_ascii=False).encode


def _json_number(value: float) -> str:
    return repr(value) if value - value == 0 else _json(value)


def _any_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _cell(value)
    return _cell(_json(value)) if isinstance(value, dict | list | bool) else str(value)


def _cells(values: Mapping[str, Any], names: Iterable[str]) -> str:
    """The values of the names, then the rest as JSON."""
    rest = {name: value for name, value in values.items() if name not in names}
    return ",".join([*(_any_cell(values.get(name)) for name in names), _cell(_json(rest)) if rest else ""])


_COMPOSITE = ("params", "config", "config_from", "params_from")
_PLAIN = [name for name in _ALL_FIELDS if name not in _COMPOSITE]
_csv_order = itemgetter(*(_ALL_FIELDS.index(name) for name in (*_PLAIN, *_COMPOSITE)))
_CSV_LINE = ",".join(["%s"] * len(_ALL_FIELDS)) + "\n"
_NONE = ("",) * len(_OF_UNMEASURED)
_UNMEASURED_FIELDS = [name for name in _ALL_FIELDS if name not in ("value", "raw_unit")]
_unmeasured_order = itemgetter(*(_ALL_FIELDS.index(name) for name in _UNMEASURED_FIELDS))
_JSON_LINE = '{"type": "measurement", ' + ", ".join(f'"{name}": %s' for name in FIELDS) + "}\n"
_JSON_UNMEASURED = '{"type": "unmeasured", ' + ", ".join(f'"{name}": %s' for name in _UNMEASURED_FIELDS) + "}\n"


def _csv_line(texts: tuple[object, ...]) -> str:
    return _CSV_LINE % _csv_order(texts + _NONE)


def _csv_unmeasured(texts: tuple[object, ...]) -> str:
    return _CSV_LINE % _csv_order(texts)


def _json_line(texts: tuple[object, ...]) -> str:
    return _JSON_LINE % texts


def _json_unmeasured(texts: tuple[object, ...]) -> str:
    return _JSON_UNMEASURED % _unmeasured_order(texts)


CSV = RecordFormat(
    head=",".join(
        [
            *_PLAIN,
            *(f"params.{name}" for name in PARAM_COLUMNS),
            "params",
            *(f"config.{name}" for name in keys.KEYS),
            "config",
            "config_from",
            "params_from",
        ]
    )
    + "\n",
    text=_cell,
    number=repr,
    params=lambda params: _cells(params, PARAM_COLUMNS),
    config=lambda config: _cells(config, keys.KEYS),
    places=lambda places: _cell(_json(places)),
    implied=lambda names: _cell(" ".join(names)),
    line=_csv_line,
    unmeasured=_csv_unmeasured,
)
"""A column for every configuration key and registered parameter (`config.memory`, `params.files`); the rest is JSON in the
columns `params` and `config`."""

JSONL = RecordFormat(
    head="",
    text=lambda text: "null" if text is None else encode_basestring(text),
    number=_json_number,
    params=_json,
    config=_json,
    places=_json,
    implied=_json,
    line=_json_line,
    unmeasured=_json_unmeasured,
)


# The block of each run: the round of its session, as a comparison of all configurations of that session finds it. Pure.


class PlacedRun(NamedTuple):
    """A run with what decides its round; `session`: as in `Observed`; `round`: as the manifest states it."""

    id: int
    session: int
    configuration: int
    tool: str
    path: str
    line: str
    started_at: str | None
    round: str | None


def find_blocks(archive: int, runs: Iterable[PlacedRun]) -> dict[int, str]:
    """Id of the run -> name of its round, without runs that are in none. Runs of unlike tools are no repetitions."""
    sessions: dict[tuple[int, str], dict[int, list[PlacedRun]]] = {}
    for run in runs:
        sessions.setdefault((run.session, run.tool), {}).setdefault(run.configuration, []).append(run)
    blocks: dict[int, str] = {}
    for configurations in sessions.values():
        sides = list(configurations.values())
        observed = [[_observe(archive, run) for run in side] for side in sides]
        for side, names in zip(sides, find_rounds(observed), strict=True):
            blocks.update((run.id, name) for run, name in zip(side, names, strict=True) if name)
    return blocks


def _observe(archive: int, run: PlacedRun) -> Observed:
    return Observed(
        run.session, 0, archive, run.id, run.path, line=run.line, started_at=run.started_at, stated=False, round=run.round
    )
