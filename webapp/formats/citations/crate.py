"""ro-crate-metadata.json of an evidence bundle: RO-Crate 1.1, attached, every file described."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from webapp.formats.citations.licences import SPDX, licence_address
from webapp.formats.citations.work import PUBLISHER, CitedWork, Person

CONTEXT, CONFORMS = "https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/crate/1.1"
METADATA = "ro-crate-metadata.json"


@dataclass(frozen=True, slots=True)
class CratePart:
    """A file of the bundle; `about` is its description."""

    path: str
    data: bytes
    media_type: str
    about: str
    source: str = ""
    """The SWHID of what it is an excerpt of, or ''."""


def metadata(work: CitedWork, parts: Iterable[CratePart], folders: Mapping[str, str] | None = None) -> bytes:
    """The metadata file of the crate. `folders`: path ending in `/` -> description."""
    parts, folders = list(parts), dict(folders or {})
    people = {_person_id(one): one for source in (work, *work.based_on) for one in source.authors}
    graph = [
        {"@id": METADATA, "@type": "CreativeWork", "conformsTo": {"@id": CONFORMS}, "about": {"@id": "./"}},
        _root(work, parts, folders),
        _licence(work),
        {"@id": "#publisher", "@type": "Organization", "name": PUBLISHER, "url": re.split("/[pc]/", work.address)[0]},
        *(_folder(path, about, parts) for path, about in folders.items()),
        *(_file(part) for part in parts),
        *(_person(key, one) for key, one in people.items()),
        *(_source(one) for one in work.based_on),
        *(_source_file(address) for address in sorted({part.source for part in parts if part.source})),
        _check_instructions(),
    ]
    licences = {licence_address(one.licence): (one.licence, one.spdx) for one in work.based_on if licence_address(one.licence)}
    licences.pop(licence_address(work.licence), None)
    graph += [_licence_entity(address, *licence) for address, licence in sorted(licences.items())]
    return (
        json.dumps({"@context": CONTEXT, "@graph": [_drop_empty(node) for node in graph]}, ensure_ascii=False, indent=1).encode()
        + b"\n"
    )


def _drop_empty(node: dict) -> dict:
    """The node without empty values, and with single-item lists as their item, as RO-Crate recommends."""
    return {
        key: value[0] if isinstance(value, list) and len(value) == 1 else value
        for key, value in node.items()
        if value not in ("", [], None)
    }


def _licence(work: CitedWork) -> dict:
    """The licence entity of the work; one with a description where the archives have several or unknown licences."""
    address = licence_address(work.licence)
    if address:
        return _licence_entity(address, work.licence, work.spdx)
    return {
        "@id": "#licence",
        "@type": "CreativeWork",
        "name": work.licence or "As each archive tells",
        "description": f"Licence as stated: {work.licence}"
        if work.licence
        else "Each archive that this rests on has a licence of its own, or states none; see isBasedOn.",
    }


def _licence_entity(address: str, name: str, spdx: str | None) -> dict:
    entity = {"@id": address, "@type": "CreativeWork", "name": name, "description": f"The licence {name}"}
    return entity | ({"identifier": f"{SPDX}{spdx}"} if spdx else {})


def _root(work: CitedWork, parts: list[CratePart], folders: Mapping[str, str]) -> dict:
    loose = [part.path for part in parts if not any(part.path.startswith(folder) for folder in folders)]
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": work.title,
        "description": work.abstract or work.title,
        "datePublished": work.day.isoformat(),
        "license": {"@id": licence_address(work.licence) or "#licence"},
        "identifier": work.best_address,
        "url": work.address,
        "version": work.version,
        "author": [{"@id": _person_id(person)} for person in work.authors] or {"@id": "#publisher"},
        "publisher": {"@id": "#publisher"},
        "isBasedOn": [{"@id": _source_id(person)} for person in work.based_on],
        "hasPart": [{"@id": path} for path in (*folders, *loose)],
        "mentions": {"@id": "#check"},
    }


def _folder(path: str, about: str, parts: list[CratePart]) -> dict:
    return {
        "@id": path,
        "@type": "Dataset",
        "name": path.rstrip("/"),
        "description": about,
        "hasPart": [{"@id": part.path} for part in parts if part.path.startswith(path)],
    }


def _file(part: CratePart) -> dict:
    kind = ["File", "SoftwareSourceCode"] if part.path.endswith(".py") else "File"
    return {
        "@id": part.path,
        "@type": kind,
        "name": part.path.rsplit("/", 1)[-1],
        "description": part.about,
        "encodingFormat": part.media_type.split(";")[0],
        "contentSize": str(len(part.data)),
        "isBasedOn": {"@id": part.source} if part.source else None,
    }


def _person_id(person: Person) -> str:
    return (
        f"https://orcid.org/{person.orcid}"
        if person.orcid
        else "#"
        + "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in person.straight)
        + f"-{len(person.straight)}"
    )


def _person(key: str, person: Person) -> dict:
    if not person.given:
        return {"@id": key, "@type": "Organization", "name": person.family}
    return {"@id": key, "@type": "Person", "name": person.straight, "givenName": person.given, "familyName": person.family}


def _source_id(work: CitedWork) -> str:
    return f"https://doi.org/{work.doi}" if work.doi else f"urn:sha256:{work.digest}"


def _source(work: CitedWork) -> dict:
    licence = licence_address(work.licence)
    return {
        "@id": _source_id(work),
        "@type": "CreativeWork",
        "name": work.title,
        "author": [{"@id": _person_id(person)} for person in work.authors],
        "license": {"@id": licence} if licence else work.licence,
        "description": work.published_in,
        "identifier": f"sha256:{work.digest}",
    }


def _source_file(swhid: str) -> dict:
    """A file as it was uploaded, which the bundle has only excerpts of."""
    return {
        "@id": swhid,
        "@type": "CreativeWork",
        "name": swhid.partition(";")[0],
        "description": "The whole file, by its Software Heritage identifier, and the lines of the excerpt",
        "identifier": swhid.partition(";")[0],
    }


def _check_instructions() -> dict:
    return {
        "@id": "#check",
        "@type": "HowTo",
        "name": "Check this bundle",
        "description": "Run `python3 -I verify.py` in its folder; nothing else is needed.",
    }
