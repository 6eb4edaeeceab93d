"""One transfer of rsync: what its summary tells, and the records that it gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.records import Doubt, Value


@dataclass
class RsyncRun:
    """One transfer under construction. `stands`: the line of its rate, another one where the summary was broken."""

    line: int = 0
    stands: int = 0
    rate: float | None = None
    raw: str = ""
    suffix: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    doubts: list[Doubt] = field(default_factory=list)
    depends: list[int] = field(default_factory=list)
    version: str | None = None
    listed: bool = False
    exact: bool = False
    rounded: bool = False


def _disagreeing(run: RsyncRun) -> Iterator[Doubt]:
    """Damaged digits: rsync computes its rate of whole seconds and a half, its speedup of the three sizes."""
    sent, received, total = (run.params.get(name) for name in ("sent", "received", "total_size"))
    speedup, rate = run.params.get("speedup"), run.rate or 0.0
    if ("sent" in run.params and sent is None) or ("received" in run.params and received is None):
        yield Doubt(run.line, "bad-number", "the bytes sent or received are no number; the rate was taken as printed")
        return
    moved = (sent or 0) + (received or 0)
    if not moved or rate < 1 or run.exact:
        return
    seconds = moved / rate - 0.5
    of_rsync = "." in run.raw or "," in run.raw  # openrsync divides by all of the time, and prints no decimals
    if of_rsync and seconds < 100_000 and abs(seconds - round(seconds)) > 0.02 + 0.01 * (seconds + 1) / rate:
        yield Doubt(run.line, "disagree", f"{moved} bytes at {run.raw} bytes/sec are no whole number of seconds and a half")
    elif total is not None and speedup is not None and abs(total / moved - speedup) > 0.006 + 0.001 * speedup:
        yield Doubt(run.line, "disagree", f"a total size of {total} over {moved} bytes is no speedup of {speedup:g}")


def run_records(run: RsyncRun) -> Iterator[Value | Doubt]:
    """The rate with its parameters, and what is doubtful about it."""
    yield from run.doubts
    if run.listed:
        run.params["operation"] = "list only"
    if run.params.get("operation"):
        yield Doubt(run.line, "unmeasured", f"rsync copied no data ({run.params['operation']}); its rate is no speed of copying")
    if run.rate is None:
        return
    if not run.rate:
        yield Doubt(run.line, "unmeasured", f"a rate of {run.raw} bytes/sec was printed: nothing was measured")
        return
    if not run.suffix and not run.rounded:
        yield from _disagreeing(run)
    if "total_size" not in run.params and not any(d.code == "cut" for d in run.doubts):
        yield Doubt(run.line, "cut", "the line with the total size does not follow")
    params = {key: value for key, value in run.params.items() if value is not None}
    yield Value(
        run.stands,
        "rsync",
        "copy.throughput",
        "bytes/sec",
        run.rate,
        "B/s",
        run.raw + run.suffix,
        "bytes/sec",
        run.line,
        run.version,
        params=params,
        depends=tuple(dict.fromkeys(run.depends)),
    )
