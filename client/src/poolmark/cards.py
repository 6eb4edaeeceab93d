"""Scorecards, two sides over everything that both measured: what names a side, the card of the server, its lines in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Optional
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from poolmark.errors import UsageError
from poolmark.http import Site
from poolmark.units import parameter, quantity, ratio, unit_of

WORSE, BETTER, CANNOT_TELL, SAME, BESIDE, SHOWN = "worse", "better", "cannot tell", "no difference seen", "beside", "shown"
"""What a line says."""
LAST_ACCEPTED = "last-accepted"
Line = Mapping[str, Any]
_PAGES = {"archives": "archive", "systems": "system", "configurations": "configuration", "studies": "study"}
"""Page of an address -> the kind of side that it is."""
_PERMALINK = re.compile(r"[2-9a-hjkmnp-z]{10}")


def side_of(site: Site, text: str) -> str:
    """The side that a person named, in the grammar of /versus: an archive's number, the address of a page, a permalink,
    `branch=NAME` (the archives with that label), `last-accepted`, or that grammar itself. Raises UsageError."""
    text = text.strip()
    if text.lstrip("#").isdigit():
        return f"archive:{text.lstrip('#')}"
    if "://" in text:
        return _of_address(site, text)
    if text.startswith("branch="):
        return f"label:{text}"
    if _PERMALINK.fullmatch(text):
        return f"permalink:{text}"
    if text != LAST_ACCEPTED and ":" not in text and "=" not in text:
        raise UsageError(
            f"{text!r} names no side: write an archive's number, an address of the server, label:NAME=VALUE or fs=zfs."
        )
    return text


def _of_address(site: Site, address: str) -> str:
    path = inside(site, address)
    _, page, name, *_ = [*path.split("/"), "", "", ""]
    if page in _PAGES and name:
        return f"{_PAGES[page]}:{name}"
    if page == "p" and name:
        return f"permalink:{name.partition('.')[0]}"
    if page == "compare":
        return ",".join(f"{key}={value}" for key, value in parse_qsl(urlsplit(address).query) if key not in NO_FILTERS)
    raise UsageError(f"{address} names no side: give the address of an archive, system, configuration, study or permalink.")


NO_FILTERS = frozenset(
    {"metric", "x", "series", "facet", "baseline", "stat", "normalise", "scale", "kind", "sort", "unit", "q", "control"}
)
"""What the address of a comparison has beside filters."""


def inside(site: Site, address: str) -> str:
    """The path on the server of an address. Raises UsageError for one of another server."""
    parts, own = urlsplit(address), urlsplit(site.url)
    if parts.netloc.lower() != own.netloc.lower() or not parts.path.startswith(own.path):
        raise UsageError(f"{address} is not on {site.url}: name its server by --server.")
    return parts.path[len(own.path) :]


def read_card(site: Site, a: str, b: str, metrics: Sequence[str] = ()) -> dict[str, Any]:
    """The card of two sides, as /versus.json has it."""
    card: dict[str, Any] = site.get("/versus", {"a": a, "b": b, "metric": list(metrics)})
    return card


def card_address(site: Site, a: str, b: str) -> str:
    """The page of a card."""
    return f"{site.url}/versus?{urlencode({'a': a, 'b': b}, safe=':,', quote_via=quote)}"


def lines_of(card: Mapping[str, Any], *says: str) -> list[Line]:
    """The lines that say one of these; all without any."""
    return [line for line in card.get("lines", ()) if not says or line.get("says") in says]


def label(line: Line) -> str:
    """Metric and workload in words, with the part of the configuration that differs from like lines."""
    configuration = [parameter(name, value) for name, value in (line.get("configuration") or {}).items()]
    workload = workload_words(line.get("workload") or {}, line.get("tool_versions") or ())
    return ", ".join([str(line.get("metric")), *workload, *configuration])


def workload_words(workload: Mapping[str, Any], versions: Sequence[str] = ()) -> list[str]:
    """`fio 3.33`, `file_size 8 GiB`, ...: without what is usual."""
    left = dict(workload)
    versions = versions or [str(left.get("tool_version", ""))]
    words = [" ".join(filter(None, [str(left.pop("tool", "")), " and ".join(versions)]))]
    left.pop("tool_version", None)
    for name, usual in (("stat", "sample"), ("aggregate", "sample"), ("origin", "measured")):
        if (value := left.pop(name, usual)) != usual:
            words.append(str(value))
    return [*filter(None, words), *(parameter(name, value) for name, value in left.items())]


def center(line: Line, side: str) -> str:
    """The centre of a side with its unit, `>` or `<` where it is a bound, and what could not be measured."""
    found = line.get(side) or {}
    value = found.get("center")
    if parts := found.get("parts") if value is None else ():
        return " and ".join(quantity(float(one), unit_of(str(line.get("metric")))) for one in parts)
    if value is None:
        reasons = [f"{one.get('count')} {str(one.get('reason')).replace('_', ' ')}" for one in found.get("unmeasured") or ()]
        return ", ".join(reasons) or "-"
    sign = {"above": "> ", "below": "< "}.get(str(found.get("bound")), "")
    return sign + quantity(float(value), unit_of(str(line.get("metric"))))


def interval(line: Line) -> str:
    low, high = line.get("low"), line.get("high")
    return "-" if low is None or high is None else f"{ratio(low)} to {ratio(high)}"


def words(line: Line) -> str:
    """The claim word, else what the line says."""
    return str(line.get("claim") or line.get("says") or "")


def doubts(line: Line) -> str:
    return ", ".join(line.get("doubts") or ())


def near_loss(line: Line) -> Optional[float]:
    """By how much the near end of the interval of a worse line is worse, as a share of side b: 0.1 is a tenth less throughput, or a
    tenth more time; None without an interval."""
    value, low, high = line.get("ratio"), line.get("low"), line.get("high")
    if value is None or low is None or high is None:
        return None
    return 1 - float(high) if value < 1 else float(low) - 1


def count_words(card: Mapping[str, Any]) -> str:
    """`2 worse, 1 better, 3 cannot tell, 12 no difference seen`."""
    counts = card.get("counts") or {}
    return ", ".join(f"{counts.get(says, 0)} {says}" for says in (WORSE, BETTER, CANNOT_TELL, SAME))
