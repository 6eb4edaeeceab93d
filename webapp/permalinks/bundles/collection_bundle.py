"""The bundle of a collection: the unpacked bundles of its permalinks in one RO-Crate, with one script that checks all."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webapp.formats import crate
from webapp.formats.crate import CratePart
from webapp.models import Collection, Permalink, Rendering
from webapp.permalinks import plate, stored_files
from webapp.permalinks.bundles import permalink_bundle, verify, verify_collection


def get_bundle(collection: Collection) -> Rendering:
    """The bundle as it is kept; made now where it was never asked for."""
    return stored_files.get_or_store(
        collection.pk,
        permalink_bundle.NAME,
        permalink_bundle.MEDIA_TYPE,
        lambda: permalink_bundle.zip_parts(bundle_parts(collection), plate.parse_record(collection.record)["frozen_at"]),
    )


def bundle_parts(collection: Collection) -> list[CratePart]:
    """Every file of the bundle, in the order of their names, with the sums of all others in `checksums.txt`."""
    told = plate.parse_record(collection.record)
    found = [
        CratePart(
            "collection.json",
            bytes(collection.record),
            "application/json",
            "The frozen collection: order, captions, digests of the records; canonical JSON (RFC 8785)",
        ),
        CratePart("digest.txt", f"{collection.digest}\n".encode(), "text/plain", "SHA-256 of collection.json"),
        CratePart("verify.py", Path(verify_collection.__file__).read_bytes(), "text/x-python", "The check: python3 verify.py"),
        CratePart("verify_figure.py", Path(verify.__file__).read_bytes(), "text/x-python", "The check of one figure"),
        CratePart("README.txt", readme_text(told, collection.digest).encode(), "text/plain", "What this is and how to check it"),
        *_citations(collection),
    ]
    folders = {"citation/": permalink_bundle.FOLDERS["citation/"]}
    links = Permalink.objects.in_bulk([one["id"] for one in told["figures"]])
    for number, figure in enumerate(told["figures"], 1):
        place = f"{verify_collection.place_of(number, figure)}/"
        folders[place] = f"Figure {number}: {figure['title'] or figure['id']}, the evidence bundle of {figure['address']}"
        found += _inside(place, links[figure["id"]])
    found.append(
        CratePart(
            crate.METADATA,
            crate.metadata(permalink_bundle.cited_work(collection), found, folders),
            "application/ld+json",
            "The description of this crate",
        )
    )
    found.sort(key=lambda part: part.path)
    sums = "".join(f"{hashlib.sha256(part.data).hexdigest()}  {part.path}\n" for part in found)
    return [*found, CratePart("checksums.txt", sums.encode(), "text/plain", "SHA-256 of every other file")]


def _citations(collection: Collection) -> list[CratePart]:
    """How to cite the collection as one thing."""
    made = [permalink_bundle.get_citation(collection, name) for name in permalink_bundle.CITATIONS]
    return [
        CratePart(
            file.name if file.name == "CITATION.cff" else f"citation/{file.name}",
            bytes(file.data),
            file.media_type,
            "How to cite all figures as one work",
        )
        for file in made
    ]


def _inside(place: str, link: Permalink) -> list[CratePart]:
    """The files of a permalink's own bundle, byte for byte as it keeps them."""
    return [
        CratePart(place + path, data, media_type, f"{path} of the figure's own bundle")
        for path, data, media_type in permalink_bundle.unzip_bundle(link)
    ]


def readme_text(told: Mapping[str, Any], digest: str) -> str:
    """For whoever unpacks the bundle in ten years."""
    listed = "\n".join(
        f"{verify_collection.place_of(number, one)}  {one['title'] or 'Frozen comparison'}\n    {one['address']}"
        for number, one in enumerate(told["figures"], 1)
    )
    return (
        f"{told['title'] or 'Frozen figures'}\n{told['authors']}\n\n{told['caption']}\n\n"
        f"Frozen on {told['frozen_at']} as {told['address']}\nSHA-256 of collection.json: {digest}\n\n"
        "To check all of it without a network:  python3 verify.py\n"
        "To be sure that it is the collection of the page, give it the digest that the page or the paper prints:\n"
        f"  python3 verify.py {digest}\n\n"
        "collection.json        order, captions and the digest of each record, in canonical JSON (RFC 8785)\n"
        "citation/              how to cite all of it as one work\n"
        "ro-crate-metadata.json what every file is (RO-Crate 1.1)\n\n"
        f"{listed}\n"
    )


def check_collection(collection: Collection) -> list[str]:
    """What is wrong with a collection as it lies in the database; its permalinks are checked by themselves."""
    found = permalink_bundle.check_digests(collection)
    digests = dict(
        Permalink.objects.filter(pk__in=[one["id"] for one in plate.parse_record(collection.record)["figures"]]).values_list(
            "pk", "digest"
        )
    )
    found += [
        f"{one['id']} has not the digest {one['digest']}"
        for one in plate.parse_record(collection.record)["figures"]
        if digests.get(one["id"]) != one["digest"]
    ]
    return found
