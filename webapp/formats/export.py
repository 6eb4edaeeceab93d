"""Every public measurement, value of a single rank and unmeasured value as a record of the contract, streamed from the database.

Texts of a run, workload, configuration or provenance are formatted once and cached, as many lines share them; only the
cells of the measurement itself are formatted for each line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from heapq import merge
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from django.db import connection, transaction

from ingest import catalogue, keys
from ingest.open_keys import is_bulk
from webapp.formats.records import CSV, JSONL, PlacedRun, RecordFormat, find_blocks
from webapp.models.archive import public_sql
from webapp.models.run import round_sql
from webapp.models.sql import fetch_rows
from webapp.storage.pg_copy import order_as_jsonb, read_rank_values

_BLOCK = 1000  # measurements read and written at a time, about a megabyte of text
_CACHE_SIZE = 5000  # entries of each cache; a full cache is cleared
_RAN = """
SELECT r.first_measurement, r.first_measurement + r.measurements, f.path, o.path, r.details::text, r.configuration_id,
       (r.config_exact || coalesce(r.state, '{}'))::text, r.provenance_id, r.source_note, r.started_at, r.id, r.session_id
FROM webapp_run r JOIN webapp_file f ON f.id = r.file_id LEFT JOIN webapp_file o ON o.id = f.duplicate_of_id
"""
_RUNS = f"{_RAN} WHERE r.archive_id = %s AND r.first_measurement + r.measurements > %s ORDER BY r.first_measurement"
_RUNS_OF_VALUES = f"""{_RAN} WHERE r.id = ANY(ARRAY(SELECT DISTINCT run_id FROM webapp_measurement WHERE id = ANY(%s)))
ORDER BY r.first_measurement"""  # noqa: S608 names and conditions are constants of the code; values are parameters
_VALUE = """
SELECT m.id, m.workload_id, m.metric_id, m.line, m.native, m.value, m.raw, m.raw_unit, m.repetition, m.duplicate_of,
       m.details::text, NULL, m.counted
FROM webapp_measurement m
"""
_VALUES_BY_ID = f"{_VALUE} WHERE m.id = ANY(%s) ORDER BY m.id"
_VALUES = f"""{_VALUE}
WHERE m.id >= (SELECT min(first_measurement) FROM webapp_run WHERE archive_id = %s)
AND m.id < (SELECT max(first_measurement + measurements) FROM webapp_run WHERE archive_id = %s)
AND (m.counted OR NOT EXISTS (SELECT FROM webapp_withdrawal x
    WHERE x.archive_id = %s AND x.restored_at IS NULL AND m.id >= x.first AND m.id < x.beyond))
AND m.id > %s ORDER BY m.id LIMIT %s
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
_PLACED = f"""
SELECT r.archive_id, r.id, coalesce(r.session_id, -r.archive_id), r.configuration_id, r.tool, f.path, r.first_line, r.started_at,
    {round_sql("r")}
FROM webapp_run r JOIN webapp_file f ON f.id = r.file_id
WHERE r.archive_id = ANY(%s) ORDER BY r.archive_id, r.first_measurement, r.id
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
_STATED = f"""
SELECT r.archive_id, r.id, {round_sql("r")} FROM webapp_run r WHERE r.archive_id = ANY(%s) AND {round_sql("r")} IS NOT NULL
"""  # noqa: S608 names and conditions are constants of the code; values are parameters
_RUN_COUNTS = "SELECT archive_id, count(*) FROM webapp_run WHERE archive_id = ANY(%s) GROUP BY archive_id"
MAX_PLACED = 20_000
"""Runs of an archive beyond which only the rounds that a manifest states are blocks."""
_WITHDRAWN = "SELECT first, beyond FROM webapp_withdrawal WHERE archive_id = %s AND restored_at IS NULL"
_UNMEASURED_VALUE = """
SELECT u.workload_id, u.metric_id, u.line, u.native, u.raw, u.repetition, u.duplicate_of, u.details::text, u.reason, u.bound,
       u.side, f.path, o.path, r.details::text, r.configuration_id,
       (r.config_exact || coalesce(r.state, '{}'))::text, r.provenance_id, r.source_note, r.started_at, r.id, r.session_id
FROM webapp_unmeasuredvalue u JOIN webapp_run r ON r.id = u.run_id JOIN webapp_file f ON f.id = u.file_id
LEFT JOIN webapp_file o ON o.id = f.duplicate_of_id
"""
_UNMEASURED = f"{_UNMEASURED_VALUE} WHERE u.archive_id = %s AND NOT f.withdrawn ORDER BY u.id"
_UNMEASURED_BY_ID = f"{_UNMEASURED_VALUE} WHERE u.id = ANY(%s) ORDER BY u.id"
_CONFIGURATIONS = (
    f"SELECT id, {', '.join(key.column for key in keys.KEYS.values())},"  # noqa: S608 names and conditions are constants of the code; values are parameters
    " (SELECT o.values::text FROM webapp_openproperties o WHERE o.id = open_id) FROM webapp_configuration"
)
_WORKLOADS = "SELECT id, tool, tool_version, stat, origin, params::text FROM webapp_workload"


class TextSink(Protocol):
    """A text stream."""

    def write(self, text: str, /) -> object: ...


def write_csv(out: TextSink) -> int:
    """Write CSV with a header; returns the number of measurements."""
    return _write(CSV, out)


def write_jsonl(out: TextSink) -> int:
    """Write JSON Lines; returns the number of measurements."""
    return _write(JSONL, out)


def _write(form: RecordFormat, out: TextSink) -> int:
    """Write archives and their values in the order of ids, without withdrawn ones; after those of an archive what could not be
    measured in it. Returns the number of measurements.

    A value of a file that is counted in another archive has that file's path in `duplicate_of`. Archives are queried one
    by one on one snapshot, so that the first line is immediate and memory is bounded.
    """
    out.write(form.head)
    outermost, count = not connection.in_atomic_block, 0
    with transaction.atomic():
        with connection.cursor() as cursor:
            if outermost:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute(
                f"SELECT id, rank_values > 0, unmeasured FROM webapp_archive WHERE {public_sql()}"  # noqa: S608 names and conditions are constants of the code; values are parameters
                " AND (measurements > 0 OR rank_values > 0 OR unmeasured > 0) ORDER BY id"
            )
            archives = cursor.fetchall()
        texts = _TextCache(form)
        for archive, has_ranks, unmeasured in archives:
            for pairs in _iter_values(archive, has_ranks, texts):
                out.write("".join([texts.line(run, row) for run, row in pairs]))
                count += len(pairs)
            for unmeasured_pairs in _iter_unmeasured(archive, texts) if unmeasured else ():
                out.write("".join([texts.unmeasured_line(row, run) for run, row in unmeasured_pairs]))
    return count


def write_identified_jsonl(archives: Iterable[tuple[int, bool, bool]], out: TextSink) -> int:
    """JSON Lines of these archives (id, whether it has values of single ranks, whether unmeasured ones), each line with the ids of
    value, archive, run (that of its first value), configuration, workload and session, the block, the parameters that make the
    workload, and whether the value counts. Returns the number of measurements. The caller has a transaction."""
    texts, count = _TextCache(JSONL), 0
    for archive, has_ranks, unmeasured in archives:
        blocks = read_blocks([archive]).get(archive, {})
        for pairs in _iter_values(archive, has_ranks, texts):
            for run, row in pairs:
                counted = "true" if row[12:] == (True,) else "false"
                ids = f'"id": {row[0]}, "run": {run.first}, "counted": {counted}'
                placed = _place(run, archive, texts.form.text(blocks.get(run.number)))
                out.write(f"{{{ids}, {placed}, {texts.identified(row[1])}, {texts.line(run, row)[1:]}")
            count += len(pairs)
        for unmeasured_pairs in _iter_unmeasured(archive, texts) if unmeasured else ():
            for run, row in unmeasured_pairs:
                placed = _place(run, archive, texts.form.text(blocks.get(run.number)))
                out.write(f'{{"counted": false, {placed}, {texts.identified(row[0])}, {texts.unmeasured_line(row, run)[1:]}')
    return count


def _place(run: _Run, archive: int, block: str) -> str:
    """Fields that say where a run belongs."""
    session = run.session or -archive
    return f'"archive": {archive}, "configuration": {run.configuration}, "session": {session}, "block": {block}'


def read_blocks(archives: Iterable[int]) -> dict[int, dict[int, str]]:
    """Of each archive: id of the run -> its block. At most three queries."""
    counts = dict(fetch_rows(_RUN_COUNTS, [list(archives)]))
    placed = [archive for archive, runs in counts.items() if runs <= MAX_PLACED]
    rows = fetch_rows(_PLACED, [placed]) if placed else ()
    found = {
        archive: find_blocks(archive, [PlacedRun(*row[1:]) for row in of_archive])
        for archive, of_archive in groupby(rows, key=itemgetter(0))
    }
    if large := [archive for archive in counts if archive not in found]:
        found |= {archive: {} for archive in large}
        for archive, run, name in fetch_rows(_STATED, [large]):
            found[archive][run] = name
    return found


class RecordText(NamedTuple):
    """A record of the contract as a JSON object; the ids of its value, run, configuration and workload; whether it counts."""

    id: int
    run: int
    configuration: int
    workload: int
    counted: bool
    text: str


def read_archive_records(archive: int, has_ranks: bool, after: int, most: int) -> list[RecordText]:
    """The first `most` measurements of an archive with a greater id than `after`, in the order of ids, without withdrawn ones."""
    texts = _TextCache(JSONL)
    with transaction.atomic():
        pairs = list(islice(chain.from_iterable(_iter_values(archive, has_ranks, texts, after, most)), most))
    return _record_texts(pairs, texts)


def read_records(ids: Sequence[int]) -> list[RecordText]:
    """The measurements with these ids, in the order of ids. Seven queries."""
    texts, wanted = _TextCache(JSONL), list(ids)
    runs = _read_runs(fetch_rows(_RUNS_OF_VALUES, [wanted]), texts)
    pairs = [pair for block in _with_runs([fetch_rows(_VALUES_BY_ID, [wanted])], iter(runs), texts) for pair in block]
    return _record_texts(pairs, texts)


def read_unmeasured_records(ids: Sequence[int]) -> list[str]:
    """The unmeasured values with these ids as JSON objects, in the order of ids."""
    texts = _TextCache(JSONL)
    rows = fetch_rows(_UNMEASURED_BY_ID, [list(ids)])
    return [texts.unmeasured_line(row, run).rstrip() for run, row in _unmeasured_runs(rows, texts)]


def _record_texts(pairs: Iterable[tuple[_Run, tuple]], texts: _TextCache) -> list[RecordText]:
    return [
        RecordText(row[0], run.number, run.configuration, row[1], row[12:] == (True,), texts.line(run, row).rstrip())
        for run, row in pairs
    ]


def _iter_values(
    archive: int, has_ranks: bool, texts: _TextCache, after: int = 0, most: int | None = None
) -> Iterator[list[tuple[_Run, tuple]]]:
    """Blocks of the values of an archive, each with its run."""
    blocks = _with_ranks(archive, after) if has_ranks else _blocks(_VALUES, [archive, archive, archive, after, most])
    return _with_runs(blocks, _runs(archive, texts, after), texts)


def _with_runs(blocks: Iterable[list[tuple]], runs: Iterator[_Run], texts: _TextCache) -> Iterator[list[tuple[_Run, tuple]]]:
    """The blocks of values with the run of each; both in the order of ids."""
    run = next(runs, None)
    for rows in blocks:
        texts.workloads.look_up({row[1] for row in rows})
        texts.metrics.look_up({row[2] for row in rows})
        pairs = []
        for row in rows:
            while run is not None and run.beyond <= row[0]:
                run = next(runs, None)
            if run is not None and run.first <= row[0]:
                pairs.append((run, row))
        yield pairs


def _iter_unmeasured(archive: int, texts: _TextCache) -> Iterator[list[tuple[_Run, tuple]]]:
    """Blocks of what could not be measured in an archive, each with its run."""
    for rows in _blocks(_UNMEASURED, [archive]):
        yield _unmeasured_runs(rows, texts)


def _unmeasured_runs(rows: Sequence[tuple], texts: _TextCache) -> list[tuple[_Run, tuple]]:
    texts.workloads.look_up({row[0] for row in rows})
    texts.metrics.look_up({row[1] for row in rows})
    texts.configurations.look_up({row[14] for row in rows})
    texts.provenances.look_up({row[16] for row in rows})
    return [(_run(texts, 0, 0, *row[11:]), row[:11]) for row in rows]


def _blocks(query: str, args: list[int | None]) -> Iterator[list[tuple]]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(query, args)
        while rows := cursor.fetchmany(_BLOCK):
            yield rows


def _with_ranks(archive: int, after: int) -> Iterator[list[tuple]]:
    """Blocks of the archive's measurements and values of single ranks, in the order of ids."""
    withdrawn = fetch_rows(_WITHDRAWN, [archive])
    measurements = chain.from_iterable(_blocks(_VALUES, [archive, archive, archive, after, None]))
    ranks = (
        value[:12]
        for value in read_rank_values([archive])
        if value.id > after and not any(first <= value.id < beyond for first, beyond in withdrawn)
    )
    rows = merge(measurements, ranks, key=itemgetter(0))
    while block := list(islice(rows, _BLOCK)):
        yield block


class _Run(NamedTuple):
    """A run: the id range of its values (`beyond` is exclusive) and the texts shared by them."""

    first: int
    beyond: int
    path: str
    counts_in: str | None
    """Path of the file in another archive that is counted instead of this one."""
    details: str
    config: str
    config_from: str
    params_from: str
    source_note: str
    started_at: str
    implied: str
    configuration: int
    number: int
    """Its id."""
    session: int | None


def _runs(archive: int, texts: _TextCache, after: int) -> Iterator[_Run]:
    for rows in _blocks(_RUNS, [archive, after]):
        yield from _read_runs(rows, texts)


def _read_runs(rows: Sequence[tuple], texts: _TextCache) -> list[_Run]:
    texts.configurations.look_up({row[5] for row in rows})
    texts.provenances.look_up({row[7] for row in rows})
    return [_run(texts, *row) for row in rows]


def _run(texts: _TextCache, first: int, beyond: int, path: str, counts_in: str | None, details: str, *others: Any) -> _Run:
    """A row of `_RUNS`. `others`: configuration, exact values with the state, provenance, source note, time, id, session."""
    configuration, exact, provenance, source_note, started_at, number, session = others
    text = texts.form.text
    return _Run(
        first=first,
        beyond=beyond,
        path=text(path),
        counts_in=counts_in,
        details=details,
        config=texts.config(configuration, exact, texts.provenances[provenance].others),
        config_from=texts.provenances[provenance].config_from,
        params_from=texts.provenances[provenance].params_from,
        source_note=text(source_note),
        started_at=text(started_at),
        implied=texts.provenances[provenance].implied,
        configuration=configuration,
        number=number,
        session=session,
    )


class _RowCache(dict):
    """Cache of rows by id, filled on demand."""

    def __init__(self, query: str, made: Callable[..., Any]) -> None:
        super().__init__()
        self.query, self.made = query, made

    def look_up(self, ids: Iterable[int]) -> None:
        """Load the rows with these ids, with one query for the missing ones."""
        missing = [row_id for row_id in ids if row_id not in self]
        if not missing:
            return
        if len(self) + len(missing) > _CACHE_SIZE:
            self.clear()
            missing = list(ids)
        self.update((row[0], self.made(*row[1:])) for row in fetch_rows(f"{self.query} WHERE id = ANY(%s)", [missing]))


class _TextCache:
    """Cache of the formatted texts of one file format."""

    def __init__(self, form: RecordFormat) -> None:
        self.form = form
        self.provenances = _RowCache(
            "SELECT id, told::text, others::text, implied::text FROM webapp_provenance", partial(_provenance, form)
        )
        self.configurations = _RowCache(_CONFIGURATIONS, _configuration)
        self.workloads = _RowCache(_WORKLOADS, partial(_workload, form))
        self.metrics = _RowCache(
            "SELECT id, name FROM webapp_metricname", lambda name: (form.text(name), form.text(catalogue.metric(name).unit))
        )
        self._configs: dict[tuple[int, str, str], str] = {}
        self._identities: dict[int, str] = {}
        self._params: dict[tuple[int, str, str | None, str | None], str] = {}

    def config(self, configuration: int, exact: str, others: str) -> str:
        """The text of a resolved configuration: the columns, overridden by the exact values and the state before the run, and the
        other open keys."""
        key = (configuration, exact, others)
        if key not in self._configs:
            _evict(self._configs)
            self._configs[key] = self.form.config(self.configurations[configuration] | json.loads(exact) | json.loads(others))
        return self._configs[key]

    def identified(self, workload: int) -> str:
        """The fields of a workload: its id, and the parameters that make it."""
        text = self._identities.get(workload)
        if text is None:
            _evict(self._identities)
            params = json.dumps(self.workloads[workload].params, ensure_ascii=False)
            text = self._identities[workload] = f'"workload": {workload}, "workload_params": {params}'
        return text

    def line(self, run: _Run, row: tuple) -> str:
        """The line of a measurement; `row` is one of `_VALUES`."""
        _, workload, metric, line, native, value, raw, raw_unit, repetition, duplicate_of, details, part = row[:12]
        figure = self.form.number(value), raw, raw_unit
        return self.form.line(self._fields(run, (workload, metric, line, native, repetition, duplicate_of, details, part), figure))

    def unmeasured_line(self, row: tuple, run: _Run) -> str:
        """The line of a value that could not be measured; `row`: what `_UNMEASURED` has of it."""
        workload, metric, line, native, raw, repetition, duplicate_of, details, reason, bound, side = row
        text = self.form.text
        fields = self._fields(run, (workload, metric, line, native, repetition, duplicate_of, details, None), ("", raw, ""))
        return self.form.unmeasured((*fields, text(reason), text(None) if bound is None else self.form.number(bound), text(side)))

    def _fields(self, run: _Run, row: tuple, figure: tuple[str, str, str]) -> tuple[object, ...]:
        """The formatted fields that both kinds of records have. `figure`: value as text, raw text and its unit."""
        workload, metric, line, native, repetition, duplicate_of, details, part = row
        value, raw, raw_unit = figure
        text, (name, unit), work = self.form.text, self.metrics[metric], self.workloads[workload]
        key = (workload, run.details, details, part)
        params = self._params.get(key)
        if params is None:
            _evict(self._params)
            own = json.loads(details) if details else {}
            work_params = work.params
            if part is not None:  # that of a single rank, whose workload lacks it
                work_params = order_as_jsonb(work_params | {"part": part})
            all_params = work_params | json.loads(run.details) | order_as_jsonb(own)
            params = self._params[key] = self.form.params(all_params)
        if duplicate_of is None and run.counts_in is not None:
            duplicate_of = f"{run.counts_in}:{line}"
        return (
            run.path,
            int(line) if line.isdecimal() else text(line),
            work.tool,
            work.version,
            name,
            text(native),
            value,
            unit,
            text(raw),
            text(raw_unit),
            work.stat,
            repetition,
            text(duplicate_of),
            params,
            run.params_from,
            run.config,
            run.config_from,
            work.origin,
            run.source_note,
            run.started_at,
            run.implied,
        )


def _evict(cache: dict) -> None:
    if len(cache) >= _CACHE_SIZE:
        cache.clear()


def _configuration(*columns: Any) -> dict[str, Any]:
    known = {name: value for name, value in zip(keys.KEYS, columns[:-1], strict=True) if value is not None}
    return known | json.loads(columns[-1] or "{}")


class _Provenance(NamedTuple):
    """`config_from`, `params_from` and `implied` formatted; `others`: open keys outside of the identity, as JSON, without those of
    `is_bulk`."""

    config_from: str
    params_from: str
    others: str
    implied: str


def _provenance(form: RecordFormat, places: str, others: str, implied: str) -> _Provenance:
    values = {key: value for key, value in json.loads(others).items() if not is_bulk(key)}
    left_out = json.loads(others).keys() - values.keys()
    place_of, named = json.loads(places), json.loads(implied)
    printed = {key: place for key, place in place_of.items() if key not in left_out and (keys.is_key(key) or key in named)}
    params = {name: place for name, place in place_of.items() if not keys.is_key(name)}
    return _Provenance(form.places(printed), form.places(params), json.dumps(values), form.implied(named))


class _Workload(NamedTuple):
    tool: str
    version: str
    stat: str
    origin: str
    params: dict[str, Any]


def _workload(form: RecordFormat, tool: str, version: str | None, stat: str, origin: str, params: str) -> _Workload:
    return _Workload(form.text(tool), form.text(version), form.text(stat), form.text(origin), json.loads(params))
