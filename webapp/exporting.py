"""Every public measurement as a record of the contract, streamed from the database."""
from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any, TextIO

from django.db import connection, transaction

from ingest import catalogue, keys

FIELDS = ("file", "line", "tool", "tool_version", "metric", "native", "value", "unit", "raw", "raw_unit", "stat",
          "repetition", "duplicate_of", "params", "config", "config_from", "origin", "source_note", "started_at")
_PUBLIC = """FROM webapp_archive a
JOIN webapp_file f ON f.archive_id = a.id AND f.measurements > 0
JOIN webapp_run r ON r.archive_id = a.id AND r.file_id = f.id
"""
_SEEN = " WHERE a.published_at IS NOT NULL AND a.withdrawn_at IS NULL"
_COLUMNS = [key.column for key in keys.KEYS.values()]
_ROWS = f"""
SELECT f.path, m.line, w.tool, w.tool_version, n.name, m.native, m.value, m.raw, m.raw_unit, w.stat, m.repetition,
       CASE WHEN m.duplicate_of IS NULL AND o.path IS NOT NULL THEN o.path || ':' || m.line ELSE m.duplicate_of END,
       w.id, w.params::text, r.id, r.details::text, m.details::text, r.config_exact::text, r.config_from::text,
       w.origin, r.source_note, r.started_at, {', '.join(f'c.{column}' for column in _COLUMNS)}
{_PUBLIC}
JOIN webapp_configuration c ON c.id = r.configuration_id
JOIN webapp_measurement m ON m.id >= r.first_measurement AND m.id < r.first_measurement + r.measurements
JOIN webapp_workload w ON w.id = m.workload_id
JOIN webapp_metricname n ON n.id = m.metric_id
LEFT JOIN webapp_file o ON o.id = f.duplicate_of_id
{_SEEN} ORDER BY a.id, m.id
"""


def public_records() -> Iterator[dict[str, Any]]:
    """One dict a measurement, keys in the order of `FIELDS`; archives in the order of their ids, values in theirs.

    A value of a file that is counted in another archive has `duplicate_of` with that file's path.
    """
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(_ROWS)
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
    """CSV with a column for every configuration key and parameter (`config.memory`, `params.files`); how many rows."""
    plain = [name for name in FIELDS if name not in ("params", "config", "config_from")]
    params, config = _names()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*plain, *(f"params.{n}" for n in params), *(f"config.{n}" for n in config), "config_from"])
    count = 0
    for count, record in enumerate(public_records(), 1):  # noqa: B007
        writer.writerow([
            *(record[name] for name in plain), *(_cell(record["params"].get(n)) for n in params),
            *(_cell(record["config"].get(n)) for n in config), json.dumps(record["config_from"], ensure_ascii=False)])
    return count


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list | bool) else value


def _names() -> tuple[list[str], list[str]]:
    """Every parameter and every configuration key that public measurements have."""
    params = _distinct("r.details") | _distinct("w.params", _OF_WORKLOADS) | _distinct("m.details", _OWN_DETAILS)
    return sorted(params), [*keys.KEYS, *sorted(_distinct("r.config_exact") - set(keys.KEYS))]


_OWN_DETAILS = """JOIN webapp_measurement m ON m.id >= r.first_measurement
AND m.id < r.first_measurement + r.measurements AND m.details IS NOT NULL"""
_OF_WORKLOADS = """JOIN webapp_measurement m ON m.id >= r.first_measurement
AND m.id < r.first_measurement + r.measurements JOIN webapp_workload w ON w.id = m.workload_id"""


def _distinct(column: str, join: str = "") -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT jsonb_object_keys(x.j) FROM"
                       f" (SELECT DISTINCT {column} AS j {_PUBLIC} {join} {_SEEN}) x")
        return {row[0] for row in cursor.fetchall()}
