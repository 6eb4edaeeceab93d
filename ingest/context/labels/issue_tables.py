"""Tables in which people tell their system: OpenZFS' form for issues, and hand-made ones of the same two columns.

Forms whose questions became headings, each above its answer, are read as well (WSL's `### Kernel Version`, rclone's `#### Which OS
you are using`).

Source: .github/ISSUE_TEMPLATE of OpenZFS (`Distribution Name`, `Distribution Version`, `Linux Kernel` or `Kernel Version`,
`Architecture`, `ZFS Version` or `OpenZFS Version`), a Markdown table whose second column people fill in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.context.labels._sheet_words import read_row
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


def read(text: Text) -> Iterator[Clue]:
    """Clues of every table that tells a distribution or a kernel; what is no plain value is left where it stands."""
    table: list[tuple[int, str, str, str]] = []
    for match in _ROW.finditer(text.body):
        line = text.line_at(match.start("name"))
        if table and line - table[-1][0] > _APART:
            yield from _table(table)
            table = []
        table.append((line, match["name"], match["value"], match[0].strip()))
    yield from _table(table)
    commands = {command.line for command in text.commands}
    for match in _FORM.finditer(text.body):
        name, raw, line = match["name"].lower(), match["value"], text.line_at(match.start("value"))
        kind = _kind(name)
        told = read_row(kind, raw) if kind else _told("Kernel" if "kernel" in name else "Architecture", raw)
        if line not in commands:
            yield from (Clue(line, key, value, raw, kind="label", effect="shows", group="form") for key, value in told)


def _kind(name: str) -> str | None:
    """The kind of row that a sheet has for what a heading asks for; None for kernel and architecture."""
    if "kernel" in name or name.startswith("arch"):
        return None
    return "cpu" if name.startswith(("cpu", "proc")) else "memory" if name.endswith(("ram", "memory")) else "system"


def _table(table: list[tuple[int, str, str, str]]) -> Iterator[Clue]:
    if not any("Kernel" in name or name.startswith("Distribution") for _, name, _, _ in table):
        return
    for line, name, value, raw in table:
        for key, told in _told(name, _NOTE.sub("", value)):
            yield Clue(line, key, told, raw, kind="label", effect="shows", group=table[0][0])


def _told(name: str, value: str) -> Iterator[tuple[str, object]]:
    if name == "Distribution Name":
        named = re.match(r"(.+?)[ -]v?\d[\w.]*\Z", value)  # `CentOS 7`, with its version in the row below as well
        if system := normalise.os_name(value) or (normalise.os_name(named[1]) if named else None):
            yield "os.name", system
            if family := normalise.os_family(system):
                yield "os.family", family
    elif name == "Distribution Version":
        if version := re.match(r"\d[\w.-]{0,20}(?=\Z| )", value):
            yield "os.version", version[0]
    elif "Kernel" in name:
        if kernel := _KERNEL.match(value):
            yield "kernel", kernel[2]
            if family := kernel[1] or ("Linux" if name.startswith("Linux") else None):
                yield "os.family", family
    elif name == "Architecture":
        if _MACHINE.match(value):
            yield "arch", value
    elif version := _VERSION.match(value):
        yield "fs.version", version[1]


READER = Reader(
    "issue tables",
    5,
    Anchor(_ANCHOR, "# ", "#\t", "distribution name", "kernel"),
    read,
    "OpenZFS .github/ISSUE_TEMPLATE, bug_report.yml of WSL",
)
