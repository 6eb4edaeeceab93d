"""The DOI of a permalink or collection, entered by its owner."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from webapp.models import Permalink
from webapp.permalinks import dois


@login_required
@require_POST
def enter(request, name, of=Permalink):
    """Save the DOI for the page and its citations; an empty one removes it. Frozen files do not change."""
    frozen = get_object_or_404(of.objects.owned_by(request.user), pk=name)
    try:
        doi = dois.parse_doi(request.POST.get("doi", ""))
    except dois.InvalidDoi as wrong:
        messages.error(
            request, f"{str(wrong)[:80]} is not a DOI. A DOI begins with 10. and a number, then a slash: 10.5281/zenodo.12345."
        )
        return redirect(frozen)
    dois.save_doi(frozen.pk, doi, request.user)
    messages.success(request, f"The page and its citations show the DOI {doi} now." if doi else "The DOI was removed.")
    return redirect(frozen)
