"""Every public measurement as a record of the contract, streamed from the database.

What a run, a workload, a configuration or the place of its keys has to say is made a text once and stands in many lines;
of a measurement itself only its own cells are read and written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple, Protocol

from django.db import connection, transaction

from ingest import catalogue, keys
from webapp.formats.records import CSV, JSONL, RecordFormat
from webapp.models.archive import public_sql

_BLOCK = 1000  # measurements read and written at once, about a megabyte of text
_KEPT = 5000  # texts of one kind that are kept; beyond, all are made anew
_RUNS = """
SELECT r.first_measurement, r.first_measurement + r.measurements, f.path, o.path, r.details::text, r.configuration_id,
       r.config_exact::text, r.provenance_id, r.source_note, r.started_at
FROM webapp_run r JOIN webapp_file f ON f.id = r.file_id LEFT JOIN webapp_file o ON o.id = f.duplicate_of_id
WHERE r.archive_id = %s ORDER BY r.first_measurement
"""
_VALUES = """
SELECT m.id, m.workload_id, m.metric_id, m.line, m.native, m.value, m.raw, m.raw_unit, m.repetition, m.duplicate_of,
       m.details::text
FROM webapp_measurement m
WHERE m.id >= (SELECT min(first_measurement) FROM webapp_run WHERE archive_id = %s)
AND m.id < (SELECT max(first_measurement + measurements) FROM webapp_run WHERE archive_id = %s)
AND (m.counted OR NOT EXISTS (SELECT FROM webapp_withdrawal x
    WHERE x.archive_id = %s AND x.restored_at IS NULL AND m.id >= x.first AND m.id < x.beyond))
ORDER BY m.id
"""
_CONFIGURATIONS = f"SELECT id, {', '.join(key.column for key in keys.KEYS.values())} FROM webapp_configuration"
_WORKLOADS = "SELECT id, tool, tool_version, stat, origin, params::text FROM webapp_workload"


class TextSink(Protocol):
    """Where the text goes."""

    def write(self, text: str, /) -> object: ...


def write_csv(out: TextSink) -> int:
    """CSV with a head; how many measurements."""
    return _write(CSV, out)


def write_jsonl(out: TextSink) -> int:
    """JSON Lines; how many."""
    return _write(JSONL, out)


def _write(form: RecordFormat, out: TextSink) -> int:
    """Archives in the order of their ids, values in theirs; what is withdrawn is left out.

    A value of a file that is counted in another archive has `duplicate_of` with that file's path. One archive is asked
    for after the other, on one snapshot, so that the first line comes at once and memory does not grow.
    """
    out.write(form.head)
    outermost, count = not connection.in_atomic_block, 0
    with transaction.atomic():
        with connection.cursor() as cursor:
            if outermost:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute(f"SELECT id FROM webapp_archive WHERE {public_sql()} AND measurements > 0 ORDER BY id")
            archives = [row[0] for row in cursor.fetchall()]
        texts = _Texts(form)
        for archive in archives:
            runs = _runs(archive, texts)
            run = next(runs, None)
            for rows in _blocks(_VALUES, [archive] * 3):
                texts.workloads.look_up({row[1] for row in rows})
                texts.metrics.look_up({row[2] for row in rows})
                lines = []
                for row in rows:
                    while run is not None and run.beyond <= row[0]:
                        run = next(runs, None)
                    if run is not None and run.first <= row[0]:
                        lines.append(texts.line(run, row))
                out.write("".join(lines))
                count += len(lines)
    return count


def _blocks(query: str, args: list[int]) -> Iterator[list[tuple]]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(query, args)
        while rows := cursor.fetchmany(_BLOCK):
            yield rows


class _Run(NamedTuple):
    """The ids of its values, and texts that all of them share."""

    first: int
    beyond: int
    path: str
    counts_in: str | None
    """The path of the file that counts in the place of this one, in another archive."""
    details: str
    config: str
    config_from: str
    source_note: str
    started_at: str


def _runs(archive: int, texts: _Texts) -> Iterator[_Run]:
    text = texts.form.text
    for rows in _blocks(_RUNS, [archive]):
        texts.configurations.look_up({row[5] for row in rows})
        texts.provenances.look_up({row[7] for row in rows})
        for first, beyond, path, counts_in, details, configuration, exact, provenance, source_note, started_at in rows:
            yield _Run(
                first,
                beyond,
                text(path),
                counts_in,
                details,
                texts.config(configuration, exact),
                texts.provenances[provenance],
                text(source_note),
                text(started_at),
            )


class _Rows(dict):
    """Rows by id, as they are wanted."""

    def __init__(self, query: str, made: Callable[..., Any]) -> None:
        super().__init__()
        self.query, self.made = query, made

    def look_up(self, ids: Iterable[int]) -> None:
        """Hold these, with one query for those that are not there."""
        missing = [at for at in ids if at not in self]
        if not missing:
            return
        if len(self) + len(missing) > _KEPT:
            self.clear()
            missing = list(ids)
        with connection.cursor() as cursor:
            cursor.execute(f"{self.query} WHERE id = ANY(%s)", [missing])
            self.update((row[0], self.made(*row[1:])) for row in cursor.fetchall())


class _Texts:
    """Texts of a form, each made once for all the lines in which it stands."""

    def __init__(self, form: RecordFormat) -> None:
        self.form = form
        self.provenances = _Rows("SELECT id, told::text FROM webapp_provenance", lambda told: form.config_from(json.loads(told)))
        self.configurations = _Rows(_CONFIGURATIONS, _told)
        self.workloads = _Rows(_WORKLOADS, partial(_work, form))
        self.metrics = _Rows(
            "SELECT id, name FROM webapp_metricname", lambda name: (form.text(name), form.text(catalogue.metric(name).unit))
        )
        self._configs: dict[tuple[int, str], str] = {}
        self._params: dict[tuple[int, str, str | None], str] = {}

    def config(self, configuration: int, exact: str) -> str:
        """A resolved configuration: the columns, and over them what they do not hold as it was read."""
        key = (configuration, exact)
        if key not in self._configs:
            _make_room(self._configs)
            self._configs[key] = self.form.config(self.configurations[configuration] | json.loads(exact))
        return self._configs[key]

    def line(self, run: _Run, row: tuple) -> str:
        """A measurement of a run, as `_VALUES` reads it."""
        _, workload, metric, line, native, value, raw, raw_unit, repetition, twin, details = row
        text, (name, unit), work = self.form.text, self.metrics[metric], self.workloads[workload]
        key = (workload, run.details, details)
        params = self._params.get(key)
        if params is None:
            _make_room(self._params)
            told = work.params | json.loads(run.details) | (json.loads(details) if details else {})
            params = self._params[key] = self.form.params(told)
        if twin is None and run.counts_in is not None:
            twin = f"{run.counts_in}:{line}"
        return self.form.line(
            run.path,
            int(line) if line.isdecimal() else text(line),
            work.tool,
            work.version,
            name,
            text(native),
            self.form.number(value),
            unit,
            text(raw),
            text(raw_unit),
            work.stat,
            repetition,
            text(twin),
            params,
            run.config,
            run.config_from,
            work.origin,
            run.source_note,
            run.started_at,
        )


def _make_room(kept: dict) -> None:
    if len(kept) >= _KEPT:
        kept.clear()


def _told(*columns: Any) -> dict[str, Any]:
    return {name: value for name, value in zip(keys.KEYS, columns, strict=True) if value is not None}


class _Work(NamedTuple):
    tool: str
    version: str
    stat: str
    origin: str
    params: dict[str, Any]


def _work(form: RecordFormat, tool: str, version: str | None, stat: str, origin: str, params: str) -> _Work:
    return _Work(form.text(tool), form.text(version), form.text(stat), form.text(origin), json.loads(params))
