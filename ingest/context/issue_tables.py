"""Tables in which people tell their system: OpenZFS' form for issues, and hand-made ones of the same two columns.

Source: .github/ISSUE_TEMPLATE of OpenZFS (`Distribution Name`, `Distribution Version`, `Linux Kernel` or `Kernel Version`,
`Architecture`, `ZFS Version` or `OpenZFS Version`), a Markdown table whose second column people fill in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import names
from ingest.records import Clue
from ingest.roles import Reader
from ingest.text import Text

_ROW = re.compile(
    r"^[ \t]*\|?[ \t]*(?P<name>Distribution Name|Distribution Version|(?:Linux )?Kernel(?: Version)?|Architecture"
    r"|(?:Open)?ZFS Version)[ \t]*\|[ \t]*(?P<value>[^|\n]{1,100}?)[ \t]*\|?[ \t]*$",
    re.MULTILINE,
)
_ANCHOR = re.compile(r"Distribution Name[ \t]*\||\bKernel(?: Version)?[ \t]*\|[ \t]*v?\d")
_KERNEL = re.compile(r"(?:(Linux|FreeBSD) )?v?(\d+\.\d+[\w.+~-]*)(?: ?[`#(].*)?\Z")
_VERSION = re.compile(r"(?:zfs-)?v?(\d+\.\d+[\w.+~-]*)\Z")
_MACHINE = re.compile(r"(?:x86_64|amd64|aarch64|arm64|armv\dl|i\d86|ppc64(?:le)?|s390x|riscv64|sparc64)\Z")
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


def _table(table: list[tuple[int, str, str, str]]) -> Iterator[Clue]:
    if not any("Kernel" in name or name.startswith("Distribution") for _, name, _, _ in table):
        return
    for line, name, value, raw in table:
        for key, told in _told(name, value):
            yield Clue(line, key, told, raw, kind="label", effect="shows", group=table[0][0])


def _told(name: str, value: str) -> Iterator[tuple[str, object]]:
    if name == "Distribution Name":
        named = re.match(r"(.+?)[ -]v?\d[\w.]*\Z", value)  # `CentOS 7`, with its version in the row below as well
        if system := names.system(value) or (names.system(named[1]) if named else None):
            yield "os.name", system
            if family := names.family(system):
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


READER = Reader("issue tables", 3, _ANCHOR, read, "OpenZFS .github/ISSUE_TEMPLATE")
