"""Settings of Lustre: parameters that `lctl` names, and the layout of files.

Source: lctl(8) (`osc.testfs-OST0000-osc-ffff9552e4e09000.max_rpcs_in_flight=8`), lfs-getstripe(1), lfs-setstripe(1).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from ingest.context._clues import open_clues
from ingest.context.file_systems._formats import tool_operand
from ingest.lazy_regex import lazy
from ingest.records import Clue
from ingest.text.lines import Text

_COMPONENTS = r"llite|mdc|osc|lov|osd-\w+|obdfilter|mdt|ofd|ldlm\.namespaces"
PARAMETER = rf"(?P<component>{_COMPONENTS})\.(?P<target>[^\s=]{{1,150}})\.(?P<name>[a-z]\w{{1,60}})"
_LISTED = lazy(rf"^[ \t]*{PARAMETER}=(?P<value>[^\n]*)$", re.MULTILINE)
_CHOSEN = lazy(r"\[([\w.-]+)\]")  # one of several: `crc32 adler [crc32c]`
_CACHED = lazy(r"max_cached_mb:[ \t]*(\d+)[ \t]*\Z")  # below `llite.*.max_cached_mb=`
_STRIPES = lazy(r"^[ \t]*(?:lmm_)?stripe_count:[ \t]+-?\d+", re.MULTILINE)
_ITEM = lazy(r"(?:lmm_)?(stripe_count|stripe_size|pattern|raid_pattern|pool):[ \t]+([\w.,-]+)")
_COMPOSITE = lazy(r"^[ \t]*lcm_layout_gen:[ \t]+\d+", re.MULTILINE)
_END = lazy(r"[ \t]*lcme_extent\.e_end:[ \t]+(\S+)")
_MIRRORS = lazy(r"[ \t]*lcm_mirror_count:[ \t]+(\d+)")
_ITEMS = 8  # lines of one layout
_PATTERNS = {"1": "raid0", "2": "raid1", "100": "mdt"}  # lustre_user.h, LOV_PATTERN_*


def parameter_key(component: str, name: str) -> str:
    """`lustre.osc.max_rpcs_in_flight`; the back end of a server is `osd`."""
    return f"lustre.{'osd' if component.startswith('osd-') else component}.{name}"


def parameter_clues(text: Text) -> Iterator[Clue]:
    """Parameters that `lctl get_param` lists, or that `set_param` repeats; unlike values of several targets are joined."""
    key, targets, values, first, last = "", set[str](), set[str](), 0, 0
    for match in _LISTED.finditer(text.body):
        line = text.line_at(match.start("component"))
        new = parameter_key(match["component"], match["name"])
        if new != key or line > last + 1 or match["target"] in targets:
            yield from _parameter(text, first, key, values)
            key, targets, values, first = new, set(), set(), line
        last = line
        targets.add(match["target"])
        values.add(_value(text, line, match["name"], match["value"]))
    yield from _parameter(text, first, key, values)


def _value(text: Text, line: int, name: str, printed: str) -> str:
    """What is printed behind `=`; the active one of several; '' where the value is a table below."""
    if active := _CHOSEN.search(printed):
        return active[1]
    if name == "max_cached_mb" and not printed.strip():
        below = (match for row in text.lines[line : line + 4] if (match := _CACHED.match(row)))
        return next((match[1] for match in below), "")
    return printed.strip()


def _parameter(text: Text, line: int, key: str, values: set[str]) -> Iterator[Clue]:
    if key and "" not in values:
        command = text.command_for(line)
        by_person = command is not None and "set_param" in command.text
        yield from open_clues(line, key, " + ".join(sorted(values)), text.lines[line - 1].strip(), group=line, by_person=by_person)


def layout_clues(text: Text) -> Iterator[Clue]:
    """Layouts that `lfs getstripe` prints; the path above a layout, or in the command, is the subject."""
    heads = [text.line_at(match.start()) for match in _COMPOSITE.finditer(text.body)]
    components: dict[int, list[tuple[int, str]]] = {}  # line of a composite layout -> line, end of each
    for match in _STRIPES.finditer(text.body):
        line = text.line_at(match.start())
        end = next((found[1] for row in text.lines[max(line - 3, 0) : line - 1] if (found := _END.match(row))), None)
        if end is None:
            yield from _plain_clues(text, line)
        elif above := bisect_right(heads, line):
            components.setdefault(heads[above - 1], []).append((line, end))
    for head, parts in components.items():
        yield from _composite_clues(text, head, parts)


def _plain_clues(text: Text, line: int) -> Iterator[Clue]:
    for number, name, value in _items(text, line):
        yield from open_clues(
            number, f"lustre.{name}", value, text.lines[number - 1].strip(), subject=_subject(text, line), group=line
        )


def _items(text: Text, line: int) -> Iterator[tuple[int, str, str]]:
    """(line, property, value) of the layout on that line and those below."""
    indent = len(text.lines[line - 1]) - len(text.lines[line - 1].lstrip())
    for number in range(line, min(line + _ITEMS, len(text.lines) + 1)):
        row = text.lines[number - 1]
        if number > line and (_STRIPES.match(row) or not row[indent:].startswith("lmm_")):
            break
        for name, value in _ITEM.findall(row):
            yield number, name.removeprefix("raid_"), _PATTERNS.get(value, value) if name.endswith("pattern") else value


def _composite_clues(text: Text, line: int, components: list[tuple[int, str]]) -> Iterator[Clue]:
    """The components of a composite layout as one text: `1048576 mdt 0 x 1048576 + EOF raid0 -1 x 4194304`."""
    parts = []
    for number, end in components:
        found = {name: value for _, name, value in _items(text, number)}
        size = f"{found.get('pattern', '?')} {found['stripe_count']} x {found.get('stripe_size', '?')}"
        parts.append(" ".join(filter(None, (end, size, found.get("pool", "")))))
    raw, subject = text.lines[line - 1].strip(), _subject(text, line)
    yield from open_clues(line, "lustre.layout", " + ".join(parts), raw, subject=subject, group=line)
    for number in range(line + 1, min(line + 3, len(text.lines) + 1)):
        if mirrors := _MIRRORS.match(text.lines[number - 1]):
            yield from open_clues(
                number, "lustre.mirror_count", mirrors[1], text.lines[number - 1].strip(), subject=subject, group=line
            )


def _subject(text: Text, line: int) -> str:
    """The path on the line above, or the last one in the command."""
    above = text.lines[line - 2].strip() if line > 1 else ""
    return above if re.fullmatch(r"/[^\s:]+", above) else tool_operand(text, line, "lfs")
