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

    `featured`: drawn on the front page. `finding`: what one learns from it, for the front page; empty where nothing stands there.
    """

    title: str
    query: str
    says: str = ""
    featured: bool = False
    finding: str = ""


@dataclass(frozen=True, slots=True)
class Study:
    """`left_out`: parts of the source that are missing, each with the reason. `concludes`: what may be concluded, and what not.
    `front_page`: whether front pages may draw it.
    """

    name: str
    abstract: str
    comparisons: tuple[StudyLink, ...]
    left_out: tuple[str, ...] = ()
    concludes: tuple[str, ...] = ()
    front_page: bool = True


@cache
def _load() -> dict:
    path = Path(settings.BASE_DIR, "fixtures", "studies.toml")
    return tomllib.loads(path.read_text()) if path.exists() else {}


@cache
def shipped_studies() -> dict[str, Study]:
    """Studies by name, in the order of the file; KeyError or TypeError where the file is wrong."""
    return {
        name: Study(
            name,
            study["abstract"],
            _links(study.get("comparisons", ())),
            tuple(study.get("left_out", ())),
            tuple(study.get("concludes", ())),
            study.get("front_page", True),
        )
        for name, study in _load().items()
        if name != ACROSS
    }


def front_page_studies() -> dict[str, Study]:
    """The shipped studies that front pages may draw, in the order of the file."""
    return {name: study for name, study in shipped_studies().items() if study.front_page}


@cache
def comparisons_across() -> tuple[StudyLink, ...]:
    """Comparisons among the runs of all studies."""
    return _links(_load().get(ACROSS, ()))


def _links(tables) -> tuple[StudyLink, ...]:
    return tuple(StudyLink(**link) for link in tables)


def find_study(name: str) -> Study:
    """A shipped study; for any other name, one with a single comparison of everything in it."""
    return shipped_studies().get(name) or Study(name, "", (StudyLink("Everything in it", f"study={name}"),))
