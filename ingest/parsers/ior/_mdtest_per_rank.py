"""Rank details of mdtest (--saveRankPerformanceDetails), which IO500 writes to a file beside the output of each phase.

    rank,items,rate-Directory creation,time-Directory creation,...
    all,28397,,,4.8614077562e+04,4.6730496883e+01,...
    0,,,,6.9023794907e+02,4.1140884876e+01,...

The row of all ranks is of the first iteration (items over seconds); the rows of the ranks follow, iteration by iteration, and
end before the columns of trees. The cells of a phase that was not run are empty. Source: mdtest.c, StoreRankInformation: each
figure by %.10e.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from sys import intern
from typing import Any

from ingest.lazy_regex import lazy
from ingest.records import NO_PARAMS, Doubt, Found, Value

HEADER = r"^rank,items,rate-"
_HEADER = lazy(HEADER)
_RANK = lazy(r"(?:all|\d{1,7})\Z")
_FIGURE = lazy(r"\d\.\d{10}e[+-]\d\d\Z")
_KINDS = {"rate": ("rate", "1/s", "ops/s"), "time": ("elapsed", "s", "s")}
_TREE_COLUMNS = 4  # columns that the rows of ranks do not have


def read_rank_tables(lines: Sequence[str], operations: Mapping[str, str]) -> Iterator[Found]:
    """Every figure of such tables. `operations`: mdtest's name of a phase, in lower case -> operation of the catalogue."""
    for index, line in enumerate(lines):
        if line.startswith("rank,items,rate-") and _HEADER.match(line):
            yield from _read_table(lines, index, line.strip().split(","), operations)


def _read_table(lines: Sequence[str], index: int, titles: list[str], operations: Mapping[str, str]) -> Iterator[Found]:
    rows = []
    for number, line in enumerate(lines[index + 1 :], index + 2):
        cells = line.strip().split(",")
        if len(cells) < 3 or not _RANK.match(cells[0]):
            break
        rows.append((number, cells))
    ranks = [cells[0] for _, cells in rows]
    is_repeated = len(set(ranks)) < len(ranks)
    for number, cells in rows:
        is_total = cells[0] == "all"
        if len(cells) != len(titles) - (0 if is_total else _TREE_COLUMNS):
            yield Doubt(number, "short-row", f"mdtest's row of {cells[0]}: {len(cells)} fields; nothing was recorded")
        elif is_total and is_repeated:
            yield Doubt(number, "unread", "mdtest's row of all ranks covers one of several iterations; not recorded")
        else:
            yield from _read_row(index + 1, number, titles, cells, operations)


def _read_row(header: int, number: int, titles: list[str], cells: list[str], operations: Mapping[str, str]) -> Iterator[Found]:
    params: dict[str, Any] = {"part": f"rank {cells[0]}", "rank": int(cells[0])} if cells[0] != "all" else {"iterations": 1}
    run = header if "rank" in params else number  # the figures of all ranks are compared with those of the report beside
    for title, raw in zip(titles[2:], cells[2:], strict=False):
        kind, _, name = title.partition("-")
        if not raw:
            continue
        operation = operations.get(name.lower())
        if operation is None or kind not in _KINDS:
            yield Doubt(number, "unread", f"{title[:40]!r} is an unknown column")
        elif not _FIGURE.match(raw):
            yield Doubt(number, "bad-number", f"{title}: {raw[:40]!r} is not a number as mdtest prints it")
        else:
            quantity, unit, raw_unit = _KINDS[kind]
            yield Value(
                number,
                "mdtest",
                intern(f"{operation}.{quantity}"),
                intern(title),
                float(raw),
                unit,
                raw,
                raw_unit,
                run,
                None,
                "sample" if "rank" in params else "mean",
                params,
                NO_PARAMS,
                depends=(header,),
            )
