"""Recognises containers by the first bytes of a file."""

from __future__ import annotations

from ingest.containers.decompress import find_decompressor
from ingest.containers.tar import starts_as_tar


def is_zip(head: bytes) -> bool:
    """Whether it is a zip archive, but no office file: those are zip archives too, but contain no text files."""
    return head.startswith(b"PK\x03\x04") and b"[Content_Types].xml" not in head[:128] and head[30:38] != b"mimetype"


def is_container(head: bytes) -> bool:
    """Whether it can be unpacked, office files included."""
    return head.startswith(b"PK\x03\x04") or starts_as_tar(head) or find_decompressor(head) is not None
