"""Outputs of known tools that no parser reads yet: signatures of `signatures.toml`, searched in files without results.

A signature names a file; it never changes what is read. Of a text only its first `HEAD` and its last `TAIL` characters are
searched, and patterns only where one of the literal marks stands in them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import ahocorasick

HEAD, TAIL = 16 << 10, 4 << 10  # characters
_SOURCE = Path(__file__).with_name("signatures.toml")
_FOR_NOW = "The bytes are kept; to compare its figures now, enter them as a results table (docs/manifest.md)."
_SERIES = "It is not read as a curve yet; upload the outputs of the benchmark that ran beside it as well."


@dataclass(frozen=True, slots=True)
class Signature:
    """What marks the output of one tool. `pattern` and `version`: None where there is none; `files`: patterns of names."""

    name: str
    marks: tuple[str, ...]
    documentation: str
    advice: str
    pattern: re.Pattern[str] | None
    version: re.Pattern[str] | None
    files: tuple[str, ...]

    def matches(self, name: str, head: str) -> bool:
        """Whether it is in the head of a file of this name, in which one of its marks stands."""
        if self.files and not any(fnmatchcase(name, files) for files in self.files):
            return False
        return self.pattern is None or self.pattern.search(head) is not None

    def read_version(self, head: str) -> str:
        """The version that the output prints, '' if it prints none."""
        found = self.version.search(head) if self.version else None
        return ".".join(group for group in found.groups() if group).rstrip(".") if found else ""


@dataclass(frozen=True, slots=True)
class RecognisedTool:
    """The tool that printed a file, with the version as printed, or ''."""

    signature: Signature
    version: str

    @property
    def label(self) -> str:
        """Name and version: `vdbench 5.04`."""
        return f"{self.signature.name} {self.version}".strip()

    @property
    def message(self) -> str:
        return f"{self.label} output: recognised, not read yet. {self.signature.advice}"


@cache
def signatures() -> tuple[Signature, ...]:
    """All signatures, in the order of the file."""
    import tomllib  # few uploads have a file that nothing reads

    return tuple(_signature(entry) for entry in tomllib.loads(_SOURCE.read_text(encoding="utf-8"))["tool"])


def _signature(entry: dict[str, Any]) -> Signature:
    pattern, version = (re.compile(entry[key]) if key in entry else None for key in ("pattern", "version"))
    advice = entry.get("advice") or (_SERIES if entry.get("reads") == "series" else _FOR_NOW)
    marks, files = tuple(entry["marks"]), tuple(entry.get("files", ()))
    return Signature(entry["name"], marks, entry["documentation"], advice, pattern, version, files)


@cache
def _marks() -> ahocorasick.Automaton:
    """Finds all marks in one pass; mark -> a bit for each signature that has it."""
    automaton, bits = ahocorasick.Automaton(), dict[str, int]()
    for index, signature in enumerate(signatures()):
        for mark in signature.marks:
            bits[mark] = bits.get(mark, 0) | 1 << index
    for mark, signatures_of_mark in bits.items():
        automaton.add_word(mark, signatures_of_mark)
    automaton.make_automaton()
    return automaton


def recognise_tool(path: str, body: str) -> RecognisedTool | None:
    """The tool whose output begins or ends like the text, None if no signature matches."""
    name, head = path.rpartition("/")[2], body[:HEAD]
    if len(body) > HEAD:
        head += "\n" + body[max(HEAD, len(body) - TAIL) :]
    marked = 0
    for _, bits in _marks().iter(head):
        marked |= bits
    for index, signature in enumerate(signatures()):
        if marked >> index & 1 and signature.matches(name, head):
            return RecognisedTool(signature, signature.read_version(head))
    return None
