"""IO500's result.txt: a section a phase, with what was run, its score and its time (PRINT_PAIR in io500's main.c).

    version         = io500-isc22_v1
    mode            = standard

    [ior-easy-write]
    t_start         = 2021-06-02 20:05:41
    score           = 21.630000
    t_delta         = 305.5000

Scores of ior phases are GiB/s, all others kIOPS. The sections [SCORE] and [SCOREX] hold means and are no phases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.records import Doubt, Value
from ingest.text.lines import Text

_SECTION = lazy(r"^[\s>|#+]*\[([A-Za-z][\w-]{1,40})\]\s*$")
_PAIR = lazy(r"^[\s>|#+]*(version|mode|t_start|(?:throughput|rate)-stonewall|score|t_delta)\s*= ?(\S[^\n]{0,60}?)\s*$")
_INVALID = lazy(r"^[\s>|#+]*; (?:ERROR )?INVALID (\S.{0,160})")
_NUMBER = lazy(r"(\d{1,12}(?:\.\d{1,9})?)( \[INVALID\])?\Z")


class Io500Phase(NamedTuple):
    """A section: name, line, line of the document's first; what was told before its figures."""

    name: str = ""
    line: int = 0
    operation: str = ""
    started: str | None = None
    wall: tuple[str, str, int] | None = None  # key, figure and line of what was reached when the first process stopped


def parse(text: Text, operation: Callable[[str], str | None]) -> Iterator[Value | Doubt]:
    """Score and time of each section, in line order."""
    if "t_delta" not in text.body and "t_start" not in text.body:
        return
    told: dict[str, tuple[str, int]] = {}
    phase, run, scored, open_at = Io500Phase(), 0, set[str](), 0
    for number, line in enumerate(text.lines, 1):
        if "[" in line and (found := _SECTION.match(line)):
            yield from _cut(phase, open_at)
            open_at = 0
            if found[1] in scored:
                run, scored = number, set()
            phase = Io500Phase(found[1], number, operation(found[1]) or "")
        elif "INVALID" in line and phase.operation and (found := _INVALID.match(line)):
            yield Doubt(number, "failed-run", f"{phase.name}: {found[1]}")
        elif "=" in line and (found := _PAIR.match(line)):
            key, raw = found.groups()
            if key in ("version", "mode"):
                told = told if phase.line == 0 else {}
                told[key] = raw, number
                phase, run, scored = Io500Phase(), 0, set()
            elif key == "t_start":
                phase = phase._replace(started=_moment(raw))
            elif phase.operation and key.endswith("-stonewall"):
                phase = phase._replace(wall=(key, raw, number))
            elif phase.operation:
                if phase.wall and key == "score":
                    run = run or phase.line
                    yield from _wall(phase, run, raw, told)
                run = run or phase.line
                scored.add(phase.name)
                open_at = number if key == "score" else 0
                yield from _figure(phase, run, (key, raw, number), told)
    yield from _cut(phase, open_at)


def _wall(phase: Io500Phase, run: int, score: str, told: dict[str, tuple[str, int]]) -> Iterator[Value | Doubt]:
    """A rate in kIOPS, a throughput in GiB/s (phase_ior.c, ior_process_write); one version printed it in another unit."""
    assert phase.wall
    key, raw, number = phase.wall
    own, whole = _NUMBER.match(raw), _NUMBER.match(score)
    if own and not whole:
        return  # of which it is told that the score is no number
    if own and whole and whole[1].strip("0.") != "" and not 0.02 < float(own[1]) / float(whole[1]) < 20:
        yield Doubt(number, "unknown-unit", f"{phase.name} {key}: {raw} is no figure in the unit of the score {score}")
        return
    yield from _figure(phase, run, (key, raw, number), told)


def _cut(phase: Io500Phase, line: int) -> Iterator[Doubt]:
    """A score without the time that is printed after it."""
    if line:
        yield Doubt(line, "cut", f"the section {phase.name} ends after its score; that may be cut, too")


def _figure(phase: Io500Phase, run: int, pair: tuple[str, str, int], told: dict[str, tuple[str, int]]) -> Iterator[Value | Doubt]:
    key, printed, number = pair
    found = _NUMBER.match(printed)
    if not found:
        yield Doubt(number, "bad-number", f"{phase.name} {key}: {printed[:40]!r} is not a number")
        return
    raw, invalid = found.groups()
    if invalid:
        yield Doubt(number, "failed-run", f"{phase.name}: IO500 calls the phase invalid")
    if float(raw) == 0:
        yield Doubt(number, "unmeasured", f"{phase.name} {key}: IO500 printed 0")
        return
    if key == "t_delta":
        quantity, factor, unit, meant = "elapsed", 1, "s", "s"
    elif phase.name.startswith("ior"):
        quantity, factor, unit, meant = "throughput", 2**30, "B/s", "GiB/s"
    else:
        quantity, factor, unit, meant = "rate", 1000, "1/s", "kops/s"
    params = {"phase": phase.name.lower().replace("_", "-")}
    if key.endswith("-stonewall"):
        params["part"] = "stonewall"
    if "mode" in told:
        params["mode"] = told["mode"][0]
    yield Value(
        line=number,
        tool="io500",
        tool_version=told["version"][0] if "version" in told else None,
        metric=f"{phase.operation}.{quantity}",
        native=f"{phase.name} {key}",
        value=float(raw) * factor,
        unit=unit,
        raw=raw,
        raw_unit=meant,
        run=("result.txt", run),
        params=params,
        started_at=phase.started,
        depends=tuple(sorted({phase.line, *(line for _, line in told.values())} | set(range(phase.line + 1, number)))),
    )


def _moment(printed: str) -> str | None:
    try:
        return datetime.strptime(printed, "%Y-%m-%d %H:%M:%S").isoformat()
    except ValueError:
        return None
