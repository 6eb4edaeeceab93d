"""A work as schema.org `Dataset`, for search engines and the page's head."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from webapp.formats.work import PUBLISHER, CitedWork, Person, licence_address


def dataset(
    work: CitedWork, files: Iterable[tuple[str, str, str]] = (), measured: Iterable[tuple[str, str]] = ()
) -> dict[str, Any]:
    """JSON-LD. `files`: (address, media type, name) of its distributions; `measured`: (metric, unit)."""
    told = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "@id": work.address,
        "url": work.address,
        "name": work.title,
        "description": work.abstract or work.title,
        "identifier": [_identifier("sha256", work.digest), *([f"https://doi.org/{work.doi}"] if work.doi else [])],
        "creator": [person(one) for one in work.authors],
        "datePublished": work.day.isoformat(),
        "version": work.digest[:12],
        "isAccessibleForFree": True,
        "license": licence_address(work.licence) or work.licence,
        "publisher": {"@type": "Organization", "name": PUBLISHER},
        "variableMeasured": [{"@type": "PropertyValue", "name": name, "unitText": unit} for name, unit in measured],
        "distribution": [
            {"@type": "DataDownload", "contentUrl": address, "encodingFormat": kind, "name": name} for address, kind, name in files
        ],
        "isBasedOn": [_source(one) for one in work.based_on],
        "hasPart": [_part(one) for one in work.parts],
    }
    return {key: value for key, value in told.items() if value}


def person(one: Person) -> dict[str, str]:
    """A person or an organisation."""
    if not one.given:
        return {"@type": "Organization", "name": one.family}
    told = {"@type": "Person", "name": one.straight, "givenName": one.given, "familyName": one.family}
    return {**told, "@id": f"https://orcid.org/{one.orcid}"} if one.orcid else told


def _part(work: CitedWork) -> dict[str, Any]:
    return {
        "@type": "Dataset",
        "@id": work.address,
        "url": work.address,
        "name": work.title,
        "description": f"{work.title}, frozen on {work.day.isoformat()}",
        "identifier": _identifier("sha256", work.digest),
        "creator": [person(one) for one in work.authors],
    }


def _identifier(name: str, value: str) -> dict[str, str]:
    return {"@type": "PropertyValue", "propertyID": name, "value": value}


def _source(work: CitedWork) -> dict[str, Any]:
    told = {
        "@type": "Dataset",
        "name": work.title,
        "creator": [person(one) for one in work.authors],
        "identifier": _identifier("sha256", work.digest),
        "license": licence_address(work.licence) or work.licence,
        "description": work.published_in or work.title,
        "url": f"https://doi.org/{work.doi}" if work.doi else work.address,
    }
    return {key: value for key, value in told.items() if value}


def to_script_json(told: dict[str, Any]) -> str:
    """JSON that may stand in a script element."""
    text = json.dumps(told, ensure_ascii=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
