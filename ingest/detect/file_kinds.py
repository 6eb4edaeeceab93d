"""What a file is that gave nothing: empty, a picture, an archive of another kind, a script, the output of a tool not read yet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import ahocorasick

from ingest.detect.findings import FileFindings, FileKind
from ingest.records import Doubt
from ingest.text.lines import Text

# Outputs of known tools that no parser reads yet: signatures of `signatures.toml`, searched in files without results.
#
# A signature names a file; it never changes what is read. Of a text only its first `HEAD` and its last `TAIL` characters are
# searched, and patterns only where one of the literal marks stands in them.

HEAD, TAIL = 16 << 10, 4 << 10  # characters
_SOURCE = Path(__file__).with_name("signatures.toml")
_FOR_NOW = "The bytes are kept; to compare its figures now, enter them as a results table (docs/manifest.md)."
_SERIES = "It is not read as a curve yet; upload the outputs of the benchmark that ran beside it as well."


@dataclass(frozen=True, slots=True)
class Signature:
    """What marks the output of one tool. `pattern` and `version`: None where there is none; `files`: patterns of names."""

    name: str
    marks: tuple[str, ...]
    documentation: str
    advice: str
    pattern: re.Pattern[str] | None
    version: re.Pattern[str] | None
    files: tuple[str, ...]

    def matches(self, name: str, head: str) -> bool:
        """Whether it is in the head of a file of this name, in which one of its marks stands."""
        if self.files and not any(fnmatchcase(name, files) for files in self.files):
            return False
        return self.pattern is None or self.pattern.search(head) is not None

    def read_version(self, head: str) -> str:
        """The version that the output prints, '' if it prints none."""
        found = self.version.search(head) if self.version else None
        return ".".join(group for group in found.groups() if group).rstrip(".") if found else ""


@dataclass(frozen=True, slots=True)
class RecognisedTool:
    """The tool that printed a file, with the version as printed, or ''."""

    signature: Signature
    version: str

    @property
    def label(self) -> str:
        """Name and version: `vdbench 5.04`."""
        return f"{self.signature.name} {self.version}".strip()

    @property
    def message(self) -> str:
        return f"{self.label} output: recognised, not read yet. {self.signature.advice}"


@cache
def signatures() -> tuple[Signature, ...]:
    """All signatures, in the order of the file."""
    import tomllib  # few uploads have a file that nothing reads

    return tuple(_signature(entry) for entry in tomllib.loads(_SOURCE.read_text(encoding="utf-8"))["tool"])


def _signature(entry: dict[str, Any]) -> Signature:
    pattern, version = (re.compile(entry[key]) if key in entry else None for key in ("pattern", "version"))
    advice = entry.get("advice") or (_SERIES if entry.get("reads") == "series" else _FOR_NOW)
    marks, files = tuple(entry["marks"]), tuple(entry.get("files", ()))
    return Signature(entry["name"], marks, entry["documentation"], advice, pattern, version, files=files)


@cache
def _marks() -> ahocorasick.Automaton:
    """Finds all marks in one pass; mark -> a bit for each signature that has it."""
    automaton, bits = ahocorasick.Automaton(), dict[str, int]()
    for index, signature in enumerate(signatures()):
        for mark in signature.marks:
            bits[mark] = bits.get(mark, 0) | 1 << index
    for mark, signatures_of_mark in bits.items():
        automaton.add_word(mark, signatures_of_mark)
    automaton.make_automaton()
    return automaton


def recognise_tool(path: str, body: str) -> RecognisedTool | None:
    """The tool whose output begins or ends like the text, None if no signature matches."""
    name, head = path.rpartition("/")[2], body[:HEAD]
    if len(body) > HEAD:
        head += "\n" + body[max(HEAD, len(body) - TAIL) :]
    marked = 0
    for _, bits in _marks().iter(head):
        marked |= bits
    for index, signature in enumerate(signatures()):
        if marked >> index & 1 and signature.matches(name, head):
            return RecognisedTool(signature, signature.read_version(head))
    return None


HEAD_SIZE = 512  # bytes that identify a kind
_OUTPUT = "Upload the text that the benchmark printed."
_TABLE = "Upload the benchmark's own output, or enter the figures as a results table (docs/manifest.md)."
_CSV = "Save its sheets as CSV and upload these, or the benchmark's own output."
_PACK = "Pack the files as tar.gz or zip and upload that."


@dataclass(frozen=True, slots=True)
class _Magic:
    """The bytes at an offset that begin a kind of file."""

    start: bytes
    kind: FileKind
    offset: int = 0

    def matches(self, head: bytes) -> bool:
        return head.startswith(self.start, self.offset)


def _picture(format_name: str) -> FileKind:
    message = f"This is a picture ({format_name}): numbers in pictures are not read. {_OUTPUT}"
    return FileKind(f"{format_name} picture", "picture", message)


def _document(label: str, advice: str) -> FileKind:
    return FileKind(label, "document", f"This is {_with_article(label)}: numbers in it are not read. {advice}")


def _archive(format_name: str) -> FileKind:
    message = f"This is {_with_article(format_name)} archive, which is not unpacked. {_PACK}"
    return FileKind(f"{format_name} archive", "not-unpacked", message, is_always_said=True)


def _binary(label: str) -> FileKind:
    return FileKind(label, "binary-file", f"This is {_with_article(label)}: nothing in it is read. {_OUTPUT}")


def _with_article(words: str) -> str:
    return f"{'an' if words[0] in 'AEIOUaeio' or words.startswith(('RTF', 'HDF', 'XAR')) else 'a'} {words}"


_MAGICS = (
    *(_Magic(start, _picture("PNG")) for start in (b"\x89PNG\r\n\x1a\n", b"\x89PNG")),
    _Magic(b"\xff\xd8\xff", _picture("JPEG")),
    *(_Magic(start, _picture("GIF")) for start in (b"GIF87a", b"GIF89a")),
    *(_Magic(start, _picture("TIFF")) for start in (b"II*\0", b"MM\0*")),
    *(_Magic(start, _picture("BMP"), 14) for start in (b"\x28\0\0\0", b"\x6c\0\0\0", b"\x7c\0\0\0")),
    _Magic(b"WEBP", _picture("WebP"), 8),
    *(_Magic(start, _picture("HEIF"), 4) for start in (b"ftypheic", b"ftypmif1", b"ftypavif")),
    _Magic(b"%PDF-", _document("PDF", _TABLE)),
    _Magic(b"%!PS", _document("PostScript document", _TABLE)),
    _Magic(b"{\\rtf", _document("RTF document", _TABLE)),
    _Magic(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _document("Office document", _CSV)),
    _Magic(b"PK\3\4", _document("Office document", _CSV)),  # other zip archives are unpacked
    _Magic(b"7z\xbc\xaf\x27\x1c", _archive("7z")),
    _Magic(b"Rar!\x1a\x07", _archive("RAR")),
    _Magic(b"\x04\x22\x4d\x18", _archive("LZ4")),
    _Magic(b"LZIP", _archive("lzip")),
    _Magic(b"\x89LZO", _archive("lzop")),
    _Magic(b"\x1f\x9d", _archive("compress (.Z)")),
    _Magic(b"\x5d\0\0\x80\0", _archive("LZMA")),
    _Magic(b"xar!", _archive("XAR")),
    _Magic(b"MSCF", _archive("cabinet")),
    _Magic(b"!<arch>\n", _archive("ar")),
    _Magic(b"\x7fELF", _binary("program or core dump (ELF)")),
    _Magic(b"SQLite format 3\0", _binary("SQLite database")),
    _Magic(b"\x89HDF\r\n", _binary("HDF5 file")),
    _Magic(b"PAR1", _binary("Parquet file")),
    *(_Magic(start, _binary("packet capture")) for start in (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x0a\x0d\x0d\x0a")),
)
_EMPTY = FileKind(
    "empty file",
    "empty-file",
    "The file is empty. Check that the run wrote its output there, and upload the file again.",
    is_always_said=True,
)
_BLANK = FileKind("blank file", "empty-file", _EMPTY.message.replace("is empty", "contains only white space"), is_always_said=True)
_OFTEN_EMPTY = ("*err*", ".*", "__init__.py", "*.lock", "*.pid", "*.done", "*.keep")
_UNKNOWN = _binary("binary file")
_SVG = _picture("SVG")
_SCRIPT = FileKind("script", "only-scripts", "")
_SCRIPTS = ("*.sh", "*.bash", "*.ksh", "*.csh", "*.zsh", "*.py", "*.pl", "*.rb", "*.bat", "*.cmd", "*.ps1", "*.fio", "Makefile")
_NO_TEXT, _NO_TEXT_DOUBTS = ("picture", "document", "not-unpacked", "binary-file"), ("encoding", "by-hand")
_NAMED = 3  # scripts in the message


def recognise_kind(findings: FileFindings, text: Text | None, head: bytes) -> None:
    """Set the kind of a file from which no parser took anything, and add the doubt that every such file has.

    `head`: its first bytes, `HEAD_SIZE` or more.
    """
    if findings.values or findings.missing or findings.parsers or findings.series_readers:
        return
    kind = findings.kind = _find_kind(findings, text, head)
    if kind is None:
        return
    # What a decoder says of bytes that are no text is no news, nor is a table in the output of a known tool typed by hand.
    wrong = _NO_TEXT_DOUBTS if kind.code in _NO_TEXT else ("by-hand",) if kind.code == "not-read-yet" else ()
    if wrong:
        findings.doubts = [doubt for doubt in findings.doubts if doubt.code not in wrong]
    if kind.is_always_said:
        findings.doubts.append(Doubt(1, kind.code, kind.message))


def _find_kind(findings: FileFindings, text: Text | None, head: bytes) -> FileKind | None:
    name = findings.path.rpartition("/")[2]
    if not findings.size or (text is not None and (not text.body or text.body.isspace())):
        kind = _BLANK if findings.size else _EMPTY
        is_usual = any(fnmatchcase(name, pattern) for pattern in _OFTEN_EMPTY)
        return FileKind(kind.label, kind.code, kind.message, is_always_said=False) if is_usual else kind
    for magic in _MAGICS:
        if magic.matches(head):
            return magic.kind
    if text is None:
        return _UNKNOWN
    start = text.body[:HEAD_SIZE].lstrip()
    if start.startswith("<svg") or (start.startswith("<?xml") and "<svg" in start):
        return _SVG
    if start.startswith("#!") or any(fnmatchcase(name, pattern) for pattern in _SCRIPTS):
        return _SCRIPT
    tool = recognise_tool(findings.path, text.body)
    return FileKind(tool.label, "not-read-yet", tool.message, is_always_said=True) if tool else None


def add_doubts_without_results(findings_list: Sequence[FileFindings]) -> None:
    """Where no file of the upload has a result: the doubts that say what the files are instead."""
    if any(findings.values or findings.missing or findings.series for findings in findings_list):
        return
    scripts = [findings for findings in findings_list if findings.kind is _SCRIPT]
    for findings in findings_list:
        kind = findings.kind
        if kind is not None and kind is not _SCRIPT and not kind.is_always_said:
            findings.doubts = [*findings.doubts, Doubt(1, kind.code, kind.message)]
    if scripts:
        names = [findings.path.rpartition("/")[2] for findings in scripts]
        listed = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
        what = "Only scripts were uploaded" if len(scripts) == len(findings_list) else "There are scripts and no output of a run"
        message = f"{what}: {listed}. Upload what they print as well, for example with ./{names[0]} > results.txt 2>&1."
        scripts[0].doubts = [*scripts[0].doubts, Doubt(1, _SCRIPT.code, message)]
