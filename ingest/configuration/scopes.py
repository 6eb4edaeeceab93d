"""Which files speak for which: scopes around a file, nearest first."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection, Iterator

from ingest.detect.detect import FileFindings
from ingest.lazy_regex import lazy
from ingest.records import Clue

_SUFFIXES = frozenset(
    (
        "txt",
        "log",
        "csv",
        "out",
        "json",
        "xls",
        "xml",
        "dat",
        "tsv",
        "md",
        "toml",
        "yaml",
        "yml",
        "err",
        "gz",
        "terse",
        "terse5",
        "conf",
        "cfg",
    )
)


def name_parts(path: str) -> frozenset[str]:
    """The parts of a file's name between dots, without suffixes: `zfs-off.zfs-get-all.txt` -> zfs-off, zfs-get-all."""
    parts = path.rsplit("/", 1)[-1].split(".")
    return frozenset(part for part in parts if part and part.lower() not in _SUFFIXES)


def _words(path: str) -> frozenset[str]:
    """The words of a file's name: `zfs-get-gzip_9.txt` -> zfs, get, gzip, 9."""
    return frozenset(re.split(r"[-_. ]+", path.rsplit("/", 1)[-1].lower())) - _SUFFIXES - {""}


def _parallel(speakers: dict[str, list[str]], results: dict[str, list[str]]) -> dict[str, frozenset[str]]:
    """Files side by side whose names differ only in words that tell apart the results of their folder, with these words.

    `zfs-get-lz4.txt` and `zfs-get-gzip.txt` beside `dd-lz4.txt` and `dd-gzip.txt`: each speaks for its own.
    """
    found: dict[str, frozenset[str]] = {}
    for folder, files in speakers.items():
        named = [_words(path) for path in results.get(folder, ())] if len(files) > 1 else []
        telling = frozenset[str]().union(*named) - named[0].intersection(*named) if len(named) > 1 else frozenset[str]()
        alike: dict[frozenset[str], dict[str, frozenset[str]]] = {}
        for path in files if telling else ():
            words = _words(path)
            if key := words & telling:
                alike.setdefault(words - key, {})[path] = key
        for group in alike.values():
            if len(set(group.values())) == len(group) > 1:
                found |= group
    return found


# A folder that holds nothing but what tells the machine: `sysinfo/lscpu.txt` beside the results speaks for all of them.
_OF_MACHINE = lazy(
    r"(?i)(?:sys|system|hw|hardware|machine|env|environment|platform|specs?|info|inventory|metadata)"
    r"|(?:sys|system|hw|hardware|machine|env|platform|host|node|server)[-_. ]?(?:info|information|details|data|specs?)"
)


def _home(path: str, measured: Collection[str]) -> str:
    """The folder that a file speaks for: its own, or the one around it. `measured`: folders with results in or below them."""
    folder = _folders(path)[0]
    while folder and folder not in measured and _OF_MACHINE.fullmatch(folder.rpartition("/")[2]):
        folder = folder.rpartition("/")[0]
    return folder


def _folders(path: str) -> list[str]:
    """The folders around a file, nearest first, '' for the upload itself."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:n]) for n in range(len(parts), -1, -1)]


class EvidenceScopes:
    """Files by folder and name part. Files with results speak for themselves; the others for those around them."""

    def __init__(self, found: list[FileFindings]) -> None:
        self._paths = [f.path for f in found]
        self.with_values = {f.path for f in found if f.values}
        self.speakers: dict[str, list[str]] = {}
        self.parts: dict[str, frozenset[str]] = {}
        used: dict[str, frozenset[str]] = {}
        results: dict[str, list[str]] = {}
        tools: dict[str, set[str]] = {}
        for f in found:
            if f.values:
                folder = _folders(f.path)[0]
                used[folder] = used.get(folder, frozenset()) | name_parts(f.path)
                results.setdefault(folder, []).append(f.path)
                tools.setdefault(folder, set()).update(parser.name for parser in f.parsers)
        # Another run of the same tool, of which nothing could be read, tells of itself as the others do.
        self.lost = {
            f.path for f in found if not f.values and any(parser.name in tools.get(_folders(f.path)[0], ()) for parser in f.parsers)
        }
        measured = {folder for path in self.with_values for folder in _folders(path)}
        self._root: set[str] = set()
        for f in found:
            if f.values or not f.clues or f.path in self.lost:
                continue
            folder = _home(f.path, measured)
            if not folder:
                self._root.add(f.path)
            self.speakers.setdefault(folder, []).append(f.path)
            # The part that names a run, not the one that says what the file is.
            shared = name_parts(f.path) & used.get(folder, frozenset())
            if shared and len(name_parts(f.path)) > 1:
                self.parts[f.path] = shared
        others = {folder: [path for path in files if path not in self.parts] for folder, files in self.speakers.items()}
        self.parallel = _parallel(others, results)

    def around(self, path: str) -> list[tuple[str, list[str]]]:
        """(word, files) of each scope outside the file's own lines, nearest first."""
        scopes: list[tuple[str, list[str]]] = [("file", [path, *self._manifests(path)])]
        own, words, folders = name_parts(path), _words(path), _folders(path)
        for folder in folders:
            files = self.speakers.get(folder, [])
            named = [f for f in files if self.parts.get(f, frozenset()) & own or (f in self.parallel and self.parallel[f] <= words)]
            if named:
                scopes.append(("name", named))
            scopes.append(("folder:" + folder, [f for f in files if f not in self.parts and f not in self.parallel]))
        return scopes

    def _manifests(self, path: str) -> list[str]:
        return [f for folder in _folders(path) for f in self.speakers.get(folder, []) if f != path]

    def depth(self, word: str, members: list[str]) -> int:
        """How many folders deep a folder scope lies; -1 for others."""
        if not word.startswith("folder:"):
            return -1
        folder = word.removeprefix("folder:")
        return folder.count("/") + 1 if folder else 0

    def reaches(self, manifest: str, glob: str, word: str, depth: int, own: str) -> bool:
        """Whether what a manifest states with that glob holds in this scope of the file `own`."""
        base = manifest.rsplit("/", 1)[0] + "/" if "/" in manifest else ""
        if not glob:
            return word == "folder:" + base.rstrip("/")
        return word == "file" and own.startswith(base) and _matches(own.removeprefix(base), glob)

    def unreached(self, findings: FileFindings) -> Iterator[Clue]:
        """The first clue of each glob that a manifest states and that no file of the upload matches."""
        base = findings.path.rsplit("/", 1)[0] + "/" if "/" in findings.path else ""
        firsts: dict[str, Clue] = {}
        for clue in findings.clues:
            if clue.kind == "stated" and clue.subject:
                firsts.setdefault(clue.subject, clue)
        for glob, clue in firsts.items():
            if not any(path.startswith(base) and _matches(path.removeprefix(base), glob) for path in self._paths):
                yield clue

    def word(self, findings: FileFindings) -> str:
        """What the scope of the file's clues is called in an evidence record."""
        if findings.values or findings.path in self.lost:
            return "file"
        if findings.path in self.parts or findings.path in self.parallel:
            return "name"
        return "folder" if "/" in findings.path and findings.path not in self._root else "archive"


def _matches(path: str, glob: str) -> bool:
    """As a shell matches; a glob that names a folder reaches everything below it."""
    return fnmatch.fnmatchcase(path, glob) or fnmatch.fnmatchcase(path, glob.rstrip("/") + "/*")
