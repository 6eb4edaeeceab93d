"""RIS, CSL-JSON and CITATION.cff."""

from __future__ import annotations

import json
from typing import Any

from rispy.writer import RisWriter

from webapp.formats.licences import licence_address
from webapp.formats.work import LOCAL_NOTE, PUBLISHER, UNDRAWN_NOTE, CitedWork, Person


class _RisWriter(RisWriter):
    NEWLINE = "\r\n"

    def set_header(self, count: int) -> str:
        return ""  # no number before a reference


def to_ris(work: CitedWork) -> str:
    """RIS: type DATA, one author a line, lines end in CR LF."""
    day = work.day.strftime("%Y/%m/%d")
    digest = ". ".join([f"{work.digest_label}: {work.digest}", *later_sentences(work)])
    fields = {
        "authors": [_single_line(person.turned) for person in _authors(work)],
        "title": _single_line(work.title),
        "year": str(work.day.year),
        "date": day,
        "publisher": PUBLISHER,
        "doi": work.doi,
        "urls": [work.best_address],
        "id": work.key,
        "abstract": _single_line(work.abstract),
        "notes": [_single_line(note) for note in (digest, _licence_note(work)) if note],
        "access_date": day,
    }
    return _RisWriter().formats([{"type_of_reference": "DATA", **{name: value for name, value in fields.items() if value}}])


def to_csl(work: CitedWork) -> str:
    """CSL-JSON: a list of one item."""
    return json.dumps([csl_item(work)], ensure_ascii=False, indent=1)


def csl_item(work: CitedWork) -> dict[str, Any]:
    """The work as CSL-JSON."""
    item: dict[str, Any] = {
        "id": work.key,
        "type": "dataset",
        "title": work.title,
        "author": [_csl_name(person) for person in _authors(work)],
        "issued": {"date-parts": [[work.day.year, work.day.month, work.day.day]]},
        "publisher": PUBLISHER,
        "URL": work.best_address,
        "DOI": work.doi,
        "abstract": work.abstract,
        "version": str(work.edition) if work.edition > 1 else "",
        "note": ". ".join(filter(None, [f"{work.digest_label}: {work.digest}", *later_sentences(work), _licence_note(work)])),
    }
    return {key: value for key, value in item.items() if value}


def to_cff(work: CitedWork) -> str:
    """Citation File Format 1.2.0. Its YAML is written as JSON values, which YAML 1.2 includes."""
    fields = {
        "cff-version": "1.2.0",
        "message": "If you use this figure or its data, please cite it as below.",
        "type": "dataset",
        "title": work.title,
        "authors": [_cff_name(author) for author in _authors(work)],
        "date-released": work.day.isoformat(),
        "url": work.address,
        "doi": work.doi,
        "abstract": ". ".join(filter(None, [work.abstract.rstrip("."), *later_sentences(work)])) + "." if work.abstract else "",
        "identifiers": [{"type": "other", "value": f"sha256:{work.digest}", "description": work.digest_label}],
        **_cff_licence(work),
        "references": [_reference(author) for author in work.based_on],
    }
    return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items() if value)


def later_sentences(work: CitedWork) -> list[str]:
    """What a note of a citation adds: a local address, the version, a newer one, sources withdrawn, undrawn files; no full stop."""
    version = f"Version {work.edition}" if work.edition > 1 else ""
    newer = f"Newer version: {work.newer}" if work.newer else ""
    undrawn = "" if work.is_drawn else UNDRAWN_NOTE
    return [sentence for sentence in (LOCAL_NOTE if work.is_local else "", undrawn, version, newer, work.withdrawn) if sentence]


def cite_archive(work: CitedWork) -> str:
    """An underlying archive in a line: authors, title, publication, licence, address, digest."""
    authors = "; ".join(person.turned for person in work.authors)
    parts = [
        authors,
        work.title,
        work.published_in,
        f"Licence: {work.licence}" if work.licence else "",
        f"https://doi.org/{work.doi}" if work.doi else work.address,
        f"SHA-256 {work.digest}",
    ]
    return " ".join(_end_sentence(part) if not part.startswith(("http", "SHA")) else part for part in parts if part)


def _authors(work: CitedWork) -> tuple[Person, ...]:
    return work.authors or (Person(PUBLISHER),)


def _end_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _single_line(text: str) -> str:
    return " ".join(text.split())


def _csl_name(person: Person) -> dict[str, str]:
    return {"family": person.family, "given": person.given} if person.given else {"literal": person.family}


def _cff_name(person: Person) -> dict[str, str]:
    name = {"family-names": person.family, "given-names": person.given} if person.given else {"name": person.family}
    return {**name, "orcid": f"https://orcid.org/{person.orcid}"} if person.orcid and person.given else name


def _cff_licence(work: CitedWork) -> dict[str, str]:
    """`license`, which takes SPDX identifiers alone, else `license-url`."""
    if work.spdx is None:
        return {}
    return {"license": work.spdx} if work.spdx else {"license-url": licence_address(work.licence)}


def _licence_note(work: CitedWork) -> str:
    """'' for records frozen before SPDX identifiers were."""
    return f"Licence: {work.licence}" if work.licence and work.spdx is not None else ""


def _reference(work: CitedWork) -> dict:
    fields = {
        "type": "data",
        "title": work.title,
        "authors": [_cff_name(person) for person in _source_authors(work)],
        "year": work.day.year if work.is_year_known else None,
        "doi": work.doi,
        "url": work.address,
        "notes": work.published_in,
        "identifiers": [{"type": "other", "value": f"sha256:{work.digest}"}],
        **_cff_licence(work),
    }
    return {key: value for key, value in fields.items() if value}


def _source_authors(work: CitedWork) -> tuple[Person, ...]:
    return work.authors or (Person("Unknown"),)
