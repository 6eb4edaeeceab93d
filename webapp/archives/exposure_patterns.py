"""Patterns of what people may not want to publish: addresses, serial numbers, user names, in blocks of bytes.

An anchor, which begins with a literal byte and is bounded, is searched in the block; the value is then searched in a bounded window
around each of its matches. So the work grows with the length of the text alone, whatever is in it. The patterns find too much
rather than too little: a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address

VERSION = 1
"""Rises with every change of what is found, so that archives are searched again."""
LONGEST = 120
"""Characters of a value; longer ones are cut."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """`kind`: key of KINDS; `anchor`: what every value has; `back`, `ahead`: bytes of the window around it; `value`: what
    is searched in the window, the value is group 1, or the match; `is_kept`: whether a value that matches is one."""

    kind: str
    anchor: re.Pattern[bytes]
    value: re.Pattern[bytes]
    is_kept: Callable[[str], bool] = lambda value: True
    back: int = 1
    ahead: int = 160


KINDS = {
    "mail": "E-mail addresses",
    "ip": "IP addresses",
    "mac": "MAC addresses",
    "wwn": "World Wide Names",
    "serial": "Serial numbers",
    "user": "User names",
    "login": "Hosts in prompts",
    "home": "Paths in home folders",
}
"""Kind -> what a page calls it, in the order of the page."""
_NO_SERIAL = {
    "none",
    "not",
    "unknown",
    "empty",
    "default",
    "string",
    "filled",
    "number",
    "n/a",
    "console",
    "numbers",
    "true",
    "false",
}
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


def _is_user(text: str) -> bool:
    return text.lower() not in _NO_USERS and not text.isdigit()


_AT, _COLONS, _DOTS = re.compile(rb"@"), re.compile(rb":[0-9A-Fa-f]{0,4}:"), re.compile(rb"\.\d{1,3}\.\d{1,3}(?!\d)")
_HOME = rb"/(?:export/home|home|Users)/"
_LINE_START = rb"(?:^|(?<=[\n\r]))[\[(]?"
_USER, _HOST = rb"[A-Za-z_][\w.-]{0,31}", rb"[A-Za-z0-9][\w.-]{0,62}"


def _pattern(
    kind: str, anchor: bytes | re.Pattern[bytes], value: bytes, is_kept=lambda value: True, back: int = 1, ahead: int = 160
) -> Pattern:
    anchor = re.compile(anchor) if isinstance(anchor, bytes) else anchor
    return Pattern(kind, anchor, re.compile(value, re.ASCII), is_kept, back, ahead)


PATTERNS = (
    _pattern(
        "mail",
        _AT,
        rb"(?<![\w.%+@-])[\w.%+-]{1,64}+@(?>(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,6}[A-Za-z]{2,20})(?![\w@-]|:[~/\d]|[ \t]?[~/\]])",
        back=66,
    ),
    _pattern("ip", _DOTS, rb"(?<![\w.-])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\w-]|\.\w)", _is_public_ip4, back=4, ahead=12),
    _pattern("ip", _COLONS, rb"(?<![\w:.])[0-9A-Fa-f:]{3,40}+(?!\w)", _is_ip6, back=41, ahead=42),
    _pattern("mac", _COLONS, rb"(?<![\w:-])(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}(?![\w:-])", _is_mac, back=18, ahead=20),
    _pattern(
        "mac",
        rb"-[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}-",
        rb"(?<![\w:-])(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}(?![\w:-])",
        _is_mac,
        back=18,
        ahead=20,
    ),
    _pattern("wwn", _COLONS, rb"(?<![\w:])(?:[0-9A-Fa-f]{2}:){7}[0-9A-Fa-f]{2}(?![\w:])", _is_mac, back=24, ahead=26),
    *(
        _pattern("wwn", start, rb"(?<![A-Za-z0-9-])" + start + rb"[0-9A-Fa-f]{12,32}(?![0-9A-Za-z])")
        for start in (rb"wwn-0x", rb"naa\.", rb"eui\.", rb"0x5")
    ),
    _pattern("wwn", rb"WWN Device Id:", rb"WWN Device Id:[ \t]{0,8}([0-9A-Fa-f] [0-9A-Fa-f]{6} [0-9A-Fa-f]{9})\b"),
    _pattern("wwn", rb"t[0-9A-F]{16}", rb"\bc\d{1,4}t([0-9A-F]{16,32})d\d", back=6),
    _pattern(
        "serial",
        rb"[Ss](?:erial|ERIAL)",
        rb"(?i:serial[ _-]?(?:number|num|no\.?)?)[\"']?[ \t]{0,20}[:=#][ \t]{0,40}[\"']?([A-Za-z0-9][A-Za-z0-9_.-]{3,60})",
        _is_serial,
    ),
    *(
        _pattern("serial", start, rb"(?<![\w-])(" + start + rb"[A-Za-z0-9][\w.:+-]{8,100})", _is_serial)
        for start in (rb"ata-", rb"nvme-", rb"usb-", rb"scsi-S")
    ),
    _pattern("user", _HOME, rb"(?<![\w.])" + _HOME + rb"(" + _USER + rb")", _is_user),
    _pattern("user", _AT, _LINE_START + rb"(" + _USER + rb")@" + _HOST + rb"(?=[:\s\]])", _is_user, back=35),
    _pattern("login", _AT, _LINE_START + _USER + rb"@(" + _HOST + rb")(?=[:\s\]])", back=35),
    _pattern("home", _HOME, rb"(?<![\w.])(" + _HOME + _USER + rb"(?:/[\w.+-]{1,64}){0,8})", ahead=600),
)


def find_exposures(block: bytes) -> Iterator[tuple[str, str, int]]:
    """(kind, value, offset) of everything in a block of whole lines."""
    for pattern in PATTERNS:
        done = 0
        for anchor in pattern.anchor.finditer(block):
            at = anchor.start()
            if at < done:
                continue
            start = max(0, at - pattern.back)
            window = block[start : anchor.end() + pattern.ahead]
            for match in pattern.value.finditer(window):
                if match.start() > at - start:
                    break
                if match.end() <= at - start:
                    continue
                done = start + match.end()
                group = 1 if pattern.value.groups else 0
                value = match[group].decode("ascii", "replace").rstrip(".")[:LONGEST]
                if pattern.is_kept(value):
                    yield pattern.kind, value, start + match.start(group)
