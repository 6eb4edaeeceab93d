"""Citation files and the evidence bundle of a permalink: stored files, immutable."""

from __future__ import annotations

from django.http import Http404

from webapp.permalinks.bundles import permalink_bundle
from webapp.views.permalinks.page import file_response, immutable


@immutable
def bib(request, frozen):
    """BibTeX; with `?form=biblatex` BibLaTeX."""
    name = "citation-biblatex.bib" if request.GET.get("form") == "biblatex" else "citation.bib"
    return file_response(permalink_bundle.get_citation(frozen, name), f"poolmark-{frozen.pk}.bib")


@immutable
def cited(request, frozen, file):
    """A citation or deposit file by name."""
    if file not in permalink_bundle.CITATIONS:
        raise Http404("There is no such citation file.")
    return file_response(permalink_bundle.get_citation(frozen, file), f"poolmark-{frozen.pk}-{file}")


@immutable
def as_zip(request, frozen):
    """The evidence bundle."""
    return file_response(permalink_bundle.get_bundle(frozen), f"poolmark-{frozen.pk}.zip", attached=True)
