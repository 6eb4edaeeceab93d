"""Clues and values that readers of several kinds of evidence make alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from ingest import normalise
from ingest.open_keys import namespace_of, spell_open_value
from ingest.records import Clue, Doubt, Member
from ingest.text.lines import Text

_Found = TypeVar("_Found", bound=Clue | Doubt | Member)
MOST_OPEN_CLUES = 20_000
"""Clues of open keys that one reader takes from one file: the properties of some 300 data sets."""


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


def limit_open_clues(clues: Iterable[_Found]) -> Iterator[_Found | Doubt]:
    """The clues without those of open keys beyond `MOST_OPEN_CLUES`, and a doubt where the first of these stands."""
    count = 0
    for clue in clues:
        if isinstance(clue, Clue) and namespace_of(clue.key):
            count += 1
            if count == MOST_OPEN_CLUES + 1:
                yield Doubt(
                    clue.line,
                    "limit",
                    f"There are more than {MOST_OPEN_CLUES:,} properties; those from this line on were not read.",
                )
            if count > MOST_OPEN_CLUES:
                continue
        yield clue
