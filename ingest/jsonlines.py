"""Records -> JSON Lines, as the record format has them.

Most of a line is the configuration, which thousands of values share: each distinct mapping is written out once, and so
is each distinct row of the short texts (tool, metric, unit ...). The lines are what `json.dumps` with
`ensure_ascii=False` gives for the same record.
"""
from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from ingest.records import Evidence, FileReport, Measurement, Record, Warning

_dumps = json.JSONEncoder(ensure_ascii=False, default=str).encode
_string = json.encoder.encode_basestring
_MOST = 20_000  # mappings kept; each keeps a configuration alive


class Lines:
    """Writes records as lines of JSON, in UTF-8 and with the line feed."""

    def __init__(self) -> None:
        self._tails: dict[tuple[int, int, int], tuple[Measurement, bytes]] = {}
        self._mappings: dict[int, tuple[Mapping, bytes]] = {}
        self._texts: dict[tuple, tuple[str, str, str, str]] = {}
        self._file: tuple[str, str] = ("", '""')

    def of(self, records: Iterable[Record]) -> Iterator[tuple[bool, bytes]]:
        """Whether it is a measurement, and the line, of each record."""
        for record in records:
            if isinstance(record, Measurement):
                yield True, self._measurement(record)
            elif isinstance(record, Evidence):
                yield False, self._evidence(record)
            else:
                yield False, _bytes(_dumps(_plain(record)) + "\n")

    def _measurement(self, m: Measurement) -> bytes:
        value = repr(m.value) if type(m.value) is float and m.value - m.value == 0 else _dumps(m.value)
        line = m.line if type(m.line) is int else _dumps(m.line)
        twin = "null" if m.duplicate_of is None else _dumps(m.duplicate_of)
        key = (m.tool, m.tool_version, m.metric, m.native, m.unit, m.raw_unit, m.stat, m.origin, m.source_note, m.started_at)
        what, unit, how, whence = self._texts.get(key) or self._text(key)
        return _bytes(f'{{"type": "measurement", "file": {self._path(m.file)}, "line": {line}, {what}, "value": {value}, '
                      f'"unit": {unit}, "raw": {_string(m.raw)}, {how}, "repetition": {m.repetition}, "duplicate_of": {twin}, '
                      f'{whence}, "params": ') + self._tail(m)

    def _evidence(self, e: Evidence) -> bytes:
        line = e.line if type(e.line) is int else _dumps(e.line)
        value = _string(e.value) if type(e.value) is str else _dumps(e.value)
        return _bytes(f'{{"type": "evidence", "file": {self._path(e.file)}, "line": {line}, "key": {_string(e.key)}, '
                      f'"value": {value}, "raw": {_string(e.raw)}, "kind": "{e.kind}", "scope": "{e.scope}"}}\n')

    def _text(self, key: tuple[str | None, ...]) -> tuple[str, str, str, str]:
        """The members that most measurements share with others, as they stand in a line."""
        if len(self._texts) > _MOST:
            self._texts.clear()
        tool, version, metric, native, unit, raw_unit, stat, origin, note, started = key
        known = self._texts[key] = (
            _dumps({"tool": tool, "tool_version": version, "metric": metric, "native": native})[1:-1], _dumps(unit),
            _dumps({"raw_unit": raw_unit, "stat": stat})[1:-1],
            _dumps({"origin": origin, "source_note": note, "started_at": started})[1:-1])
        return known

    def _path(self, path: str) -> str:
        if path != self._file[0]:
            self._file = (path, _dumps(path))
        return self._file[1]

    def _tail(self, m: Measurement) -> bytes:
        """Parameters and configuration, to the end of the line."""
        key = (id(m.params), id(m.config), id(m.config_from))
        known = self._tails.get(key)
        if known is None:
            if len(self._tails) > _MOST:
                self._tails.clear()
            tail = b'%b, "config": %b, "config_from": %b}\n' % (
                _bytes(_dumps(m.params)), self._mapping(m.config), self._mapping(m.config_from))
            # The record is kept too, so that the ids of its mappings stay theirs.
            known = self._tails[key] = (m, tail)
        return known[1]

    def _mapping(self, mapping: Mapping) -> bytes:
        known = self._mappings.get(id(mapping))
        if known is None:
            if len(self._mappings) > _MOST:
                self._mappings.clear()
            known = self._mappings[id(mapping)] = (mapping, _bytes(_dumps(mapping)))
        return known[1]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _plain(record: Record) -> dict[str, object]:
    if isinstance(record, Warning):
        return {"type": "warning", "file": record.file, "line": record.line, "code": record.code, "message": record.message}
    assert isinstance(record, FileReport)
    return {"type": "file", "file": record.file, "sha256": record.sha256, "format": record.format, "parser": record.parser,
            "parser_version": record.parser_version, "measurements": record.measurements, "status": record.status}
