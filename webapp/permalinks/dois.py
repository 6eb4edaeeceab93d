"""DOIs that owners entered for what they froze. The latest holds; frozen files never show one."""

from __future__ import annotations

import re

from django.db import transaction

from webapp.models import Doi
from webapp.storage.write_lock import lock_writes

_SHAPE = re.compile(r"10\.\d{4,9}(?:\.\d+)*/[!-~]+", re.ASCII)
_BEFORE = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.I)
MAX_LENGTH = 200


class InvalidDoi(ValueError):
    """What was typed is no DOI."""


def parse_doi(typed: str) -> str:
    """`10.5281/zenodo.12345` of that, of `doi:10...` and of `https://doi.org/10...`; '' of nothing. Raises NoDoi."""
    text = _BEFORE.sub("", typed.strip(), count=1)
    if text and (len(text) > MAX_LENGTH or not _SHAPE.fullmatch(text) or any(sign in text for sign in '<>"{}|\\^`')):
        raise InvalidDoi(typed)
    return text


def read_doi(of: str) -> str:
    """The DOI that holds, '' where there is none. One query."""
    return Doi.objects.filter(of=of).order_by("-pk").values_list("doi", flat=True).first() or ""


def save_doi(of: str, doi: str, by) -> None:
    """Let a DOI hold from now on ('': none). Pages that show it are others then."""
    with transaction.atomic():
        lock_writes()
        Doi.objects.create(of=of, doi=doi, entered_by=by)
