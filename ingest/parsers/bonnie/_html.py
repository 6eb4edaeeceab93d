"""The page that bon_csv2html makes of CSV lines: one row of cells for a run, one for its latencies.

Layout: bon_csv2html.cpp (header, print_vals). Since 2.00 its rates are in whole M/sec (2^20), before in K/sec; those
per character stayed in K/sec under the heading M/sec. A cell that was too fast is +++++, or 0 beside +++.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.parsers.bonnie._columns import FILE_COLUMNS, IO_COLUMNS, BonnieRun, parse_count, parse_size
from ingest.records import Doubt
from ingest.text.lines import Text

MARK = lazy(r"class=\"?rowheader", re.I)
_ROW = lazy(r"<tr[^<>]{0,80}>(.{0,20000}?)</tr>", re.I | re.S)
_CELL = lazy(r"<td([^<>]{0,120})>(.{0,300}?)</td>", re.I | re.S)
_TAG = lazy(r"<[^<>]{1,120}>")
_VERSION = lazy(r"Version\s+(\d[\w.]{1,9})")
_LEAD = {"size": "sizes", "chunk size": "chunk_size", "concurrency": "threads"}
_MIDDLE = {
    "num files": "files",
    "max size": "file_size_max",
    "min size": "file_size_min",
    "num dirs": "dirs",
    "chunk size": "file_chunk_size",
}

Cells = list[tuple[str, int, str]]  # text, line, attributes


def read_pages(text: Text) -> Iterator[BonnieRun | Doubt]:
    """The runs of every bon_csv2html table in a text."""
    body = text.body
    if not MARK.search(body):
        return
    lead, middle, per_second = ["size"], ["num files"], 1024
    version: str | None = None
    run: BonnieRun | None = None
    titles: list[int] = []
    for row in _ROW.finditer(body):
        line = text.line_at(row.start())
        cells = _cells(row, text)
        texts = [c[0].lower() for c in cells]
        if found := _VERSION.search(cells[0][0] if cells else ""):
            version = found[1]
            titles.append(line)
        if "per char" in texts and "rewrite" in texts:
            titles.append(line)
            lead = [t for t in texts[: texts.index("per char")] if t]
            middle = [
                t
                for t in texts[texts.index("rewrite") :]
                if t and t not in ("rewrite", "per char", "block", "create", "read", "delete")
            ]
        if "m/sec" in texts or "k/sec" in texts:
            per_second = 2**20 if "m/sec" in texts else 1024
            titles.append(line)
        elif cells and MARK.search(cells[0][2]):
            read = _data(cells, line, lead, middle, version, per_second)
            run = read if isinstance(read, BonnieRun) else None
            if run:
                run.depends = tuple(titles)
            yield read
        else:
            if texts and texts[0] == "latency" and run:
                yield from _latency(run, cells, line)
            run = None  # a row of latencies that stands below another one is of a run whose own row is lost


def _cells(row: re.Match[str], text: Text) -> Cells:
    """The cells of a row; `?` where tags or a line end break a text, so that it stands nowhere as a whole."""
    out = []
    for cell in _CELL.finditer(row[1]):
        shown, lead = _TAG.sub("", cell[2]).strip(), re.match(r"(?:\s|<[^<>]{1,120}>)*", cell[2])
        line = min(text.line_at(row.start(1) + cell.start(2) + (lead.end() if lead else 0)), len(text.lines))
        out.append((shown if shown in text.lines[line - 1] else "?", line, cell[1]))
    return out


def _data(cells: Cells, line: int, lead: list[str], middle: list[str], version: str | None, per_second: int) -> BonnieRun | Doubt:
    """A row of a run: name, sizes, six pairs, file counts, six pairs."""
    flat = _flat(cells[1:])
    wanted = len(lead) + 12 + len(middle) + 12
    if len(flat) != wanted:
        return Doubt(
            line,
            "long-row" if len(flat) > wanted else "short-row",
            f"{len(flat)} cells where the header has {wanted}; nothing was recorded",
        )
    run = BonnieRun(line, cells[0][0], version, False)
    run.set("machine", cells[0][0] or None)
    keys = [_LEAD.get(name) for name in lead] + [_MIDDLE.get(name) for name in middle]
    for key, (text, _) in zip(keys, flat[: len(lead)] + flat[len(lead) + 12 : len(lead) + 12 + len(middle)], strict=False):
        if key == "sizes":
            run.sizes(text)
        elif key == "files":
            run.file_counts(text)
        elif key:
            run.set(key, parse_count(text) if key in ("threads", "dirs") else parse_size(text))
    _pairs(run, flat[len(lead) : len(lead) + 12], IO_COLUMNS, per_second)
    _pairs(run, flat[-12:], FILE_COLUMNS, 1)
    run.last = line
    return run


def _flat(cells: Cells) -> list[tuple[str, int]]:
    """One entry per column: a cell over two columns is a value without its %CPU."""
    flat = []
    for text, line, attributes in cells:
        span = re.search(r"colspan=\"?(\d)", attributes, re.I)
        flat += [(text, line), *[("", line)] * (int(span[1]) - 1 if span else 0)]
    return flat


def _pairs(run: BonnieRun, flat: list[tuple[str, int]], columns: tuple[tuple[str, str, str, bool], ...], per_second: int) -> None:
    for column, at in zip(columns, range(0, len(flat), 2), strict=False):
        (raw, line), (cpu, place) = flat[at], flat[at + 1]
        if raw == "0" and cpu.startswith("+"):
            run.rate_too_fast(line, column, raw)
            run.cpu(place, column, cpu)
            continue
        chars = per_second == 2**20 and column[0].endswith("_char")
        if chars and raw and not raw.startswith("+"):
            run.doubts.append(
                Doubt(line, "mislabelled-unit", f"{column[2]}: the page says M/sec, but bon_csv2html 2.00 prints K/sec here")
            )
        run.rate(line, column, raw, 1024 if chars else per_second if column[3] else 1)
        run.cpu(place, column, cpu)


def _latency(run: BonnieRun, cells: Cells, line: int) -> Iterator[Doubt]:
    labels = [at for at, (text, _, _) in enumerate(cells) if text.lower() == "latency"]
    groups = [[(text, place) for text, place, _ in cells[at + 1 : at + 7]] for at in labels]
    values = [cell for group in groups for cell in group]
    if len(labels) != 2 or [len(group) for group in groups] != [6, 6] or labels[1] < 7:
        yield Doubt(line, "short-row", f"{len(values)} latencies where 12 are expected; nothing was recorded")
        return
    for column, (raw, place) in zip(IO_COLUMNS + FILE_COLUMNS, values, strict=False):
        run.latency(place, column, raw)
    run.last = line
