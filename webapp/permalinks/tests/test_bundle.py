"""The evidence bundle: unpacked on its own it checks itself, and tells what was touched."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import pytest
import rdflib
import rocrate
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import override_settings
from rocrate.rocrate import ROCrate

from ingest.tests.thinning import some
from webapp.models import Archive
from webapp.permalinks import derivations
from webapp.permalinks.bundles import permalink_bundle, verify
from webapp.tests import frozen, samples

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def bundles(django_db_setup, django_db_blocker, tmp_path_factory):
    """Gives digest and bytes of the bundle of so many seconds, drawn once for the module; its rows are gone again."""

    @cache
    def made(*seconds: float) -> tuple[str, bytes]:
        folder = tmp_path_factory.mktemp("bundles")
        with django_db_blocker.unblock(), override_settings(POOLMARK_DATA=folder), transaction.atomic():
            link = frozen.frozen(*seconds)
            data = bytes(permalink_bundle.get_bundle(link).data)
            transaction.set_rollback(True)
        return link.digest, data

    return made


def unpacked(data: bytes, folder: Path) -> Path:
    folder /= "crate"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(folder)
    return folder


def checked(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    """Exit code and lines of verify.py, run by a bare interpreter without anything of ours on its path."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(folder / "verify.py"), *arguments], capture_output=True, text=True, timeout=60, cwd="/"
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


@pytest.mark.thorough
def it_recomputes_every_value_offline(tmp_path, bundles):
    digest, data = bundles(2.5, 2.6, 2.4)
    folder = unpacked(data, tmp_path)
    bundle = verify.digest_of(folder / "manifest.json")
    assert checked(folder, bundle) == (0, ["all 3 values recomputed, digest matches: every file is as frozen"])
    assert checked(folder, bundle.upper(), str(folder))[0] == 0
    code, [line] = checked(folder, digest)
    assert code == 4 and "pictures, tables and citation are not covered" in line
    code, [line] = checked(folder)
    assert code == 3 and "compared with itself alone" in line and bundle in line
    assert checked(folder, "0" * 64)[0] == 1


def it_names_the_value_whose_digit_was_flipped(tmp_path, bundles):
    folder = unpacked(bundles(2.5, 2.6, 2.4)[1], tmp_path)
    [excerpt] = (folder / "excerpts").iterdir()
    excerpt.write_text(excerpt.read_text().replace("copied, 2.6 s", "copied, 2.7 s"))
    code, lines = checked(folder)
    assert code == 1
    assert any(line.startswith("value 1 (write.throughput") and "run/dd.txt:" in line and "its line" in line for line in lines)
    assert sum("its line" in line for line in lines) == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("record.json", '"measured":429496729.6', '"measured":429496729.7', "its text gives 429496729.6"),
        ("record.json", '"center":429496729.6', '"center":429496730.6', "the median is 429496729.6"),
        ("record.json", '"under":"2.5"', '"under":"2.6"', "2.6 does not stand on the lines around"),
        ("data.csv", "429496729.6", "429496729.7", "changed: data.csv"),
        ("CITATION.cff", "Rae", "Roe", "changed: CITATION.cff"),
    ],
)
def it_tells_what_was_touched(tmp_path, bundles, name, old, new, told):
    folder = unpacked(bundles(2.5)[1], tmp_path)
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))
    code, lines = checked(folder)
    assert code == 1 and any(told in line for line in lines)


def it_has_captions_beside_its_figures(tmp_path, bundles):
    folder = unpacked(bundles(2.5, 2.6, 2.4)[1], tmp_path)
    for name, picture in (("caption.tex", "figure-85mm.pdf"), ("caption.md", "figure-180mm.svg")):
        text = (folder / "figures" / name).read_text()
        assert picture in text and (folder / "figures" / picture).exists() and "Sequential write" in text
    assert (folder / "figures" / "caption.html").read_text().startswith('<p class="caption">')


def it_never_holds_whole_files(tmp_path):
    samples.received(samples.tar({"long.txt": b"secret\n" * 50 + samples.dd(2.5) + b"secret\n" * 50}))
    link = frozen.with_plain_pictures(frozen.freeze())
    folder = unpacked(bytes(permalink_bundle.get_bundle(link).data), tmp_path)
    [excerpt] = (folder / "excerpts").iterdir()
    assert len(excerpt.read_text().splitlines()) <= 7 and excerpt.read_text().count("secret") <= 3


def it_has_the_lines_of_an_excerpt_in_their_order():
    record = {
        "archives": {"1": {"title": "a"}},
        "files": {"7": {"archive": 1, "path": "dd.txt", "sha256": 64 * "0", "lines": {"10": "j", "9": "i", "100": "z", "2": "b"}}},
    }
    [part] = permalink_bundle.excerpt_parts(record)
    assert part.data == b"2\tb\n9\ti\n10\tj\n100\tz\n"


@pytest.mark.thorough
def it_is_the_same_bytes_for_ever_and_whoever_makes_it():
    link = frozen.frozen()
    first = bytes(permalink_bundle.get_bundle(link).data)
    frozen_at = json.loads(bytes(link.record))["frozen_at"]
    assert permalink_bundle.zip_parts(permalink_bundle.bundle_parts(link), frozen_at) == first
    Archive.objects.get().delete()
    assert bytes(permalink_bundle.get_bundle(link).data) == first


def it_is_a_crate_that_its_own_library_reads(tmp_path, bundles):
    folder = unpacked(bundles(2.5, 2.6, 2.4)[1], tmp_path)
    crate = ROCrate(folder)
    assert crate.version == "1.1"
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    described = {entity.id for entity in crate.data_entities}
    assert there - {"ro-crate-metadata.json", "checksums.txt", "manifest.json", "digest.txt"} == {
        name for name in described if not name.endswith("/")
    }
    assert {"Ann Rae", "Bo Li"} == {author["name"] for author in crate.root_dataset["author"]}
    assert crate.root_dataset["datePublished"] and crate.root_dataset["license"]["name"]


def it_is_linked_data_without_loose_ends(tmp_path, bundles):
    """Every entity that is referred to is described, by the context that the standard gives."""
    text = (unpacked(bundles(2.5, 2.6, 2.4)[1], tmp_path) / "ro-crate-metadata.json").read_text()
    standard = json.loads((Path(rocrate.__file__).parent / "data" / "ro-crate.jsonld").read_text())
    graph = rdflib.Graph().parse(
        data=json.dumps({**json.loads(text), "@context": standard["@context"]}), format="json-ld", publicID="file:///crate/"
    )
    described = set(graph.subjects())
    inside = {thing for thing in graph.objects() if isinstance(thing, rdflib.URIRef) and str(thing).startswith("file:///crate/")}
    assert inside <= described
    root = rdflib.URIRef("file:///crate/")
    schema = rdflib.Namespace("http://schema.org/")
    assert (root, rdflib.RDF.type, schema.Dataset) in graph
    assert len(set(graph.objects(root, schema.hasPart))) >= 7


@pytest.mark.thorough
def it_gives_the_bundle_under_its_address(client):
    link = frozen.frozen()
    answer = client.get(f"/p/{link.pk}.zip")
    assert answer["Content-Type"] == "application/zip" and "immutable" in answer["Cache-Control"]
    assert answer.content == client.get(f"/p/{link.pk}.zip").content == bytes(permalink_bundle.get_bundle(link).data)


def it_checks_all_on_the_server(capsys):
    link = frozen.with_plain_pictures(frozen.frozen())
    permalink_bundle.get_bundle(link)
    call_command("verify-permalinks")
    assert capsys.readouterr().out.splitlines() == [
        f"{link.pk}: all 3 values recomputed, digest matches",
        "1 permalinks, 3 values, 0 with problems",
    ]
    with pytest.raises(CommandError, match="no such permalink: nonsense"):
        call_command("verify-permalinks", "nonsense")


@pytest.mark.parametrize("values", [[2.0], [2.0, 3.0], [1.0, 2.0, 2.5, 2.7, 3.1, 3.2, 4.0, 4.1, 9.0]])
@pytest.mark.parametrize("stat", ["", "&stat=mean", "&stat=bootstrap", "&stat=geometric", "&control=off"])
def it_recomputes_the_statistics(values, stat):
    samples.received(samples.tar({"a.txt": samples.dd(*values)}))
    samples.received(samples.tar({"b.txt": samples.dd(*values[:2]).replace(b"of=/tank/f", b"of=/tank/g")}))
    link = frozen.freeze(f"metric=write.throughput&x=os{stat}")
    assert permalink_bundle.check_permalink(link) == ([], len(values) + len(values[:2]), 0)


def it_knows_students_quantiles():
    for freedom, quantile in ((1, 12.7062047362), (2, 4.30265272991), (10, 2.22813885196), (200, 1.97189622364)):
        assert verify.t_quantile(freedom, 0.95) == pytest.approx(quantile, rel=1e-9)


SAMPLES = sorted(Path("ingest/tests/samples").glob("*/*.jsonl"))


@pytest.mark.parametrize("pair", some(SAMPLES), ids=lambda path: f"{path.parent.name}/{path.stem}")
def it_has_a_rule_for_every_value_that_a_parser_reads(pair):
    lines = pair.with_suffix("").read_bytes().decode("utf-8", "replace").split("\n")
    for record in map(json.loads, pair.read_text().splitlines()):
        if record["type"] != "measurement" or "computed" in record["params"]:
            continue  # a total over several lines has no rule of its own
        at = record["line"] if isinstance(record["line"], int) else 0
        near = [lines[n - 1] for n in (at, *(at + s for w in (1, 2, 3) for s in (-w, w))) if at and 0 < n <= len(lines)]
        rule = derivations.find_rule(record["raw"], record["value"], near)
        assert verify.by_rule(rule, record["raw"], near) == pytest.approx(record["value"], rel=1e-9), (record, rule)


def it_takes_the_bytes_of_a_copy_from_the_command_that_told_its_blocks():
    line = "dd if=/dev/zero of=/tank/e bs=64k count=65536 # (4.3 GB, 4.0 GiB) copied, 2.5 s, 1.7 GB/s"
    rule = derivations.find_rule("1.7", 65536 * 65536 / 2.5, [line])
    assert rule == {"how": "quotient", "over": "65536", "under": "2.5", "factor": 65536.0}
    assert verify.by_rule(rule, "1.7", [line]) == 65536 * 65536 / 2.5
    assert derivations.find_rule("1.7", 1536 * 64000 / 2.5, ["bs=64kB count=1536", "2.5 s"])["factor"] == 64000.0


@pytest.mark.parametrize(
    ("printed", "numbers"),
    [
        ("1,234.5", ["1234.5"]),
        ("1.234,5", ["1234.5"]),
        ("1,234,567", ["1234567"]),
        ("1,234", ["1234", "1.234"]),
        ("12", ["12"]),
        ("1\u202f234,5", ["12345", "1234.5"]),
        ("1.5e+03", ["1.5e+03", "15e+03"]),
    ],
)
def it_reads_a_number_in_each_way_that_its_separators_allow(printed, numbers):
    assert list(derivations.possible_numbers(printed)) == numbers


@pytest.mark.parametrize(
    ("raw", "value", "rule"),
    [
        ("1.234,5", 1234.5, {"how": "number", "number": "1234.5", "factor": 1.0}),
        ("1,234", 1234.0, {"how": "number", "number": "1234", "factor": 1.0}),
        ("12.1K", 12390.4, {"how": "number", "number": "12.1", "factor": 1024.0}),
        ("9606us", 0.009606, {"how": "number", "number": "9606", "factor": 1e-6}),
        ("1-02:03:04", 93784.0, {"how": "clock", "parts": ["1", "02", "03", "04"]}),
        ("0m3,395s", 3.395, {"how": "clock", "parts": ["0", "3.395"]}),
        ("fast", 7.0, {"how": "recorded"}),
        ("7", 8.0, {"how": "recorded"}),
    ],
)
def it_finds_how_a_value_follows(raw, value, rule):
    assert derivations.find_rule(raw, value) == rule
    assert re.fullmatch(r"recorded|clock|number|quotient", rule["how"])
