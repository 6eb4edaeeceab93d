"""ReFrame: what its log handler httpjson sends or dumps, a JSON object in a line for each run of a test.

    {"check_name": "IorWriteCheck", ..., "check_perf_write_bw_value": 1823.4, "check_perf_write_bw_unit": "MiB/s", ...}

A figure is read where the test is one of IOR and the variable names a direction and a bandwidth; other figures are left unread,
since a test may call anything so. Only runs whose `check_result` is not `fail` have values.

Shapes of ReFrame (name | versions | units | traps):
    httpjson | 4.1 and later | those that the test names | a pair of keys for each variable
    httpjson, one variable | to 4.0 | the same | `check_perf_var`, `check_perf_value`, `check_perf_unit`

Source: reframe/core/logging.py (HTTPJSONHandler, LoggerAdapter) and the configuration reference of ReFrame 4
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers._figures import PrintedFigure
from ingest.plugin_api import Anchor, Parser
from ingest.records import Doubt, Found
from ingest.text.lines import Text

_RECORD = lazy(r"^\s*\{(?=.*\"check_name\")(?=.*\"check_perf_\w+\").*\}\s*$")
_VALUE = lazy(r"check_perf_(\w+)_value")
_IOR = lazy(r"(?:^|[^A-Za-z])(?:ior|IOR|Ior)(?![a-z])")
_BANDWIDTH = lazy(r"(?:max_|mean_)?(write|read)(?:_bw|_bandwidth|_throughput)?")
_UNITS = {"MiB/s": 2.0**20, "GiB/s": 2.0**30, "MB/s": 1e6, "GB/s": 1e9}
_MOST = 100_000
"""Characters of a record."""


def parse(text: Text) -> Iterator[Found]:
    """Every figure of every record; a record that is repeated is read once."""
    seen = set[str]()
    for number, line in enumerate(text.lines, 1):
        if len(line) > _MOST or line in seen or not _RECORD.match(line):
            continue
        seen.add(line)
        try:
            record = json.loads(line, parse_float=str, parse_int=str)
        except (ValueError, RecursionError):
            continue
        yield from _read_record(record, number)


def _read_record(record: dict[str, Any], line: int) -> Iterator[Found]:
    name = str(record.get("check_name"))[:200]
    for variable, raw, unit in _figures(record):
        direction = _BANDWIDTH.fullmatch(variable)
        if record.get("check_result") == "fail":
            yield Doubt(line, "unread", f"{variable} of {name}, which failed, is not recorded")
        elif not direction or unit not in _UNITS or not _IOR.search(name):
            yield Doubt(line, "unread", f"{variable} of {name} in {unit or '?'} has no known meaning here")
        else:
            stat = variable.partition("_")[0]
            figure = PrintedFigure(f"{direction[1]}.throughput", unit, _UNITS[unit], stat if stat in ("max", "mean") else "sample")
            params: dict[str, Any] = {"check": name}
            if (tasks := str(record.get("check_num_tasks"))).isdecimal():
                params["processes"] = int(tasks)
            if value := figure.value(line, variable, raw, run=line, tool="ior", tool_version=None, params=params):
                yield value


def _figures(record: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(variable, value as printed, unit) of a record."""
    names = [(match[1], key, f"check_perf_{match[1]}_unit") for key in record if (match := _VALUE.fullmatch(key))]
    if record.get("check_perf_var"):
        names.append((str(record["check_perf_var"]), "check_perf_value", "check_perf_unit"))
    for variable, key, unit in names:
        if isinstance(raw := record.get(key), str):
            yield variable[:80], raw, str(record.get(unit) or "")


PARSER = Parser(
    name="ReFrame",
    version=1,
    anchor=Anchor(lazy(r"\"check_perf_\w+\" ?:"), "check_perf_"),
    parse=parse,
)
