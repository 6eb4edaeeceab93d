"""The list of runs, and the page of a run: values with their raw texts, parameters and configuration."""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.http import Http404
from django.shortcuts import render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from ingest import keys
from ingest.options import is_option
from webapp.accounts import access
from webapp.comparison import omissions
from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN, percentile_position, value_label
from webapp.comparison.selection import parse, query_string
from webapp.comparison.sets.core_keys import CORE
from webapp.comparison.summary import reader
from webapp.comparison.summary.row import RowKey
from webapp.curves import drawing as curves
from webapp.curves import queries
from webapp.curves.address import CurveQuery
from webapp.drawing import plate
from webapp.files.addresses import line_address, place_address
from webapp.http.page_cache import conditional
from webapp.http.pagination import encode_page_token, paginate, size_of
from webapp.models import Archive, Configuration, Measurement, Run, TimeSeries, UnmeasuredValue
from webapp.pages import comparison_page, curves_page, partial_answers
from webapp.pages.card_page import list_standings
from webapp.pages.listing import Column, FacetKey, ListView, attribute
from webapp.scorecard.sides import read_side
from webapp.storage import derived_facts, series
from webapp.systems import disagreements, run_list
from webapp.systems.describe import configuration_heading, describe_configuration, describe_state, format_value
from webapp.views.archives.withdrawal_form import mark_withdrawn
from webapp.views.curves.curve_page import find_run

_ID = re.compile(r"[0-9]{1,17}")
_LIST = ListView(
    columns=(
        Column("run", "Run", lambda row: row.pk, falls=True),
        Column("tool", "Tool", lambda row: (row.tool.casefold(), row.version or "")),
        Column("place", "Place", lambda row: (row.archive, row.path, row.pk)),
        Column("configuration", "Configuration", lambda row: row.configuration),
        Column("started", "Started", lambda row: row.started or None, falls=True),
        Column("measurements", "Measurements", lambda row: row.measurements, number=True, falls=True),
    ),
    facets=(
        FacetKey("tool", "Tool", attribute("tool_name")),
        FacetKey("host", "Host", attribute("host")),
        FacetKey("os", "Operating system", attribute("os")),
        FacetKey("fs", "File system", attribute("fs")),
        FacetKey("compression", "Compression", attribute("compression")),
        FacetKey("in", "Archive", attribute("archive_name")),
    ),
    usual_sort="-run",
    size=100,
    text=run_list.searched_text,
)


@require_safe
@conditional
def runs(request):
    """Runs that the reader may see, the newest first; those of `archive` and on `configuration` alone where they are named.

    Raises Http404 where there is no such archive or configuration for the reader.
    """
    query = _LIST.parse(request.GET, ("archive", "configuration"))
    kept = dict(query.kept)
    readable = Archive.objects.readable_by(request.user)
    archive = _named(readable, kept["archive"], "archive") if "archive" in kept else None
    chosen = Run.objects.filter(archive=archive) if archive else Run.objects.filter(archive__in=readable)
    configuration = None
    if "configuration" in kept:
        configuration = _named(Configuration.objects.all(), kept["configuration"], "configuration")
        chosen = chosen.on(configuration)
    every = run_list.read_runs(chosen)
    if configuration and not every:
        raise Http404("No archive that you can see was measured on this configuration.")
    shown = _LIST.show(query, every)
    hidden = {"configuration" if configuration else "", "started" if not any(row.started for row in shown.found) else ""}
    headings = run_list.name_configurations(shown.page.rows) if configuration is None else {}
    limit = run_list.MAX_LISTED if len(every) == run_list.MAX_LISTED else 0
    facts = shown.context([name for name in shown.heads if name not in hidden], limit) | {
        "runs": [
            (row, line_address(row.archive, row.path, row.line), headings.get(row.configuration, "")) for row in shown.page.rows
        ],
        "hidden": hidden,
        "archive": archive,
        "configuration": configuration,
        "heading": configuration_heading(configuration) if configuration else "",
        "example": next((f"{row.tool} {row.fs}" for row in every if row.fs), ""),
    }
    return render(request, "runs/runs.html", facts)


def _named(rows, text: str, what: str):
    """The row with this id. Raises Http404 where there is none."""
    row = rows.filter(pk=int(text)).first() if _ID.fullmatch(text) else None
    if row is None:
        raise Http404(f"There is no such {what}, or it is not public.")
    return row


_FEW_POINTS = 200_000  # of the series of the picture
_SHOWN = 30  # values, and values that could not be measured
_SERIES = 20
_MOST = 1000  # values that are read


@require_safe
@conditional
def run(request, pk):
    run = find_run(request, pk)
    beside = series.for_run(run)
    shown = curves_page.list_series(beside[: size_of(request.GET, "series", _SERIES)], run.pk)
    run.archive.others = access.is_shown_as_staff(request.user, run.archive)
    every, further = paginate(
        Measurement.objects.of(run).select_related("metric", "workload"),
        request.GET.get("after"),
        ("id",),
        size=_MOST,
        rising=True,
    )
    values = every[: size_of(request.GET, "after", _SHOWN)]
    further = encode_page_token([values[-1].pk]) if len(values) < len(every) else further
    unmeasured = UnmeasuredValue.objects.filter(run=run).select_related("metric", "workload")
    asked = request.GET.get("missing")
    missing, missing_further = paginate(unmeasured, asked, ("id",), size_of(request.GET, "missing", _SHOWN), rising=True)
    shared = shared_params(every)
    mark_withdrawn(every, run.archive, run.file.path)
    only: dict[RowKey, list[float]] = {}
    for value in every:
        if value.counted and not value.withdrawn:
            only.setdefault((value.metric.name, run.configuration_id, value.workload_id), []).append(value.value)
    for value in (*values, *missing):
        value.address = line_address(run.archive_id, run.file.path, value.line)
    for value in values:
        value.own = own_params(value, shared)
    is_shown = only and access.may_compare(request.user, run.archive)
    side = read_side(f"configuration:{run.configuration_id}", request.user, request.data_version) if is_shown else None
    return render(
        request,
        "runs/run.html",
        {
            **(list_standings(side, only) if side else {}),
            "run": run,
            "archive": run.archive,
            "frozen_title": f"{run.tool} at {run.file.path}:{run.first_line}",
            "own": access.owns(request.user, run.archive),
            "values": values,
            "further": further,
            "has_percentiles": len({name for v in every if percentile_position(name := v.workload.stat) is not None}) > 1,
            "ranks": list(run.compressed_values.select_related("metric").defer("data").order_by("pk")) if run.rank_values else [],
            "series": shown,
            "curve": draw_first(run, beside),
            "more_series": len(beside) - len(shown),
            "asks_series": request.GET.get("series") is None,
            "missing": missing,
            "missing_further": missing_further,
            "address": line_address(run.archive_id, run.file.path, run.first_line),
            "params": [(*describe_param(name, value), *_place_of_param(run, name)) for name, value in sorted(shared.items())],
            "details": [(name, value, *_place_of_param(run, name)) for name, value in sorted(run.details.items())],
            "derived": list_derived_facts(run),
            "parts": disagreements.add_disagreements(
                [*describe_configuration(run.configuration, run), *describe_state(run)], run.archive
            ),
        },
    )


@require_safe
@conditional
def in_figure(request, pk):
    """Whether the figure of a query has the run where its archive is drawn beside the others; if not, why."""
    run = find_run(request, pk)
    asked = parse([(key, value) for key, values in request.GET.lists() for value in values])
    if run.archive_id not in (*asked.archives, *asked.overlay):
        asked = asked.changed(overlay=(*asked.overlay, run.archive_id))
    made = partial_answers.make_answer(asked, request.user, lambda comparison: comparison, request.data_version, None)
    drawn = {point.id: group for group in made.all_groups for point in group.points}
    values = Measurement.objects.of(run).filter(metric__name__in=made.selection.metrics).select_related("metric", "workload")
    values = list(values.order_by("id")[:_MOST])
    mark_withdrawn(values, run.archive, run.file.path)
    of_configuration, of_workload = reader.read_texts([run.configuration_id], {value.workload_id for value in values})
    of_run = of_configuration[run.configuration_id]
    own = {**of_run.open, **of_run}
    fixed = [(name, text) for name, text in made.fixed if name in CORE or own.get(name, UNKNOWN) != UNKNOWN]
    settings, workload = omissions.list_other_values(own, fixed, made.selection.axes), dict(made.workload)
    for value in values:
        texts, value.group = of_workload[value.workload_id], drawn.get(value.pk)
        value.others = omissions.list_other_values(texts, made.workload, made.selection.axes)
        value.kind = texts["aggregate"] if texts["aggregate"] != workload.get("aggregate") else ""
    page = {
        "run": run,
        "values": values,
        "settings": settings,
        "heading": comparison_page.describe_heading(made),
        "query": query_string(made.selection),
    }
    alone = query_string(made.selection.changed(x="", series="", overlay=(), archives=(run.archive_id,)))
    return render(request, "runs/in_figure.html", page | {"alone": alone, "nothing": not made.panels, "flags": made.flags})


def draw_first(run: Run, beside: Sequence[TimeSeries]) -> str:
    """The first curve of the run as SVG; empty where there is none, or reading it would hold the page up."""
    if not beside:
        return ""
    source = queries.read_source([run], {run.pk: beside})
    drawn = curves.draw(CurveQuery(runs=(run.pk,)), source, _FEW_POINTS)
    if not drawn.figures:
        return ""
    figure = drawn.figures[0]
    return mark_safe(plate.draw_inline(figure, curves_page.summarise(figure), "curve", 760.0))  # noqa: S308 made of escaped parts


def list_derived_facts(run: Run) -> list[tuple[derived_facts.DerivedFact, str]]:
    """The derived facts, each with the address of its source line, '' where it follows from other facts."""
    return [(fact, place_address(run.archive_id, fact.place)) for fact in derived_facts.list_facts(run.derived)]


def shared_params(values: list[Measurement]) -> dict[str, object]:
    """The workload parameters equal in all values."""
    if not values:
        return {}
    return {
        name: value
        for name, value in values[0].workload.params.items()
        if all(v.workload.params.get(name) == value for v in values)
    }


def _place_of_param(run: Run, name: str) -> tuple[str, str]:
    """Where a parameter stands that is not beside its values, and the address of that; '' and '' for others."""
    place = run.config_from.get(name, "")
    return place, place_address(run.archive_id, place)


def own_params(value: Measurement, shared: dict[str, object]) -> list[tuple[str, str]]:
    """The value's parameters and details that are not shared, as (label, text)."""
    own = {name: v for name, v in value.workload.params.items() if name not in shared} | (value.details or {})
    return [describe_param(name, v)[1:] for name, v in sorted(own.items())]


def describe_param(name: str, value: object) -> tuple[str, str, str]:
    """(name, label, text) of a parameter."""
    param = keys.PARAMS.get(name)
    if is_option(name):
        return name, name, value_label(DIMENSIONS[name], str(value))
    return name, param.label if param else name, format_value(param.type if param else keys.TEXT, value)
