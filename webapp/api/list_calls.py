"""What measurements are about: runs, configurations, systems, studies, metrics, and the sets that can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.urls import reverse
from ninja import Router

from ingest.catalogue import METRICS
from webapp.api.answers import versioned
from webapp.api.cursors import Cursor, Limit, list_page, list_rows
from webapp.api.questions import filters, read_passing, read_selection
from webapp.api.record_calls import Listed, read_kept_blocks
from webapp.comparison.compared_set import list_sets
from webapp.comparison.rows import filter_rows
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, WORKLOAD_INDEX, Columns
from webapp.formats.tables import set_data
from webapp.http.page_cache import VersionedRequest
from webapp.models import Archive, Configuration, Measurement, Run
from webapp.studies import queries, registry
from webapp.systems import system_index
from webapp.systems.describe import configuration_heading

router = Router(tags=["records"])


def _count(columns: Columns, line: int) -> dict[int, int]:
    """The number of values of each configuration or workload, by id."""
    ids, where = np.unique(columns.ids(line), return_inverse=True)
    return dict(zip(ids.tolist(), np.bincount(where, columns.n, len(ids)).astype(int).tolist(), strict=True))


@router.get("runs", response=Listed, summary="Runs, the newest first", openapi_extra=filters())
@versioned
def runs(request: VersionedRequest, cursor: str | None = Cursor, limit: int = Limit):
    """Runs with a value that passes the filters, in archives that the reader may see."""
    _, passing = read_passing(request)
    values = Measurement.objects.filter(
        id__gte=OuterRef("first_measurement"),
        id__lt=OuterRef("first_measurement") + OuterRef("measurements"),
        workload__in=list(_count(passing, WORKLOAD_INDEX)),
        metric__name__in=[name for name, n in passing.total_by_metric().items() if n],
        counted=True,
    )
    found = Run.objects.filter(
        Exists(values), archive__in=_readable(request), configuration__in=list(_count(passing, CONFIGURATION_INDEX))
    )
    page = list_page(request, found.select_related("file"), ("id",), lambda run: run, (cursor, limit))
    blocks = read_kept_blocks({run.archive_id for run in page["items"]})
    return page | {"items": [_run(request, run, blocks[run.archive_id].get(run.pk)) for run in page["items"]]}


def _readable(request: HttpRequest):
    """The archives that the reader may see, of those that the query names."""
    asked, readable = read_selection(request.GET), Archive.objects.readable_by(request.user)
    return readable.filter(pk__in=[pk for pk in asked.archives if pk < 2**63]) if asked.archives else readable


def _run(request: HttpRequest, run: Run, block: str | None) -> dict[str, Any]:
    line = int(run.first_line) if run.first_line.isdecimal() else run.first_line
    return {
        "id": run.pk,
        "url": request.build_absolute_uri(reverse("run", args=[run.pk])),
        "archive": run.archive_id,
        "file": run.file.path,
        "line": line,
        "tool": run.tool,
        "tool_version": run.tool_version,
        "configuration": run.configuration_id,
        "session": run.session_id or -run.archive_id,
        "block": block,
        "started_at": run.started_at,
        "measurements": run.measurements,
    }


@router.get("configurations", response=Listed, summary="Configurations, the newest first", openapi_extra=filters())
@versioned
def configurations(request: VersionedRequest, cursor: str | None = Cursor, limit: int = Limit):
    """Configurations with values that pass the filters; `config` has every known key, sizes in bytes."""
    counts = _count(read_passing(request)[1], CONFIGURATION_INDEX)
    found = Configuration.objects.filter(pk__in=list(counts)).select_related("open")
    return list_page(request, found, ("id",), lambda one: _configuration(request, one, counts[one.pk]), (cursor, limit))


def _configuration(request: HttpRequest, one: Configuration, n: int) -> dict[str, Any]:
    return {
        "id": one.pk,
        "url": request.build_absolute_uri(reverse("configuration", args=[one.pk])),
        "name": configuration_heading(one),
        "system": one.system_id,
        "machine": one.machine_id,
        "config": one.known,
        "measurements": n,
    }


@router.get("systems", response=Listed, summary="Systems", openapi_extra=filters())
@versioned
def systems(request: VersionedRequest, cursor: str | None = Cursor, limit: int = Limit):
    """Hardware with values that pass the filters, as `/systems.json` has it."""
    _, passing = read_passing(request)
    named = set(passing.distinct("system"))
    every = system_index.read_systems(request.data_version, Archive.objects.scopes_of(request.user))
    found = sorted((row for row in every if named & {str(pk) for pk in row.ids}), key=lambda row: row.pk)
    return list_rows(request, found, lambda row: (row.pk,), lambda row: _system(request, row), (cursor, limit))


def _system(request: HttpRequest, row: system_index.ListedSystem) -> dict[str, Any]:
    record = system_index.system_record(row)
    return {"id": record.pop("id"), "url": request.build_absolute_uri(reverse("system", args=[row.pk])), **record}


@router.get("studies", response=Listed, summary="Published studies")
@versioned
def studies(request: VersionedRequest, cursor: str | None = Cursor, limit: int = Limit):
    """Each with its first archive and its comparisons, which are queries of /compare."""
    shipped = registry.shipped_studies()
    firsts = [*queries.read_first_archives(shipped).values(), *queries.read_archives_after("", shipped, _MOST_STUDIES)]
    found = sorted(firsts, key=lambda archive: archive.study)
    return list_rows(request, found, lambda one: (one.study,), lambda one: _study(request, one), (cursor, limit))


_MOST_STUDIES = 10_000


def _study(request: HttpRequest, first: Archive) -> dict[str, Any]:
    about = registry.find_study(first.study)
    return {
        "name": first.study,
        "url": request.build_absolute_uri(reverse("study", args=[first.study])),
        "title": str(first),
        "abstract": about.abstract or first.description,
        "archive": first.pk,
        "comparisons": [{"title": one.title, "query": one.query} for one in about.comparisons],
    }


@router.get("metrics", response=Listed, summary="Metrics", openapi_extra=filters())
@versioned
def metrics(request: VersionedRequest, cursor: str | None = Cursor, limit: int = Limit):
    """Metrics of the catalogue with values that pass the filters."""
    counts = read_passing(request)[1].total_by_metric()
    found = [name for name in sorted(counts) if counts[name] and name in METRICS]
    return list_rows(request, found, lambda name: (name,), lambda name: _metric(name, counts[name]), (cursor, limit))


def _metric(name: str, n: int) -> dict[str, Any]:
    metric = METRICS[name]
    return {"name": name, "label": metric.label, "unit": metric.unit, "better": metric.better, "measurements": n}


@router.get("sets", response=Listed, summary="What can be compared", openapi_extra=filters())
@versioned
def sets(request: VersionedRequest, cursor: str | None = Cursor, limit: int = Limit):
    """Sets of runs that differ along one axis; each `query` is one of /compare."""
    source, _ = read_passing(request)
    asked = read_selection(request.GET)
    asked = asked.changed(metrics=asked.metrics or tuple(source.most_measured()))
    found = sorted(list_sets(asked, filter_rows(source, asked).passing), key=lambda one: one.query)
    return list_rows(request, found, lambda one: (one.query,), set_data, (cursor, limit))
