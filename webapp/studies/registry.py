"""The shipped studies as fixtures/studies.toml describes them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

ACROSS = "across"


@dataclass(frozen=True, slots=True)
class StudyLink:
    """A comparison: its heading, the query string of the comparison page, and a sentence.

    `featured`: drawn on the front page.
    """

    title: str
    query: str
    says: str = ""
    featured: bool = False


@dataclass(frozen=True, slots=True)
class Study:
    """`left_out`: parts of the source that are missing, each with the reason."""

    name: str
    abstract: str
    comparisons: tuple[StudyLink, ...]
    left_out: tuple[str, ...] = ()


@cache
def _load() -> dict:
    path = Path(settings.BASE_DIR, "fixtures", "studies.toml")
    return tomllib.loads(path.read_text()) if path.exists() else {}


@cache
def shipped_studies() -> dict[str, Study]:
    """Studies by name, in the order of the file; KeyError or TypeError where the file is wrong."""
    return {
        name: Study(name, study["abstract"], _links(study.get("comparisons", ())), tuple(study.get("left_out", ())))
        for name, study in _load().items()
        if name != ACROSS
    }


@cache
def comparisons_across() -> tuple[StudyLink, ...]:
    """Comparisons among the runs of all studies."""
    return _links(_load().get(ACROSS, ()))


def _links(tables) -> tuple[StudyLink, ...]:
    return tuple(StudyLink(**link) for link in tables)


def find_study(name: str) -> Study:
    """A shipped study; for any other name, one with a single comparison of everything in it."""
    return shipped_studies().get(name) or Study(name, "", (StudyLink("Everything in it", f"study={name}"),))
