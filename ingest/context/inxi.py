"""`inxi -F` and its parts: host, kernel, distribution, processor, memory, in one line or one below the other.

Source: inxi(1): `Key: value` pairs behind the name of a section; a value ends where the next key begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import names
from ingest.records import Clue
from ingest.roles import Reader
from ingest.text import Text

_SECTION = re.compile(r"^[ \t]*(System|CPU|Memory|Info):[ \t]*(?P<rest>[^\n]*(?:\n[ \t]{2,}[^\n]+){0,12})", re.MULTILINE)
_NEXT = r"(?=[ \t]+[\w-]+:(?:[ \t]|$)|[ \t]*$)"
_PAIRS = {
    "System": (
        ("host", re.compile(r"\bHost: ([A-Za-z0-9][\w.-]{0,62})" + _NEXT, re.M)),
        ("kernel", re.compile(r"\bKernel: (\d[\w.+~-]{2,60})\b")),
        ("arch", re.compile(r"\b(?:Kernel: \S+|arch:) (x86_64|aarch64|i686|armv\dl|ppc64le|riscv64)\b")),
        ("system", re.compile(r"\bDistro: (\S[^\n]{1,80}?)" + _NEXT, re.M)),
    ),
    "CPU": (("cpu.model", re.compile(r"\bmodel: (\S[^\n]{2,80}?)" + _NEXT, re.M)),),
    "Memory": (("memory", re.compile(r"\b(?:RAM: )?total: (\d[\d.]* [KMGT]iB)\b")),),
}
_PAIRS["Info"] = _PAIRS["Memory"]
_SYSTEM = re.compile(r"(?P<name>[A-Za-z][A-Za-z/ ]{2,40}?) (?P<version>\d[\w.]{0,20})\b")
_ANCHOR = re.compile(r"\bHost: \S[^\n]*?(?:\n[^\n]*)?\bKernel: \d")


def read(text: Text) -> Iterator[Clue]:
    """Clues of every listing whose section System names host and kernel."""
    for section in _SECTION.finditer(text.body):
        for key, pattern in _PAIRS[section[1]]:
            match = pattern.search(text.body, section.start("rest"), section.end("rest"))
            if match:
                line = text.line_at(match.start(1))
                raw = text.lines[line - 1].strip()[:200]
                for name, value in _told(key, match[1].strip()):
                    yield Clue(line, name, value, raw, group=line)


def _told(key: str, value: str) -> Iterator[tuple[str, object]]:
    if key == "system":
        found = _SYSTEM.match(value)
        name = names.system(found["name"] if found else value)
        if name:
            yield "os.name", name
            if found:
                yield "os.version", found["version"]
            if family := names.family(name):
                yield "os.family", family
    elif key == "cpu.model":
        if model := names.cpu(value):
            yield key, model
    elif key == "memory":
        if size := names.size(value):
            yield key, size
    else:
        yield key, value


READER = Reader("inxi", 1, _ANCHOR, read, "inxi(1)")
