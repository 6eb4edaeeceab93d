"""Columns of the public data as files: their types, what they mean, and how they follow from a record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ingest import keys, state
from ingest.toml_tables import read_table

INTEGER, NUMBER, TEXT, FLAG, JSON = "BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "JSON"
FRICTIONLESS = {INTEGER: "integer", NUMBER: "number", TEXT: "string", FLAG: "boolean", JSON: "object"}


@dataclass(frozen=True, slots=True)
class DataColumn:
    """`source`: the SQL expression over a record; empty where the record has a field of that name."""

    name: str
    type: str
    meaning: str
    source: str = ""


_RECORD, _WHOLE = ([DataColumn(name, **table) for name, table in columns.items()] for columns in read_table(__file__).values())


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


def _param_columns(field: str) -> tuple[DataColumn, ...]:
    """The registered parameters, taken out of a field."""
    return tuple(
        DataColumn(
            f"param_{param.name}",
            _column_type(param.type),
            param.label + _unit(param.type),
            _extracted(field, number, _column_type(param.type)),
        )
        for number, param in enumerate(keys.PARAMS.values(), 1)
    )


KEY_COLUMNS = tuple(
    DataColumn(
        key.column, _column_type(key.type), key.label + _unit(key.type), _extracted("config", number, _column_type(key.type))
    )
    for number, key in enumerate(keys.KEYS.values(), 1)
)
_STATE_COLUMNS = tuple(
    DataColumn(
        name.replace(".", "_"),
        TEXT,
        f"Before the run: {key.label}" + (f", in {key.unit}" if key.unit else ""),
        _extracted("config", number, TEXT),
    )
    for number, (name, key) in enumerate(state.KEYS.items(), len(keys.KEYS) + 1)
)
COLUMNS: tuple[DataColumn, ...] = (*_RECORD, *KEY_COLUMNS, *_STATE_COLUMNS, *_param_columns("params"), *_WHOLE)
BY_NAME = {column.name: column for column in COLUMNS}
WORKLOAD_PARAMS = _param_columns("workload_params")
WORKLOAD_EXTRACTED = _all_of("workload_params", keys.PARAMS)
"""What the sources of WORKLOAD_PARAMS are taken from."""
ARCHIVE_COLUMNS = (
    DataColumn("archive", INTEGER, "Number of the archive: its page is /archives/NUMBER"),
    DataColumn("name", TEXT, "Name of the file as uploaded"),
    DataColumn("title", TEXT, "Title"),
    DataColumn("authors", TEXT, "Who measured"),
    DataColumn("year", INTEGER, "Year"),
    DataColumn("published_in", TEXT, "Where it was published"),
    DataColumn("licence", TEXT, "Licence of its data, as its owner wrote it; empty: none was stated, so ask before you reuse them"),
    DataColumn("licence_spdx", TEXT, "Its identifier in the SPDX list"),
    DataColumn("licence_address", TEXT, "Its text"),
    DataColumn("sha256", TEXT, "SHA-256 of the uploaded bytes"),
)
RECORD_TYPES = {column.name: "JSON" if column.type == JSON else column.type for column in (*_RECORD, *_WHOLE)}
"""Name -> type of the fields of a record, as DuckDB reads them."""
EXTRACTED = f"*, {_all_of('config', [*keys.KEYS, *state.KEYS])}, {_all_of('params', keys.PARAMS)}"
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


def select_csv(columns: Iterable[DataColumn]) -> str:
    """The columns as CSV has them."""
    return ", ".join(_safe_cell(column.name) if column.type == TEXT else f'"{column.name}"' for column in columns)


def select_jsonl(columns: Iterable[DataColumn]) -> str:
    """The columns as JSON Lines have them."""
    return ", ".join(f'"{one.name}"::JSON AS "{one.name}"' if one.type == JSON else f'"{one.name}"' for one in columns)
