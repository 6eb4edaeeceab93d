"""Records -> JSON Lines, as the record format has them.

Most of a line is the configuration, which thousands of values share: each distinct mapping is written out once, and so
is each distinct row of the short texts (tool, metric, unit ...). The lines are what `json.dumps` with
`ensure_ascii=False` gives for the same record.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

from ingest.records import Evidence, FileReport, Measurement, Record, Warning

_dumps = json.JSONEncoder(ensure_ascii=False, default=str).encode
_string = json.encoder.encode_basestring
_MOST = 4_000  # mappings kept: those of values that stand near each other; each with its text is some 2 KB
_TOGETHER = 1000  # parts of lines that are joined before they are written

# What stands before the value, between it and the raw text, after that up to the repetition, and before the parameters.
_Texts = tuple[str, str, str, str]
_Told = Mapping[str, Any]


class RecordWriter:
    """Writes records as lines of JSON, in UTF-8 and with the line feed."""

    def __init__(self) -> None:
        # By identity: the mapping is kept too, so that its id stays its own.
        self._params: dict[int, tuple[_Told, str]] = {}
        self._configs: dict[tuple[int, int], tuple[_Told, _Told, bytes]] = {}
        self._texts: dict[tuple[str | None, ...], _Texts] = {}
        self._file: tuple[str, str] = ("", '""')

    def write(self, records: Iterable[Record], out: BinaryIO) -> bool:
        """Writes every record, those before an exception too; whether any was a measurement."""
        found, parts = False, list[bytes]()
        measurement, take = self._measurement, parts.extend
        try:
            for record in records:
                if type(record) is Measurement:
                    found = True
                    take(measurement(record))
                else:
                    parts.append(_bytes(self._other(record)))
                if len(parts) >= _TOGETHER:
                    out.write(b"".join(parts))
                    parts.clear()
        finally:
            out.write(b"".join(parts))
        return found

    def _measurement(self, m: Measurement) -> tuple[bytes, bytes]:
        """The line in two parts, of which the second, much the longer, is made once for all that share it."""
        value = m.value
        key = (m.metric, m.native, m.unit, m.raw_unit, m.stat, m.tool, m.tool_version, m.origin, m.source_note, m.started_at)
        before, between, after, last = self._texts.get(key) or self._text(key)
        params = self._params.get(id(m.params))
        config = self._configs.get((id(m.config), id(m.config_from)))
        twin = m.duplicate_of
        head = (
            f'{{"type": "measurement", "file": {self._file[1] if m.file == self._file[0] else self._path(m.file)}, "line": '
            f"{m.line if type(m.line) is int else _dumps(m.line)}{before}{value if value - value == 0 else _dumps(value)}"
            f'{between}{_string(m.raw)}{after}{m.repetition}, "duplicate_of": {"null" if twin is None else _dumps(twin)}'
            f"{last}{params[1] if params else self._of_params(m.params)}"
        )
        return head.encode("utf-8", "replace"), config[2] if config else self._of_config(m.config, m.config_from)

    def _text(self, key: tuple[str | None, ...]) -> _Texts:
        """The members that most measurements share with others, as they stand in a line."""
        if len(self._texts) > _MOST:
            self._texts.clear()
        metric, native, unit, raw_unit, stat, tool, version, origin, note, started = key
        before = _dumps({"tool": tool, "tool_version": version, "metric": metric, "native": native})[1:-1]
        after = _dumps({"raw_unit": raw_unit, "stat": stat})[1:-1]
        last = _dumps({"origin": origin, "source_note": note, "started_at": started})[1:-1]
        known = self._texts[key] = (
            f', {before}, "value": ',
            f', "unit": {_dumps(unit)}, "raw": ',
            f', {after}, "repetition": ',
            f', {last}, "params": ',
        )
        return known

    def _path(self, path: str) -> str:
        if path != self._file[0]:
            self._file = (path, _dumps(path))
        return self._file[1]

    def _of_params(self, params: _Told) -> str:
        if len(self._params) > _MOST:
            self._params.clear()
        text = _flat(params)
        self._params[id(params)] = (params, text)
        return text

    def _of_config(self, config: _Told, told: _Told) -> bytes:
        """The configuration and where it was told, to the end of the line."""
        if len(self._configs) > _MOST:
            self._configs.clear()
        text = _bytes(f', "config": {_flat(config)}, "config_from": {_flat(told)}}}\n')
        self._configs[id(config), id(told)] = (config, told, text)
        return text

    def _other(self, record: Evidence | Warning | FileReport) -> str:
        if isinstance(record, Evidence):
            line = record.line if type(record.line) is int else _dumps(record.line)
            value = _string(record.value) if type(record.value) is str else _dumps(record.value)
            return (
                f'{{"type": "evidence", "file": {self._path(record.file)}, "line": {line}, "key": {_string(record.key)}, '
                f'"value": {value}, "raw": {_string(record.raw)}, "kind": "{record.kind}", "scope": "{record.scope}"}}\n'
            )
        return _dumps(_plain(record)) + "\n"


def _flat(mapping: _Told) -> str:
    """A mapping of texts to mostly texts and whole numbers, for which the encoder takes twice as long to set up."""
    return (
        "{"
        + ", ".join(
            [
                f"{_string(key)}: {_string(value) if type(value) is str else value if type(value) is int else _dumps(value)}"
                for key, value in mapping.items()
            ]
        )
        + "}"
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _plain(record: Warning | FileReport) -> dict[str, object]:
    if isinstance(record, Warning):
        return {"type": "warning", "file": record.file, "line": record.line, "code": record.code, "message": record.message}
    return {
        "type": "file",
        "file": record.file,
        "sha256": record.sha256,
        "format": record.format,
        "parser": record.parser,
        "parser_version": record.parser_version,
        "measurements": record.measurements,
        "status": record.status,
    }
