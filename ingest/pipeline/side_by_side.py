"""Reads several uploads in parallel processes and writes their records in the order of the paths.

Each process writes its lines to its own file, so that memory does not grow if the output is read slowly; only a few
are in progress at a time.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ingest.detect import detect
from ingest.detect.findings import FindingsCache
from ingest.pipeline.read import read

if TYPE_CHECKING:
    from concurrent.futures import Future
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ingest.open_keys import is_bulk
from ingest.records import Evidence, FileReport, Measurement, Record, SeriesRecord, Unmeasured, Warning

# Serialises records as JSON Lines, in the record format.

_dumps = json.JSONEncoder(ensure_ascii=False, default=str).encode
_string = json.encoder.encode_basestring
_MAX_CACHED = 4_000  # serialised mappings; each is some 2 KB
_BATCH_SIZE = 1000  # parts of lines that are joined before they are written

# Members of lines, in their order.
_UNMEASURED = (
    "file line tool tool_version metric native unit raw stat reason bound side repetition duplicate_of origin source_note "
    "started_at"
).split()
_FILE = "file sha256 format parser parser_version measurements status".split()

# The text before the value, between it and the raw text, after that up to the repetition, and before the parameters.
_Texts = tuple[str, str, str, str]
_Mapping = Mapping[str, Any]


class RecordWriter:
    """Writes records as lines of JSON, in UTF-8 and with a line feed."""

    def __init__(self) -> None:
        # By id(): the mapping is kept too, so that its id() stays unique.
        self._params_cache: dict[int, tuple[_Mapping, str]] = {}
        self._config_cache: dict[tuple[int, int, tuple[str, ...]], tuple[_Mapping, _Mapping, bytes]] = {}
        self._text_cache: dict[tuple[str | None, ...], _Texts] = {}
        self._file: tuple[str, str] = ("", '""')

    def write(self, records: Iterable[Record], out: BinaryIO) -> bool:
        """Write every record, also those before an exception; returns whether any is a measurement, unmeasured or a series."""
        has_result, parts = False, list[bytes]()
        measurement, add_parts = self._measurement, parts.extend
        try:
            for record in records:
                if type(record) is Measurement:
                    has_result = True
                    add_parts(measurement(record))
                elif type(record) is Unmeasured:
                    has_result = True
                    add_parts(self._unmeasured(record))
                elif type(record) is SeriesRecord:
                    has_result = True
                    out.write(b"".join(parts))
                    parts.clear()
                    out.writelines(self._series(record))
                else:
                    parts.append(_encode(self._other(record)))
                if len(parts) >= _BATCH_SIZE:
                    out.write(b"".join(parts))
                    parts.clear()
        finally:
            out.write(b"".join(parts))
        return has_result

    def _measurement(self, m: Measurement) -> tuple[bytes, bytes]:
        """The line in two parts, of which the second, much longer one is cached for all that share it."""
        value = m.value
        key = (m.metric, m.native, m.unit, m.raw_unit, m.stat, m.tool, m.tool_version, m.origin, m.source_note, m.started_at)
        before, between, after, last = self._text_cache.get(key) or self._serialise_texts(key)
        params, places = self._params_cache.get(id(m.params)), self._params_cache.get(id(m.params_from))
        config = self._config_cache.get((id(m.config), id(m.config_from), m.implied))
        original = m.duplicate_of
        head = (
            f'{{"type": "measurement", "file": {self._file[1] if m.file == self._file[0] else self._quote_path(m.file)}, "line": '
            f"{m.line if type(m.line) is int else _dumps(m.line)}{before}{value if value - value == 0 else _dumps(value)}"
            f'{between}{_string(m.raw)}{after}{m.repetition}, "duplicate_of": {_text(original)}'
            f"{last}{params[1] if params else self._serialise_params(m.params)}"
            f', "params_from": {places[1] if places else self._serialise_params(m.params_from)}'
        )
        return head.encode("utf-8", "replace"), config[2] if config else self._serialise_config(m)

    def _unmeasured(self, u: Unmeasured) -> tuple[bytes, bytes]:
        """The line in two parts, as that of a measurement."""
        members = {"type": "unmeasured"} | {name: getattr(u, name) for name in _UNMEASURED}
        params = self._params_cache.get(id(u.params))
        config = self._config_cache.get((id(u.config), id(u.config_from), u.implied))
        head = f'{_dumps(members)[:-1]}, "params": {params[1] if params else self._serialise_params(u.params)}'
        head += f', "params_from": {_serialise_mapping(u.params_from)}'
        return _encode(head), config[2] if config else self._serialise_config(u)

    def _series(self, s: SeriesRecord) -> Iterator[bytes]:
        """The line in parts: columns may be long."""
        members = {"type": "series", "file": s.file, "line": s.line, "tool": s.tool, "metric": s.metric, "subject": s.subject}
        members |= {"unit": s.unit, "started_at": s.started_at}
        yield _encode(_dumps(members)[:-1])
        for name, index in (("t", 0), ("v", 1), ("lines", 2)):
            separator = b""
            yield f', "{name}": '.encode()
            for chunk in s.chunks():
                column = chunk[index]
                if column is None:
                    yield b"null"
                    break
                yield (separator or b"[") + _encode(_dumps(column)[1:-1])
                separator = b", "
            yield b"]" if separator else b""
        config = self._config_cache.get((id(s.config), id(s.config_from), s.implied))
        text = config[2] if config else self._serialise_config(s)
        yield text[: text.rindex(b', "implied": ')] + b"}\n"

    def _serialise_texts(self, key: tuple[str | None, ...]) -> _Texts:
        """The members that most measurements share with others, as in a line."""
        if len(self._text_cache) > _MAX_CACHED:
            self._text_cache.clear()
        metric, native, unit, raw_unit, stat, tool, version, origin, note, started = key
        texts = self._text_cache[key] = (
            f', "tool": {_text(tool)}, "tool_version": {_text(version)}, "metric": {_text(metric)}, "native": {_text(native)}'
            ', "value": ',
            f', "unit": {_text(unit)}, "raw": ',
            f', "raw_unit": {_text(raw_unit)}, "stat": {_text(stat)}, "repetition": ',
            f', "origin": {_text(origin)}, "source_note": {_text(note)}, "started_at": {_text(started)}, "params": ',
        )
        return texts

    def _quote_path(self, path: str) -> str:
        if path != self._file[0]:
            self._file = (path, _dumps(path))
        return self._file[1]

    def _serialise_params(self, params: _Mapping) -> str:
        if len(self._params_cache) > _MAX_CACHED:
            self._params_cache.clear()
        text = _serialise_mapping(params)
        self._params_cache[id(params)] = (params, text)
        return text

    def _serialise_config(self, m: Measurement | Unmeasured | SeriesRecord) -> bytes:
        """The configuration, its references and what is implied, up to the end of the line."""
        if len(self._config_cache) > _MAX_CACHED:
            self._config_cache.clear()
        config, references = m.config, m.config_from
        if any(is_bulk(key) for key in config):
            config, references = (
                {key: item for key, item in mapping.items() if key in m.chosen or not is_bulk(key)}
                for mapping in (config, references)
            )
        shared = self._params_cache.get(id(config))
        text = _encode(
            f', "config": {shared[1] if shared else self._serialise_params(config)}'
            f', "config_from": {_serialise_mapping(references)}, "implied": {_dumps(list(m.implied))}}}\n'
        )
        self._config_cache[id(m.config), id(m.config_from), m.implied] = (m.config, m.config_from, text)
        return text

    def _other(self, record: Evidence | Warning | FileReport) -> str:
        if isinstance(record, Evidence):
            line = record.line if type(record.line) is int else _dumps(record.line)
            value = _string(record.value) if type(record.value) is str else _dumps(record.value)
            return (
                f'{{"type": "evidence", "file": {self._quote_path(record.file)}, "line": {line}, "key": {_string(record.key)}, '
                f'"value": {value}, "raw": {_string(record.raw)}, "kind": "{record.kind}", "scope": "{record.scope}"}}\n'
            )
        if isinstance(record, Warning):
            line = record.line if type(record.line) is int else _dumps(record.line)
            return (
                f'{{"type": "warning", "file": {_text(record.file)}, "line": {line}, "code": {_string(record.code)}, '
                f'"message": {_string(record.message)}}}\n'
            )
        return _dumps({"type": "file"} | {name: getattr(record, name) for name in _FILE}) + "\n"


def _text(text: str | None) -> str:
    return "null" if text is None else _string(text)


def _serialise_mapping(mapping: _Mapping) -> str:
    """A mapping of texts to mostly texts and ints, at twice the speed of the encoder."""
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


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")


_cache = FindingsCache()  # shared by the uploads of one process
_MIN_SIZE = 1 << 17  # bytes of input below which starting processes takes longer than it saves


def count_processes(paths: Sequence[str]) -> int:
    """The number of processes: at most that of processors and of paths; 1 for little input."""
    size = sum(os.path.getsize(path) if os.path.isfile(path) else _MIN_SIZE for path in paths if os.path.exists(path))
    return min(_processors(), len(paths)) if size >= _MIN_SIZE else 1


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def write_records(paths: Sequence[str], out: BinaryIO, count: int) -> bool:
    """Write the records of every path; returns whether any was a measurement or an unmeasured value.

    Raises UnreadableInput if a path cannot be opened, after the records of those before it were written.
    """
    if count < 2:
        return _write(paths, out)
    # Imported here, since the import takes as long as a short run.
    import tempfile
    from concurrent.futures import ProcessPoolExecutor

    # Load the plug-ins once, before the fork.
    detect.parsers(), detect.readers()
    has_result = False
    with tempfile.TemporaryDirectory(prefix="ingest-") as folder, ProcessPoolExecutor(count) as pool:
        waiting: deque[tuple[Future[bool], Path]] = deque()
        for index, path in enumerate(paths):
            lines = Path(folder, str(index))
            waiting.append((pool.submit(_write_to_file, path, lines), lines))
            if len(waiting) > 2 * count:
                has_result |= _copy_result(*waiting.popleft(), out)
        while waiting:
            has_result |= _copy_result(*waiting.popleft(), out)
    return has_result


def _write(paths: Sequence[str], out: BinaryIO) -> bool:
    return RecordWriter().write(read(paths, cache=_cache), out)


def _write_to_file(path: str, lines: Path) -> bool:
    with open(lines, "wb", buffering=1 << 20) as out:
        return _write([path], out)


def _copy_result(future: Future[bool], lines: Path, out: BinaryIO) -> bool:
    has_result = future.result()
    with open(lines, "rb") as stream:
        shutil.copyfileobj(stream, out, 1 << 20)
    lines.unlink()
    return has_result
