"""How many files of a permalink are made: drawings and data, then the bundle."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.models import Permalink
from webapp.permalinks import rendering, stored_files
from webapp.permalinks.bundles import manifest, verify


@dataclass(frozen=True, slots=True)
class FileProgress:
    """Files made and files to make; the digests, of which the bundle's is known when all are made."""

    done: int
    total: int
    digests: manifest.Digests


def read_progress(permalink: Permalink) -> FileProgress:
    """The progress of a permalink's files."""
    digests = manifest.read_digests(permalink)
    expected = {*rendering.RENDERED_FILES, "data.csv", verify.WORKBOOK, manifest.BUNDLE}
    done = len(expected) if digests.bundle else len(expected & set(stored_files.list_names(permalink.pk)))
    return FileProgress(done, len(expected), digests)
