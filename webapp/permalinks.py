"""Freeze and thaw: selection, data and statistics -> bytes that never change, and back to a comparison to draw."""
from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from django.db import IntegrityError, connection, transaction

from ingest.keys import KEYS
from webapp import ids, statistics
from webapp.comparing import compare
from webapp.comparison import Comparison, Flag, Group, Panel, Point, Verdict
from webapp.conditional import data_version
from webapp.formats.canonical import canonical
from webapp.models import Archive, Configuration, Permalink, Workload
from webapp.rawtext import line_address
from webapp.selection import Selection, parse, query_of

VERSION = 1


@dataclass(slots=True)
class Draft:
    """What would be frozen. `private`: titles of the reader's own unpublished archives whose values are in it."""

    content: dict[str, Any]
    values: int
    private: list[str]


def draft(selection: Selection, viewer, title: str, authors: str) -> Draft:
    """The record of the comparison as the reader sees it now, without name and date."""
    comparison = compare(selection, viewer, exact=True)
    points = [point.id for group in comparison.groups for point in group.points]
    provenance = _provenance(points)
    if len(provenance) < len(points):
        # An archive was read again between the two queries; what stands now is whole.
        return draft(selection, viewer, title, authors)
    archives = {row["archive"] for row in provenance.values()}
    about = Archive.objects.in_bulk(archives)
    content = {
        "version": VERSION, "statistics_version": statistics.VERSION, "title": title, "authors": authors,
        "selection": query_of(comparison.selection), "data_version": data_version(), "method": comparison.method,
        "runs": comparison.runs, "configurations_count": comparison.configurations,
        "flags": [[flag.id, flag.sentence] for flag in comparison.flags if flag.id != "not-understood"],
        "archives": {str(pk): {"title": str(a), "authors": a.authors, "licence": a.licence, "sha256": a.sha256}
                     for pk, a in about.items()},
        "configurations": _configurations({row["configuration"] for row in provenance.values()}),
        "workloads": _workloads({row["workload"] for row in provenance.values()}),
        "panels": [_panel(panel, provenance) for panel in comparison.panels],
    }
    return Draft(content, len(points), sorted(str(a) for a in about.values() if not a.is_public))


_PROVENANCE = """
SELECT m.id, r.archive_id, f.path, f.sha256, m.line, m.raw, m.raw_unit, m.native, r.configuration_id, m.workload_id,
       r.started_at
FROM webapp_measurement m JOIN webapp_run r ON r.id = m.run_id JOIN webapp_file f ON f.id = r.file_id
WHERE m.id = ANY(%s)
"""


def _provenance(points: list[int]) -> dict[int, dict]:
    names = ("archive", "file", "file_sha256", "line", "raw", "raw_unit", "native", "configuration", "workload",
             "started_at")
    with connection.cursor() as cursor:
        cursor.execute(_PROVENANCE, [points])
        return {row[0]: dict(zip(names, row[1:], strict=True)) for row in cursor.fetchall()}


def _configurations(wanted: set[int]) -> dict[str, dict]:
    found = Configuration.objects.in_bulk(wanted)
    return {str(pk): {key.name: getattr(c, key.column) for key in KEYS.values() if getattr(c, key.column) is not None}
            for pk, c in found.items()}


def _workloads(wanted: set[int]) -> dict[str, dict]:
    return {str(pk): {"tool": w.tool, "tool_version": w.tool_version, "stat": w.stat, "origin": w.origin,
                      "params": w.params} for pk, w in Workload.objects.in_bulk(wanted).items()}


def _panel(panel: Panel, provenance: dict[int, dict]) -> dict:
    return {"title": panel.title, "metrics": list(panel.metrics), "unit": panel.unit, "better": panel.better,
            "xs": panel.xs, "series": panel.series, "baseline": panel.baseline,
            "groups": [_group(group, provenance) for group in panel.groups]}


def _group(group: Group, provenance: dict[int, dict]) -> dict:
    return {"x": group.x, "series": group.series, "facet": group.facet, "metric": group.metric, "runs": group.runs,
            "configurations": group.configurations, "center": group.center, "low": group.low, "high": group.high,
            "interval": group.interval, "rough": group.rough,
            "verdict": asdict(group.verdict) if group.verdict else None,
            "points": [{"value": point.value, "id": point.id, **provenance[point.id]} for point in group.points]}


def freeze(made: Draft, owner) -> Permalink:
    """The permalink of the draft: the owner's existing one of the same content, else a new one."""
    content = hashlib.sha256(canonical(made.content)).hexdigest()
    known = Permalink.objects.filter(owner=owner, content=content).first()
    if known is not None:
        return known
    now = datetime.now(UTC).replace(microsecond=0)
    while True:
        name = ids.new()
        record = canonical({**made.content, "id": name, "frozen_at": now.isoformat()})
        try:
            with transaction.atomic():
                return Permalink.objects.create(
                    id=name, digest=hashlib.sha256(record).hexdigest(), record=record, content=content,
                    title=made.content["title"], owner=owner, frozen_at=now)
        except IntegrityError:
            # Either the name is taken, or the same person froze the same at the same moment.
            known = Permalink.objects.filter(owner=owner, content=content).first()
            if known is not None:
                return known


def thaw(record: bytes, linked: Collection[int] = ()) -> tuple[dict, Comparison]:
    """The frozen record and the comparison that it draws. Lines are linked into archives in `linked` only."""
    told = json.loads(bytes(record))
    selection = parse(parse_qsl(told["selection"]))
    panels = [Panel(p["title"], tuple(p["metrics"]), p["unit"], p["better"], p["xs"], p["series"],
                    [_thawed(g, linked) for g in p["groups"]], p.get("baseline", "")) for p in told["panels"]]
    return told, Comparison(selection, panels, [Flag(*flag) for flag in told["flags"]], [], [], [], [], [], told["runs"],
                            told["configurations_count"], told["method"])


def _thawed(group: dict, linked: Collection[int]) -> Group:
    points = [Point(p["value"], p["id"], p["configuration"],
                    line_address(p["archive"], p["file"], p["line"]) if p["archive"] in linked else "",
                    f"{p['file']}:{p['line']}", f"{p['raw']} {p['raw_unit']}".strip()) for p in group["points"]]
    verdict = group.get("verdict")
    return Group(group["x"], group["series"], group["facet"], group["metric"], group["runs"], group["configurations"],
                 group["center"], group["low"], group["high"], group["interval"], points, group["rough"],
                 verdict=Verdict(**verdict) if verdict else None)


@dataclass(frozen=True, slots=True)
class Change:
    """What has become of an archive that the permalink rests on."""

    title: str
    sentence: str
    reason: str = ""


def changes(told: dict) -> tuple[list[Change], set[int]]:
    """What has changed since, and the archives whose lines can still be seen by everybody."""
    found = Archive.objects.in_bulk([int(pk) for pk in told["archives"]])
    out, linked = [], set()
    for pk, about in sorted(told["archives"].items(), key=lambda item: int(item[0])):
        archive = found.get(int(pk))
        if archive is None:
            out.append(Change(about["title"], "has been deleted since"))
        elif archive.withdrawn_at:
            out.append(Change(about["title"], f"was withdrawn on {archive.withdrawn_at:%-d %B %Y}",
                              archive.withdrawn_reason))
            linked.add(archive.pk)
        elif archive.published_at is None:
            out.append(Change(about["title"], "is not public; only the frozen values are"))
        else:
            linked.add(archive.pk)
    return out, linked
