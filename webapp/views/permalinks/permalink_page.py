"""Views of a permalink: the page with the frozen record and the changes since, and its immutable data files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import wraps
from urllib.parse import parse_qsl

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from webapp.accounts import access
from webapp.comparison.selection import parse, query_string
from webapp.formats.citations.work import is_local
from webapp.http import isolation
from webapp.http.page_cache import conditional
from webapp.http.pagination import paginate_rows
from webapp.http.stored_bytes import bytes_response
from webapp.models import Permalink, Rendering
from webapp.permalinks import (
    changes,
    citation,
    figure_form,
    frozen_addresses,
    history,
    record_figures,
    rendering,
    sources,
    stored_files,
)
from webapp.permalinks.bundles import manifest, permalink_bundle, verify
from webapp.permalinks.citation import cite_permalink

# How many files of a permalink are made: drawings and data, then the bundle.


@dataclass(frozen=True, slots=True)
class FileProgress:
    """Files made and files to make; the digests, of which the bundle's is known when all are made."""

    done: int
    total: int
    digests: manifest.Digests


def read_progress(permalink: Permalink) -> FileProgress:
    """The progress of a permalink's files."""
    digests = manifest.read_digests(permalink)
    expected = {*rendering.RENDERED_FILES, "data.csv", verify.WORKBOOK, manifest.BUNDLE}
    done = len(expected) if digests.bundle else len(expected & set(stored_files.list_names(permalink.pk)))
    return FileProgress(done, len(expected), digests)


_DIFFERENCES = 200
"""Changed values on one page."""


@require_safe
@conditional
def permalink(request, name):
    frozen = Permalink.objects.filter(pk=name).first()
    if frozen is None:
        return missing_response(request, name)
    record = record_figures.parse_record(frozen.record)
    changed = isolation.run_isolated(
        "changes", name, lambda: changes.find_changes(record), lambda: changes.Changes([], set(), len(record["values"]))
    )
    differences, further = paginate_rows(
        changed.values, request.GET.get("differences"), lambda change: (change.number,), _DIFFERENCES
    )
    address = request.build_absolute_uri(request.path)
    past = history.read_history(frozen, record)
    cited = cite_permalink(record, frozen.digest, address, citation.read_doi(frozen.pk), past)
    drawings = isolation.run_isolated(
        "drawings", name, lambda: record_figures.draw_record(record, changed.linked, f"/p/{name}.svg"), lambda: None
    )
    page = {
        "frozen": frozen,
        "told": record,
        "drawings": drawings or [],
        "note": isolation.FAILURE_NOTE if drawings is None else "",
        "changed": changed,
        "differences": differences,
        "differences_further": further,
        "differences_after": "differences" in request.GET,
        "sentence": isolation.run_isolated("sentence", name, lambda: record_figures.sentence_of(record), lambda: ""),
        "comparison": {"selection": record["method"], "drawn": record["method"]},
        "address": address,
        "cited": cited,
        "history": past,
        "local": frozen_addresses.LOCAL_FROZEN if is_local(record) else "",
        "files": read_progress(frozen),
        "source_files": [(file["path"], swhid) for file in record["files"].values() if (swhid := sources.swhid_of(record, file))],
        "path": request.path,
        "own": access.owns(request.user, frozen),
        "paper": isolation.run_isolated("captions", name, lambda: figure_form.paper_of(frozen, record), lambda: None),
        "listed": Permalink.objects.listed().filter(pk=name).exists(),
    }
    answer = render(request, "permalink/permalink.html", page)
    if not page["files"].digests.bundle:
        answer.headers["ETag"] = f'"drawn-{page["files"].done}"'  # the page changes without a new data version
    return answer


@require_safe
@cache_control(private=True, no_store=True)
def files(request, name):
    """The part of the page with digests, or with the number of files drawn so far."""
    frozen = Permalink.objects.filter(pk=name).first()
    if frozen is None:
        return missing_response(request, name)
    return render(request, "permalink/_digests.html", {"frozen": frozen, "files": read_progress(frozen)})


def missing_response(request, name, noun: str = "permalink"):
    """The address in lower case for a name in capitals, in which IDs are printed, too. Else a 404 page that distinguishes a
    mistyped name (wrong check character) from an unused one."""
    if name != name.lower() and frozen_addresses.is_valid_name(name.lower()):
        return redirect(request.get_full_path().replace(name, name.lower(), 1))
    page = {"name": name, "mistyped": not frozen_addresses.is_valid_name(name), "noun": noun}
    return render(request, "permalink/missing.html", page, status=404)


def immutable(view, model=Permalink, noun: str = "permalink"):
    """Decorator: immutable caching for a view of a frozen row; a missing row is an uncached 404."""
    cached = cache_control(public=True, max_age=365 * 24 * 3600, immutable=True)(view)

    @require_safe
    @wraps(view)
    def page(request, name, **rest):
        frozen = model.objects.filter(pk=name).first()
        if frozen is None:
            return missing_response(request, name, noun)
        return cached(request, frozen, **rest)

    return page


@immutable
def as_json(request, frozen):
    """The frozen record."""
    return record_response(request, frozen)


@immutable
def as_csv(request, frozen):
    """CSV with a row for every frozen repetition."""
    return file_response(request, permalink_bundle.get_data_csv(frozen), f"poolmark-{frozen.pk}.csv")


@immutable
def as_xlsx(request, frozen):
    """The workbook with groups, values and codes."""
    return file_response(request, permalink_bundle.get_workbook(frozen), f"poolmark-{frozen.pk}.xlsx", attached=True)


def file_response(request, file: Rendering, filename: str = "", attached: bool = False) -> HttpResponse:
    """A response with a stored file; `filename`: suggested name for saving."""
    disposition = f'{"attachment" if attached else "inline"}; filename="{filename or file.name}"'
    return bytes_response(request, bytes(file.data), file.media_type, file.sha256, disposition)


def record_response(request, frozen) -> HttpResponse:
    """A response with the frozen record."""
    disposition = f'inline; filename="poolmark-{frozen.pk}.json"'
    return bytes_response(request, bytes(frozen.record), "application/json", frozen.digest, disposition)


# A frozen comparison opened as a live one, with overlays of the reader's archives.


@require_safe
@cache_control(private=True, no_cache=True)
def live(request, name):
    """Redirect to the comparison page with the frozen selection and the `overlay=ARCHIVE` parameters of this address.

    The comparison page checks access to the archives.
    """
    frozen = Permalink.objects.filter(pk=name).first()
    if frozen is None:
        return missing_response(request, name)
    record = json.loads(bytes(frozen.record))
    if record["kind"] == "versus":
        return redirect(f"{reverse('versus')}?{record['selection']}")
    selection = parse(parse_qsl(record["selection"]))
    added = parse([("overlay", value) for value in request.GET.getlist("overlay")])
    overlay = tuple(sorted({*selection.overlay, *added.overlay}))
    return redirect(f"{reverse('compare')}?{query_string(selection.changed(overlay=overlay))}")
