"""Handmade tables of an upload: what their columns may mean, and whether they are averages of outputs in the same upload."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import Any

from ingest import numbers
from ingest.detect.detect import collect_findings
from ingest.detect.findings import FileFindings
from ingest.detect.handmade_tables import HandmadeTable
from ingest.detect.handmade_values import find_operation, propose, read_taken
from ingest.records import Measurement, Record, Value, Warning
from ingest.text.decode import read_text

_FIRST_BYTES = 1 << 22  # of a file whose tables are offered
_SHOWN = 3  # figures that are no average, in a warning
_UNITS_MIXED = (1, 1.024, 1.024**2, 1.024**3, 1 / 1.024)  # MB for MiB, KiB / 1000 for MB
_WORDS = re.compile(r"[^\W_]+")
_Key = tuple[str, frozenset[str]]


def offer_table(path: str, data: bytes, line: int) -> tuple[HandmadeTable, Mapping[str, Any]] | None:
    """The handmade table of a file whose warning is on the line, with what its columns are proposed to mean; None if none is."""
    findings = FileFindings(path, "", len(data))
    text, _ = read_text(path, data[:_FIRST_BYTES])
    collect_findings(findings, text, data)
    at = {findings.origins[table.line - 1] if findings.origins else table.line: table for table in findings.tables}
    return (at[line], propose(at[line])) if line in at else None


def check_averages(records: Iterable[Record], tables: Mapping[str, Sequence[HandmadeTable]]) -> Iterator[Record]:
    """The records, those warnings about handmade tables last that are about averages of measurements: with what agrees."""
    places: dict[tuple[str, Any], HandmadeTable] = {
        (path, table.line): table for path, of_file in tables.items() for table in of_file
    }
    groups, held = dict[_Key, dict[str, list[float]]](), list[Warning]()
    for record in records:
        if isinstance(record, Measurement) and not record.duplicate_of and record.stat == "sample":
            group = groups.setdefault((record.metric, _words_of(record)), {})
            for scope in {"", record.file, record.file.rpartition("/")[0]}:
                group.setdefault(scope, []).append(record.value)
        if isinstance(record, Warning) and record.code == "by-hand" and (record.file, record.line) in places:
            held.append(record)
        else:
            yield record
    for warning in held:
        yield replace(warning, message=warning.message + _compare(places[warning.file, warning.line], groups))


def _words_of(record: Measurement) -> frozenset[str]:
    """The words that a row about the measurement may have: its tool, operation and configuration."""
    named = [text for text in record.config.values() if isinstance(text, str)]
    named += [str(record.params[name]) for name in ("part", "label", "job", "phase") if name in record.params]
    return frozenset(_WORDS.findall(" ".join((record.tool, record.metric.partition(".")[0].replace("_", " "), *named)).lower()))


def _compare(table: HandmadeTable, groups: Mapping[_Key, Mapping[str, Sequence[float]]]) -> str:
    agreeing, single, differing = 0, 0, list[str]()
    for value in read_taken(table, propose(table)):
        if not isinstance(value, Value) or value.stat not in ("sample", "mean", "median"):
            continue
        said = set(_WORDS.findall(" ".join(next(cells for line, cells in table.rows if line == value.line)[:-1]).lower()))
        said = {word for word in said if not word[0].isdigit() and not find_operation(word)}
        fitting = [
            (len(words), scopes)
            for (metric, words), scopes in groups.items()
            if metric == value.metric and all(any(word.startswith(one) for word in words) for one in said)
        ]
        fewest = min((size for size, _ in fitting), default=0)  # `btrfs` is not `btrfs zstd-3`
        means = [
            (f"{kind} of {len(values)}", average(values))
            for size, scopes in fitting
            if size == fewest
            for values in scopes.values()
            for kind, average in (("mean", fmean), ("median", median))
            if len(values) > 1
        ]
        singles = [("value", one) for size, scopes in fitting if size == fewest for one in scopes[""]]
        printed = numbers.parse_number(value.raw, "," if "," in value.raw else ".")
        if not singles or printed is None:
            continue
        last_digit = value.value / (printed.value or 1) * 10.0**-printed.places
        are_alike = [
            any(abs(one * factor - value.value) <= 0.51 * last_digit for _, one in found for factor in _UNITS_MIXED)
            for found in (means, singles)
        ]
        if are_alike[0]:
            agreeing += 1
        elif are_alike[1]:
            single += 1
        else:
            what, nearest = min(means or singles, key=lambda one: abs(one[1] - value.value))
            unit = value.value / (printed.value or 1) or 1
            differing.append(f"{value.native} is {value.raw}, the nearest {what} here {nearest / unit:.4g}")
    total = agreeing + single + len(differing)
    if not total:
        return ""
    text = f" {agreeing} of {total} figures are averages of outputs in this upload"
    text += f", {single} the value of one output" if single else ""
    more = f"; and {len(differing) - _SHOWN} more" if len(differing) > _SHOWN else ""
    return f"{text} ({'; '.join(differing[:_SHOWN])}{more})." if differing else f"{text}."
