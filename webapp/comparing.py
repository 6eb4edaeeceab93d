"""Selection and reader -> Comparison. Reads the summary joined with its dimensions, never the table of measurements."""
from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from math import fsum
from statistics import fmean

from django.db import connection

from ingest.catalogue import METRICS
from ingest.keys import KEYS
from webapp import explaining, grouping, judging, matching, summaries, workloads
from webapp.axes import UNKNOWN, texts_of_configuration, texts_of_workload
from webapp.comparison import Comparison, Group, Panel, Point, Row
from webapp.models import Archive
from webapp.models.summary import PUBLIC
from webapp.rawtext import place_address
from webapp.selection import METRIC, Selection
from webapp.summaries import Fold

USUAL_METRICS = ("write.throughput", "read.throughput", "copy.elapsed")
USUAL_AXES = ("compression", "os", "fs", "cpu", "layout", "tool", "host")
_COLUMNS = [key.column for key in KEYS.values()]
MOST_LINKED = 3000


def scopes_of(selection: Selection, viewer) -> list[int]:
    """The scopes of the summary that the reader's selection concerns."""
    seen = Archive.objects.visible_to(viewer).filter(withdrawn_at=None)
    if selection.archives or selection.studies:
        chosen = seen.filter(pk__in=selection.archives) | seen.filter(study__in=selection.studies).exclude(study="")
        return sorted(set(chosen.values_list("pk", flat=True)))
    own = []
    if viewer.is_authenticated:
        own = list(seen.filter(owner=viewer, published_at=None).values_list("pk", flat=True))
    return [PUBLIC, *own]


_METRICS = """
SELECT m.name, sum(s.n)::bigint FROM webapp_summary s JOIN webapp_metricname m ON m.id = s.metric_id
WHERE s.scope = ANY(%s) GROUP BY m.name
"""
_DIMENSIONS = f"""
SELECT m.name, s.configuration_id, s.workload_id, s.n, w.tool, w.tool_version, w.stat, w.origin, w.params, c.system_id,
       {', '.join(f'c.{column}' for column in _COLUMNS)}
FROM webapp_summary s
JOIN webapp_metricname m ON m.id = s.metric_id
JOIN webapp_configuration c ON c.id = s.configuration_id
JOIN webapp_workload w ON w.id = s.workload_id
WHERE s.scope = ANY(%s) AND m.name = ANY(%s)
"""
_NAMES = ("tool", "tool_version", "stat", "origin", "params", "system_id", *_COLUMNS)
_VALUES = """
SELECT m.name, s.configuration_id, s.workload_id, s.n, s.mean, s.m2, s.low, s.high, s.values, s.ids, s.histogram
FROM unnest(%s::text[], %s::bigint[], %s::bigint[]) AS k(metric, configuration, workload)
JOIN webapp_metricname m ON m.name = k.metric
JOIN webapp_summary s ON s.metric_id = m.id AND s.configuration_id = k.configuration AND s.workload_id = k.workload
WHERE s.scope = ANY(%s)
"""


def compare(selection: Selection, viewer, exact: bool = False) -> Comparison:
    """The comparison that the reader may see. With `exact` every value is read, however many there are."""
    scopes = scopes_of(selection, viewer)
    available = _metrics(scopes)
    asked = with_metric(selection, available)
    rows = _rows(scopes, asked.metrics)
    passing = [row for row in rows if explaining.passes(asked, row)]
    selection = with_axes(asked, passing)
    shown = workloads.drawn(selection, passing)
    matched = _filled(matching.held(selection, shown.rows), scopes)
    if exact:
        _fill_exactly([row for row in matched if row.histogram], scopes)
    kept = grouping.normalised(selection, matched)
    drawn = grouping.panels(selection, kept)
    judging.judge(selection, drawn)
    groups = [group for panel in drawn for group in panel.groups]
    _link(groups)
    steps = explaining.Steps(rows, passing, shown, matched, kept, _caveats(groups))
    return Comparison(
        selection, drawn, explaining.flags(selection, steps, groups), matching.differing(selection, kept),
        explaining.facets(selection, rows),
        workloads.listed(selection, passing, shown),
        [(name, metric.label, available.get(name, 0), name in selection.metrics)
         for name, metric in METRICS.items() if name in available or name in selection.metrics],
        sum(group.runs for group in groups), len({row.configuration for row in kept}),
        _method(selection, drawn, groups))


def _method(selection: Selection, panels: Sequence[Panel], groups: Sequence[Group]) -> str:
    if not groups:
        return ""
    return "; ".join(part for part in (grouping.method(selection, groups), judging.sentence(panels)) if part)


def with_metric(selection: Selection, available: dict[str, int]) -> Selection:
    """A selection without a metric gets one that has values."""
    if not selection.metrics and available:
        usual = next((name for name in USUAL_METRICS if name in available), None)
        selection = selection.changed(metrics=(usual or max(sorted(available), key=available.__getitem__),))
    if len(selection.metrics) > 1 and not selection.series:
        selection = selection.changed(series=METRIC)
    return selection


def with_axes(selection: Selection, rows: Sequence[Row]) -> Selection:
    """One without axes is drawn per the first of the usual dimensions that has two known values."""
    if selection.x or selection.series not in ("", METRIC):
        return selection
    telling = (x for x in USUAL_AXES if len({row.texts[x] for row in rows} - {UNKNOWN}) > 1)
    return selection.changed(x=next(telling, USUAL_AXES[0]))


def _metrics(scopes: Sequence[int]) -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(_METRICS, [list(scopes)])
        return dict(cursor.fetchall())


def _rows(scopes: Sequence[int], metrics: Sequence[str]) -> list[Row]:
    """One row per metric, configuration and workload, with dimensions and counts, without values."""
    found: dict[tuple[str, int, int], Row] = {}
    of_configuration: dict[int, dict[str, str]] = {}
    of_workload: dict[int, dict[str, str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_DIMENSIONS, [list(scopes), list(metrics)])
        for name, configuration, workload, n, *dims in cursor.fetchall():
            key = (name, configuration, workload)
            if key in found:
                found[key].n += n
                continue
            columns = dict(zip(_NAMES, dims, strict=True), id=configuration)
            if configuration not in of_configuration:
                of_configuration[configuration] = texts_of_configuration(columns)
            if workload not in of_workload:
                of_workload[workload] = texts_of_workload(columns, _read(columns["params"]))
            found[key] = Row(name, configuration, workload, n, of_configuration[configuration] | of_workload[workload])
    return list(found.values())


def _read(value: str | dict) -> dict:
    """A JSON column as the cursor gives it, which depends on who set up the connection."""
    return json.loads(value) if isinstance(value, str) else value


def _filled(rows: Sequence[Row], scopes: Sequence[int]) -> list[Row]:
    """The rows with their values; those of several scopes are put together. What has gone meanwhile is left out."""
    if not rows:
        return []
    folds: dict[tuple[str, int, int], Fold] = {}
    with connection.cursor() as cursor:
        keys = [(row.metric, row.configuration, row.workload) for row in rows]
        cursor.execute(_VALUES, [*([key[i] for key in keys] for i in range(3)), list(scopes)])
        for name, configuration, workload, *facts, histogram in cursor.fetchall():
            key, fold = (name, configuration, workload), Fold(*facts, _read(histogram) if histogram else None)
            folds[key] = summaries.merge(folds[key], fold) if key in folds else fold
    kept = [(row, folds[key]) for row, key in zip(rows, keys, strict=True) if key in folds]
    for row, fold in kept:
        row.n, row.mean, row.m2, row.low, row.high = fold.n, fold.mean, fold.m2, fold.low, fold.high
        row.values, row.ids, row.histogram = fold.values, fold.ids, fold.histogram
    return [row for row, _ in kept]


_EVERY = """
SELECT m.value, m.id FROM webapp_run r JOIN webapp_archive a ON a.id = r.archive_id
JOIN webapp_measurement m ON m.run_id = r.id AND m.metric_id = (SELECT id FROM webapp_metricname WHERE name = %s)
WHERE r.configuration_id = %s AND m.workload_id = %s AND m.counted
  AND (a.id = ANY(%s) OR (%s AND a.published_at IS NOT NULL AND a.withdrawn_at IS NULL)) ORDER BY m.id
"""


def _fill_exactly(rows: Sequence[Row], scopes: Sequence[int]) -> None:
    """Every value of rows that the summary holds only as a histogram."""
    with connection.cursor() as cursor:
        for row in rows:
            cursor.execute(_EVERY, [row.metric, row.configuration, row.workload, list(scopes), PUBLIC in scopes])
            found = cursor.fetchall()
            row.values, row.ids = [value for value, _ in found], [at for _, at in found]
            row.n, row.histogram = len(found), None
            row.mean = fmean(row.values)
            row.m2 = fsum((value - row.mean) ** 2 for value in row.values)


_PLACES = """
SELECT m.id, r.archive_id, f.path, m.line, m.raw, m.raw_unit
FROM webapp_measurement m JOIN webapp_run r ON r.id = m.run_id JOIN webapp_file f ON f.id = r.file_id
WHERE m.id = ANY(%s)
"""


def _link(groups: Iterable) -> None:
    """The line behind every shown value, in one query; of very many values only the first of each group."""
    points: list[Point] = [point for group in groups for point in group.points]
    if len(points) > MOST_LINKED:
        points = [group.points[0] for group in groups if group.points]
    by_id = {point.id: point for point in points}
    if not by_id:
        return
    with connection.cursor() as cursor:
        cursor.execute(_PLACES, [list(by_id)])
        for at, archive, path, line, raw, raw_unit in cursor.fetchall():
            point = by_id[at]
            point.place = f"{path}:{line}"
            point.address = place_address(archive, point.place)
            point.raw = f"{raw} {raw_unit}".strip()


_CAVEATS = """
SELECT DISTINCT a.title, a.name, a.caveat FROM webapp_measurement m JOIN webapp_run r ON r.id = m.run_id
JOIN webapp_archive a ON a.id = r.archive_id WHERE m.id = ANY(%s) AND a.caveat <> '' ORDER BY 1, 2
"""


def _caveats(groups: Iterable[Group]) -> list[tuple[str, str]]:
    """(title, caveat) of the archives that the shown values come from."""
    ids = [point.id for group in groups for point in group.points]
    if not ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_CAVEATS, [ids])
        return [(title or name, caveat) for title, name, caveat in cursor.fetchall()]
