"""Columns of the public data as files: their types, what they mean, and how they follow from a record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ingest import keys

INTEGER, NUMBER, TEXT, FLAG, JSON = "BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "JSON"
FRICTIONLESS = {INTEGER: "integer", NUMBER: "number", TEXT: "string", FLAG: "boolean", JSON: "object"}


@dataclass(frozen=True, slots=True)
class DataColumn:
    """`source`: the SQL expression over a record; empty where the record has a field of that name."""

    name: str
    type: str
    meaning: str
    source: str = ""


_RECORD = (
    DataColumn("id", INTEGER, "Number of the measurement at this site; none of what could not be measured"),
    DataColumn("type", TEXT, "`measurement`, or `unmeasured`: what a tool measured but could not print"),
    DataColumn(
        "archive", INTEGER, "Number of the archive: its page is /archives/NUMBER; `archives.csv` has its licence and digest"
    ),
    DataColumn("run", INTEGER, "The same for all values of one run: the id of its first"),
    DataColumn("configuration", INTEGER, "Number of the configuration: its page is /configurations/NUMBER"),
    DataColumn("workload", INTEGER, "Number of the workload (tool, version, statistic, origin, parameters)"),
    DataColumn(
        "counted", FLAG, "Whether comparisons count it; false of duplicates, values of single ranks, and what is unmeasured"
    ),
    DataColumn("file", TEXT, "Path inside of the archive"),
    DataColumn("line", TEXT, "Line of the file, from 1; of a spreadsheet SHEET!CELL"),
    DataColumn("tool", TEXT, "The benchmark"),
    DataColumn("tool_version", TEXT, "Its version, as printed"),
    DataColumn("metric", TEXT, "OPERATION.QUANTITY, as docs/metrics.md lists them"),
    DataColumn("native", TEXT, "The tool's own name of the number"),
    DataColumn("value", NUMBER, "In the base unit"),
    DataColumn("unit", TEXT, "The base unit: B/s, 1/s, s, B, 1 or %"),
    DataColumn("raw", TEXT, "Exactly as printed"),
    DataColumn("raw_unit", TEXT, "The unit that the tool means"),
    DataColumn(
        "stat", TEXT, "`sample` of one repetition, else what the tool printed: mean, min, max, p99 ... Never pool different ones"
    ),
    DataColumn("repetition", INTEGER, "From 1, within file, configuration, workload and metric; for display"),
    DataColumn("duplicate_of", TEXT, "FILE:LINE that already gave this very value"),
    DataColumn("reason", TEXT, "Why it could not be measured: too_fast, zero_time, failed, not_finished"),
    DataColumn("bound", NUMBER, "The value in the base unit beyond which it lies"),
    DataColumn("side", TEXT, "Of the bound: above or below"),
    DataColumn("origin", TEXT, "measured, reported (typed from a publication), digitised, derived or model"),
    DataColumn("source_note", TEXT, "Page or table of a publication"),
    DataColumn("started_at", TEXT, "ISO 8601, with an offset where one is printed"),
)
_WHOLE = (
    DataColumn(
        "params", JSON, "The workload with every parameter, options of tools too (`fio.zero_buffers`), and what is shown of it only"
    ),
    DataColumn("params_from", JSON, "FILE:LINE of each parameter that stands apart from the value, as in a script beside it"),
    DataColumn("config", JSON, "The configuration with every key, open keys too"),
    DataColumn("config_from", JSON, "FILE:LINE from which each key was read, or `stated`"),
    DataColumn("implied", TEXT, "Names in config and params that follow from a line without being printed there; a list as JSON"),
)


def _extracted(field: str, number: int, type_: str) -> str:
    """The `number`-th (from 1) of the values that EXTRACTED takes out of a field."""
    text = f"{field}_values[{number}]"
    return f"CASE WHEN regexp_full_match({text}, '-?[0-9]+') THEN TRY_CAST({text} AS BIGINT) END" if type_ == INTEGER else text


def _all_of(field: str, names: Iterable[str]) -> str:
    """All values in one call: each call keeps the parsed documents of a block of rows in memory."""
    paths = ", ".join(f"""'$."{name}"'""" for name in names)
    return f"json_extract_string({field}, [{paths}]) AS {field}_values"


def _column_type(kind: str) -> str:
    return INTEGER if kind in (keys.SIZE, keys.COUNT) else TEXT


def _unit(kind: str) -> str:
    return " in bytes" if kind == keys.SIZE else ""


COLUMNS: tuple[DataColumn, ...] = (
    *_RECORD,
    *(
        DataColumn(
            key.column, _column_type(key.type), key.label + _unit(key.type), _extracted("config", number, _column_type(key.type))
        )
        for number, key in enumerate(keys.KEYS.values(), 1)
    ),
    *(
        DataColumn(
            f"param_{param.name}",
            _column_type(param.type),
            param.label + _unit(param.type),
            _extracted("params", number, _column_type(param.type)),
        )
        for number, param in enumerate(keys.PARAMS.values(), 1)
    ),
    *_WHOLE,
)
RECORD_TYPES = {column.name: "JSON" if column.type == JSON else column.type for column in (*_RECORD, *_WHOLE)}
"""Name -> type of the fields of a record, as DuckDB reads them."""
EXTRACTED = f"*, {_all_of('config', keys.KEYS)}, {_all_of('params', keys.PARAMS)}"
"""What SELECTED is selected from."""
SELECTED = ", ".join(f'{column.source or chr(34) + column.name + chr(34)} AS "{column.name}"' for column in COLUMNS)
_FORMULA = r"^[=+\-@\t\r\n\x{FF1D}\x{FF0B}\x{FF0D}\x{FF20}]"
_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf"


def _safe_cell(name: str) -> str:
    """A text as `formats.sheets.escape_formula` has it."""
    return (
        f"CASE WHEN regexp_matches(\"{name}\", '{_FORMULA}') AND NOT regexp_full_match(\"{name}\", '{_NUMBER}') "
        f'THEN \'\'\'\' || "{name}" ELSE "{name}" END AS "{name}"'
    )


CSV_SELECTED = ", ".join(_safe_cell(column.name) if column.type == TEXT else f'"{column.name}"' for column in COLUMNS)
JSONL_SELECTED = ", ".join(
    f'"{column.name}"::JSON AS "{column.name}"' if column.type == JSON else f'"{column.name}"' for column in COLUMNS
)
