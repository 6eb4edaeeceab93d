"""Properties as `zfs get` and `zpool get` print them.

Forms: rows NAME PROPERTY VALUE SOURCE, below a title or with columns padded as ZFS does (or tabs of `-H`); rows of other columns
of `-o` below their title, or without one below a command with `-H`; values alone, below a command with `-o value`.
Source: zfs-get(8), zpool-get(8): `-H` separates the columns with single tabs and leaves out the title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from ingest import normalise
from ingest.context.commands._command_effects import split_options
from ingest.context.zfs._property_names import (
    DATASET_NAME,
    DATASET_PROPERTIES,
    POOL_PROPERTIES,
    DatasetPaths,
    fill_of_pool,
    is_of_pool,
    parse_property,
    pool_name,
    pool_state,
    spell_property,
)
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import ShownCommand, Text

_SOURCE = r"(?:-|default|local|temporary|received|none|inherited(?: from(?: \S+)?)?)"
_KNOWN = rf"{'|'.join(sorted(DATASET_PROPERTIES | POOL_PROPERTIES))}|feature@\w+"
_MARK = r"(?:#[ \t]*)?"  # output kept as a comment below its command; a backslash ends lines of a wiki
_END = r"[ \t]{0,200}(?:\\[ \t]{0,20})?$"
_PROPERTY = r"[a-z][\w@:.-]{0,100}"
_VALUE = r"[^\n]{0,400}?"


def _row_form(prop: str) -> str:
    return (
        rf"^[ \t]*{_MARK}(?P<name>{DATASET_NAME})(?:[ ]+|\t)(?P<prop>{prop})[ \t](?P<value>{_VALUE})"
        rf"(?<=[ \t])(?P<source>{_SOURCE}){_END}"
    )


_ROW = lazy(_row_form(_PROPERTY))
# Of an anchor, in which digits are alike: the known names have no others.
_KNOWN_ROW = lazy(_row_form(re.sub(r"\d", r"\\d", _KNOWN)), re.MULTILINE)
_IS_KNOWN = lazy(rf"(?:{_KNOWN})\Z")
_WIDE = lazy(r"\S(?:[ ]{2,}|[ ]*\t)\s*\S")
_HEAD = lazy(rf"[ \t]*{_MARK}NAME[ \t]+PROPERTY[ \t]+VALUE[ \t]+SOURCE{_END}")
_TITLES = lazy(  # of -o property,value
    rf"^[ \t]*{_MARK}(?P<columns>(?:NAME[ \t]+)?(?:PROPERTY[ \t]+)?VALUE(?:[ \t]+RECEIVED)?(?:[ \t]+SOURCE)?){_END}", re.MULTILINE
)
_COLUMNS = {
    "name": r"(?P<name>[A-Za-z]\S{0,255})",
    "property": rf"(?P<prop>{_PROPERTY})",
    "value": rf"(?P<value>{_VALUE})",
    "received": r"(?P<received>\S+)",
    "source": rf"(?P<source>{_SOURCE})",
}
_GET = lazy(r"\bz(?P<program>fs|pool)[ \t]+get[ \t]+(?P<words>[^|;&<>\n]{1,2000})")
_VDEV = lazy(r"(?:root|mirror|raidz[123]?|draid\d?[\w:]*|spare|replacing|log|special|dedup)-\d+\Z")  # vdevs have properties, too
_CHUNK = 1000  # rows of one data set that are read together
_ANCHOR = (
    Anchor(_KNOWN_ROW, " -|\t-|default|local|temporary|received|none|inherited")
    | Anchor(_TITLES, "value")
    | Anchor(lazy(r"\bz(?:fs|pool)[ \t]+get\b"), "get")
)


class _Row(NamedTuple):
    """One property; `name` and `source` are '' where the listing has no such column. `of_pool`: None if the command is unknown."""

    line: int
    name: str
    prop: str
    value: str
    source: str
    raw: str
    group: int
    of_pool: bool | None


class _Asked(NamedTuple):
    """What a command asks for: properties (`all` among them), pools or data sets, columns; `-H`: the output has no title."""

    of_pool: bool
    props: tuple[str, ...]
    names: tuple[str, ...]
    columns: tuple[str, ...]
    has_title: bool


def read(text: Text) -> Iterator[Clue]:
    """Clues of every row of all forms; rows that follow each other for one data set are one dump."""
    vdev_lines, folders = _vdev_lines(text), DatasetPaths(text.body)
    lines_of_columns: set[int] = set()
    for rows in _by_dataset(_rows_of_columns(text)):
        lines_of_columns.update(row.line for row in rows)
        yield from _dataset_clues(rows)
    for rows in _by_dataset(_rows(text)):
        first = rows[0]
        if first.line in lines_of_columns:
            continue
        if first.line in vdev_lines:
            for row in rows:
                yield from _vdev_row(text, row)
            continue
        yield from _dataset_clues(rows)
        if first.name in folders.names:
            yield Clue(first.line, "fs.type", "zfs", first.raw, subject=first.name, group=first.group)


def _by_dataset(rows: Iterable[_Row]) -> Iterator[list[_Row]]:
    """Rows that follow each other for one data set of one dump, at most `_CHUNK` at a time."""
    chunk: list[_Row] = []
    for row in rows:
        if chunk and ((row.name, row.group) != (chunk[0].name, chunk[0].group) or len(chunk) >= _CHUNK):
            yield chunk
            chunk = []
        chunk.append(row)
    if chunk:
        yield chunk


# --- four columns --------------------------------------------------------------------------------------------------
def _rows(text: Text) -> Iterator[_Row]:
    """Rows of four columns, as in `zfs get all`. A listing begins below a title or with a row of a known property."""
    last, group, is_padded = -1, 0, False
    of_pool: bool | None = None
    for line, row in text.matches(_ROW):
        padded = _WIDE.search(row[0]) is not None
        is_word = " " not in row["value"].strip() or "\t" in row[0]
        if line > last + 1:
            asked = _asked(text.command_for(line))
            has_head = line > 1 and _HEAD.match(text.lines[line - 2]) is not None
            is_known = is_word and row["value"].strip() and _IS_KNOWN.match(row["prop"])
            # Other lines of four words are prose: ZFS pads its columns with two blanks, or has a title above.
            if not has_head and not (padded and (asked or is_known)):
                continue
            group, is_padded, of_pool = line, padded, asked.of_pool if asked else None
        elif not (padded or (is_word and (not is_padded or _IS_KNOWN.match(row["prop"])))):
            continue
        last = line + row["source"].endswith(" from")  # the rest of the source was wrapped into the next line
        yield _Row(
            line, row["name"], row["prop"], row["value"].strip(), row["source"], row[0].strip(), group=group, of_pool=of_pool
        )


def _vdev_lines(text: Text) -> set[int]:
    """Lines of every listing, rows without a gap, that names a vdev."""
    lines: set[int] = set()
    listing: list[int] = []
    names_vdev = False
    for row in _rows(text) if "-0" in text.body else ():
        if listing and row.line > listing[-1] + 1:
            lines.update(listing if names_vdev else ())
            listing, names_vdev = [], False
        listing.append(row.line)
        names_vdev = names_vdev or _VDEV.match(row.name) is not None
    return lines | set(listing if names_vdev else ())


def _vdev_row(text: Text, row: _Row) -> Iterator[Clue]:
    """The ashift of a top-level vdev (`zpool get ashift tank all-vdevs`); the pool is that of the command."""
    ashift = parse_property(row.prop, row.value) if row.prop == "ashift" and _VDEV.match(row.name) else None
    if ashift is not None:
        asked = _asked(text.command_for(row.line))
        pool = asked.names[0] if asked and len(asked.names) > 1 else ""
        yield Clue(row.line, "pool.ashift", ashift, row.raw, subject=pool, group=row.group)


# --- other columns -------------------------------------------------------------------------------------------------
def _rows_of_columns(text: Text) -> Iterator[_Row]:
    """Rows with other columns, below their title or below the command; names and properties that they lack are the command's."""
    for head in _TITLES.finditer(text.body):
        columns = tuple(head["columns"].lower().split())
        line = text.line_at(head.start())
        if len(columns) > 1 and columns != ("name", "property", "value", "source"):
            yield from _rows_below(text, line, columns, text.command_for(line))
    for command in text.commands:
        asked = _asked(command) if " get " in command.text and command.last >= command.first else None
        if asked and asked.columns == ("value",):
            yield from _bare_values(text, command, asked)
        elif asked and not asked.has_title and asked.columns != ("name", "property", "value", "source"):
            yield from _rows_below(text, command.first - 1, asked.columns, command)


def _rows_below(text: Text, head: int, columns: tuple[str, ...], command: ShownCommand | None) -> Iterator[_Row]:
    """The rows below that line. Where they have no names, the command names one data set at most."""
    asked, form = _asked(command), _form_of(columns)
    names, props = (asked.names, asked.props) if asked else ((), ())
    if form is None or ("name" not in columns and len(names) > 1) or ("property" not in columns and len(props) != 1):
        return
    name, prop = "".join(names[:1]), "".join(props[:1])
    is_padded = head > 0 and _WIDE.search(text.lines[head - 1]) is not None
    for line in range(head + 1, (command.last if command else len(text.lines)) + 1):
        printed = text.lines[line - 1]
        row = form.match(printed)
        if not row:
            break
        cells, padded = row.groupdict(), _WIDE.search(printed) is not None
        value = row["value"].strip()
        known = _IS_KNOWN.match(cells.get("prop", prop)) is not None
        if not (padded or (" " not in value and (known or not is_padded))):
            break
        yield _Row(
            line, cells.get("name", name), cells.get("prop", prop), value, cells.get("source", ""), printed.strip(), group=head,
            of_pool=asked.of_pool if asked else None,
        )  # fmt: skip


@cache
def _form_of(columns: tuple[str, ...]) -> re.Pattern[str] | None:
    """A row of these columns, each once and in the order of `-o all`; None of others."""
    order = [column for column in _COLUMNS if column in columns]
    if tuple(order) != columns or "value" not in columns:
        return None
    return re.compile(rf"[ \t]*{_MARK}" + r"(?:[ ]+|\t)".join(_COLUMNS[column] for column in columns) + _END)


def _bare_values(text: Text, command: ShownCommand, asked: _Asked) -> Iterator[_Row]:
    """Values of `zfs get -H -o value compression,sync tank`, one a line; properties and data set are those of the command."""
    output = range(command.first, command.last + 1)
    while output and not text.lines[output[-1] - 1].strip():
        output = output[:-1]
    if output and asked.has_title and text.lines[output[0] - 1].strip() == "VALUE":
        output = output[1:]
    if len(asked.props) == len(output) and len(asked.names) == 1 and "all" not in asked.props:
        for prop, line in zip(asked.props, output, strict=True):
            raw = text.lines[line - 1].strip()
            yield _Row(line, asked.names[0], prop, raw, "", raw, group=command.first, of_pool=asked.of_pool)


def _asked(command: ShownCommand | None) -> _Asked | None:
    """What a command `zfs get` or `zpool get` asks for; None of another."""
    get = _GET.search(command.text) if command else None
    if not get:
        return None
    options, operands = split_options([word.strip("'\"") for word in get["words"].split()], "odst")
    columns: tuple[str, ...] = ("name", "property", "value", "source")
    for name, argument in options:
        if name.endswith("o") and argument:
            columns = ("name", "property", "value", "received", "source") if argument == "all" else tuple(argument.split(","))
    return _Asked(
        get["program"] == "pool",
        tuple("".join(operands[:1]).split(",")),
        tuple(operands[1:]),
        columns,
        not any("H" in name for name, _ in options),
    )


# --- clues ---------------------------------------------------------------------------------------------------------
def _dataset_clues(rows: list[_Row]) -> Iterator[Clue]:
    """Clues of the rows of one pool or data set; none of a snapshot or bookmark."""
    name, group = rows[0].name, rows[0].group
    if "@" in name or "#" in name:
        return
    if name:
        yield Clue(rows[0].line, "pool.name", pool_name(name), rows[0].raw, subject=pool_name(name), group=group)
    of_pool = _is_listing_of_pool(rows)
    for row in rows:
        if f"{row.prop} {row.value}" == "type filesystem" or (
            row.source and (row.prop in ("recordsize", "atime") or (row.prop == "mountpoint" and row.value.startswith("/")))
        ):
            yield Clue(row.line, "fs.type", "zfs", row.raw, subject=name, group=group)
        if effective := _meaning_of_on(row):
            yield Clue(row.line, "pool.compression_effective", effective, row.raw, subject=name, group=group)
        own_kind = _is_of_pool(row)
        if (row_of_pool := of_pool if own_kind is None else own_kind) is None:
            continue  # pools and data sets have one of that name
        key, value = spell_property(row.prop, row.value, row_of_pool)
        if value is not None:
            by_person = row.source.startswith(("local", "received", "inherited"))
            yield Clue(row.line, key, value, row.raw, subject=name, group=group, by_person=by_person)
        for key, value in pool_state(row.prop, row.value) if row_of_pool else ():
            yield Clue(row.line, key, value, row.raw, subject=name, group=group)
    if not of_pool:
        yield from _fill(name, {row.prop: row for row in rows if row.prop in ("used", "available")})


def _fill(name: str, rows: Mapping[str, _Row]) -> Iterator[Clue]:
    """The fill of a pool by the rows `used` and `available` of its first data set."""
    for key, value in fill_of_pool(name, rows["used"].value, rows["available"].value) if len(rows) == 2 else ():
        row = max(rows.values(), key=lambda row: row.line)
        yield Clue(row.line, key, value, row.raw, subject=name, group=row.group)


def _is_listing_of_pool(rows: list[_Row]) -> bool | None:
    """Whether the rows are those of a pool, by the command or by their properties; None if that is unknown."""
    if rows[0].of_pool is not None:
        return rows[0].of_pool
    kinds = {_is_of_pool(row) for row in rows} - {None}
    if "/" in rows[0].name or kinds == {False}:
        return False
    return True if kinds == {True} else None


def _is_of_pool(row: _Row) -> bool | None:
    """As `is_of_pool`; the version of a data set has the source `-`, that of a pool another one."""
    return row.source != "-" if row.prop == "version" and row.source else is_of_pool(row.prop)


def _meaning_of_on(row: _Row) -> str | None:
    """The algorithm that `compression=on` selects in the pool, from its version or features."""
    if row.prop == "feature@lz4_compress":
        return normalise.meaning_of_on(None, row.value)
    is_version = row.prop == "version" and "/" not in row.name and row.source in ("default", "local")
    return normalise.meaning_of_on(row.value) if is_version else None


READER = Reader("zfs get", 8, _ANCHOR, read)
