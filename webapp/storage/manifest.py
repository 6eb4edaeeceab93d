"""What a `poolmark.toml` states about the archive as a whole: title, authors, licence and the like."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ingest.records import Evidence
from webapp.storage.pg_copy import replace_unstorable

_FIELDS = {"title": "title", "authors": "authors", "licence": "licence", "published_in": "published_in", "caveat": "caveat"}


def read_archive_fields(evidence: Iterable[Evidence]) -> dict[str, str | int]:
    """Fields of `Archive` by the stated evidence; of several manifests, the one nearest to the root wins for each key."""
    stated = [e for e in evidence if e.kind == "stated" and isinstance(e.value, str)]
    values: dict[str, str] = {}
    for e in sorted(stated, key=lambda e: (e.file.count("/"), e.file), reverse=True):
        values[e.key] = replace_unstorable(e.value)
    fields: dict[str, str | int] = {field: values[key] for key, field in _FIELDS.items() if key in values}
    if "doi" in values and "published_in" not in fields:
        fields["published_in"] = f"doi:{values['doi'].removeprefix('doi:').removeprefix('https://doi.org/')}"
    if re.fullmatch(r"[12]\d{3}", values.get("year", "")):
        fields["year"] = int(values["year"])
    if re.fullmatch(r"[\w-]{1,50}", values.get("study", ""), re.ASCII):
        fields["study"] = values["study"]
    return fields
