"""A collection: its page with the figures in order, its record, its citations and its bundle."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from webapp.accounts import access
from webapp.http.page_cache import conditional
from webapp.http.pagination import paginate
from webapp.jobs.tasks import bundle_collection
from webapp.models import Collection, Permalink
from webapp.permalinks import citation, collections, frozen_addresses, record_figures
from webapp.permalinks.bundles import collection_bundle, manifest
from webapp.permalinks.citation import cite_collection
from webapp.permalinks.frozen_addresses import find_origin
from webapp.views.permalinks import files, permalink_page

# The collection editor: the user's permalinks, and a draft kept in the session until frozen. Works without JavaScript.

_DRAFT = "collection"
_LONGEST = 2000
"""Characters of a caption."""
_LISTED = 100


@never_cache
@login_required
@require_safe
def own(request):
    """The user's permalinks, newest first, to add to the draft; and the user's collections."""
    links, older = paginate(
        Permalink.objects.owned_by(request.user).defer("record"), request.GET.get("before"), ("frozen_at", "id"), size=_LISTED
    )
    made, older_made = paginate(
        Collection.objects.owned_by(request.user).defer("record"),
        request.GET.get("collections"),
        ("frozen_at", "id"),
        size=_LISTED,
    )
    return render(
        request,
        "collection/own.html",
        {
            "links": links,
            "older": older,
            "collections": made,
            "older_collections": older_made,
            "chosen": {figure["id"] for figure in _draft(request)["figures"]},
        },
    )


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request):
    """The draft. Every button first saves the form's texts."""
    draft = _draft(request)
    if request.method != "POST":
        links = Permalink.objects.defer("record").in_bulk([figure["id"] for figure in draft["figures"]])
        figures = [{**figure, "link": links[figure["id"]]} for figure in draft["figures"] if figure["id"] in links]
        return render(request, "collection/new.html", {"draft": draft, "figures": figures, "most": collections.MAX_FIGURES})
    _keep(request, draft)
    do, _, name = request.POST.get("do", "").partition(":")
    if do == "freeze":
        return _freeze(request, draft)
    for typed in request.POST.getlist("add"):
        _add(request, draft, typed)
    _move(draft["figures"], do, name)
    request.session[_DRAFT] = draft
    return redirect(f"{request.path}#figure-{name}" if do in ("up", "down") else request.path)


def _draft(request) -> dict:
    return request.session.get(_DRAFT) or {"title": "", "authors": "", "figures": []}


def _keep(request, draft: dict) -> None:
    draft.update({key: request.POST[key].strip()[:300] for key in ("title", "authors") if key in request.POST})
    captions = dict(zip(request.POST.getlist("figure"), request.POST.getlist("caption"), strict=False))
    for figure in draft["figures"]:
        figure["caption"] = captions.get(figure["id"], figure["caption"]).strip()[:_LONGEST]


def _add(request, draft: dict, typed: str) -> None:
    name = collections.parse_permalink_name(typed)
    if not name or any(figure["id"] == name for figure in draft["figures"]):
        return
    if not Permalink.objects.filter(pk=name).exists():
        wrong = (
            "is mistyped: its last character does not match the others"
            if not frozen_addresses.is_valid_name(name)
            else "is a well-formed name, but nothing has been frozen under it here"
        )
        messages.error(request, f"{name[:40]} {wrong}.")
    elif len(draft["figures"]) >= collections.MAX_FIGURES:
        messages.error(request, f"A collection holds at most {collections.MAX_FIGURES} figures.")
    else:
        draft["figures"].append({"id": name, "caption": ""})


def _move(figures: list[dict], do: str, name: str) -> None:
    index = next((index for index, figure in enumerate(figures) if figure["id"] == name), None)
    if index is None:
        return
    if do == "out":
        del figures[index]
    elif do == "up" and index > 0:
        figures[index - 1 : index + 1] = figures[index], figures[index - 1]
    elif do == "down" and index + 1 < len(figures):
        figures[index : index + 2] = figures[index + 1], figures[index]


def _freeze(request, draft: dict):
    chosen = [collections.ChosenPermalink(figure["id"], figure["caption"]) for figure in draft["figures"]]
    try:
        record = collections.build_collection_record(draft["title"], draft["authors"], chosen, find_origin(request).site)
    except collections.NothingChosen:
        messages.error(request, "A collection needs a figure: add a permalink first.")
        return redirect("collection-new")
    frozen = collections.freeze_collection(record, request.user, find_origin(request))
    request.session.pop(_DRAFT, None)
    transaction.on_commit(lambda: bundle_collection.delay(frozen.pk), robust=True)
    return redirect(frozen)


CITED = (
    (".bib", "citation.bib", "collection-bib"),
    (".ris", "citation.ris", "collection-ris"),
    (".csl", "citation.csl.json", "collection-csl"),
    ("/datacite.xml", "datacite.xml", "collection-datacite"),
    ("/zenodo.json", "zenodo.json", "collection-zenodo"),
)
"""Ending of the address, citation file, URL name."""
immutable = partial(permalink_page.immutable, model=Collection, noun="collection")


@require_safe
@conditional
def collection(request, name):
    """The figures in order, drawn from their records, with the changes since; one citation."""
    found = Collection.objects.filter(pk=name).first()
    if found is None:
        return permalink_page.missing_response(request, name, "collection")
    record = record_figures.parse_record(found.record)
    address = request.build_absolute_uri(request.path)
    records = collections.read_records(record)
    withdrawn = collections.read_withdrawn(record, records)
    cited = cite_collection(record, found.digest, address, citation.read_doi(found.pk), withdrawn)
    return render(
        request,
        "collection/collection.html",
        {
            "frozen": found,
            "told": record,
            "figures": collections.draw_figures(record, records),
            "address": address,
            "path": request.path,
            "cited": cited,
            "digests": manifest.read_digests(found),
            "own": access.owns(request.user, found),
        },
    )


@immutable
def as_json(request, frozen):
    """Exactly the frozen bytes."""
    return permalink_page.record_response(request, frozen)


@immutable
def as_zip(request, frozen):
    """The bundle of the collection."""
    return permalink_page.file_response(request, collection_bundle.get_bundle(frozen), f"poolmark-{frozen.pk}.zip", attached=True)


@require_safe
def cited(request, name, file):
    """A citation or deposit file by its name; `?form=biblatex` makes BibLaTeX of BibTeX."""
    return files.cite(request, Collection.objects.filter(pk=name).first(), name, file, "collection")
