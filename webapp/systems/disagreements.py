"""Warnings about evidence that contradicts the configuration that was taken, as it is shown beside the values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ingest import keys
from ingest.warning_codes import BY_HAND
from webapp.files.addresses import place_address
from webapp.models import Archive, File, Note
from webapp.systems.describe import DescribedKey, format_value

CODE = "disagree"
_STATED = {BY_HAND: "stated"}
_MOST = 500  # of one archive that are compared with the keys of a run
_PLACE = rf"stated|{BY_HAND}|.+?:\d+"
# As `ingest.configuration.disagreements` writes it, and as it wrote it up to version 0.2.0; other warnings of this code are
# about values.
_MESSAGE = re.compile(
    rf"(?P<key>[\w.]+) is (?P<taken>.+?) \((?P<taken_place>{_PLACE})\) and (?P<other>.+?) \((?P<other_place>{_PLACE})\); "
    r"the first was used\.",
    re.S,
)
_EARLIER_MESSAGE = re.compile(
    rf"(?P<key>[\w.]+) is (?P<taken>.+?) at (?P<taken_place>{_PLACE}) and (?P<other>.+?) at (?P<other_place>{_PLACE}); "
    r"the first was taken\.",
    re.S,
)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two values of a configuration key, each with its FILE:LINE (or `stated`) and the address of that. The first was taken."""

    key: str
    taken: str
    taken_place: str
    taken_address: str
    other: str
    other_place: str
    other_address: str

    @property
    def label(self) -> str:
        key = keys.find_key(self.key)
        return key.label if key else self.key

    @property
    def taken_text(self) -> str:
        return _format(self.key, self.taken)

    @property
    def other_text(self) -> str:
        return _format(self.key, self.other)

    def concerns(self, described: DescribedKey) -> bool:
        """Whether it is about that value: read from that line, or from another of the file that contradicts the same line."""
        if described.name != self.key or str(described.value) == self.other:
            return False
        return described.place == self.taken_place or (
            ":" in described.place and described.place.rpartition(":")[0] == self.taken_place.rpartition(":")[0]
        )


def read_disagreements(archive: Archive, most: int = _MOST) -> list[Disagreement]:
    """The first of the archive. One query."""
    return list(_parse(archive.notes.filter(code=CODE).order_by("id")[:most]))


def read_disagreements_of_file(file: File, most: int) -> list[Disagreement]:
    """The first on lines of the file. One query, none for a file without warnings."""
    return list(_parse(file.notes.filter(code=CODE).order_by("id")[:most])) if file.warnings else []


def add_disagreements(parts: list[tuple[str, list[DescribedKey]]], archive: Archive) -> list[tuple[str, list[DescribedKey]]]:
    """The parts of a configuration, their keys with what contradicts them. One query."""
    found = read_disagreements(archive)
    for _, described_keys in parts if found else ():
        for described in described_keys:
            described.disagreements = [one for one in found if one.concerns(described)]
    return parts


def _parse(notes: Iterable[Note]) -> Iterable[Disagreement]:
    for note in notes:
        if match := _MESSAGE.fullmatch(note.message) or _EARLIER_MESSAGE.fullmatch(note.message):
            taken_place, other_place = (_STATED.get(match[name], match[name]) for name in ("taken_place", "other_place"))
            yield Disagreement(
                key=match["key"],
                taken=match["taken"],
                taken_place=taken_place,
                taken_address=place_address(note.archive_id, taken_place),
                other=match["other"],
                other_place=other_place,
                other_address=place_address(note.archive_id, other_place),
            )


def _format(name: str, text: str) -> str:
    key = keys.find_key(name)
    return format_value(key.type, int(text)) if key and key.type == keys.SIZE and text.isdecimal() else text
