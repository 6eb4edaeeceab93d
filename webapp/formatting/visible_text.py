"""Texts of uploads as people can see them: what has no sign of its own, or turns others around, is shown as a sign."""

from __future__ import annotations

LONGEST = 300
"""Characters of a name on a page; of a longer one the first and the last are shown."""
_NAMES = (
    "NUL",
    "SOH",
    "STX",
    "ETX",
    "EOT",
    "ENQ",
    "ACK",
    "BEL",
    "BS",
    "TAB",
    "LF",
    "VT",
    "FF",
    "CR",
    "SO",
    "SI",
    "DLE",
    "DC1",
    "DC2",
    "DC3",
    "DC4",
    "NAK",
    "SYN",
    "ETB",
    "CAN",
    "EM",
    "SUB",
    "ESC",
    "FS",
    "GS",
    "RS",
    "US",
)
# In words: the site's fonts have no control pictures (U+2400 and following).
_SIGNS = {code: f"\u27e8{name}\u27e9" for code, name in enumerate(_NAMES)} | {0x7F: "\u27e8DEL\u27e9"}
_TURNING = (0x061C, 0x200B, *range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC))
_HIDDEN = {
    code: f"\u27e8U+{code:04X}\u27e9"
    for code in (*range(0x80, 0xA0), *_TURNING, *range(0xFDD0, 0xFDF0), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000))
}
_SHOWN = str.maketrans(_SIGNS | _HIDDEN)


def make_visible(text: str, longest: int = LONGEST) -> str:
    """The text with control characters by their names (`\u27e8LF\u27e9`), marks of direction and other hidden ones by their code
    point (`\u27e8U+202E\u27e9`), blanks at its ends as `\u2423`, and its middle left out where it is long."""
    if text.isprintable() and len(text) <= longest and text[:1] != " " and text[-1:] != " ":
        return text
    if len(text) > longest:
        text = f"{text[: longest - 101]} \u2026 {text[-98:]}"
    return _blanks(text.translate(_SHOWN))


def _blanks(text: str) -> str:
    inner = text.strip(" ")
    left = len(text) - len(text.lstrip(" ")) if inner else len(text)
    return "\u2423" * left + inner + "\u2423" * (len(text) - left - len(inner))


_NOT_XML = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(55296, 57344), 65534, 65535))


def make_xml_safe(text: str) -> str:
    """The text without the characters that XML 1.0 cannot hold, each as U+FFFD (section 2.2)."""
    return text if text.isprintable() else text.translate(dict.fromkeys(_NOT_XML, "\ufffd"))
