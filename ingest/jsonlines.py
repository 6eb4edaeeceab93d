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
_MOST = 20_000  # mappings kept; each keeps a configuration alive


class Lines:
    """Writes records as lines of JSON, in UTF-8 and with the line feed."""

    def __init__(self) -> None:
        self._tails: dict[tuple[int, int, int], tuple[Measurement, bytes]] = {}
        self._mappings: dict[int, tuple[Mapping, bytes]] = {}
        self._texts: dict[tuple, str] = {}
        self._file: tuple[str, str] = ("", '""')

    def of(self, records: Iterable[Record]) -> Iterator[tuple[bool, bytes]]:
        """Whether it is a measurement, and the line, of each record."""
        for record in records:
            if isinstance(record, Measurement):
                yield True, self._measurement(record)
            else:
                yield False, _bytes(_dumps(_plain(record)) + "\n")

    def _measurement(self, m: Measurement) -> bytes:
        value = repr(m.value) if type(m.value) is float and m.value - m.value == 0 else _dumps(m.value)
        line = m.line if type(m.line) is int else _dumps(m.line)
        twin = "null" if m.duplicate_of is None else _dumps(m.duplicate_of)
        head = (f'{{"type": "measurement", "file": {self._path(m.file)}, "line": {line}, '
                f'{self._text("tool", m.tool, "tool_version", m.tool_version, "metric", m.metric, "native", m.native)}, '
                f'"value": {value}, "unit": {self._text(m.unit)}, "raw": {_dumps(m.raw)}, '
                f'{self._text("raw_unit", m.raw_unit, "stat", m.stat)}, '
                f'"repetition": {m.repetition}, "duplicate_of": {twin}, '
                f'{self._text("origin", m.origin, "source_note", m.source_note, "started_at", m.started_at)}, "params": ')
        return _bytes(head) + self._tail(m)

    def _path(self, path: str) -> str:
        if path != self._file[0]:
            self._file = (path, _dumps(path))
        return self._file[1]

    def _text(self, *parts: str | None) -> str:
        """One text, or the members of an object, without its braces, from names and texts in turn."""
        known = self._texts.get(parts)
        if known is None:
            if len(self._texts) > _MOST:
                self._texts.clear()
            members = dict(zip(parts[::2], parts[1::2], strict=False))
            known = self._texts[parts] = _dumps(members)[1:-1] if len(parts) > 1 else _dumps(parts[0])
        return known

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
    if isinstance(record, Evidence):
        return {"type": "evidence", "file": record.file, "line": record.line, "key": record.key, "value": record.value,
                "raw": record.raw, "kind": record.kind, "scope": record.scope}
    if isinstance(record, Warning):
        return {"type": "warning", "file": record.file, "line": record.line, "code": record.code, "message": record.message}
    assert isinstance(record, FileReport)
    return {"type": "file", "file": record.file, "sha256": record.sha256, "format": record.format, "parser": record.parser,
            "parser_version": record.parser_version, "measurements": record.measurements, "status": record.status}
