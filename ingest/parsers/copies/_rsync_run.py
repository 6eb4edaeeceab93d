"""One transfer of rsync: the figures of its summary and the records made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.records import FAILED, Doubt, Found, MissingValue, Value


@dataclass
class RsyncRun:
    """One transfer under construction.

    `line`: where its summary begins; `rate_line`: the line with its rate. `suffix`: unit of the rate. `list_only`: the command
    only lists. `exact`: the bytes are exact, from the second summary of a log file. `rounded`: a size has a suffix.
    """

    line: int = 0
    rate_line: int = 0
    rate: float | None = None
    raw: str = ""
    suffix: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    doubts: list[Doubt] = field(default_factory=list)
    depends: list[int] = field(default_factory=list)
    version: str | None = None
    list_only: bool = False
    exact: bool = False
    rounded: bool = False


def _check_figures(run: RsyncRun) -> Iterator[Doubt]:
    """Doubts where figures are damaged: the rate is computed from whole seconds plus 0.5, the speedup from the three sizes."""
    params, rate = run.params, run.rate or 0.0
    sent, received, total, speedup = params.get("sent"), params.get("received"), params.get("total_size"), params.get("speedup")
    if ("sent" in params and sent is None) or ("received" in params and received is None):
        yield Doubt(run.line, "bad-number", "the bytes sent or received are not a number; the rate was used as printed")
        return
    moved = (sent or 0) + (received or 0)
    if not moved or rate < 1 or run.exact:
        return
    seconds = moved / rate - 0.5
    has_decimals = "." in run.raw or "," in run.raw  # openrsync prints none, and divides by the exact time
    if has_decimals and seconds < 100_000 and abs(seconds - round(seconds)) > 0.02 + 0.01 * (seconds + 1) / rate:
        yield Doubt(run.line, "disagree", f"{moved} bytes at {run.raw} bytes/sec do not give a multiple of half a second")
    elif total is not None and speedup is not None and abs(total / moved - speedup) > 0.006 + 0.001 * speedup:
        yield Doubt(run.line, "disagree", f"a total size of {total} over {moved} bytes does not give a speedup of {speedup:g}")


def run_records(run: RsyncRun) -> Iterator[Found]:
    """The doubts of a transfer and its rate with parameters; only doubts where nothing was measured."""
    yield from run.doubts
    if run.list_only:
        run.params["operation"] = "list only"
    if run.params.get("operation"):
        yield Doubt(run.line, "unmeasured", f"rsync copied no data ({run.params['operation']}); its rate is not a copy speed")
    if run.rate is None:
        return
    if not run.rate:
        yield MissingValue.instead_of(_rate(run), FAILED)
        yield Doubt(run.line, "unmeasured", f"a rate of {run.raw} bytes/sec was printed: nothing was measured")
        return
    if not run.suffix and not run.rounded:
        yield from _check_figures(run)
    if "total_size" not in run.params and not any(doubt.code == "cut" for doubt in run.doubts):
        yield Doubt(run.line, "cut", "the line with the total size does not follow")
    yield _rate(run)


def _rate(run: RsyncRun) -> Value:
    """The printed rate with the parameters of the transfer."""
    params = {key: value for key, value in run.params.items() if value is not None}
    return Value(
        run.rate_line,
        "rsync",
        "copy.throughput",
        "bytes/sec",
        run.rate or 0.0,
        "B/s",
        raw=run.raw + run.suffix,
        raw_unit="bytes/sec",
        run=run.line,
        tool_version=run.version,
        params=params,
        depends=tuple(dict.fromkeys(run.depends)),
    )
