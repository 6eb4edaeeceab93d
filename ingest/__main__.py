"""`python -m ingest PATH...`: JSON Lines on standard output.

Exit status 0: at least one measurement; 1: none; 2: usage or unreadable input.
"""
from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable

from ingest import read
from ingest.errors import IngestError
from ingest.records import Evidence, FileReport, Measurement, Record, Warning

USAGE = "usage: python -m ingest PATH...\n  PATH: a file, a folder or an archive (tar, zip; gzip, bzip2, xz, zstd)"
_dumps = json.JSONEncoder(ensure_ascii=False, default=str).encode


class _Known:
    """Encodes each distinct mapping once: thousands of values share a configuration."""

    def __init__(self) -> None:
        self.kept: dict[int, tuple[object, str]] = {}

    def __call__(self, mapping: object) -> str:
        kept = self.kept.get(id(mapping))
        if kept is None:
            if len(self.kept) > 20_000:
                self.kept.clear()
            # The object is kept too, so that its id stays its own.
            kept = self.kept[id(mapping)] = (mapping, _dumps(mapping))
        return kept[1]


def encoded(records: Iterable[Record]) -> Iterable[tuple[bool, str]]:
    """Whether it is a measurement, and the line, of each record."""
    known = _Known()
    for record in records:
        if isinstance(record, Measurement):
            yield True, _measurement(record, known)
        else:
            yield False, _dumps(_plain(record))


def _measurement(m: Measurement, known: _Known) -> str:
    head = _dumps({
        "type": "measurement", "file": m.file, "line": m.line, "tool": m.tool, "tool_version": m.tool_version,
        "metric": m.metric, "native": m.native, "value": m.value, "unit": m.unit, "raw": m.raw, "raw_unit": m.raw_unit,
        "stat": m.stat, "repetition": m.repetition, "duplicate_of": m.duplicate_of, "origin": m.origin,
        "source_note": m.source_note, "started_at": m.started_at})
    return (f'{head[:-1]}, "params": {known(m.params)}, "config": {known(m.config)}, '
            f'"config_from": {known(m.config_from)}}}')


def _plain(record: Record) -> dict[str, object]:
    if isinstance(record, Evidence):
        return {"type": "evidence", "file": record.file, "line": record.line, "key": record.key, "value": record.value,
                "raw": record.raw, "kind": record.kind, "scope": record.scope}
    if isinstance(record, Warning):
        return {"type": "warning", "file": record.file, "line": record.line, "code": record.code, "message": record.message}
    assert isinstance(record, FileReport)
    return {"type": "file", "file": record.file, "sha256": record.sha256, "format": record.format, "parser": record.parser,
            "parser_version": record.parser_version, "measurements": record.measurements, "status": record.status}


def main(paths: list[str]) -> int:
    if not paths or any(path in ("-h", "--help") for path in paths):
        print(USAGE, file=sys.stderr)
        return 2
    any_measurement = False
    try:
        with open(sys.stdout.fileno(), "w", encoding="utf-8", errors="replace", closefd=False) as out:
            for is_measurement, line in encoded(read(paths)):
                any_measurement |= is_measurement
                out.write(line + "\n")
    except IngestError as error:
        print(f"ingest: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader has seen enough; nothing more can be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0 if any_measurement else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
