"""The licence of an archive reaches every citation, bundle and export of new permalinks; older ones keep their bytes."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from webapp.formats import frozen, tidy
from webapp.formats.citations import crate, datacite, entries
from webapp.formats.citations.licences import OFFERED, find_licence, licence_address, licence_spdx
from webapp.models import Archive
from webapp.permalinks.bundles import permalink_bundle, readme
from webapp.tests import frozen as freezing
from webapp.tests import samples

DATACITE = f"{{{datacite.NAMESPACE}}}"


def _frozen(licence: str):
    samples.received(samples.tar({"dd.txt": samples.dd(2.5)}))
    Archive.objects.update(licence=licence)
    return freezing.freeze()


@pytest.mark.parametrize("licence", OFFERED, ids=lambda licence: licence.spdx)
def test_offered_licences_are_known_by_name_and_identifier(licence):
    assert find_licence(licence.name) == find_licence(licence.spdx) == licence
    assert licence_address(licence.name) == licence.address and licence_spdx(licence.name.lower()) == licence.spdx


@pytest.mark.django_db
@pytest.mark.parametrize("licence", OFFERED, ids=lambda licence: licence.spdx)
def test_it_is_in_record_citations_and_export(licence):
    link = _frozen(licence.name)
    record = json.loads(bytes(link.record))
    assert [(a["licence"], a["licence_spdx"]) for a in record["archives"].values()] == [(licence.name, licence.spdx)]
    work = permalink_bundle.work_of_record(json.loads(bytes(link.record)), link.digest)
    assert f'license: "{licence.spdx}"\n' in entries.to_cff(work)
    rights = ET.fromstring(datacite.to_datacite(work)).find(f"{DATACITE}rightsList/{DATACITE}rights")
    assert rights is not None and rights.text == licence.name
    assert (rights.get("rightsIdentifier"), rights.get("rightsURI")) == (licence.spdx, licence.address)
    graph = {node["@id"]: node for node in json.loads(crate.metadata(work, []))["@graph"]}
    assert graph["./"]["license"] == {"@id": licence.address}
    assert graph[licence.address]["identifier"] == f"https://spdx.org/licenses/{licence.spdx}"
    assert f"copyright = {{{licence.name}}}" in entries.to_bibtex(work) and f"Licence: {licence.name}" in entries.to_ris(work)
    rows = list(csv.DictReader(io.StringIO(tidy.to_tables(record, link.digest)["files.csv"])))
    assert {row["licence"] for row in rows} == {licence.spdx}
    assert f"Licence of the data: {licence.name} ({licence.spdx})\n" in readme.readme_text(record, link.digest)


@pytest.mark.django_db
def test_a_licence_by_its_name_alone(client):
    link = _frozen("House licence 7")
    work = permalink_bundle.work_of_record(json.loads(bytes(link.record)), link.digest)
    assert work.spdx == "" and "license" not in entries.to_cff(work)
    assert "House licence 7" in datacite.to_datacite(work).decode() and b"rightsIdentifier" not in datacite.to_datacite(work)
    assert json.loads(crate.metadata(work, []))["@graph"][2]["name"] == "House licence 7"
    assert '"license": "House licence 7"' in client.get(f"/p/{link.pk}").text


@pytest.mark.django_db
def test_a_permalink_keeps_the_licence_that_it_was_frozen_with(client):
    link = _frozen("CC BY 4.0")
    before = {name: bytes(client.get(f"/p/{link.pk}/{name}").content) for name in ("CITATION.cff", "datacite.xml")}
    record = bytes(link.record)
    Archive.objects.update(licence="CC0 1.0")
    link.refresh_from_db()
    assert bytes(link.record) == record
    assert {name: bytes(client.get(f"/p/{link.pk}/{name}").content) for name in before} == before


@pytest.mark.django_db
def test_files_of_a_record_without_identifiers_are_as_they_were():
    """The record as it was frozen before identifiers were: nothing in its files is new."""
    link = _frozen("CC BY 4.0")
    record = json.loads(bytes(link.record))
    for about in record["archives"].values():
        del about["licence_spdx"]
    work = permalink_bundle.work_of_record(record, link.digest)
    assert work.spdx is None and work.licence == "CC BY 4.0"
    new = permalink_bundle.work_of_record(json.loads(bytes(link.record)), link.digest)
    assert replace(new, spdx=None, based_on=work.based_on) == work
    made = [entries.to_cff(work), entries.to_ris(work), entries.to_csl(work), entries.to_bibtex(work)]
    made += [datacite.to_datacite(work).decode(), readme.readme_text(record, link.digest)]
    assert not any(re.search("spdx|copyright =|license:|Licence:|Licence of", text, re.I) for text in made)
    assert "licence" not in next(csv.reader(io.StringIO(frozen.to_data(record, link.digest))))
    assert "identifier" not in next(
        node for node in json.loads(crate.metadata(work, []))["@graph"] if node["@id"].startswith("https://creativecommons")
    )
