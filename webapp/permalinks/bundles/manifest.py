"""The manifest of a bundle: SHA-256 of every file. Its own SHA-256 is the digest of the bundle.

Citations print that digest. They are listed with the SHA-256 that they have with 64 zeros in its place, so that nothing
depends on itself; verify.py does the same the other way round.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from webapp.formats.citations.crate import CratePart
from webapp.models import Collection, Permalink, Rendering
from webapp.permalinks import stored_files
from webapp.permalinks.bundles import verify

NAME, BUNDLE = verify.MANIFEST, "bundle.zip"
ZEROS = verify.ZEROS.decode()


@dataclass(frozen=True, slots=True)
class Digests:
    """`bundle` is '' until the files are made. `cited`: the digest that citations print: the bundle's, and the record's until
    the files are made, and of bundles that were frozen before there were manifests, whose citations name it."""

    record: str
    bundle: str
    is_bundle_cited: bool

    @property
    def cited(self) -> str:
        return self.bundle if self.is_bundle_cited and self.bundle else self.record


def read_digests(link: Permalink | Collection) -> Digests:
    """The digests of a permalink or collection. A bundle without a manifest gets one now."""
    stored = stored_files.find_file(link.pk, NAME)
    if stored is None and (bundle := stored_files.find_file(link.pk, BUNDLE)) is not None:
        stored = stored_files.store_file(link.pk, NAME, "application/json", _manifest_of_old(bundle, link.digest))
    if stored is None:
        return Digests(link.digest, "", True)
    return Digests(link.digest, stored.sha256, bool(json.loads(bytes(stored.data))["citations"]))


def _manifest_of_old(bundle: Rendering, record: str) -> bytes:
    """The manifest of a bundle that brings none: its citations print the record's digest and are listed as they are."""
    with zipfile.ZipFile(io.BytesIO(bytes(bundle.data))) as archive:
        files = {name: verify.sha256(archive.read(name)) for name in archive.namelist() if name not in verify.DERIVED}
    return verify.manifest_bytes(record, files, [])


def seal(
    parts: Iterable[CratePart],
    make_citations: Callable[[str], list[CratePart]],
    describe: Callable[[list[CratePart]], CratePart],
    record: str,
) -> list[CratePart]:
    """All files of a bundle, sorted by path: `parts`, the citations, the crate's description, manifest.json, digest.txt and
    checksums.txt.

    make_citations: bundle digest -> citations. describe: files -> the description of the crate, by names and sizes.
    """
    zeroed = make_citations(ZEROS)
    listed = [*parts, *zeroed]
    listed.append(describe(listed))
    data = verify.manifest_bytes(record, {part.path: verify.sha256(part.data) for part in listed}, [part.path for part in zeroed])
    bundle = verify.sha256(data)
    cited = {part.path: part for part in make_citations(bundle)}
    sealed = [
        *(cited.get(part.path, part) for part in listed),
        CratePart(NAME, data, "application/json", "SHA-256 of every other file; its own is the digest of the bundle"),
        CratePart("digest.txt", verify.digest_text(record, bundle).encode(), "text/plain", "The digests of record and bundle"),
    ]
    sums = verify.checksums_text({part.path: verify.sha256(part.data) for part in sealed})
    return sorted(
        [*sealed, CratePart("checksums.txt", sums.encode(), "text/plain", "SHA-256 of every other file, for sha256sum")],
        key=lambda part: part.path,
    )


def find_differences(link: Permalink | Collection, stored: Rendering) -> list[str]:
    """Problems: files of the stored bundle that are not as its stored manifest lists them."""
    bundle = stored_files.find_file(link.pk, BUNDLE)
    if bundle is None:
        return []
    listed = json.loads(bytes(stored.data))
    with zipfile.ZipFile(io.BytesIO(bytes(bundle.data))) as archive:
        there = {name: archive.read(name) for name in archive.namelist() if name not in verify.DERIVED}
    problems = [f"the bundle has not the file {name}" for name in listed["files"] if name not in there]
    return problems + [
        f"{name} is not as the manifest lists it"
        for name, data in there.items()
        if not verify.is_as_listed(data, listed, name, stored.sha256)
    ]
