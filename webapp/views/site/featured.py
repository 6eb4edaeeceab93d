"""The featured figure of the home page: a comparison of a shipped study, or of all public data."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import parse_qsl

from django.contrib.auth.models import AnonymousUser

from webapp.comparison.compare import compare
from webapp.comparison.selection import parse, query_string
from webapp.pages.comparison_page import comparison_context
from webapp.pages.drawings import Drawing, make_drawings
from webapp.studies import registry


@dataclass(frozen=True, slots=True)
class Featured:
    """The featured comparison: title, query string, drawing, caption and caveats."""

    title: str
    query: str
    drawing: Drawing
    caption: str
    caveats: tuple[str, ...] = ()


def make_featured(public: Collection[str], version: int | None = None) -> Featured | None:
    """The featured figure from public data, the same for every reader. None where nothing is public.

    `public`: names of public studies. `version`: the data version, where the caller has read it.
    """
    links = [link for study in registry.shipped_studies().values() if study.name in public for link in study.comparisons]
    link = next((link for link in links if link.featured), links[0] if links else None)
    comparison = compare(parse(parse_qsl(link.query) if link else []), AnonymousUser(), version=version)
    drawings = make_drawings(comparison)
    if not drawings:
        return None
    page = comparison_context(comparison)
    caption = f"{page['counted']}; {page['method']}."
    return Featured(
        link.title if link else page["heading"],
        query_string(comparison.selection),
        drawings[0],
        caption,
        tuple(flag.sentence for flag in comparison.flags if flag.id == "caveat"),
    )
