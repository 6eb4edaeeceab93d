"""Clues and values that readers of several kinds of evidence make alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ingest import normalise
from ingest.open_keys import spell_open_value
from ingest.records import Clue, Member
from ingest.text.lines import Text


def line_clue(text: Text, line: int, key: str, value: Any, *, subject: str = "", group: Any = None) -> Clue:
    """A clue of kind `dump` whose raw text is the whole line; its group is the line unless another is given."""
    return Clue(line, key, value, text.lines[line - 1].strip(), subject=subject, group=line if group is None else group)


def member_clue(text: Text, line: int, devices: Iterable[str], subject: str, group: Any) -> Clue:
    """The devices below a pool, mounted folder or array, by which `configuration.devices` knows whose settings hold."""
    return line_clue(text, line, "block.devices", " ".join(devices), subject=subject, group=group)


def members_of_pool(pool: str, places: Mapping[str, str], lines: Mapping[str, int]) -> Iterator[Member]:
    """The devices of a pool. `places`: device -> vdev, '' if it is one itself; `lines`: device -> line."""
    for device, place in places.items():
        yield Member(lines[device], device, f"{pool}/{place}".rstrip("/"))


def distribution_values(name: str, version: str | None = None) -> Iterator[tuple[str, str]]:
    """(key, value) of a distribution by its registered name: `os.name`, `os.version` if given, `os.family` if known."""
    yield "os.name", name
    if version:
        yield "os.version", version
    if family := normalise.os_family(name):
        yield "os.family", family


def label_clue(line: int, key: str, value: Any, raw: str, group: str) -> Clue:
    """A label that holds for the results after it; where the value is None, the end of the key."""
    return Clue(line, key, value, raw, "label", "labels" if value is not None else "ends", group=group)


def open_clues(
    line: int, key: str, printed: Any, raw: str, *, subject: str = "", group: Any = None, by_person: bool = False
) -> Iterator[Clue]:
    """The clue of an open key that a tool lists; none where its value is empty or too long. `by_person`: a person set the value."""
    value = spell_open_value(key, printed)
    if value is not None:
        yield Clue(line, key, value, raw, subject=subject, group=line if group is None else group, by_person=by_person)
