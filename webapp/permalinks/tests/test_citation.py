"""How people and machines cite a permalink: each form is read back by a parser."""

from __future__ import annotations

import json
from datetime import date
from xml.etree import ElementTree as ET

import pytest
import rdflib
import yaml
from requests.utils import parse_header_links

from webapp.formats import citations, datacite
from webapp.formats.jsonld import to_script_json
from webapp.formats.licences import licence_address
from webapp.formats.work import CitedWork, Person, parse_authors
from webapp.models import Archive
from webapp.permalinks import dois
from webapp.permalinks.bundles import permalink_bundle
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


def it_writes_ris():
    lines = [line.split("  - ", 1) for line in citations.to_ris(WORK).split("\r\n") if line]
    assert lines[0] == ["TY", "DATA"] and lines[-1][0] == "ER"
    assert [text for tag, text in lines if tag == "AU"] == ["Rae, Ann", "Li, Bo", "The ZFS Group"]
    assert dict(lines)["TI"] == WORK.title and dict(lines)["DA"] == "2026/05/04"


def it_writes_csl_json():
    [item] = json.loads(citations.to_csl(WORK))
    assert item["type"] == "dataset" and item["issued"] == {"date-parts": [[2026, 5, 4]]}
    assert item["author"][0] == {"family": "Rae", "given": "Ann"}


def it_writes_a_citation_file():
    told = yaml.safe_load(citations.to_cff(WORK))
    assert told["cff-version"] == "1.2.0" and told["type"] == "dataset" and told["message"]
    assert told["authors"][0] == {"family-names": "Rae", "given-names": "Ann", "orcid": "https://orcid.org/0000-0002-1825-0097"}
    assert told["references"][0]["title"] == "Raw results" and told["references"][0]["authors"][0]["family-names"] == "Day"


@pytest.mark.parametrize(
    ("style", "text"),
    [
        (citations.to_apa, "Rae, A., & Li, B. (2026, May 4). Fast disks [Data set]. Poolmark. https://example.org/p/abc"),
        (
            citations.to_ieee,
            'A. Rae and B. Li, "Fast disks," Poolmark, May 4, 2026. [Online]. Available: https://example.org/p/abc',
        ),
        (citations.to_chicago, 'Rae, Ann, and Bo Li. "Fast disks." Poolmark, May 4, 2026. https://example.org/p/abc.'),
    ],
)
def it_writes_three_plain_styles(style, text):
    assert (
        style(CitedWork("k", "Fast disks", parse_authors("Ann Rae; Bo Li"), date(2026, 5, 4), "https://example.org/p/abc", "a"))
        == text
    )


def it_cites_a_work_without_authors_by_its_publisher():
    nobody = CitedWork("k", "Fast disks", (), date(2026, 5, 4), "https://example.org/p/abc", "a")
    assert citations.to_apa(nobody).startswith("Poolmark. (2026") and "PB  - Poolmark" in citations.to_ris(nobody)


def it_writes_datacite_with_everything_that_is_mandatory():
    space = {"d": datacite.NAMESPACE}
    root = ET.fromstring(datacite.to_datacite(WORK, 99))
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


@pytest.mark.thorough
@pytest.mark.django_db
def it_has_signposts_in_its_header_and_every_file_points_back(client):
    link = frozen.frozen()
    page = f"http://testserver/p/{link.pk}"
    links = parse_header_links(client.get(f"/p/{link.pk}")["Link"])
    by = {relation: {one["url"] for one in links if one["rel"] == relation} for relation in {one["rel"] for one in links}}
    assert by["cite-as"] == {page} and f"{page}/datacite.xml" in by["describedby"]
    assert by["type"] == {"https://schema.org/Dataset", "https://schema.org/AboutPage"}
    for one in links:
        if one["rel"] in ("item", "describedby"):
            answer = client.get(one["url"].removeprefix("http://testserver"))
            assert answer.status_code == 200 and answer["Content-Type"].split(";")[0] == one["type"], one
            if "/p/" in one["url"] and not one["url"].endswith((".svg", ".pdf", ".png")):
                [back] = parse_header_links(answer["Link"])
                assert (back["url"], back["rel"]) == (page, "collection")


@pytest.mark.django_db
def it_signposts_a_licence_that_all_archives_share(client):
    from webapp.tests import samples

    samples.received(samples.tar({"dd.txt": samples.dd(2.5)}))
    Archive.objects.update(licence="CC BY 4.0")
    links = parse_header_links(client.get(f"/p/{frozen.freeze().pk}")["Link"])
    assert [one["url"] for one in links if one["rel"] == "license"] == ["https://creativecommons.org/licenses/by/4.0/"]


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
    assert dois.parse_doi(typed) == doi


@pytest.mark.parametrize("typed", ["zenodo.12345", "10.5/x", "10.5281/", "10.5281/a b", "10.5281/<script>", "10.5281/" + "a" * 300])
def it_refuses_what_is_no_doi(typed):
    with pytest.raises(dois.InvalidDoi):
        dois.parse_doi(typed)


@pytest.mark.django_db
def it_shows_the_doi_of_the_owner_and_keeps_the_frozen_files(ann):
    link = frozen.with_plain_pictures(frozen.frozen())
    before = bytes(permalink_bundle.get_bundle(link).data)
    assert "Give it a DOI" in ann.get(f"/p/{link.pk}").content.decode()
    ann.post(f"/p/{link.pk}/doi", {"doi": "https://doi.org/10.5281/zenodo.12345"})
    answer = ann.get(f"/p/{link.pk}")
    assert "Poolmark. https://doi.org/10.5281/zenodo.12345" in answer.content.decode()
    cite_as = next(one["url"] for one in parse_header_links(answer["Link"]) if one["rel"] == "cite-as")
    assert cite_as == "https://doi.org/10.5281/zenodo.12345"
    assert bytes(permalink_bundle.get_bundle(link).data) == before == ann.get(f"/p/{link.pk}.zip").content
    ann.post(f"/p/{link.pk}/doi", {"doi": "nonsense"})
    assert dois.read_doi(link.pk) == "10.5281/zenodo.12345"
    ann.post(f"/p/{link.pk}/doi", {"doi": ""})
    assert dois.read_doi(link.pk) == ""


@pytest.mark.django_db
def it_lets_nobody_else_enter_a_doi(client):
    link = frozen.frozen()
    client.force_login(making.user("bo"))
    assert client.post(f"/p/{link.pk}/doi", {"doi": "10.1000/182"}).status_code == 404
    assert dois.read_doi(link.pk) == ""
