"""What mdtest keeps of each process (--saveRankPerformanceDetails), and IO500 in a file beside the output of each phase.

    rank,items,rate-Directory creation,time-Directory creation,...
    all,28397,,,4.8614077562e+04,4.6730496883e+01,...
    0,,,,6.9023794907e+02,4.1140884876e+01,...

The row of all of them is of the first iteration (items over seconds); the rows of the ranks follow, iteration by iteration, and
end before the columns of trees. A phase that was not run is empty. Source: mdtest.c, StoreRankInformation: each figure by %.10e.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from sys import intern
from typing import Any

from ingest.lazy_regex import lazy
from ingest.records import NO_PARAMS, Doubt, Value

HEADER = r"^rank,items,rate-"
_HEADER = lazy(HEADER)
_FIRST = lazy(r"(?:all|\d{1,7})\Z")
_FIGURE = lazy(r"\d\.\d{10}e[+-]\d\d\Z")
_KINDS = {"rate": ("rate", "1/s", "ops/s"), "time": ("elapsed", "s", "s")}
_TREES = 4  # columns that the rows of ranks do not have


def read_rank_tables(lines: Sequence[str], operations: Mapping[str, str]) -> Iterator[Value | Doubt]:
    """Every figure of such tables. `operations`: the tool's name of a phase, in small letters -> of the catalogue."""
    for at, line in enumerate(lines):
        if line.startswith("rank,items,rate-") and _HEADER.match(line):
            yield from _table(lines, at, line.strip().split(","), operations)


def _table(lines: Sequence[str], at: int, titles: list[str], operations: Mapping[str, str]) -> Iterator[Value | Doubt]:
    rows = []
    for number, line in enumerate(lines[at + 1 :], at + 2):
        cells = line.strip().split(",")
        if len(cells) < 3 or not _FIRST.match(cells[0]):
            break
        rows.append((number, cells))
    names = [cells[0] for _, cells in rows]
    several = len(set(names)) < len(names)
    for number, cells in rows:
        whole = cells[0] == "all"
        if len(cells) != len(titles) - (0 if whole else _TREES):
            yield Doubt(number, "short-row", f"mdtest's row of {cells[0]}: {len(cells)} fields; nothing was taken")
        elif whole and several:
            yield Doubt(number, "unread", "mdtest's row of all ranks is of one of several iterations; it was not taken")
        else:
            yield from _row(at + 1, number, titles, cells, operations)


def _row(header: int, number: int, titles: list[str], cells: list[str], operations: Mapping[str, str]) -> Iterator[Value | Doubt]:
    params: dict[str, Any] = {"part": f"rank {cells[0]}", "rank": int(cells[0])} if cells[0] != "all" else {"iterations": 1}
    run = header if "rank" in params else number  # the figures of all are compared with those of the report beside it
    for title, raw in zip(titles[2:], cells[2:], strict=False):
        kind, _, name = title.partition("-")
        if not raw:
            continue
        operation = operations.get(name.lower())
        if operation is None or kind not in _KINDS:
            yield Doubt(number, "unread", f"{title[:40]!r} is a column that is not known")
        elif not _FIGURE.match(raw):
            yield Doubt(number, "bad-number", f"{title}: {raw[:40]!r} is not a number as mdtest prints it")
        else:
            quantity, unit, meant = _KINDS[kind]
            yield Value(
                number,
                "mdtest",
                intern(f"{operation}.{quantity}"),
                intern(title),
                float(raw),
                unit,
                raw,
                meant,
                run,
                None,
                "sample" if "rank" in params else "mean",
                params,
                NO_PARAMS,
                depends=(header,),
            )
