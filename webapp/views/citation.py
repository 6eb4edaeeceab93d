"""How to cite a permalink, and its evidence, as files that are kept with it: the same bytes for ever."""
from __future__ import annotations

from django.http import Http404

from webapp.freezing import bundle
from webapp.views.permalink import immutable, sent


@immutable
def bib(request, frozen):
    """BibTeX; with `?form=biblatex` BibLaTeX."""
    name = "citation-biblatex.bib" if request.GET.get("form") == "biblatex" else "citation.bib"
    return sent(bundle.citation(frozen, name), f"poolmark-{frozen.pk}.bib")


@immutable
def cited(request, frozen, file):
    """Another citation or deposit file by its name."""
    if file not in bundle.CITATIONS:
        raise Http404("There is no such citation file.")
    return sent(bundle.citation(frozen, file), f"poolmark-{frozen.pk}-{file}")


@immutable
def as_zip(request, frozen):
    """The evidence bundle."""
    return sent(bundle.kept(frozen), f"poolmark-{frozen.pk}.zip", attached=True)
