"""Several permalinks under one address: order, captions, one citation, one bundle that checks itself; frozen as they are."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import rdflib
import yaml
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from rocrate.rocrate import ROCrate

from webapp.accounts import audit
from webapp.archives import lifecycle
from webapp.formats.canonical import canonical_json
from webapp.formats.citations import datacite
from webapp.models import Archive, Collection, Measurement
from webapp.permalinks import citation, collections
from webapp.permalinks.bundles import collection_bundle, manifest
from webapp.storage import load, locks
from webapp.tests import frozen, making, samples

pytestmark = pytest.mark.django_db


@pytest.fixture
def links():
    samples.received(samples.tar({"run/dd.txt": samples.dd(2.5, 2.6, 2.4)}))
    return [frozen.freeze(title="First"), frozen.freeze("metric=write.throughput&x=os", title="Second", authors="Cy Day")]


@pytest.fixture
def collection(links) -> Collection:
    """The second figure first, with captions."""
    first, second = links
    made = collections.build_collection_record(
        "The figures of the paper",
        "Ann Rae; Bo Li",
        [collections.ChosenPermalink(second.pk, "By system."), collections.ChosenPermalink(first.pk)],
        frozen.SITE.site,
    )
    return collections.freeze_collection(made, making.user("ann"), frozen.SITE)


@pytest.fixture
def plain_pictures(links) -> None:
    """For tests of what else is in the bundle: nothing is drawn."""
    for link in links:
        frozen.with_plain_pictures(link)


def told(collection: Collection) -> dict:
    return json.loads(bytes(collection.record))


def unpacked(collection: Collection, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(bytes(collection_bundle.get_bundle(collection).data))) as archive:
        archive.extractall(folder / "crate")
    return folder / "crate"


def checked(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    """Exit code and lines of verify.py, run by a bare interpreter without anything of ours on its path."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(folder / "verify.py"), *arguments], capture_output=True, text=True, timeout=60, cwd="/"
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def it_is_made_from_the_pages_of_permalinks(ann, links):
    first, second = links
    assert "Add to a collection" in ann.get(f"/p/{first.pk}").content.decode()
    ann.post("/collections/new", {"add": first.pk})
    pasted = f"https://poolmark.example/p/{second.pk}.svg?width=85"
    ann.post("/collections/new", {"add": pasted, "title": "A paper", "authors": "Ann"})
    ann.post("/collections/new", {"do": f"up:{second.pk}", "figure": [first.pk, second.pk], "caption": ["One.", "Two."]})
    page = ann.get("/collections/new").content.decode()
    assert page.index("Second") < page.index("First") and "Two." in page and 'value="A paper"' in page
    answer = ann.post("/collections/new", {"do": "freeze", "figure": [second.pk, first.pk], "caption": ["Two!", "One."]})
    made = Collection.objects.get()
    assert answer["Location"] == f"/c/{made.pk}"
    assert [(one["id"], one["caption"]) for one in told(made)["figures"]] == [(second.pk, "Two!"), (first.pk, "One.")]
    assert "No figure yet" in ann.get("/collections/new").content.decode()
    assert f"/c/{made.pk}" in ann.get("/permalinks").content.decode()


def it_takes_figures_out_of_the_draft(ann, links):
    ann.post("/collections/new", {"add": [link.pk for link in links]})
    ann.post("/collections/new", {"do": f"out:{links[0].pk}"})
    page = ann.get("/collections/new").content.decode()
    assert "Second" in page and "First" not in page


@pytest.mark.parametrize(("typed", "said"), [("22222222", "is mistyped"), ("2222222222", "nothing has been frozen")])
def it_says_why_a_name_is_not_taken(ann, typed, said):
    assert said in ann.post("/collections/new", {"do": "add", "add": typed}, follow=True).content.decode()


def it_is_never_empty(ann):
    assert "needs a figure" in ann.post("/collections/new", {"do": "freeze"}, follow=True).content.decode()
    assert not Collection.objects.exists()


@pytest.mark.parametrize("address", ["/permalinks", "/collections/new"])
def it_needs_an_account(client, address):
    assert "/sign-in" in client.get(address)["Location"]


def it_lists_only_ones_own(client, links):
    client.force_login(making.user("bo"))
    assert "Nothing is frozen yet" in client.get("/permalinks").content.decode()


def it_is_the_same_collection_to_the_same_person_only(collection):
    content = {key: value for key, value in told(collection).items() if key not in ("id", "frozen_at", "address")}
    assert collections.freeze_collection(content, making.user("ann"), frozen.SITE) == collection
    assert collections.freeze_collection(content, making.user("bo"), frozen.SITE) != collection


def it_gives_exactly_the_frozen_bytes(client, collection):
    answer = client.get(f"/c/{collection.pk}.json")
    assert answer.content == bytes(collection.record) == canonical_json(json.loads(answer.content))
    assert hashlib.sha256(answer.content).hexdigest() == collection.digest
    assert "immutable" in answer["Cache-Control"] and collection.digest in client.get(f"/c/{collection.pk}").content.decode()


@pytest.mark.parametrize("sql", ["UPDATE webapp_collection SET title = 'x'", "DELETE FROM webapp_collection"])
def it_is_refused_by_the_database_to_change_one(collection, sql):
    with pytest.raises(DatabaseError, match="frozen for ever"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


def it_shows_the_figures_in_order_with_captions(client, collection, links):
    page = client.get(f"/c/{collection.pk}").content.decode()
    assert page.index("Figure 1. Second") < page.index("By system.") < page.index("Figure 2. First")
    assert all(f"/p/{link.pk}" in page for link in links)
    with CaptureQueriesContext(connection) as caught:
        locks.lock_writes()
        cache.clear()
        before = len(caught)
        client.get(f"/c/{collection.pk}")
    assert len(caught) - before <= 10


def it_tells_what_changed_at_the_figure_that_it_concerns(client, links):
    other = samples.received(samples.tar({"b.txt": samples.dd(9).replace(b"tank", b"pond")}))
    third = frozen.freeze(f"metric=write.throughput&x=host&archive={other.pk}", title="Third")
    chosen = [collections.ChosenPermalink(links[0].pk), collections.ChosenPermalink(third.pk)]
    made = collections.freeze_collection(collections.build_collection_record("", "", chosen), making.user(), frozen.SITE)
    first = frozen.as_if_read_again()
    Measurement.objects.filter(pk=first.pk).update(value=first.value * 2)
    load.withdraw(other.pk, "The disk was broken.")
    page = client.get(f"/c/{made.pk}").content.decode()
    one, two = page.split('id="figure-2"')
    assert "1 of 3 values was corrected" in one and "withdrawn" not in one
    assert "was withdrawn on" in two and "corrected" not in two


def it_tells_a_mistyped_name(client, collection):
    name = collection.pk
    swapped = name[:-1] + ("2" if name[-1] != "2" else "3")
    assert "This address is mistyped" in client.get(f"/c/{swapped}").content.decode()
    assert client.get(f"/c/{swapped}.json").status_code == 404
    assert "No such collection" in client.get("/c/2222222222").content.decode()


def it_is_cited_as_one_work(client, collection, links):
    assert "Rae" in client.get(f"/c/{collection.pk}.bib").content.decode()
    assert client.get(f"/c/{collection.pk}.bib?form=biblatex").content != client.get(f"/c/{collection.pk}.bib").content
    cff = yaml.safe_load(client.get(f"/c/{collection.pk}/cite/CITATION.cff").content)
    assert cff["title"] == "The figures of the paper" and len(cff["references"]) == 1
    [item] = json.loads(client.get(f"/c/{collection.pk}.csl").content)
    assert [one["family"] for one in item["author"]] == ["Rae", "Li"] and item["URL"].endswith(f"/c/{collection.pk}")
    root = ET.fromstring(client.get(f"/c/{collection.pk}/datacite.xml").content)
    parts = [one.text for one in root.iter(f"{{{datacite.NAMESPACE}}}relatedIdentifier") if one.get("relationType") == "HasPart"]
    assert parts == [f"{frozen.SITE.site}/p/{links[1].pk}", f"{frozen.SITE.site}/p/{links[0].pk}"]


def it_says_in_its_citations_that_sources_were_withdrawn(client, collection):
    """Since they were frozen, each archive once; again nothing once it is restored."""
    archive, said = Archive.objects.get(), "1 of its sources has values withdrawn or deleted since"
    places = (".bib", ".ris", ".csl", "/cite/citation.txt", "/cite/CITATION.cff", "/datacite.xml", "/zenodo.json")
    actor = audit.actor_of(making.user("ann"))
    before = bytes(collection_bundle.get_bundle(collection).data)
    for action, there in (("withdraw", True), ("unwithdraw", False), ("withdraw", True), ("delete", True)):
        assert lifecycle.perform_action(archive.pk, action, actor, "A cable was loose.")
        for place in places:
            text = " ".join(client.get(f"/c/{collection.pk}{place}").content.decode().split())
            assert (said in text) is there, (action, place)
        told = client.get(f"/c/{collection.pk}").content.decode().split('"application/ld+json">')[1].split("</script>")[0]
        status = json.loads(told).get("subjectOf", {})
        assert (status.get("name") == said) is there, action
        if there:
            assert status["url"] == f"http://testserver/c/{collection.pk}"
    assert bytes(collection_bundle.get_bundle(collection).data) == before


@pytest.mark.usefixtures("plain_pictures")
def it_has_linked_data(client, collection, links):
    answer = client.get(f"/c/{collection.pk}")
    page = f"http://testserver/c/{collection.pk}"
    text = answer.content.decode().split('<script type="application/ld+json">')[1].split("</script>")[0]
    told = json.loads(text) | {"@context": {"@vocab": "https://schema.org/"}}
    graph = rdflib.Graph().parse(data=json.dumps(told), format="json-ld")
    schema = rdflib.Namespace("https://schema.org/")
    assert {str(one) for one in graph.objects(rdflib.URIRef(page), schema.hasPart)} == {
        f"http://testserver/p/{link.pk}" for link in links
    }


def it_gets_a_doi_from_its_owner_only(client, collection):
    client.force_login(making.user("bo"))
    assert client.post(f"/c/{collection.pk}/doi", {"doi": "10.1000/182"}).status_code == 404
    client.force_login(making.user("ann"))
    assert client.post(f"/c/{collection.pk}/doi", {"doi": "10.1000/182"})["Location"] == f"/c/{collection.pk}"
    assert citation.read_doi(collection.pk) == "10.1000/182"
    assert "https://doi.org/10.1000/182" in client.get(f"/c/{collection.pk}").content.decode()


@pytest.mark.thorough
def it_checks_all_figures_offline(tmp_path, collection, links):
    folder = unpacked(collection, tmp_path)
    whole = "all 6 values of 2 figures recomputed"
    code, [line] = checked(folder, manifest.read_digests(collection).bundle)
    assert (code, line) == (0, f"{whole}, digest matches: every file is as frozen")
    assert checked(folder, collection.digest)[0] == 4 and checked(folder)[0] == 3 and checked(folder, "0" * 64)[0] == 1
    inner = folder / "figures" / f"02-{links[0].pk}" / "verify.py"
    arguments = [sys.executable, "-I", "-S", str(inner), manifest.read_digests(links[0]).bundle]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "all 3 values recomputed, digest matches: every file is as frozen\n")
    assert "unknown" not in "".join(checked(folder, collection.digest)[1])  # nothing is left behind in the folder


@pytest.mark.usefixtures("plain_pictures")
def it_checks_a_dropped_collection(client, collection):
    data = bytes(collection_bundle.get_bundle(collection).data)
    for digest, said in (("", "every file is as frozen"), (collection.digest, "pictures, tables and citation are not covered")):
        page = client.post("/verify", {"bundle": SimpleUploadedFile("x.zip", data), "digest": digest}).content.decode()
        assert said in page and "all 6 values of 2 figures recomputed" in page
    page = client.post("/verify", {"bundle": SimpleUploadedFile("x.zip", data), "digest": "0" * 64}).content.decode()
    assert "neither manifest.json" in page and "every file is as frozen" not in page


@pytest.mark.usefixtures("plain_pictures")
def it_names_a_forged_file_of_a_figure(tmp_path, collection, links):
    folder = unpacked(collection, tmp_path)
    place = f"figures/02-{links[0].pk}/figures/figure-85mm.pdf"
    (folder / place).write_bytes(b"forged")
    code, lines = checked(folder, manifest.read_digests(collection).bundle)
    assert code == 1 and f"changed: {place}" in lines


@pytest.mark.usefixtures("plain_pictures")
def it_names_the_figure_and_the_value_of_a_flipped_digit(tmp_path, collection, links):
    folder = unpacked(collection, tmp_path)
    [excerpt] = (folder / "figures" / f"02-{links[0].pk}" / "excerpts").iterdir()
    excerpt.write_text(excerpt.read_text().replace("copied, 2.6 s", "copied, 2.7 s"))
    code, lines = checked(folder)
    assert code == 1 and any(line.startswith(f"figure 2 ({links[0].pk}): value 1 (write.throughput") for line in lines)


@pytest.mark.usefixtures("plain_pictures")
def it_tells_another_caption_and_a_missing_figure(tmp_path, collection, links):
    folder = unpacked(collection, tmp_path)
    record = folder / "collection.json"
    record.write_text(record.read_text().replace("By system.", "By chance."))
    (folder / "figures" / f"01-{links[1].pk}" / "record.json").unlink()
    code, lines = checked(folder)
    assert code == 1 and "changed: collection.json" in lines
    assert f"missing: figures/01-{links[1].pk}/record.json" in lines


@pytest.mark.usefixtures("plain_pictures")
def it_is_a_crate_in_which_every_file_is_described(tmp_path, collection):
    folder = unpacked(collection, tmp_path)
    crate = ROCrate(folder)
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    described = {entity.id for entity in crate.data_entities}
    assert there - {"ro-crate-metadata.json", "checksums.txt", "manifest.json", "digest.txt"} == {
        name for name in described if not name.endswith("/")
    }
    assert crate.root_dataset["name"] == "The figures of the paper" and crate.root_dataset["license"]["name"]


@pytest.mark.usefixtures("plain_pictures")
def it_outlives_its_sources(client, collection):
    endings = (".json", ".zip", ".bib", ".ris", ".csl", "/datacite.xml", "/zenodo.json", "/cite/citation.txt")
    before = [client.get(f"/c/{collection.pk}{ending}").content for ending in endings]
    Archive.objects.all().delete()
    assert [client.get(f"/c/{collection.pk}{ending}").content for ending in endings] == before
    assert "was deleted" in client.get(f"/c/{collection.pk}").content.decode()


@pytest.mark.usefixtures("plain_pictures")
def it_is_checked_on_the_server_too(capsys, collection):
    collection_bundle.get_bundle(collection)
    call_command("verify-permalinks")
    assert f"collection {collection.pk}: every digest matches" in capsys.readouterr().out
