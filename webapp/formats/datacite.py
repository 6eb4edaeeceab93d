"""DataCite metadata (kernel 4) as XML, and a deposit for Zenodo, so that a person can mint a DOI."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

from webapp.formats.work import PUBLISHER, CitedWork, Person, licence_address
from webapp.formatting.visible_text import make_xml_safe

NAMESPACE = "http://datacite.org/schema/kernel-4"
_SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"
_PLACE = f"{NAMESPACE} https://schema.datacite.org/meta/kernel-4.5/metadata.xsd"
KEYWORDS = ("storage benchmark", "file system", "performance measurement")
UNASSIGNED = ":tba"
"""DataCite's code for a value that will be assigned (Metadata Schema 4, appendix 3)."""


def to_datacite(work: CitedWork, size: int = 0) -> bytes:
    """The metadata of a work; the DOI is `:tba` until there is one. `size`: bytes of the record."""
    ET.register_namespace("", NAMESPACE)
    ET.register_namespace("xsi", _SCHEMA)
    root = ET.Element(f"{{{NAMESPACE}}}resource", {f"{{{_SCHEMA}}}schemaLocation": _PLACE})
    _add(root, "identifier", work.doi or UNASSIGNED, identifierType="DOI")
    creators = _add(root, "creators")
    for one in work.authors or (Person(PUBLISHER),):
        _creator(creators, one)
    _add(_add(root, "titles"), "title", work.title)
    _add(root, "publisher", PUBLISHER)
    _add(root, "publicationYear", str(work.day.year))
    _add(root, "resourceType", "Frozen comparison of storage benchmarks", resourceTypeGeneral="Dataset")
    subjects = _add(root, "subjects")
    for word in KEYWORDS:
        _add(subjects, "subject", word)
    _add(_add(root, "dates"), "date", work.day.isoformat(), dateType="Created")
    names = _add(root, "alternateIdentifiers")
    _add(names, "alternateIdentifier", work.address, alternateIdentifierType="URL")
    _add(names, "alternateIdentifier", work.digest, alternateIdentifierType="SHA-256 of the record")
    _related(root, work)
    if size:
        _add(_add(root, "sizes"), "size", f"{size} bytes")
    _add(_add(root, "formats"), "format", "application/json")
    _add(root, "version", work.digest[:12])
    _rights(root, work)
    if work.abstract:
        _add(_add(root, "descriptions"), "description", work.abstract, descriptionType="Abstract")
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    made = ET.SubElement(parent, f"{{{NAMESPACE}}}{name}", attributes)
    made.text = make_xml_safe(text) or None
    return made


def _creator(creators: ET.Element, one: Person) -> None:
    creator = _add(creators, "creator")
    _add(creator, "creatorName", one.turned, nameType="Personal" if one.given else "Organizational")
    if one.given:
        _add(creator, "givenName", one.given)
        _add(creator, "familyName", one.family)
    if one.orcid:
        _add(creator, "nameIdentifier", one.orcid, nameIdentifierScheme="ORCID", schemeURI="https://orcid.org")


def _related(root: ET.Element, work: CitedWork) -> None:
    told = [(one, "IsDerivedFrom") for one in work.based_on] + [(one, "HasPart") for one in work.parts]
    told = [(one, relation) for one, relation in told if one.doi or one.address]
    if not told:
        return
    related = _add(root, "relatedIdentifiers")
    for one, relation in told:
        kind, text = ("DOI", one.doi) if one.doi else ("URL", one.address)
        _add(related, "relatedIdentifier", text, relatedIdentifierType=kind, relationType=relation, resourceTypeGeneral="Dataset")


def _rights(root: ET.Element, work: CitedWork) -> None:
    if work.licence:
        address = licence_address(work.licence)
        _add(_add(root, "rightsList"), "rights", work.licence, **({"rightsURI": address} if address else {}))


def to_zenodo(work: CitedWork) -> str:
    """The body of Zenodo's deposit API (`metadata`), as a person uploads it together with the bundle."""
    related = [{"identifier": work.address, "relation": "isIdenticalTo", "resource_type": "dataset"}] if work.address else []
    related += [
        {"identifier": one.doi or one.address, "relation": "isDerivedFrom", "resource_type": "dataset"}
        for one in work.based_on
        if one.doi or one.address
    ]
    related += [{"identifier": one.address, "relation": "hasPart", "resource_type": "dataset"} for one in work.parts]
    metadata = {
        "title": work.title,
        "upload_type": "dataset",
        "publication_date": work.day.isoformat(),
        "description": work.abstract or work.title,
        "creators": [_zenodo_name(one) for one in work.authors] or [{"name": PUBLISHER}],
        "access_right": "open",
        "license": _zenodo_licence(work.licence),
        "keywords": list(KEYWORDS),
        "version": work.digest[:12],
        "related_identifiers": related,
        "notes": f"SHA-256 of record.json: {work.digest}",
    }
    return json.dumps({"metadata": {key: value for key, value in metadata.items() if value}}, ensure_ascii=False, indent=1)


def _zenodo_name(one: Person) -> dict[str, str]:
    return {"name": one.turned, **({"orcid": one.orcid} if one.orcid else {})}


def _zenodo_licence(licence: str) -> str:
    """Zenodo's licence names are SPDX's in lower case; one that is not known has to be chosen by the depositor."""
    name = licence.strip().lower().replace(" ", "-")
    return name if licence_address(licence) and not name.startswith("http") else ""
