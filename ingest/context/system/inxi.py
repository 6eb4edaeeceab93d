"""`inxi -F` and its parts: host, kernel, distribution, processor, memory, in one line or one below the other.

Source: inxi(1): `Key: value` pairs after the name of a section; a value ends where the next key begins.

Source of fetch: neofetch(1), fastfetch(1), screenfetch
Source of inxi: inxi(1)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ingest import normalise
from ingest.context._clues import distribution_values
from ingest.context._disk_models import Disk, clean_model, disk_clues, parse_device
from ingest.context.labels._row_values import read_row
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

# Rows that neofetch, fastfetch and screenfetch print beside the picture of a system: `OS: ...`, `Kernel: ...`, `CPU: ...`.
#
# Without the picture the reader of spec sheets reads them. `Host` is the make of the machine; the name of the host stands in
# the title, over a rule. `CPU` counts threads, so no cores are read. Source: neofetch(1), fastfetch(1), screenfetch's shell
# script.

_NEOFETCH_ANCHOR = lazy(r"[ \t]Kernel: \S")
_ROW = lazy(
    r"(?P<picture>[^\n]*\s)"
    r"(?P<name>OS|Kernel|CPU|Memory|RAM|Host|Uptime|Packages|Shell|Resolution|DE|WM|Terminal|GPU|Disk(?: \(/\))?): "
    r"(?P<value>\S[^\n]*?)[ \t]*\Z"
)
_TITLE = lazy(r"[^\n]*\s[\w.-]{1,40}@(?P<host>[A-Za-z][\w.-]{0,62})[ \t]*\Z")
_KIND = {"OS": "system", "Kernel": "kernel", "CPU": "cpu", "Memory": "memory", "RAM": "memory"}
_ROOT = lazy(r"\S[^\n]* - (?P<fs>[a-z0-9]{2,10})(?: \[[\w, -]+\])?\Z")
_APART, _LEAST = 3, 4  # lines between two rows; rows that make a listing


def read_neofetch(text: Text) -> Iterator[Clue]:
    """Clues of every listing beside a picture, of four rows at least, with those of the system and the kernel."""
    rows: list[tuple[int, re.Match[str]]] = []
    for line, match in text.matches(_ROW):
        if rows and line - rows[-1][0] > _APART:
            yield from _listing(text, rows)
            rows = []
        rows.append((line, match))
    yield from _listing(text, rows)


def _listing(text: Text, rows: Sequence[tuple[int, re.Match[str]]]) -> Iterator[Clue]:
    names = {match["name"] for _, match in rows}
    pictured = any(match["picture"].strip() for _, match in rows)
    if len(names) < _LEAST or len(names) < len(rows) or not {"OS", "Kernel"} <= names or not pictured:
        return
    group = f"sheet {rows[0][0]}"
    for line, match in rows:
        for key, value in _neofetch_values(match["name"], match["value"]):
            yield Clue(
                line,
                key,
                value,
                text.lines[line - 1].strip(),
                "label",
                "shows",
                subject="/" if key == "fs.type" else "",
                group=group,
            )
    for line in range(max(rows[0][0] - 2, 1), rows[0][0]):
        if title := _TITLE.match(text.lines[line - 1]):
            yield Clue(line, "host", title["host"], text.lines[line - 1].strip(), "label", "shows", group=group)


def _neofetch_values(name: str, value: str) -> Iterator[tuple[str, Any]]:
    if name in _KIND:
        yield from read_row(_KIND[name], value)
    elif name == "Disk (/)" and (root := _ROOT.match(value)) and (kind := normalise.file_system_type(root["fs"])):
        yield "fs.type", kind


NEOFETCH = Reader("fetch", 3, Anchor(_NEOFETCH_ANCHOR, "kernel:"), read_neofetch)


# Rows stand deeper than their heading; a mail program puts a blank line between them and breaks a row within its pairs.
_SECTION = lazy(
    r"^[ \t]*(System|CPU|Memory|Info):[ \t]*(?P<rest>[^\n]*(?:\n[ \t]*(?=\n[ \t]{2,}\S))?"
    r"(?:\n(?:[ \t]{2,}[^\n]+|(?![A-Z]\w*:)[^\n:]{1,60} [A-Z][\w-]{1,20}: [^\n]+)){0,12})",
    re.MULTILINE,
)
_NEXT = r"(?=[ \t]+[\w-]+:(?:[ \t]|$)|[ \t]*$)"
_CORES = r"(?:(?i:\d{1,3}|dual|triple|quad|hexa|octa)[- ][Cc]ore)"
_COUNTS = {"dual": 2, "triple": 3, "quad": 4, "hexa": 6, "octa": 8}
_PAIRS = {
    "System": (
        ("host", lazy(r"\bHost: ([A-Za-z0-9][\w.-]{0,62})" + _NEXT, re.M)),
        ("kernel", lazy(r"\bKernel: (\d[\w.+~-]{2,60})\b")),
        ("arch", lazy(r"\b(?:Kernel: \S+|arch:) (x86_64|aarch64|i686|armv\dl|ppc64le|riscv64)\b")),
        ("system", lazy(r"\bDistro: (\S[^\n]{1,80}?)" + _NEXT, re.M)),
    ),
    "CPU": (
        (
            "cpu.model",
            lazy(rf"\bmodel: (\S[^\n]{{2,80}}?){_NEXT}|{_CORES} (?!model:)([A-Z][^\n]{{2,80}}?)(?= \[| \(-| speed)", re.M),
        ),
        ("cpu.cores", lazy(rf"\b(?<!x )({_CORES}) (?:model: )?[A-Z]")),
    ),
    "Memory": (("memory", lazy(r"\b(?:RAM: )?(?:total|Memory|available): (?:[\d.]{1,9}/)?(\d[\d.]* ?[KMGT]i?B)\b")),),
}
_PAIRS["Info"] = _PAIRS["Memory"]
_SYSTEM = lazy(r"(?P<name>[A-Za-z][A-Za-z/ ]{2,40}?) (?P<version>\d[\w.]{0,20})\b")
_DISK = lazy(r"\bID-\d{1,2}: /dev/\S+ (?P<rest>[^\n]*(?:\n[ \t]+(?![ \t]|ID-|SMART|Partition)[^\n]*){0,2})")
_VENDOR = lazy(r"\bvendor: (\S[^\n]{0,40}?)(?=[ \t]+[\w-]+:[ \t])")
_MODEL = lazy(r"\bmodel: (\S[^\n]{1,60}?)(?=[ \t]+(?:[\w-]+|lvl-n):(?:[ \t]|$)|[ \t]*$)", re.M)
_MOUNT = lazy(r"\bID-\d{1,2}: (?P<folder>/\S*) (?:raw-)?size: ")
_FS = lazy(r"(?:(?!\bID-\d)[^\n])*?(?:\n[ \t]+(?:(?!\bID-\d)[^\n])*?)?\bfs: (?P<fs>[\w.]{2,16})")
_PARTITION = lazy(r"(?:(?!\bID-\d)[^\n])*?(?:\n[ \t]+(?:(?!\bID-\d)[^\n])*?)?\bdev: /dev/(?P<device>[\w./-]+)")
_WIDE = 320  # characters of an entry at most
# The partition that Storage.sh of PiBenchmarks tests, where it is not the root, and the one of yabs.sh.
_CHOSEN = lazy(
    r"[^\n]{0,60}\b(?:partition \((?P<folder>/[^\s)]{1,200})\) has been detected as |fio Disk Speed Tests [^\n]{0,40}\(Partition )"
    r"/dev/(?P<device>[\w./-]{1,100})"
)
_SYSTEM_FOLDERS = lazy(r"/(?:boot|efi|snap|tmp)(?:/|\Z)")
_ANCHOR = lazy(r"\bKernel: \d|Local Storage: total: |HDD Total Size: |\bID-\d: /|\(Partition /dev/|has been detected as /dev/")


def read(text: Text) -> Iterator[Clue]:
    """Disks, mounted file systems and pairs of every section."""
    yield from _disk_clues(text)
    yield from _mount_clues(text)
    for section in _SECTION.finditer(text.body):
        for key, pattern in _PAIRS[section[1]]:
            match = pattern.search(text.body, section.start("rest"), section.end("rest"))
            if match and match.lastindex:
                line = text.line_at(match.start(match.lastindex))
                raw = text.lines[line - 1].strip()[:200]
                for name, value in _values(key, match[match.lastindex].strip()):
                    yield Clue(line, name, value, raw, group=line)


def _disk_clues(text: Text) -> Iterator[Clue]:
    disks = []
    for match in _DISK.finditer(text.body):
        vendor, model = _VENDOR.search(match["rest"]), _MODEL.search(match["rest"])
        if model:
            name = model[1]
            # Many models begin with the name of their maker, which inxi then leaves out.
            if vendor and not name.lower().startswith(vendor[1].split()[0].lower()):
                name = f"{vendor[1]} {name}"
            disks.append(Disk(clean_model(name), text.line_at(match.start()), parse_device(match[0])))
    yield from disk_clues(text, disks, disks[0].line) if disks else ()


def _mount_clues(text: Text) -> Iterator[Clue]:
    for line, match in text.matches(_CHOSEN):
        yield Clue(line, "block.devices", match["device"], match[0], subject=match["folder"] or "", group=line)
    for match in _MOUNT.finditer(text.body):
        entry = _FS.match(text.body, match.end(), match.end() + _WIDE)
        kind = normalise.file_system_type(entry["fs"]) if entry else None
        if kind and not _SYSTEM_FOLDERS.match(match["folder"]):
            line = text.line_at(match.start())
            raw = text.lines[line - 1].strip()[:200]
            yield Clue(line, "fs.type", kind, raw, subject=match["folder"], group=line)
            if device := _PARTITION.match(text.body, match.end(), match.end() + _WIDE):
                yield Clue(line, "block.devices", device["device"], raw, subject=match["folder"], group=line)


def _values(key: str, printed: str) -> Iterator[tuple[str, object]]:
    """(key, value) of a pair of `_PAIRS`; `system` is the distribution."""
    if key == "system":
        system = _SYSTEM.match(printed)
        if name := normalise.os_name(system["name"] if system else printed):
            yield from distribution_values(name, system["version"] if system else None)
    elif key == "cpu.model":
        if model := normalise.cpu_model(printed):
            yield key, model
    elif key == "cpu.cores":
        word = re.split("[- ]", printed)[0].lower()
        yield key, _COUNTS.get(word) or int(word)
    elif key == "memory":
        if size := normalise.parse_size(printed):
            yield key, size
    else:
        yield key, printed


READER = Reader("inxi", 6, Anchor(_ANCHOR, "kernel: 0|local storage: total|hdd total|id-0: /|partition /|detected as /"), read)
