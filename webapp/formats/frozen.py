"""The frozen record as CSV: a row for every repetition, with its group's statistics and source line."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from webapp.formats.sheets import escape_row

COLUMNS = (
    "number",
    "metric",
    "x",
    "series",
    "facet",
    "value",
    "unit",
    "measured",
    "divisor",
    "raw",
    "raw_unit",
    "native",
    "file",
    "line",
    "file_sha256",
    "archive_sha256",
    "configuration",
    "workload",
    "run",
    "started_at",
    "group_center",
    "group_low",
    "group_high",
    "group_interval",
    "group_runs",
    "group_configurations",
    "verdict",
    "ratio",
    "ratio_low",
    "ratio_high",
    "address",
    "record_sha256",
    "group_flags",
    "flags",
)


def to_csv(record: Mapping[str, Any], digest: str) -> str:
    """CSV with rows in the order of the figures; each has the address and the digest of the record."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    write.writerow(COLUMNS)
    for panel in record["panels"]:
        for group in panel["groups"]:
            tail = _group_cells(group, record, digest)
            for number in group["values"]:
                write.writerow(escape_row([*_value_cells(record, panel, group, number), *tail]))
    return out.getvalue()


def _value_cells(record: Mapping, panel: Mapping, group: Mapping, number: int) -> list[object]:
    value = record["values"][number]
    run = record["runs"][str(value["run"])]
    file = record["files"][str(run["file"])]
    return [
        number,
        group["metric"],
        group["x"],
        group["series"],
        group["facet"],
        repr(value["value"]),
        panel["unit"],
        repr(value["measured"]),
        repr(value["divisor"]),
        value["raw"],
        value["raw_unit"],
        value["native"],
        file["path"],
        value["line"],
        file["sha256"],
        record["archives"][str(file["archive"])]["sha256"],
        run["configuration"],
        value["workload"],
        value["run"],
        run["started_at"] or "",
    ]


def _group_cells(group: Mapping, record: Mapping, digest: str) -> list[object]:
    verdict = group["verdict"] or {}
    return [
        *(_plain(group[name]) for name in ("center", "low", "high")),
        group["interval"],
        group["runs"],
        group["configurations"],
        verdict.get("word", ""),
        *(_plain(verdict.get(name)) for name in ("ratio", "low", "high")),
        record["address"],
        digest,
        " ".join(group["flags"]),
        " ".join(flag["sentence"] for flag in record["flags"]),
    ]


def _plain(value: float | None) -> str:
    return "" if value is None else repr(value)
