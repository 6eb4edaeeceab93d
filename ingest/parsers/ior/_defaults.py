"""Sizes that IOR uses where its command sets none: the same in 2.10, 3 and 4 (docs/implied.md).

Only below a command line that IOR prints itself, directly above the line of the machine: then no part of it was wrapped away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers._wrapped_command import read_wrapped_words
from ingest.records import LOST, Found, Value

# Parameter -> letter of its option, its directive (`-O blockSize=1g`, in any case), and the size in bytes or the count.
_DEFAULTS = {
    "transfer_size": ("t", "transfersize", 262144),
    "block_size": ("b", "blocksize", 1048576),
    "segments": ("s", "segmentcount", 1),
}
_VERSIONS = lazy(r"(?:2\.10|3|4)\.\d")
_COMMAND = lazy(r'^[\s>|#+]*(?:\d{1,6}: )?"?Command line\b')
_MACHINE = lazy(r'^[\s>|#+]*(?:\d{1,6}: )?"?Machine\b')
_CUT = lazy(rf"\.\.\.|[…\\$`\x00{LOST}]|\s-[aAbdDfGijJlMNoOQstTUX]?\Z")  # the last: an option that lacks its argument
_OPTION_LETTERS = lazy(r"(?<!\S)-([a-zA-Z]\S*)")


def imply_defaults(lines: Sequence[str], items: Iterator[Found]) -> Iterator[Found]:
    """The items; a value whose parameters lack a size that its command does not set gets the default."""
    last: tuple[Any, dict[str, Any], dict[str, int]] | None = None  # parameters, those with defaults, what was added
    for item in items:
        if isinstance(item, Value) and "command" in item.params and not _DEFAULTS.keys() <= item.params.keys():
            if last is None or last[0] is not item.params:
                added = _find_defaults(lines, item)
                last = item.params, {**item.params, **{name: _DEFAULTS[name][2] for name in added}}, added
            if last[2]:
                item.params, item.implied = last[1], last[2]
        yield item


def _find_defaults(lines: Sequence[str], value: Value) -> dict[str, int]:
    """The parameters that follow from the value's command, with its line."""
    command = str(value.params["command"])
    number = next((line for line in value.depends if _COMMAND.match(lines[line - 1])), 0)
    if (
        not number
        or not _VERSIONS.match(value.tool_version or "")
        or _CUT.search(command)
        or not _ends_above_machine(lines, number)
    ):
        return {}
    letters = "".join(_OPTION_LETTERS.findall(command.partition(" ")[2]))
    if "f" in letters:
        return {}  # a script may set anything
    folded = command.lower()
    return {
        name: number
        for name, (letter, directive, _) in _DEFAULTS.items()
        if name not in value.params and letter not in letters and directive not in folded
    }


def _ends_above_machine(lines: Sequence[str], number: int) -> bool:
    """Whether all lines between that of the command and that of the machine are part of the command."""
    end = number + len(read_wrapped_words(lines, number))
    return bool(lines[end : end + 1]) and bool(_MACHINE.match(lines[end]))
