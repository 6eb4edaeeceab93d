"""elbencho's --csvfile: a line of labels, then one row a phase; commas in the command are printed as blanks.

Columns: docs/csv-docs.md of elbencho and printPhaseResultsToStringVec(). Reads of a mixed phase stand in columns of
their own (`rwmix read ...`), and the columns without that are its writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers.suites._elbencho_phase import FIRST_DONE, PHASE_NAME, STAT_NAMES, ElbenchoPhase, parse_command, parse_date
from ingest.parsers.suites._elbencho_table import read_rate
from ingest.records import Doubt, Value
from ingest.text.lines import Text

_LABELS = lazy(r"(?:^|[,;\t\"])operation\"?[,;\t].*MiB/s \[last\]")
_LIVE = lazy(r"^ISO Date,Label,Phase,RuntimeMS,")
_UNLABELLED = lazy(
    rf"^\d{{4}}-\d\d-\d\dT[^,]{{8,24}},[^,]{{0,80}},(?:dir|file|blockdev|bdev|bucket),(?:[^,]{{0,30}},){{13}}{PHASE_NAME},"
)
_WHOLE = lazy(r"\d{1,18}\Z")
_FIGURE = lazy(r"(rwmix read )?(time ms|entries/s|IOPS|MiB/s|CPU%) \[(first|last)\]\Z")
_LATENCY = lazy(r"(rwmix read )?(Ent|IO) lat us \[?(min|avg|max)\]?\Z")
_COUNTS = {"threads": "threads", "hosts": "nodes", "dirs": "dirs", "files": "files_per_dir", "file size": "file_size",
           "block size": "block_size", "IO depth": "iodepth"}  # fmt: skip


@dataclass(slots=True)
class _Labels:
    """The line of labels: its number, its names, the separator."""

    line: int
    names: list[str]
    mark: str


def parse(text: Text) -> Iterator[Value | Doubt]:
    """The rows of every CSV in the text."""
    labels: _Labels | None = None
    run: tuple[int, str, set[str]] = 0, "", set()
    for number, line in enumerate(text.lines, 1):
        if "MiB/s" in line and _LABELS.search(line):
            labels = _labels(number, line)
        elif "RuntimeMS" in line and _LIVE.match(line):
            yield Doubt(number, "progress", "--livecsv tells states of a running phase; none of them is a result")
        elif labels and labels.mark in line and (cells := _cells(line, labels)):
            row = dict(zip(labels.names, cells, strict=False))
            name, command = row.get("operation", ""), row.get("command", "")
            if not re.fullmatch(PHASE_NAME, name):
                continue
            if not run[0] or command != run[1] or name in run[2]:
                run = number, command, set()
            run[2].add(name)
            yield from _row(row, number, run[0], labels)
            if len(cells) < len(labels.names):
                yield Doubt(number, "short-row", f"{len(cells)} fields of {len(labels.names)}; the last may be cut and was left")
            elif len(cells) > len(labels.names) + 1:
                yield Doubt(number, "long-row", f"{len(cells)} fields, {len(labels.names)} labels")
        elif not labels and line[:2] == "20" and _UNLABELLED.match(line):
            yield Doubt(number, "no-header", "a row of elbencho's CSV without its line of labels; none of it was taken")


def _labels(number: int, line: str) -> _Labels | None:
    """None where a damaged line has no label for the operation: what the fields below it measured is not known then."""
    mark = next(mark for mark in ",;\t" if f"operation{mark}" in line.replace('"', ""))
    names = [cell.strip(' \t"\ufeff') for cell in line.split(mark)]
    return _Labels(number, names, mark) if "operation" in names else None


def _cells(line: str, labels: _Labels) -> list[str]:
    """The fields of a row that reaches its operation; the last of one that is cut is left out."""
    quoted = (cell.strip() for cell in line.split(labels.mark))
    cells = [cell if name == "command" else cell.strip('"') for name, cell in zip_longest(labels.names, quoted, fillvalue="")]
    cells = cells[: line.count(labels.mark) + 1]
    if len(cells) < len(labels.names):
        cells = [*cells[:-1], ""] if cells[-1] else cells
    return cells if len(cells) > labels.names.index("operation") + 1 else []


def _row(row: dict[str, str], number: int, run: int, labels: _Labels) -> Iterator[Value | Doubt]:
    version, started = row.get("version") or None, parse_date(row.get("ISO date", ""))
    phase = ElbenchoPhase(row["operation"], number, run, version, started, _params(row), (labels.line,))
    mixed = any(key.startswith("rwmix read") and cell for key, cell in row.items())
    for key, raw in row.items():
        found = _FIGURE.match(key) or _LATENCY.match(key)
        if not found or not raw:
            continue
        if not _WHOLE.match(raw):
            yield Doubt(number, "bad-number", f"{phase.name} {key}: {raw[:40]!r} is not a whole number")
            continue
        direction = "read" if found[1] else "write" if mixed else ""
        if found.re == _LATENCY:
            metric = f"{phase.operation(found[2] == 'Ent', direction)}.latency"
            yield phase.value(number, metric, key, (int(raw) / 1e6, "s", raw, "us"), STAT_NAMES[found[3]])
        else:
            yield from _figure(phase, number, (key, found[2], direction), raw, FIRST_DONE if found[3] == "first" else "")


def _figure(phase: ElbenchoPhase, number: int, names: tuple[str, str, str], raw: str, part: str) -> Iterator[Value | Doubt]:
    key, what, _ = names
    params = {"part": part} if part else {}
    if what == "time ms":
        if int(raw) == 0 and not phase.prepares:
            yield Doubt(number, "zero-time", f"{phase.name} {key}: less than a millisecond")
        yield phase.value(number, f"{phase.operation(False)}.elapsed", key, (int(raw) / 1000, "s", raw, "ms"), **params)
    elif what == "CPU%":
        yield phase.value(number, f"{phase.operation(False)}.cpu", key, (float(raw), "%", raw, "%"), **params)
    else:
        for item in read_rate(phase, number, names, raw, part):
            if isinstance(item, Value):
                item.native = f"{phase.name} {key}"
            yield item


def _params(row: dict[str, str]) -> dict[str, Any]:
    """The workload as its columns tell it, else as the command does."""
    params: dict[str, Any] = {"pattern": "unknown"}
    if row.get("command"):
        params = parse_command(re.sub(r'^"[^"]*"', "elbencho", row["command"]))
    for key, name in _COUNTS.items():
        if _WHOLE.match(row.get(key, "")):
            params[name] = int(row[key])
    if row.get("random") in ("0", "1"):
        given = params["pattern"] if params["pattern"] == "backward" else "sequential"
        params["pattern"] = "random" if row["random"] == "1" else given
    if row.get("direct IO") == "1":
        params["direct"] = "on"
    for key, name in (("label", "label"), ("path type", "path_type")):
        if row.get(key):
            params[name] = row[key]
    if _WHOLE.match(row.get("entries [last]", "")):
        params["entries"] = int(row["entries [last]"])
    if _WHOLE.match(row.get("MiB [last]", "")):
        params["moved"] = int(row["MiB [last]"]) * 2**20
    return params
