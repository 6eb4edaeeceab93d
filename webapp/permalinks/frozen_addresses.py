"""The origin (scheme and host) of frozen addresses: the public one of the settings, else that of a local instance."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.conf import settings

# Short names for permalinks: no letters that look alike, and a check character at the end.

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
LENGTH = 10


def new_name() -> str:
    """A new random name of `LENGTH` characters."""
    body = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH - 1))
    return body + _check(body)


def is_valid_name(name: str) -> bool:
    """Whether the name has the length, the alphabet and the check character of `new_name`."""
    if len(name) != LENGTH or any(letter not in ALPHABET for letter in name):
        return False
    return _sum(name) == 0


def _sum(name: str) -> int:
    return sum(weight * ALPHABET.index(letter) for weight, letter in enumerate(name, 1)) % len(ALPHABET)


def _check(body: str) -> str:
    return next(letter for letter in ALPHABET if _sum(body + letter) == 0)


LOCAL_FROZEN = (
    "Frozen on a local instance: this address works on this machine only. To cite the figure, set POOLMARK_ORIGINS to the public "
    "address, freeze again, and cite that version."
)
LOCAL_WARNING = (
    "This site has no public address: the permalink will work on this machine only, and citations will say so. The operator "
    "sets an address with POOLMARK_ORIGINS."
)


@dataclass(frozen=True, slots=True)
class Origin:
    """`site`: as `https://bench.example.org`. `is_local`: its addresses may lead nowhere beyond this machine."""

    site: str
    is_local: bool


def find_origin(request=None) -> Origin:
    """The public origin; without one that of the request, or the address that script/server has printed."""
    if settings.PUBLIC_ORIGIN:
        return Origin(settings.PUBLIC_ORIGIN, False)
    return Origin(request.build_absolute_uri("/")[:-1] if request is not None else settings.LOCAL_ORIGIN, True)
