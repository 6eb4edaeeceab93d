"""A collection: its page with the figures in order, its record, its citations and its bundle."""

from __future__ import annotations

from functools import partial

from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.accounts import access
from webapp.http.page_cache import conditional
from webapp.models import Collection
from webapp.permalinks import collection_figures, dois, plate
from webapp.permalinks.bundles import collection_bundle, manifest
from webapp.permalinks.citation import cite_collection
from webapp.views.permalinks import citation, page

CITED = (
    (".bib", "citation.bib", "collection-bib"),
    (".ris", "citation.ris", "collection-ris"),
    (".csl", "citation.csl.json", "collection-csl"),
    ("/datacite.xml", "datacite.xml", "collection-datacite"),
    ("/zenodo.json", "zenodo.json", "collection-zenodo"),
)
"""Ending of the address, citation file, URL name."""
immutable = partial(page.immutable, model=Collection, place="/c/", noun="collection")


@require_safe
@conditional
def collection(request, name):
    """The figures in order, drawn from their records, with the changes since; one citation."""
    found = Collection.objects.filter(pk=name).first()
    if found is None:
        return page.missing_response(request, name, "collection")
    record = plate.parse_record(found.record)
    address = request.build_absolute_uri(request.path)
    records = collection_figures.read_records(record)
    withdrawn, style = collection_figures.read_withdrawn(record, records), page.asked_style(request)
    cited = cite_collection(record, found.digest, address, dois.read_doi(found.pk), withdrawn, style)
    answer = render(
        request,
        "collection/collection.html",
        {
            "frozen": found,
            "told": record,
            "figures": collection_figures.draw_figures(record, records),
            "address": address,
            "path": request.path,
            "cited": cited,
            "digests": manifest.read_digests(found),
            "own": access.owns(request.user, found),
        },
    )
    answer.headers["Link"] = cited.links
    return answer


@immutable
def as_json(request, frozen):
    """Exactly the frozen bytes."""
    return page.record_response(request, frozen)


@immutable
def as_zip(request, frozen):
    """The bundle of the collection."""
    return page.file_response(request, collection_bundle.get_bundle(frozen), f"poolmark-{frozen.pk}.zip", attached=True)


@require_safe
def cited(request, name, file):
    """A citation or deposit file by its name; `?form=biblatex` makes BibLaTeX of BibTeX."""
    return citation.cite(request, Collection.objects.filter(pk=name).first(), name, file, "collection")
