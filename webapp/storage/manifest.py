"""What a `poolmark.toml` tells about the archive as a whole: title, authors, licence and the like."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ingest.records import Evidence
from webapp.storage.pg_copy import clean

_FIELDS = {"title": "title", "authors": "authors", "licence": "licence", "published_in": "published_in", "caveat": "caveat"}


def read_archive_fields(evidence: Iterable[Evidence]) -> dict[str, str | int]:
    """Fields of `Archive` from what is stated; of several manifests the one nearest to the top tells a key."""
    stated = [e for e in evidence if e.kind == "stated" and isinstance(e.value, str)]
    told: dict[str, str] = {}
    for e in sorted(stated, key=lambda e: (e.file.count("/"), e.file), reverse=True):
        told[e.key] = clean(e.value)
    fields: dict[str, str | int] = {field: told[key] for key, field in _FIELDS.items() if key in told}
    if "doi" in told and "published_in" not in fields:
        fields["published_in"] = f"doi:{told['doi'].removeprefix('doi:').removeprefix('https://doi.org/')}"
    if re.fullmatch(r"[12]\d{3}", told.get("year", "")):
        fields["year"] = int(told["year"])
    if re.fullmatch(r"[\w-]{1,50}", told.get("study", ""), re.ASCII):
        fields["study"] = told["study"]
    return fields
