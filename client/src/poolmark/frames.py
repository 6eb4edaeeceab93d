"""pandas DataFrames of permalinks, archives, comparisons and scorecards (extra `pandas`).

Values are in base units. Columns beside those that each function names: `params.NAME` is the workload of a value, `config.NAME`
the configuration on which it was measured. `DataFrame.attrs` has what belongs to the whole: address, units by metric, and more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union
from urllib.parse import urlsplit

from poolmark import cards, comparisons
from poolmark.errors import PoolmarkError, UsageError
from poolmark.http import Site
from poolmark.settings import find_site, site_of
from poolmark.units import unit_of

if TYPE_CHECKING:
    import pandas

_PAGE = 500
_PLACE = ("archive", "file", "line", "metric")
"""What a value of a comparison and its record share."""


def frame(url: Union[str, int], *, digest: str = "", site: Optional[Site] = None) -> pandas.DataFrame:
    """A row for each value of a permalink, an archive or a comparison.

    `url`: its address, or the number of an archive; `site`: the server, else that of the address or of the last login. All have
    `metric`, `unit`, `value`, `session`, `block`, `archive`, `run`, `file`, `line`, `raw`. Of a permalink and a comparison `x`,
    `series` and `facet` name the group. What could not be measured has no `value` but `reason`, `bound` and `side`. The SHA-256
    of a permalink's record is computed anew and compared with the server's, and with `digest` where that is given: PoolmarkError
    where they differ. Raises UsageError, SiteError.
    """
    text = str(url).strip()
    if "://" not in text:
        return _archive_frame(site or find_site(), _number(text))
    site = site or site_of(text)
    path = cards.inside(site, text).removesuffix(".json")
    _, page, name, *_ = [*path.split("/"), "", "", ""]
    if page == "p" and name:
        return _permalink_frame(site, name, digest)
    if page == "archives":
        return _archive_frame(site, _number(name))
    if page in ("compare", "versus"):
        return (_comparison_frame if page == "compare" else _versus_frame)(site, text)
    raise UsageError(f"{text} gives no table: give the address of a permalink, an archive, a comparison or a scorecard.")


def versus(
    a: Union[str, int], b: Union[str, int], *, metric: Union[str, Sequence[str]] = (), site: Optional[Site] = None
) -> pandas.DataFrame:
    """A row for each metric and workload that both sides have: `a` and `b` (centres), `a_n`, `b_n`, `a_sessions`, `b_sessions`,
    `ratio` with its own interval `low` to `high`, `says`, `claim`, `doubts`, `withheld`. Sides as in `poolmark versus`."""
    site = site or next((site_of(str(one)) for one in (a, b) if "://" in str(one)), None) or find_site()
    sides = cards.side_of(site, str(a)), cards.side_of(site, str(b))
    card = cards.read_card(site, *sides, [metric] if isinstance(metric, str) else metric)
    facts = {name: card.get(name) for name in ("a", "b", "counts", "differs", "only_a", "only_b", "tests")}
    return _table(map(_card_row, card.get("lines", ())), url=cards.card_address(site, *sides), **facts)


def _versus_frame(site: Site, url: str) -> pandas.DataFrame:
    query = comparisons.query_of(url)
    if not (query.get("a") and query.get("b")):
        raise UsageError(f"{url} does not name two sides: it needs a= and b=.")
    return versus(query["a"][0], query["b"][0], metric=query.get("metric", ()), site=site)


def _card_row(line: cards.Line) -> dict[str, Any]:
    sides = {side: line.get(side) or {} for side in ("a", "b")}
    metric, workload = str(line.get("metric")), dict(line.get("workload") or {})
    return {
        "metric": metric,
        "unit": unit_of(metric),
        **{side: found.get("center") for side, found in sides.items()},
        **{f"{side}_{name}": found.get(name) for side, found in sides.items() for name in ("bound", "n", "sessions", "stat")},
        **{name: line.get(name) for name in ("ratio", "low", "high", "says", "claim", "withheld", "tested")},
        "doubts": cards.doubts(line),
        **{name: workload.pop(name, None) for name in ("tool", "stat", "origin")},
        **_prefixed("params", workload),
        **_prefixed("config", line.get("configuration")),
    }


def _archive_frame(site: Site, number: int) -> pandas.DataFrame:
    archive = site.get(f"/archives/{number}")
    if archive.get("state") != "read":
        raise UsageError(f"{archive.get('url')} is {archive.get('state')}: only what was read can be a table.")
    rows = (
        _record_row(record)
        for kind in ("measurements", "unmeasured")
        for record in site.items(f"/archives/{number}/{kind}", {"limit": _PAGE})
    )
    facts = {name: archive.get(name) for name in ("title", "sha256", "labels", "visibility", "url")}
    return _table(rows, **facts)


def _record_row(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record of the contract as a row; where its facts come from is left out."""
    aside = ("params", "config", "params_from", "config_from", "implied", "type")
    flat = {name: value for name, value in record.items() if name not in aside}
    first = {name: flat.pop(name, None) for name in ("metric", "unit", "value", "session", "block")}
    return {**first, **flat, **_prefixed("params", record.get("params")), **_prefixed("config", record.get("config"))}


def _comparison_frame(site: Site, url: str) -> pandas.DataFrame:
    """The drawn values, each with what its record says of session, block, workload and configuration."""
    found, address = comparisons.read(site, url)
    drawn = list(_points(found))
    asked = {"archive": sorted({row["archive"] for row in drawn}), "metric": sorted({row["metric"] for row in drawn})}
    records = site.items("/measurements", {**asked, "limit": _PAGE}) if drawn else ()
    known = {tuple(str(record.get(name)) for name in _PLACE): _record_row(record) for record in records}
    rows = ({**known.get(tuple(str(row[name]) for name in _PLACE), {}), **row} for row in drawn)
    facts = {name: found.get(name) for name in ("workload", "design", "fixed", "unrecorded", "left_out", "method")}
    return _table(rows, url=address, flags=[flag.get("sentence") for flag in found.get("flags") or ()], **facts)


def _points(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for panel in found.get("panels") or ():
        for group in panel.get("groups") or ():
            place = {name: group.get(name) for name in ("metric", "x", "series", "facet", "claim")}
            for point in group.get("points") or ():
                file, _, line = str(point.get("file_line")).rpartition(":")
                archive = urlsplit(str(point.get("address"))).path.split("/archives/")[-1].split("/")[0]
                where = {"archive": int(archive) if archive.isdigit() else None, "file": file, "line": line}
                yield {**place, "unit": panel.get("unit"), "value": point.get("value"), **where, "raw": point.get("raw")}


def _permalink_frame(site: Site, name: str, digest: str) -> pandas.DataFrame:
    data = site.read(f"/p/{name}.json")
    found = hashlib.sha256(data).hexdigest()
    for said in filter(None, (digest.strip().lower(), json.loads(site.read(f"/p/{name}/history.json")).get("record"))):
        if said != found:
            raise PoolmarkError(f"The record of {name} has the SHA-256 {found}, not {said}: do not use it, and tell the operator.")
    record = json.loads(data)
    facts = {
        key: record.get(key) for key in ("title", "authors", "caption", "sentence", "method", "fixed", "frozen_at", "selection")
    }
    return _table(_frozen_rows(record), url=record.get("address"), sha256=found, **facts)


def _frozen_rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for panel in record["panels"]:
        for group in [*panel["groups"], *panel.get("empty", ())]:
            place = {name: group.get(name) for name in ("x", "series", "facet")}
            metric = group.get("metric") or panel["metrics"][0]
            for number in group.get("values", ()):
                yield {**place, **_frozen_row(record, record["values"][number], metric, panel["unit"])}
            for number in group.get("missing", ()):
                yield {**place, **_frozen_row(record, record["unmeasured"][number], metric, panel["unit"])}


def _frozen_row(record: Mapping[str, Any], value: Mapping[str, Any], metric: str, unit: str) -> dict[str, Any]:
    run = record["runs"][str(value["run"])]
    file = record["files"][str(run["file"])]
    workload = record["workloads"][str(value["workload"])]
    return {
        "metric": value.get("metric", metric),
        "unit": value.get("unit", unit),
        "value": value.get("value"),
        "measured": value.get("measured"),
        "session": run.get("session"),
        "block": (run.get("details") or {}).get("round"),
        **{name: workload.get(name) for name in ("tool", "tool_version", "stat", "origin")},
        **{name: value.get(name) for name in ("raw", "raw_unit", "reason", "bound", "side", "line", "run")},
        "file": file.get("path"),
        "archive": file.get("archive"),
        "machine": run.get("machine"),
        "started_at": run.get("started_at"),
        **_prefixed("params", workload.get("params")),
        **_prefixed("config", record["configurations"][str(run["configuration"])]),
    }


def _prefixed(kind: str, facts: Optional[Mapping[str, Any]]) -> dict[str, Any]:
    return {f"{kind}.{name}": value for name, value in (facts or {}).items()}


def _table(rows: Iterable[dict[str, Any]], **facts: Any) -> pandas.DataFrame:
    """The rows, facts about single values before those about workload and configuration."""
    try:
        import pandas
    except ImportError:
        raise UsageError("DataFrames need pandas: pip install 'poolmark[pandas]'.") from None
    every = list(rows)
    names = dict.fromkeys(name for row in every for name in row)
    first = ("metric", "unit", "value")
    columns = sorted(names, key=lambda name: (name not in first, name.startswith("params."), name.startswith("config.")))
    table = pandas.DataFrame(every, columns=columns)
    table.attrs = {**facts, "units": {row["metric"]: row["unit"] for row in every}}
    return table


def _number(text: str) -> int:
    if not text.lstrip("#").isdigit():
        raise UsageError(f"{text!r} is no archive: give its number or its address.")
    return int(text.lstrip("#"))
