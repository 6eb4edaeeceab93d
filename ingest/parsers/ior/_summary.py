"""IOR's aggregates: `Max Write: 865.20 MiB/sec (907.23 MB/sec)` and the rows of `Summary of all tests`.

They are computed from the repetitions. Where the table shows those, the aggregates are only checked against them;
where there is no table (2.x without -v, a log cut down to its end), they are recorded as what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.parsers.ior._options import TOOL, IorTest
from ingest.parsers.ior._result_rows import MIB, NUMBER
from ingest.records import Doubt, Value

MAXIMUM = lazy(r"^[\s>|#+]*Max (Write|Read)\s*:\s+(\S+) MiB/sec(?: \((\S+) MB/sec\)|\s*$)")
TORN_MAXIMUM = lazy(r"^[\s>|#+]*Max (?:Wr|Re|W\x00|R\x00)")
HEADER = lazy(r"^[\s>|#+]*Operation\s+Max ?\(MiB\)\s+Min ?\(MiB\)")
ROW = lazy(r"^[\s>|#+]*(write|read)\s+(\S.*)$")

# Column -> stat, quantity, factor, base unit, unit meant, part, column of the table that holds the repetitions.
_BW, _OPS = ("throughput", MIB, "B/s", "MiB/s", "", "bw(MiB/s)"), ("rate", 1, "1/s", "1/s", "", "IOPS")
_COLUMNS = {
    "Max(MiB)": ("max", *_BW),
    "Min(MiB)": ("min", *_BW),
    "Mean(MiB)": ("mean", *_BW),
    "StdDev(MiB)": ("stddev", *_BW),
    "Max(OPs)": ("max", *_OPS),
    "Min(OPs)": ("min", *_OPS),
    "Mean(OPs)": ("mean", *_OPS),
    "StdDev(OPs)": ("stddev", *_OPS),
    "Mean(s)": ("mean", "elapsed", 1, "s", "s", "total", "total(s)"),
    "Stonewall(s)": ("mean", "elapsed", 1, "s", "s", "stonewall", ""),
    "Stonewall(MiB)": ("mean", "throughput", MIB, "B/s", "MiB/s", "stonewall", ""),
}
_WORKLOAD = {
    "#Tasks": "processes",
    "tPN": "tasks_per_node",
    "reps": "repetitions",
    "segcnt": "segments",
    "blksiz": "block_size",
    "xsize": "transfer_size",
}
_TITLES = lazy(
    r"(?:Max|Min|Mean|Std|Dev|StdDev|\((?:MiB|OPs|s)\)|(?:Max|Min|Mean|Stonewall)\((?:MiB|OPs|s)\)|Op|grep|Test#|#Tasks|tPN|reps|fPP|"
    r"reord|reordoff|reordrand|seed|segcnt|blksiz|xsize|aggs\(MiB\)|aggsize|API|RefNum)\Z"
)
_CELL = lazy(r"-?\d[\d.eE+-]*\Z|-|NA\Z|[A-Z][A-Z0-9_-]{2,11}\Z")
_NUMBERED = lazy(r"Max\((?:MiB|OPs)\)|Min\((?:MiB|OPs)\)|Mean\((?:MiB|OPs|s)\)|StdDev|Stonewall\((?:s|MiB)\)")


def parse_columns(header: str) -> list[str]:
    """The columns that hold figures, `StdDev` told apart by the ones before it; then `Test#`."""
    names = _NUMBERED.findall(re.sub(r" \(", "(", header).replace("Std Dev", "StdDev"))
    for at, name in enumerate(names):
        if name == "StdDev":
            names[at] = "StdDev(OPs)" if at and "OPs" in names[at - 1] else "StdDev(MiB)"
    return [*names, "Test#"] if "Test#" in header else names


def row_width(names: list[str], header: str) -> int:
    """How many cells a whole row has: 2.x prints three more than it has titles (RefNum, API and a word to find rows by)."""
    more = 3 if "grep" in header and "API" not in header else 0
    return len(names) + (len(header.split("#Tasks", 1)[1].split()) + 1 + more if "#Tasks" in header else 0)


def continued_titles(line: str) -> str:
    """The titles with which a wrapped line goes on, or nothing."""
    words = line.strip(" \t>|#+").split()
    return " ".join(words) if words and all(_TITLES.match(word) for word in words) else ""


def continued_cells(line: str) -> list[str]:
    """The cells with which a wrapped line goes on, or none."""
    words = line.strip(" \t>|#+").split()
    return words if words and all(_CELL.match(word) for word in words) else []


def read_workload(test: IorTest, header: str, words: list[str]) -> dict[str, object]:
    """What the columns from `#Tasks` on tell of the test where its options do not stand above (a log's end, a grep)."""
    names = ["#Tasks", *header.split("#Tasks", 1)[1].split()] if "#Tasks" in header else []
    cells = dict(zip(names, words, strict=False))
    told: dict[str, object] = {
        name: int(cells[column])
        for column, name in _WORKLOAD.items()
        if name not in test.params and cells.get(column, "").isdecimal()
    }
    if "access" not in test.params and cells.get("fPP") in ("0", "1"):
        told["access"] = "file-per-process" if cells["fPP"] == "1" else "single-shared-file"
    if "api" not in test.params and cells.get("API", "").isalnum() and not cells["API"].isdecimal():
        told["api"] = cells["API"]
    return told


def read_maximum(test: IorTest, line: str, number: int) -> Iterator[Value | Doubt]:
    """A `Max Write` or `Max Read` line, checked against the table, or recorded where there is none."""
    found = MAXIMUM.match(line)
    if not found:
        yield Doubt(number, "bad-number", "a Max line that cannot be read")
        return
    access, raw, decimal = found[1].lower(), found[2], found[3]
    if not (NUMBER.match(raw) and NUMBER.match(decimal or "0")):
        yield Doubt(number, "bad-number", f"Max {found[1]}: {raw[:40]!r}, {decimal!r}")
        return
    test.printed.add(access)
    if decimal and abs(float(raw) * MIB / 1e6 - float(decimal)) > 0.02 + 1e-4 * float(decimal):
        yield Doubt(number, "disagree", f"Max {found[1]}: {raw} MiB/sec is not {decimal} MB/sec")
    yield from _figure(test, access, "Max(MiB)", raw, number, f"Max {found[1]}", ())


def read_summary_row(
    test: IorTest, names: list[str], header: tuple[int, str], line: str, numbers: list[int]
) -> Iterator[Value | Doubt]:
    """A row of the summary of the test. `header`: line and text of its titles, line 0 where none stand; `numbers`: the line
    of each cell, of which a wrapped row has several."""
    found = ROW.match(line)
    assert found is not None
    words, number = found[2].split(), numbers[0]
    extra = tuple(filter(None, dict.fromkeys((header[0], *(numbers if numbers[-1] != number else ())))))
    if len(words) < len(names) or (numbers[-1] != number and len(words) != row_width(names, header[1])):
        yield Doubt(number, "short-row", f"summary of {found[1]}: {len(words)} figures for {len(names)} columns; none was taken")
        return
    cells = dict(zip(names, words, strict=False))
    told = read_workload(test, header[1], words[len(names) :])
    for at, (column, raw) in enumerate(cells.items()):
        if column == "Test#" or raw in ("NA", "-"):
            continue
        number = numbers[at]
        if not NUMBER.match(raw):
            yield Doubt(number, "bad-number", f"summary of {found[1]}, {column}: {raw[:40]!r} is not a number")
            continue
        for item in _figure(test, found[1], column, raw, number, f"{found[1]} {column}", extra):
            if isinstance(item, Value):
                item.params = {**item.params, **told}
            yield item


def _figure(
    test: IorTest, access: str, column: str, raw: str, number: int, native: str, depends: tuple[int, ...]
) -> Iterator[Value | Doubt]:
    stat, quantity, factor, unit, meant, part, source = _COLUMNS[column]
    known = test.rows.get((access, source), [])
    if known and quantity != "rate":  # summed rates are the bandwidth over the transfer size, those of rows are not
        yield from check_aggregate(stat, [value for value, _ in known], float(raw), number, native, test.params.get("repetitions"))
    left_out = test.naked and float(raw) > 0 and not any(access == shown for shown, _ in test.rows)
    if test.tabled and not left_out:
        return  # an aggregate of rows; where somebody picked rows from the log it is all there is of the others
    operation = test.operation(access)
    seen = test.maxima.get((access, column))
    same = int(seen[1]) if seen and seen[0] == float(raw) else None
    if seen and same is None:
        yield Doubt(number, "disagree", f"{native}: {raw} here, {seen[0]:g} on line {seen[1]:.0f}; the latter was taken")
        return
    test.maxima[(access, column)] = (float(raw), number, *depends)
    extra = (*depends, *(int(line) for line in seen[1:])) if seen else depends
    yield Value(
        line=number,
        tool=TOOL,
        tool_version=test.version,
        metric=f"{operation}.{quantity}",
        native=native,
        value=float(raw) * factor,
        unit=unit,
        raw=raw,
        raw_unit=meant,
        run=test.start,
        stat=stat,
        params={**test.params, **({"part": part} if part else {})},
        told=test.told,
        started_at=test.started,
        same_as=same,
        depends=tuple(sorted({*test.depends.values(), *extra})),
    )


def check_aggregate(stat: str, values: list[float], printed: float, line: int, native: str, repetitions: object) -> Iterator[Doubt]:
    """A warning where the aggregate is not that of the repetitions (to the digits that the table shows)."""
    if isinstance(repetitions, int) and len(values) != repetitions:
        if stat == "max":
            yield Doubt(line, "disagree", f"{native}: the table shows {len(values)} of {repetitions} repetitions")
        return
    if stat == "stddev":
        return
    own = {"max": max(values), "min": min(values), "mean": sum(values) / len(values)}[stat]
    if abs(own - printed) > 0.002 * abs(own) + 0.02:
        yield Doubt(line, "disagree", f"{native}: {printed:g} printed, {own:g} by the table's {len(values)} repetitions")
