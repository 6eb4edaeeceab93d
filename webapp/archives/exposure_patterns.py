"""Patterns of what people may not want to publish, in blocks of bytes: secrets, which give access, and what identifies somebody.

An anchor, which begins with a literal byte and is bounded, is searched in the block; the value is then searched in a bounded window
around each of its matches. A pattern with literals costs nothing where none of them stands in the block. So the work grows with the
length of the text alone, whatever is in it. The patterns find too much rather than too little: a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import NamedTuple

from ingest.toml_tables import expand_fragments, read_table

VERSION = 2
"""Rises with every change of what is found, so that archives are searched again."""
LONGEST = 120
"""Characters of a value; longer ones are cut."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """`kind`: key of KINDS; `anchor`: what every value has, None where that is one of the `literals`; `back`, `ahead`: bytes of the
    window around it; `value`: what is searched in the window, the value is group 1, or the match; `is_kept`: whether a value that
    matches is one."""

    kind: str
    anchor: re.Pattern[bytes] | None
    value: re.Pattern[bytes]
    is_kept: Callable[[str], bool]
    back: int
    ahead: int
    literals: tuple[bytes, ...]
    """In lower case. Patterns share them, so that a block is searched for each but once."""


SECRETS = {
    "token": "Access tokens and keys",
    "private_key": "Private keys",
    "password": "Passwords and other secrets",
}
"""Kinds that give access to something: they block publishing until each is confirmed."""
KINDS = SECRETS | {
    "mail": "E-mail addresses",
    "ip": "IP addresses",
    "mac": "MAC addresses",
    "wwn": "World Wide Names",
    "serial": "Serial numbers",
    "guid": "Identifiers of pools, file systems and partitions",
    "dataset": "Data sets",
    "phone": "Telephone numbers",
    "user": "User names",
    "login": "Hosts in prompts",
    "home": "Paths in home folders",
}
"""Kind -> what a page calls it, in the order of the page."""
_NO_SERIAL = frozenset("none not unknown empty default string filled number n/a console numbers true false".split())
_NO_USERS = {"root", "user", "shared", "public", "lost", "linuxbrew"}


def _is_public_ip4(text: str) -> bool:
    """Whether it may name a machine: no loopback, netmask, or version such as 0.6.5.11."""
    try:
        address = IPv4Address(text)
    except AddressValueError:
        return False
    return not (address.is_loopback or address.is_multicast or address.is_unspecified or address.packed[0] in (0, 255))


def _is_ip6(text: str) -> bool:
    groups = text.split(":")
    if all(len(group) == 2 for group in groups):
        return False  # a WWN or a MAC address
    try:
        address = IPv6Address(text)
    except AddressValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _is_mac(text: str) -> bool:
    return len(set(re.sub(r"[:-]", "", text).lower())) > 1


def _is_serial(text: str) -> bool:
    return text.lower() not in _NO_SERIAL and any(letter.isdigit() for letter in text)


def _is_bare_serial(text: str) -> bool:
    """Of prose: capitals and several digits, as no word has."""
    return _is_serial(text) and sum(letter.isdigit() for letter in text) > 1 and text == text.upper()


def _is_phone(text: str) -> bool:
    return 7 <= sum(letter.isdigit() for letter in text) <= 15


def _is_guid(text: str) -> bool:
    return len(set(text) - {"-"}) > 2


def _is_token(text: str) -> bool:
    """No row of one letter, as templates have."""
    return len(set(text[-16:])) > 4


_PLACEHOLDERS = frozenset(
    (
        "none null nil true false yes no on off password passwd passphrase secret token string required optional hidden "
        "redacted removed prompt unset empty default unknown invalid raw hex disabled enabled supported file for is not and the "
        "from with your authentication"
    ).split()
)


def _is_password(text: str) -> bool:
    """No placeholder, variable or path: `$PASS`, `<secret>`, `****`, `/run/secrets/db`."""
    bare = text.strip("'\"").lower()
    return (
        len(set(bare)) > 2
        and bare not in _PLACEHOLDERS
        and text[0] not in "$<%{*/[(&|\\"
        and "redacted" not in bare
        and "..." not in bare
    )


def _is_strange(text: str) -> bool:
    """As `_is_password`, and no word of prose."""
    return _is_password(text) and any(not letter.isalpha() for letter in text) and not set(text) & set("(){}")


def _is_user(text: str) -> bool:
    return text.lower() not in _NO_USERS and not text.isdigit()


TESTS: dict[str, Callable[[str], bool]] = {
    "anything": lambda value: True,
    "public_ip4": _is_public_ip4,
    "ip6": _is_ip6,
    "mac": _is_mac,
    "serial": _is_serial,
    "bare_serial": _is_bare_serial,
    "phone": _is_phone,
    "guid": _is_guid,
    "token": _is_token,
    "password": _is_password,
    "strange": _is_strange,
    "user": _is_user,
}
_TABLES = read_table(__file__)
_FRAGMENTS = _TABLES["fragments"]


def _pattern(
    kind: str,
    value: str,
    *,
    anchor: str = "",
    literals: Sequence[str] = (),
    is_kept: str = "anything",
    back: int | None = None,
    ahead: int | None = None,
) -> Pattern:
    """A pattern of the table; what stands beside a literal is farther from it than a value is from its anchor."""
    usual_back, usual_ahead = (64, 400) if literals else (1, 160)
    return Pattern(
        kind,
        re.compile(expand_fragments(anchor, _FRAGMENTS).encode()) if anchor else None,
        re.compile(expand_fragments(value, _FRAGMENTS).encode(), re.ASCII | (re.IGNORECASE if literals else 0)),
        TESTS[is_kept],
        usual_back if back is None else back,
        usual_ahead if ahead is None else ahead,
        tuple(literal.encode() for literal in literals),
    )


PATTERNS = tuple(_pattern(**table) for table in _TABLES["patterns"])
_ISSUERS = _TABLES["tokens"]["issuers"]
_BEFORE = r"(?<![A-Za-z0-9_])"
_STARTS = re.compile(f"{_BEFORE}(?:{'|'.join(start for start, _, _ in _ISSUERS)})".encode())
_TOKENS = re.compile(
    f"{_BEFORE}(?:{'|'.join(start + rest + (f'{{{least},255}}' if least else '') for start, rest, least in _ISSUERS)})".encode()
)
_DIGIT = re.compile(rb"\d")
_LONG = b"x" * 16
"""A token has a word as long as this, and few lines of logs do."""
_AS_WORDS = bytes(ord("x") if (chr(sign).isalnum() and sign < 128) or sign == ord("_") else ord(" ") for sign in range(256))


class Found(NamedTuple):
    """A value of a kind, and its offset in the block."""

    kind: str
    value: str
    offset: int


def find_exposures(block: bytes, kinds: Container[str] = KINDS) -> Iterator[Found]:
    """Everything of these kinds in a block of whole lines; tokens always. A secret that several patterns find is given once."""
    text = b"\n" + block
    lowered, secrets = text.lower(), set[int]()
    places: dict[bytes, list[int]] = {}
    spans: dict[re.Pattern[bytes], list[tuple[int, int]]] = {}
    for value, offset in _find_tokens(text):
        secrets.update(range(offset, offset + len(value)))
        yield Found("token", value, offset - 1)
    for pattern in PATTERNS:
        if pattern.kind not in kinds:
            continue
        if pattern.anchor is None:
            found = _find_beside(pattern, text, sorted(at for word in pattern.literals for at in _find_word(lowered, word, places)))
        else:
            if pattern.anchor not in spans:
                spans[pattern.anchor] = [anchor.span() for anchor in pattern.anchor.finditer(text)]
            found = _find(pattern, text, spans[pattern.anchor])
        for value, offset in found:
            if pattern.kind in SECRETS:
                if offset in secrets:
                    continue
                secrets.update(range(offset, offset + len(value)))
            yield Found(pattern.kind, value, offset - 1)


def _find_word(text: bytes, word: bytes, places: dict[bytes, list[int]]) -> list[int]:
    """Where a word stands; kept in `places`."""
    if word not in places:
        found, at = [], text.find(word)
        while at >= 0:
            found.append(at)
            at = text.find(word, at + len(word))
        places[word] = found
    return places[word]


def _find_tokens(text: bytes) -> Iterator[tuple[str, int]]:
    """Tokens by the words of their issuers, around words that are long enough for one."""
    words, done = text.translate(_AS_WORDS), 0
    at = words.find(_LONG)
    while at >= 0:
        end = words.find(b" ", at)
        end = len(words) if end < 0 else end
        begin = max(done, at - 48) if _DIGIT.search(text, max(0, at - 48), end) or text.startswith(b"hf_", at) else end
        while begin < end and (start := _STARTS.search(text, begin, end)):
            begin = start.end()
            match = _TOKENS.match(text, start.start())
            value = match[0].decode("ascii", "replace")[:LONGEST] if match else ""
            if match and match.end() > at and _is_token(value):
                begin = done = match.end()
                yield value, match.start()
        at = words.find(_LONG, end)


def _find_beside(pattern: Pattern, text: bytes, places: list[int]) -> Iterator[tuple[str, int]]:
    """(value, offset) beside the literals of a pattern. Windows that overlap are searched as one, so that no byte is searched
    often however many literals stand there."""
    windows: list[list[int]] = []
    for at in places:
        if windows and at - pattern.back <= windows[-1][1]:
            windows[-1][1] = at + pattern.ahead
        else:
            windows.append([max(0, at - pattern.back), at + pattern.ahead])
    for start, end in windows:
        for match in pattern.value.finditer(text, start, end):
            yield from _value_of(pattern, match, 0)


def _value_of(pattern: Pattern, match: re.Match[bytes], start: int) -> Iterator[tuple[str, int]]:
    """The value of a match that begins at `start` of the block, where it is one."""
    group = 1 if pattern.value.groups else 0
    value = match[group].decode("ascii", "replace").rstrip(".").strip("\"'")[:LONGEST]
    if value and pattern.is_kept(value):
        yield value, start + match.start(group)


def _find(pattern: Pattern, text: bytes, anchors: list[tuple[int, int]]) -> Iterator[tuple[str, int]]:
    """(value, offset) around each anchor of a pattern."""
    done = 0
    for at, end in anchors:
        if at < done:
            continue
        start = max(0, at - pattern.back)
        window = text[start : end + pattern.ahead]
        for match in pattern.value.finditer(window):
            if match.start() > at - start:
                break
            if match.end() <= at - start:
                continue
            done = start + match.end()
            yield from _value_of(pattern, match, start)


def mask(kind: str, value: str) -> str:
    """A secret as it may be shown: enough to find it by."""
    if kind == "private_key":
        return value.partition("PRIVATE KEY")[0].strip() + " PRIVATE KEY" if "PRIVATE KEY" in value else value[:16] + "\u2026"
    shown = 4 if kind == "token" else 1
    return f"{value[:shown]}\u2026 ({len(value)} characters)"
