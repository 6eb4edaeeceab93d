"""Clues and values that readers of several kinds of evidence make alike."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.open_keys import spell_open_value
from ingest.records import Clue, Member
from ingest.text.lines import Text

# Commands continued on the next line after a backslash, joined.
#
# Source: POSIX, Shell Command Language, 2.2.1 (a backslash before a newline joins the lines); the shell prompts for the rest
# with PS2, `> ` unless set.

_OPEN = lazy(r"(?<!\\)(?:\\\\)*\\[ \t]*\Z")  # copies leave blanks after the backslash
_PROMPTED = lazy(r"[ \t]*>[ \t]+")
_TAIL = 80  # characters at the end of a line that are searched for a backslash and blanks
_MOST = 200  # continuation lines: pools of many disks may have one for each
_MISSING = "$"  # stands for a missing continuation; readers of commands take it for a variable


def join_continuation(text: Text, line: int, command: str) -> tuple[str, int]:
    """(command, number of its last line) of the command on that line; ends with `_MISSING` where its continuation is missing."""
    parts, last = [command], line
    while _OPEN.search(parts[-1][-_TAIL:]):
        parts[-1] = parts[-1].rstrip(" \t")[:-1]
        following = text.lines[last] if last < min(len(text.lines), line + _MOST) else ""
        if not following.strip() or re.match(r"[ \t]*`{3}", following) or _is_another(text, last + 1):
            parts.append(_MISSING)
            break
        last += 1
        parts.append(_PROMPTED.sub("", following, count=1).strip())
    return (" ".join(parts), last) if len(parts) > 1 else (command, line)


def _is_another(text: Text, line: int) -> bool:
    """Whether the line has a prompt other than PS2."""
    index = bisect_left(text.commands, line, key=lambda command: command.line)
    return index < len(text.commands) and text.commands[index].line == line and text.commands[index].prompt.strip() != ">"


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


_HYPERVISORS = {
    "microsoft": "hyper-v",
    "oracle": "virtualbox",
    "vmware, inc.": "vmware",
    "xenhvm": "xen",
    "xen-hvm": "xen",
    "kernel-based virtual machine": "kvm",
    "qemu": "kvm",
    "innotek gmbh": "virtualbox",
}


def hypervisor(printed: str) -> str:
    """The name of a hypervisor or container as systemd-detect-virt prints it; `none` of a machine without one."""
    name = printed.strip().lower()
    return _HYPERVISORS.get(name, name)


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
