"""DOIs that owners entered for permalinks and collections. The latest applies; frozen files never contain one."""

from __future__ import annotations

import re

from django.db import transaction

from webapp.models import Doi
from webapp.storage.write_lock import lock_writes

_SHAPE = re.compile(r"10\.\d{4,9}(?:\.\d+)*/[!-~]+", re.ASCII)
_BEFORE = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.I)
MAX_LENGTH = 200


class InvalidDoi(ValueError):
    """The text is not a DOI."""


def parse_doi(typed: str) -> str:
    """The bare DOI, without a `doi:` or `https://doi.org/` prefix; '' for an empty text. Raises InvalidDoi."""
    text = _BEFORE.sub("", typed.strip(), count=1)
    if text and (len(text) > MAX_LENGTH or not _SHAPE.fullmatch(text) or any(sign in text for sign in '<>"{}|\\^`')):
        raise InvalidDoi(typed)
    return text


def read_doi(name: str) -> str:
    """The current DOI of a permalink or collection, '' without one. One query."""
    return Doi.objects.filter(of=name).order_by("-pk").values_list("doi", flat=True).first() or ""


def save_doi(name: str, doi: str, user) -> None:
    """Set the DOI of a permalink or collection ('' removes it). Takes the write lock: cached pages become stale."""
    with transaction.atomic():
        lock_writes()
        Doi.objects.create(of=name, doi=doi, entered_by=user)
