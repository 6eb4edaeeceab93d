"""Systems in forms for issues: OpenZFS' table, hand-made ones of the same two columns, and headings above their answers.

Forms: rows `Distribution Name | Debian`, of which one at least names a distribution or a kernel; a heading of Markdown that asks
for system, kernel, architecture, processor or memory (WSL's `### Kernel Version`, rclone's `#### Which OS you are using`) above
one line.
Source: .github/ISSUE_TEMPLATE of OpenZFS (`Distribution Name`, `Distribution Version`, `Linux Kernel` or `Kernel Version`,
`Architecture`, `ZFS Version` or `OpenZFS Version`), a Markdown table whose second column people fill in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ingest import normalise
from ingest.context._clues import distribution_values
from ingest.context.labels._row_values import read_row
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_ROW = lazy(
    r"^[ \t]*\|?[ \t]*(?P<name>Distribution Name|Distribution Version|(?:Linux )?Kernel(?: Version)?|Architecture"
    r"|(?:Open)?ZFS Version)[ \t]*\|[ \t]*(?P<value>[^|\n]{1,100}?)[ \t]*\|?[ \t]*$",
    re.MULTILINE,
)
_ASKED = (
    r"(?:Linux |OS )?Kernel(?: Version)?|(?:Linux |OS )?Distro(?:bution)?(?: Version)?|Architecture"
    r"|(?:Host )?(?:OS|Operating[ -]System)(?:(?: type)?(?: and| &|/|,)? ?(?:version|release|distribution))?"
    r"|(?:Which|What) (?:OS|operating system)\b[^\n]{0,80}?|CPU(?: Model)?|Processor|(?:System )?(?:RAM|Memory)"
)
_FORM = lazy(
    rf"^#{{2,5}}[ \t]+(?P<name>{_ASKED})[ \t]*[:?]?[ \t]*\n"
    r"(?:[ \t]*\n)?`?(?P<value>[^\W_][^\n`]{2,60}?)`?[ \t]*(?=\n[ \t]*(?:\n|#)|\n?\Z)",
    re.MULTILINE | re.IGNORECASE,
)
_ANCHOR = lazy(
    r"(?i)#[ \t]+(?:(?:Linux |OS )?(?:Kernel|Distro)|Architecture|(?:Host )?(?:OS|Operating)\b|(?:Which|What) (?:OS|op)"
    r"|CPU\b|Processor\b|(?:System )?(?:RAM|Memory)\b)"
    r"|Distribution Name[ \t]*\||\bKernel(?: Version)?[ \t]*\|[ \t]*v?\d"
)
_NOTE = lazy(r" \([^()|\n]{1,80}\)\Z")
_KERNEL = lazy(r"(?:(Linux|FreeBSD) )?v?(\d+\.\d+[\w.+~-]*)(?: ?[`#(].*)?\Z")
_VERSION = lazy(r"(?:zfs-)?v?(\d+\.\d+[\w.+~-]*)\Z")
_MACHINE = lazy(r"(?:x86_64|amd64|aarch64|arm64|armv\dl|i\d86|ppc64(?:le)?|s390x|riscv64|sparc64)\Z")
_APART = 3  # lines between two rows of one table


class _Answer(NamedTuple):
    line: int
    name: str
    value: str
    raw: str


def read(text: Text) -> Iterator[Clue]:
    """Labels of every table that names a distribution or a kernel, and of every heading with its answer."""
    yield from _table_clues(text)
    commands = {command.line for command in text.commands}
    for match in _FORM.finditer(text.body):
        name, raw, line = match["name"].lower(), match["value"], text.line_at(match.start("value"))
        if line not in commands:
            values = _heading_values(name, raw)
            yield from (Clue(line, key, value, raw, kind="label", group="form") for key, value in values)


def _heading_values(name: str, value: str) -> Iterator[tuple[str, object]]:
    """(key, value) of the answer below a heading, whose text is in lower case."""
    if "kernel" in name:
        return _kernel_values("Kernel", value)
    if name.startswith("arch"):
        return _arch_values(value)
    kind = "cpu" if name.startswith(("cpu", "proc")) else "memory" if name.endswith(("ram", "memory")) else "system"
    return read_row(kind, value)


def _table_clues(text: Text) -> Iterator[Clue]:
    table: list[_Answer] = []
    for match in _ROW.finditer(text.body):
        line = text.line_at(match.start("name"))
        if table and line - table[-1].line > _APART:
            yield from _one_table(table)
            table = []
        table.append(_Answer(line, match["name"], match["value"], match[0].strip()))
    yield from _one_table(table)


def _one_table(table: list[_Answer]) -> Iterator[Clue]:
    if not any("Kernel" in answer.name or answer.name.startswith("Distribution") for answer in table):
        return
    for answer in table:
        for key, value in _answer_values(answer.name, _NOTE.sub("", answer.value)):
            yield Clue(answer.line, key, value, answer.raw, kind="label", group=table[0].line)


def _answer_values(name: str, value: str) -> Iterator[tuple[str, object]]:
    """(key, value) of a row of a table; nothing where its value is not a plain one."""
    if name == "Distribution Name":
        named = re.match(r"(.+?)[ -]v?\d[\w.]*\Z", value)  # `CentOS 7`, with its version in the row below as well
        if system := normalise.os_name(value) or (normalise.os_name(named[1]) if named else None):
            yield from distribution_values(system)
    elif name == "Distribution Version":
        if version := re.match(r"\d[\w.-]{0,20}(?=\Z| )", value):
            yield "os.version", version[0]
    elif "Kernel" in name:
        yield from _kernel_values(name, value)
    elif name == "Architecture":
        yield from _arch_values(value)
    elif version := _VERSION.match(value):
        yield "fs.version", version[1]


def _kernel_values(name: str, value: str) -> Iterator[tuple[str, object]]:
    if kernel := _KERNEL.match(value):
        yield "kernel", kernel[2]
        if family := kernel[1] or ("Linux" if name.startswith("Linux") else None):
            yield "os.family", family


def _arch_values(value: str) -> Iterator[tuple[str, object]]:
    if _MACHINE.match(value):
        yield "arch", value


READER = Reader("issue tables", 5, Anchor(_ANCHOR, "# |#\t|distribution name|kernel"), read)
