"""Records of the contract as lines of CSV and of JSON, put together from texts that are made once for many of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any

from ingest import keys
from webapp.formats.sheets import escape_formula

FIELDS = (
    "file",
    "line",
    "tool",
    "tool_version",
    "metric",
    "native",
    "value",
    "unit",
    "raw",
    "raw_unit",
    "stat",
    "repetition",
    "duplicate_of",
    "params",
    "config",
    "config_from",
    "origin",
    "source_note",
    "started_at",
)
PARAM_COLUMNS = (*keys.PARAMS, "command", "timer")
"""Parameters with a column of their own in CSV; the others, which a tool has for itself, are one JSON column."""


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """How a kind of file writes a record: each function gives the text of one field, `line` that of all of them.

    `line` takes the texts in the order of `FIELDS` and ends with a line feed; `head` is what stands before all lines.
    """

    head: str
    text: Callable[[str | None], str]
    number: Callable[[float], str]
    params: Callable[[Mapping[str, Any]], str]
    config: Callable[[Mapping[str, Any]], str]
    config_from: Callable[[Mapping[str, str]], str]
    line: Callable[..., str]


_quotable = re.compile('[",\r\n]').search


def _cell(text: str | None) -> str:
    if not text:
        return ""
    text = escape_formula(text)
    return text if not _quotable(text) else '"' + text.replace('"', '""') + '"'


_json = json.JSONEncoder(ensure_ascii=False).encode


def _json_number(value: float) -> str:
    return repr(value) if value - value == 0 else _json(value)


def _any_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _cell(value)
    return _cell(_json(value)) if isinstance(value, dict | list | bool) else str(value)


def _cells(told: Mapping[str, Any], names: Iterable[str]) -> str:
    """The values of the names, then the rest as JSON."""
    rest = {name: value for name, value in told.items() if name not in names}
    return ",".join([*(_any_cell(told.get(name)) for name in names), _cell(_json(rest)) if rest else ""])


def _csv_line(
    file,
    line,
    tool,
    version,
    metric,
    native,
    value,
    unit,
    raw,
    raw_unit,
    stat,
    repetition,
    duplicate_of,
    params,
    config,
    config_from,
    origin,
    source_note,
    started_at,
) -> str:
    return (
        f"{file},{line},{tool},{version},{metric},{native},{value},{unit},{raw},{raw_unit},{stat},{repetition},{duplicate_of},"
        f"{origin},{source_note},{started_at},{params},{config},{config_from}\n"
    )


def _json_line(*texts: str) -> str:
    return _JSON_LINE % texts


_JSON_LINE = '{"type": "measurement", ' + ", ".join(f'"{name}": %s' for name in FIELDS) + "}\n"
_PLAIN = [name for name in FIELDS if name not in ("params", "config", "config_from")]

CSV = RecordFormat(
    ",".join(
        [
            *_PLAIN,
            *(f"params.{name}" for name in PARAM_COLUMNS),
            "params",
            *(f"config.{name}" for name in keys.KEYS),
            "config",
            "config_from",
        ]
    )
    + "\n",
    _cell,
    repr,
    lambda told: _cells(told, PARAM_COLUMNS),
    lambda told: _cells(told, keys.KEYS),
    lambda told: _cell(_json(told)),
    _csv_line,
)
"""A column for every configuration key and registered parameter (`config.memory`, `params.files`). What has no column of
its own stands as JSON in `params` and `config`."""

JSONL = RecordFormat(
    "", lambda text: "null" if text is None else encode_basestring(text), _json_number, _json, _json, _json, _json_line
)
