"""The bundle of a collection: the unpacked bundles of its permalinks in one RO-Crate, with a script that verifies all."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from webapp.formats.citations import crate
from webapp.formats.citations.crate import CratePart
from webapp.models import Collection, Permalink, Rendering
from webapp.permalinks import record_figures, stored_files
from webapp.permalinks.bundles import manifest, permalink_bundle, verify


def get_bundle(collection: Collection) -> Rendering:
    """The stored bundle; made and stored now where missing."""
    existing = stored_files.find_file(collection.pk, permalink_bundle.NAME)
    return existing if existing is not None else permalink_bundle.store_bundle(collection, bundle_parts(collection))


def bundle_parts(collection: Collection) -> list[CratePart]:
    """Every file of the bundle, sorted by path."""
    record = record_figures.parse_record(collection.record)
    parts = [
        CratePart(
            "collection.json",
            bytes(collection.record),
            "application/json",
            "The frozen collection: order, captions, digests of the records; canonical JSON (RFC 8785)",
        ),
        CratePart("verify.py", Path(verify.__file__).read_bytes(), "text/x-python", "The check: python3 -I verify.py"),
        CratePart("README.txt", readme_text(record, collection.digest).encode(), "text/plain", "What this is and how to check it"),
    ]
    folders = {"citation/": permalink_bundle.FOLDERS["citation/"]}
    links = Permalink.objects.in_bulk([figure["id"] for figure in record["figures"]])
    for number, figure in enumerate(record["figures"], 1):
        place = f"{verify.place_of(number, figure)}/"
        folders[place] = f"Figure {number}: {figure['title'] or figure['id']}, the evidence bundle of {figure['address']}"
        parts += _figure_parts(place, links[figure["id"]])
    work = permalink_bundle.cited_work(collection, manifest.Digests(collection.digest, collection.digest, False))

    def describe(files: list[CratePart]) -> CratePart:
        data = crate.metadata(work, files, folders)
        return CratePart(crate.METADATA, data, "application/ld+json", "The description of this crate")

    return manifest.seal(parts, partial(permalink_bundle.make_citations, collection), describe, collection.digest)


def _figure_parts(place: str, link: Permalink) -> list[CratePart]:
    """The files of a permalink's stored bundle under the folder `place`."""
    return [
        CratePart(place + path, data, media_type, f"{path} of the figure's own bundle")
        for path, data, media_type in permalink_bundle.unzip_bundle(link)
    ]


def readme_text(record: Mapping[str, Any], digest: str) -> str:
    """README.txt: what the bundle contains and how to verify it."""
    listed = "\n".join(
        f"{verify.place_of(number, figure)}  {figure['title'] or 'Frozen comparison'}\n    {figure['address']}"
        for number, figure in enumerate(record["figures"], 1)
    )
    return (
        f"{record['title'] or 'Frozen figures'}\n{record['authors']}\n\n{record['caption']}\n\n"
        f"Frozen on {record['frozen_at']} as {record['address']}\nSHA-256 of collection.json: {digest}\n\n"
        "To check all of it without a network, give the digest of the bundle, which the page and its citations print:\n"
        "  python3 -I verify.py DIGEST\n\n"
        "collection.json        order, captions and the digest of each record, in canonical JSON (RFC 8785)\n"
        "citation/              how to cite all of it as one work\n"
        "ro-crate-metadata.json what every file is (RO-Crate 1.1)\n\n"
        f"{listed}\n"
    )


def check_collection(collection: Collection) -> list[str]:
    """Problems of a stored collection: digests of its files and records. Its permalinks are checked separately."""
    problems = permalink_bundle.check_digests(collection)
    digests = dict(
        Permalink.objects.filter(
            pk__in=[figure["id"] for figure in record_figures.parse_record(collection.record)["figures"]]
        ).values_list("pk", "digest")
    )
    problems += [
        f"{figure['id']} has not the digest {figure['digest']}"
        for figure in record_figures.parse_record(collection.record)["figures"]
        if digests.get(figure["id"]) != figure["digest"]
    ]
    return problems
