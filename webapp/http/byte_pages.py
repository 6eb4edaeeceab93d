"""Long parts of a page as bytes, joined with the page once it is encoded: 4 to 7 % of the CPU time of an uncached page.

A template joins its texts once for each block and each file that it includes, and one thin space anywhere makes every
letter of them two bytes wide: a page of 180 KB was copied five times at twice its size. The template holds only a mark in
the place of each part.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from django.template import Context
from django.utils.safestring import SafeString, mark_safe

PIECES_KEY = "pieces"
"""Where the context of a page that is made so holds its list of pieces; other pages get the text itself."""
# Nobody outside of this process can know it, so that no text of a reader holds it.
_MARK = mark_safe(f"<!--{secrets.token_hex(16)}-->")


def insert_text(context: Context, parts: Iterable[str]) -> SafeString:
    """HTML, its parts together, for this place of the page."""
    text = "".join(parts)
    pieces: list[bytes] | None = context.get(PIECES_KEY)
    if pieces is None:
        return mark_safe(text)
    pieces.append(text.encode())
    return _MARK


def insert_bytes(context: Context, parts: Iterable[bytes]) -> SafeString:
    """The same of parts that are kept as bytes."""
    pieces: list[bytes] | None = context.get(PIECES_KEY)
    if pieces is None:
        return mark_safe(b"".join(parts).decode())
    pieces.append(b"".join(parts))
    return _MARK


def join_pieces(text: str, pieces: list[bytes]) -> bytes:
    """The page: its text with the pieces, in the order in which they were put. ValueError where one of them was lost."""
    texts, found = text.split(_MARK), [b""] * (2 * len(pieces) + 1)
    found[::2], found[1::2] = [part.encode() for part in texts], pieces
    return b"".join(found)


def context_with_pieces(page: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """The context of a page with a place for its pieces, and that place."""
    pieces: list[bytes] = []
    return {**page, PIECES_KEY: pieces}, pieces
