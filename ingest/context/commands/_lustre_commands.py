"""Settings of Lustre that `lctl set_param` and `lfs setstripe` change.

Source: lctl(8), lfs-setstripe(1).
"""

from __future__ import annotations

import getopt
import re
from collections.abc import Iterator
from typing import Any

from ingest.context.file_systems._lustre import PARAMETER, parameter_key
from ingest.lazy_regex import lazy
from ingest.open_keys import spell_open_value

_Change = tuple[str, str, Any]  # subject, key, new value; None where the key ends
_PARAMETER = lazy(rf"{PARAMETER}\Z")
_ONE_TARGET = lazy(r"(?:OST|MDT)[0-9a-f]{4}")
_VARIABLE = lazy(r"[$`*?\[\]]")
_SHORT = "c:S:s:i:o:p:E:L:C:dHx:W:z:y:F:N"
_LONG = ["stripe-count=", "count=", "stripe-size=", "size=", "stripe-index=", "index=", "offset=", "ost-list=", "ost=", "pool="]
_LONG += ["component-end=", "layout=", "overstripe-count=", "delete", "mode=", "extension-size="]
_NAMES = {
    "-c": "stripe_count",
    "--stripe-count": "stripe_count",
    "--count": "stripe_count",
    "-C": "stripe_count",
    "--overstripe-count": "stripe_count",
    "-S": "stripe_size",
    "-s": "stripe_size",
    "--stripe-size": "stripe_size",
    "--size": "stripe_size",
    "-p": "pool",
    "--pool": "pool",
    "-L": "pattern",
    "--layout": "pattern",
}
_PLACES = ("-i", "-o", "--stripe-index", "--index", "--offset", "--ost-list", "--ost")
_LAYOUT = ("stripe_count", "stripe_size", "pattern", "pool", "layout")


def set_param_changes(words: list[str]) -> Iterator[_Change]:
    """Parameters of all targets; one that is set for a single target ends, for the targets are not known to be alike."""
    words = [word for word in words[1:] if not re.fullmatch(r"-\w+|--\w+", word)]
    if words[:1] != ["set_param"]:
        return
    for name, value in _assignments(words[1:]):
        if (parameter := _PARAMETER.match(name)) and value != "clear":
            key = parameter_key(parameter["component"], parameter["name"])
            is_known = not _VARIABLE.search(value) and not _ONE_TARGET.search(parameter["target"])
            yield "", key, spell_open_value(key, value) if is_known else None


def _assignments(words: list[str]) -> Iterator[tuple[str, str]]:
    """(name, value) of `name=value` words, or of `name value`."""
    if len(words) == 2 and "=" not in words[0]:
        yield words[0], words[1]
        return
    for word in words:
        name, separator, value = word.partition("=")
        if separator:
            yield name, value


def setstripe_changes(words: list[str]) -> Iterator[_Change]:
    """The layout of new files in a folder, or of a new file. Options of components are one text, as they stand in the command."""
    if words[1:2] != ["setstripe"]:
        return
    try:
        options, operands = getopt.gnu_getopt(words[2:], _SHORT, _LONG)
    except getopt.GetoptError:
        return
    layout: dict[str, str] = {_NAMES[option]: value for option, value in options if option in _NAMES}
    if any(option in ("-E", "--component-end") for option, _ in options):
        layout = {"layout": " ".join(f"{option} {value}" for option, value in options if option not in _PLACES)}
    for path in operands:
        if path.startswith("/") and not _VARIABLE.search(path):
            for name in _LAYOUT:
                value = layout.get(name, "$")
                yield path, f"lustre.{name}", None if _VARIABLE.search(value) else spell_open_value(f"lustre.{name}", value)
