"""A study as search engines and link previews read it."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterable, Sequence
from datetime import date

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from webapp.formats import jsonld
from webapp.formats.work import CitedWork, parse_authors
from webapp.models import Archive
from webapp.studies.page import MeasuredSystem
from webapp.studies.registry import Study


def study_picture(study: Study) -> str:
    """The path of a picture of its featured comparison, else of the first one; '' without any."""
    links = sorted(study.comparisons, key=lambda link: not link.featured)
    return f"{reverse('compare-png')}?{links[0].query}" if links else ""


def study_json_ld(
    study: Study,
    first: Archive,
    archives: Sequence[Archive],
    measured: Iterable[MeasuredSystem],
    make_address: Callable[[str], str],
) -> SafeString:
    """JSON-LD of the study and of the archives on its page. `make_address`: the address of a path on this site."""
    work = CitedWork(
        study.name,
        str(first),
        parse_authors(first.authors),
        date(first.year, 1, 1) if first.year else first.uploaded_at.date(),
        make_address(reverse("study", args=[study.name])),
        licence=first.licence,
        abstract=study.abstract or first.description,
        published_in=first.published_in,
        is_year_known=bool(first.year),
    )
    files = [
        (make_address(reverse("archive-download", args=[archive.pk])), _media_type(archive.name), str(archive))
        for archive in archives
    ]
    tools = sorted({tool for row in measured for tool in row.tools.split(", ") if tool})
    return mark_safe(jsonld.to_script_json(jsonld.study(work, files, tools)))  # noqa: S308 made of escaped parts


def _media_type(name: str) -> str:
    kind, encoding = mimetypes.guess_type(name)
    return f"application/{encoding}" if encoding else kind or "application/octet-stream"
