"""ro-crate-metadata.json of an evidence bundle: RO-Crate 1.1, attached, every file described."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from webapp.formats.work import PUBLISHER, CitedWork, Person, licence_address

CONTEXT, CONFORMS = "https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/crate/1.1"
METADATA = "ro-crate-metadata.json"


@dataclass(frozen=True, slots=True)
class CratePart:
    """A file of the bundle: its path, bytes, media type and what it is."""

    path: str
    data: bytes
    media_type: str
    about: str


def metadata(work: CitedWork, parts: Iterable[CratePart], folders: Mapping[str, str] | None = None) -> bytes:
    """The crate's description. `folders`: path ending in `/` -> what is in it."""
    parts, folders = list(parts), dict(folders or {})
    people = {_id(one): one for source in (work, *work.based_on) for one in source.authors}
    graph = [
        {"@id": METADATA, "@type": "CreativeWork", "conformsTo": {"@id": CONFORMS}, "about": {"@id": "./"}},
        _root(work, parts, folders),
        _licence(work),
        {"@id": "#publisher", "@type": "Organization", "name": PUBLISHER, "url": re.split("/[pc]/", work.address)[0]},
        *(_folder(path, about, parts) for path, about in folders.items()),
        *(_file(part) for part in parts),
        *(_person(key, one) for key, one in people.items()),
        *(_source(one) for one in work.based_on),
        _checking(),
    ]
    known = {licence_address(one.licence): one.licence for one in work.based_on if licence_address(one.licence)}
    known.pop(licence_address(work.licence), None)
    graph += [_licence_named(address, name) for address, name in sorted(known.items())]
    return (
        json.dumps({"@context": CONTEXT, "@graph": [_lean(node) for node in graph]}, ensure_ascii=False, indent=1).encode() + b"\n"
    )


def _lean(node: dict) -> dict:
    """What has no value is left out, and a list of one is that one, as RO-Crate recommends."""
    return {
        key: value[0] if isinstance(value, list) and len(value) == 1 else value
        for key, value in node.items()
        if value not in ("", [], None)
    }


def _licence(work: CitedWork) -> dict:
    """The licence of the whole; where the archives have several, or none is known, an entity that says so."""
    address = licence_address(work.licence)
    if address:
        return _licence_named(address, work.licence)
    return {
        "@id": "#licence",
        "@type": "CreativeWork",
        "name": work.licence or "As each archive tells",
        "description": f"Licence as stated: {work.licence}"
        if work.licence
        else "Each archive that this rests on has a licence of its own, or states none; see isBasedOn.",
    }


def _licence_named(address: str, name: str) -> dict:
    return {"@id": address, "@type": "CreativeWork", "name": name, "description": f"The licence {name}"}


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
        "version": work.digest[:12],
        "author": [{"@id": _id(one)} for one in work.authors] or {"@id": "#publisher"},
        "publisher": {"@id": "#publisher"},
        "isBasedOn": [{"@id": _source_id(one)} for one in work.based_on],
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
    }


def _id(one: Person) -> str:
    return (
        f"https://orcid.org/{one.orcid}"
        if one.orcid
        else "#"
        + "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in one.straight)
        + f"-{len(one.straight)}"
    )


def _person(key: str, one: Person) -> dict:
    if not one.given:
        return {"@id": key, "@type": "Organization", "name": one.family}
    return {"@id": key, "@type": "Person", "name": one.straight, "givenName": one.given, "familyName": one.family}


def _source_id(work: CitedWork) -> str:
    return f"https://doi.org/{work.doi}" if work.doi else f"urn:sha256:{work.digest}"


def _source(work: CitedWork) -> dict:
    licence = licence_address(work.licence)
    return {
        "@id": _source_id(work),
        "@type": "CreativeWork",
        "name": work.title,
        "author": [{"@id": _id(one)} for one in work.authors],
        "license": {"@id": licence} if licence else work.licence,
        "description": work.published_in,
        "identifier": f"sha256:{work.digest}",
    }


def _checking() -> dict:
    return {
        "@id": "#check",
        "@type": "HowTo",
        "name": "Check this bundle",
        "description": "Run `python3 verify.py` in its folder; nothing else is needed.",
    }
