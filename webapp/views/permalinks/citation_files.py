"""Citation files of a permalink or collection, made on request, and the evidence bundle, which is stored and immutable."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from webapp.formats.citations.work import CitedWork
from webapp.http.stored_bytes import bytes_response
from webapp.models import Collection, Permalink
from webapp.permalinks import citation, collections, history, record_figures
from webapp.permalinks.bundles import manifest, permalink_bundle
from webapp.permalinks.frozen_addresses import Origin, find_origin
from webapp.views.permalinks.permalink_page import file_response, immutable, missing_response

# The DOI of a permalink or collection, entered by its owner.


@login_required
@require_POST
def enter(request, name, of=Permalink):
    """Save the DOI for the page and its citations; an empty one removes it. Frozen files do not change."""
    frozen = get_object_or_404(of.objects.owned_by(request.user), pk=name)
    try:
        doi = citation.parse_doi(request.POST.get("doi", ""))
    except citation.InvalidDoi as wrong:
        messages.error(
            request, f"{str(wrong)[:80]} is not a DOI. A DOI begins with 10. and a number, then a slash: 10.5281/zenodo.12345."
        )
        return redirect(frozen)
    citation.save_doi(frozen.pk, doi, request.user)
    messages.success(request, f"The page and its citations show the DOI {doi} now." if doi else "The DOI was removed.")
    return redirect(frozen)


@require_safe
def bib(request, name):
    """BibTeX; with `?form=biblatex` BibLaTeX."""
    return cited(request, name, "citation.bib")


@require_safe
def cited(request, name, file):
    """A citation or deposit file of a permalink by name: as in its bundle, with the DOI, newer version and withdrawals since."""
    return cite(request, Permalink.objects.filter(pk=name).first(), name, file, "permalink")


@cache_control(public=True, no_cache=True)
def cite(request, frozen: Permalink | Collection | None, name: str, file: str, noun: str):
    """A citation file; `?form=biblatex` makes BibLaTeX of BibTeX. 404 for an unknown permalink, collection or file."""
    if file == "citation.bib" and request.GET.get("form") == "biblatex":
        file = "citation-biblatex.bib"
    if file not in permalink_bundle.CITATIONS:
        raise Http404("There is no such citation file.")
    if frozen is None:
        return missing_response(request, name, noun)
    digests, doi, describe = (
        manifest.read_digests(frozen),
        citation.read_doi(frozen.pk),
        partial(_describe_later, frozen, find_origin(request)),
    )
    made = permalink_bundle.make_citation(frozen, file, digests, doi, describe)
    saved = f"{frozen.pk}.bib" if file.endswith(".bib") else f"{frozen.pk}-{file}"
    sha256, disposition = hashlib.sha256(made.data).hexdigest(), f'inline; filename="poolmark-{saved}"'
    return bytes_response(request, made.data, made.media_type, sha256, disposition)


def _describe_later(frozen: Permalink | Collection, origin: Origin, work: CitedWork) -> CitedWork:
    """The work with withdrawals, and of a permalink versions; with a host where it was frozen without one."""
    if work.address.startswith("/"):
        work = replace(work, address=f"{origin.site}{work.address}", is_local=origin.is_local)
    if not isinstance(frozen, Permalink):
        record = record_figures.parse_record(frozen.record)
        return replace(work, withdrawn=collections.read_withdrawn(record, collections.read_records(record)))
    past = history.read_history(frozen, record_figures.parse_record(frozen.record))
    return history.describe_later(work, past, work.address.removesuffix(frozen.get_absolute_url()))


@immutable
def as_zip(request, frozen):
    """The evidence bundle."""
    return file_response(request, permalink_bundle.get_bundle(frozen), f"poolmark-{frozen.pk}.zip", attached=True)
