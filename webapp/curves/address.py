"""The address of a figure over time: `/series?run=1&run=2&metric=disk.write.throughput&subject=sda&from=0&to=60`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

MAX_RUNS, MAX_CHOICES = 24, 40
"""Runs of an address; metrics, and subjects, of one."""
BANDS, LOG = "configuration", "log"
_KEYS = ("run", "metric", "subject", "tool", "from", "to", "bands", "scale")
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class CurveQuery:
    """What an address asks for. `low`, `high`: seconds since the start of the runs, None where it leaves them open. `bands`: runs
    of one configuration are joined. `problems`: a sentence for each part that was not understood."""

    runs: tuple[int, ...] = ()
    metrics: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    bands: bool = False
    log: bool = False
    problems: tuple[str, ...] = field(default=(), compare=False)

    @property
    def query(self) -> str:
        """The canonical query string."""
        pairs = [
            *(("run", str(run)) for run in self.runs),
            *(("metric", metric) for metric in self.metrics),
            *(("subject", subject) for subject in self.subjects),
            *(("tool", tool) for tool in self.tools),
            *((name, shown_seconds(value)) for name, value in (("from", self.low), ("to", self.high)) if value is not None),
            *([("bands", BANDS)] if self.bands else []),
            *([("scale", LOG)] if self.log else []),
        ]
        return urlencode(pairs)

    def changed(self, **values: object) -> CurveQuery:
        """The same with other values."""
        return replace(self, **values)  # type: ignore[arg-type]


def shown_seconds(value: float) -> str:
    """A time as addresses have it: at most six decimals."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def parse(pairs: Iterable[tuple[str, str]]) -> CurveQuery:
    """What the pairs of a query ask for; what is not understood is named in `problems`."""
    given: dict[str, list[str]] = {}
    problems: list[str] = []
    for key, value in pairs:
        if key not in _KEYS:
            problems.append(f"There is no parameter {key[:40]!r}; there are {', '.join(_KEYS)}.")
        elif value.strip():
            given.setdefault(key, []).append(value.strip()[:_LONGEST])
    runs = [_run(text, problems) for text in given.get("run", ())]
    known = tuple(dict.fromkeys(run for run in runs if run is not None))
    if len(known) > MAX_RUNS:
        problems.append(f"{len(known)} runs are more than one figure can show; the first {MAX_RUNS} are drawn.")
    low, high = (_seconds(name, given.get(name, ()), problems) for name in ("from", "to"))
    if low is not None and high is not None and not low < high:
        problems.append(f"from={shown_seconds(low)} is not before to={shown_seconds(high)}; all of the time is drawn.")
        low = high = None
    return CurveQuery(
        known[:MAX_RUNS],
        _texts(given.get("metric", [])),
        _texts(given.get("subject", [])),
        _texts(given.get("tool", [])),
        low,
        high,
        _choice("bands", BANDS, given, problems),
        _choice("scale", LOG, given, problems, "linear"),
        tuple(dict.fromkeys(problems)),
    )


def _texts(given: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(given))[:MAX_CHOICES]


def _run(text: str, problems: list[str]) -> int | None:
    if re.fullmatch(r"[0-9]{1,18}", text):
        return int(text)
    problems.append(f"{text[:40]!r} is not the number of a run.")
    return None


def _seconds(name: str, texts: Iterable[str], problems: list[str]) -> float | None:
    text = next(iter(texts), None)
    if text is None:
        return None
    match = re.fullmatch(r"([+\-\u2212]?[0-9]{1,12}(?:[.,][0-9]{1,9})?)\s*s?", text, re.ASCII)
    number = float(match[1].replace(",", ".").replace("\u2212", "-")) if match else math.nan
    if math.isfinite(number):
        return number
    problems.append(f"{name}={text[:40]} is not a number of seconds, such as 12.5.")
    return None


def _choice(name: str, value: str, given: dict[str, list[str]], problems: list[str], usual: str = "") -> bool:
    text = given.get(name, [""])[0]
    if text not in ("", value, usual):
        problems.append(f"There is no {name}={text[:40]}; there is {value}.")
    return text == value
