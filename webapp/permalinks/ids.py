"""Short names for permalinks: no letters that look alike, and a check character at the end.

With 31 characters, a prime, the weighted sum  1 c1 + 2 c2 + ... + n cn = 0 (mod 31)  fails for every single wrong
character (no weight is a multiple of 31) and for every swap of two different neighbours (their weights differ by one).
"""

from __future__ import annotations

import secrets

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
