"""Uploaded texts made safe to show: characters that are invisible or change the direction become visible."""

from __future__ import annotations

MAX_LENGTH = 300
"""Characters of a name on a page; of a longer one its start and end are shown."""
_CONTROL_NAMES = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR", "SO", "SI", "DLE", "DC1",
    "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
)  # fmt: skip
# By name: the site's fonts have no control pictures (U+2400 and following).
_CONTROLS = {code: f"\u27e8{name}\u27e9" for code, name in enumerate(_CONTROL_NAMES)} | {0x7F: "\u27e8DEL\u27e9"}
_FORMAT = (
    0x061C,
    0x200B,
    *range(0x200E, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
)
_HIDDEN = {
    code: f"\u27e8U+{code:04X}\u27e9"
    for code in (*range(0x80, 0xA0), *_FORMAT, *range(0xFDD0, 0xFDF0), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000))
}
_REPLACEMENTS = str.maketrans(_CONTROLS | _HIDDEN)


def make_visible(text: str, max_length: int = MAX_LENGTH) -> str:
    """The text with control characters by name (`\u27e8LF\u27e9`), direction marks and other hidden ones by code point
    (`\u27e8U+202E\u27e9`), spaces at its ends as `\u2423`, and without its middle where it is long."""
    if text.isprintable() and len(text) <= max_length and text[:1] != " " and text[-1:] != " ":
        return text
    if len(text) > max_length:
        text = f"{text[: max_length - 101]} \u2026 {text[-98:]}"
    return _mark_outer_spaces(text.translate(_REPLACEMENTS))


def _mark_outer_spaces(text: str) -> str:
    inner = text.strip(" ")
    left = len(text) - len(text.lstrip(" ")) if inner else len(text)
    return "\u2423" * left + inner + "\u2423" * (len(text) - left - len(inner))


_NOT_XML = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(55296, 57344), 65534, 65535))


def make_xml_safe(text: str) -> str:
    """The text with U+FFFD for each character that XML 1.0 does not allow (section 2.2)."""
    return text if text.isprintable() else text.translate(dict.fromkeys(_NOT_XML, "\ufffd"))
