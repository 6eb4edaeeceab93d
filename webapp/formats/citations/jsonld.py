"""A work as schema.org `Dataset`, for search engines and the page's head."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from webapp.formats.citations.licences import licence_address
from webapp.formats.citations.work import PUBLISHER, CitedWork, Person


def dataset(
    work: CitedWork, files: Iterable[tuple[str, str, str]] = (), measured: Iterable[tuple[str, str]] = ()
) -> dict[str, Any]:
    """JSON-LD. `files`: (address, media type, name) of its distributions; `measured`: (metric, unit)."""
    properties = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "@id": work.address,
        "url": work.address,
        "name": work.title,
        "description": work.abstract or work.title,
        "identifier": [_identifier("sha256", work.digest), *([f"https://doi.org/{work.doi}"] if work.doi else [])],
        "creator": [{"@id": name, **person(item)} for item, name in zip(work.authors, author_addresses(work), strict=True)],
        "datePublished": work.day.isoformat(),
        "version": work.version,
        "isAccessibleForFree": True,
        "license": licence_address(work.licence) or work.licence,
        "publisher": {"@type": "Organization", "name": PUBLISHER},
        "variableMeasured": [{"@type": "PropertyValue", "name": name, "unitText": unit} for name, unit in measured],
        "distribution": [
            {"@type": "DataDownload", "contentUrl": address, "encodingFormat": kind, "name": name} for address, kind, name in files
        ],
        "isBasedOn": [_source(item) for item in work.based_on],
        "hasPart": [_part(item) for item in work.parts],
        "creativeWorkStatus": "Withdrawn" if work.withdrawn else "Obsolete" if work.newer else "",
        "subjectOf": {"@type": "WebPage", "name": work.withdrawn or "History", "url": work.history_address}
        if work.withdrawn or work.newer
        else None,
    }
    return {key: value for key, value in properties.items() if value}


def study(work: CitedWork, files: Iterable[tuple[str, str, str]], measured: Iterable[str] = ()) -> dict[str, Any]:
    """JSON-LD of a study: its data, and the article that they are from, where it names one. Arguments as for `dataset`."""
    properties = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "@id": work.address,
        "url": work.address,
        "name": work.title,
        "description": work.abstract or f"{work.title}: storage benchmark results with the systems that they were measured on.",
        "creator": [person(item) for item in work.authors],
        "datePublished": str(work.day.year) if work.is_year_known else "",
        "isAccessibleForFree": True,
        "license": licence_address(work.licence) or work.licence,
        "publisher": {"@type": "Organization", "name": PUBLISHER},
        "measurementTechnique": list(measured),
        "distribution": [
            {"@type": "DataDownload", "contentUrl": address, "encodingFormat": kind, "name": name} for address, kind, name in files
        ],
        "citation": _article(work) if work.published_in else None,
    }
    return {key: value for key, value in properties.items() if value}


def _article(work: CitedWork) -> dict[str, Any]:
    properties = {
        "@type": "ScholarlyArticle",
        "name": work.title,
        "headline": work.title[:110],
        "author": [person(item) for item in work.authors],
        "datePublished": str(work.day.year) if work.is_year_known else "",
        "isPartOf": {"@type": "CreativeWork", "name": work.published_in},
    }
    return {key: value for key, value in properties.items() if value}


def author_addresses(work: CitedWork) -> list[str]:
    """An address of each author: the ORCID, else a name within the work's page."""
    return [
        f"https://orcid.org/{author.orcid}" if author.orcid else f"{work.address}#author-{number}"
        for number, author in enumerate(work.authors, 1)
    ]


def person(author: Person) -> dict[str, str]:
    """A person or an organisation."""
    if not author.given:
        return {"@type": "Organization", "name": author.family}
    properties = {"@type": "Person", "name": author.straight, "givenName": author.given, "familyName": author.family}
    return {**properties, "@id": f"https://orcid.org/{author.orcid}"} if author.orcid else properties


def _part(work: CitedWork) -> dict[str, Any]:
    return {
        "@type": "Dataset",
        "@id": work.address,
        "url": work.address,
        "name": work.title,
        "description": f"{work.title}, frozen on {work.day.isoformat()}",
        "identifier": _identifier("sha256", work.digest),
        "creator": [person(author) for author in work.authors],
    }


def _identifier(name: str, value: str) -> dict[str, str]:
    return {"@type": "PropertyValue", "propertyID": name, "value": value}


def _source(work: CitedWork) -> dict[str, Any]:
    properties = {
        "@type": "Dataset",
        "name": work.title,
        "creator": [person(author) for author in work.authors],
        "identifier": _identifier("sha256", work.digest),
        "license": licence_address(work.licence) or work.licence,
        "description": work.published_in or work.title,
        "url": f"https://doi.org/{work.doi}" if work.doi else work.address,
    }
    return {key: value for key, value in properties.items() if value}


def to_script_json(properties: dict[str, Any]) -> str:
    """JSON escaped for a script element."""
    text = json.dumps(properties, ensure_ascii=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
