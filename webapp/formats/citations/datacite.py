"""DataCite metadata (kernel 4) as XML, and a Zenodo deposit, for minting a DOI."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

from webapp.formats.citations.licences import SPDX, licence_address
from webapp.formats.citations.work import PUBLISHER, CitedWork, Person
from webapp.formatting.visible_text import make_xml_safe

NAMESPACE = "http://datacite.org/schema/kernel-4"
_SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"
_SCHEMA_LOCATION = f"{NAMESPACE} https://schema.datacite.org/meta/kernel-4.5/metadata.xsd"
KEYWORDS = ("storage benchmark", "file system", "performance measurement")
UNASSIGNED = ":tba"
"""DataCite's code for a value to be assigned (Metadata Schema 4, appendix 3)."""


def to_datacite(work: CitedWork) -> bytes:
    """The metadata of a work, with `:tba` for a missing DOI."""
    ET.register_namespace("", NAMESPACE)
    ET.register_namespace("xsi", _SCHEMA)
    root = ET.Element(f"{{{NAMESPACE}}}resource", {f"{{{_SCHEMA}}}schemaLocation": _SCHEMA_LOCATION})
    _add(root, "identifier", work.doi or UNASSIGNED, identifierType="DOI")
    creators = _add(root, "creators")
    for person in work.authors or (Person(PUBLISHER),):
        _creator(creators, person)
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
    _add(names, "alternateIdentifier", work.digest, alternateIdentifierType=work.digest_label)
    _related(root, work)
    _add(_add(root, "formats"), "format", "application/json")
    _add(root, "version", work.version)
    _rights(root, work)
    texts = [(work.abstract, "Abstract"), (_withdrawn(work), "Other")]
    if any(text for text, _ in texts):
        descriptions = _add(root, "descriptions")
        for text, kind in texts:
            if text:
                _add(descriptions, "description", text, descriptionType=kind)
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, f"{{{NAMESPACE}}}{name}", attributes)
    element.text = make_xml_safe(text) or None
    return element


def _creator(creators: ET.Element, person: Person) -> None:
    creator = _add(creators, "creator")
    _add(creator, "creatorName", person.turned, nameType="Personal" if person.given else "Organizational")
    if person.given:
        _add(creator, "givenName", person.given)
        _add(creator, "familyName", person.family)
    if person.orcid:
        _add(creator, "nameIdentifier", person.orcid, nameIdentifierScheme="ORCID", schemeURI="https://orcid.org")


def _related(root: ET.Element, work: CitedWork) -> None:
    relations = [(other, "IsDerivedFrom") for other in work.based_on] + [(other, "HasPart") for other in work.parts]
    relations = [(other, relation) for other, relation in relations if other.doi or other.address]
    versions = [(work.older, "Obsoletes"), (work.newer, "IsObsoletedBy")]
    if not relations and not any(address for address, _ in versions):
        return
    related = _add(root, "relatedIdentifiers")
    for other, relation in relations:
        kind, text = ("DOI", other.doi) if other.doi else ("URL", other.address)
        _add(related, "relatedIdentifier", text, relatedIdentifierType=kind, relationType=relation, resourceTypeGeneral="Dataset")
    for address, relation in versions:
        if address:
            _add(
                related,
                "relatedIdentifier",
                address,
                relatedIdentifierType="URL",
                relationType=relation,
                resourceTypeGeneral="Dataset",
            )


def _rights(root: ET.Element, work: CitedWork) -> None:
    if work.licence:
        address = licence_address(work.licence)
        attributes = {"rightsURI": address} if address else {}
        if work.spdx:
            attributes |= {"rightsIdentifier": work.spdx, "rightsIdentifierScheme": "SPDX", "schemeURI": SPDX}
        _add(_add(root, "rightsList"), "rights", work.licence, **attributes)


def _withdrawn(work: CitedWork) -> str:
    """What became of the sources, with the address of the history, or ''."""
    return f"{work.withdrawn}: {work.history_address}" if work.withdrawn else ""


def to_zenodo(work: CitedWork) -> str:
    """The body of Zenodo's deposit API (`metadata`), to be uploaded with the bundle."""
    related = [{"identifier": work.address, "relation": "isIdenticalTo", "resource_type": "dataset"}] if work.address else []
    related += [
        {"identifier": other.doi or other.address, "relation": "isDerivedFrom", "resource_type": "dataset"}
        for other in work.based_on
        if other.doi or other.address
    ]
    related += [{"identifier": other.address, "relation": "hasPart", "resource_type": "dataset"} for other in work.parts]
    metadata = {
        "title": work.title,
        "upload_type": "dataset",
        "publication_date": work.day.isoformat(),
        "description": work.abstract or work.title,
        "creators": [_zenodo_name(other) for other in work.authors] or [{"name": PUBLISHER}],
        "access_right": "open",
        "license": _zenodo_licence(work.licence),
        "keywords": list(KEYWORDS),
        "version": work.version,
        "related_identifiers": related,
        "notes": "; ".join(text for text in (f"{work.digest_label}: {work.digest}", _withdrawn(work)) if text),
    }
    return json.dumps({"metadata": {key: value for key, value in metadata.items() if value}}, ensure_ascii=False, indent=1)


def _zenodo_name(person: Person) -> dict[str, str]:
    return {"name": person.turned, **({"orcid": person.orcid} if person.orcid else {})}


def _zenodo_licence(licence: str) -> str:
    """Zenodo's licence name (SPDX in lower case); '' for an unknown licence, which the depositor has to choose."""
    name = licence.strip().lower().replace(" ", "-")
    return name if licence_address(licence) and not name.startswith("http") else ""
