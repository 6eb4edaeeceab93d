"""Every public measurement as a record of the contract, streamed from the database."""
from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from django.db import connection, transaction

from ingest import catalogue, keys

FIELDS = ("file", "line", "tool", "tool_version", "metric", "native", "value", "unit", "raw", "raw_unit", "stat",
          "repetition", "duplicate_of", "params", "config", "config_from", "origin", "source_note", "started_at")
COLUMNED = (*keys.PARAMS, "command", "timer")
"""Parameters with a column of their own in CSV; the others, which a tool has for itself, are one JSON column."""
_COLUMNS = [key.column for key in keys.KEYS.values()]
_ROWS = f"""
SELECT f.path, m.line, w.tool, w.tool_version, n.name, m.native, m.value, m.raw, m.raw_unit, w.stat, m.repetition,
       CASE WHEN m.duplicate_of IS NULL AND o.path IS NOT NULL THEN o.path || ':' || m.line ELSE m.duplicate_of END,
       w.id, w.params::text, r.id, r.details::text, m.details::text, r.config_exact::text, p.told::text,
       w.origin, r.source_note, r.started_at, {', '.join(f'c.{column}' for column in _COLUMNS)}
FROM webapp_run r
JOIN webapp_file f ON f.id = r.file_id
JOIN webapp_provenance p ON p.id = r.provenance_id
JOIN webapp_configuration c ON c.id = r.configuration_id
JOIN webapp_measurement m ON m.id >= r.first_measurement AND m.id < r.first_measurement + r.measurements
JOIN webapp_workload w ON w.id = m.workload_id
JOIN webapp_metricname n ON n.id = m.metric_id
LEFT JOIN webapp_file o ON o.id = f.duplicate_of_id
WHERE r.archive_id = %s AND (m.counted OR NOT EXISTS (
    SELECT FROM webapp_withdrawal x
    WHERE x.archive_id = r.archive_id AND x.restored_at IS NULL AND m.id >= x.first AND m.id < x.beyond))
ORDER BY r.first_measurement, m.id
"""


def public_records() -> Iterator[dict[str, Any]]:
    """One dict a measurement, keys in the order of `FIELDS`; archives in the order of their ids, values in theirs.

    What is withdrawn is left out. A value of a file that is counted in another archive has `duplicate_of` with that
    file's path. One archive is asked for after the other, on one snapshot, so that the first line comes at once and
    memory does not grow.
    """
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        with connection.cursor() as cursor:
            if outermost:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SELECT id FROM webapp_archive WHERE published_at IS NOT NULL AND withdrawn_at IS NULL"
                           " AND measurements > 0 ORDER BY id")
            archives = [row[0] for row in cursor.fetchall()]
        for archive in archives:
            yield from _records_of(archive)


def _records_of(archive: int) -> Iterator[dict[str, Any]]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(_ROWS, [archive])
        at, parts = None, ({}, {}, {})
        while rows := cursor.fetchmany(2000):
            for row in rows:
                if row[14] != at:
                    at, parts = row[14], (json.loads(row[15]), _config(row), json.loads(row[18]))
                yield _record(row, *parts)


def _config(row: tuple) -> dict[str, Any]:
    told = {name: value for name, value in zip(keys.KEYS, row[22:], strict=True) if value is not None}
    return told | json.loads(row[17])


def _record(row: tuple, details: dict, config: dict, config_from: dict) -> dict[str, Any]:
    line = int(row[1]) if row[1].isdecimal() else row[1]
    params = json.loads(row[13]) | details | (json.loads(row[16]) if row[16] else {})
    return dict(zip(FIELDS, (
        row[0], line, row[2], row[3], row[4], row[5], row[6], catalogue.metric(row[4]).unit, row[7], row[8], row[9],
        row[10], row[11], params, config, config_from, row[19], row[20], row[21]), strict=True))


def write_jsonl(out: TextIO) -> int:
    """JSON Lines; how many."""
    count = 0
    for count, record in enumerate(public_records(), 1):  # noqa: B007
        out.write(json.dumps({"type": "measurement", **record}, ensure_ascii=False) + "\n")
    return count


def write_csv(out: TextIO) -> int:
    """CSV with a column for every configuration key and registered parameter (`config.memory`, `params.files`); how
    many rows. What has no column of its own stands as JSON in `params` and `config`."""
    plain = [name for name in FIELDS if name not in ("params", "config", "config_from")]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*plain, *(f"params.{name}" for name in COLUMNED), "params", *(f"config.{name}" for name in keys.KEYS),
                     "config", "config_from"])
    count, config, tail = 0, None, []
    for count, record in enumerate(public_records(), 1):  # noqa: B007
        if record["config"] is not config:  # one dict for all values of a run
            config = record["config"]
            tail = [*_cells(config, keys.KEYS), json.dumps(record["config_from"], ensure_ascii=False)]
        writer.writerow([*(record[name] for name in plain), *_cells(record["params"], COLUMNED), *tail])
    return count


def _cells(told: dict[str, Any], names: Iterable[str]) -> list[Any]:
    """The values of the names, then the rest as JSON."""
    rest = {name: value for name, value in told.items() if name not in names}
    return [*(_cell(told.get(name)) for name in names), json.dumps(rest, ensure_ascii=False) if rest else ""]


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list | bool) else value
