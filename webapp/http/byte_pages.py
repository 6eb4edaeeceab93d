"""Long parts of a page as bytes, joined with the page after it is encoded, which saves some CPU time of an uncached page.

A template joins its strings once for each block and each file that it includes, and one character beyond Latin-1 makes every
character of the string two bytes wide. The template therefore has only a placeholder for each part.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from django.template import Context
from django.utils.safestring import SafeString, mark_safe

PIECES_KEY = "pieces"
"""Key of a context with the list of pieces; in contexts without it the text itself is inserted."""
# Random, so that no uploaded text contains it.
_PLACEHOLDER = mark_safe(f"<!--{secrets.token_hex(16)}-->")  # noqa: S308 made of escaped parts


def insert_text(context: Context, parts: Iterable[str]) -> SafeString:
    """HTML for this place of the page, its parts joined."""
    text = "".join(parts)
    pieces: list[bytes] | None = context.get(PIECES_KEY)
    if pieces is None:
        return mark_safe(text)  # noqa: S308 made of escaped parts
    pieces.append(text.encode())
    return _PLACEHOLDER


def insert_bytes(context: Context, parts: Iterable[bytes]) -> SafeString:
    """The same for parts that are cached as bytes."""
    pieces: list[bytes] | None = context.get(PIECES_KEY)
    if pieces is None:
        return mark_safe(b"".join(parts).decode())  # noqa: S308 made of escaped parts
    pieces.append(b"".join(parts))
    return _PLACEHOLDER


def join_pieces(text: str, pieces: list[bytes]) -> bytes:
    """The page: its text with the pieces, in the order of insertion. Raises ValueError where a placeholder is missing."""
    texts, parts = text.split(_PLACEHOLDER), [b""] * (2 * len(pieces) + 1)
    parts[::2], parts[1::2] = [part.encode() for part in texts], pieces
    return b"".join(parts)


def context_with_pieces(page: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """The context of a page with a list for its pieces, and that list."""
    pieces: list[bytes] = []
    return {**page, PIECES_KEY: pieces}, pieces
