"""How people and machines cite a permalink: each form is read back by a parser."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from xml.etree import ElementTree as ET

import pytest
import rdflib
import rispy
import yaml
from cffconvert import Citation
from citeproc.source.json import CiteProcJSON
from datacite import schema45
from pylatexenc.latex2text import LatexNodes2Text

from webapp.formats.citations import datacite, entries
from webapp.formats.citations.jsonld import to_script_json
from webapp.formats.citations.licences import licence_address
from webapp.formats.citations.work import UNDRAWN_NOTE, CitedWork, Person, parse_authors, work_of_archive
from webapp.models import Archive, Rendering
from webapp.permalinks import citation
from webapp.permalinks.bundles import manifest, permalink_bundle
from webapp.tests import frozen, making

SCHEMA = rdflib.Namespace("https://schema.org/")
SOURCE = CitedWork(
    "archive-1",
    "Raw results",
    parse_authors("Cy Day"),
    date(2013, 1, 1),
    "",
    "b" * 64,
    licence="CC-BY-4.0",
    published_in="Journal 3",
)
WORK = CitedWork(
    "poolmark-abc",
    "Write & <read>",
    parse_authors("Ann Rae (0000-0002-1825-0097); Li, Bo; The ZFS Group"),
    date(2026, 5, 4),
    "https://example.org/p/abc",
    "a" * 64,
    "",
    "CC BY 4.0",
    "3 runs.",
    based_on=(SOURCE,),
)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Ann Rae; Bo Li", [("Rae", "Ann"), ("Li", "Bo")]),
        ("Rae, Ann; Li, Bo", [("Rae", "Ann"), ("Li", "Bo")]),
        ("Ann Rae, Bo Li and Cy Day", [("Rae", "Ann"), ("Li", "Bo"), ("Day", "Cy")]),
        ("Ann Rae, Bo Li, and Cy Day", [("Rae", "Ann"), ("Li", "Bo"), ("Day", "Cy")]),
        ("Rae, Ann", [("Rae", "Ann")]),
        ("Ludwig van Beethoven", [("van Beethoven", "Ludwig")]),
        ("CERN", [("CERN", "")]),
        ("A weblog author (not named on the page)", [("A weblog author (not named on the page)", "")]),
        ("A group of students", [("A group of students", "")]),
        ("A de Vries", [("de Vries", "A")]),
        ("Vienna Scientific Cluster, TU Wien", [("Vienna Scientific Cluster", ""), ("TU Wien", "")]),
        ("Poolmark developers", [("Poolmark developers", "")]),
        ("{Norges Bank}; Ann Rae", [("Norges Bank", ""), ("Rae", "Ann")]),
        ("{Rae, Li and Sons}, Cy Day", [("Rae, Li and Sons", ""), ("Day", "Cy")]),
        ("{A; B}", [("A; B", "")]),
        ("Max Planck Institute for Physics; Bo Li", [("Max Planck Institute for Physics", ""), ("Li", "Bo")]),
        ("", []),
        (" ; ", []),
    ],
)
def it_reads_people_as_they_are_typed(typed, read):
    assert [(one.family, one.given) for one in parse_authors(typed)] == read


def it_reads_an_orcid_beside_a_name():
    assert parse_authors("Ann Rae (https://orcid.org/0000-0002-1825-0097)") == (Person("Rae", "Ann", "0000-0002-1825-0097"),)


@pytest.mark.parametrize(
    ("licence", "address"),
    [
        ("CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/"),
        ("cc-by-4.0", "https://creativecommons.org/licenses/by/4.0/"),
        ("https://example.org/licence", "https://example.org/licence"),
        ("ask me", ""),
        ("", ""),
    ],
)
def it_knows_the_addresses_of_licences(licence, address):
    assert licence_address(licence) == address


def it_writes_ris_that_its_library_reads():
    [told] = rispy.loads(entries.to_ris(WORK))
    assert told["type_of_reference"] == "DATA" and told["title"] == WORK.title and told["publisher"] == "Poolmark"
    assert told["authors"] == ["Rae, Ann", "Li, Bo", "The ZFS Group"]
    assert (told["year"], told["date"], told["urls"]) == ("2026", "2026/05/04", [WORK.address])
    assert told["notes"] == [f"SHA-256 of the record: {'a' * 64}"] and told["id"] == WORK.key


def it_writes_csl_json_that_its_library_reads():
    [item] = json.loads(entries.to_csl(WORK))
    [told] = CiteProcJSON([item]).values()
    assert told.type == "dataset" and (told.issued.year, told.issued.month, told.issued.day) == (2026, 5, 4)
    assert [(name.get("family"), name.get("given")) for name in told.author[:2]] == [("Rae", "Ann"), ("Li", "Bo")]
    assert str(told.title) == WORK.title and str(told["URL"]) == WORK.address and "a" * 64 in str(told.note)


@pytest.mark.parametrize(
    "more", [{}, {"doi": "10.5281/zenodo.12345"}, {"spdx": "CC-BY-4.0"}, {"spdx": ""}, {"authors": ()}, {"edition": 3}]
)
def it_writes_a_citation_file_that_its_validator_accepts(more):
    text = entries.to_cff(replace(WORK, **more))
    Citation(text).validate()
    told = yaml.safe_load(text)
    assert told["cff-version"] == "1.2.0" and told["type"] == "dataset" and told["message"]
    assert told["references"][0]["title"] == "Raw results" and told["references"][0]["authors"][0]["family-names"] == "Day"
    if not more:
        assert told["authors"][0] == {"family-names": "Rae", "given-names": "Ann", "orcid": "https://orcid.org/0000-0002-1825-0097"}


def it_names_a_year_only_where_it_is_known():
    about = {"sha256": "b" * 64, "title": "Raw", "authors": "", "licence": "", "published_in": ""}
    for year, read in ((2013, 2013), (None, None)):
        source = work_of_archive(about | {"year": year}, "2026-05-04T00:00:00Z")
        told = yaml.safe_load(entries.to_cff(replace(WORK, based_on=(source,))))
        Citation(entries.to_cff(replace(WORK, based_on=(source,)))).validate()
        assert told["references"][0].get("year") == read


QUOTED = 'A "raw" disk, the so-called "tank"'


@pytest.mark.parametrize("name", permalink_bundle.CITATIONS)
def it_keeps_straight_quotes_of_a_title(name):
    text = permalink_bundle.CITATIONS[name][1](replace(WORK, title=QUOTED))
    if name.endswith(".json"):
        text = str(json.loads(text))
    elif name == "CITATION.cff":
        text = yaml.safe_load(text)["title"]
    elif name.endswith(".bib"):
        text = LatexNodes2Text().latex_to_text(text)
    elif name.endswith(".xml"):
        text = "".join(ET.fromstring(text).itertext())
    assert text.lower().count(QUOTED.lower()) == (len(entries.STYLES) if name == "citation.txt" else 1)


def datacite_json(element: ET.Element) -> dict:
    """A record of DataCite as its JSON schema has it."""

    def name(tag: str) -> str:
        return tag.rsplit("}", 1)[-1]

    def attributes(one: ET.Element) -> dict:
        return {{"schemeURI": "schemeUri", "rightsURI": "rightsUri"}.get(name(key), name(key)): text for key, text in one.items()}

    def listed(path: str, key: str) -> list[dict]:
        return [{key: one.text, **attributes(one)} for one in element.iterfind(path, {"d": datacite.NAMESPACE})]

    def creator(one: ET.Element) -> dict:
        found = {name(child.tag): child.text for child in one if name(child.tag) in ("givenName", "familyName")}
        first = one[0]
        ids = [{"nameIdentifier": child.text, **attributes(child)} for child in one if name(child.tag) == "nameIdentifier"]
        return {"name": first.text, **attributes(first), **found} | ({"nameIdentifiers": ids} if ids else {})

    space = {"d": datacite.NAMESPACE}
    kind = element.find("d:resourceType", space)
    told = {
        "doi": element.findtext("d:identifier", "", space),
        "creators": [creator(one) for one in element.iterfind("d:creators/d:creator", space)],
        "titles": listed("d:titles/d:title", "title"),
        "publisher": {"name": element.findtext("d:publisher", "", space)},
        "publicationYear": element.findtext("d:publicationYear", "", space),
        "types": {"resourceType": kind.text, **attributes(kind)},
        "subjects": listed("d:subjects/d:subject", "subject"),
        "dates": listed("d:dates/d:date", "date"),
        "alternateIdentifiers": listed("d:alternateIdentifiers/d:alternateIdentifier", "alternateIdentifier"),
        "relatedIdentifiers": listed("d:relatedIdentifiers/d:relatedIdentifier", "relatedIdentifier"),
        "sizes": [one.text for one in element.iterfind("d:sizes/d:size", space)],
        "formats": [one.text for one in element.iterfind("d:formats/d:format", space)],
        "version": element.findtext("d:version", "", space),
        "rightsList": listed("d:rightsList/d:rights", "rights"),
        "descriptions": listed("d:descriptions/d:description", "description"),
        "schemaVersion": "http://datacite.org/schema/kernel-4",
    }
    return {key: value for key, value in told.items() if value}


def leaves(element: ET.Element, path: str = "") -> list[tuple]:
    """(path, attributes, text) of every element, sorted."""
    at = f"{path}/{element.tag.rsplit('}', 1)[-1]}"
    own = (
        at,
        tuple(sorted((key, text) for key, text in element.items() if "schemaLocation" not in key)),
        (element.text or "").strip(),
    )
    return sorted([own, *(leaf for child in element for leaf in leaves(child, at))])


@pytest.mark.parametrize(
    "more",
    [
        {"doi": "10.5281/zenodo.12345"},
        {
            "doi": "10.5281/zenodo.12345",
            "spdx": "CC-BY-4.0",
            "newer": "https://example.org/p/new",
            "older": "https://example.org/p/old",
        },
        {
            "doi": "10.5281/zenodo.12345",
            "authors": (),
            "based_on": (replace(SOURCE, doi="10.1000/182"),),
            "parts": (SOURCE,),
            "licence": "",
        },
    ],
)
def it_writes_datacite_as_its_schema_and_its_library_do(more):
    root = ET.fromstring(datacite.to_datacite(replace(WORK, **more)))
    told = datacite_json(root)
    assert [error.message for error in schema45.validator.iter_errors(told)] == []
    assert leaves(root) == leaves(ET.fromstring(schema45.tostring(told)))


def it_writes_datacite_with_everything_that_is_mandatory():
    space = {"d": datacite.NAMESPACE}
    root = ET.fromstring(datacite.to_datacite(WORK))
    for path in (
        "d:identifier",
        "d:creators/d:creator/d:creatorName",
        "d:titles/d:title",
        "d:publisher",
        "d:publicationYear",
        "d:resourceType",
    ):
        assert root.find(path, space).text
    assert root.find("d:identifier", space).text == ":tba"
    assert root.find("d:resourceType", space).get("resourceTypeGeneral") == "Dataset"
    assert root.find("d:rightsList/d:rights", space).get("rightsURI") == "https://creativecommons.org/licenses/by/4.0/"
    assert root.find("d:creators/d:creator/d:nameIdentifier", space).text == "0000-0002-1825-0097"


def it_writes_a_deposit_for_zenodo():
    told = json.loads(datacite.to_zenodo(WORK))["metadata"]
    assert told["upload_type"] == "dataset" and told["license"] == "cc-by-4.0" and told["publication_date"] == "2026-05-04"
    assert {one["relation"] for one in told["related_identifiers"]} == {"isIdenticalTo"}


def it_leaves_no_way_out_of_a_script_element():
    assert "<" not in to_script_json({"name": "</script><script>alert(1)"})


def _graph(page: str) -> rdflib.Graph:
    text = page.split('<script type="application/ld+json">')[1].split("</script>")[0]
    told = json.loads(text) | {"@context": {"@vocab": "https://schema.org/"}}
    return rdflib.Graph().parse(data=json.dumps(told), format="json-ld")


@pytest.mark.django_db
def it_stands_in_the_page_as_linked_data(client):
    link = frozen.frozen(title="Writes </script> of a tank")
    Archive.objects.update(licence="CC-BY-4.0")
    graph = _graph(client.get(f"/p/{link.pk}").content.decode())
    page = rdflib.URIRef(f"http://testserver/p/{link.pk}")
    assert (page, rdflib.RDF.type, SCHEMA.Dataset) in graph
    assert str(graph.value(page, SCHEMA.name)) == "Writes </script> of a tank"
    names = {str(graph.value(person, SCHEMA.name)) for person in graph.objects(page, SCHEMA.creator)}
    assert names == {"Ann Rae", "Bo Li"}
    files = {str(graph.value(file, SCHEMA.contentUrl)) for file in graph.objects(page, SCHEMA.distribution)}
    assert {f"{page}.json", f"{page}.csv", f"{page}.zip", f"{page}.svg"} <= files
    digests = {str(graph.value(node, SCHEMA.value)) for node in graph.objects(page, SCHEMA.identifier)}
    assert link.digest in digests


@pytest.mark.parametrize(
    ("typed", "doi"),
    [
        ("10.5281/zenodo.12345", "10.5281/zenodo.12345"),
        (" https://doi.org/10.1000/182 ", "10.1000/182"),
        ("doi:10.1000/a(b)c", "10.1000/a(b)c"),
        ("", ""),
    ],
)
def it_reads_a_doi(typed, doi):
    assert citation.parse_doi(typed) == doi


@pytest.mark.parametrize("typed", ["zenodo.12345", "10.5/x", "10.5281/", "10.5281/a b", "10.5281/<script>", "10.5281/" + "a" * 300])
def it_refuses_what_is_no_doi(typed):
    with pytest.raises(citation.InvalidDoi):
        citation.parse_doi(typed)


@pytest.mark.django_db
def it_shows_the_doi_of_the_owner_and_keeps_the_frozen_files(ann):
    link = frozen.with_plain_pictures(frozen.frozen())
    before = bytes(permalink_bundle.get_bundle(link).data)
    assert "Give it a DOI" in ann.get(f"/p/{link.pk}").content.decode()
    ann.post(f"/p/{link.pk}/doi", {"doi": "https://doi.org/10.5281/zenodo.12345"})
    answer = ann.get(f"/p/{link.pk}")
    assert "Poolmark. https://doi.org/10.5281/zenodo.12345" in answer.content.decode()
    assert bytes(permalink_bundle.get_bundle(link).data) == before == ann.get(f"/p/{link.pk}.zip").content
    ann.post(f"/p/{link.pk}/doi", {"doi": "nonsense"})
    assert citation.read_doi(link.pk) == "10.5281/zenodo.12345"
    ann.post(f"/p/{link.pk}/doi", {"doi": ""})
    assert citation.read_doi(link.pk) == ""


DEPOSITS = ("datacite.xml", "zenodo.json")
"""Citation files without a note."""


@pytest.mark.django_db
@pytest.mark.parametrize("name", permalink_bundle.CITATIONS)
def it_cites_the_record_until_the_files_are_drawn(client, name):
    link = frozen.frozen()
    early = client.get(f"/p/{link.pk}/cite/{name}").content.decode()
    assert link.digest in early and not Rendering.objects.filter(of=link.pk).exists()
    assert "no-cache" in client.get(f"/p/{link.pk}/cite/{name}")["Cache-Control"]
    page = client.get(f"/p/{link.pk}").content.decode()
    assert "Being frozen: its files are still being drawn." in page and "Frozen on" not in page
    frozen.with_plain_pictures(link)
    permalink_bundle.get_bundle(link)
    bundle = manifest.read_digests(link).bundle
    late = client.get(f"/p/{link.pk}/cite/{name}").content.decode()
    assert bundle in late and bundle not in early
    assert (UNDRAWN_NOTE in early, UNDRAWN_NOTE in late) == (name not in DEPOSITS, False)
    assert "Frozen on" in client.get(f"/p/{link.pk}").content.decode()


@pytest.mark.django_db
def it_lets_nobody_else_enter_a_doi(client):
    link = frozen.frozen()
    client.force_login(making.user("bo"))
    assert client.post(f"/p/{link.pk}/doi", {"doi": "10.1000/182"}).status_code == 404
    assert citation.read_doi(link.pk) == ""
