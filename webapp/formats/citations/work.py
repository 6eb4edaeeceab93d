"""The citable work: a permalink, a collection or an archive as input of every citation format."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

PUBLISHER = "Poolmark"
UNDRAWN_NOTE = "Cited before its files were drawn: the digest is that of the record alone"
LOCAL_NOTE = "Local instance, not a public address"
UNTITLED_COLLECTION = "Frozen figures of storage benchmarks"
UNTITLED = "Frozen comparison of storage benchmarks"
_ORCID = re.compile(r"\s*[(\[]?\s*(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\s*[)\]]?\s*")
_ORGANISATION = re.compile(
    r"(?i:\b(?:universit\w*|universidad\w*|hochschule|college|school|institut\w*|academy|laborator\w*|labs?|cent(?:er|re)|cluster"
    r"|cent(?:ro|rum)|zentrum|rechenzentrum|department|faculty|ministry|agency|council|foundation|society|consortium|association"
    r"|initiative|alliance|group|gruppe|team|project|developers|contributors|community|company|corporation|corp|inc|incorporated"
    r"|gmbh|ltd|llc|plc|technologies|systems|computing|software)\b)|\b(?:AG|SE|KG|NV|BV|SA|TU|ETH|MIT|HPC)\b"
)
"""Words in names of organisations, which are not inverted. Other organisations need braces, as in BibTeX: `{Norges Bank}`."""
_PARTICLES = {"van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le", "ten", "ter", "zu", "zur"}


@dataclass(frozen=True, slots=True)
class Person:
    """An author. An organisation has only `family`. `orcid` is as 0000-0002-1825-0097, or ''."""

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


@dataclass(frozen=True, slots=True)
class CitedWork:
    """A citable work. `key`: bibliography key; `day`: of freezing or publication; `based_on`: underlying archives;
    `parts`: permalinks of a collection; `digest`: the SHA-256 that citations print, of what `covers` names; `record_digest`:
    that of the record."""

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
    spdx: str | None = None
    """SPDX identifier, '' for a licence without; None of records frozen before identifiers were, whose files never change."""
    record_digest: str = ""
    covers: str = "record"
    is_local: bool = False
    """Frozen on an instance without a public address: citations say so."""
    is_drawn: bool = True
    """Whether its files are made. Until then the digest is the record's, and citations say so."""
    is_year_known: bool = True
    """Whether `day` holds at least the year in which it was published."""
    edition: int = 1
    older: str = ""
    newer: str = ""
    withdrawn: str = ""
    """What is known only later: which version of a permalink it is, the addresses of the versions beside it, and a sentence
    where sources have been withdrawn. Never in a frozen file."""

    @property
    def version(self) -> str:
        """The first twelve characters of the record's digest."""
        return (self.record_digest or self.digest)[:12]

    @property
    def history_address(self) -> str:
        """Where it stands what became of its sources: a collection's own page says it for each figure."""
        return self.address if self.parts else f"{self.address}/history"

    @property
    def digest_label(self) -> str:
        """`SHA-256 of the evidence bundle`"""
        return f"SHA-256 of the {self.covers}"

    @property
    def best_address(self) -> str:
        """The DOI's address, without a DOI `address`."""
        return f"https://doi.org/{self.doi}" if self.doi else self.address


_OUTSIDE_BRACES = r"(?![^{}]*\})"  # not within braces
_SEMICOLON, _COMMA = re.compile(rf";{_OUTSIDE_BRACES}"), re.compile(rf",{_OUTSIDE_BRACES}")
_AND = re.compile(rf"\s(?:and|&)\s{_OUTSIDE_BRACES}")
_LIST_SEPARATOR = re.compile(rf",\s*(?:and\s+|&\s*)?{_OUTSIDE_BRACES}|\s+(?:and|&)\s+{_OUTSIDE_BRACES}")


def parse_authors(text: str) -> tuple[Person, ...]:
    """Authors in user input: `Ann Rae; Bo Li`, `Rae, Ann; Li, Bo`, `Ann Rae, Bo Li and Cy Day`; an ORCID may follow a name.
    Names of organisations are kept: `TU Wien`, or any in braces, `{Rae, Li and Sons}`."""
    if _SEMICOLON.search(text):
        names = _SEMICOLON.split(text)
    elif _AND.search(text):
        names = _LIST_SEPARATOR.split(text)
    elif text.count(",") == 1 and all(part.strip() and " " not in part.strip() for part in text.split(",")):
        names = [text]
    else:
        names = _COMMA.split(text)
    return tuple(_person(name.strip()) for name in names if name.strip())


def _person(text: str) -> Person:
    match = _ORCID.search(text)
    orcid, name = (match[1], (text[: match.start()] + " " + text[match.end() :]).strip()) if match else ("", text)
    if "," in name and "(" not in name and not name.startswith("{"):
        family, given = (part.strip() for part in name.split(",", 1))
        return Person(family, given, orcid)
    if name.startswith("{") and name.endswith("}"):
        return Person(name[1:-1].strip(), "", orcid)
    words = name.split()
    described = words[0] in ("A", "An") and words[1:2] and words[1].islower() and words[1] not in _PARTICLES
    if len(words) < 2 or words[0] == "The" or described or "(" in name or _ORGANISATION.search(name):
        return Person(name, "", orcid)
    first_family = next(
        (first_family for first_family, word in enumerate(words[1:-1], 1) if word.lower() in _PARTICLES and word.islower()),
        len(words) - 1,
    )
    return Person(" ".join(words[first_family:]), " ".join(words[:first_family]), orcid)


def is_local(record: Mapping[str, Any]) -> bool:
    """Whether a record was frozen on an instance without a public address; early ones have an address without a host."""
    return bool(record.get("local")) or record["address"].startswith("/")


def work_of_record(record: Mapping[str, Any], digest: str, doi: str = "") -> CitedWork:
    """The citable work of a record of a permalink, or of a collection, whose figures are its parts."""
    is_permalink = "values" in record
    sources = [about for _, about in sorted(record["archives"].items())] if is_permalink else record["archives"]
    archives = tuple(work_of_archive(about, record["frozen_at"]) for about in sources)
    return CitedWork(
        key=f"poolmark-{record['id']}",
        title=record["title"] or (UNTITLED if is_permalink else UNTITLED_COLLECTION),
        authors=parse_authors(record["authors"]),
        day=date.fromisoformat(record["frozen_at"][:10]),
        address=record["address"],
        digest=digest,
        doi=doi,
        licence=common_licence(archives),
        abstract=record["caption"],
        based_on=archives,
        parts=() if is_permalink else tuple(map(_work_of_figure, record["figures"])),
        spdx=common_spdx(archives),
        is_local=is_local(record),
    )


def _work_of_figure(figure: Mapping[str, Any]) -> CitedWork:
    return CitedWork(
        f"poolmark-{figure['id']}",
        figure["title"] or UNTITLED,
        parse_authors(figure["authors"]),
        date.fromisoformat(figure["frozen_at"][:10]),
        figure["address"],
        figure["digest"],
    )


def work_of_archive(about: Mapping[str, Any], day: str) -> CitedWork:
    """The citable work of an underlying archive; dated 1 January of its year, or the record's day where no year is known."""
    published = date(about["year"], 1, 1) if about.get("year") else date.fromisoformat(day[:10])
    return CitedWork(
        key=f"archive-{about['sha256'][:12]}",
        title=about["title"],
        authors=parse_authors(about["authors"]),
        day=published,
        address=about.get("address", ""),
        digest=about["sha256"],
        doi=about.get("doi", ""),
        licence=about["licence"],
        published_in=about["published_in"],
        spdx=about.get("licence_spdx"),
        is_year_known=bool(about.get("year")),
    )


def common_licence(works: Sequence[CitedWork]) -> str:
    """The licence that all works share, else ''."""
    licences = {work.licence for work in works}
    return licences.pop() if len(licences) == 1 else ""


def common_spdx(works: Sequence[CitedWork]) -> str | None:
    """The SPDX identifier of the licence that all works share, '' where they share none; None where one has no such field."""
    found = {work.spdx for work in works}
    if None in found or not works:
        return None
    return (found.pop() or "") if len(found) == 1 and common_licence(works) else ""
