"""Patterns of what people may not want to publish, in blocks of bytes: secrets, which give access, and what identifies somebody.

An anchor, which begins with a literal byte and is bounded, is searched in the block; the value is then searched in a bounded window
around each of its matches. A pattern with literals costs nothing where none of them stands in the block. So the work grows with the
length of the text alone, whatever is in it. The patterns find too much rather than too little: a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import NamedTuple

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
    is_kept: Callable[[str], bool] = lambda value: True
    back: int = 1
    ahead: int = 160
    literals: tuple[bytes, ...] = ()
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


_AT, _COLONS, _DOTS = re.compile(rb"@"), re.compile(rb":[0-9A-Fa-f]{0,4}:"), re.compile(rb"\.\d{1,3}\.\d{1,3}(?!\d)")
_HOME = rb"/(?:export/home|home|Users)/"
_LINE_START = rb"(?:^|(?<=[\n\r]))[\[(]?"
_USER, _HOST = rb"[A-Za-z_][\w.-]{0,31}", rb"[A-Za-z0-9][\w.-]{0,62}"


def _pattern(
    kind: str, anchor: bytes | re.Pattern[bytes], value: bytes, is_kept=lambda value: True, back: int = 1, ahead: int = 160
) -> Pattern:
    anchor = re.compile(anchor) if isinstance(anchor, bytes) else anchor
    return Pattern(kind, anchor, re.compile(value, re.ASCII), is_kept, back, ahead)


def _secret(literals: tuple[bytes, ...], value: bytes, is_kept=_is_password, kind: str = "password", back: int = 64) -> Pattern:
    """What stands beside one of these words, in any case."""
    return Pattern(kind, None, re.compile(value, re.ASCII | re.IGNORECASE), is_kept, back, ahead=400, literals=literals)


_WORD = rb"[A-Za-z0-9_-]"
_BASE64 = rb"[A-Za-z0-9+/=_-]"
_VALUE = rb"(\"[^\"\r\n]{4,200}\"|'[^'\r\n]{4,200}'|[^\s\"'`,;<>]{4,200})"
_ASSIGNED = rb"[\"']?[ \t]{0,8}(?::=|=>|=|:)[ \t]{0,8}" + _VALUE
_PROVIDERS = (
    (rb"gh[pousr]_", rb"[A-Za-z0-9]", 30),  # GitHub, classic
    (rb"github_pat_", rb"[A-Za-z0-9_]", 22),  # GitHub, fine-grained
    (rb"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-", rb"[\w.-]", 20),  # GitLab
    (rb"xox[abeoprs]-", rb"[A-Za-z0-9-]", 10),  # Slack
    (rb"xapp-", rb"\d-[A-Za-z0-9-]{10,200}", 0),
    (rb"hooks\.slack\.com/services/", rb"[A-Za-z0-9/+]", 20),
    (rb"A(?:KIA|SIA|BIA|CCA)", rb"[A-Z2-7]{16}(?![A-Za-z0-9])", 0),  # AWS, identifier of a key
    (rb"AIza", rb"[\w-]", 33),  # Google
    (rb"ya29\.", rb"[\w-]", 20),
    (rb"GOCSPX-", rb"[\w-]", 20),
    (rb"[sr]k_(?:live|test)_", rb"[A-Za-z0-9]", 16),  # Stripe
    (rb"whsec_", rb"[A-Za-z0-9+/=]", 20),
    (rb"npm_", rb"[A-Za-z0-9]{36}(?![A-Za-z0-9])", 0),
    (rb"pypi-AgE", rb"[\w-]", 50),
    (rb"SG\.", rb"[\w-]{16,32}\.[\w-]{16,64}", 0),  # SendGrid
    (rb"sk-", rb"(?:ant-|proj-)?[\w-]{32,250}", 0),  # OpenAI, Anthropic
    (rb"hf_", rb"[A-Za-z]{30,40}(?![A-Za-z0-9_])", 0),  # Hugging Face
    (rb"do[opr]_v1_", rb"[0-9a-f]", 64),  # DigitalOcean
    (rb"dckr_[po]at_", rb"[\w-]", 20),  # Docker
    (rb"hv[sbr]\.", rb"[\w-]", 24),  # Vault
    (rb"tskey-", rb"[A-Za-z0-9-]", 16),  # Tailscale
    (rb"dapi", rb"[0-9a-f]{32}(?![0-9a-f])", 0),  # Databricks
    (rb"gls[ac]_", rb"[\w=+/]", 20),  # Grafana
    (rb"shp(?:at|ca|pa|ss)_", rb"[0-9a-fA-F]", 32),  # Shopify
    (rb"rubygems_", rb"[0-9a-f]", 48),
    (rb"lin_api_", rb"[A-Za-z0-9]", 32),  # Linear
    (rb"ATATT3x", rb"[\w=-]", 20),  # Atlassian
    (rb"SK", rb"[0-9a-f]{32}(?![0-9a-f])", 0),  # Twilio
    (rb"sntrys_", rb"[\w=+/]", 20),  # Sentry
    (rb"NRAK-", rb"[A-Z0-9]", 24),  # New Relic
    (rb"eyJ", rb"[\w-]{8,4000}\.eyJ[\w-]{8,400}\.[\w-]{8,400}", 0),  # JSON Web Token
)
"""(what the tokens of an issuer begin with, what follows, at least how often), from the documentation of each."""
_BEFORE = rb"(?<![A-Za-z0-9_])"
_STARTS = re.compile(_BEFORE + rb"(?:" + b"|".join(start for start, _, _ in _PROVIDERS) + b")")
_TOKENS = re.compile(
    _BEFORE + rb"(?:" + b"|".join(start + (rest + b"{%d,255}" % n if n else rest) for start, rest, n in _PROVIDERS) + b")"
)
_DIGIT = re.compile(rb"\d")
_LONG = b"x" * 16
"""A token has a word as long as this, and few lines of logs do."""
_AS_WORDS = bytes(ord("x") if (chr(sign).isalnum() and sign < 128) or sign == ord("_") else ord(" ") for sign in range(256))

PATTERNS = (
    _secret((b"key",), rb"(?:AccountKey|SharedAccessKey)=(" + _BASE64 + rb"{32,120})", _is_token, "token"),
    _secret((b"sig=",), rb"[?&]sig=([A-Za-z0-9%+/]{40,90})", _is_token, "token"),
    _secret((b"q~",), rb"(?<![\w~.-])([\w~.-]{3}[78]Q~[\w~.-]{31,34})(?![\w~.-])", _is_token, "token", 36),
    _secret((b"key",), rb"(AGE-SECRET-KEY-1[A-Z0-9]{20,80})", _is_token, "private_key"),
    _secret(
        (b"key",),
        rb"(-----BEGIN (?:[A-Z0-9]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----[\s\\rn]{0,8}[^\r\n-]{0,64})",
        lambda value: True,
        "private_key",
        45,
    ),
    _secret((b"key",), rb"(PuTTY-User-Key-File-\d: ?[\w-]{3,40})", lambda value: True, "private_key", 12),
    _secret(
        (b"pass",),
        rb"(?<![\w])" + _WORD + rb"{0,48}(?:password|passwd|passphrase|passcode)(?:_?hash)?\d?" + _ASSIGNED,
    ),
    _secret((b"pass",), rb"--pass(?:word|wd|phrase)?[ \t=]{1,4}(?!-)" + _VALUE, back=2),
    _secret(
        (b"pwd", b"pass"),
        rb"(?<![\w])" + _WORD + rb"{0,48}(?:[_-]pwd|[_-]pass|dbpass|userpass)" + _ASSIGNED,
    ),
    _secret(
        (b"secret", b"token", b"key"),
        rb"(?<![\w])"
        + _WORD
        + rb"{0,48}(?:secret|token|api[_-]?key|access[_-]?key|auth_key|private_key|secret[_-]?key)(?:_id)?"
        + _ASSIGNED,
        _is_strange,
    ),
    _secret((b"key",), rb"(?<![\w])" + _WORD + rb"{0,48}secret[_-]?key" + _ASSIGNED, _is_strange),
    _secret((b"://",), rb"[a-z][a-z0-9+.-]{1,30}://[^\s/:@\"'<>]{0,64}:([^\s/\"'<>]{2,128})@[\w\[]", back=32),
    _secret(
        (b"bearer ", b"authorization"),
        rb"(?:Authorization[\"']?[ \t]{0,4}[:=][ \t\"']{0,4})?(?:Bearer|Basic)[ ]"
        + rb"("
        + _BASE64
        + rb"{16,400}(?:\.[\w-]{8,400}){0,2})",
        _is_strange,
        "token",
    ),
    _secret((b"identified by",), rb"identified by (?:password )?('[^'\r\n]{2,100}'|\"[^\"\r\n]{2,100}\")", back=0),
    _secret((b"pass",), rb"sshpass[ \t]{1,4}-p[ \t]{0,2}" + _VALUE, back=3),
    _secret((b"mysql", b"mariadb"), rb"(?:mysql|mariadb)\w{0,10}[^\r\n|;]{0,120}[ ]-p([^\s-][^\s]{2,64})", back=0),
    _secret((b"curl ",), rb"curl [^\r\n|;]{0,200}(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,64}:([^\s\"']{2,128})", back=0),
    _secret((b"ipmitool",), rb"ipmitool[^\r\n|;]{0,160}[ ]-P[ ]?" + _VALUE, back=0),
    _secret((b"pass",), rb"(?:login|user)[ \t]{1,4}\S{1,64}[ \t]{1,4}password[ \t]{1,4}" + _VALUE, back=140),
    _secret(
        (b"key", b"secret"),
        rb"(?:key|secret)[ \t]{0,4}[=:][ \t]{0,4}(AQ[A-Za-z0-9+/]{30,44}={0,2})",
        _is_token,
        back=0,
    ),
    _secret(
        (b"key", b"crypt"),
        rb"(?:echo|printf)(?: -n)? (\"[^\"\r\n]{4,100}\"|'[^'\r\n]{4,100}'|[^\s|\"'$]{4,100})"
        rb"[ ]?\|[ ]?(?:sudo )?(?:zfs|zpool|cryptsetup)",
        back=140,
    ),
    _pattern(
        "guid",
        rb"-[0-9A-Fa-f]{4}-",
        rb"(?<![\w-])[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![\w-])",
        _is_guid,
        back=24,
        ahead=30,
    ),
    _secret((b"uid",), rb"guid\b[\"']?[^\w\r\n]{1,24}(\d{12,20}|0x[0-9a-f]{8,16})(?!\w)", _is_guid, "guid", 2),
    _secret((b"id: ",), rb"(?<![\w])id: (\d{15,20})(?!\w)", _is_guid, "guid", 1),
    _secret((b"uid",), rb"uuid=\"?([0-9A-F]{4}-[0-9A-F]{4}|[0-9A-F]{16})(?![\w-])", _is_guid, "guid", 2),
    _secret(
        (b"zfs ",),
        rb"zfs (?:set|get|create|list|send|receive|recv|snapshot|destroy|mount|unmount|rename|clone|rollback|inherit|load-key)\b"
        rb"[^\r\n|;]{0,200}?[ \t]([a-z][\w.-]{0,63}(?:/[\w.:-]{1,120}){1,12}(?:@[\w.:-]{1,120})?)(?=[\s'\"@]|$)",
        lambda value: True,
        "dataset",
        0,
    ),
    _pattern(
        "dataset",
        rb"\n[A-Za-z][\w.-]{0,63}/[\w./:-]{1,160}(?:@[\w.:-]{1,80})?[ \t]{1,40}"
        rb"(?=[\d.]{1,6}[BKMGTP]?[ \t]|[a-z][a-z0-9:_]{2,40}[ \t])",
        rb"\n([A-Za-z][\w.-]{0,63}/[\w./:-]{1,160}(?:@[\w.:-]{1,80})?)[ \t]{1,40}"
        rb"(?:[\d.]{1,6}[BKMGTP]?[ \t]{1,20}(?:[\d.]{1,6}[BKMGTP]?|-)[ \t]{1,20}[\d.]{1,6}[BKMGTP]?[ \t]{1,20}(?:/|-|none|legacy)"
        rb"|[a-z][a-z0-9:_]{2,40}[ \t]{1,20}[^\s][^\r\n]{0,60}?[ \t](?:-|default|local|received|temporary|inherited)\b)",
        back=0,
        ahead=160,
    ),
    _pattern("user", rb"\\", rb"(?<![\w\\:.])([A-Z][A-Z0-9-]{2,14}\\[A-Za-z][\w.-]{2,31})(?![\w\\])", back=17, ahead=36),
    _pattern(
        "phone",
        rb"\+\d",
        rb"(?<![\w+.)])\+\d{1,3}[ ./-]?\(?\d{1,4}\)?(?:[ ./-]{1,2}\d{2,8}){1,5}(?![\w]|[.:]\d)",
        _is_phone,
        back=1,
        ahead=40,
    ),
    _pattern("phone", rb"-\d{3}-\d{4}", rb"(?<![\w.-])\d{3}-\d{3}-\d{4}(?![\w-])", _is_phone, back=4, ahead=2),
    _pattern("phone", rb"\) ?\d{3}[ -]\d{4}", rb"(?<![\w])\(\d{3}\) ?\d{3}[ -]\d{4}(?![\w-])", _is_phone, back=5, ahead=2),
    _secret(
        (b"phone", b"tel:", b"tel "),
        rb"(?<![\w])(?:(?:tele)?phone|tel|mobile|fax|hotline)(?: (?:no|number))?[.:]{0,2}[ \t]{1,4}(?:is[ ])?"
        rb"(\+?[\d(][\d ()/.-]{5,24}\d)(?![\w])",
        _is_phone,
        "phone",
        4,
    ),
    _secret(
        (b"serial",),
        rb"(?i:serial(?:[ _-]?(?:numbers?|num|no\.?))?)[ \t]{1,4}(?:(?:is|was|of|reads)[ \t]{1,2})?"
        rb"([A-Z0-9][A-Z0-9_-]{5,40})(?![a-z])",
        _is_bare_serial,
        "serial",
        0,
    ),
    _secret(
        (b"s/n",),
        rb"(?<![\w/])[Ss]/[Nn][ \t]{0,4}[:=#]?[ \t]{0,4}([A-Z0-9][A-Z0-9_-]{5,40})(?![a-z])",
        _is_bare_serial,
        "serial",
        1,
    ),
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
        _secret(
            (start.replace(b"\\", b""),),
            rb"(?<![A-Za-z0-9-])" + start + rb"[0-9A-Fa-f]{12,32}(?![0-9A-Za-z])",
            lambda value: True,
            "wwn",
            1,
        )
        for start in (rb"wwn-0x", rb"naa\.", rb"eui\.", rb"0x5")
    ),
    _pattern("wwn", rb"WWN Device Id:", rb"WWN Device Id:[ \t]{0,8}([0-9A-Fa-f] [0-9A-Fa-f]{6} [0-9A-Fa-f]{9})\b"),
    _pattern("wwn", rb"t[0-9A-F]{16}", rb"\bc\d{1,4}t([0-9A-F]{16,32})d\d", back=6),
    _secret(
        (b"serial",),
        rb"(?i:serial[ _-]?(?:number|num|no\.?)?)[\"']?[ \t]{0,20}[:=#][ \t]{0,40}[\"']?([A-Za-z0-9][A-Za-z0-9_.-]{3,60})",
        _is_serial,
        "serial",
        0,
    ),
    *(
        _secret((start.lower(),), rb"(?<![\w-])(" + start + rb"[A-Za-z0-9][\w.:+-]{8,100})", _is_serial, "serial", 1)
        for start in (rb"ata-", rb"nvme-", rb"usb-", rb"scsi-S")
    ),
    _pattern("user", _HOME, rb"(?<![\w.])" + _HOME + rb"(" + _USER + rb")", _is_user),
    _pattern("user", _AT, _LINE_START + rb"(" + _USER + rb")@" + _HOST + rb"(?=[:\s\]])", _is_user, back=35),
    _pattern("login", _AT, _LINE_START + _USER + rb"@(" + _HOST + rb")(?=[:\s\]])", back=35),
    _pattern("home", _HOME, rb"(?<![\w.])(" + _HOME + _USER + rb"(?:/[\w.+-]{1,64}){0,8})", ahead=600),
)


class Found(NamedTuple):
    """A value of a kind, and its offset in the block."""

    kind: str
    value: str
    offset: int


def find_exposures(block: bytes) -> Iterator[Found]:
    """Everything in a block of whole lines. A secret that several patterns find is given once."""
    text = b"\n" + block
    lowered, secrets = text.lower(), set[int]()
    places: dict[bytes, list[int]] = {}
    spans: dict[re.Pattern[bytes], list[tuple[int, int]]] = {}
    for value, offset in _find_tokens(text):
        secrets.update(range(offset, offset + len(value)))
        yield Found("token", value, offset - 1)
    for pattern in PATTERNS:
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
