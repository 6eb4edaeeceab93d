"""What is cited: a permalink, a collection or an archive as one plain thing, of which every citation format is made."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

PUBLISHER = "Poolmark"
UNTITLED_COLLECTION = "Frozen figures of storage benchmarks"
UNTITLED = "Frozen comparison of storage benchmarks"
LICENCES = {
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "cc-by-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "cc-by-sa-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "cc-by-nc-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
    "cc-by-3.0": "https://creativecommons.org/licenses/by/3.0/",
    "cc-by-sa-3.0": "https://creativecommons.org/licenses/by-sa/3.0/",
    "odbl-1.0": "https://opendatacommons.org/licenses/odbl/1-0/",
    "odc-by-1.0": "https://opendatacommons.org/licenses/by/1-0/",
    "pddl-1.0": "https://opendatacommons.org/licenses/pddl/1-0/",
    "apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
    "mit": "https://opensource.org/license/mit",
}
_ORCID = re.compile(r"\s*[(\[]?\s*(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\s*[)\]]?\s*")
_BODIES = re.compile(
    r"(?i:\b(?:universit\w*|universidad\w*|hochschule|college|school|institut\w*|academy|laborator\w*|labs?|cent(?:er|re)|cluster"
    r"|cent(?:ro|rum)|zentrum|rechenzentrum|department|faculty|ministry|agency|council|foundation|society|consortium|association"
    r"|initiative|alliance|group|gruppe|team|project|developers|contributors|community|company|corporation|corp|inc|incorporated"
    r"|gmbh|ltd|llc|plc|technologies|systems|computing|software)\b)|\b(?:AG|SE|KG|NV|BV|SA|TU|ETH|MIT|HPC)\b"
)
"""Words of bodies' names: they are not turned. Any other body stands in braces, as in BibTeX: `{Norges Bank}`."""
_PARTICLES = {"van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le", "ten", "ter", "zu", "zur"}


@dataclass(frozen=True, slots=True)
class Person:
    """An author. An organisation has only `family`. `orcid` as 0000-0002-1825-0097, where it was typed."""

    family: str
    given: str = ""
    orcid: str = ""

    @property
    def turned(self) -> str:
        """`Rae, Ann`"""
        return f"{self.family}, {self.given}" if self.given else self.family

    @property
    def straight(self) -> str:
        """`Ann Rae`"""
        return f"{self.given} {self.family}".strip()

    @property
    def initials(self) -> str:
        """`A. B.`"""
        return " ".join("-".join(f"{part[0]}." for part in name.split("-") if part) for name in self.given.split())


@dataclass(frozen=True, slots=True)
class CitedWork:
    """`key` names it in bibliographies, `day` is when it was frozen or published; `based_on` what it rests on,
    `parts` the permalinks of a collection."""

    key: str
    title: str
    authors: tuple[Person, ...]
    day: date
    address: str
    digest: str = ""
    doi: str = ""
    licence: str = ""
    abstract: str = ""
    published_in: str = ""
    based_on: tuple[CitedWork, ...] = field(default=())
    parts: tuple[CitedWork, ...] = field(default=())

    @property
    def best_address(self) -> str:
        """The DOI's address where there is one."""
        return f"https://doi.org/{self.doi}" if self.doi else self.address


_WITHOUT = r"(?![^{}]*\})"  # not within braces
_SEMICOLON, _COMMA = re.compile(rf";{_WITHOUT}"), re.compile(rf",{_WITHOUT}")
_AND = re.compile(rf"\s(?:and|&)\s{_WITHOUT}")
_LISTED = re.compile(rf",\s*(?:and\s+|&\s*)?{_WITHOUT}|\s+(?:and|&)\s+{_WITHOUT}")


def parse_authors(text: str) -> tuple[Person, ...]:
    """People as typed: `Ann Rae; Bo Li`, `Rae, Ann; Li, Bo`, `Ann Rae, Bo Li and Cy Day`; an ORCID may follow a name.
    A body's name stays as it is: `TU Wien`, or any in braces, `{Rae, Li and Sons}`."""
    if _SEMICOLON.search(text):
        names = _SEMICOLON.split(text)
    elif _AND.search(text):
        names = _LISTED.split(text)
    elif text.count(",") == 1 and all(part.strip() and " " not in part.strip() for part in text.split(",")):
        names = [text]
    else:
        names = _COMMA.split(text)
    return tuple(_person(name.strip()) for name in names if name.strip())


def _person(text: str) -> Person:
    found = _ORCID.search(text)
    orcid, name = (found[1], (text[: found.start()] + " " + text[found.end() :]).strip()) if found else ("", text)
    if "," in name and "(" not in name and not name.startswith("{"):
        family, given = (part.strip() for part in name.split(",", 1))
        return Person(family, given, orcid)
    if name.startswith("{") and name.endswith("}"):
        return Person(name[1:-1].strip(), "", orcid)
    words = name.split()
    described = words[0] in ("A", "An") and words[1:2] and words[1].islower() and words[1] not in _PARTICLES
    if len(words) < 2 or words[0] == "The" or described or "(" in name or _BODIES.search(name):
        return Person(name, "", orcid)
    at = next((at for at, word in enumerate(words[1:-1], 1) if word.lower() in _PARTICLES and word.islower()), len(words) - 1)
    return Person(" ".join(words[at:]), " ".join(words[:at]), orcid)


def licence_address(licence: str) -> str:
    """The address of a licence as typed: itself, that of a known name (`CC BY 4.0`, `CC-BY-4.0`), or ''."""
    typed = licence.strip()
    if re.fullmatch(r"https?://\S+", typed):
        return typed
    return LICENCES.get(re.sub(r"[\s_]+", "-", typed.lower()), "")


def work_of_permalink(told: Mapping[str, Any], digest: str, doi: str = "") -> CitedWork:
    """The frozen record (of a permalink) as a thing to cite."""
    archives = tuple(work_of_archive(about, told["frozen_at"]) for _, about in sorted(told["archives"].items()))
    return CitedWork(
        f"poolmark-{told['id']}",
        told["title"] or UNTITLED,
        parse_authors(told["authors"]),
        date.fromisoformat(told["frozen_at"][:10]),
        told["address"],
        digest,
        doi,
        common_licence(archives),
        told["caption"],
        based_on=archives,
    )


def work_of_collection(told: Mapping[str, Any], digest: str, doi: str = "") -> CitedWork:
    """The frozen record of a collection as a thing to cite: one work, whose parts are its figures."""
    day = date.fromisoformat(told["frozen_at"][:10])
    archives = tuple(work_of_archive(about, told["frozen_at"]) for about in told["archives"])
    parts = tuple(
        CitedWork(
            f"poolmark-{one['id']}",
            one["title"] or UNTITLED,
            parse_authors(one["authors"]),
            date.fromisoformat(one["frozen_at"][:10]),
            one["address"],
            one["digest"],
        )
        for one in told["figures"]
    )
    return CitedWork(
        f"poolmark-{told['id']}",
        told["title"] or UNTITLED_COLLECTION,
        parse_authors(told["authors"]),
        day,
        told["address"],
        digest,
        doi,
        common_licence(archives),
        told["caption"],
        based_on=archives,
        parts=parts,
    )


def work_of_record(told: Mapping[str, Any], digest: str, doi: str = "") -> CitedWork:
    """A frozen record of either kind as a thing to cite."""
    return (work_of_permalink if "values" in told else work_of_collection)(told, digest, doi)


def work_of_archive(about: Mapping[str, Any], day: str) -> CitedWork:
    """An underlying archive, as the record names it; its day is that of its year where that is told."""
    when = date(about["year"], 1, 1) if about.get("year") else date.fromisoformat(day[:10])
    return CitedWork(
        f"archive-{about['sha256'][:12]}",
        about["title"],
        parse_authors(about["authors"]),
        when,
        about.get("address", ""),
        about["sha256"],
        about.get("doi", ""),
        about["licence"],
        published_in=about["published_in"],
    )


def common_licence(works: Sequence[CitedWork]) -> str:
    """The licence of what rests on these: theirs, where all have the same; else none is claimed."""
    licences = {work.licence for work in works}
    return licences.pop() if len(licences) == 1 else ""
