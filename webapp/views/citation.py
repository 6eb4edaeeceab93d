"""How to cite a permalink, as a file that reference managers take."""
from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from webapp.formats.bib import to_bib
from webapp.freezing import plate
from webapp.models import Permalink


@require_safe
def bib(request, name):
    """BibTeX, with the address under which the reader has it."""
    frozen = get_object_or_404(Permalink, pk=name)
    told = plate.told(frozen.record)
    address = request.build_absolute_uri(reverse("permalink", args=[name]))
    return HttpResponse(to_bib(told, name, frozen.digest, address), content_type="application/x-bibtex; charset=utf-8",
                        headers={"Content-Disposition": f'inline; filename="poolmark-{name}.bib"'})
